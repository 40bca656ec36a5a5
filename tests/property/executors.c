/* Whoever runs the tasks of a search, and in which order: the same plan, byte for byte. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "executors.h"
#include "minimalloc/minimalloc.h"
#include "sample.h"
#include "suite.h"

#define D "tests/data/intervals/minimalloc/D.1048576.csv"

enum { PROBLEMS = 500, HARD = 12 };

static const struct berth_executor *const EXECUTORS[] = {
    &EXECUTOR_IN_ORDER, &EXECUTOR_REVERSED, &EXECUTOR_IDLE, &EXECUTOR_TWO, &EXECUTOR_FOUR};
enum { N_EXECUTORS = sizeof EXECUTORS / sizeof EXECUTORS[0] };

static struct berth_plan *solve(
    const struct berth_problem *problem, uint64_t budget, const struct berth_executor *executor,
    const struct berth_solve_hooks *hooks) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget;
  options.executor = executor;
  struct berth_plan *plan = NULL;
  enum berth_code code = berth_solve(problem, &options, hooks, NULL, &plan, NULL);
  ck_assert(code == BERTH_OK || (hooks != NULL && code == BERTH_CANCELLED));
  return plan;
}

static void
expect_same(const char *what, uint32_t k, const struct berth_plan *a, const struct berth_plan *b) {
  size_t n = a->n_buffers;
  ck_assert_msg(
      a->ticks == b->ticks && a->status == b->status && a->arena_bytes == b->arena_bytes &&
          a->lower_bound_bytes == b->lower_bound_bytes && a->spill_cost == b->spill_cost &&
          a->spill_cost_bound == b->spill_cost_bound && a->short_by_bytes == b->short_by_bytes &&
          a->n_culprits == b->n_culprits && (a->offset == NULL) == (b->offset == NULL) &&
          memcmp(a->culprits, b->culprits, a->n_culprits * sizeof *a->culprits) == 0 &&
          memcmp(a->slot, b->slot, n * sizeof *a->slot) == 0,
      "%s, problem %u: another answer", what, k);
  ck_assert_msg(
      a->offset == NULL || (memcmp(a->offset, b->offset, n * sizeof *a->offset) == 0 &&
                            memcmp(a->pool, b->pool, n * sizeof *a->pool) == 0),
      "%s, problem %u: another plan", what, k);
}

static void agree(const char *what, uint32_t k, const struct berth_problem *problem, uint64_t budget) {
  struct berth_plan *alone = solve(problem, budget, NULL, NULL);
  for (uint32_t e = 0; e < N_EXECUTORS; e++) {
    struct berth_plan *plan = solve(problem, budget, EXECUTORS[e], NULL);
    expect_same(what, k, alone, plan);
    berth_plan_unref(plan);
  }
  berth_plan_unref(alone);
}

START_TEST(random_problems_of_all_kinds) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = k % 2 == 0 ? 0 : berth_rng_below(&rng, 128);
    sample_generate_any(&sample, &rng, 10, 79, features);
    struct berth_problem *problem = sample_build(&sample, NULL);
    agree("random", k, problem, UINT64_C(1000) << berth_rng_below(&rng, 11));
    berth_problem_unref(problem);
  }
  sample_finish(&sample);
}
END_TEST

/* Dense, with sizes that do not fit together by themselves: neither placed nor refuted at once. */
static struct berth_problem *hard_problem(uint32_t n, uint64_t seed) {
  struct berth_rng rng = {.state = seed};
  struct sample sample;
  sample_init(&sample);
  for (uint32_t i = 0; i < n; i++) {
    int64_t lower = berth_rng_below(&rng, n / 4);
    sample_add(&sample, 1 + berth_rng_below(&rng, 1000), lower, lower + 1 + berth_rng_below(&rng, n / 12));
  }
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  return problem;
}

static struct berth_problem *read_problem(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  size_t n = fread(text, 1, sizeof text, file);
  fclose(file);
  ck_assert_uint_lt(n, sizeof text);
  struct berth_problem *problem = NULL;
  ck_assert_int_eq(berth_minimalloc_read(text, n, NULL, &problem, NULL), BERTH_OK);
  return problem;
}

START_TEST(hard_problems_take_turns) {
  struct berth_problem *problem = read_problem(D);
  struct campaign campaign = campaign_plan(100); /* in builds that are slow fewer */
  uint32_t n = 1 + (campaign.end - campaign.first) / 33;
  for (uint32_t k = 0; k < n; k++) { /* ended in the middle of a turn */
    uint64_t budget = UINT64_C(60000000) + 23456789 * k;
    struct berth_plan *plan = solve(problem, budget, NULL, NULL);
    ck_assert_int_eq(plan->status, BERTH_PLAN_FEASIBLE);
    berth_plan_unref(plan);
    agree("budget", k, problem, budget);
  }
  if (n > 3) {
    agree("proven", 0, problem, BERTH_DEFAULT_BUDGET_TICKS);
  }
  berth_problem_unref(problem);
}
END_TEST

START_TEST(large_problems_are_improved) {
  for (uint32_t k = 0; k < 3; k++) {
    struct berth_problem *problem = hard_problem(4500, 100 + k);
    agree("large", k, problem, UINT64_C(20000000));
    berth_problem_unref(problem);
  }
}
END_TEST

struct stopper {
  atomic_uint n_asked;
  uint32_t most;
};

static bool should_stop(void *ctx) {
  struct stopper *stopper = ctx;
  return atomic_fetch_add(&stopper->n_asked, 1) + 1 >= stopper->most;
}

/* Wherever it is stopped: soon, with a plan that is right and says so, or without. */
START_TEST(stopped_in_the_middle) {
  uint32_t n_cut = 0;
  for (uint32_t k = 0; k < HARD; k++) {
    struct berth_problem *problem = k % 2 == 0 ? hard_problem(4200 + 10 * k, k) : read_problem(D);
    for (uint32_t e = 0; e < N_EXECUTORS; e++) {
      struct stopper stopper = {.most = 3 + 40 * k};
      const struct berth_solve_hooks hooks = {.ctx = &stopper, .should_stop = should_stop};
      struct berth_plan *plan = solve(problem, UINT64_MAX, EXECUTORS[e], &hooks);
      if (plan == NULL) {
        continue;
      }
      struct berth_verdict verdict = {0};
      ck_assert_int_eq(berth_verify(problem, plan, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
      ck_assert_uint_eq(verdict.n_violations, 0);
      ck_assert(plan->status == BERTH_PLAN_CUT_SHORT || plan->status == BERTH_PLAN_OPTIMAL);
      ck_assert_uint_le(atomic_load(&stopper.n_asked), stopper.most + 64);
      n_cut += plan->status == BERTH_PLAN_CUT_SHORT;
      berth_plan_unref(plan);
    }
    berth_problem_unref(problem);
  }
  ck_assert_uint_gt(n_cut, HARD);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/executors", (const TTest *const[]){
                                random_problems_of_all_kinds, hard_problems_take_turns,
                                large_problems_are_improved, stopped_in_the_middle, NULL});
}
