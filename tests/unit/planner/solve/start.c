/* A plan to start from: what comes out is no larger, right in every figure, and in the pools that it may use.
 */
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "sample.h"
#include "suite.h"

enum { PROBLEMS = 3000, BUFFERS = 14 };

static struct berth_plan *
solve(const struct berth_problem *problem, uint64_t budget, const struct berth_start *start) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  options.budget_ticks = budget;
  options.strategies = start != NULL ? 0 : BERTH_ALL_STRATEGIES;
  options.start = start;
  ck_assert_msg(berth_solve(problem, &options, NULL, NULL, &plan, &err) == BERTH_OK, "%s", err.message);
  return plan;
}

static void
expect_valid(const struct berth_problem *problem, const struct berth_plan *plan, uint32_t number) {
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", number, violation.message);
}

START_TEST(never_larger_than_the_start) {
  uint32_t n_better = 0;
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = 0; k < PROBLEMS; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features =
        (uint32_t)berth_rng_below(&rng, 128) &
        (SAMPLE_ALIGNED | SAMPLE_GAPS | SAMPLE_POOLS | SAMPLE_ZEROS | SAMPLE_CONFLICTS | SAMPLE_PINNED);
    sample_generate_any(&sample, &rng, 1, BUFFERS, features);
    struct berth_problem *problem = sample_build(&sample, NULL);
    struct berth_plan *best = solve(problem, 200000, NULL);
    if (best->offset != NULL) {
      struct berth_start start = {.pool = best->pool, .offset = best->offset};
      struct berth_plan *from = solve(problem, 1, &start);
      struct berth_plan *alone = solve(problem, 1, NULL);
      ck_assert_msg(from->offset != NULL && from->arena_bytes <= best->arena_bytes, "problem %u", k);
      expect_valid(problem, from, k);
      n_better += alone->offset == NULL || from->arena_bytes < alone->arena_bytes;
      berth_plan_unref(alone);
      berth_plan_unref(from);
    }
    berth_plan_unref(best);
    berth_problem_unref(problem);
  }
  sample_finish(&sample);
  ck_assert_uint_gt(n_better, 10);
}
END_TEST

/* Places beyond a capacity are no place to start from. */
START_TEST(what_does_not_fit_is_left_alone) {
  struct sample sample;
  sample_init(&sample);
  sample_add(&sample, 10, 0, 2);
  sample_add(&sample, 20, 1, 3);
  struct berth_problem *problem = sample_build(&sample, NULL);
  const uint64_t offset[] = {0, 100};
  struct berth_start start = {.offset = offset};
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  options.capacity_bytes = 25;
  options.start = &start;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/solve/start",
      (const TTest *const[]){never_larger_than_the_start, what_does_not_fit_is_left_alone, NULL});
}
