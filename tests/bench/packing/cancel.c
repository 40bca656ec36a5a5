/* A cancelled solve stops soon, whatever it is doing: CPU time between two questions to the hook, and from
 * its "stop" to the return. */
#include <stdio.h>
#include <time.h>

#include "berth/solve.h"
#include "sample.h"
#include "suite.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
enum { IS_SLOW = 1 };
#else
enum { IS_SLOW = 0 };
#endif

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct watch {
  double began, last, stop_at, stopped, longest;
};

static bool should_stop(void *ctx) {
  struct watch *watch = ctx;
  double now = cpu_seconds();
  watch->longest = now - watch->last > watch->longest ? now - watch->last : watch->longest;
  watch->last = now;
  if (now - watch->began < watch->stop_at) {
    return false;
  }
  watch->stopped = watch->stopped > 0 ? watch->stopped : now;
  return true;
}

/* Like a training step of n operators: short lives, every 50th a long one. */
static struct berth_problem *make(uint32_t n) {
  struct sample sample;
  sample_init(&sample);
  struct berth_rng rng = {1};
  for (uint32_t i = 0; i < n; i++) {
    uint64_t size = 1 + berth_rng_below(&rng, 100000);
    int64_t upper = (int64_t)i + 1 + berth_rng_below(&rng, 100);
    upper += i % 50 == 0 ? berth_rng_below(&rng, 5000) : 0;
    sample_add(&sample, size, i, upper);
  }
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  return problem;
}

/* The shortest that the longest wait was in three runs: the machine may be busy. */
static double longest_wait(const struct berth_problem *problem, double stop_at) {
  double least = 1e9;
  for (int run = 0; run < 3; run++) {
    struct watch watch = {.began = cpu_seconds(), .stop_at = stop_at};
    watch.last = watch.began;
    struct berth_solve_hooks hooks = {.ctx = &watch, .should_stop = should_stop};
    struct berth_plan *plan = NULL;
    enum berth_code code = berth_solve(problem, NULL, &hooks, NULL, &plan, NULL);
    ck_assert(code == BERTH_OK || code == BERTH_CANCELLED);
    ck_assert(watch.stopped > 0 || plan->status != BERTH_PLAN_CUT_SHORT);
    double after = watch.stopped > 0 ? cpu_seconds() - watch.stopped : 0;
    double longest = after > watch.longest ? after : watch.longest;
    least = longest < least ? longest : least;
    berth_plan_unref(plan);
  }
  return least;
}

static void expect_prompt(uint32_t n, double limit) {
  static const double STOPS[] = {0, 0.01, 0.03, 0.1, 0.2, 0.4};
  struct berth_problem *problem = make(IS_SLOW ? n / 20 : n);
  for (size_t k = 0; k < sizeof STOPS / sizeof STOPS[0]; k++) {
    double wait = longest_wait(problem, STOPS[k]);
    printf("%u buffers, stopped at %.2f s: %.1f ms\n", n, STOPS[k], 1e3 * wait);
    ck_assert_msg(IS_SLOW || wait < limit, "%u buffers: %f s", n, wait);
  }
  berth_problem_unref(problem);
}

START_TEST(within_ten_milliseconds) {
  expect_prompt(20000, 0.010);
  expect_prompt(60000, 0.010);
}
END_TEST

/* Of a million buffers it takes longer than that to give the memory back. */
START_TEST(a_million_within_thirty) {
  expect_prompt(1000000, 0.030);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "bench/cancel", (const TTest *const[]){within_ten_milliseconds, a_million_within_thirty, NULL});
}
