/* Liveness once more, written from the meaning of a graph and not from the planner's code:
 *   an operator's inputs, outputs and workspace are all live while it runs;
 *   a value is live from its earliest producer until after its latest producer or reader;
 *   INPUT from the first step, OUTPUT and held to the last, CONSTANT and STATE always;
 *   all of this about a view is about its root.
 * Step o is the run of operator o. From roots to buffers: see tenants.c. */
#include "verify/roots.h"

static void touch(struct berth_verify_roots *roots, uint32_t value, int64_t step) {
  uint32_t root = berth_verify_root(roots->graph, value);
  roots->lower[root] = step < roots->lower[root] ? step : roots->lower[root];
  roots->upper[root] = step + 1 > roots->upper[root] ? step + 1 : roots->upper[root];
}

/* What the class of a value, or of a view, asks for. */
static void demand(struct berth_verify_roots *roots, uint32_t value, int64_t last) {
  const struct berth_graph *graph = roots->graph;
  enum berth_buffer_class class_ = graph->value_class[value];
  bool from_first =
      class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_INPUT || class_ == BERTH_CLASS_STATE;
  bool to_last = class_ == BERTH_CLASS_OUTPUT || class_ == BERTH_CLASS_STATE ||
                 class_ == BERTH_CLASS_CONSTANT || (graph->value_flags[value] & BERTH_VALUE_HELD) != 0;
  if (from_first) {
    touch(roots, value, 0);
    roots->given[berth_verify_root(graph, value)] = true;
  }
  if (to_last) {
    touch(roots, value, last);
    roots->kept[berth_verify_root(graph, value)] = true;
  }
}

static void
touch_list(struct berth_verify_roots *roots, const uint32_t *begin, const uint32_t *values, uint32_t op) {
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    touch(roots, values[k], op);
  }
}

static void run(struct berth_verify_roots *roots) {
  const struct berth_graph *graph = roots->graph;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_list(roots, graph->input_begin, graph->inputs, op);
    touch_list(roots, graph->output_begin, graph->outputs, op);
    for (uint32_t k = graph->output_begin[op]; k < graph->output_begin[op + 1]; k++) {
      roots->produced[berth_verify_root(graph, graph->outputs[k])] = true;
    }
  }
}

enum berth_code berth_verify_roots_derive(
    struct berth_verify_roots *roots, const struct berth_graph *graph, struct berth_arena *arena,
    struct berth_error *err) {
  uint32_t n = graph->n_values;
  *roots = (struct berth_verify_roots){
      .graph = graph,
      .lower = berth_arena_new(arena, int64_t, n),
      .upper = berth_arena_new_zeroed(arena, int64_t, n),
      .given = berth_arena_new_zeroed(arena, bool, n),
      .kept = berth_arena_new_zeroed(arena, bool, n),
      .produced = berth_arena_new_zeroed(arena, bool, n),
  };
  if (roots->lower == NULL || roots->upper == NULL || roots->given == NULL || roots->kept == NULL ||
      roots->produced == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t v = 0; v < n; v++) {
    roots->lower[v] = INT64_MAX;
  }
  int64_t last = graph->n_operators > 0 ? (int64_t)graph->n_operators - 1 : 0;
  for (uint32_t v = 0; v < n; v++) {
    demand(roots, v, last);
  }
  run(roots);
  for (uint32_t v = 0; v < n;
       v++) { /* what nothing produces is there from the start, for one step at least */
    if (berth_verify_root(graph, v) == v && !roots->produced[v]) {
      roots->given[v] = true;
      touch(roots, v, 0);
    }
  }
  return BERTH_OK;
}
