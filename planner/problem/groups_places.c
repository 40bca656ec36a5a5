/* Places in groups: distances between members, the alignment of the base, and pins. */
#include <string.h>

#include "base/checked.h"
#include "problem/groups_settle.h"

#define MAX_BYTES ((uint64_t)INT64_MAX)

/* ---- Distances ---- */

static uint64_t alignment_of(const struct berth_settle *settle, uint32_t buffer) {
  const struct berth_rows *rows = settle->rows;
  const struct berth_pool_spec *pools = settle->problem->pools.items;
  uint32_t begin = rows->pool_begin.n != 0 ? rows->pool_begin.items[buffer] : 0;
  uint32_t n = rows->pool_begin.n != 0 ? rows->pool_begin.items[buffer + 1] - begin : 0;
  uint64_t alignment = rows->alignment.items[buffer];
  if (n == 0) {
    uint64_t of_pools = settle->builder->pool_alignment;
    return alignment > of_pools ? alignment : of_pools;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint64_t of_pool = pools[rows->pools.items[begin + i]].alignment;
    alignment = alignment > of_pool ? alignment : of_pool;
  }
  return alignment;
}

/* The least and the most that the member's size can be within the ranges of symbols. */
static void
find_sizes(const struct berth_settle *settle, uint32_t buffer, uint64_t *out_least, uint64_t *out_most) {
  const struct berth_symbol_columns *columns = &settle->problem->symbols;
  bool graph = settle->builder->form == BERTH_FORM_GRAPH;
  uint32_t item = graph ? settle->problem->columns.buffer_item.items[buffer] : buffer;
  const struct berth_sized *sized =
      columns->expressions.n != 0 ? berth_problem_sized(settle->problem, BERTH_SIZED_SIZE, item) : NULL;
  *out_least = *out_most = settle->rows->size.items[buffer];
  if (sized != NULL) {
    struct berth_shape shape = {
        .dimensions = sized->n != 0 ? columns->dimensions.items + sized->begin : NULL,
        .n_dimensions = sized->n,
        .element_bits = sized->element_bits};
    uint32_t unused;
    struct berth_extent bytes = berth_extent_of_shape(&shape, settle->builder->symbols.bound.items, &unused);
    *out_least = bytes.lower;
    *out_most = bytes.upper;
  }
}

/* Where the member after `last` at `at` begins in a contiguous group: the same for all bindings. */
static enum berth_code step(
    struct berth_settle *settle, size_t group, uint64_t at, uint32_t last, uint32_t buffer,
    uint64_t *out_at) {
  uint64_t alignment = alignment_of(settle, buffer);
  uint64_t least;
  uint64_t most;
  uint64_t end;
  uint64_t before = at;
  find_sizes(settle, last, &least, &most);
  if (!berth_add_u64(at, most, &end) || !berth_round_up_u64(end, alignment, out_at) ||
      !berth_add_u64(settle->sum_bytes, *out_at - at, &settle->sum_bytes) ||
      settle->sum_bytes > MAX_BYTES / 2) {
    return berth_builder_blame(
        settle->builder, berth_settle_item(group), BERTH_REASON_SIZE_OVERFLOW, "members",
        "with it all groups together are longer than 2^62 bytes");
  }
  if (!berth_round_up_u64(at + least, alignment, &before) || before != *out_at) {
    return berth_builder_blame(
        settle->builder, berth_settle_item(group), BERTH_REASON_BAD_GROUP, "members",
        "where %s begins depends on symbols: %llu to %llu bytes after the first; give the symbols of %s "
        "numbers",
        berth_settle_label_of(settle, buffer).text, (unsigned long long)before, (unsigned long long)*out_at,
        berth_settle_label_of(settle, last).text);
  }
  return BERTH_OK;
}

static enum berth_code blame_distance(
    struct berth_settle *settle, size_t group, uint32_t a, uint32_t b, int64_t wanted, int64_t known) {
  return berth_builder_blame(
      settle->builder, berth_settle_item(group), BERTH_REASON_BAD_GROUP, "members",
      "it wants %s %lld bytes after %s, and earlier groups want %lld", berth_settle_label_of(settle, b).text,
      (long long)wanted, berth_settle_label_of(settle, a).text, (long long)known);
}

enum berth_code berth_settle_distances(struct berth_settle *settle) {
  const uint32_t *item = settle->groups->items.items;
  for (size_t g = 0; g < settle->groups->specs.n; g++) {
    const struct berth_group_spec *spec = &settle->groups->specs.items[g];
    uint32_t first = BERTH_NO_INDEX;
    uint32_t last = BERTH_NO_INDEX;
    uint64_t at = 0;
    for (uint32_t k = 0; k < spec->n_members; k++) {
      uint32_t buffer = berth_settle_buffer(settle, *item++);
      if (buffer == BERTH_NO_INDEX) {
        continue;
      }
      enum berth_code code = BERTH_OK;
      if (first == BERTH_NO_INDEX) {
        first = buffer;
      } else if (spec->kind == BERTH_GROUP_CONTIGUOUS) {
        code = step(settle, g, at, last, buffer, &at);
      }
      int64_t known = 0;
      if (code == BERTH_OK && buffer != first &&
          !berth_settle_join(settle, first, buffer, (int64_t)at, &known)) {
        code = blame_distance(settle, g, first, buffer, (int64_t)at, known);
      }
      if (code != BERTH_OK) {
        return code;
      }
      last = buffer;
    }
  }
  return BERTH_OK;
}

/* ---- The base ---- */

/* The strictest member says where the base lies; all others must agree. Distances from the lowest member
 * become distances from the base. */
static enum berth_code align(struct berth_settle *settle, uint32_t group) {
  struct berth_group_columns *groups = settle->groups;
  const uint32_t *members = groups->members.items + groups->begin.items[group];
  uint32_t n = groups->begin.items[group + 1] - groups->begin.items[group];
  uint64_t *distance = groups->distance.items;
  uint32_t strictest = members[0];
  uint64_t alignment = 1;
  for (uint32_t k = 0; k < n; k++) {
    uint64_t of_member = alignment_of(settle, members[k]);
    strictest = of_member > alignment ? members[k] : strictest;
    alignment = of_member > alignment ? of_member : alignment;
  }
  uint64_t phase = (alignment - (distance[strictest] & (alignment - 1))) & (alignment - 1);
  uint64_t span = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t member = members[k];
    distance[member] += phase;
    uint64_t of_member = alignment_of(settle, member);
    if ((distance[member] & (of_member - 1)) != 0) {
      return berth_builder_blame(
          settle->builder, berth_builder_item(settle->builder, member), BERTH_REASON_BAD_GROUP, "alignment",
          "its groups put it %lld bytes from %s, where one of the alignments %llu and %llu is broken",
          (long long)(distance[member] - distance[strictest]), berth_settle_label_of(settle, strictest).text,
          (unsigned long long)of_member, (unsigned long long)alignment);
    }
    uint64_t end = distance[member] + settle->rows->size.items[member];
    span = end > span ? end : span;
  }
  uint64_t sum;
  uint64_t padded;
  if (!berth_round_up_u64(span, alignment, &padded) ||
      !berth_add_u64(settle->builder->padded_bytes, padded, &sum) || sum > MAX_BYTES ||
      sum + settle->builder->pin_end > MAX_BYTES) {
    return berth_builder_blame(
        settle->builder, berth_builder_item(settle->builder, members[0]), BERTH_REASON_SIZE_OVERFLOW, "size",
        "with the %llu bytes of its group the sum of sizes (above the highest pin) passes 2^63",
        (unsigned long long)span);
  }
  settle->builder->padded_bytes = sum;
  groups->alignment.items[groups->alignment.n++] = alignment;
  groups->span.items[groups->span.n++] = span;
  return BERTH_OK;
}

/* ---- Pins ---- */

/* Some pool must take the whole group there. */
static bool pin_suits(const struct berth_settle *settle, uint32_t group, uint64_t base) {
  const struct berth_group_columns *groups = settle->groups;
  const struct berth_rows *rows = settle->rows;
  uint32_t first = groups->members.items[groups->begin.items[group]];
  uint32_t begin = rows->pool_begin.n != 0 ? rows->pool_begin.items[first] : 0;
  uint32_t n = rows->pool_begin.n != 0 ? rows->pool_begin.items[first + 1] - begin : 0;
  bool every = n == 0;
  n = every ? (uint32_t)settle->problem->pools.n : n;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_pool_spec *pool =
        &settle->problem->pools.items[every ? i : rows->pools.items[begin + i]];
    if (base + groups->span.items[group] <= pool->capacity_bytes &&
        pool->persistence != BERTH_PERSISTENCE_FRONT) {
      return true;
    }
  }
  return false;
}

static enum berth_code
blame_pin(struct berth_settle *settle, uint32_t member, const char *why, uint32_t other) {
  uint64_t pin = settle->rows->pin.items[member];
  uint64_t here = settle->groups->distance.items[member];
  uint64_t there = settle->groups->distance.items[other];
  return berth_builder_blame(
      settle->builder, berth_builder_item(settle->builder, member), BERTH_REASON_BAD_PIN, "offset",
      "pinned at %llu, it %s %s, %llu bytes from it", (unsigned long long)pin, why,
      berth_settle_label_of(settle, other).text,
      (unsigned long long)(there > here ? there - here : here - there));
}

static enum berth_code pin(struct berth_settle *settle, uint32_t group) {
  struct berth_group_columns *groups = settle->groups;
  struct berth_rows *rows = settle->rows;
  const uint32_t *members = groups->members.items + groups->begin.items[group];
  uint32_t n = groups->begin.items[group + 1] - groups->begin.items[group];
  uint32_t pinned = BERTH_NO_INDEX;
  uint64_t base = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t member = members[k];
    uint64_t offset = rows->pin.items[member];
    uint64_t distance = groups->distance.items[member];
    if (offset == BERTH_UNPINNED) {
      continue;
    }
    if (offset < distance || ((offset - distance) & (groups->alignment.items[group] - 1)) != 0) {
      return blame_pin(
          settle, member, offset < distance ? "leaves no room for" : "breaks the alignment of",
          members[k > 0 ? 0 : n - 1]);
    }
    if (pinned != BERTH_NO_INDEX && offset - distance != base) {
      return blame_pin(settle, member, "contradicts the pin of", pinned);
    }
    pinned = member;
    base = offset - distance;
  }
  if (pinned == BERTH_NO_INDEX) {
    return BERTH_OK;
  }
  uint64_t end = base + groups->span.items[group];
  if (end + settle->builder->padded_bytes > MAX_BYTES || !pin_suits(settle, group, base)) {
    return blame_pin(settle, pinned, "takes every pool's capacity from", members[n - 1]);
  }
  settle->builder->pin_end = end > settle->builder->pin_end ? end : settle->builder->pin_end;
  for (uint32_t k = 0; k < n; k++) {
    rows->pin.items[members[k]] = base + groups->distance.items[members[k]];
  }
  return BERTH_OK;
}

/* ---- All of it ---- */

/* Distances from the lowest member of each group; the members in their order. */
static enum berth_code spread(struct berth_settle *settle) {
  struct berth_group_columns *groups = settle->groups;
  const struct berth_allocator *allocator = &settle->builder->allocator;
  int64_t *least = berth_arena_new_zeroed(&settle->arena, int64_t, settle->n); /* of each root */
  if (least == NULL || !berth_vec_reserve(allocator, &groups->distance, settle->n) ||
      !berth_vec_reserve(allocator, &groups->storage, settle->n) ||
      !berth_vec_reserve(allocator, &groups->alignment, berth_settle_n_groups(settle)) ||
      !berth_vec_reserve(allocator, &groups->span, berth_settle_n_groups(settle))) {
    return berth_fail_memory(&settle->builder->error);
  }
  for (uint32_t i = 0; i < settle->n; i++) {
    int64_t distance;
    uint32_t root = berth_settle_find(settle, i, &distance);
    least[root] = distance < least[root] ? distance : least[root];
  }
  for (uint32_t i = 0; i < settle->n; i++) {
    int64_t distance;
    uint32_t root = berth_settle_find(settle, i, &distance);
    settle->key[i] = groups->distance.items[i] = (uint64_t)(distance - least[root]);
    groups->storage.items[i] = berth_settle_storage(settle, i);
  }
  groups->distance.n = groups->storage.n = settle->n;
  return berth_settle_list_members(settle);
}

enum berth_code berth_settle_places(struct berth_settle *settle) {
  enum berth_code code = spread(settle);
  for (uint32_t g = 0; code == BERTH_OK && g < berth_settle_n_groups(settle); g++) {
    code = align(settle, g);
  }
  struct berth_rows *rows = settle->rows;
  bool pinned = rows->pin.n != 0;
  if (code == BERTH_OK && pinned && !berth_vec_reserve(&settle->builder->allocator, &rows->pin, settle->n)) {
    return berth_fail_memory(&settle->builder->error);
  }
  while (pinned && rows->pin.n < settle->n) {
    rows->pin.items[rows->pin.n++] = BERTH_UNPINNED;
  }
  for (uint32_t g = 0; code == BERTH_OK && pinned && g < berth_settle_n_groups(settle); g++) {
    code = pin(settle, g);
  }
  return code;
}
