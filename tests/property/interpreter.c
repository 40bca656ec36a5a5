/* The plan of a graph is run on a toy memory and compared with a run in which every root has memory of its
 * own.
 *
 * An operator here is as unkind as it may be: it scribbles over its workspace and writes its outputs before
 * it looks at its inputs, except for outputs that it may write in place, which it writes after. An output
 * that may lie behind an input it writes byte by byte, and looks at each byte of the input when it must at
 * last. Of an output that an operand may lie inside it writes everything, and then copies the operand, unless
 * that is there already. What it finds in its inputs and, when it is done, in its outputs must be what it
 * would have found alone. The graph is run three times in a * row: constants and state must survive; with
 * regions, for none to three trips and every choice; with streams, in every order that they allow (up to a
 * number). Whatever the judge passes must run without a difference, for plans of the solver and for offsets
 * at random alike. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"

enum { MAX_VALUES = 10, MAX_OPERATORS = 8, MAX_LIST = 3, MAX_SIZE = 8, MEMORY = 256, RUNS = 3 };
enum { GRAPHS = 100000, GUESSES = 5, MAX_ORDERS = 60 };

struct value {
  struct berth_value_spec spec;
  uint32_t root;
  uint64_t offset; /* in the root */
};

struct op {
  uint32_t n_inputs;
  uint32_t inputs[MAX_LIST];
  uint32_t n_outputs;
  uint32_t outputs[MAX_LIST];
  uint64_t workspace;
  uint32_t n_inplace;
  struct berth_inplace inplace[2];
  uint32_t stream;
  uint32_t n_waits;
  uint32_t waits[MAX_OPERATORS];
};

struct graph {
  uint32_t n_regions;
  struct berth_region_spec regions[4];
  uint32_t carried;
  uint32_t n_values;
  struct value values[MAX_VALUES];
  uint32_t n_ops;
  struct op ops[MAX_OPERATORS];
};

static struct {
  uint32_t graphs, in_place, in_place_with_streams, inside, behind, windows, views, streams, regions,
      regions_with_streams, unsafe_by_order, guesses_safe, guesses_unsafe;
} seen;

/* ---- Making graphs ---- */

static void make_values(struct graph *graph, struct berth_rng *rng) {
  static const enum berth_buffer_class CLASSES[] = {
      BERTH_CLASS_TEMPORARY, BERTH_CLASS_TEMPORARY, BERTH_CLASS_TEMPORARY, BERTH_CLASS_OUTPUT,
      BERTH_CLASS_INPUT,     BERTH_CLASS_CONSTANT,  BERTH_CLASS_STATE};
  graph->n_values = 2 + berth_rng_below(rng, MAX_VALUES - 1);
  for (uint32_t v = 0; v < graph->n_values; v++) {
    struct value *value = &graph->values[v];
    *value = (struct value){.spec = berth_value_spec_default(), .root = v};
    value->spec.size_bytes = 1 + berth_rng_below(rng, MAX_SIZE);
    value->spec.class_ = CLASSES[berth_rng_below(rng, sizeof CLASSES / sizeof CLASSES[0])];
    value->spec.accumulated = berth_rng_below(rng, 5) == 0;
    value->spec.held = berth_rng_below(rng, 10) == 0;
    value->spec.live_windows = berth_rng_below(rng, 2) == 0;
    if (v > 0 && berth_rng_below(rng, 4) == 0) {
      uint32_t of = berth_rng_below(rng, v);
      uint64_t room = graph->values[of].spec.size_bytes;
      value->spec.class_ = berth_rng_below(rng, 4) == 0 ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
      value->spec.size_bytes = 1 + berth_rng_below(rng, (uint32_t)room);
      value->spec.live_windows = false;
      value->spec.view_of = of;
      value->spec.view_offset = berth_rng_below(rng, (uint32_t)(room - value->spec.size_bytes) + 1);
      value->root = graph->values[of].root;
      value->offset = graph->values[of].offset + value->spec.view_offset;
    }
  }
}

/* A loop, perhaps with a choice of two branches in it, or such a choice alone. */
static void make_regions(struct graph *graph, struct berth_rng *rng) {
  graph->n_regions = 0;
  if (graph->n_ops < 2 || berth_rng_below(rng, 3) != 0) {
    return;
  }
  uint32_t first = berth_rng_below(rng, graph->n_ops);
  uint32_t n = 1 + berth_rng_below(rng, graph->n_ops - first);
  uint32_t parent = BERTH_NO_INDEX;
  graph->carried = berth_rng_below(rng, graph->n_values);
  struct berth_region_spec region = berth_region_spec_default();
  region.first_operator = first;
  region.n_operators = n;
  if (berth_rng_below(rng, 3) != 0) {
    region.min_trips = berth_rng_below(rng, 2);
    region.carries = &graph->carried;
    region.n_carries = berth_rng_below(rng, 4) == 0;
    graph->regions[graph->n_regions++] = region;
    parent = 0;
  }
  if (n > 1 && (parent == BERTH_NO_INDEX || berth_rng_below(rng, 2) == 0)) {
    uint32_t n_first = 1 + berth_rng_below(rng, n - 1);
    region = berth_region_spec_default();
    region.first_operator = first;
    region.n_operators = n;
    region.parent = parent;
    region.kind = BERTH_REGION_CHOICE;
    uint32_t choice = graph->n_regions;
    graph->regions[graph->n_regions++] = region;
    region.parent = choice;
    region.kind = BERTH_REGION_BRANCH;
    region.n_operators = n_first;
    graph->regions[graph->n_regions++] = region;
    region.first_operator = first + n_first;
    region.n_operators = n - n_first;
    graph->regions[graph->n_regions++] = region;
  }
}

static void make_order(struct graph *graph, struct berth_rng *rng) {
  make_regions(graph, rng);
  uint32_t n_streams = 1 + berth_rng_below(rng, 2) * berth_rng_below(rng, 3);
  for (uint32_t o = 0; o < graph->n_ops; o++) {
    struct op *op = &graph->ops[o];
    op->stream = berth_rng_below(rng, n_streams);
    for (uint32_t k = 0; k < o; k++) {
      if (berth_rng_below(rng, 4) == 0) {
        op->waits[op->n_waits++] = k;
      }
    }
  }
}

static struct berth_inplace
make_permission(const struct graph *graph, const struct op *op, struct berth_rng *rng) {
  struct berth_inplace permission = {
      .input = berth_rng_below(rng, op->n_inputs),
      .output = berth_rng_below(rng, op->n_outputs),
      .kind = (enum berth_inplace_kind)berth_rng_below(rng, BERTH_N_INPLACE_KINDS)};
  uint64_t operand = graph->values[op->inputs[permission.input]].spec.size_bytes;
  uint64_t result = graph->values[op->outputs[permission.output]].spec.size_bytes;
  if (permission.kind == BERTH_INPLACE_INSIDE) {
    uint64_t room = operand <= result ? result - operand : 0;
    permission.bytes = berth_rng_below(rng, (uint32_t)room + (berth_rng_below(rng, 8) == 0 ? 3 : 1));
  } else if (permission.kind == BERTH_INPLACE_BEHIND) {
    permission.bytes = berth_rng_below(rng, (uint32_t)result + 1);
  }
  return permission;
}

static void make_permissions(const struct graph *graph, struct op *op, struct berth_rng *rng) {
  op->n_inplace = op->n_inputs > 0 && op->n_outputs > 0 ? berth_rng_below(rng, 3) : 0;
  for (uint32_t i = 0; i < op->n_inplace; i++) {
    op->inplace[i] = make_permission(graph, op, rng);
    bool same = i > 0 && op->outputs[op->inplace[0].output] == op->outputs[op->inplace[i].output];
    if (same && op->inplace[0].kind != op->inplace[i].kind) { /* nobody copies and runs through it as well */
      op->inplace[i].kind = BERTH_INPLACE_OVER;
      op->inplace[i].bytes = 0;
    }
  }
}

/* Anybody reads and writes anything. */
static void make_wild_ops(struct graph *graph, struct berth_rng *rng) {
  graph->n_ops = 1 + berth_rng_below(rng, MAX_OPERATORS);
  for (uint32_t o = 0; o < graph->n_ops; o++) {
    struct op *op = &graph->ops[o];
    *op =
        (struct op){.n_inputs = berth_rng_below(rng, MAX_LIST), .n_outputs = berth_rng_below(rng, MAX_LIST)};
    for (uint32_t i = 0; i < MAX_LIST; i++) {
      op->inputs[i] = berth_rng_below(rng, graph->n_values);
      op->outputs[i] = (op->inputs[0] + 1 + i + berth_rng_below(rng, 2)) % graph->n_values;
    }
    if (o > 0 && berth_rng_below(rng, 2) == 0) { /* a chain */
      op->inputs[0] = graph->ops[o - 1].outputs[0];
    }
    op->workspace = berth_rng_below(rng, 3) == 0 ? 1 + berth_rng_below(rng, 4) : 0;
    make_permissions(graph, op, rng);
  }
}

/* Every root is made once, by an operator of its own, from those before it: permissions are used more often.
 */
static void make_tidy_ops(struct graph *graph, struct berth_rng *rng) {
  graph->n_ops = 0;
  for (uint32_t v = 0; v < graph->n_values && graph->n_ops < MAX_OPERATORS; v++) {
    struct berth_value_spec *spec = &graph->values[v].spec;
    spec->class_ = spec->class_ == BERTH_CLASS_OUTPUT ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
    spec->held = false;
    if (spec->view_of != BERTH_NO_INDEX) {
      continue;
    }
    struct op *op = &graph->ops[graph->n_ops++];
    *op = (struct op){.n_outputs = 1, .outputs = {v}};
    for (uint32_t n = v > 0 ? berth_rng_below(rng, MAX_LIST + 1) : 0; n > 0; n--) {
      uint32_t recent = v > 3 ? v - 3 : 0;
      op->inputs[op->n_inputs++] = recent + berth_rng_below(rng, v - recent);
    }
    op->workspace = berth_rng_below(rng, 4) == 0 ? 1 + berth_rng_below(rng, 4) : 0;
    make_permissions(graph, op, rng);
  }
}

static void make_ops(struct graph *graph, struct berth_rng *rng) {
  if (berth_rng_below(rng, 2) == 0) {
    make_wild_ops(graph, rng);
  } else {
    make_tidy_ops(graph, rng);
  }
  make_order(graph, rng);
}

/* Most random lists are no valid graph: an entry that the builder blames is dropped, and so is the operator's
 * permissions, until it passes. */
static struct berth_problem *build(const struct graph *graph, struct berth_error *err) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem = NULL;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t v = 0; v < graph->n_values; v++) {
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &graph->values[v].spec, NULL, NULL), BERTH_OK);
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t o = 0; o < graph->n_ops && code == BERTH_OK; o++) {
    const struct op *op = &graph->ops[o];
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = op->inputs;
    spec.n_inputs = op->n_inputs;
    spec.outputs = op->outputs;
    spec.n_outputs = op->n_outputs;
    spec.workspace_bytes = op->workspace;
    spec.inplace = op->inplace;
    spec.n_inplace = op->n_inplace;
    spec.stream = op->stream;
    spec.waits = op->waits;
    spec.n_waits = op->n_waits;
    code = berth_problem_builder_add_operator(builder, &spec, NULL, err);
  }
  for (uint32_t r = 0; r < graph->n_regions && code == BERTH_OK; r++) {
    code = berth_problem_builder_add_region(builder, &graph->regions[r], NULL, err);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(builder, &problem, err);
  }
  berth_problem_builder_destroy(builder);
  return problem;
}

static bool repair(struct graph *graph, const struct berth_error *err) {
  if (strncmp(err->field, "operator.", 9) == 0) {
    struct op *op = &graph->ops[err->index];
    bool outputs = strcmp(err->field, "operator.outputs") == 0;
    if (strcmp(err->field, "operator.waits") == 0 && err->index % 2 == 0) { /* wait for everyone */
      op->n_waits = err->index;
      for (uint32_t k = 0; k < err->index; k++) {
        op->waits[k] = k;
      }
      return true;
    }
    op->n_inplace = 0;
    op->n_inputs -= !outputs;
    op->n_outputs -= outputs;
    return true;
  }
  struct value *value = &graph->values[err->index]; /* nobody writes it */
  value->spec.class_ = value->spec.class_ == BERTH_CLASS_OUTPUT ? BERTH_CLASS_STATE : BERTH_CLASS_INPUT;
  return strcmp(err->field, "value.class") == 0;
}

static struct berth_problem *make(struct graph *graph, struct berth_rng *rng) {
  struct berth_error err;
  make_values(graph, rng);
  make_ops(graph, rng);
  for (int i = 0; i < 100; i++) {
    struct berth_problem *problem = build(graph, &err);
    if (problem != NULL || !repair(graph, &err)) {
      return problem;
    }
  }
  return NULL;
}

/* ---- Running ---- */

struct memory {
  unsigned char planned[MEMORY];
  unsigned char alone[MAX_VALUES][MAX_SIZE]; /* by root */
  bool written[MAX_VALUES][MAX_SIZE];        /* the bytes of roots that mean something */
  unsigned char next;                        /* what is written next, never twice in a row */
};

struct machine {
  const struct graph *graph;
  const struct berth_graph *view;
  const uint64_t *offset; /* of buffers */
  struct memory memory;
};

static unsigned char *planned(struct machine *machine, uint32_t v) {
  uint64_t in_buffer = machine->view->value_offset != NULL ? machine->view->value_offset[v] : 0;
  return machine->memory.planned + machine->offset[machine->view->value_buffer[v]] + in_buffer;
}

static unsigned char *alone(struct machine *machine, uint32_t v) {
  return machine->memory.alone[machine->graph->values[v].root] + machine->graph->values[v].offset;
}

static bool *written(struct machine *machine, uint32_t v) {
  return machine->memory.written[machine->graph->values[v].root] + machine->graph->values[v].offset;
}

static void write_byte(struct machine *machine, uint32_t v, uint64_t i) {
  machine->memory.next = (unsigned char)(machine->memory.next % 251 + 1);
  planned(machine, v)[i] = alone(machine, v)[i] = machine->memory.next;
  written(machine, v)[i] = true;
}

static void write_value(struct machine *machine, uint32_t v) {
  for (uint64_t i = 0; i < machine->graph->values[v].spec.size_bytes; i++) {
    write_byte(machine, v, i);
  }
}

/* Bytes that nobody has written mean nothing. */
static bool is_byte_right(struct machine *machine, uint32_t v, uint64_t i) {
  return !written(machine, v)[i] || planned(machine, v)[i] == alone(machine, v)[i];
}

static bool is_right(struct machine *machine, uint32_t v) {
  bool right = true;
  for (uint64_t i = 0; i < machine->graph->values[v].spec.size_bytes; i++) {
    right = right && is_byte_right(machine, v, i);
  }
  return right;
}

static bool has_permission(const struct op *op, uint32_t output, enum berth_inplace_kind kind) {
  for (uint32_t i = 0; i < op->n_inplace; i++) {
    if (op->inplace[i].kind == kind && op->outputs[op->inplace[i].output] == op->outputs[output]) {
      return true;
    }
  }
  return false;
}

/* An output that is a part of the same storage as an input is written after the inputs are read. */
static bool shares_root(const struct graph *graph, const struct op *op, uint32_t output) {
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    if (graph->values[op->inputs[i]].root == graph->values[op->outputs[output]].root) {
      return true;
    }
  }
  return false;
}

/* When an output is written. */
enum phase { EARLY, BYTE_BY_BYTE, LATE };

static enum phase phase_of(const struct graph *graph, const struct op *op, uint32_t output) {
  if (has_permission(op, output, BERTH_INPLACE_OVER) || shares_root(graph, op, output)) {
    return LATE;
  }
  bool inside = has_permission(op, output, BERTH_INPLACE_INSIDE);
  return !inside && has_permission(op, output, BERTH_INPLACE_BEHIND) ? BYTE_BY_BYTE : EARLY;
}

/* An operand of which the operator writes no part, into an output of which it writes no other part. */
static bool is_copy(const struct graph *graph, const struct op *op, const struct berth_inplace *permission) {
  uint32_t from = op->inputs[permission->input];
  uint32_t to = op->outputs[permission->output];
  uint64_t size = graph->values[from].spec.size_bytes;
  uint32_t n_from = 0;
  uint32_t n_to = 0;
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    n_from += graph->values[op->outputs[i]].root == graph->values[from].root;
    n_to += graph->values[op->outputs[i]].root == graph->values[to].root;
  }
  return permission->kind == BERTH_INPLACE_INSIDE && n_from == 0 && n_to == 1 &&
         permission->bytes + size <= graph->values[to].spec.size_bytes;
}

/* The operand's bytes, as the operator has read them: late, it has looked at them before. */
static void copy(struct machine *machine, uint32_t from, uint32_t to, uint64_t at, bool late) {
  uint64_t size = machine->graph->values[from].spec.size_bytes;
  unsigned char bytes[MAX_SIZE];
  memcpy(bytes, late ? alone(machine, from) : planned(machine, from), size);
  memcpy(alone(machine, to) + at, alone(machine, from), size);
  memcpy(written(machine, to) + at, written(machine, from), size * sizeof(bool));
  memcpy(planned(machine, to) + at, bytes, size);
}

/* Everything but what lies inside already; then the copies. */
static void write_output(struct machine *machine, const struct op *op, uint32_t output, bool late) {
  uint32_t to = op->outputs[output];
  for (uint64_t i = 0; i < machine->graph->values[to].spec.size_bytes; i++) {
    bool there = false;
    for (uint32_t k = 0; k < op->n_inplace; k++) {
      const struct berth_inplace *permission = &op->inplace[k];
      uint32_t from = op->inputs[permission->input];
      there = there ||
              (is_copy(machine->graph, op, permission) && op->outputs[permission->output] == to &&
               planned(machine, from) == planned(machine, to) + permission->bytes && i >= permission->bytes &&
               i - permission->bytes < machine->graph->values[from].spec.size_bytes);
    }
    if (!there) {
      write_byte(machine, to, i);
    }
  }
  for (uint32_t k = 0; k < op->n_inplace; k++) {
    const struct berth_inplace *permission = &op->inplace[k];
    if (is_copy(machine->graph, op, permission) && op->outputs[permission->output] == to) {
      copy(machine, op->inputs[permission->input], to, permission->bytes, late);
    }
  }
}

static void write_outputs(struct machine *machine, const struct op *op, enum phase phase) {
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    if (phase_of(machine->graph, op, i) == phase) {
      write_output(machine, op, i, phase == LATE);
    }
  }
}

/* By how much the operator's writing byte by byte may run ahead of its reading the input; MAX_SIZE: it reads
 * it after. */
static uint64_t lead_of(const struct graph *graph, const struct op *op, uint32_t input) {
  uint64_t lead = UINT64_MAX;
  for (uint32_t k = 0; k < op->n_inplace; k++) {
    const struct berth_inplace *permission = &op->inplace[k];
    bool counts = permission->kind == BERTH_INPLACE_BEHIND && permission->input == input &&
                  phase_of(graph, op, permission->output) == BYTE_BY_BYTE;
    lead = counts && permission->bytes < lead ? permission->bytes : lead;
  }
  return lead;
}

/* Before it writes byte j of its outputs it looks at those bytes of inputs that it may overwrite with it. */
static bool run_byte_by_byte(struct machine *machine, const struct op *op) {
  const struct graph *graph = machine->graph;
  bool right = true;
  for (uint64_t j = 0; j < 2 * MAX_SIZE; j++) {
    for (uint32_t i = 0; i < op->n_inputs; i++) {
      uint64_t lead = lead_of(graph, op, i);
      bool looks = lead <= j && j - lead < graph->values[op->inputs[i]].spec.size_bytes;
      right = right && (!looks || is_byte_right(machine, op->inputs[i], j - lead));
    }
    for (uint32_t i = 0; i < op->n_outputs; i++) {
      if (phase_of(graph, op, i) == BYTE_BY_BYTE && j < graph->values[op->outputs[i]].spec.size_bytes) {
        write_byte(machine, op->outputs[i], j);
      }
    }
  }
  return right;
}

static void scribble(struct machine *machine, uint32_t o) {
  uint32_t workspace = machine->view->operator_workspace[o];
  for (uint64_t i = 0; workspace != BERTH_NO_INDEX && i < machine->graph->ops[o].workspace; i++) {
    machine->memory.planned[machine->offset[workspace] + i] = 0xff;
  }
}

static bool run_operator(struct machine *machine, uint32_t o) {
  const struct op *op = &machine->graph->ops[o];
  bool right = true;
  scribble(machine, o);
  write_outputs(machine, op, EARLY);
  right = run_byte_by_byte(machine, op);
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    bool seen_before = lead_of(machine->graph, op, i) != UINT64_MAX;
    right = right && (seen_before || is_right(machine, op->inputs[i]));
  }
  write_outputs(machine, op, LATE);
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    right = right && is_right(machine, op->outputs[i]);
  }
  return right;
}

static void give(struct machine *machine, bool first) {
  for (uint32_t v = 0; v < machine->graph->n_values; v++) {
    enum berth_buffer_class class_ = machine->graph->values[v].spec.class_;
    bool once = class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
    if (!once && machine->graph->values[v].root == v) { /* nothing is left of the run before */
      memset(machine->memory.written[v], 0, MAX_SIZE);
    }
    if (class_ == BERTH_CLASS_INPUT || (once && first)) {
      write_value(machine, v);
    }
  }
}

static bool results_are_right(struct machine *machine) {
  bool right = true;
  for (uint32_t v = 0; v < machine->graph->n_values; v++) {
    const struct berth_value_spec *spec = &machine->graph->values[v].spec;
    bool kept = spec->class_ == BERTH_CLASS_OUTPUT || spec->class_ == BERTH_CLASS_STATE ||
                spec->class_ == BERTH_CLASS_CONSTANT || spec->held;
    right = right && (!kept || is_right(machine, v));
  }
  return right;
}

static bool runs_in(
    const struct graph *graph, const struct berth_problem *problem, const uint64_t *offset,
    const uint32_t *order, uint32_t n_order) {
  struct machine machine = {.graph = graph, .view = berth_problem_graph(problem), .offset = offset};
  bool right = true;
  for (int run = 0; run < RUNS && right; run++) {
    give(&machine, run == 0);
    for (uint32_t k = 0; k < n_order && right; k++) {
      right = run_operator(&machine, order[k]);
    }
    right = right && results_are_right(&machine);
  }
  return right;
}

/* ---- Orders ---- */

static bool is_in(const struct berth_region_spec *region, uint32_t op) {
  return op >= region->first_operator && op < region->first_operator + region->n_operators;
}

/* The largest region around `op` that `other` is not in, as a set of operators; without one, the operator
 * alone. */
static uint32_t whole(const struct graph *graph, uint32_t op, uint32_t other) {
  uint32_t largest = UINT32_C(1) << op;
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    uint32_t set = 0;
    for (uint32_t k = 0; k < graph->n_ops; k++) {
      set |= (uint32_t)is_in(&graph->regions[r], k) << k;
    }
    bool larger = __builtin_popcount(set) > __builtin_popcount(largest);
    largest = is_in(&graph->regions[r], op) && !is_in(&graph->regions[r], other) && larger ? set : largest;
  }
  return largest;
}

static bool waits_for(const struct graph *graph, uint32_t op, uint32_t first) {
  for (uint32_t i = 0; i < graph->ops[op].n_waits; i++) {
    if (graph->ops[op].waits[i] == first) {
      return true;
    }
  }
  return graph->ops[first].stream == graph->ops[op].stream;
}

/* In one trip: by streams and waits of any of the regions' operators, and closed. Of two branches one runs
 * alone, so that any order of them is right. */
static void find_order(const struct graph *graph, bool before[MAX_OPERATORS][MAX_OPERATORS]) {
  memset(before, 0, sizeof(bool[MAX_OPERATORS][MAX_OPERATORS]));
  for (uint32_t a = 0; a < graph->n_ops; a++) {
    for (uint32_t b = a + 1; b < graph->n_ops; b++) {
      uint32_t first = whole(graph, a, b);
      uint32_t second = whole(graph, b, a);
      for (uint32_t x = 0; x < graph->n_ops; x++) {
        for (uint32_t y = x + 1; y < graph->n_ops; y++) {
          before[a][b] |= (first >> x & 1) != 0 && (second >> y & 1) != 0 && waits_for(graph, y, x);
        }
      }
    }
  }
  for (uint32_t k = 0; k < graph->n_ops; k++) {
    for (uint32_t a = 0; a < graph->n_ops; a++) {
      for (uint32_t b = 0; b < graph->n_ops; b++) {
        before[a][b] |= before[a][k] && before[k][b];
      }
    }
  }
}

/* One run of the graph: operators that run, trip after trip, and in which order they may. */
enum { MAX_STEPS = 4 * MAX_OPERATORS };

struct orders {
  const struct graph *graph;
  const struct berth_problem *problem;
  const uint64_t *offset;
  bool before[MAX_OPERATORS][MAX_OPERATORS];
  uint32_t n_steps;
  uint32_t op[MAX_STEPS];
  uint32_t trip[MAX_STEPS]; /* 0: not in the loop */
  uint32_t order[MAX_STEPS];
  bool done[MAX_STEPS];
  uint32_t n_left; /* orders to be tried */
};

static bool must_precede(const struct orders *orders, uint32_t first, uint32_t second) {
  uint32_t trip_a = orders->trip[first];
  uint32_t trip_b = orders->trip[second];
  if (trip_a != 0 && trip_b != 0 && trip_a != trip_b) {
    return trip_a < trip_b;
  }
  return orders->before[orders->op[first]][orders->op[second]];
}

/* Whoever may run next, the last of the list first: far from the order of the list. */
static bool try_orders(struct orders *orders, uint32_t n_done) {
  if (n_done == orders->n_steps) {
    orders->n_left--;
    return runs_in(orders->graph, orders->problem, orders->offset, orders->order, n_done);
  }
  bool right = true;
  for (uint32_t step = orders->n_steps; step-- > 0 && right && orders->n_left > 0;) {
    bool ready = !orders->done[step];
    for (uint32_t k = 0; k < orders->n_steps && ready; k++) {
      ready = orders->done[k] || !must_precede(orders, k, step);
    }
    if (ready) {
      orders->done[step] = true;
      orders->order[n_done] = orders->op[step];
      right = try_orders(orders, n_done + 1);
      orders->done[step] = false;
    }
  }
  return right;
}

/* Whether the operator runs in this trip when branch `taken` is: the branches are the last two regions. */
static bool is_taken(const struct graph *graph, uint32_t op, uint32_t taken) {
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    if (graph->regions[r].kind == BERTH_REGION_BRANCH && is_in(&graph->regions[r], op)) {
      return r - (graph->n_regions - 2) == taken;
    }
  }
  return true;
}

static void add_steps(struct orders *orders, uint32_t begin, uint32_t end, uint32_t trip, uint32_t taken) {
  for (uint32_t op = begin; op < end; op++) {
    if (is_taken(orders->graph, op, taken)) {
      orders->op[orders->n_steps] = op;
      orders->trip[orders->n_steps++] = trip;
    }
  }
}

/* Loops of none to three trips, with every choice of branches in each; by the list, and if streams allow
 * others, in other orders. */
static bool runs(const struct graph *graph, const struct berth_problem *problem, const uint64_t *offset) {
  bool has_loop = graph->n_regions != 0 && graph->regions[0].kind == BERTH_REGION_LOOP;
  bool streams = berth_problem_graph(problem)->operator_stream != NULL;
  uint32_t least = has_loop ? graph->regions[0].min_trips : 1;
  uint32_t most = has_loop ? 3 : 1;
  uint32_t begin = has_loop ? graph->regions[0].first_operator : 0;
  uint32_t end = has_loop ? begin + graph->regions[0].n_operators : graph->n_ops;
  struct orders orders = {.graph = graph, .problem = problem, .offset = offset};
  find_order(graph, orders.before);
  for (uint32_t trips = least; trips <= most; trips++) {
    for (uint32_t choices = 0; choices < 1U << trips; choices++) {
      orders.n_steps = 0;
      add_steps(&orders, 0, begin, 0, 0);
      for (uint32_t trip = 0; trip < trips; trip++) {
        add_steps(&orders, begin, end, has_loop ? trip + 1 : 0, choices >> trip & 1);
      }
      add_steps(&orders, end, graph->n_ops, 0, 0);
      if (!runs_in(graph, problem, offset, orders.op, orders.n_steps)) {
        return false;
      }
      orders.n_left = graph->n_regions != 0 ? MAX_ORDERS / 6 : MAX_ORDERS;
      if (streams && !try_orders(&orders, 0)) {
        seen.unsafe_by_order++;
        return false;
      }
    }
  }
  return true;
}

/* ---- The property ---- */

static void check_plan(uint32_t k, const struct graph *graph, const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 20000;
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  struct berth_error err = {0};
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  enum berth_code code = berth_verify(problem, plan, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, violation.message);
  ck_assert_msg(runs(graph, problem, plan->offset), "graph %u: the plan corrupts memory", k);
  berth_plan_unref(plan);
}

static void check_guess(
    uint32_t k, const struct graph *graph, const struct berth_problem *problem, struct berth_rng *rng) {
  uint64_t offset[MAX_VALUES + MAX_OPERATORS];
  struct berth_verdict verdict;
  for (uint32_t b = 0; b < berth_problem_buffers(problem)->n; b++) {
    offset[b] = berth_rng_below(rng, 24);
  }
  ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  bool right = runs(graph, problem, offset);
  ck_assert_msg(verdict.n_violations != 0 || right, "graph %u: the judge passed what corrupts memory", k);
  seen.guesses_safe += verdict.n_violations == 0;
  seen.guesses_unsafe += !right;
}

static bool has_live_window(const struct graph *graph, const struct berth_problem *problem) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = berth_problem_graph(problem)->value_buffer[v];
    bool asks = graph->values[v].spec.live_windows && buffers->gap_begin != NULL;
    if (asks && buffers->gap_begin[buffer] < buffers->gap_begin[buffer + 1]) {
      return true;
    }
  }
  return false;
}

START_TEST(what_the_judge_passes_runs) {
  static struct graph graph;
  struct campaign campaign = campaign_plan(GRAPHS);
  uint32_t n = campaign.end - campaign.first;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = {.state = k};
    struct berth_problem *problem = make(&graph, &rng);
    if (problem == NULL) {
      continue;
    }
    const struct berth_permissions *permissions = berth_problem_permissions(problem);
    for (uint32_t i = 0; i < permissions->n; i++) {
      bool used = permissions->items[i].answer == BERTH_INPLACE_USED;
      seen.in_place += used;
      seen.inside += used && permissions->items[i].kind == BERTH_INPLACE_INSIDE;
      seen.behind += used && permissions->items[i].kind == BERTH_INPLACE_BEHIND;
      seen.in_place_with_streams += used && berth_problem_graph(problem)->operator_stream != NULL;
    }
    seen.graphs++;
    seen.views += berth_problem_graph(problem)->value_root != NULL;
    seen.windows += has_live_window(&graph, problem);
    seen.streams += berth_problem_graph(problem)->operator_stream != NULL;
    seen.regions += graph.n_regions != 0;
    seen.regions_with_streams +=
        graph.n_regions != 0 && berth_problem_graph(problem)->operator_stream != NULL;
    check_plan(k, &graph, problem);
    for (int i = 0; i < GUESSES; i++) {
      check_guess(k, &graph, problem, &rng);
    }
    berth_problem_unref(problem);
  }
  printf(
      "%u graphs; %u results over operands or behind, %u of them behind; %u operands inside results; %u "
      "graphs "
      "with live windows\n",
      seen.graphs, seen.in_place - seen.inside, seen.behind, seen.inside, seen.windows);
  if (n < 2000) {
    return; /* too few to have met everything */
  }
  ck_assert_uint_gt(seen.graphs, n / 2);
  ck_assert_uint_gt(seen.views, n / 10);
  ck_assert_uint_gt(seen.regions, n / 10);
  ck_assert_uint_gt(seen.streams, n / 20);
  ck_assert_uint_gt(seen.regions_with_streams, n / 50);
  ck_assert_uint_gt(seen.unsafe_by_order, n / 1000);
  ck_assert_uint_gt(seen.in_place, n / 100);
  ck_assert_uint_gt(seen.inside, n / 200);
  ck_assert_uint_gt(seen.behind, n / 200);
  ck_assert_uint_gt(seen.windows, n / 100);
  ck_assert_uint_gt(seen.in_place_with_streams, n / 1000);
  ck_assert_uint_gt(seen.guesses_safe, n / 50);
  ck_assert_uint_gt(seen.guesses_unsafe, n);
}
END_TEST

int main(void) {
  return berth_suite_run("property/interpreter", (const TTest *const[]){what_the_judge_passes_runs, NULL});
}
