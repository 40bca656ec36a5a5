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

/* ---- Regions ---- */

static void stretch(struct berth_verify_roots *roots, uint32_t root, const struct berth_region_spec *region) {
  touch(roots, root, region->first_operator);
  touch(roots, root, (int64_t)region->first_operator + region->n_operators - 1);
}

/* In a loop, what is not made anew by one operator in every trip, and done with in the same trip, must keep
 * its bytes from trip to trip. From the outermost loop to the innermost;`writers` holds 1 + the only writer,
 * 0 for none, UINT32_MAX for several. */
static void go_round(
    struct berth_verify_roots *roots, const struct berth_region_spec *region, const uint32_t *writers,
    const uint32_t *begin, const uint32_t *values) {
  const struct berth_graph *graph = roots->graph;
  uint32_t end = region->first_operator + region->n_operators;
  for (uint32_t k = begin[region->first_operator]; k < begin[end]; k++) {
    uint32_t root = berth_verify_root(graph, values[k]);
    if (writers[root] == UINT32_MAX || roots->given[root] || roots->kept[root] ||
        roots->lower[root] < region->first_operator || roots->upper[root] > end) {
      stretch(roots, root, region);
    }
  }
}

/* Whether a trip may run `reader` and not `writer`: a branch or a loop without trips has one and not the
 * other. */
static bool
may_miss(const struct berth_graph *graph, const uint32_t *region_of, uint32_t writer, uint32_t reader) {
  for (uint32_t r = region_of[writer]; r != 0; r = graph->regions[r - 1].parent + 1) {
    const struct berth_region_spec *region = &graph->regions[r - 1];
    bool together = reader >= region->first_operator && reader < region->first_operator + region->n_operators;
    bool optional =
        region->kind == BERTH_REGION_BRANCH || (region->kind == BERTH_REGION_LOOP && region->min_trips == 0);
    if (optional && !together) {
      return true;
    }
  }
  return false;
}

/* Who reads what its only writer did not write in this trip reads what it wrote in another. */
static enum berth_code find_missed(
    const struct berth_verify_roots *roots, uint32_t *writers, struct berth_arena *arena,
    struct berth_error *err) {
  const struct berth_graph *graph = roots->graph;
  uint32_t *region_of = berth_arena_new_zeroed(arena, uint32_t, graph->n_operators);
  if (region_of == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) { /* inner ones come later */
    for (uint32_t k = 0; k < graph->regions[r].n_operators; k++) {
      region_of[graph->regions[r].first_operator + k] = r + 1;
    }
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t k = graph->input_begin[op]; k < graph->input_begin[op + 1]; k++) {
      uint32_t *writer = &writers[berth_verify_root(graph, graph->inputs[k])];
      bool one = *writer != 0 && *writer != UINT32_MAX;
      *writer = one && may_miss(graph, region_of, *writer - 1, op) ? UINT32_MAX : *writer;
    }
  }
  return BERTH_OK;
}

static enum berth_code
loop(struct berth_verify_roots *roots, struct berth_arena *arena, struct berth_error *err) {
  const struct berth_graph *graph = roots->graph;
  uint32_t *writers = berth_arena_new_zeroed(arena, uint32_t, graph->n_values);
  if (writers == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t op = 0; op < graph->n_operators && graph->n_regions > 0; op++) {
    for (uint32_t k = graph->output_begin[op]; k < graph->output_begin[op + 1]; k++) {
      uint32_t *writer = &writers[berth_verify_root(graph, graph->outputs[k])];
      *writer = *writer == 0 || *writer == op + 1 ? op + 1 : UINT32_MAX;
    }
  }
  for (uint32_t v = 0; v < graph->n_values && graph->n_regions > 0; v++) {
    if ((graph->value_flags[v] & BERTH_VALUE_ACCUMULATED) != 0) {
      writers[berth_verify_root(graph, v)] = UINT32_MAX;
    }
  }
  if (graph->n_regions > 0) {
    enum berth_code code = find_missed(roots, writers, arena, err);
    if (code != BERTH_OK) {
      return code;
    }
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    for (uint32_t k = 0; k < region->n_carries; k++) {
      stretch(roots, berth_verify_root(graph, region->carries[k]), region);
    }
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    if (region->kind == BERTH_REGION_LOOP) {
      go_round(roots, region, writers, graph->input_begin, graph->inputs);
      go_round(roots, region, writers, graph->output_begin, graph->outputs);
    }
  }
  return BERTH_OK;
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
  return loop(roots, arena, err);
}
