/* A search may be told to stop at any look at the hook: once a plan was told there is one, valid and no
 * larger than what was told last; before that the answer is a plan or CANCELLED. Of random problems with
 * everything, stopped at many of their looks. */
#include <stdio.h>

#include "berth/restate.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"

enum { SAMPLES = 3000, GRAPHS = 3000, STOPS = 24, BUDGET = 200000 };

static struct { uint64_t stops, with_plan, cancelled; } seen;

struct hook {
  uint64_t n_looks;
  uint64_t stop_at; /* the look that says stop; 0: none */
  uint64_t told_bytes;
};

static bool should_stop(void *ctx) {
  struct hook *hook = ctx;
  hook->n_looks++;
  return hook->stop_at != 0 && hook->n_looks >= hook->stop_at;
}

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct hook *hook = ctx;
  ck_assert_uint_le(progress->arena_bytes, hook->told_bytes);
  hook->told_bytes = progress->arena_bytes;
}

static void expect_valid(
    const struct berth_problem *problem, const struct berth_plan *plan, const struct hook *hook, uint32_t k) {
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  struct berth_error err = {0};
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &first, 1, &verdict, &err), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u, look %lu: %s", k, hook->stop_at, first.message);
  ck_assert_msg(
      plan->arena_bytes <= hook->told_bytes, "problem %u, look %lu: %lu bytes after %lu were told", k,
      hook->stop_at, plan->arena_bytes, hook->told_bytes);
}

/* How many looks there were. */
static uint64_t
run(const struct berth_problem *problem, uint64_t capacity_bytes, uint64_t stop_at, uint32_t k) {
  struct hook hook = {.stop_at = stop_at, .told_bytes = BERTH_UNLIMITED};
  struct berth_solve_hooks hooks = {.ctx = &hook, .should_stop = should_stop, .on_progress = on_progress};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  options.capacity_bytes = capacity_bytes;
  struct berth_problem *of = NULL;
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve_levels(problem, &options, &hooks, NULL, &of, &plan, &err);
  ck_assert_msg(
      code == BERTH_OK || (stop_at != 0 && code == BERTH_CANCELLED), "problem %u, look %lu: %s", k, stop_at,
      err.message);
  ck_assert_msg(
      code == BERTH_OK || hook.told_bytes == BERTH_UNLIMITED,
      "problem %u, look %lu: a plan of %lu bytes was told", k, stop_at, hook.told_bytes);
  if (code == BERTH_OK && plan->offset != NULL) {
    expect_valid(of, plan, &hook, k);
  } else if (code == BERTH_OK) {
    ck_assert_uint_eq(hook.told_bytes, BERTH_UNLIMITED);
  }
  seen.stops += stop_at != 0;
  seen.with_plan += stop_at != 0 && code == BERTH_OK && plan->offset != NULL;
  seen.cancelled += code == BERTH_CANCELLED;
  berth_plan_unref(plan);
  berth_problem_unref(of);
  return hook.n_looks;
}

static void say(const char *what) {
  printf(
      "%lu stops in %s: %lu with a plan, %lu before one\n", seen.stops, what, seen.with_plan, seen.cancelled);
  ck_assert_uint_gt(seen.with_plan, 0);
}

static void
stop_often(uint32_t k, const struct berth_problem *problem, uint64_t capacity_bytes, struct berth_rng *rng) {
  uint64_t n_looks = run(problem, capacity_bytes, 0, k);
  for (uint32_t s = 0; s < STOPS && n_looks > 0; s++) { /* all of few, some of many */
    uint64_t stop_at = n_looks <= STOPS ? s + 1 : 1 + berth_rng_next(rng) % n_looks;
    if (stop_at <= n_looks) {
      run(problem, capacity_bytes, stop_at, k);
    }
  }
}

START_TEST(samples) {
  struct campaign campaign = campaign_plan(SAMPLES);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = k % 4 == 0 ? 0 : berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    sample_generate_any(&sample, &rng, 2, 16, features);
    struct berth_problem *problem = sample_build(&sample, NULL);
    uint64_t load = sample_load(&sample);
    stop_often(k, problem, k % 3 == 2 ? load + load / 8 : BERTH_UNLIMITED, &rng);
    berth_problem_unref(problem);
  }
  sample_finish(&sample);
  say("lists of buffers");
}
END_TEST

START_TEST(graphs) {
  struct campaign campaign = campaign_plan(GRAPHS);
  struct graph graph;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = GRAPH_IN_PLACE | GRAPH_KINDS | (k % 2 == 0 ? GRAPH_STREAMS : GRAPH_VIEWS);
    graph_generate(&graph, &rng, 4 + berth_rng_below(&rng, 16), features);
    struct berth_problem *problem = graph_build(&graph);
    stop_often(k, problem, BERTH_UNLIMITED, &rng);
    berth_problem_unref(problem);
  }
  say("graphs");
}
END_TEST

int main(void) {
  return berth_suite_run("property/stops", (const TTest *const[]){samples, graphs, NULL});
}
