/* Views: from "a view of this value, here" to "these bytes of that root". A view may be of a view, in any
 * order of addition; each chain is followed once, and its end is written into every value on the way. */
#include <string.h>

#include "base/checked.h"
#include "problem/builder.h"

enum mark { NEW = 0, ON_THE_WAY, DONE };

static struct berth_item item_of(const struct berth_problem_builder *builder, uint32_t value) {
  return (struct berth_item){
      .kind = "value", .index = value, .id = berth_names_get(&builder->problem->names, value)};
}

/* ---- Sizes by expressions: over ranges of symbols a view lies somewhere in its root; whether it lies within
 * is checked for every binding by itself ---- */

static void set_size(struct berth_problem *problem, uint32_t value, uint64_t size) {
  problem->rows.size.items[value] = size;
  if (problem->columns.value_size.n != 0) {
    problem->columns.value_size.items[value] = size;
  }
}

/* One shift a chain: what is added up must be numbers. */
static enum berth_code settle_moving(struct berth_problem_builder *builder, uint32_t value, uint32_t of) {
  struct berth_problem *problem = builder->problem;
  bool moves = berth_builder_is_sized(builder, BERTH_SIZED_VIEW_OFFSET, value);
  bool of_view = problem->columns.view_of.items[of] != of;
  if ((moves && of_view) || builder->symbols.is_moving.items[of] != 0) {
    return berth_builder_blame(
        builder, item_of(builder, value), BERTH_REASON_BAD_VIEW, "view_offset",
        "an expression places a view in its root: neither can such a view be one of a view, nor have views");
  }
  unsigned flags = problem->columns.value_flags.items[of];
  if (moves && (flags & BERTH_VALUE_LIVE_WINDOWS) != 0) {
    return berth_builder_blame(
        builder, item_of(builder, value), BERTH_REASON_BAD_VIEW, "view_offset",
        "an expression places it in a root whose live windows are asked for");
  }
  builder->symbols.is_moving.items[value] = moves;
  return BERTH_OK;
}

/* Fits the view into what is known of its root. Numbers that were stated stay as they are, but where all is
 * made as small as it can be. */
static void fit(struct berth_problem_builder *builder, uint32_t value, uint32_t of) {
  struct berth_problem *problem = builder->problem;
  uint64_t *offset = &problem->columns.view_offset.items[value];
  uint64_t size = problem->rows.size.items[value];
  uint64_t room = problem->rows.size.items[of];
  uint32_t root = problem->columns.view_of.items[of];
  bool is_dynamic = (problem->columns.value_flags.items[root] & BERTH_VALUE_DYNAMIC) != 0;
  if (is_dynamic) {
    set_size(problem, value, 0);
    *offset = 0;
    return;
  }
  bool is_smallest = problem->symbols.sizes == BERTH_SIZES_SMALLEST;
  bool size_varies = is_smallest || berth_builder_is_sized(builder, BERTH_SIZED_SIZE, value);
  bool offset_varies = is_smallest || berth_builder_is_sized(builder, BERTH_SIZED_VIEW_OFFSET, value);
  uint64_t before = offset_varies ? 0 : *offset;
  if (builder->symbols.is_ranged && size_varies && before <= room && size > room - before) {
    size = room - before;
    set_size(problem, value, size);
  }
  if (builder->symbols.is_ranged && offset_varies && size <= room && *offset > room - size) {
    *offset = room - size;
  }
}

/* The value must lie within the one that it is a view of, whose own place is known. */
static enum berth_code settle(struct berth_problem_builder *builder, uint32_t value, uint32_t of) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  const struct berth_rows *rows = &builder->problem->rows;
  if (builder->symbols.is_moving.n != 0) {
    enum berth_code code = settle_moving(builder, value, of);
    if (code != BERTH_OK) {
      return code;
    }
  }
  if (builder->problem->symbols.expressions.n != 0) {
    fit(builder, value, of);
  }
  uint64_t offset = columns->view_offset.items[value];
  uint64_t size = rows->size.items[value];
  uint64_t end;
  if (!berth_add_u64(offset, size, &end) || end > rows->size.items[of]) {
    char label[BERTH_LABEL_SIZE];
    berth_builder_label(item_of(builder, of), label, sizeof label);
    return berth_builder_blame(
        builder, item_of(builder, value), BERTH_REASON_BAD_VIEW, "view_offset",
        "%llu bytes from %llu are not within the %llu bytes of %s", (unsigned long long)size,
        (unsigned long long)offset, (unsigned long long)rows->size.items[of], label);
  }
  columns->view_offset.items[value] = offset + columns->view_offset.items[of];
  columns->view_of.items[value] = columns->view_of.items[of];
  return BERTH_OK;
}

/* Follows the chain from `value` to what is settled already, then settles it on the way back. The way back is
 * kept in `back`. */
static enum berth_code
follow(struct berth_problem_builder *builder, uint32_t value, uint8_t *marks, uint32_t *back) {
  const uint32_t *view_of = builder->problem->columns.view_of.items;
  uint32_t n_values = (uint32_t)builder->problem->rows.size.n;
  uint32_t n = 0;
  uint32_t at = value;
  while (marks[at] == NEW && view_of[at] != at) {
    marks[at] = ON_THE_WAY;
    back[n++] = at;
    if (view_of[at] >= n_values) {
      return berth_builder_blame(
          builder, item_of(builder, at), BERTH_REASON_UNKNOWN_ID, "view_of",
          "it is a view of value %u; there are %u", view_of[at], n_values);
    }
    at = view_of[at];
  }
  if (marks[at] == ON_THE_WAY) {
    return berth_builder_blame(
        builder, item_of(builder, at), BERTH_REASON_BAD_VIEW, "view_of",
        "it is a view of itself, by way of value %u", view_of[at]);
  }
  for (; n > 0; n--) {
    enum berth_code code = settle(builder, back[n - 1], at);
    if (code != BERTH_OK) {
      return code;
    }
    marks[back[n - 1]] = DONE;
    at = back[n - 1];
  }
  return BERTH_OK;
}

/* The root's offset must suit the view: the root takes the larger alignment, and the place in it must be a
 * multiple. */
static enum berth_code align(struct berth_problem_builder *builder, uint32_t value) {
  const struct berth_graph_columns *columns = &builder->problem->columns;
  struct berth_rows *rows = &builder->problem->rows;
  uint32_t root = columns->view_of.items[value];
  uint64_t alignment = rows->alignment.items[value];
  uint64_t offset = columns->view_offset.items[value];
  if (root == value) {
    return BERTH_OK;
  }
  if ((offset & (alignment - 1)) != 0) {
    return berth_builder_blame(
        builder, item_of(builder, value), BERTH_REASON_BAD_ALIGNMENT, "alignment",
        "it begins %llu bytes into its root, which is not a multiple of its alignment %llu",
        (unsigned long long)offset, (unsigned long long)alignment);
  }
  if (alignment <= rows->alignment.items[root]) {
    return BERTH_OK;
  }
  uint64_t pin = root < rows->pin.n ? rows->pin.items[root] : BERTH_UNPINNED;
  if (pin != BERTH_UNPINNED && (pin & (alignment - 1)) != 0) {
    return berth_builder_blame(
        builder, item_of(builder, value), BERTH_REASON_BAD_PIN, "alignment",
        "its root, value %u, is pinned at %llu, which is not a multiple of its alignment %llu", root,
        (unsigned long long)pin, (unsigned long long)alignment);
  }
  return berth_builder_raise_alignment(builder, item_of(builder, value), root, alignment);
}

enum berth_code berth_builder_resolve_views(struct berth_problem_builder *builder) {
  if (builder->n_views == 0) {
    return BERTH_OK;
  }
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = builder->problem->rows.size.n;
  BERTH_VEC(uint8_t) marks = {0};
  BERTH_VEC(uint32_t) back = {0};
  enum berth_code code = BERTH_OK;
  bool moving = builder->problem->symbols.sized[BERTH_SIZED_VIEW_OFFSET].n != 0;
  if (!berth_vec_reserve(allocator, &marks, n) || !berth_vec_reserve(allocator, &back, n) ||
      (moving && !berth_vec_reserve(allocator, &builder->symbols.is_moving, n))) {
    code = berth_fail_memory(&builder->error);
  } else {
    memset(marks.items, NEW, n);
  }
  if (code == BERTH_OK && moving) {
    memset(builder->symbols.is_moving.items, 0, n);
    builder->symbols.is_moving.n = n;
  }
  for (uint32_t value = 0; value < n && code == BERTH_OK; value++) {
    code = follow(builder, value, marks.items, back.items);
  }
  for (uint32_t value = 0; value < n && code == BERTH_OK; value++) {
    code = align(builder, value);
  }
  berth_vec_finish(allocator, &marks);
  berth_vec_finish(allocator, &back);
  return code;
}
