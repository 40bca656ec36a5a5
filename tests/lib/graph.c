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

uint32_t graph_root(const struct graph *graph, uint32_t v) {
  return graph->values[v].view_of != BERTH_NO_INDEX ? graph_root(graph, graph->values[v].view_of) : v;
}

uint64_t graph_offset(const struct graph *graph, uint32_t v) {
  const struct graph_value *value = &graph->values[v];
  return value->view_of != BERTH_NO_INDEX ? value->view_offset + graph_offset(graph, value->view_of) : 0;
}

uint32_t graph_ran(const struct graph *graph, uint32_t op) {
  uint32_t ran = 0;
  for (uint32_t before = 0; before < op; before++) {
    bool direct = graph->operators[before].stream == graph->operators[op].stream ||
                  lists(graph->operators[op].waits, graph->operators[op].n_waits, before);
    ran |= direct ? graph_ran(graph, before) | UINT32_C(1) << before : 0;
  }
  return ran;
}

bool graph_live(const struct graph *graph, uint32_t v, uint32_t step) {
  bool before = false;
  bool after = false;
  for (uint32_t name = 0; name < graph->n_values; name++) {
    if (graph_root(graph, name) != v) {
      continue;
    }
    const struct graph_value *value = &graph->values[name];
    bool always = value->class_ == BERTH_CLASS_CONSTANT || value->class_ == BERTH_CLASS_STATE;
    bool given = always || value->class_ == BERTH_CLASS_INPUT;
    before = before || given;
    after = after || always || value->class_ == BERTH_CLASS_OUTPUT || value->held;
    after = after || (given && step == 0); /* also if nobody reads it */
    for (uint32_t op = 0; op < graph->n_operators; op++) {
      bool touched = touches(&graph->operators[op], name);
      before = before || (touched && op <= step);
      after = after || (touched && op >= step);
    }
  }
  return before && after;
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

static uint32_t
add_value(struct graph *graph, struct berth_rng *rng, enum berth_buffer_class class_, uint32_t features) {
  ck_assert_uint_lt(graph->n_values, GRAPH_MAX_VALUES);
  struct graph_value *value = &graph->values[graph->n_values];
  *value = (struct graph_value){
      .class_ = class_, .view_of = BERTH_NO_INDEX, .pin = BERTH_UNPINNED, .pool = BERTH_NO_INDEX};
  value->size = one_in(rng, 12) ? 0 : 1 + berth_rng_below(rng, 64);
  value->alignment = one_in(rng, 4) ? UINT64_C(1) << berth_rng_below(rng, 5) : 1;
  value->held = one_in(rng, 8);
  value->external = one_in(rng, 10);
  bool pinned = (features & GRAPH_PINS) != 0 && !value->external && one_in(rng, 8);
  bool bound = (features & GRAPH_POOLS) != 0 && one_in(rng, 2);
  value->live_windows = (features & GRAPH_KINDS) != 0 && !value->external && one_in(rng, 3);
  value->pin = pinned ? value->alignment * berth_rng_below(rng, 10) : BERTH_UNPINNED;
  value->pool = bound ? berth_rng_below(rng, graph->n_pools) : BERTH_NO_INDEX;
  return graph->n_values++;
}

static bool full(const struct graph *graph) {
  return graph->n_values + 2 >= GRAPH_MAX_VALUES;
}

/* A value that is there for operator `op` to read. */
static bool is_readable(const struct graph *graph, uint32_t v, uint32_t op) {
  v = graph_root(graph, v);
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
static void add_outputs(struct graph *graph, struct berth_rng *rng, uint32_t index, uint32_t features) {
  struct graph_operator *op = &graph->operators[index];
  for (uint32_t n = berth_rng_below(rng, 3); n > 0 && !full(graph); n--) {
    enum berth_buffer_class class_ = one_in(rng, 5) ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
    uint32_t v = add_value(graph, rng, class_, features);
    graph->values[v].accumulated = one_in(rng, 6);
    op->outputs[op->n_outputs++] = v;
  }
  for (uint32_t v = 0; v < graph->n_values && op->n_outputs < GRAPH_MAX_OPERANDS; v++) {
    bool again = (graph->values[v].accumulated || graph->values[v].class_ == BERTH_CLASS_STATE) &&
                 graph->values[v].view_of == BERTH_NO_INDEX;
    if (again && is_readable(graph, v, index) && one_in(rng, 3) && !lists(op->outputs, op->n_outputs, v)) {
      op->outputs[op->n_outputs++] = v;
    }
  }
}

/* A part of something that is there. */
static void add_view(struct graph *graph, struct berth_rng *rng) {
  uint32_t of = berth_rng_below(rng, graph->n_values);
  const struct graph_value *root = &graph->values[of];
  if (full(graph) || root->external || root->size == 0) {
    return;
  }
  uint32_t v = graph->n_values++;
  struct graph_value *view = &graph->values[v];
  *view = (struct graph_value){.alignment = 1, .view_of = of, .pin = BERTH_UNPINNED, .pool = BERTH_NO_INDEX};
  view->size = 1 + berth_rng_below(rng, (uint32_t)root->size);
  view->view_offset = berth_rng_below(rng, (uint32_t)(root->size - view->size) + 1);
  view->class_ = one_in(rng, 6) ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
  view->held = one_in(rng, 10);
}

/* Where an operand lies inside the result if it fits, or how far the result is behind it. */
static void choose_kind(
    const struct graph *graph, const struct graph_operator *op, struct berth_rng *rng,
    struct berth_inplace *pair) {
  uint64_t operand = graph->values[op->inputs[pair->input]].size;
  uint64_t result = graph->values[op->outputs[pair->output]].size;
  pair->kind = (enum berth_inplace_kind)berth_rng_below(rng, BERTH_N_INPLACE_KINDS);
  if (pair->kind == BERTH_INPLACE_INSIDE) {
    pair->bytes = operand <= result ? berth_rng_below(rng, (uint32_t)(result - operand) + 1) : 0;
  } else if (pair->kind == BERTH_INPLACE_BEHIND) {
    pair->bytes = berth_rng_below(rng, (uint32_t)result + 1);
  }
}

static void
permit(const struct graph *graph, struct graph_operator *op, struct berth_rng *rng, uint32_t features) {
  while (op->n_inplace < 2 && op->n_inputs > 0 && op->n_outputs > 0 && !one_in(rng, 4)) {
    struct berth_inplace *pair = &op->inplace[op->n_inplace++];
    pair->input = berth_rng_below(rng, op->n_inputs);
    pair->output = berth_rng_below(rng, op->n_outputs);
    pair->kind = BERTH_INPLACE_OVER;
    pair->bytes = 0;
    if ((features & GRAPH_KINDS) != 0) {
      choose_kind(graph, op, rng, pair);
    }
  }
}

static bool shares_root(const struct graph *graph, const uint32_t *values, uint32_t n, uint32_t v) {
  for (uint32_t k = 0; k < n; k++) {
    if (graph_root(graph, values[k]) == graph_root(graph, v)) {
      return true;
    }
  }
  return false;
}

/* Whether `op` uses what `earlier` wrote, or writes what `earlier` used. */
static bool
depends(const struct graph *graph, const struct graph_operator *op, const struct graph_operator *earlier) {
  for (uint32_t k = 0; k < op->n_inputs; k++) {
    if (shares_root(graph, earlier->outputs, earlier->n_outputs, op->inputs[k])) {
      return true;
    }
  }
  for (uint32_t k = 0; k < op->n_outputs; k++) {
    if (shares_root(graph, earlier->outputs, earlier->n_outputs, op->outputs[k]) ||
        shares_root(graph, earlier->inputs, earlier->n_inputs, op->outputs[k])) {
      return true;
    }
  }
  return false;
}

static void choose_stream(struct graph *graph, struct berth_rng *rng, uint32_t index) {
  struct graph_operator *op = &graph->operators[index];
  op->stream = berth_rng_below(rng, 3);
  for (uint32_t earlier = 0; earlier < index; earlier++) {
    bool other = graph->operators[earlier].stream != op->stream;
    if (other && (depends(graph, op, &graph->operators[earlier]) || one_in(rng, 12))) {
      op->waits[op->n_waits++] = earlier;
    }
  }
}

static void add_operator(struct graph *graph, struct berth_rng *rng, uint32_t features) {
  uint32_t index = graph->n_operators++;
  struct graph_operator *op = &graph->operators[index];
  *op = (struct graph_operator){.workspace = one_in(rng, 4) ? 1 + berth_rng_below(rng, 64) : 0};
  for (uint32_t n = berth_rng_below(rng, GRAPH_MAX_OPERANDS); n > 0; n--) {
    uint32_t v = berth_rng_below(rng, graph->n_values);
    if (is_readable(graph, v, index)) {
      op->inputs[op->n_inputs++] = v;
    }
  }
  add_outputs(graph, rng, index, features);
  if ((features & GRAPH_IN_PLACE) != 0) {
    permit(graph, op, rng, features);
  }
  if ((features & GRAPH_STREAMS) != 0) {
    choose_stream(graph, rng, index);
  }
  if ((features & GRAPH_VIEWS) != 0 && one_in(rng, 2)) {
    add_view(graph, rng);
  }
}

/* ---- Regions ---- */

static uint32_t add_region(
    struct graph *graph, enum berth_region_kind kind, uint32_t parent, uint32_t first, uint32_t n,
    struct berth_rng *rng) {
  struct graph_region *region = &graph->regions[graph->n_regions];
  *region = (struct graph_region){.kind = kind, .parent = parent, .first = first, .n = n};
  region->min_trips = kind == BERTH_REGION_LOOP ? berth_rng_below(rng, 3) : 0;
  region->carried = one_in(rng, 4) ? berth_rng_below(rng, graph->n_values) : BERTH_NO_INDEX;
  return graph->n_regions++;
}

/* Within [first, first + n), perhaps with others in it. */
static void
add_regions_in(struct graph *graph, struct berth_rng *rng, uint32_t parent, uint32_t first, uint32_t n) {
  while (n > 0 && graph->n_regions + 3 <= GRAPH_MAX_REGIONS) {
    uint32_t own = 1 + berth_rng_below(rng, n);
    if (!one_in(rng, 3)) {
      static const enum berth_region_kind KINDS[] = {
          BERTH_REGION_LOOP, BERTH_REGION_CALL, BERTH_REGION_CHOICE};
      enum berth_region_kind kind = KINDS[berth_rng_below(rng, own > 1 ? 3 : 2)];
      uint32_t region = add_region(graph, kind, parent, first, own, rng);
      if (kind == BERTH_REGION_CHOICE) {
        uint32_t half = 1 + berth_rng_below(rng, own - 1);
        add_region(graph, BERTH_REGION_BRANCH, region, first, half, rng);
        uint32_t other = add_region(graph, BERTH_REGION_BRANCH, region, first + half, own - half, rng);
        if (one_in(rng, 2)) {
          add_regions_in(graph, rng, other, first + half, own - half);
        }
      } else if (one_in(rng, 2)) {
        add_regions_in(graph, rng, region, first, own);
      }
    }
    first += own;
    n -= own;
  }
}

/* Only those that the graph allows: operators of one branch may need what another makes. */
static void add_regions(struct graph *graph, struct berth_rng *rng) {
  struct berth_problem *problem = NULL;
  add_regions_in(graph, rng, BERTH_NO_INDEX, 0, graph->n_operators);
  bool pinned = false;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    pinned = pinned || graph->values[v].pin != BERTH_UNPINNED;
  }
  if (!pinned && graph_try_build(graph, NULL, &problem, NULL) != BERTH_OK) {
    graph->n_regions = 0;
  }
  berth_problem_unref(problem);
}

void graph_generate(struct graph *graph, struct berth_rng *rng, uint32_t n_operators, uint32_t features) {
  static const enum berth_buffer_class GIVEN[] = {BERTH_CLASS_INPUT, BERTH_CLASS_CONSTANT, BERTH_CLASS_STATE};
  graph->n_values = graph->n_operators = graph->n_regions = 0;
  graph->forbid_inplace = false;
  graph->n_pools = (features & GRAPH_POOLS) != 0 ? 2 : 0;
  for (uint32_t n = 1 + berth_rng_below(rng, 3); n > 0; n--) {
    uint32_t v = add_value(graph, rng, GIVEN[berth_rng_below(rng, 3)], features);
    graph->values[v].accumulated = graph->values[v].class_ == BERTH_CLASS_INPUT && one_in(rng, 6);
  }
  for (uint32_t n = n_operators; n > 0; n--) {
    add_operator(graph, rng, features);
  }
  if ((features & GRAPH_REGIONS) != 0) {
    add_regions(graph, rng);
  }
}

enum berth_code graph_add_operator(
    struct berth_problem_builder *builder, const struct graph_operator *operator_, struct berth_error *err) {
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.inputs = operator_->inputs;
  spec.n_inputs = operator_->n_inputs;
  spec.outputs = operator_->outputs;
  spec.n_outputs = operator_->n_outputs;
  spec.workspace_bytes = operator_->workspace;
  spec.inplace = operator_->inplace;
  spec.n_inplace = operator_->n_inplace;
  spec.stream = operator_->stream;
  spec.waits = operator_->waits;
  spec.n_waits = operator_->n_waits;
  return berth_problem_builder_add_operator(builder, &spec, NULL, err);
}

/* ---- Building. ---- */

enum berth_code graph_try_build(
    const struct graph *graph, const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) {
  struct berth_problem_builder *builder = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  static const char *const NAMES[2] = {"a", "b"};
  for (uint32_t p = 0; p < graph->n_pools && code == BERTH_OK; p++) {
    struct berth_pool_spec spec = berth_pool_spec_default();
    spec.name = (struct berth_text){NAMES[p], 1};
    spec.alignment = p == 0 ? 1 : 4;
    code = berth_problem_builder_add_pool(builder, &spec, NULL, err);
  }
  for (uint32_t v = 0; v < graph->n_values && code == BERTH_OK; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = graph->values[v].size;
    spec.alignment = graph->values[v].alignment;
    spec.class_ = graph->values[v].class_;
    spec.held = graph->values[v].held;
    spec.external = graph->values[v].external;
    spec.accumulated = graph->values[v].accumulated;
    spec.live_windows = graph->values[v].live_windows;
    spec.view_of = graph->values[v].view_of;
    spec.view_offset = graph->values[v].view_offset;
    spec.pinned_offset = graph->values[v].pin;
    spec.pools = &graph->values[v].pool;
    spec.n_pools = graph->values[v].pool != BERTH_NO_INDEX && !spec.external;
    code = berth_problem_builder_add_value(builder, &spec, NULL, err);
  }
  for (uint32_t op = 0; op < graph->n_operators && code == BERTH_OK; op++) {
    code = graph_add_operator(builder, &graph->operators[op], err);
  }
  for (uint32_t r = 0; r < graph->n_regions && code == BERTH_OK; r++) {
    const struct graph_region *from = &graph->regions[r];
    struct berth_region_spec spec = berth_region_spec_default();
    spec.kind = from->kind;
    spec.parent = from->parent;
    spec.first_operator = from->first;
    spec.n_operators = from->n;
    spec.min_trips = from->min_trips;
    spec.carries = &from->carried;
    spec.n_carries = from->carried != BERTH_NO_INDEX;
    code = berth_problem_builder_add_region(builder, &spec, NULL, err);
  }
  if (code == BERTH_OK && graph->forbid_inplace) {
    berth_problem_builder_forbid_inplace(builder);
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
