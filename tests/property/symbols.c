/* Random graphs whose sizes are expressions: sizes are what the expressions are worth, a plan for the bounds
 * holds at every binding, and a stretch of bindings lies between its smallest and its largest problem. */
#include <stdlib.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "symbolic.h"

enum { PROBLEMS = 6000, BINDINGS = 6, OPERATORS = 9, BUDGET = 100000 };

static struct { uint32_t in_place, bindings, gaps; } seen;

struct trial {
  uint32_t number; /* for messages */
  struct symbolic symbolic;
  struct berth_problem *most; /* at the bounds */
  struct berth_plan *plan;
};

#define CHECK(trial, condition) ck_assert_msg(condition, "problem %u: %s", (trial)->number, #condition)

static struct berth_plan *solve(const struct trial *trial, const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  options.budget_ticks = BUDGET;
  ck_assert_msg(
      berth_solve(problem, &options, NULL, NULL, &plan, &err) == BERTH_OK, "problem %u: %s", trial->number,
      err.message);
  return plan;
}

static void expect_valid(const struct trial *trial, const struct berth_problem *problem) {
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  struct berth_error err = {0};
  enum berth_code code = berth_verify_offsets(
      problem, trial->plan->pool, trial->plan->offset, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", trial->number, err.message);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", trial->number, violation.message);
}

/* Each size of `less` is no more than that of `more`, and they are of one structure. */
static void
expect_within(const struct trial *trial, const struct berth_problem *less, const struct berth_problem *more) {
  const struct berth_buffers *a = berth_problem_buffers(less);
  const struct berth_buffers *b = berth_problem_buffers(more);
  CHECK(trial, a->n == b->n);
  for (uint32_t i = 0; i < a->n; i++) {
    CHECK(trial, a->size_bytes[i] <= b->size_bytes[i]);
    CHECK(trial, a->lower[i] == b->lower[i] && a->upper[i] == b->upper[i]);
    CHECK(trial, a->alignment[i] == b->alignment[i]);
  }
  const struct berth_permissions *p = berth_problem_permissions(less);
  const struct berth_permissions *q = berth_problem_permissions(more);
  for (uint32_t i = 0; i < p->n; i++) {
    CHECK(trial, p->items[i].answer == q->items[i].answer);
  }
}

/* The numbers of a bound problem are those of plain recursion. */
static void expect_sizes(
    const struct trial *trial, const struct berth_problem *problem, const struct berth_bindings *bindings) {
  const struct symbolic *symbolic = &trial->symbolic;
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint64_t at[SYMBOLIC_MAX_SYMBOLS];
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < bindings->n; i++) {
    at[i] = bindings->items[i].lower;
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    CHECK(trial, symbolic_bytes(symbolic, &symbolic->values[v], symbolic->graph.values[v].size, at, &bytes));
    CHECK(trial, graph->value_size_bytes[v] == bytes);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t buffer = graph->operator_workspace[op];
    CHECK(
        trial, symbolic_bytes(
                   symbolic, &symbolic->workspaces[op], symbolic->graph.operators[op].workspace, at, &bytes));
    CHECK(trial, buffer != BERTH_NO_INDEX || bytes == 0);
    CHECK(trial, buffer == BERTH_NO_INDEX || berth_problem_buffers(problem)->size_bytes[buffer] == bytes);
  }
}

static uint64_t bytes_at(const struct trial *trial, const struct berth_problem *problem) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint64_t end = trial->plan->offset[i] + buffers->size_bytes[i];
    bytes = buffers->size_bytes[i] != 0 && end > bytes ? end : bytes;
  }
  return bytes;
}

/* A plan of its own, with next to no effort: it is no larger than where it starts, and right in every figure.
 */
static void expect_no_larger(const struct trial *trial, const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_start start = {.pool = trial->plan->pool, .offset = trial->plan->offset};
  struct berth_plan *plan = NULL;
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  options.budget_ticks = 1;
  options.strategies = 0;
  options.start = &start;
  CHECK(trial, berth_solve(problem, &options, NULL, NULL, &plan, NULL) == BERTH_OK);
  CHECK(trial, plan->arena_bytes <= bytes_at(trial, problem));
  CHECK(trial, plan->arena_bytes <= trial->plan->arena_bytes);
  CHECK(trial, berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL) == BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", trial->number, violation.message);
  berth_plan_unref(plan);
}

static void check_binding(const struct trial *trial, struct berth_rng *rng) {
  struct berth_binding items[SYMBOLIC_MAX_SYMBOLS];
  struct berth_bindings bindings = symbolic_bind(&trial->symbolic, rng, items);
  struct berth_problem *problem = symbolic_build(&trial->symbolic, &bindings);
  expect_sizes(trial, problem, &bindings);
  expect_within(trial, problem, trial->most);
  expect_valid(trial, problem);
  expect_no_larger(trial, problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  seen.gaps += buffers->gap_begin != NULL && buffers->gap_begin[buffers->n] != 0;
  seen.bindings++;
  berth_problem_unref(problem);
}

/* A stretch of the first symbol, the others bound: every binding in it lies between. */
static void check_stretch(const struct trial *trial, struct berth_rng *rng) {
  struct berth_binding items[SYMBOLIC_MAX_SYMBOLS];
  struct berth_bindings bindings = symbolic_bind(&trial->symbolic, rng, items);
  uint64_t lower = items[0].lower;
  uint64_t upper = lower + berth_rng_below(rng, (uint32_t)(trial->symbolic.symbols[0].upper - lower + 1));
  items[0].upper = upper;
  struct berth_problem *largest = symbolic_build(&trial->symbolic, &bindings);
  bindings.sizes = BERTH_SIZES_SMALLEST;
  struct berth_problem *smallest = symbolic_build(&trial->symbolic, &bindings);
  bindings.sizes = BERTH_SIZES_LARGEST;
  for (uint64_t at = lower; at <= upper; at++) {
    items[0].lower = items[0].upper = at;
    struct berth_problem *one = symbolic_build(&trial->symbolic, &bindings);
    expect_within(trial, smallest, one);
    expect_within(trial, one, largest);
    berth_problem_unref(one);
  }
  berth_problem_unref(largest);
  berth_problem_unref(smallest);
}

START_TEST(plans_for_the_bounds_hold_at_every_binding) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    static struct trial trial;
    trial.number = k;
    symbolic_generate(&trial.symbolic, &rng, OPERATORS);
    trial.most = symbolic_build(&trial.symbolic, NULL);
    trial.plan = solve(&trial, trial.most);
    expect_valid(&trial, trial.most);
    const struct berth_permissions *permissions = berth_problem_permissions(trial.most);
    for (uint32_t i = 0; i < permissions->n; i++) {
      seen.in_place += permissions->items[i].answer == BERTH_INPLACE_USED;
    }
    for (int i = 0; i < BINDINGS; i++) {
      check_binding(&trial, &rng);
    }
    check_stretch(&trial, &rng);
    berth_plan_unref(trial.plan);
    berth_problem_unref(trial.most);
  }
  uint32_t n = campaign.end - campaign.first;
  if (n >= 1000) { /* else too few to say */
    ck_assert_uint_gt(seen.in_place, n / 20);
    ck_assert_uint_gt(seen.gaps, n / 20);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/symbols", (const TTest *const[]){plans_for_the_bounds_hold_at_every_binding, NULL});
}
