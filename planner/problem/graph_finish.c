/* From a graph to buffers: lifetimes from liveness, then the placed values in their order, then a workspace
 * an operator that has one. */
#include <string.h>

#include "liveness/liveness.h"
#include "problem/builder.h"

/* ---- Faults that liveness found, in words ---- */

static enum berth_code blame_outputs(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_liveness_fault fault,
    const char *value, uint32_t first_op) {
  switch (fault) {
  case BERTH_LIVENESS_WRITES_CONSTANT:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs", "it writes %s, which is a constant", value);
  case BERTH_LIVENESS_WRITES_INPUT:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs",
        "it writes %s, which is an input; declare the value accumulated if that is meant", value);
  case BERTH_LIVENESS_WRITES_TWICE:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs", "it lists %s twice among its outputs", value);
  default:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs",
        "it writes %s, which operator %u writes already; declare the value accumulated if that is meant",
        value, first_op);
  }
}

static enum berth_code
blame_operator(struct berth_problem_builder *builder, const struct berth_liveness_finding *found) {
  const struct berth_problem *problem = builder->problem;
  struct berth_item item = {
      .kind = "operator", .index = found->op, .id = berth_names_get(&problem->operator_names, found->op)};
  struct berth_item value = {
      .kind = "value", .index = found->value, .id = berth_names_get(&problem->names, found->value)};
  char label[BERTH_LABEL_SIZE];
  berth_builder_label(value, label, sizeof label);
  if (found->fault != BERTH_LIVENESS_READ_BEFORE_WRITE) {
    return blame_outputs(builder, item, found->fault, label, found->first_op);
  }
  if (found->first_op == BERTH_NO_INDEX) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "inputs", "it reads %s, which nobody writes", label);
  }
  return berth_builder_blame(
      builder, item, BERTH_REASON_BAD_ORDER, "inputs",
      "it reads %s before operator %u, its first producer, has written it", label, found->first_op);
}

static enum berth_code
blame_fault(struct berth_problem_builder *builder, const struct berth_liveness_finding *found) {
  if (found->fault == BERTH_LIVENESS_OUT_OF_MEMORY) {
    return berth_fail_memory(&builder->error);
  }
  if (found->fault != BERTH_LIVENESS_NEVER_WRITTEN) {
    return blame_operator(builder, found);
  }
  struct berth_item item = {
      .kind = "value", .index = found->value, .id = berth_names_get(&builder->problem->names, found->value)};
  return berth_builder_blame(
      builder, item, BERTH_REASON_BAD_ORDER, "class",
      "no operator writes it, and it is neither an input, a constant, state nor external");
}

static enum berth_code derive(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  const struct berth_graph_columns *columns = &problem->columns;
  struct berth_graph graph = {
      .n_values = (uint32_t)problem->rows.size.n,
      .n_operators = (uint32_t)builder->workspace_size.n,
      .value_class = problem->rows.class_.items,
      .value_flags = columns->value_flags.items,
      .input_begin = columns->input_begin.items,
      .inputs = columns->inputs.items,
      .output_begin = columns->output_begin.items,
      .outputs = columns->outputs.items,
      .value_root = columns->view_of.n != 0 ? columns->view_of.items : NULL,
      .value_view_offset = columns->view_offset.n != 0 ? columns->view_offset.items : NULL,
      .value_size_bytes = problem->rows.size.items,
  };
  struct berth_liveness_finding found = berth_liveness_derive(
      &graph, &builder->allocator, problem->rows.lower.items, problem->rows.upper.items);
  return found.fault == BERTH_LIVENESS_OK ? BERTH_OK : blame_fault(builder, &found);
}

/* ---- Rows become buffers ---- */

static bool is_view(const struct berth_problem *problem, uint32_t value) {
  return problem->columns.view_of.n != 0 && problem->columns.view_of.items[value] != value;
}

static bool is_placed(const struct berth_problem *problem, uint32_t value) {
  return (problem->columns.value_flags.items[value] & BERTH_VALUE_EXTERNAL) == 0 && !is_view(problem, value);
}

/* Keeps what the caller stated of all values, before the rows are closed up. */
static bool keep_values(struct berth_problem_builder *builder) {
  struct berth_rows *rows = &builder->problem->rows;
  struct berth_graph_columns *columns = &builder->problem->columns;
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = rows->size.n;
  if (!berth_vec_reserve(allocator, &columns->value_size, n) ||
      !berth_vec_reserve(allocator, &columns->value_alignment, n) ||
      !berth_vec_reserve(allocator, &columns->value_class, n)) {
    return false;
  }
  memcpy(columns->value_size.items, rows->size.items, n * sizeof(uint64_t));
  memcpy(columns->value_alignment.items, rows->alignment.items, n * sizeof(uint64_t));
  memcpy(columns->value_class.items, rows->class_.items, n);
  columns->value_size.n = columns->value_alignment.n = columns->value_class.n = n;
  return true;
}

/* Moves row `from` to `to`, to <= from. A value has no gaps yet. */
static void move_row(struct berth_rows *rows, uint32_t from, uint32_t to) {
  rows->size.items[to] = rows->size.items[from];
  rows->alignment.items[to] = rows->alignment.items[from];
  rows->lower.items[to] = rows->lower.items[from];
  rows->upper.items[to] = rows->upper.items[from];
  rows->class_.items[to] = rows->class_.items[from];
  if (from < rows->pin.n) {
    rows->pin.items[to] = rows->pin.items[from];
  }
  if (rows->pool_begin.n != 0) {
    uint32_t *begin = rows->pool_begin.items;
    uint32_t n = begin[from + 1] - begin[from];
    memmove(rows->pools.items + begin[to], rows->pools.items + begin[from], n * sizeof(uint32_t));
    begin[to + 1] = begin[to] + n;
  }
}

static void close_up(struct berth_problem *problem) {
  struct berth_rows *rows = &problem->rows;
  uint32_t n_values = (uint32_t)rows->size.n;
  uint32_t n = 0;
  for (uint32_t value = 0; value < n_values; value++) {
    if (is_placed(problem, value)) {
      move_row(rows, value, n++);
    }
  }
  rows->size.n = rows->alignment.n = rows->lower.n = rows->upper.n = rows->class_.n = n;
  rows->pin.n = rows->pin.n < n ? rows->pin.n : n;
  if (rows->pool_begin.n != 0) {
    rows->pool_begin.n = (size_t)n + 1;
    rows->pools.n = rows->pool_begin.items[n];
    rows->pool_begin.n = rows->pools.n != 0 ? rows->pool_begin.n : 0; /* only externals listed any */
  }
}

static void map_values(struct berth_problem *problem, uint32_t n_values) {
  struct berth_graph_columns *columns = &problem->columns;
  uint32_t *buffer = columns->value_buffer.items;
  for (uint32_t value = 0; value < n_values; value++) {
    bool placed = is_placed(problem, value);
    buffer[value] = placed ? (uint32_t)columns->buffer_item.n : BERTH_NO_INDEX;
    if (placed) {
      columns->buffer_item.items[columns->buffer_item.n++] = value;
    }
  }
  for (uint32_t value = 0; value < n_values; value++) { /* a root may come after its views */
    if (is_view(problem, value)) {
      buffer[value] = buffer[columns->view_of.items[value]];
    }
  }
  columns->value_buffer.n = n_values;
}

static enum berth_code add_workspace(struct berth_problem_builder *builder, uint32_t op) {
  struct berth_rows *rows = &builder->problem->rows;
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = rows->size.n;
  if (!berth_vec_reserve(allocator, &rows->size, n + 1) ||
      !berth_vec_reserve(allocator, &rows->alignment, n + 1) ||
      !berth_vec_reserve(allocator, &rows->lower, n + 1) ||
      !berth_vec_reserve(allocator, &rows->upper, n + 1) ||
      !berth_vec_reserve(allocator, &rows->class_, n + 1) ||
      (rows->pin.n != 0 && !berth_vec_reserve(allocator, &rows->pin, n + 1)) ||
      (rows->pool_begin.n != 0 && !berth_vec_reserve(allocator, &rows->pool_begin, n + 2))) {
    return berth_fail_memory(&builder->error);
  }
  rows->size.items[rows->size.n++] = builder->workspace_size.items[op];
  rows->alignment.items[rows->alignment.n++] = builder->workspace_alignment.items[op];
  rows->lower.items[rows->lower.n++] = op;
  rows->upper.items[rows->upper.n++] = (int64_t)op + 1;
  rows->class_.items[rows->class_.n++] = BERTH_CLASS_WORKSPACE;
  if (rows->pin.n != 0) {
    rows->pin.items[rows->pin.n++] = BERTH_UNPINNED;
  }
  if (rows->pool_begin.n != 0) {
    rows->pool_begin.items[rows->pool_begin.n++] = (uint32_t)rows->pools.n;
  }
  return BERTH_OK;
}

static enum berth_code add_workspaces(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  struct berth_graph_columns *columns = &problem->columns;
  problem->n_value_buffers = (uint32_t)columns->buffer_item.n;
  for (uint32_t op = 0; op < builder->workspace_size.n; op++) {
    uint32_t buffer = (uint32_t)columns->buffer_item.n;
    bool has_one = builder->workspace_size.items[op] != 0;
    columns->workspace.items[columns->workspace.n++] = has_one ? buffer : BERTH_NO_INDEX;
    if (!has_one) {
      continue;
    }
    if (buffer >= BERTH_MAX_BUFFERS) {
      struct berth_item item = {.kind = "operator", .index = op};
      return berth_builder_limit(
          builder, item, "workspace", "with its workspace there are more than %u buffers", BERTH_MAX_BUFFERS);
    }
    enum berth_code code = add_workspace(builder, op);
    if (code != BERTH_OK) {
      return code;
    }
    columns->buffer_item.items[columns->buffer_item.n++] = op;
  }
  return BERTH_OK;
}

enum berth_code berth_builder_finish_graph(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  struct berth_graph_columns *columns = &problem->columns;
  const struct berth_allocator *allocator = &builder->allocator;
  uint32_t n_values = (uint32_t)problem->rows.size.n;
  size_t n_operators = builder->workspace_size.n;
  bool apart = builder->n_external + builder->n_views != 0;
  if (!berth_vec_reserve(allocator, &columns->value_buffer, n_values) ||
      !berth_vec_reserve(allocator, &columns->buffer_item, n_values + n_operators) ||
      !berth_vec_reserve(allocator, &columns->workspace, n_operators) || (apart && !keep_values(builder))) {
    return berth_fail_memory(&builder->error);
  }
  enum berth_code code = berth_builder_resolve_views(builder);
  code = code != BERTH_OK ? code : derive(builder);
  if (code != BERTH_OK) {
    return code;
  }
  map_values(problem, n_values);
  if (apart) {
    close_up(problem);
  }
  problem->is_graph = true;
  return add_workspaces(builder);
}
