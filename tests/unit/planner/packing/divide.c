/* Divisions through the whole planner: who spills, and what is said of it. */
#include "packing/divide.h"

#include "berth/solve.h"
#include "judged.h"
#include "suite.h"

static struct sample sample;

static struct berth_plan *solve(void) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_plan *plan = NULL;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  berth_problem_unref(problem);
  return plan;
}

static void two_pools(uint64_t capacity_a, uint64_t capacity_b) {
  sample_finish(&sample);
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].capacity_bytes = capacity_a;
  sample.pools[1].capacity_bytes = capacity_b;
}

/* Report 46: a fast pool of 100 bytes holds a or b, not both, and c with neither. */
START_TEST(the_fewest_bytes_spill) {
  two_pools(100, 1000);
  sample_add(&sample, 80, 1, 3);
  sample_add(&sample, 80, 2, 4);
  sample_add(&sample, 30, 1, 4);
  struct berth_plan *plan = solve();
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  ck_assert_uint_eq(plan->spill_cost, 110);
  ck_assert_uint_eq(plan->spill_cost_bound, 110);
  ck_assert_uint_eq(plan->pools[0].arena_bytes, 80);
  ck_assert_uint_eq(plan->pools[1].arena_bytes, 110);
  berth_plan_unref(plan);
  sample.buffers[1].spec.accesses = 9; /* then a is the one to go */
  plan = solve();
  ck_assert_uint_eq(plan->spill_cost, 110);
  ck_assert_uint_eq(plan->pool[0], 1);
  ck_assert_uint_eq(plan->pool[1], 0);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

/* Three of 80 bytes at one time, and two pools of 100. */
START_TEST(no_division_is_a_proof) {
  two_pools(100, 100);
  for (int i = 0; i < 3; i++) {
    sample_add(&sample, 80, 0, 1);
  }
  struct berth_plan *plan = solve();
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  ck_assert_uint_eq(plan->short_by_bytes, 40);
  ck_assert_uint_eq(plan->n_culprits, 3);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

/* Where constants lie at the front does not depend on who else is there. */
START_TEST(the_front_is_its_own) {
  uint64_t offset[2][2];
  for (int round = 0; round < 2; round++) {
    sample_finish(&sample);
    sample.n_pools = 1;
    sample.pools[0] = berth_pool_spec_default();
    sample.pools[0].persistence = BERTH_PERSISTENCE_FRONT;
    sample_add(&sample, 100, 0, 9)->spec.class_ = BERTH_CLASS_CONSTANT;
    sample_add(&sample, 70, 0, 9)->spec.class_ = BERTH_CLASS_STATE;
    sample.buffers[0].spec.alignment = sample.buffers[1].spec.alignment = 64;
    for (int i = 0; i < 5 * round; i++) {
      sample_add(&sample, 30 + 50 * (uint64_t)i, i, i + 2);
    }
    struct berth_plan *plan = solve();
    ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
    ck_assert_uint_eq(plan->pools[0].persistent_bytes, 198);
    offset[round][0] = plan->offset[0];
    offset[round][1] = plan->offset[1];
    berth_plan_unref(plan);
  }
  ck_assert_mem_eq(offset[0], offset[1], sizeof offset[0]);
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/packing/divide",
      (const TTest *const[]){the_fewest_bytes_spill, no_division_is_a_proof, the_front_is_its_own, NULL});
}
