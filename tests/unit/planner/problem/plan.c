#include "berth/plan.h"

#include "problems.h"

START_TEST(a_new_plan_is_blank_and_one_block) {
  struct berth_plan *plan = berth_plan_create(NULL, 3, 2);
  ck_assert_ptr_nonnull(plan);
  ck_assert_uint_eq(plan->n_buffers, 3);
  ck_assert_uint_eq(plan->n_pools, 2);
  ck_assert_uint_eq(plan->arena_bytes, 0);
  for (int i = 0; i < 3; i++) {
    ck_assert_uint_eq(plan->offset[i], BERTH_NO_OFFSET);
    ck_assert_uint_eq(plan->pool[i], 0);
    ck_assert_uint_eq(plan->slot[i], 0);
  }
  ck_assert_ptr_eq(berth_plan_pools_mut(plan), plan->pools);
  ck_assert_ptr_eq(berth_plan_offset_mut(plan), plan->offset);
  ck_assert_ptr_eq(berth_plan_pool_mut(plan), plan->pool);
  ck_assert_ptr_eq(berth_plan_slot_mut(plan), plan->slot);
  ck_assert_uint_eq(plan->pools[1].arena_bytes, 0);
  berth_plan_offset_mut(plan)[2] = 64;
  berth_plan_pools_mut(plan)[1].peak_step = -7;
  ck_assert_uint_eq(plan->offset[2], 64);
  ck_assert_int_eq(plan->pools[1].peak_step, -7);
  ck_assert_uint_gt(berth_plan_n_bytes(plan), sizeof *plan + 3 * 16 + 2 * sizeof(struct berth_pool_result));
  ck_assert_ptr_eq(berth_plan_ref(plan), plan);
  berth_plan_unref(plan);
  ck_assert_uint_eq(plan->offset[2], 64);
  berth_plan_unref(plan);
  berth_plan_unref(NULL);
}
END_TEST

START_TEST(columns_are_found_without_the_views) {
  struct berth_plan *plan = berth_plan_create(NULL, 2, 1);
  uint64_t *offset = berth_plan_offset_mut(plan);
  uint32_t *pool = berth_plan_pool_mut(plan);
  plan->offset = NULL; /* infeasible */
  plan->pool = NULL;
  ck_assert_ptr_eq(berth_plan_offset_mut(plan), offset);
  ck_assert_ptr_eq(berth_plan_pool_mut(plan), pool);
  berth_plan_unref(plan);
  plan = berth_plan_create(NULL, 0, 0);
  ck_assert_ptr_nonnull(plan);
  berth_plan_unref(plan);
}
END_TEST

START_TEST(a_copy_has_a_block_and_waits_of_its_own) {
  const struct berth_sync syncs[] = {{3, 1}, {5, 2}};
  struct berth_plan *plan = berth_plan_create_synced(NULL, 3, 2, 1);
  berth_plan_syncs_mut(plan)[0] = syncs[1];
  for (uint32_t i = 0; i < 3; i++) {
    berth_plan_offset_mut(plan)[i] = 10 * i;
    berth_plan_pool_mut(plan)[i] = i % 2;
    berth_plan_slot_mut(plan)[i] = 7;
  }
  plan->sync.cost_bytes = UINT64_MAX / 2;
  struct berth_plan *copy = berth_plan_copy(NULL, plan, syncs, 2);
  berth_plan_unref(plan);
  ck_assert_uint_eq(copy->n_syncs, 2);
  ck_assert_mem_eq(copy->syncs, syncs, sizeof syncs);
  ck_assert_mem_eq(copy->offset, ((uint64_t[]){0, 10, 20}), 24);
  ck_assert_mem_eq(copy->pool, ((uint32_t[]){0, 1, 0}), 12);
  ck_assert_mem_eq(copy->slot, ((uint32_t[]){7, 7, 7}), 12);
  ck_assert_uint_eq(berth_plan_sync_cost(copy), UINT64_MAX - 1);
  copy->offset = NULL;
  copy->pool = NULL;
  copy->sync.cost_bytes = UINT64_MAX;
  struct berth_plan *again = berth_plan_copy(NULL, copy, NULL, 0);
  ck_assert_ptr_null(again->offset);
  ck_assert_ptr_null(again->pool);
  ck_assert_uint_eq(berth_plan_sync_cost(again), 0);
  ck_assert_uint_eq(berth_plan_sync_cost(copy), UINT64_MAX);
  berth_plan_unref(again);
  berth_plan_unref(copy);
}
END_TEST

START_TEST(rho_and_gap_by_the_book) {
  struct berth_plan plan = {.naive_bytes = 5120, .reuse_bytes = 3072};
  ck_assert_double_eq_tol(berth_plan_rho(&plan), 0.4, 1e-12);
  plan = (struct berth_plan){.arena_bytes = 110, .lower_bound_bytes = 100};
  ck_assert_double_eq_tol(berth_plan_gap(&plan), 0.1, 1e-12);
  plan = (struct berth_plan){0};
  ck_assert_double_eq(berth_plan_rho(&plan), 0.0);
  ck_assert_double_eq(berth_plan_gap(&plan), 0.0);
}
END_TEST

START_TEST(status_names) {
  static const char *const NAMES[] = {"optimal", "feasible", "cut_short", "infeasible", "unknown"};
  for (unsigned i = 0; i < BERTH_N_PLAN_STATUSES; i++) {
    ck_assert_str_eq(berth_plan_status_name((enum berth_plan_status)i), NAMES[i]);
  }
  ck_assert_str_eq(berth_plan_status_name(BERTH_N_PLAN_STATUSES), "?");
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/plan",
      (const TTest *const[]){
          a_new_plan_is_blank_and_one_block, columns_are_found_without_the_views,
          a_copy_has_a_block_and_waits_of_its_own, rho_and_gap_by_the_book, status_names, NULL});
}
