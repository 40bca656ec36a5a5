/* Random graphs: liveness against its definition, plans against the judge, and plans of a graph that forgot a
 * reader shown as plans of the one that did not. */
#include <stdio.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "oracle.h"
#include "suite.h"

enum { PROBLEMS = 30000, BUDGET = 20000 };

static struct { uint32_t graphs, mutants, unsafe; } seen;

static void check_lifetimes(uint32_t k, const struct berth_problem *problem, const struct sample *flat) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, flat->n_buffers);
  for (uint32_t i = 0; i < buffers->n; i++) {
    const struct berth_buffer_spec *spec = &flat->buffers[i].spec;
    ck_assert_msg(
        buffers->lower[i] == spec->lower && buffers->upper[i] == spec->upper,
        "graph %u: buffer %u lives [%lld, %lld), not [%lld, %lld)", k, i, (long long)spec->lower,
        (long long)spec->upper, (long long)buffers->lower[i], (long long)buffers->upper[i]);
    ck_assert_uint_eq(buffers->size_bytes[i], spec->size_bytes);
    ck_assert_uint_eq(buffers->alignment[i], spec->alignment);
    ck_assert_uint_eq(buffers->class_[i], spec->class_);
  }
}

static struct berth_plan *solve(uint32_t k, const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve(problem, &options, NULL, NULL, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  return plan;
}

static void expect_good(uint32_t k, const struct berth_problem *problem, const struct berth_plan *plan) {
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, first.message);
}

/* Takes one operand away; false if the graph is not one any more, or was not changed. */
static bool forget_operand(struct graph *graph, struct berth_rng *rng) {
  if (graph->n_operators == 0) {
    return false;
  }
  struct graph_operator *op = &graph->operators[berth_rng_below(rng, graph->n_operators)];
  if (op->n_inputs == 0) {
    return false;
  }
  op->n_inputs--;
  return true;
}

static void
check_mutant(uint32_t k, const struct graph *graph, const struct sample *flat, struct berth_rng *rng) {
  struct graph forgetful = *graph;
  if (!forget_operand(&forgetful, rng)) {
    return;
  }
  struct berth_problem *spoilt = graph_build(&forgetful);
  struct berth_problem *problem = graph_build(graph);
  struct berth_plan *plan = solve(k, spoilt);
  struct berth_verdict verdict;
  ck_assert_int_eq(
      berth_verify_offsets(problem, plan->pool, plan->offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  bool safe = oracle_safe(flat, plan->pool, plan->offset);
  ck_assert_msg(safe == (verdict.n_violations == 0), "graph %u: a forgotten reader", k);
  seen.mutants++;
  seen.unsafe += !safe;
  berth_plan_unref(plan);
  berth_problem_unref(spoilt);
  berth_problem_unref(problem);
}

START_TEST(graphs_live_as_defined_and_are_planned_right) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample flat;
  sample_init(&flat);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct graph graph;
    graph_generate(&graph, &rng, berth_rng_below(&rng, 14), 0);
    graph_flatten(&graph, &flat);
    struct berth_problem *problem = graph_build(&graph);
    check_lifetimes(k, problem, &flat);
    struct berth_plan *plan = solve(k, problem);
    expect_good(k, problem, plan);
    ck_assert_msg(oracle_safe(&flat, plan->pool, plan->offset), "graph %u", k);
    ck_assert_uint_eq(plan->peak_bytes, sample_load(&flat));
    berth_plan_unref(plan);
    berth_problem_unref(problem);
    check_mutant(k, &graph, &flat, &rng);
    seen.graphs++;
  }
  sample_finish(&flat);
  printf(
      "%u graphs; %u forgot a reader, %u of them unsafe, all killed\n", seen.graphs, seen.mutants,
      seen.unsafe);
  ck_assert(campaign.end - campaign.first < 1000 || seen.unsafe > 0);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/graphs", (const TTest *const[]){graphs_live_as_defined_and_are_planned_right, NULL});
}
