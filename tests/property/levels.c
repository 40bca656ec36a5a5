/* Three levels, each valid by itself: no reuse, reuse without results in place, everything. None is larger
 * than the one before, whatever the budget: of random graphs, and of buffers with pins, gaps, groups and
 * several pools, with a capacity and without. */
#include <stdio.h>

#include "berth/restate.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"

enum { PROBLEMS = 20000, SAMPLES = 8000, DEFAULTS = 200 };

/* Small ones are where a plan is cut off; the last stands for the default, within the time of a test. */
static const uint64_t BUDGETS[] = {1, 300, 3000, 20000, 200000};
enum { N_BUDGETS = sizeof BUDGETS / sizeof BUDGETS[0] };

static struct { uint32_t problems, smaller_by_reuse, smaller_in_place, left_out, alone_larger; } seen;

struct size {
  bool is_placed;
  bool is_proven; /* nothing fits */
  uint64_t cost;
  uint64_t arena;
  uint64_t peak;
};

static void expect_valid(uint32_t k, const struct berth_problem *problem, const struct berth_plan *plan) {
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  struct berth_error err = {0};
  enum berth_code code = berth_verify(problem, plan, NULL, &first, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, first.message);
}

/* Consumes nothing. The problem of the plan is checked, and that it says what it was made of. */
static struct size
plan(uint32_t k, const struct berth_problem *problem, const struct berth_solve_options *options) {
  struct berth_error err = {0};
  struct berth_plan *plan = NULL;
  struct berth_problem *of = NULL;
  enum berth_code code = berth_solve_levels(problem, options, NULL, NULL, &of, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
  struct size size = {
      .is_placed = plan->offset != NULL,
      .is_proven = plan->status == BERTH_PLAN_INFEASIBLE,
      .cost = plan->spill_cost,
      .arena = plan->arena_bytes,
      .peak = plan->peak_bytes};
  if (size.is_placed) {
    expect_valid(k, of, plan);
    ck_assert_uint_le(plan->lower_bound_bytes, plan->arena_bytes);
  }
  if (of != problem) {
    struct berth_plan *alone = NULL;
    ck_assert(berth_problem_is_without_inplace(of));
    ck_assert_int_eq(options->reuse, BERTH_REUSE_FULL);
    ck_assert_int_eq(berth_solve(problem, options, NULL, NULL, &alone, &err), BERTH_OK);
    seen.left_out++;
    seen.alone_larger += alone->offset == NULL || alone->arena_bytes > plan->arena_bytes;
    berth_plan_unref(alone);
  }
  berth_plan_unref(plan);
  berth_problem_unref(of);
  return size;
}

static void expect_no_larger(uint32_t k, struct size level, struct size before, const char *what) {
  if (!before.is_placed) {
    return;
  }
  ck_assert_msg(level.is_placed, "problem %u: %s: no plan, though there is one", k, what);
  bool less = level.cost < before.cost || (level.cost == before.cost && level.arena <= before.arena);
  ck_assert_msg(
      less, "problem %u: %s: %llu bytes after %llu", k, what, (unsigned long long)level.arena,
      (unsigned long long)before.arena);
}

static void
compare(uint32_t k, const struct berth_problem *full, const struct berth_problem *without, uint64_t budget) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget;
  options.reuse = BERTH_REUSE_NONE;
  struct size apart = plan(k, without, &options);
  options.reuse = BERTH_REUSE_NO_INPLACE;
  struct size shared = plan(k, without, &options);
  options.reuse = BERTH_REUSE_FULL;
  struct size all = plan(k, full, &options);
  expect_no_larger(k, shared, apart, "reuse");
  expect_no_larger(k, all, shared, "results in place");
  seen.problems++;
  seen.smaller_by_reuse += shared.arena < apart.arena;
  seen.smaller_in_place += all.arena < shared.arena;
  /* What fits without reuse, fits with it. */
  options.capacity_bytes = apart.arena;
  options.reuse = BERTH_REUSE_NONE;
  apart = plan(k, without, &options);
  options.reuse = BERTH_REUSE_NO_INPLACE;
  shared = plan(k, without, &options);
  options.reuse = BERTH_REUSE_FULL;
  all = plan(k, full, &options);
  expect_no_larger(k, shared, apart, "reuse in a capacity");
  expect_no_larger(k, all, shared, "results in place in a capacity");
}

static struct berth_problem *build(uint32_t k, struct graph *graph, bool forbid_inplace) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  graph->forbid_inplace = forbid_inplace;
  enum berth_code code = graph_try_build(graph, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  return problem;
}

static void graph_at(uint32_t k, uint64_t budget) {
  struct berth_rng rng = campaign_seed(k);
  struct graph graph;
  uint32_t features = GRAPH_IN_PLACE | GRAPH_KINDS | (berth_rng_below(&rng, 4) == 0 ? GRAPH_VIEWS : 0);
  features |= k % 4 == 3 ? GRAPH_REGIONS : 0;
  features |= k % 8 >= 6 ? GRAPH_STREAMS : 0;
  graph_generate(&graph, &rng, 4 + berth_rng_below(&rng, 16), features);
  struct berth_problem *full = build(k, &graph, false);
  struct berth_problem *without = build(k, &graph, true);
  compare(k, full, without, budget);
  berth_problem_unref(full);
  berth_problem_unref(without);
}

static void say(const char *what) {
  printf(
      "%u %s; reuse makes %u smaller, results in place %u; they are left out in %u, which else were larger "
      "in "
      "%u\n",
      seen.problems, what, seen.smaller_by_reuse, seen.smaller_in_place, seen.left_out, seen.alone_larger);
}

START_TEST(graphs) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    graph_at(k, BUDGETS[k % N_BUDGETS]);
  }
  say("graphs");
  ck_assert_uint_gt(seen.alone_larger, 0);
}
END_TEST

START_TEST(graphs_at_the_default_budget) {
  struct campaign campaign = campaign_plan(DEFAULTS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    graph_at(k, BERTH_DEFAULT_BUDGET_TICKS / 100);
  }
}
END_TEST

START_TEST(buffers) {
  struct campaign campaign = campaign_plan(SAMPLES);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = (uint32_t)berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    sample_generate_any(&sample, &rng, 2, 16, features);
    struct berth_problem *problem = sample_build(&sample, NULL);
    compare(k, problem, problem, BUDGETS[k % N_BUDGETS]);
    berth_problem_unref(problem);
  }
  say("lists of buffers");
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/levels", (const TTest *const[]){graphs, graphs_at_the_default_budget, buffers, NULL});
}
