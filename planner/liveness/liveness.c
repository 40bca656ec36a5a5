#include "liveness/liveness.h"

#include <string.h>

#include "base/checked.h"

struct pass {
  const struct berth_graph *graph;
  int64_t *lower; /* of a value that is not written yet: n_steps */
  int64_t *upper;
  uint32_t *writer; /* the last operator that wrote each value, plus 1; 0 while none has */
};

static bool has(const struct pass *pass, uint32_t value, enum berth_value_flag flag) {
  return (pass->graph->value_flags[value] & flag) != 0;
}

/* There before the first operator runs. */
static bool is_given(const struct pass *pass, uint32_t value) {
  enum berth_buffer_class class_ = pass->graph->value_class[value];
  return class_ == BERTH_CLASS_INPUT || class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
}

/* Still needed after the last one. */
static bool is_kept(const struct pass *pass, uint32_t value) {
  enum berth_buffer_class class_ = pass->graph->value_class[value];
  return class_ == BERTH_CLASS_OUTPUT || class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE ||
         has(pass, value, BERTH_VALUE_HELD);
}

static void touch(struct pass *pass, uint32_t value, uint32_t op) {
  pass->lower[value] = op < pass->lower[value] ? op : pass->lower[value];
  pass->upper[value] = (int64_t)op + 1;
}

static struct berth_liveness_finding
fault(enum berth_liveness_fault kind, uint32_t value, uint32_t op, uint32_t first_op) {
  return (struct berth_liveness_finding){.fault = kind, .value = value, .op = op, .first_op = first_op};
}

/* For the message: who writes what was read too early. */
static uint32_t find_producer(const struct berth_graph *graph, uint32_t value) {
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      if (graph->outputs[i] == value) {
        return op;
      }
    }
  }
  return BERTH_NO_INDEX;
}

static struct berth_liveness_finding read(struct pass *pass, uint32_t op, uint32_t value) {
  if (!is_given(pass, value) && !has(pass, value, BERTH_VALUE_EXTERNAL) && pass->writer[value] == 0) {
    uint32_t producer = find_producer(pass->graph, value);
    return fault(BERTH_LIVENESS_READ_BEFORE_WRITE, value, op, producer);
  }
  touch(pass, value, op);
  return fault(BERTH_LIVENESS_OK, value, op, BERTH_NO_INDEX);
}

static struct berth_liveness_finding write(struct pass *pass, uint32_t op, uint32_t value) {
  enum berth_buffer_class class_ = pass->graph->value_class[value];
  bool many = class_ == BERTH_CLASS_STATE || has(pass, value, BERTH_VALUE_ACCUMULATED);
  uint32_t before = pass->writer[value];
  if (class_ == BERTH_CLASS_CONSTANT) {
    return fault(BERTH_LIVENESS_WRITES_CONSTANT, value, op, BERTH_NO_INDEX);
  }
  if (before == op + 1) {
    return fault(BERTH_LIVENESS_WRITES_TWICE, value, op, op);
  }
  if (class_ == BERTH_CLASS_INPUT && !many) {
    return fault(BERTH_LIVENESS_WRITES_INPUT, value, op, BERTH_NO_INDEX);
  }
  if (before != 0 && !many) {
    return fault(BERTH_LIVENESS_SECOND_PRODUCER, value, op, before - 1);
  }
  pass->writer[value] = op + 1;
  touch(pass, value, op);
  return fault(BERTH_LIVENESS_OK, value, op, BERTH_NO_INDEX);
}

static struct berth_liveness_finding walk(struct pass *pass) {
  const struct berth_graph *graph = pass->graph;
  struct berth_liveness_finding found = fault(BERTH_LIVENESS_OK, 0, 0, 0);
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->input_begin[op]; i < graph->input_begin[op + 1]; i++) {
      found = read(pass, op, graph->inputs[i]);
      if (found.fault != BERTH_LIVENESS_OK) {
        return found;
      }
    }
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      found = write(pass, op, graph->outputs[i]);
      if (found.fault != BERTH_LIVENESS_OK) {
        return found;
      }
    }
  }
  return found;
}

/* Widens what is given from outside or kept to the ends of the run. */
static struct berth_liveness_finding settle(struct pass *pass) {
  int64_t n_steps = berth_liveness_n_steps(pass->graph);
  for (uint32_t value = 0; value < pass->graph->n_values; value++) {
    bool given = is_given(pass, value);
    if (!given && pass->writer[value] == 0 && !has(pass, value, BERTH_VALUE_EXTERNAL)) {
      return fault(BERTH_LIVENESS_NEVER_WRITTEN, value, BERTH_NO_INDEX, BERTH_NO_INDEX);
    }
    if (given || pass->lower[value] == n_steps) {
      pass->lower[value] = 0;
    }
    if (is_kept(pass, value)) {
      pass->upper[value] = n_steps;
    }
  }
  return fault(BERTH_LIVENESS_OK, 0, 0, 0);
}

struct berth_liveness_finding berth_liveness_derive(
    const struct berth_graph *graph, const struct berth_allocator *allocator, int64_t *lower,
    int64_t *upper) {
  size_t n_bytes;
  if (!berth_mul_size((size_t)graph->n_values + 1, sizeof(uint32_t), &n_bytes)) {
    return fault(BERTH_LIVENESS_OUT_OF_MEMORY, BERTH_NO_INDEX, BERTH_NO_INDEX, BERTH_NO_INDEX);
  }
  uint32_t *writer = allocator->resize(allocator->ctx, NULL, 0, n_bytes);
  if (writer == NULL) {
    return fault(BERTH_LIVENESS_OUT_OF_MEMORY, BERTH_NO_INDEX, BERTH_NO_INDEX, BERTH_NO_INDEX);
  }
  memset(writer, 0, n_bytes);
  int64_t n_steps = berth_liveness_n_steps(graph);
  for (uint32_t value = 0; value < graph->n_values; value++) {
    lower[value] = n_steps;
    upper[value] = 1;
  }
  struct pass pass = {.graph = graph, .lower = lower, .upper = upper, .writer = writer};
  struct berth_liveness_finding found = walk(&pass);
  if (found.fault == BERTH_LIVENESS_OK) {
    found = settle(&pass);
  }
  allocator->resize(allocator->ctx, writer, n_bytes, 0);
  return found;
}
