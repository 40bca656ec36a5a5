#include "berth/variants.h"
#include "suite.h"

static struct berth_plan *plan_of(uint64_t arena, uint64_t alignment, uint64_t constants) {
  struct berth_plan *plan = berth_plan_create(NULL, 1, 1);
  struct berth_pool_result *pool = berth_plan_pools_mut(plan);
  pool->arena_bytes = arena;
  pool->base_alignment = alignment;
  pool->class_bytes[BERTH_CLASS_CONSTANT] = constants;
  berth_plan_offset_mut(plan)[0] = 0;
  return plan;
}

START_TEST(the_largest_and_the_sum) {
  struct berth_plan *plans[] = {
      plan_of(100, 8, 0), plan_of(33, 64, 0), plan_of(0, 4096, 0), NULL, plan_of(7, 1, 5)};
  const struct berth_plan *const *const all = (const struct berth_plan *const *)plans;
  struct berth_variants_need need = berth_variants_need(all, 3, 0);
  ck_assert_uint_eq(need.largest_bytes, 100);
  ck_assert_uint_eq(need.sum_bytes, 128 + 33); /* the second begins where it may */
  ck_assert(!need.is_rewritten);
  need = berth_variants_need(all, 5, 0);
  ck_assert_uint_eq(need.sum_bytes, 128 + 33 + 7);
  ck_assert(need.is_rewritten);
  need = berth_variants_need(all, 5, 1);
  ck_assert(need.largest_bytes == 0 && need.sum_bytes == 0);
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    berth_plan_unref(plans[i]);
  }
}
END_TEST

START_TEST(what_is_too_much_is_the_most) {
  struct berth_plan *plans[] = {plan_of(UINT64_MAX - 5, 1, 0), plan_of(100, 64, 0)};
  struct berth_variants_need need = berth_variants_need((const struct berth_plan *const *)plans, 2, 0);
  ck_assert_uint_eq(need.sum_bytes, UINT64_MAX);
  plans[1]->offset = NULL; /* not placed: it needs nothing */
  need = berth_variants_need((const struct berth_plan *const *)plans, 2, 0);
  ck_assert_uint_eq(need.sum_bytes, UINT64_MAX - 5);
  berth_plan_unref(plans[0]);
  berth_plan_unref(plans[1]);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/variants/need",
      (const TTest *const[]){the_largest_and_the_sum, what_is_too_much_is_the_most, NULL});
}
