/* Three levels, each valid by itself: no reuse, reuse without results in place, everything. The arena does
 * not grow by reuse. The peak does not grow from one to the next, unless several operands lie inside one
 * result: what is between them counts before it is there (a buffer holds the hull of all that is in it).
 * Results in place bind values to each other, so that an arena may grow by them, and who asks for the smaller
 * of the two has it. */
#include <stdio.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"

enum { PROBLEMS = 20000, BUDGET = 200000 };

static struct { uint32_t graphs, smaller_by_reuse, smaller_in_place, larger; } seen;

struct size {
  uint64_t arena;
  uint64_t peak;
  bool has_hulls; /* several operands inside one result */
};

static bool has_hulls(const struct berth_permissions *permissions) {
  for (uint32_t i = 0; i < permissions->n; i++) {
    for (uint32_t k = 0; k < i; k++) {
      const struct berth_permission *a = &permissions->items[i];
      const struct berth_permission *b = &permissions->items[k];
      if (a->kind == BERTH_INPLACE_INSIDE && b->kind == BERTH_INPLACE_INSIDE && a->result == b->result &&
          a->answer == BERTH_INPLACE_USED && b->answer == BERTH_INPLACE_USED) {
        return true;
      }
    }
  }
  return false;
}

static struct size plan(uint32_t k, struct graph *graph, enum berth_reuse reuse) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  graph->forbid_inplace = reuse != BERTH_REUSE_FULL;
  enum berth_code code = graph_try_build(graph, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  options.reuse = reuse;
  struct berth_plan *plan = NULL;
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, &err), BERTH_OK);
  code = berth_verify(problem, plan, NULL, &first, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, first.message);
  struct size size = {plan->arena_bytes, plan->peak_bytes, has_hulls(berth_problem_permissions(problem))};
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  return size;
}

START_TEST(each_level_is_no_larger_than_the_one_before) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct graph graph;
    uint32_t features = GRAPH_IN_PLACE | GRAPH_KINDS | (berth_rng_below(&rng, 4) == 0 ? GRAPH_VIEWS : 0);
    graph_generate(&graph, &rng, 4 + berth_rng_below(&rng, 16), features);
    struct size apart = plan(k, &graph, BERTH_REUSE_NONE);
    struct size shared = plan(k, &graph, BERTH_REUSE_NO_INPLACE);
    struct size full = plan(k, &graph, BERTH_REUSE_FULL);
    ck_assert_msg(shared.arena <= apart.arena, "graph %u: reuse makes it larger", k);
    ck_assert_msg(full.has_hulls || full.peak <= shared.peak, "graph %u: results in place raise the peak", k);
    seen.larger += full.arena > shared.arena;
    seen.graphs++;
    seen.smaller_by_reuse += shared.arena < apart.arena;
    seen.smaller_in_place += full.arena < shared.arena;
  }
  printf(
      "%u graphs; reuse makes %u smaller, results in place %u; larger %u\n", seen.graphs,
      seen.smaller_by_reuse, seen.smaller_in_place, seen.larger);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/levels", (const TTest *const[]){each_level_is_no_larger_than_the_one_before, NULL});
}
