/* Views and results in place, judged by values instead of buffers: at every step, any two values that are
 * both live lie apart, unless they are names of one root, or the one is being written in the place of the
 * other. */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"

enum { PROBLEMS = 30000, BUDGET = 20000, MAX_BUFFERS = GRAPH_MAX_VALUES + GRAPH_MAX_OPERATORS };

static struct { uint32_t graphs, streams, in_place, mutants, unsafe, unordered; } seen;

struct places {
  uint32_t pool[MAX_BUFFERS];
  uint64_t offset[MAX_BUFFERS];
};

struct range {
  uint32_t pool;
  uint64_t begin;
  uint64_t end;
};

static struct range range_of(
    const struct berth_problem *problem, const struct places *places, const struct graph *graph, uint32_t v) {
  const struct berth_graph *placed = berth_problem_graph(problem);
  uint32_t buffer = placed->value_buffer[v];
  uint64_t offset = placed->value_offset != NULL ? placed->value_offset[v] : 0;
  struct range range = {.pool = places->pool[buffer], .begin = places->offset[buffer] + offset};
  range.end = range.begin + graph->values[v].size;
  return range;
}

static bool meet(struct range a, struct range b) {
  bool empty = a.begin == a.end || b.begin == b.end;
  return !empty && a.pool == b.pool && a.begin < b.end && b.begin < a.end;
}

/* The operator writes root `result` in the place of a name of root `operand`, as it was permitted to. */
static bool is_granted(
    const struct berth_problem *problem, const struct graph *graph, uint32_t op, uint32_t operand,
    uint32_t result) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  for (uint32_t k = 0; k < permissions->n; k++) {
    const struct berth_permission *used = &permissions->items[k];
    if (used->answer == BERTH_INPLACE_USED && used->op == op && used->result == result &&
        graph_root(graph, used->operand) == operand) {
      return true;
    }
  }
  return false;
}

/* Dead after the operator, touched by it once, ours to write; the result new and no larger. */
static bool is_grant_right(const struct graph *graph, const struct berth_permission *used) {
  uint32_t root = graph_root(graph, used->operand);
  const struct graph_operator *op = &graph->operators[used->op];
  uint32_t n_touches = 0;
  for (uint32_t k = 0; k < op->n_inputs; k++) {
    n_touches += graph_root(graph, op->inputs[k]) == root;
  }
  for (uint32_t k = 0; k < op->n_outputs; k++) {
    n_touches += graph_root(graph, op->outputs[k]) == root;
  }
  bool dies = used->op + 1 == graph->n_operators || !graph_live(graph, root, used->op + 1);
  for (uint32_t v = 0; v < graph->n_values; v++) { /* nothing of it may be wanted after the run */
    const struct graph_value *value = &graph->values[v];
    bool kept = value->class_ == BERTH_CLASS_CONSTANT || value->class_ == BERTH_CLASS_STATE ||
                value->class_ == BERTH_CLASS_OUTPUT || value->held;
    dies = dies && !(kept && graph_root(graph, v) == root);
  }
  bool is_new = used->op == 0 ? graph->values[used->result].class_ != BERTH_CLASS_INPUT &&
                                    graph->values[used->result].class_ != BERTH_CLASS_STATE
                              : !graph_live(graph, used->result, used->op - 1);
  return n_touches == 1 && dies && is_new && !graph->values[root].external &&
         graph_root(graph, used->result) == used->result &&
         graph->values[used->result].size <= graph->values[used->operand].size;
}

static bool is_placed(const struct graph *graph, uint32_t v) {
  return !graph->values[graph_root(graph, v)].external;
}

/* ---- With streams: every access to the one is ordered before every access to the other. ---- */

static bool names(const struct graph *graph, uint32_t op, uint32_t root) {
  const struct graph_operator *it = &graph->operators[op];
  for (uint32_t k = 0; k < it->n_inputs + it->n_outputs; k++) {
    uint32_t v = k < it->n_inputs ? it->inputs[k] : it->outputs[k - it->n_inputs];
    if (graph_root(graph, v) == root) {
      return true;
    }
  }
  return false;
}

/* What nobody touches is there for the first step. */
static bool touches(const struct graph *graph, uint32_t op, uint32_t root) {
  bool any = false;
  for (uint32_t other = 0; op == 0 && other < graph->n_operators; other++) {
    any = any || names(graph, other, root);
  }
  return names(graph, op, root) || (op == 0 && !any);
}

/* Accesses of the outside: before everything, after everything. */
static void outside(const struct graph *graph, uint32_t root, bool *out_given, bool *out_kept) {
  *out_given = *out_kept = false;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    const struct graph_value *value = &graph->values[v];
    bool always = value->class_ == BERTH_CLASS_CONSTANT || value->class_ == BERTH_CLASS_STATE;
    if (graph_root(graph, v) == root) {
      *out_given = *out_given || always || value->class_ == BERTH_CLASS_INPUT;
      *out_kept = *out_kept || always || value->class_ == BERTH_CLASS_OUTPUT || value->held;
    }
  }
}

static bool
all_before(const struct berth_problem *problem, const struct graph *graph, uint32_t first, uint32_t second) {
  bool given[2];
  bool kept[2];
  outside(graph, first, &given[0], &kept[0]);
  outside(graph, second, &given[1], &kept[1]);
  if (kept[0] || given[1]) {
    return false;
  }
  for (uint32_t y = 0; y < graph->n_operators; y++) {
    if (!touches(graph, y, second)) {
      continue;
    }
    uint32_t ran = graph_ran(graph, y);
    for (uint32_t x = 0; x < graph->n_operators; x++) {
      bool ordered = (ran >> x & 1) != 0 || (x == y && is_granted(problem, graph, x, first, second));
      if (touches(graph, x, first) && !ordered) {
        return false;
      }
    }
  }
  return true;
}

static bool pair_ordered(
    const struct berth_problem *problem, const struct graph *graph, const struct places *places, uint32_t a,
    uint32_t b) {
  return !is_placed(graph, a) || !is_placed(graph, b) ||
         !meet(range_of(problem, places, graph, a), range_of(problem, places, graph, b)) ||
         all_before(problem, graph, a, b) || all_before(problem, graph, b, a);
}

/* The workspace of `op` against all roots, and against the other workspaces. */
static bool workspace_ordered(
    const struct berth_problem *problem, const struct graph *graph, const struct places *places,
    uint32_t op) {
  const uint32_t *buffers = berth_problem_graph(problem)->operator_workspace;
  if (buffers[op] == BERTH_NO_INDEX) {
    return true;
  }
  struct range own = {places->pool[buffers[op]], places->offset[buffers[op]], places->offset[buffers[op]]};
  own.end += graph->operators[op].workspace;
  uint32_t before = graph_ran(graph, op);
  for (uint32_t other = 0; other < op; other++) {
    struct range theirs = own;
    if (buffers[other] != BERTH_NO_INDEX) {
      theirs.pool = places->pool[buffers[other]];
      theirs.begin = places->offset[buffers[other]];
      theirs.end = theirs.begin + graph->operators[other].workspace;
      if (meet(own, theirs) && (before >> other & 1) == 0) {
        return false;
      }
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (graph_root(graph, v) != v || !is_placed(graph, v) ||
        !meet(own, range_of(problem, places, graph, v))) {
      continue;
    }
    bool given;
    bool kept;
    outside(graph, v, &given, &kept);
    bool all_earlier = !kept;
    bool all_later = !given;
    for (uint32_t x = 0; x < graph->n_operators; x++) {
      if (touches(graph, x, v)) {
        all_earlier = all_earlier && (before >> x & 1) != 0;
        all_later = all_later && (graph_ran(graph, x) >> op & 1) != 0;
      }
    }
    if (!all_earlier && !all_later) {
      return false;
    }
  }
  return true;
}

static bool
is_ordered(const struct berth_problem *problem, const struct graph *graph, const struct places *places) {
  for (uint32_t a = 0; a < graph->n_values; a++) {
    for (uint32_t b = a + 1; b < graph->n_values; b++) {
      if (graph_root(graph, a) == a && graph_root(graph, b) == b &&
          !pair_ordered(problem, graph, places, a, b)) {
        return false;
      }
    }
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    if (!workspace_ordered(problem, graph, places, op)) {
      return false;
    }
  }
  return true;
}

/* ---- Step by step. ---- */

static bool pair_safe(
    const struct berth_problem *problem, const struct graph *graph, const struct places *places, uint32_t a,
    uint32_t b) {
  if (!is_placed(graph, a) || !is_placed(graph, b) ||
      !meet(range_of(problem, places, graph, a), range_of(problem, places, graph, b))) {
    return true;
  }
  for (uint32_t step = 0; step < (graph->n_operators > 0 ? graph->n_operators : 1); step++) {
    if (graph_live(graph, a, step) && graph_live(graph, b, step) && !is_granted(problem, graph, step, a, b) &&
        !is_granted(problem, graph, step, b, a)) {
      return false;
    }
  }
  return true;
}

static bool workspace_safe(
    const struct berth_problem *problem, const struct graph *graph, const struct places *places,
    uint32_t op) {
  uint32_t buffer = berth_problem_graph(problem)->operator_workspace[op];
  if (buffer == BERTH_NO_INDEX) {
    return true;
  }
  struct range own = {places->pool[buffer], places->offset[buffer], places->offset[buffer]};
  own.end += graph->operators[op].workspace;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (graph_root(graph, v) == v && is_placed(graph, v) && graph_live(graph, v, op) &&
        meet(own, range_of(problem, places, graph, v))) {
      return false;
    }
  }
  return own.pool != 1 || own.begin % 4 == 0;
}

/* What each name asks for: its pin, its pool, its alignment and its pool's. */
static bool name_safe(
    const struct berth_problem *problem, const struct graph *graph, const struct places *places, uint32_t v) {
  const struct graph_value *value = &graph->values[v];
  if (!is_placed(graph, v)) {
    return true;
  }
  uint32_t root = graph_root(graph, v);
  struct range range = range_of(problem, places, graph, v);
  return range.begin - graph_offset(graph, v) == range_of(problem, places, graph, root).begin &&
         range.begin % value->alignment == 0 && (value->pin == BERTH_UNPINNED || value->pin == range.begin) &&
         (value->pool == BERTH_NO_INDEX || value->pool == range.pool);
}

static bool pool_aligned(const struct graph *graph, const struct places *places, uint32_t n_buffers) {
  for (uint32_t i = 0; i < n_buffers && graph->n_pools > 0; i++) {
    if (places->pool[i] == 1 && places->offset[i] % 4 != 0) {
      return false;
    }
  }
  return true;
}

static bool
is_apart(const struct berth_problem *problem, const struct graph *graph, const struct places *places) {
  for (uint32_t a = 0; a < graph->n_values; a++) {
    if (!name_safe(problem, graph, places, a)) {
      return false;
    }
    for (uint32_t b = a + 1; b < graph->n_values; b++) {
      if (graph_root(graph, a) == a && graph_root(graph, b) == b &&
          !pair_safe(problem, graph, places, a, b)) {
        return false;
      }
    }
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    if (!workspace_safe(problem, graph, places, op)) {
      return false;
    }
  }
  return pool_aligned(graph, places, berth_problem_buffers(problem)->n);
}

static void check_grants(uint32_t k, const struct berth_problem *problem, const struct graph *graph) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  for (uint32_t i = 0; i < permissions->n; i++) {
    if (permissions->items[i].answer == BERTH_INPLACE_USED) {
      ck_assert_msg(is_grant_right(graph, &permissions->items[i]), "graph %u: permission %u", k, i);
      seen.in_place++;
    }
  }
}

static uint64_t
judge(const struct berth_problem *problem, const struct places *places, struct berth_violation *first) {
  struct berth_verdict verdict;
  struct berth_error err = {0};
  enum berth_code code =
      berth_verify_offsets(problem, places->pool, places->offset, NULL, first, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  return verdict.n_violations;
}

static void spoil(struct places *places, uint32_t n, struct berth_rng *rng) {
  uint32_t i = berth_rng_below(rng, n);
  uint32_t other = berth_rng_below(rng, n);
  switch (berth_rng_below(rng, 4)) {
  case 0:
    places->offset[i]++;
    break;
  case 1:
    places->offset[i] -= places->offset[i] > 0;
    break;
  case 2:
    places->offset[i] = places->offset[other];
    places->pool[i] = places->pool[other];
    break;
  default:
    places->offset[i] = berth_rng_below(rng, 100);
    break;
  }
}

static void try_mutants(
    uint32_t k, const struct berth_problem *problem, const struct graph *graph, const struct places *right,
    struct berth_rng *rng) {
  uint32_t n = berth_problem_buffers(problem)->n;
  for (int m = 0; m < 8 && n > 0; m++) {
    struct places places = *right;
    spoil(&places, n, rng);
    struct berth_violation first = {0};
    bool apart = is_apart(problem, graph, &places);
    bool safe = apart && is_ordered(problem, graph, &places);
    seen.unordered += apart && !safe;
    uint64_t n_violations = judge(problem, &places, &first);
    ck_assert_msg(safe || n_violations > 0, "graph %u: unsafe, and not seen", k);
    ck_assert_msg(!safe || n_violations == 0, "graph %u: safe, and refused: %s", k, first.message);
    seen.mutants++;
    seen.unsafe += !safe;
  }
}

static void try_graph(uint32_t k) {
  struct berth_rng rng = campaign_seed(k);
  struct graph graph;
  uint32_t features = berth_rng_below(&rng, 32);
  graph_generate(&graph, &rng, berth_rng_below(&rng, 14), features);
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  if (graph_try_build(&graph, NULL, &problem, &err) != BERTH_OK) {
    ck_assert_msg(
        (features & GRAPH_PINS) != 0 && err.reason == BERTH_REASON_BAD_PIN, "graph %u: %s", k, err.message);
    return;
  }
  check_grants(k, problem, &graph);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  struct berth_plan *plan = NULL;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, &err), BERTH_OK);
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &first, 1, &verdict, &err), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, first.message);
  if (plan->offset != NULL) {
    struct places places;
    memcpy(places.pool, plan->pool, plan->n_buffers * sizeof *plan->pool);
    memcpy(places.offset, plan->offset, plan->n_buffers * sizeof *plan->offset);
    ck_assert_msg(is_apart(problem, &graph, &places), "graph %u: values meet at a step", k);
    ck_assert_msg(is_ordered(problem, &graph, &places), "graph %u: values meet on streams", k);
    try_mutants(k, problem, &graph, &places, &rng);
    seen.graphs++;
    seen.streams += berth_problem_graph(problem)->operator_stream != NULL;
  }
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}

START_TEST(values_that_live_together_lie_apart) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    try_graph(k);
  }
  printf(
      "%u graphs, %u with streams, %u results in place; %u mutants, %u unsafe (%u only by streams), all "
      "killed\n",
      seen.graphs, seen.streams, seen.in_place, seen.mutants, seen.unsafe, seen.unordered);
  ck_assert(
      campaign.end - campaign.first < 1000 || (seen.in_place > 0 && seen.unsafe > 0 && seen.unordered > 0));
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/aliases", (const TTest *const[]){values_that_live_together_lie_apart, NULL});
}
