/* One problem, many threads: the same bytes everywhere, and nothing for a race detector to see. */
#include <pthread.h>
#include <string.h>

#include "berth/report.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "sample.h"
#include "suite.h"

enum { N_THREADS = 6, PROBLEMS = 400, BUDGET = 60000 };

struct worker {
  pthread_t thread;
  struct berth_problem *problem;
  struct berth_plan *plan;
  uint64_t n_violations;
  bool failed;
};

static void *work(void *ctx) {
  struct worker *worker = ctx;
  struct berth_problem *problem = berth_problem_ref(worker->problem);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  struct berth_verdict verdict = {0};
  struct berth_timeline_point *points = NULL;
  uint32_t n_points;
  worker->failed = berth_solve(problem, &options, NULL, NULL, &worker->plan, NULL) != BERTH_OK ||
                   berth_verify(problem, worker->plan, NULL, NULL, 0, &verdict, NULL) != BERTH_OK ||
                   berth_report_timeline(
                       problem, worker->plan, BERTH_NO_INDEX, NULL, &points, &n_points, NULL) != BERTH_OK;
  worker->n_violations = verdict.n_violations;
  berth_report_free(NULL, points);
  berth_problem_unref(problem);
  return NULL;
}

static void run(uint32_t k, struct berth_problem *problem) {
  struct worker workers[N_THREADS] = {0};
  for (int t = 0; t < N_THREADS; t++) {
    workers[t].problem = problem;
    ck_assert_int_eq(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
  }
  for (int t = 0; t < N_THREADS; t++) {
    ck_assert_int_eq(pthread_join(workers[t].thread, NULL), 0);
  }
  const struct berth_plan *first = workers[0].plan;
  bool has_table = first->offset != NULL; /* not where the answer is UNKNOWN or INFEASIBLE */
  size_t n = first->n_buffers;
  for (int t = 0; t < N_THREADS; t++) {
    const struct berth_plan *plan = workers[t].plan;
    ck_assert_msg(!workers[t].failed && workers[t].n_violations == 0, "problem %u", k);
    ck_assert_msg(
        plan->ticks == first->ticks && plan->status == first->status && (plan->offset != NULL) == has_table &&
            (!has_table || (memcmp(plan->offset, first->offset, n * sizeof *first->offset) == 0 &&
                            memcmp(plan->pool, first->pool, n * sizeof *first->pool) == 0)) &&
            memcmp(plan->slot, first->slot, n * sizeof *first->slot) == 0,
        "problem %u: thread %d has another plan", k, t);
  }
  for (int t = 0; t < N_THREADS; t++) {
    berth_plan_unref(workers[t].plan);
  }
}

START_TEST(threads_share_a_problem_and_agree) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    sample_generate_any(&sample, &rng, 10, 69, features);
    struct berth_problem *problem = sample_build(&sample, NULL);
    run(k, problem);
    berth_problem_unref(problem);
  }
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run("property/threads", (const TTest *const[]){threads_share_a_problem_and_agree, NULL});
}
