/* The rows of a graph's values become buffers: the placed roots in their order, then a workspace an operator
 * that has one. Results in place go into the buffer of their operand. */
#include <string.h>

#include "liveness/inplace.h"
#include "problem/builder.h"

/* ---- What the caller stated, kept beside the rows ---- */

/* Pins and pools as they were stated: results in place have no row of their own. */
static enum berth_code keep_places(struct berth_problem_builder *builder) {
  const struct berth_rows *rows = &builder->problem->rows;
  struct berth_graph_columns *columns = &builder->problem->columns;
  const struct berth_allocator *allocator = &builder->allocator;
  if (!berth_vec_reserve(allocator, &columns->value_pin, rows->pin.n) ||
      !berth_vec_reserve(allocator, &columns->value_pool_begin, rows->pool_begin.n) ||
      !berth_vec_reserve(allocator, &columns->value_pools, rows->pools.n) ||
      !berth_vec_reserve(allocator, &columns->value_accesses, rows->accesses.n)) {
    return berth_fail_memory(&builder->error);
  }
  if (rows->pin.n != 0) {
    memcpy(columns->value_pin.items, rows->pin.items, rows->pin.n * sizeof(uint64_t));
  }
  if (rows->pool_begin.n != 0) {
    memcpy(columns->value_pool_begin.items, rows->pool_begin.items, rows->pool_begin.n * sizeof(uint32_t));
  }
  if (rows->pools.n != 0) {
    memcpy(columns->value_pools.items, rows->pools.items, rows->pools.n * sizeof(uint32_t));
  }
  columns->value_pin.n = rows->pin.n;
  columns->value_pool_begin.n = rows->pool_begin.n;
  columns->value_pools.n = rows->pools.n;
  if (rows->accesses.n != 0) {
    memcpy(columns->value_accesses.items, rows->accesses.items, rows->accesses.n * sizeof(uint32_t));
  }
  columns->value_accesses.n = rows->accesses.n;
  return BERTH_OK;
}

enum berth_code berth_builder_keep_values(struct berth_problem_builder *builder) {
  struct berth_rows *rows = &builder->problem->rows;
  struct berth_graph_columns *columns = &builder->problem->columns;
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = rows->size.n;
  size_t n_operators = builder->workspace_size.n;
  if (!berth_vec_reserve(allocator, &columns->value_buffer, n) ||
      !berth_vec_reserve(allocator, &columns->buffer_item, n + n_operators) ||
      !berth_vec_reserve(allocator, &columns->workspace, n_operators)) {
    return berth_fail_memory(&builder->error);
  }
  if (builder->n_external + builder->n_views + columns->permissions.n == 0) {
    return BERTH_OK; /* every value is a buffer */
  }
  enum berth_code code = columns->permissions.n != 0 ? keep_places(builder) : BERTH_OK;
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(allocator, &columns->value_size, n) ||
      !berth_vec_reserve(allocator, &columns->value_alignment, n) ||
      !berth_vec_reserve(allocator, &columns->value_class, n)) {
    return berth_fail_memory(&builder->error);
  }
  if (n != 0) {
    memcpy(columns->value_size.items, rows->size.items, n * sizeof(uint64_t));
    memcpy(columns->value_alignment.items, rows->alignment.items, n * sizeof(uint64_t));
    memcpy(columns->value_class.items, rows->class_.items, n);
  }
  columns->value_size.n = columns->value_alignment.n = columns->value_class.n = n;
  return BERTH_OK;
}

/* ---- Values by where they lie ---- */

static uint32_t
storage_of(const struct berth_problem *problem, const struct berth_inplace_result *placed, uint32_t value) {
  if (placed->storage != NULL) {
    return placed->storage[value];
  }
  return problem->columns.view_of.n != 0 ? problem->columns.view_of.items[value] : value;
}

static bool
is_placed(const struct berth_problem *problem, const struct berth_inplace_result *placed, uint32_t value) {
  unsigned flags = problem->columns.value_flags.items[value];
  return (flags & (BERTH_VALUE_EXTERNAL | BERTH_VALUE_DYNAMIC)) == 0 &&
         storage_of(problem, placed, value) == value;
}

static bool map_values(struct berth_problem *problem, const struct berth_inplace_result *placed) {
  struct berth_graph_columns *columns = &problem->columns;
  uint32_t n = (uint32_t)columns->value_flags.n;
  uint32_t *buffer = columns->value_buffer.items;
  const uint64_t *offset = placed->offset != NULL ? placed->offset : columns->view_offset.items;
  for (uint32_t value = 0; value < n; value++) {
    bool own = is_placed(problem, placed, value);
    buffer[value] = own ? (uint32_t)columns->buffer_item.n : BERTH_NO_INDEX;
    if (own) {
      columns->buffer_item.items[columns->buffer_item.n++] = value;
    }
  }
  for (uint32_t value = 0; value < n; value++) { /* a root may come after its views */
    buffer[value] = buffer[storage_of(problem, placed, value)];
  }
  columns->value_buffer.n = n;
  if (offset == NULL || n == 0) {
    return true;
  }
  if (!berth_vec_reserve(&problem->allocator, &columns->value_offset, n)) {
    return false;
  }
  memcpy(columns->value_offset.items, offset, n * sizeof *offset);
  columns->value_offset.n = n;
  return true;
}

/* ---- Rows close up ---- */

/* Moves row `from` to `to`, to <= from. Gaps are by buffer already. */
static void move_row(struct berth_rows *rows, uint32_t from, uint32_t to) {
  rows->size.items[to] = rows->size.items[from];
  rows->alignment.items[to] = rows->alignment.items[from];
  rows->lower.items[to] = rows->lower.items[from];
  rows->upper.items[to] = rows->upper.items[from];
  rows->class_.items[to] = rows->class_.items[from];
  if (from < rows->pin.n) {
    rows->pin.items[to] = rows->pin.items[from];
  }
  if (from < rows->accesses.n) {
    rows->accesses.items[to] = rows->accesses.items[from];
  }
  if (rows->pool_begin.n != 0) {
    uint32_t *begin = rows->pool_begin.items;
    uint32_t n = begin[from + 1] - begin[from];
    memmove(rows->pools.items + begin[to], rows->pools.items + begin[from], n * sizeof(uint32_t));
    begin[to + 1] = begin[to] + n;
  }
}

static void close_up(struct berth_problem *problem, const struct berth_inplace_result *placed) {
  struct berth_rows *rows = &problem->rows;
  uint32_t n_values = (uint32_t)rows->size.n;
  uint32_t n = 0;
  for (uint32_t value = 0; value < n_values; value++) {
    if (is_placed(problem, placed, value)) {
      move_row(rows, value, n++);
    }
  }
  rows->size.n = rows->alignment.n = rows->lower.n = rows->upper.n = rows->class_.n = n;
  rows->pin.n = rows->pin.n < n ? rows->pin.n : n;
  rows->accesses.n = rows->accesses.n < n ? rows->accesses.n : n;
  if (rows->pool_begin.n != 0) {
    rows->pool_begin.n = (size_t)n + 1;
    rows->pools.n = rows->pool_begin.items[n];
    rows->pool_begin.n = rows->pools.n != 0 ? rows->pool_begin.n : 0; /* only externals listed any */
  }
}

/* Whoever lives in the buffer of another is accessed there. */
static void add_accesses(struct berth_problem *problem, const struct berth_inplace_result *placed) {
  const struct berth_graph_columns *columns = &problem->columns;
  uint32_t *accesses = problem->rows.accesses.items;
  for (uint32_t value = 0; placed->storage != NULL && value < problem->rows.accesses.n; value++) {
    bool view = columns->view_of.n != 0 && columns->view_of.items[value] != value;
    uint32_t storage = storage_of(problem, placed, value);
    if (!view && storage != value &&
        __builtin_add_overflow(accesses[storage], accesses[value], &accesses[storage])) {
      accesses[storage] = UINT32_MAX;
    }
  }
}

enum berth_code berth_builder_rows_to_buffers(
    struct berth_problem_builder *builder, const struct berth_inplace_result *placed,
    const struct berth_windows *windows) {
  struct berth_problem *problem = builder->problem;
  if (!map_values(problem, placed)) {
    return berth_fail_memory(&builder->error);
  }
  enum berth_code code = berth_builder_join_storage(builder, placed, windows);
  if (code == BERTH_OK) {
    add_accesses(problem, placed);
    close_up(problem, placed);
    problem->n_value_buffers = (uint32_t)problem->columns.buffer_item.n;
  }
  return code;
}

/* ---- Workspaces ---- */

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
      (rows->accesses.n != 0 && !berth_vec_reserve(allocator, &rows->accesses, n + 1)) ||
      (rows->pool_begin.n != 0 && !berth_vec_reserve(allocator, &rows->pool_begin, n + 2)) ||
      (rows->gap_begin.n != 0 && !berth_vec_reserve(allocator, &rows->gap_begin, n + 2))) {
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
  if (rows->accesses.n != 0) {
    rows->accesses.items[rows->accesses.n++] = 1;
  }
  if (rows->pool_begin.n != 0) {
    rows->pool_begin.items[rows->pool_begin.n++] = (uint32_t)rows->pools.n;
  }
  if (rows->gap_begin.n != 0) {
    rows->gap_begin.items[rows->gap_begin.n++] = (uint32_t)rows->gaps.n;
  }
  return BERTH_OK;
}

enum berth_code berth_builder_add_workspaces(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  struct berth_graph_columns *columns = &problem->columns;
  for (uint32_t op = 0; op < builder->workspace_size.n; op++) {
    uint32_t buffer = (uint32_t)columns->buffer_item.n;
    uint64_t size = builder->workspace_size.items[op];
    bool by_shape = berth_builder_is_sized(builder, BERTH_SIZED_WORKSPACE, op);
    bool has_one = (size != 0 || by_shape) && size != BERTH_DYNAMIC_SIZE;
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
