/* Shapes of items: from the extents of their dimensions to a number, and what else sizes decide: results in
 * place, and the dynamic arena. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "problem/builder.h"
#include "problem/names.h"
#include "symbols/order.h"

#define MAX_BYTES ((uint64_t)INT64_MAX)

/* ---- What is wrong with a size ---- */

static bool is_plain(const struct berth_shape *shape) {
  return shape->n_dimensions == 1 && shape->element_bits == 8;
}

static const char *field_word(enum berth_sized_field field, const struct berth_shape *shape) {
  static const char *const WORDS[] = {"size", "view_offset", "workspace"};
  return field == BERTH_SIZED_SIZE && !is_plain(shape) ? "shape" : WORDS[field];
}

/* "dimension 0 of its size", or "its size" for a plain one. */
static void
name_part(enum berth_sized_field field, const struct berth_shape *shape, uint32_t dimension, char to[64]) {
  if (is_plain(shape) || dimension == BERTH_NO_INDEX) {
    snprintf(to, 64, "its %s", field_word(field, shape));
  } else {
    snprintf(to, 64, "dimension %" PRIu32 " of its %s", dimension, field_word(field, shape));
  }
}

static enum berth_code blame_endless(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_sized_field field,
    const struct berth_shape *shape, uint32_t dimension) {
  char part[64];
  name_part(field, shape, dimension, part);
  uint32_t symbol = builder->symbols.endless.items[shape->dimensions[dimension]];
  if (symbol == BERTH_NO_INDEX) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_UNBOUNDED, field_word(field, shape),
        "%s is unknown; give a value or an upper bound", part);
  }
  struct berth_text name = berth_names_get(&builder->problem->symbols.names, symbol);
  return berth_builder_blame(
      builder, item, BERTH_REASON_UNBOUNDED, field_word(field, shape),
      "%s has no largest: symbol %.*s has no upper bound; give a value or an upper bound", part,
      (int)name.size, name.data);
}

static enum berth_code blame_fault(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_sized_field field,
    const struct berth_shape *shape, uint32_t dimension, enum berth_extent_fault fault) {
  char part[64];
  name_part(field, shape, dimension, part);
  if (fault == BERTH_EXTENT_NEGATIVE || fault == BERTH_EXTENT_ZERO_DIVISOR) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_SYMBOL, field_word(field, shape), "%s %s", part,
        fault == BERTH_EXTENT_NEGATIVE ? "falls below 0" : "divides by 0");
  }
  return berth_builder_blame(
      builder, item, BERTH_REASON_SIZE_OVERFLOW, field_word(field, shape), "%s passes 2^63", part);
}

/* ---- Shapes ---- */

static enum berth_code check_shape(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_sized_field field,
    const struct berth_shape *shape) {
  const struct berth_symbol_columns *columns = &builder->problem->symbols;
  if (shape->element_bits == 0 || shape->element_bits > BERTH_MAX_ELEMENT_BITS) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, field_word(field, shape),
        "its elements have %u bits; 1 to %d are right", shape->element_bits, BERTH_MAX_ELEMENT_BITS);
  }
  if (shape->n_dimensions > BERTH_MAX_DIMENSIONS ||
      shape->n_dimensions > UINT32_MAX - columns->dimensions.n) {
    return berth_builder_limit(
        builder, item, field_word(field, shape), "%u dimensions; at most %d are allowed", shape->n_dimensions,
        BERTH_MAX_DIMENSIONS);
  }
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    if (shape->dimensions[i] >= columns->expressions.n) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_UNKNOWN_ID, field_word(field, shape),
          "dimension %u of its %s is expression %u; there are %zu", i, field_word(field, shape),
          shape->dimensions[i], columns->expressions.n);
    }
  }
  return BERTH_OK;
}

static enum berth_code keep_shape(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_sized_field field,
    const struct berth_shape *shape) {
  struct berth_symbol_columns *columns = &builder->problem->symbols;
  const struct berth_allocator *allocator = &builder->allocator;
  if (!berth_vec_reserve(allocator, &columns->sized[field], columns->sized[field].n + 1) ||
      !berth_vec_reserve(allocator, &columns->dimensions, columns->dimensions.n + shape->n_dimensions)) {
    return berth_fail_memory(&builder->error);
  }
  columns->sized[field].items[columns->sized[field].n++] = (struct berth_sized){
      .item = item.index,
      .begin = (uint32_t)columns->dimensions.n,
      .n = shape->n_dimensions,
      .element_bits = shape->element_bits};
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    columns->dimensions.items[columns->dimensions.n++] = shape->dimensions[i];
  }
  return BERTH_OK;
}

static bool is_endless(struct berth_extent extent) {
  return extent.fault == BERTH_EXTENT_UNBOUNDED || extent.fault == BERTH_EXTENT_UNKNOWN;
}

enum berth_code berth_builder_resolve_size(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_sized_field field,
    const struct berth_shape *shape, uint64_t size, bool must_end, uint64_t *out_size) {
  *out_size = size;
  if (shape == NULL) {
    return BERTH_OK;
  }
  uint32_t dimension;
  enum berth_code code = check_shape(builder, item, field, shape);
  if (code != BERTH_OK) {
    return code;
  }
  if (size != 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_MALFORMED, field_word(field, shape), "its %s is a number and a shape",
        field_word(field, shape));
  }
  struct berth_extent bytes = berth_extent_of_shape(shape, builder->symbols.bound.items, &dimension);
  if (!bytes.is_empty && is_endless(bytes)) {
    if (must_end || builder->problem->symbols.is_strict) {
      return blame_endless(builder, item, field, shape, dimension);
    }
    *out_size = BERTH_DYNAMIC_SIZE;
    return keep_shape(builder, item, field, shape);
  }
  *out_size = builder->problem->symbols.sizes == BERTH_SIZES_SMALLEST ? bytes.lower : bytes.upper;
  if (bytes.is_empty || bytes.fault != BERTH_EXTENT_OK || *out_size > MAX_BYTES) {
    return blame_fault(builder, item, field, shape, dimension, bytes.fault);
  }
  return keep_shape(builder, item, field, shape);
}

const struct berth_sized *
berth_problem_sized(const struct berth_problem *problem, enum berth_sized_field field, uint32_t item) {
  const struct berth_symbol_columns *columns = &problem->symbols;
  size_t first = 0;
  size_t end = columns->sized[field].n;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (columns->sized[field].items[middle].item < item) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  bool found = first < columns->sized[field].n && columns->sized[field].items[first].item == item;
  return found ? &columns->sized[field].items[first] : NULL;
}

bool berth_builder_is_sized(
    const struct berth_problem_builder *builder, enum berth_sized_field field, uint32_t item) {
  return berth_problem_sized(builder->problem, field, item) != NULL;
}

/* ---- Results in place ---- */

static struct berth_sized_term
term_of(const struct berth_problem *problem, uint32_t value, struct berth_shape *shape) {
  const struct berth_sized *sized = berth_problem_sized(problem, BERTH_SIZED_SIZE, value);
  if (sized == NULL) {
    return (struct berth_sized_term){.bytes = problem->rows.size.items[value]};
  }
  *shape = (struct berth_shape){
      .dimensions = sized->n != 0 ? problem->symbols.dimensions.items + sized->begin : NULL,
      .n_dimensions = sized->n,
      .element_bits = sized->element_bits};
  return (struct berth_sized_term){.shape = shape};
}

static bool has_shape(const struct berth_problem *problem, uint32_t value) {
  return berth_problem_sized(problem, BERTH_SIZED_SIZE, value) != NULL;
}

static uint8_t judge_sizes(
    const struct berth_problem_builder *builder, const struct berth_permission *permission,
    const bool *is_result) {
  const struct berth_problem *problem = builder->problem;
  const struct berth_builder_symbols *symbols = &builder->symbols;
  struct berth_expressions table = {
      .items = problem->symbols.expressions.items, .extents = symbols->stated.items};
  struct berth_shape shapes[2];
  struct berth_sized_term result = term_of(problem, permission->result, &shapes[0]);
  struct berth_sized_term operand = term_of(problem, permission->operand, &shapes[1]);
  uint32_t root = problem->columns.view_of.n != 0 ? problem->columns.view_of.items[permission->operand]
                                                  : permission->operand;
  bool moves = symbols->is_moving.n != 0 && symbols->is_moving.items[permission->operand] != 0;
  if (moves || (problem->columns.value_flags.items[root] & BERTH_VALUE_DYNAMIC) != 0) {
    return BERTH_INPLACE_SYMBOLS;
  }
  if (permission->kind != BERTH_INPLACE_OVER) { /* what shares the operand's storage by then counts, too */
    bool is_plain = !has_shape(problem, permission->result) && !has_shape(problem, permission->operand) &&
                    !has_shape(problem, root) && !is_result[root];
    return is_plain ? BERTH_INPLACE_USED : BERTH_INPLACE_SYMBOLS;
  }
  return berth_size_at_most(&table, result, operand) ? BERTH_INPLACE_USED : BERTH_INPLACE_TOO_LARGE;
}

/* Within the bounds, whatever is bound. */
static uint64_t most_of(const struct berth_problem_builder *builder, uint32_t value) {
  struct berth_shape shape;
  uint32_t dimension;
  struct berth_sized_term term = term_of(builder->problem, value, &shape);
  if (term.shape == NULL) {
    return term.bytes;
  }
  struct berth_extent bytes = berth_extent_of_shape(&shape, builder->symbols.stated.items, &dimension);
  return bytes.is_empty || bytes.fault != BERTH_EXTENT_OK ? UINT64_MAX : bytes.upper;
}

enum berth_code berth_builder_judge_sizes(
    struct berth_problem_builder *builder, struct berth_arena *arena, const uint8_t **out_answers,
    const uint64_t **out_most) {
  const struct berth_problem *problem = builder->problem;
  size_t n = problem->columns.permissions.n;
  *out_answers = NULL;
  *out_most = NULL;
  if (problem->symbols.expressions.n == 0) {
    return BERTH_OK;
  }
  uint8_t *answers = berth_arena_new(arena, uint8_t, n);
  uint64_t *most = berth_arena_new(arena, uint64_t, n);
  bool *is_result = berth_arena_new_zeroed(arena, bool, problem->rows.size.n);
  if (answers == NULL || most == NULL || is_result == NULL) {
    return berth_fail_memory(&builder->error);
  }
  for (size_t i = 0; i < n; i++) {
    is_result[problem->columns.permissions.items[i].result] = true;
  }
  for (size_t i = 0; i < n; i++) {
    answers[i] = judge_sizes(builder, &problem->columns.permissions.items[i], is_result);
    most[i] = most_of(builder, problem->columns.permissions.items[i].operand);
  }
  *out_answers = answers;
  *out_most = most;
  return BERTH_OK;
}

void berth_builder_keep_caps(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  struct berth_graph_columns *columns = &problem->columns;
  for (size_t i = 0; i < columns->permissions.n && problem->symbols.expressions.n != 0; i++) {
    uint32_t result = columns->permissions.items[i].result;
    columns->value_size.items[result] = problem->rows.size.items[result];
  }
}

/* ---- The dynamic arena ---- */

/* The first symbol that leaves the size without a largest. */
static uint32_t
endless_symbol(const struct berth_problem_builder *builder, enum berth_sized_field field, uint32_t item) {
  const struct berth_symbol_columns *columns = &builder->problem->symbols;
  const struct berth_sized *sized = berth_problem_sized(builder->problem, field, item);
  for (uint32_t i = 0; sized != NULL && i < sized->n; i++) {
    uint32_t expression = columns->dimensions.items[sized->begin + i];
    if (is_endless(builder->symbols.bound.items[expression])) {
      return builder->symbols.endless.items[expression];
    }
  }
  return BERTH_NO_INDEX;
}

static enum berth_code
list(struct berth_problem_builder *builder, bool is_workspace, enum berth_sized_field field, uint32_t item) {
  struct berth_symbol_columns *columns = &builder->problem->symbols;
  if (!berth_vec_reserve(&builder->allocator, &columns->dynamic, columns->dynamic.n + 1)) {
    return berth_fail_memory(&builder->error);
  }
  columns->dynamic.items[columns->dynamic.n++] = (struct berth_dynamic_item){
      .is_workspace = is_workspace,
      .item = item,
      .symbol = endless_symbol(builder, field, item),
      .alignment = is_workspace ? builder->workspace_alignment.items[item]
                                : builder->problem->rows.alignment.items[item]};
  return BERTH_OK;
}

/* The pools that the value, the last that was listed, would go to. */
static enum berth_code keep_pools(struct berth_problem_builder *builder, uint32_t value) {
  const struct berth_rows *rows = &builder->problem->rows;
  struct berth_symbol_columns *columns = &builder->problem->symbols;
  if (rows->pool_begin.n == 0) {
    return BERTH_OK;
  }
  uint32_t begin = rows->pool_begin.items[value];
  uint32_t n = rows->pool_begin.items[value + 1] - begin;
  if (!berth_vec_reserve(&builder->allocator, &columns->dynamic_pools, columns->dynamic_pools.n + n)) {
    return berth_fail_memory(&builder->error);
  }
  for (uint32_t i = 0; i < n; i++) {
    columns->dynamic_pools.items[columns->dynamic_pools.n++] = rows->pools.items[begin + i];
  }
  columns->dynamic.items[columns->dynamic.n - 1].n_pools = n;
  return BERTH_OK;
}

enum berth_code berth_builder_list_dynamic(struct berth_problem_builder *builder) {
  const struct berth_graph_columns *columns = &builder->problem->columns;
  enum berth_code code = BERTH_OK;
  if (builder->problem->symbols.expressions.n == 0) {
    return BERTH_OK;
  }
  for (uint32_t value = 0; value < columns->value_flags.n && code == BERTH_OK; value++) {
    unsigned flags = columns->value_flags.items[value];
    bool is_root = columns->view_of.n == 0 || columns->view_of.items[value] == value;
    if (is_root && (flags & BERTH_VALUE_DYNAMIC) != 0 && (flags & BERTH_VALUE_EXTERNAL) == 0) {
      code = list(builder, false, BERTH_SIZED_SIZE, value);
      code = code != BERTH_OK ? code : keep_pools(builder, value);
    }
  }
  for (uint32_t op = 0; op < builder->workspace_size.n && code == BERTH_OK; op++) {
    if (builder->workspace_size.items[op] == BERTH_DYNAMIC_SIZE) {
      code = list(builder, true, BERTH_SIZED_WORKSPACE, op);
    }
  }
  return code;
}

/* ---- The problem's view ---- */

void berth_problem_finish_symbols(struct berth_problem *problem) {
  struct berth_symbol_columns *columns = &problem->symbols;
  const struct berth_allocator *allocator = &problem->allocator;
  berth_names_finish(allocator, &columns->names);
  berth_vec_finish(allocator, &columns->symbols);
  berth_vec_finish(allocator, &columns->ranges);
  berth_vec_finish(allocator, &columns->expressions);
  berth_vec_finish(allocator, &columns->dimensions);
  berth_vec_finish(allocator, &columns->dynamic);
  berth_vec_finish(allocator, &columns->dynamic_pools);
  for (int field = 0; field < BERTH_N_SIZED_FIELDS; field++) {
    berth_vec_finish(allocator, &columns->sized[field]);
  }
}

void berth_problem_view_symbols(struct berth_problem *problem) {
  struct berth_symbol_columns *columns = &problem->symbols;
  for (uint32_t i = 0; i < columns->symbols.n; i++) {
    columns->symbols.items[i].name = berth_names_get(&columns->names, i);
    columns->ranges.items[i].symbol = columns->symbols.items[i].name;
  }
  for (uint32_t i = 0, at = 0; i < columns->dynamic.n; i++) {
    struct berth_dynamic_item *item = &columns->dynamic.items[i];
    item->pools = item->n_pools != 0 ? columns->dynamic_pools.items + at : NULL;
    at += item->n_pools;
  }
  problem->symbols_view = (struct berth_symbols){
      .n_symbols = (uint32_t)columns->symbols.n,
      .symbols = columns->symbols.items,
      .ranges = columns->ranges.items,
      .n_expressions = (uint32_t)columns->expressions.n,
      .expressions = columns->expressions.items,
      .dimensions = columns->dimensions.items,
      .n_dimensions = (uint32_t)columns->dimensions.n,
      .sizes = columns->sizes,
      .strict = columns->is_strict,
  };
  for (int field = 0; field < BERTH_N_SIZED_FIELDS; field++) {
    problem->symbols_view.n_sized[field] = (uint32_t)columns->sized[field].n;
    problem->symbols_view.sized[field] = columns->sized[field].items;
  }
}

const struct berth_symbols *berth_problem_symbols(const struct berth_problem *problem) {
  return problem->symbols.symbols.n + problem->symbols.expressions.n != 0 ? &problem->symbols_view : NULL;
}

struct berth_dynamic berth_problem_dynamic(const struct berth_problem *problem) {
  return (struct berth_dynamic){
      .n = (uint32_t)problem->symbols.dynamic.n, .items = problem->symbols.dynamic.items};
}
