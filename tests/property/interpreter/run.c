/* An operator here is as unkind as it may be: it scribbles over its workspace and writes its outputs before
 * it looks at its inputs, except for outputs that it may write in place, which it writes after. An output
 * that may lie behind an input it writes byte by byte, and looks at each byte of the input when it must at
 * last. Of an output that an operand may lie inside it writes everything, and then copies the operand, unless
 * that is there already. What it finds in its inputs and, when it is done, in its outputs must be what it
 * would have found alone: beside the planned memory every root has memory of its own. */
#include <string.h>

#include "toy.h"

enum { MEMORY = 512, RUNS = 3 };

struct memory {
  unsigned char planned[TOY_MAX_POOLS][MEMORY];
  unsigned char alone[TOY_MAX_VALUES]
                     [TOY_MAX_SIZE];          /* by storage: a root, or several that are one by a group */
  bool written[TOY_MAX_VALUES][TOY_MAX_SIZE]; /* by root: the bytes that mean something under its name */
  unsigned char next;                         /* what is written next, never twice in a row */
};

struct machine {
  unsigned char (*bytes)[MEMORY]; /* what is planned, by pool: its own, or several machines' */
  const struct toy *toy;
  const struct berth_graph *view;
  struct toy_places places;
  struct memory memory;
};

static unsigned char *in_buffer(struct machine *machine, uint32_t buffer) {
  uint32_t pool = machine->places.pool != NULL ? machine->places.pool[buffer] : 0;
  return machine->bytes[pool] + machine->places.offset[buffer];
}

/* A view moves with its root only. */
static unsigned char *planned(struct machine *machine, uint32_t v) {
  uint32_t root = machine->toy->values[v].root;
  uint64_t of_root = machine->view->value_offset != NULL ? machine->view->value_offset[root] : 0;
  return in_buffer(machine, machine->view->value_buffer[root]) + of_root + machine->toy->values[v].offset;
}

static uint32_t storage_of(const struct machine *machine, uint32_t v) {
  return machine->toy->values[machine->toy->values[v].root].storage;
}

static unsigned char *alone(struct machine *machine, uint32_t v) {
  return machine->memory.alone[storage_of(machine, v)] + machine->toy->values[v].offset;
}

static bool *written(struct machine *machine, uint32_t v) {
  return machine->memory.written[machine->toy->values[v].root] + machine->toy->values[v].offset;
}

static void write_byte(struct machine *machine, uint32_t v, uint64_t i) {
  machine->memory.next = (unsigned char)(machine->memory.next % 251 + 1);
  planned(machine, v)[i] = alone(machine, v)[i] = machine->memory.next;
  written(machine, v)[i] = true;
}

static void write_value(struct machine *machine, uint32_t v) {
  for (uint64_t i = 0; i < machine->toy->values[v].spec.size_bytes; i++) {
    write_byte(machine, v, i);
  }
}

/* Bytes that nobody has written mean nothing. */
static bool is_byte_right(struct machine *machine, uint32_t v, uint64_t i) {
  return !written(machine, v)[i] || planned(machine, v)[i] == alone(machine, v)[i];
}

static bool is_right(struct machine *machine, uint32_t v) {
  bool right = true;
  for (uint64_t i = 0; i < machine->toy->values[v].spec.size_bytes; i++) {
    right = right && is_byte_right(machine, v, i);
  }
  return right;
}

static bool has_permission(const struct toy_op *op, uint32_t output, enum berth_inplace_kind kind) {
  for (uint32_t i = 0; i < op->n_inplace; i++) {
    if (op->inplace[i].kind == kind && op->outputs[op->inplace[i].output] == op->outputs[output]) {
      return true;
    }
  }
  return false;
}

/* An output that is a part of the same storage as an input is written after the inputs are read. */
static bool shares_root(const struct toy *toy, const struct toy_op *op, uint32_t output) {
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    if (toy->values[op->inputs[i]].root == toy->values[op->outputs[output]].root) {
      return true;
    }
  }
  return false;
}

/* When an output is written. */
enum phase { EARLY, BYTE_BY_BYTE, LATE };

static enum phase phase_of(const struct toy *toy, const struct toy_op *op, uint32_t output) {
  if (has_permission(op, output, BERTH_INPLACE_OVER) || shares_root(toy, op, output)) {
    return LATE;
  }
  bool inside = has_permission(op, output, BERTH_INPLACE_INSIDE);
  return !inside && has_permission(op, output, BERTH_INPLACE_BEHIND) ? BYTE_BY_BYTE : EARLY;
}

/* An operand of which the operator writes no part, into an output of which it writes no other part. */
static bool is_copy(const struct toy *toy, const struct toy_op *op, const struct berth_inplace *permission) {
  uint32_t from = op->inputs[permission->input];
  uint32_t to = op->outputs[permission->output];
  uint64_t size = toy->values[from].spec.size_bytes;
  uint32_t n_from = 0;
  uint32_t n_to = 0;
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    n_from += toy->values[op->outputs[i]].root == toy->values[from].root;
    n_to += toy->values[op->outputs[i]].root == toy->values[to].root;
  }
  return permission->kind == BERTH_INPLACE_INSIDE && n_from == 0 && n_to == 1 &&
         permission->bytes + size <= toy->values[to].spec.size_bytes;
}

/* The operand's bytes, as the operator has read them: late, it has looked at them before. The two may be one
 * storage by a group. */
static void copy(struct machine *machine, uint32_t from, uint32_t to, uint64_t at, bool late) {
  uint64_t size = machine->toy->values[from].spec.size_bytes;
  unsigned char bytes[TOY_MAX_SIZE];
  memcpy(bytes, late ? alone(machine, from) : planned(machine, from), size);
  memmove(alone(machine, to) + at, alone(machine, from), size);
  memmove(written(machine, to) + at, written(machine, from), size * sizeof(bool));
  memcpy(planned(machine, to) + at, bytes, size);
}

/* Everything but what lies inside already; then the copies. */
static void write_output(struct machine *machine, const struct toy_op *op, uint32_t output, bool late) {
  uint32_t to = op->outputs[output];
  for (uint64_t i = 0; i < machine->toy->values[to].spec.size_bytes; i++) {
    bool there = false;
    for (uint32_t k = 0; k < op->n_inplace; k++) {
      const struct berth_inplace *permission = &op->inplace[k];
      uint32_t from = op->inputs[permission->input];
      there = there ||
              (is_copy(machine->toy, op, permission) && op->outputs[permission->output] == to &&
               planned(machine, from) == planned(machine, to) + permission->bytes && i >= permission->bytes &&
               i - permission->bytes < machine->toy->values[from].spec.size_bytes);
    }
    if (!there) {
      write_byte(machine, to, i);
    }
  }
  for (uint32_t k = 0; k < op->n_inplace; k++) {
    const struct berth_inplace *permission = &op->inplace[k];
    if (is_copy(machine->toy, op, permission) && op->outputs[permission->output] == to) {
      copy(machine, op->inputs[permission->input], to, permission->bytes, late);
    }
  }
}

static void write_outputs(struct machine *machine, const struct toy_op *op, enum phase phase) {
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    if (phase_of(machine->toy, op, i) == phase) {
      write_output(machine, op, i, phase == LATE);
    }
  }
}

/* By how much the operator's writing byte by byte may run ahead of its reading the input; TOY_MAX_SIZE: it
 * reads it after. */
static uint64_t lead_of(const struct toy *toy, const struct toy_op *op, uint32_t input) {
  uint64_t lead = UINT64_MAX;
  for (uint32_t k = 0; k < op->n_inplace; k++) {
    const struct berth_inplace *permission = &op->inplace[k];
    bool counts = permission->kind == BERTH_INPLACE_BEHIND && permission->input == input &&
                  phase_of(toy, op, permission->output) == BYTE_BY_BYTE;
    lead = counts && permission->bytes < lead ? permission->bytes : lead;
  }
  return lead;
}

/* Before it writes byte j of its outputs it looks at those bytes of inputs that it may overwrite with it. */
static bool run_byte_by_byte(struct machine *machine, const struct toy_op *op) {
  const struct toy *toy = machine->toy;
  bool right = true;
  for (uint64_t j = 0; j < 2 * TOY_MAX_SIZE; j++) {
    for (uint32_t i = 0; i < op->n_inputs; i++) {
      uint64_t lead = lead_of(toy, op, i);
      bool looks = lead <= j && j - lead < toy->values[op->inputs[i]].spec.size_bytes;
      right = right && (!looks || is_byte_right(machine, op->inputs[i], j - lead));
    }
    for (uint32_t i = 0; i < op->n_outputs; i++) {
      if (phase_of(toy, op, i) == BYTE_BY_BYTE && j < toy->values[op->outputs[i]].spec.size_bytes) {
        write_byte(machine, op->outputs[i], j);
      }
    }
  }
  return right;
}

static void scribble(struct machine *machine, uint32_t o) {
  uint32_t workspace = machine->view->operator_workspace[o];
  for (uint64_t i = 0; workspace != BERTH_NO_INDEX && i < machine->toy->ops[o].workspace; i++) {
    in_buffer(machine, workspace)[i] = 0xff;
  }
}

static bool run_operator(struct machine *machine, uint32_t o) {
  const struct toy_op *op = &machine->toy->ops[o];
  bool right = true;
  scribble(machine, o);
  write_outputs(machine, op, EARLY);
  right = run_byte_by_byte(machine, op);
  for (uint32_t i = 0; i < op->n_inputs; i++) {
    bool seen_before = lead_of(machine->toy, op, i) != UINT64_MAX;
    right = right && (seen_before || is_right(machine, op->inputs[i]));
  }
  write_outputs(machine, op, LATE);
  for (uint32_t i = 0; i < op->n_outputs; i++) {
    right = right && is_right(machine, op->outputs[i]);
  }
  return right;
}

static void give(struct machine *machine, bool first) {
  for (uint32_t v = 0; v < machine->toy->n_values; v++) {
    enum berth_buffer_class class_ = machine->toy->values[v].spec.class_;
    bool once = class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
    if (!once && machine->toy->values[v].root == v) { /* nothing is left of the run before */
      memset(machine->memory.written[v], 0, TOY_MAX_SIZE);
    }
    if (class_ == BERTH_CLASS_INPUT || (once && first)) {
      write_value(machine, v);
    }
  }
}

static bool results_are_right(struct machine *machine) {
  bool right = true;
  for (uint32_t v = 0; v < machine->toy->n_values; v++) {
    const struct berth_value_spec *spec = &machine->toy->values[v].spec;
    bool kept = spec->class_ == BERTH_CLASS_OUTPUT || spec->class_ == BERTH_CLASS_STATE ||
                spec->class_ == BERTH_CLASS_CONSTANT || spec->held;
    right = right && (!kept || is_right(machine, v));
  }
  return right;
}

bool toy_runs_in(
    const struct toy *toy, const struct berth_problem *problem, struct toy_places places,
    const uint32_t *order, uint32_t n_order) {
  struct machine machine = {.toy = toy, .view = berth_problem_graph(problem), .places = places};
  bool right = true;
  machine.bytes = machine.memory.planned;
  for (int run = 0; run < RUNS && right; run++) {
    give(&machine, run == 0);
    for (uint32_t k = 0; k < n_order && right; k++) {
      right = run_operator(&machine, order[k]);
    }
    right = right && results_are_right(&machine);
  }
  return right;
}

/* ---- Two in one memory ---- */

/* Where a part is: before its inputs are given, at an operator, or at its end. */
struct runner {
  struct machine machine;
  uint32_t at;
  uint32_t n_runs;
};

/* One step; the storage that both have means what the last of them wrote. */
static bool step(struct runner *runner, struct runner *other, bool shares) {
  const struct toy *toy = runner->machine.toy;
  bool right = true;
  if (runner->at == 0) {
    give(&runner->machine, runner->n_runs == 0);
  } else if (runner->at <= toy->n_ops) {
    right = run_operator(&runner->machine, runner->at - 1);
  } else {
    right = results_are_right(&runner->machine);
    runner->n_runs++;
  }
  runner->at = runner->at <= toy->n_ops ? runner->at + 1 : 0;
  if (shares) {
    memcpy(other->machine.memory.alone[0], runner->machine.memory.alone[0], TOY_MAX_SIZE);
    memcpy(other->machine.memory.written[0], runner->machine.memory.written[0], TOY_MAX_SIZE);
  }
  return right;
}

bool toy_runs_together(const struct toy_pair *pair, struct berth_rng *rng) {
  unsigned char bytes[TOY_MAX_POOLS][MEMORY] = {{0}};
  struct runner runners[2];
  memset(runners, 0, sizeof runners);
  for (uint32_t p = 0; p < 2; p++) {
    runners[p].machine = (struct machine){
        .bytes = bytes,
        .toy = pair->toy[p],
        .view = berth_problem_graph(pair->part[p]),
        .places = {.offset = pair->offset[p]}};
    runners[p].machine.memory.next = (unsigned char)(p * 100);
  }
  bool right = true;
  uint32_t p = berth_rng_below(rng, 2);
  while (right && runners[0].n_runs + runners[1].n_runs < 2 * RUNS) {
    bool may_change = pair->at_once || runners[p].at == 0;
    p = may_change ? berth_rng_below(rng, 2) : p;
    right = step(&runners[p], &runners[1 - p], pair->shares);
  }
  return right;
}
