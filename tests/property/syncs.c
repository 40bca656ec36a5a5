/* Added waits on random graphs: no plan is worse with them than without, the same question has the same
 * answer, no more are added than may be, and bounds hold. Of small graphs all sets of up to three waits are
 * tried, and the search is held against the best of them. */
#include <stdio.h>
#include <string.h>

#include "berth/restate.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"

enum { PROBLEMS = 4000, SMALL = 400, MOST_PAIRS = 64, MOST_WAITS = 3, BUDGET = 400000 };

static struct { uint32_t problems, with_waits, waits, optimal, fits_by_waits; } seen;
static struct {
  uint32_t problems, with_waits, as_good;
  double sum, worst;
} small;

static struct berth_plan *
solve(uint32_t k, const struct berth_problem *problem, const struct berth_solve_options *options) {
  struct berth_problem *of = NULL;
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  const struct berth_verify_terms terms = {
      .capacity_bytes = options->capacity_bytes, .syncs = &options->sync};
  enum berth_code code = berth_solve_levels(problem, options, NULL, NULL, &of, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
  ck_assert_int_eq(berth_verify_answer(of, plan, &terms, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, first.message);
  berth_problem_unref(of);
  return plan;
}

static uint64_t total_of(const struct berth_plan *plan) {
  return plan->arena_bytes + berth_plan_sync_cost(plan);
}

static void expect_same(uint32_t k, const struct berth_plan *a, const struct berth_plan *b) {
  ck_assert_msg(
      a->n_syncs == b->n_syncs && a->arena_bytes == b->arena_bytes, "problem %u: another answer", k);
  ck_assert_uint_eq(a->ticks, b->ticks);
  ck_assert_mem_eq(a->offset, b->offset, a->n_buffers * sizeof *a->offset);
  if (a->n_syncs != 0) {
    ck_assert_mem_eq(a->syncs, b->syncs, a->n_syncs * sizeof *a->syncs);
  }
}

/* Where the graph as it is does not fit, waits may help. */
static void check_capacity(
    uint32_t k, const struct berth_problem *problem, const struct berth_plan *with,
    struct berth_solve_options options) {
  options.capacity_bytes = with->arena_bytes;
  struct berth_plan *fits = solve(k, problem, &options);
  if (fits->offset != NULL) {
    ck_assert_uint_le(fits->arena_bytes, with->arena_bytes);
    seen.fits_by_waits += fits->n_syncs != 0;
  } else {
    ck_assert_int_eq(fits->status, BERTH_PLAN_UNKNOWN); /* never proven: there is a plan */
  }
  berth_plan_unref(fits);
}

static void check(uint32_t k, const struct berth_problem *problem, struct berth_rng *rng) {
  static const uint64_t BUDGETS[] = {1, 3000, 60000, BUDGET};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGETS[berth_rng_below(rng, 4)];
  struct berth_solve_options half = options;
  half.budget_ticks = options.budget_ticks / 2 != 0 ? options.budget_ticks / 2 : 1;
  struct berth_plan *without = solve(k, problem, &half);
  options.sync.cost_bytes = berth_rng_below(rng, 40);
  options.sync.max_syncs = berth_rng_below(rng, 2) == 0 ? UINT32_MAX : 1 + berth_rng_below(rng, 3);
  struct berth_plan *with = solve(k, problem, &options);
  struct berth_plan *again = solve(k, problem, &options);
  ck_assert_ptr_nonnull(with->offset);
  ck_assert_uint_le(total_of(with), without->arena_bytes);
  ck_assert_uint_le(with->sync.without_bytes, without->arena_bytes);
  ck_assert_uint_le(with->n_syncs, options.sync.max_syncs);
  ck_assert_uint_le(with->sync.bound_bytes, total_of(with));
  expect_same(k, with, again);
  if (with->n_syncs != 0 && with->n_pools == 1) {
    check_capacity(k, problem, with, options);
  }
  seen.problems++;
  seen.with_waits += with->n_syncs != 0;
  seen.waits += with->n_syncs;
  seen.optimal += with->status == BERTH_PLAN_OPTIMAL;
  berth_plan_unref(again);
  berth_plan_unref(with);
  berth_plan_unref(without);
}

START_TEST(no_plan_is_worse_with_waits) {
  static struct graph graph;
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features =
        berth_rng_below(&rng, 64) & (GRAPH_VIEWS | GRAPH_IN_PLACE | GRAPH_POOLS | GRAPH_KINDS);
    graph_generate(&graph, &rng, 2 + berth_rng_below(&rng, 20), features | GRAPH_STREAMS);
    struct berth_problem *problem = graph_build(&graph);
    check(k, problem, &rng);
    berth_problem_unref(problem);
  }
  printf(
      "%u graphs, %u with added waits, %u waits; %u proven optimal; %u fit by waits alone\n", seen.problems,
      seen.with_waits, seen.waits, seen.optimal, seen.fits_by_waits);
  if (campaign.end - campaign.first >= 1000) {
    ck_assert_uint_gt(seen.with_waits, 50);
    ck_assert_uint_gt(seen.optimal, 10);
    ck_assert_uint_gt(seen.fits_by_waits, 10);
  }
}
END_TEST

/* ---- All sets ---- */

struct all {
  const struct berth_problem *problem;
  uint64_t cost;
  uint32_t n_pairs;
  struct berth_sync pairs[MOST_PAIRS];
  uint64_t best;
};

static void list_pairs(struct all *all) {
  const struct berth_graph *graph = berth_problem_graph(all->problem);
  for (uint32_t w = 0; w < graph->n_operators; w++) {
    for (uint32_t s = 0; s < w && all->n_pairs < MOST_PAIRS; s++) {
      if (graph->operator_stream[w] != graph->operator_stream[s]) {
        all->pairs[all->n_pairs++] = (struct berth_sync){.waiter = w, .signaller = s};
      }
    }
  }
}

static void try_set(struct all *all, const struct berth_sync *set, uint32_t n) {
  const struct berth_restatement as = {.syncs = set, .n_syncs = n};
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_problem *problem;
  struct berth_plan *plan;
  options.budget_ticks = 20000;
  ck_assert_int_eq(berth_problem_restate(all->problem, &as, NULL, &problem, NULL), BERTH_OK);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, berth_problem_buffers(all->problem)->n);
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  uint64_t total = plan->arena_bytes + n * all->cost;
  all->best = total < all->best ? total : all->best;
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}

static void try_all(struct all *all, struct berth_sync *set, uint32_t n, uint32_t first) {
  try_set(all, set, n);
  for (uint32_t i = first; i < all->n_pairs && n < MOST_WAITS; i++) {
    set[n] = all->pairs[i];
    try_all(all, set, n + 1, i + 1);
  }
}

START_TEST(the_search_is_near_the_best_of_all_sets) {
  static struct graph graph;
  struct campaign campaign = campaign_plan(SMALL);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    graph_generate(&graph, &rng, 4 + berth_rng_below(&rng, 3), GRAPH_STREAMS);
    struct berth_problem *problem = graph_build(&graph);
    struct berth_solve_options options = berth_solve_options_default();
    options.budget_ticks = BUDGET;
    options.sync.cost_bytes = 1 + berth_rng_below(&rng, 16);
    if (berth_problem_graph(problem)->operator_stream != NULL) {
      struct all all = {.problem = problem, .cost = options.sync.cost_bytes, .best = UINT64_MAX};
      struct berth_sync set[MOST_WAITS];
      struct berth_plan *plan = solve(k, problem, &options);
      list_pairs(&all);
      try_all(&all, set, 0, 0);
      ck_assert_uint_le(plan->sync.bound_bytes, all.best);
      ck_assert(plan->status != BERTH_PLAN_OPTIMAL || total_of(plan) <= all.best);
      double ratio = all.best != 0 ? (double)total_of(plan) / (double)all.best : 1;
      small.problems++;
      small.with_waits += plan->n_syncs != 0;
      small.as_good += total_of(plan) <= all.best;
      small.sum += ratio;
      small.worst = ratio > small.worst ? ratio : small.worst;
      berth_plan_unref(plan);
    }
    berth_problem_unref(problem);
  }
  printf(
      "%u small graphs, %u with added waits: %u as good as the best set of up to %d; on average %.5f of it, "
      "%.4f at worst\n",
      small.problems, small.with_waits, small.as_good, MOST_WAITS, small.sum / small.problems, small.worst);
  ck_assert_uint_ge(small.as_good * 100, small.problems * 90);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/syncs",
      (const TTest *const[]){no_plan_is_worse_with_waits, the_search_is_near_the_best_of_all_sets, NULL});
}
