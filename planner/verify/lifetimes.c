/* Liveness once more, written from the meaning of a graph and not from the planner's code:
 *   an operator's inputs, outputs and workspace are all live while it runs;
 *   a value is live from its earliest producer until after its latest producer or reader;
 *   INPUT from the first step, OUTPUT and held to the last, CONSTANT and STATE always;
 *   all of this about a view is about its root.
 * Step o is the run of operator o. */
#include "verify/facts.h"

struct columns {
  uint64_t *size;
  uint64_t *alignment;
  uint64_t *pin;
  int64_t *lower;
  int64_t *upper;
  uint8_t *class_;
};

static bool
take_columns(struct columns *columns, const struct berth_verify_facts *facts, struct berth_arena *arena) {
  uint32_t n = facts->n;
  *columns = (struct columns){
      .size = berth_arena_new(arena, uint64_t, n),
      .alignment = berth_arena_new(arena, uint64_t, n),
      .pin = berth_arena_new(arena, uint64_t, n),
      .lower = berth_arena_new(arena, int64_t, n),
      .upper = berth_arena_new_zeroed(arena, int64_t, n),
      .class_ = berth_arena_new(arena, uint8_t, n),
  };
  return columns->size != NULL && columns->alignment != NULL && columns->pin != NULL &&
         columns->lower != NULL && columns->upper != NULL && columns->class_ != NULL;
}

static void touch(struct columns *columns, uint32_t buffer, int64_t step) {
  columns->lower[buffer] = step < columns->lower[buffer] ? step : columns->lower[buffer];
  columns->upper[buffer] = step + 1 > columns->upper[buffer] ? step + 1 : columns->upper[buffer];
}

/* What the owner of the buffer says of itself. */
static void begin_value(struct columns *columns, uint32_t buffer, const struct berth_value_spec *value) {
  columns->size[buffer] = value->size_bytes;
  columns->alignment[buffer] = value->alignment;
  columns->pin[buffer] = value->pinned_offset;
  columns->class_[buffer] = (uint8_t)value->class_;
  columns->lower[buffer] = INT64_MAX;
}

/* What its class asks for, of a value or a view. A view's alignment binds its root's place. */
static void
demand(struct columns *columns, uint32_t buffer, const struct berth_value_spec *value, int64_t last) {
  if (value->alignment > columns->alignment[buffer]) {
    columns->alignment[buffer] = value->alignment;
  }
  bool from_first = value->class_ == BERTH_CLASS_CONSTANT || value->class_ == BERTH_CLASS_INPUT ||
                    value->class_ == BERTH_CLASS_STATE;
  bool to_last = value->class_ == BERTH_CLASS_OUTPUT || value->class_ == BERTH_CLASS_STATE ||
                 value->class_ == BERTH_CLASS_CONSTANT || value->held;
  if (from_first) {
    touch(columns, buffer, 0);
  }
  if (to_last) {
    touch(columns, buffer, last);
  }
}

static void touch_operands(
    struct columns *columns, const struct berth_graph *graph, const uint32_t *begin, const uint32_t *values,
    uint32_t op) {
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    uint32_t buffer = graph->value_buffer[values[k]];
    if (buffer != BERTH_NO_INDEX) {
      touch(columns, buffer, op);
    }
  }
}

static void begin_workspace(
    struct columns *columns, const struct berth_verify_facts *facts, uint32_t buffer, uint32_t op) {
  columns->size[buffer] = facts->size[buffer];
  columns->alignment[buffer] = facts->alignment[buffer];
  columns->pin[buffer] = BERTH_UNPINNED;
  columns->class_[buffer] = BERTH_CLASS_WORKSPACE;
  columns->lower[buffer] = op;
  columns->upper[buffer] = (int64_t)op + 1;
}

/* A value that nothing produces is there from the start; one that nothing touches is live for one step. */
static void close_value(struct columns *columns, uint32_t buffer, bool produced) {
  if (!produced) {
    touch(columns, buffer, 0);
  }
}

static enum berth_code fail_accounting(struct berth_error *err, uint32_t buffer) {
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, buffer, NULL,
      "buffer %u is not the buffer of exactly one value or workspace of the graph", buffer);
}

/* Each buffer belongs to one root or one workspace; `owners` counts them. */
static enum berth_code check_accounting(
    const struct berth_verify_facts *facts, const struct berth_graph *graph, uint8_t *owners,
    struct berth_error *err) {
  for (size_t v = 0; v < (size_t)graph->n_values + graph->n_operators; v++) {
    uint32_t buffer =
        v < graph->n_values ? graph->value_buffer[v] : graph->operator_workspace[v - graph->n_values];
    bool view = v < graph->n_values && graph->value_root != NULL && graph->value_root[v] != v;
    if (buffer == BERTH_NO_INDEX || (view && buffer == graph->value_buffer[graph->value_root[v]])) {
      continue;
    }
    if (buffer >= facts->n || owners[buffer]++ != 0) {
      return fail_accounting(err, buffer);
    }
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    if (owners[i] == 0) {
      return fail_accounting(err, i);
    }
  }
  return BERTH_OK;
}

static uint32_t root_of(const struct berth_graph *graph, uint32_t value) {
  return graph->value_root != NULL ? graph->value_root[value] : value;
}

static void derive(
    struct columns *columns, const struct berth_verify_facts *facts, const struct berth_problem *problem,
    bool *produced) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  int64_t last = graph->n_operators > 0 ? (int64_t)graph->n_operators - 1 : 0;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (graph->value_buffer[v] != BERTH_NO_INDEX) {
      struct berth_value_spec value = berth_problem_value(problem, v);
      if (value.view_of == BERTH_NO_INDEX) {
        begin_value(columns, graph->value_buffer[v], &value);
      }
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (graph->value_buffer[v] != BERTH_NO_INDEX) {
      struct berth_value_spec value = berth_problem_value(problem, v);
      demand(columns, graph->value_buffer[v], &value, last);
    }
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_operands(columns, graph, graph->input_begin, graph->inputs, op);
    touch_operands(columns, graph, graph->output_begin, graph->outputs, op);
    for (uint32_t k = graph->output_begin[op]; k < graph->output_begin[op + 1]; k++) {
      produced[root_of(graph, graph->outputs[k])] = true;
    }
    if (graph->operator_workspace[op] != BERTH_NO_INDEX) {
      begin_workspace(columns, facts, graph->operator_workspace[op], op);
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (graph->value_buffer[v] != BERTH_NO_INDEX) {
      close_value(columns, graph->value_buffer[v], produced[root_of(graph, v)]);
    }
  }
}

enum berth_code berth_verify_derive(
    struct berth_verify_facts *facts, const struct berth_problem *problem, struct berth_arena *arena,
    struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  struct columns columns;
  uint8_t *owners = berth_arena_new_zeroed(arena, uint8_t, facts->n);
  bool *produced = berth_arena_new_zeroed(arena, bool, graph->n_values);
  if (owners == NULL || produced == NULL || !take_columns(&columns, facts, arena)) {
    return berth_fail_memory(err);
  }
  enum berth_code code = check_accounting(facts, graph, owners, err);
  if (code != BERTH_OK) {
    return code;
  }
  derive(&columns, facts, problem, produced);
  facts->size = columns.size;
  facts->alignment = columns.alignment;
  facts->pin = columns.pin;
  facts->lower = columns.lower;
  facts->upper = columns.upper;
  facts->class_ = columns.class_;
  return BERTH_OK;
}
