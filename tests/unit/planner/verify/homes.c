#include "verify/homes.h"

#include "honest.h"
#include "judged.h"
#include "suite.h"

static struct sample sample;

/* fast (cost 1) spills to slow (cost 5), which spills to far (cost 3). */
static void three_pools(void) {
  sample_finish(&sample);
  sample.n_pools = 3;
  for (uint32_t p = 0; p < 3; p++) {
    static const uint32_t COSTS[] = {1, 5, 3};
    sample.pools[p] = berth_pool_spec_default();
    sample.pools[p].cost_per_byte = COSTS[p];
    sample.pools[p].n_spill_to = p < 2;
    sample.spills[p][0] = p + 1;
  }
}

static uint64_t violations(const uint32_t *pool, const uint64_t *offset, enum berth_violation_kind kind) {
  struct judged judged = judge_offsets(&sample, pool, offset);
  ck_assert_uint_eq(judged_count(&judged, kind), judged.verdict.n_violations);
  return judged.verdict.n_violations;
}

static uint64_t in_pool(uint32_t pool) {
  return violations((const uint32_t[]){pool}, (const uint64_t[]){0}, BERTH_VIOLATION_POOL);
}

START_TEST(spilling_goes_one_way) {
  three_pools();
  struct sample_buffer *buffer = sample_add(&sample, 10, 0, 1);
  buffer->spec.n_pools = 1;
  for (uint32_t named = 0; named < 3; named++) {
    buffer->pools[0] = named;
    for (uint32_t pool = 0; pool < 3; pool++) {
      ck_assert_uint_eq(in_pool(pool), pool < named);
    }
  }
}
END_TEST

START_TEST(pools_for_constants_and_state_take_nobody_else) {
  three_pools();
  struct sample_buffer *buffer = sample_add(&sample, 10, 0, 1);
  sample.pools[2].persistence = BERTH_PERSISTENCE_ONLY;
  ck_assert_uint_eq(in_pool(2), 1);
  buffer->spec.class_ = BERTH_CLASS_STATE;
  ck_assert_uint_eq(in_pool(2), 0);
}
END_TEST

START_TEST(no_base_no_alignment) {
  three_pools();
  sample.pools[0].base_alignment = 16;
  sample_add(&sample, 10, 0, 1)->spec.alignment = 32;
  const uint64_t offset[] = {32};
  ck_assert_uint_eq(violations((const uint32_t[]){0}, offset, BERTH_VIOLATION_ALIGNMENT), 1);
  ck_assert_uint_eq(violations((const uint32_t[]){1}, offset, BERTH_VIOLATION_ALIGNMENT), 0);
}
END_TEST

/* The cost that a plan states is held against the one that the judge finds; 10 bytes, accessed twice. */
START_TEST(costs_never_fall_along_a_list) {
  static const uint64_t RIGHT[] = {0, 10 * 2 * 4, 10 * 2 * 4};
  three_pools();
  struct sample_buffer *buffer = sample_add(&sample, 10, 0, 1);
  buffer->spec.n_pools = 1;
  buffer->spec.accesses = 2;
  for (uint32_t pool = 0; pool < 3; pool++) {
    struct berth_plan *plan = honest_plan(&sample, &pool, (const uint64_t[]){0});
    ck_assert_uint_eq(plan->spill_cost, RIGHT[pool]);
    struct judged judged = judge_plan(&sample, plan);
    judged_expect_good(&judged);
    plan->spill_cost++;
    judged = judge_plan(&sample, plan);
    ck_assert_uint_eq(judged_count(&judged, BERTH_VIOLATION_FIGURES), 1);
    plan->spill_cost--;
    plan->spill_cost_bound = plan->spill_cost + 1;
    judged = judge_plan(&sample, plan);
    ck_assert_uint_eq(judged_count(&judged, BERTH_VIOLATION_FIGURES), 1);
    plan->spill_cost_bound = 0;
    plan->status = BERTH_PLAN_OPTIMAL; /* as far as the arena goes it is */
    judged = judge_plan(&sample, plan);
    ck_assert_uint_eq(judged_count(&judged, BERTH_VIOLATION_FIGURES), pool > 0);
    berth_plan_unref(plan);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/verify/homes", (const TTest *const[]){
                                  spilling_goes_one_way, pools_for_constants_and_state_take_nobody_else,
                                  no_base_no_alignment, costs_never_fall_along_a_list, NULL});
}
