#include "graph.h"

#include "suite.h"

/* ---- Meaning. ---- */

static bool lists(const uint32_t *values, uint32_t n, uint32_t v) {
  for (uint32_t k = 0; k < n; k++) {
    if (values[k] == v) {
      return true;
    }
  }
  return false;
}

static bool touches(const struct graph_operator *op, uint32_t v) {
  return lists(op->inputs, op->n_inputs, v) || lists(op->outputs, op->n_outputs, v);
}

bool graph_live(const struct graph *graph, uint32_t v, uint32_t step) {
  const struct graph_value *value = &graph->values[v];
  bool always = value->class_ == BERTH_CLASS_CONSTANT || value->class_ == BERTH_CLASS_STATE;
  bool before = always || value->class_ == BERTH_CLASS_INPUT;
  bool after = always || value->class_ == BERTH_CLASS_OUTPUT || value->held;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    bool touched = touches(&graph->operators[op], v);
    before = before || (touched && op <= step);
    after = after || (touched && op >= step);
  }
  /* An input that nobody reads is still given: it is there at the first step. */
  return before && (after || (step == 0 && value->class_ == BERTH_CLASS_INPUT));
}

void graph_flatten(const struct graph *graph, struct sample *sample) {
  sample_clear(sample);
  uint32_t n_steps = graph->n_operators > 0 ? graph->n_operators : 1;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (graph->values[v].external) {
      continue;
    }
    struct sample_buffer *buffer = sample_add(sample, graph->values[v].size, -1, -1);
    buffer->spec.alignment = graph->values[v].alignment;
    buffer->spec.class_ = graph->values[v].class_;
    for (uint32_t step = 0; step < n_steps; step++) {
      if (graph_live(graph, v, step)) {
        buffer->spec.lower = buffer->spec.lower < 0 ? step : buffer->spec.lower;
        buffer->spec.upper = step + 1;
      }
    }
    ck_assert_int_ge(buffer->spec.lower, 0);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    if (graph->operators[op].workspace > 0) {
      sample_add(sample, graph->operators[op].workspace, op, op + 1)->spec.class_ = BERTH_CLASS_WORKSPACE;
    }
  }
}

/* ---- Random ones. ---- */

static bool one_in(struct berth_rng *rng, uint32_t n) {
  return berth_rng_below(rng, n) == 0;
}

static uint32_t add_value(struct graph *graph, struct berth_rng *rng, enum berth_buffer_class class_) {
  ck_assert_uint_lt(graph->n_values, GRAPH_MAX_VALUES);
  struct graph_value *value = &graph->values[graph->n_values];
  *value = (struct graph_value){.class_ = class_};
  value->size = one_in(rng, 12) ? 0 : 1 + berth_rng_below(rng, 64);
  value->alignment = one_in(rng, 4) ? UINT64_C(1) << berth_rng_below(rng, 5) : 1;
  value->held = one_in(rng, 8);
  value->external = one_in(rng, 10);
  return graph->n_values++;
}

static bool full(const struct graph *graph) {
  return graph->n_values + 2 >= GRAPH_MAX_VALUES;
}

/* A value that is there for operator `op` to read. */
static bool is_readable(const struct graph *graph, uint32_t v, uint32_t op) {
  enum berth_buffer_class class_ = graph->values[v].class_;
  if (class_ == BERTH_CLASS_INPUT || class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE) {
    return true;
  }
  for (uint32_t k = 0; k < op; k++) {
    if (lists(graph->operators[k].outputs, graph->operators[k].n_outputs, v)) {
      return true;
    }
  }
  return false;
}

/* Also a value that was written before, if it may be written again. */
static void add_outputs(struct graph *graph, struct berth_rng *rng, uint32_t index) {
  struct graph_operator *op = &graph->operators[index];
  for (uint32_t n = berth_rng_below(rng, 3); n > 0 && !full(graph); n--) {
    enum berth_buffer_class class_ = one_in(rng, 5) ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
    uint32_t v = add_value(graph, rng, class_);
    graph->values[v].accumulated = one_in(rng, 6);
    op->outputs[op->n_outputs++] = v;
  }
  for (uint32_t v = 0; v < graph->n_values && op->n_outputs < GRAPH_MAX_OPERANDS; v++) {
    bool again = graph->values[v].accumulated || graph->values[v].class_ == BERTH_CLASS_STATE;
    if (again && is_readable(graph, v, index) && one_in(rng, 3) && !lists(op->outputs, op->n_outputs, v)) {
      op->outputs[op->n_outputs++] = v;
    }
  }
}

static void add_operator(struct graph *graph, struct berth_rng *rng) {
  uint32_t index = graph->n_operators++;
  struct graph_operator *op = &graph->operators[index];
  *op = (struct graph_operator){.workspace = one_in(rng, 4) ? 1 + berth_rng_below(rng, 64) : 0};
  for (uint32_t n = berth_rng_below(rng, GRAPH_MAX_OPERANDS); n > 0; n--) {
    uint32_t v = berth_rng_below(rng, graph->n_values);
    if (is_readable(graph, v, index)) {
      op->inputs[op->n_inputs++] = v;
    }
  }
  add_outputs(graph, rng, index);
}

void graph_generate(struct graph *graph, struct berth_rng *rng, uint32_t n_operators) {
  static const enum berth_buffer_class GIVEN[] = {BERTH_CLASS_INPUT, BERTH_CLASS_CONSTANT, BERTH_CLASS_STATE};
  graph->n_values = graph->n_operators = 0;
  for (uint32_t n = 1 + berth_rng_below(rng, 3); n > 0; n--) {
    uint32_t v = add_value(graph, rng, GIVEN[berth_rng_below(rng, 3)]);
    graph->values[v].accumulated = graph->values[v].class_ == BERTH_CLASS_INPUT && one_in(rng, 6);
  }
  for (uint32_t n = n_operators; n > 0; n--) {
    add_operator(graph, rng);
  }
}

/* ---- Building. ---- */

enum berth_code graph_try_build(
    const struct graph *graph, const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) {
  struct berth_problem_builder *builder = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  for (uint32_t v = 0; v < graph->n_values && code == BERTH_OK; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = graph->values[v].size;
    spec.alignment = graph->values[v].alignment;
    spec.class_ = graph->values[v].class_;
    spec.held = graph->values[v].held;
    spec.external = graph->values[v].external;
    spec.accumulated = graph->values[v].accumulated;
    code = berth_problem_builder_add_value(builder, &spec, NULL, err);
  }
  for (uint32_t op = 0; op < graph->n_operators && code == BERTH_OK; op++) {
    const struct graph_operator *from = &graph->operators[op];
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = from->inputs;
    spec.n_inputs = from->n_inputs;
    spec.outputs = from->outputs;
    spec.n_outputs = from->n_outputs;
    spec.workspace_bytes = from->workspace;
    code = berth_problem_builder_add_operator(builder, &spec, NULL, err);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(builder, out_problem, err);
  }
  berth_problem_builder_destroy(builder);
  return code;
}

struct berth_problem *graph_build(const struct graph *graph) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = graph_try_build(graph, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s: %s", berth_code_name(code), err.message);
  return problem;
}
