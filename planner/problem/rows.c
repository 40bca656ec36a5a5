/* One row: a buffer, or a value. Everything that can be checked without the other rows is checked here. */
#include <string.h>

#include "base/checked.h"
#include "problem/builder.h"
#include "problem/gaps.h"
#include "problem/names.h"

#define MAX_BYTES ((uint64_t)INT64_MAX)

enum berth_code berth_builder_check_alignment(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, uint64_t alignment) {
  if (berth_is_power_of_two(alignment) && alignment <= MAX_BYTES) {
    return BERTH_OK;
  }
  return berth_builder_blame(
      builder, item, BERTH_REASON_BAD_ALIGNMENT, field, "alignment %llu is not a power of two up to 2^62",
      (unsigned long long)alignment);
}

enum berth_code berth_builder_add_size(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, uint64_t size,
    uint64_t alignment, uint64_t pool_alignment) {
  uint64_t padded;
  uint64_t sum;
  alignment = alignment < pool_alignment ? pool_alignment : alignment;
  if (!berth_round_up_u64(size, alignment, &padded) || !berth_add_u64(builder->padded_bytes, padded, &sum) ||
      sum > MAX_BYTES || sum + builder->pin_end > MAX_BYTES) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_SIZE_OVERFLOW, field,
        "with its %llu bytes the sum of sizes (rounded up to alignments, above the highest pin) passes 2^63",
        (unsigned long long)size);
  }
  builder->padded_bytes = sum;
  return BERTH_OK;
}

enum berth_code berth_builder_raise_alignment(
    struct berth_problem_builder *builder, struct berth_item item, uint32_t row, uint64_t alignment) {
  struct berth_rows *rows = &builder->problem->rows;
  const struct berth_graph_columns *columns = &builder->problem->columns;
  uint64_t before = rows->alignment.items[row];
  if (alignment <= before) {
    return BERTH_OK;
  }
  rows->alignment.items[row] = alignment;
  if ((columns->value_flags.items[row] & (BERTH_VALUE_EXTERNAL | BERTH_VALUE_DYNAMIC)) != 0) {
    return BERTH_OK;
  }
  uint64_t size = rows->size.items[row];
  builder->padded_bytes -= berth_align_up(size, before);
  return berth_builder_add_size(builder, item, "alignment", size, alignment, builder->pool_alignment);
}

static enum berth_code check_plain(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  if (item.index >= BERTH_MAX_BUFFERS) {
    return berth_builder_limit(builder, item, "id", "at most %u are allowed", BERTH_MAX_BUFFERS);
  }
  if ((unsigned)spec->class_ >= BERTH_N_CLASSES) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, "class", "class %d is unknown", (int)spec->class_);
  }
  if (spec->lower > spec->upper) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_LIFETIME, "upper",
        "its lifetime ends at %lld, before it begins at %lld", (long long)spec->upper,
        (long long)spec->lower);
  }
  if (spec->lower == INT64_MAX) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_LIFETIME, "lower",
        "no step comes after %lld, where its lifetime begins", (long long)spec->lower);
  }
  return berth_builder_check_alignment(builder, item, "alignment", spec->alignment);
}

enum berth_code berth_builder_add_name(
    struct berth_problem_builder *builder, struct berth_names *names, struct berth_item item,
    struct berth_text id) {
  switch (berth_names_add(&builder->allocator, names, item.index, id)) {
  case BERTH_NAMES_OK:
    return BERTH_OK;
  case BERTH_NAMES_BAD_TEXT:
    return berth_builder_blame(builder, item, BERTH_REASON_BAD_TEXT, "id", "its id is not UTF-8 without NUL");
  case BERTH_NAMES_TOO_LONG:
    return berth_builder_limit(builder, item, "id", "all ids together pass 2^32 - 1 bytes");
  case BERTH_NAMES_OUT_OF_MEMORY:
    break;
  }
  return berth_fail_memory(&builder->error);
}

/* ---- Pools ---- */

static enum berth_code check_pools(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  for (uint32_t i = 0; i < spec->n_pools; i++) {
    uint32_t pool = spec->pools[i];
    if (pool >= builder->problem->pools.n) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_UNKNOWN_ID, "pools", "pool %u is unknown; there are %zu", pool,
          builder->problem->pools.n);
    }
    if (builder->pool_mark.items[pool] == item.index + 1) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_POOL, "pools", "pool %u is listed twice", pool);
    }
    builder->pool_mark.items[pool] = item.index + 1;
  }
  return BERTH_OK;
}

static bool is_every_pool(const struct berth_problem_builder *builder, const struct berth_buffer_spec *spec) {
  const struct berth_problem *problem = builder->problem;
  if (spec->pools == NULL || spec->n_pools == 0) {
    return true;
  }
  for (uint32_t i = 0; i < spec->n_pools; i++) {
    if (spec->pools[i] != i) {
      return false;
    }
  }
  return spec->n_pools == problem->pools.n && !builder->has_choices;
}

/* Begins column `begin` (one entry more than rows) when the first row needs it, all earlier ranges empty. */
#define OPEN_RANGES(builder, begin, n_rows)                                                                  \
  ((begin)->n != 0 || open_ranges((builder), &(begin)->raw, &(begin)->capacity, &(begin)->n, (n_rows)))

static bool
open_ranges(struct berth_problem_builder *builder, void **raw, size_t *capacity, size_t *n, size_t n_rows) {
  if (n_rows + 1 > *capacity &&
      !berth_vec_grow(&builder->allocator, raw, capacity, n_rows + 1, sizeof(uint32_t))) {
    return false;
  }
  memset(*raw, 0, (n_rows + 1) * sizeof(uint32_t));
  *n = n_rows + 1;
  return true;
}

static enum berth_code add_pools(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  struct berth_rows *rows = &builder->problem->rows;
  const struct berth_allocator *allocator = &builder->allocator;
  bool every = is_every_pool(builder, spec);
  if (every && rows->pool_begin.n == 0) {
    return BERTH_OK;
  }
  uint32_t n = every ? 0 : spec->n_pools;
  if (n > UINT32_MAX - rows->pools.n) {
    return berth_builder_limit(builder, item, "pools", "all lists of pools together pass 2^32 - 1 entries");
  }
  if (!OPEN_RANGES(builder, &rows->pool_begin, item.index) ||
      !berth_vec_reserve(allocator, &rows->pool_begin, (size_t)item.index + 2) ||
      !berth_vec_reserve(allocator, &rows->pools, rows->pools.n + n)) {
    return berth_fail_memory(&builder->error);
  }
  if (n != 0) {
    memcpy(rows->pools.items + rows->pools.n, spec->pools, n * sizeof *spec->pools);
  }
  rows->pools.n += n;
  rows->pool_begin.items[rows->pool_begin.n++] = (uint32_t)rows->pools.n;
  return BERTH_OK;
}

static uint64_t
largest_alignment(const struct berth_problem_builder *builder, const struct berth_buffer_spec *spec) {
  if (spec->pools == NULL || spec->n_pools == 0 || builder->problem->spills.n != 0) {
    return builder->pool_alignment;
  }
  uint64_t largest = 1;
  for (uint32_t i = 0; i < spec->n_pools; i++) {
    uint64_t alignment = builder->problem->pools.items[spec->pools[i]].alignment;
    largest = alignment > largest ? alignment : largest;
  }
  return largest;
}

/* ---- Pins ---- */

bool berth_builder_pin_suits(const struct berth_pool_spec *pool, const struct berth_pin *pin) {
  return (pin->offset & (pool->alignment - 1)) == 0 && pin->offset + pin->size <= pool->capacity_bytes &&
         pin->size <= pool->max_block_bytes &&
         (pool->base_alignment == 0 || pool->base_alignment >= pin->alignment) &&
         pool->persistence != BERTH_PERSISTENCE_FRONT;
}

static enum berth_code check_pin(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  uint64_t offset = spec->pinned_offset;
  uint64_t end;
  if ((offset & (spec->alignment - 1)) != 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_PIN, "offset",
        "its pinned offset %llu is not a multiple of its alignment %llu", (unsigned long long)offset,
        (unsigned long long)spec->alignment);
  }
  if (!berth_add_u64(offset, spec->size_bytes, &end) || end > MAX_BYTES) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_SIZE_OVERFLOW, "offset",
        "its pinned offset %llu plus its size %llu passes 2^63", (unsigned long long)offset,
        (unsigned long long)spec->size_bytes);
  }
  struct berth_pin pin = {.offset = offset, .size = spec->size_bytes, .alignment = spec->alignment};
  bool suits = false;
  berth_builder_list_choices(
      builder, spec->pools, spec->pools != NULL ? spec->n_pools : 0, (uint8_t)spec->class_);
  for (size_t i = 0; i < builder->choice_list.n && !suits; i++) {
    suits = berth_builder_pin_suits(&builder->problem->pools.items[builder->choice_list.items[i]], &pin);
  }
  if (!suits) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_PIN, "offset",
        "pinned at [%llu, %llu), it breaks the alignment, capacity, largest block or front of every pool it "
        "may "
        "use",
        (unsigned long long)offset, (unsigned long long)end);
  }
  builder->pin_end = end > builder->pin_end ? end : builder->pin_end;
  return BERTH_OK;
}

static enum berth_code
add_pin(struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  struct berth_rows *rows = &builder->problem->rows;
  bool pinned = spec->pinned_offset != BERTH_UNPINNED;
  if (!pinned && rows->pin.n == 0) {
    return BERTH_OK;
  }
  enum berth_code code = pinned ? check_pin(builder, item, spec) : BERTH_OK;
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(&builder->allocator, &rows->pin, (size_t)item.index + 1)) {
    return berth_fail_memory(&builder->error);
  }
  while (rows->pin.n < item.index) {
    rows->pin.items[rows->pin.n++] = BERTH_UNPINNED;
  }
  rows->pin.items[rows->pin.n++] = spec->pinned_offset;
  return BERTH_OK;
}

/* ---- Accesses: the column begins with the first row that does not have 1 ---- */

static enum berth_code add_accesses(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  struct berth_rows *rows = &builder->problem->rows;
  if (spec->accesses == 1 && rows->accesses.n == 0) {
    return BERTH_OK;
  }
  if (!berth_vec_reserve(&builder->allocator, &rows->accesses, (size_t)item.index + 1)) {
    return berth_fail_memory(&builder->error);
  }
  while (rows->accesses.n < item.index) {
    rows->accesses.items[rows->accesses.n++] = 1;
  }
  rows->accesses.items[rows->accesses.n++] = spec->accesses;
  return BERTH_OK;
}

/* ---- Gaps ---- */

static enum berth_code add_gaps(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  struct berth_rows *rows = &builder->problem->rows;
  if (spec->n_gaps == 0 && rows->gap_begin.n == 0) {
    return BERTH_OK;
  }
  size_t n_before = rows->gaps.n;
  enum berth_code code = spec->n_gaps != 0 ? berth_builder_add_gaps(builder, item, spec) : BERTH_OK;
  if (code != BERTH_OK || (rows->gaps.n == n_before && rows->gap_begin.n == 0)) {
    return code;
  }
  if (!OPEN_RANGES(builder, &rows->gap_begin, item.index) ||
      !berth_vec_reserve(&builder->allocator, &rows->gap_begin, (size_t)item.index + 2)) {
    return berth_fail_memory(&builder->error);
  }
  rows->gap_begin.items[rows->gap_begin.n++] = (uint32_t)rows->gaps.n;
  return BERTH_OK;
}

static enum berth_code
append(struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  struct berth_rows *rows = &builder->problem->rows;
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = (size_t)item.index + 1;
  if (!berth_vec_reserve(allocator, &rows->size, n) || !berth_vec_reserve(allocator, &rows->alignment, n) ||
      !berth_vec_reserve(allocator, &rows->lower, n) || !berth_vec_reserve(allocator, &rows->upper, n) ||
      !berth_vec_reserve(allocator, &rows->class_, n)) {
    return berth_fail_memory(&builder->error);
  }
  rows->size.items[rows->size.n++] = spec->size_bytes;
  rows->alignment.items[rows->alignment.n++] = spec->alignment;
  rows->lower.items[rows->lower.n++] = spec->lower;
  rows->upper.items[rows->upper.n++] = spec->upper == spec->lower ? spec->upper + 1 : spec->upper;
  rows->class_.items[rows->class_.n++] = (uint8_t)spec->class_;
  return BERTH_OK;
}

enum berth_code berth_builder_add_row(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec,
    bool external) {
  enum berth_code code = berth_builder_close_pools(builder);
  code = code != BERTH_OK ? code : check_plain(builder, item, spec);
  code = code != BERTH_OK ? code : berth_builder_add_name(builder, &builder->problem->names, item, spec->id);
  code = code != BERTH_OK ? code : check_pools(builder, item, spec);
  if (code == BERTH_OK && !external) {
    uint32_t n = spec->pools != NULL ? spec->n_pools : 0;
    code = berth_builder_check_class(builder, item, "pools", spec->pools, n, (uint8_t)spec->class_);
  }
  code = code != BERTH_OK ? code : add_pools(builder, item, spec);
  code = code != BERTH_OK ? code : add_pin(builder, item, spec);
  code = code != BERTH_OK ? code : add_accesses(builder, item, spec);
  code = code != BERTH_OK ? code : add_gaps(builder, item, spec);
  if (code == BERTH_OK && !external) {
    uint64_t pool_alignment = largest_alignment(builder, spec);
    code = berth_builder_add_size(builder, item, "size", spec->size_bytes, spec->alignment, pool_alignment);
  }
  return code != BERTH_OK ? code : append(builder, item, spec);
}
