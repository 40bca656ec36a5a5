/* A solve that is told to stop asks no more and ends, whatever it is doing: its answer is a plan that says
 * so, or that there is none. How soon is a matter of time, for which see bench.cancel. */
#include "berth/solve.h"
#include "berth/verify.h"
#include "sample.h"
#include "suite.h"

enum { N = 6000, MOST_AFTER = 8 };

struct questions {
  uint32_t n;
  uint32_t stop_at;
  uint32_t n_after;
};

static bool should_stop(void *ctx) {
  struct questions *questions = ctx;
  questions->n_after += questions->n >= questions->stop_at;
  return questions->n++ >= questions->stop_at;
}

/* Like a training step: short lives, every 50th a long one. */
static struct berth_problem *make(void) {
  struct sample sample;
  struct berth_rng rng = {1};
  sample_init(&sample);
  for (uint32_t i = 0; i < N; i++) {
    uint64_t size = 1 + berth_rng_below(&rng, 100000);
    int64_t upper = (int64_t)i + 1 + berth_rng_below(&rng, 100);
    upper += i % 50 == 0 ? berth_rng_below(&rng, 5000) : 0;
    sample_add(&sample, size, i, upper);
  }
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  return problem;
}

START_TEST(whatever_it_is_doing) {
  struct berth_problem *problem = make();
  uint32_t n_without = 0;
  uint32_t n_cut = 0;
  bool ended = false;
  for (uint32_t stop_at = 0; !ended && stop_at < 500; stop_at += 1 + stop_at / 4) {
    struct questions questions = {.stop_at = stop_at};
    struct berth_solve_hooks hooks = {.ctx = &questions, .should_stop = should_stop};
    struct berth_plan *plan = NULL;
    enum berth_code code = berth_solve(problem, NULL, &hooks, NULL, &plan, NULL);
    ck_assert(code == BERTH_OK || code == BERTH_CANCELLED);
    ck_assert_uint_le(questions.n_after, MOST_AFTER);
    ended = questions.n_after == 0;
    if (code == BERTH_OK) {
      struct berth_verdict verdict;
      ck_assert_int_eq(berth_verify(problem, plan, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
      ck_assert_uint_eq(verdict.n_violations, 0);
      ck_assert(ended || plan->status == BERTH_PLAN_CUT_SHORT || plan->status == BERTH_PLAN_OPTIMAL);
    }
    n_without += code == BERTH_CANCELLED;
    n_cut += code == BERTH_OK && plan->status == BERTH_PLAN_CUT_SHORT;
    berth_plan_unref(plan);
  }
  ck_assert_uint_ge(n_without, 3);
  ck_assert_uint_ge(n_cut, 3);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run("solve/cancel", (const TTest *const[]){whatever_it_is_doing, NULL});
}
