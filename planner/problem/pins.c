/* Pins that contradict each other: two buffers that can only be in one pool, pinned to bytes that meet at a
 * step at which both hold them, or that must never share.
 *
 * A sweep over time. Every pinned buffer is cut into pieces, stretches of time in which it holds one window
 * of bytes; as long as no two pieces have met, those that are live lie apart, so a new one can only meet its
 * neighbours in the order of pools and bytes. */
#include "base/arena.h"
#include "base/order.h"
#include "base/rankset.h"
#include "base/sort.h"
#include "problem/builder.h"

struct piece {
  int64_t lower;
  int64_t upper;
  uint64_t first_byte;
  uint64_t end_byte;
  uint32_t buffer;
  uint32_t pool;
};

struct sweep {
  struct berth_problem_builder *builder;
  const struct berth_rows *rows;
  const bool *shared; /* of each buffer: others are one storage with it; NULL: of none */
  uint32_t *pool_of;  /* the one pool of each pinned buffer, or BERTH_NO_INDEX */
  struct piece *pieces;
  uint32_t n;
  uint32_t capacity;
  uint32_t *rank; /* of each piece by pool and first byte */
  uint32_t *piece_at;
  struct berth_rankset live;
};

/* The only pool in which the pin is possible. */
static uint32_t only_pool(const struct berth_problem *problem, uint32_t buffer) {
  const struct berth_rows *rows = &problem->rows;
  bool chosen = rows->choice_begin.n != 0;
  const uint32_t *pools = chosen ? rows->choices.items : rows->pools.items;
  const uint32_t *begin = chosen                    ? rows->choice_begin.items + buffer
                          : rows->pool_begin.n != 0 ? rows->pool_begin.items + buffer
                                                    : NULL;
  bool every = begin == NULL || begin[0] == begin[1];
  uint32_t n = every ? (uint32_t)problem->pools.n : begin[1] - begin[0];
  const struct berth_pin pin = {
      .offset = rows->pin.items[buffer],
      .size = rows->size.items[buffer],
      .alignment = rows->alignment.items[buffer]};
  uint32_t found = BERTH_NO_INDEX;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t pool = every ? i : pools[begin[0] + i];
    if (berth_builder_pin_suits(&problem->pools.items[pool], &pin)) {
      if (found != BERTH_NO_INDEX) {
        return BERTH_NO_INDEX;
      }
      found = pool;
    }
  }
  return found;
}

/* Constants and state that are kept apart are always there. */
static bool is_apart(const struct sweep *sweep, uint32_t buffer) {
  const struct berth_pool_spec *pool = &sweep->builder->problem->pools.items[sweep->pool_of[buffer]];
  return pool->persistence != BERTH_PERSISTENCE_MIXED &&
         berth_class_persists(sweep->rows->class_.items[buffer]);
}

static enum berth_code
blame_two(struct berth_problem_builder *builder, uint32_t buffer, uint32_t other, const char *why) {
  const struct berth_rows *rows = &builder->problem->rows;
  char name[BERTH_LABEL_SIZE];
  berth_builder_label(berth_builder_item(builder, other), name, sizeof name);
  uint64_t offset = rows->pin.items[buffer];
  uint64_t other_offset = rows->pin.items[other];
  return berth_builder_blame(
      builder, berth_builder_item(builder, buffer), BERTH_REASON_BAD_PIN, "offset",
      "pinned at [%llu, %llu), it meets %s, pinned at [%llu, %llu), %s", (unsigned long long)offset,
      (unsigned long long)(offset + rows->size.items[buffer]), name, (unsigned long long)other_offset,
      (unsigned long long)(other_offset + rows->size.items[other]), why);
}

/* ---- Pieces ---- */

static void
add_piece(struct sweep *sweep, uint32_t buffer, int64_t lower, int64_t upper, uint64_t first, uint64_t end) {
  if (lower < upper && first < end) {
    uint64_t offset = sweep->rows->pin.items[buffer];
    sweep->pieces[sweep->n++] = (struct piece){
        .lower = lower,
        .upper = upper,
        .first_byte = offset + first,
        .end_byte = offset + end,
        .buffer = buffer,
        .pool = sweep->pool_of[buffer],
    };
  }
}

static uint32_t first_slice(const struct berth_problem *problem, uint32_t buffer) {
  return problem->slice_begin.n != 0 ? problem->slice_begin.items[buffer] : 0;
}

static void cut(struct sweep *sweep, uint32_t buffer) {
  const struct berth_rows *rows = sweep->rows;
  int64_t at = rows->lower.items[buffer];
  uint64_t size = rows->size.items[buffer];
  if (is_apart(sweep, buffer)) {
    add_piece(sweep, buffer, INT64_MIN, INT64_MAX, 0, size);
    return;
  }
  const struct berth_problem *problem = sweep->builder->problem;
  for (uint32_t i = first_slice(problem, buffer); i < first_slice(problem, buffer + 1); i++) {
    const struct berth_slice *slice = &problem->slices.items[i];
    add_piece(sweep, buffer, slice->lower, slice->upper, slice->window_lower, slice->window_upper);
  }
  if (first_slice(problem, buffer) < first_slice(problem, buffer + 1)) {
    return;
  }
  uint32_t begin = rows->gap_begin.n != 0 ? rows->gap_begin.items[buffer] : 0;
  uint32_t end = rows->gap_begin.n != 0 ? rows->gap_begin.items[buffer + 1] : 0;
  for (uint32_t i = begin; i < end; i++) {
    const struct berth_gap *gap = &rows->gaps.items[i];
    add_piece(sweep, buffer, at, gap->lower, 0, size);
    add_piece(sweep, buffer, gap->lower, gap->upper, gap->window_lower, gap->window_upper);
    at = gap->upper;
  }
  add_piece(sweep, buffer, at, rows->upper.items[buffer], 0, size);
}

/* One storage of several buffers may well meet itself; whom else it meets is left to the planner. */
static bool is_shared(const struct sweep *sweep, uint32_t buffer) {
  return sweep->shared != NULL && sweep->shared[buffer];
}

static bool mark_shared(struct sweep *sweep, struct berth_arena *arena) {
  const struct berth_group_columns *groups = &sweep->builder->problem->groups;
  if (groups->storage.n == 0) {
    return true;
  }
  bool *shared = berth_arena_new_zeroed(arena, bool, groups->storage.n);
  for (uint32_t i = 0; shared != NULL && i < groups->storage.n; i++) {
    uint32_t first = groups->storage.items[i];
    shared[i] = first != i;
    shared[first] |= first != i;
  }
  sweep->shared = shared;
  return shared != NULL;
}

static bool make_pieces(struct sweep *sweep, struct berth_arena *arena) {
  size_t n_rows = sweep->rows->size.n;
  size_t capacity = 0;
  sweep->pool_of = berth_arena_new(arena, uint32_t, n_rows);
  if (sweep->pool_of == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n_rows; i++) {
    bool pinned =
        i < sweep->rows->pin.n && sweep->rows->pin.items[i] != BERTH_UNPINNED && !is_shared(sweep, i);
    sweep->pool_of[i] = pinned ? only_pool(sweep->builder->problem, i) : BERTH_NO_INDEX;
    if (sweep->pool_of[i] != BERTH_NO_INDEX) {
      const uint32_t *begin = sweep->rows->gap_begin.n != 0 ? sweep->rows->gap_begin.items + i : NULL;
      capacity += begin != NULL ? 2 * (size_t)(begin[1] - begin[0]) + 1 : 1;
      capacity += first_slice(sweep->builder->problem, i + 1) - first_slice(sweep->builder->problem, i);
    }
  }
  if (capacity > UINT32_MAX / 2) {
    return false;
  }
  sweep->pieces = berth_arena_new(arena, struct piece, capacity);
  if (sweep->pieces == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n_rows; i++) {
    if (sweep->pool_of[i] != BERTH_NO_INDEX) {
      cut(sweep, i);
    }
  }
  return true;
}

static bool rank_pieces(struct sweep *sweep, struct berth_arena *arena, struct berth_sort_item *items) {
  uint32_t n = sweep->n;
  sweep->rank = berth_arena_new(arena, uint32_t, n);
  sweep->piece_at = berth_arena_new(arena, uint32_t, n);
  if (sweep->rank == NULL || sweep->piece_at == NULL || !berth_rankset_init(&sweep->live, arena, n)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    items[i] = (struct berth_sort_item){.key = sweep->pieces[i].first_byte, .index = i};
  }
  berth_sort_items(items, items + n, n);
  for (uint32_t i = 0; i < n; i++) {
    items[i].key = sweep->pieces[items[i].index].pool;
  }
  berth_sort_items(items, items + n, n);
  for (uint32_t i = 0; i < n; i++) {
    sweep->rank[items[i].index] = i;
    sweep->piece_at[i] = items[i].index;
  }
  return true;
}

/* ---- The sweep ---- */

static bool meet(const struct piece *a, const struct piece *b) {
  uint64_t first = a->first_byte > b->first_byte ? a->first_byte : b->first_byte;
  uint64_t end = a->end_byte < b->end_byte ? a->end_byte : b->end_byte;
  return a->pool == b->pool && first < end; /* also right for no bytes */
}

static enum berth_code begin_piece(struct sweep *sweep, uint32_t index) {
  uint32_t rank = sweep->rank[index];
  const struct piece *piece = &sweep->pieces[index];
  uint32_t neighbours[2] = {
      berth_rankset_before(&sweep->live, rank), berth_rankset_after(&sweep->live, rank)};
  for (int i = 0; i < 2; i++) {
    if (neighbours[i] == BERTH_NO_RANK) {
      continue;
    }
    const struct piece *other = &sweep->pieces[sweep->piece_at[neighbours[i]]];
    if (meet(piece, other)) {
      uint32_t later = piece->buffer > other->buffer ? piece->buffer : other->buffer;
      uint32_t earlier = piece->buffer > other->buffer ? other->buffer : piece->buffer;
      return blame_two(sweep->builder, later, earlier, "and their lifetimes meet too");
    }
  }
  berth_rankset_insert(&sweep->live, rank);
  return BERTH_OK;
}

/* Ends come before begins at one step: they are first in `items`, and sorting is stable. */
static enum berth_code run(struct sweep *sweep, struct berth_sort_item *items) {
  uint32_t n = sweep->n;
  for (uint32_t i = 0; i < n; i++) {
    items[i] = (struct berth_sort_item){.key = berth_sort_key_i64(sweep->pieces[i].upper), .index = i};
    items[n + i] =
        (struct berth_sort_item){.key = berth_sort_key_i64(sweep->pieces[i].lower), .index = n + i};
  }
  berth_sort_items(items, items + 2 * (size_t)n, 2 * (size_t)n);
  for (uint32_t i = 0; i < 2 * n; i++) {
    if (items[i].index < n) {
      berth_rankset_remove(&sweep->live, sweep->rank[items[i].index]);
      continue;
    }
    enum berth_code code = begin_piece(sweep, items[i].index - n);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}

/* ---- Pins against conflicts ---- */

static enum berth_code check_conflicts(struct sweep *sweep) {
  const struct berth_problem *problem = sweep->builder->problem;
  const struct berth_rows *rows = sweep->rows;
  for (size_t i = 0; i < problem->conflicts.n; i++) {
    uint32_t a = problem->conflicts.items[i][0];
    uint32_t b = problem->conflicts.items[i][1];
    if (sweep->pool_of[a] == BERTH_NO_INDEX || sweep->pool_of[a] != sweep->pool_of[b]) {
      continue;
    }
    struct piece piece_a = {
        .first_byte = rows->pin.items[a], .end_byte = rows->pin.items[a] + rows->size.items[a]};
    struct piece piece_b = {
        .first_byte = rows->pin.items[b], .end_byte = rows->pin.items[b] + rows->size.items[b]};
    if (meet(&piece_a, &piece_b)) {
      return blame_two(sweep->builder, b, a, "and they must not share bytes");
    }
  }
  return BERTH_OK;
}

/* ---- Pins against a partial order ---- */

/* A pinned buffer, or a slice of one. */
struct stretch {
  uint64_t end;
  uint32_t buffer;
  const uint32_t *lower; /* its clocks */
  const uint32_t *upper;
};

static bool is_before(const struct stretch *a, const struct stretch *b, uint32_t n_clocks) {
  for (uint32_t c = 0; c < n_clocks; c++) {
    if (a->upper[c] > b->lower[c]) {
      return false;
    }
  }
  return true;
}

/* Writes the buffer's stretches and their first bytes; returns how many they are. */
static uint32_t stretches_of(
    const struct berth_problem *problem, uint32_t buffer, struct stretch *stretches, uint64_t *first) {
  uint64_t pin = problem->rows.pin.items[buffer];
  uint32_t begin = first_slice(problem, buffer);
  uint32_t end = first_slice(problem, buffer + 1);
  size_t n_clocks = problem->n_clocks;
  if (begin == end) {
    first[0] = pin;
    stretches[0] = (struct stretch){
        .end = pin + problem->rows.size.items[buffer],
        .buffer = buffer,
        .lower = problem->clock_lower.items + buffer * n_clocks,
        .upper = problem->clock_upper.items + buffer * n_clocks};
    return 1;
  }
  for (size_t i = begin; i < end; i++) {
    first[i - begin] = pin + problem->slices.items[i].window_lower;
    stretches[i - begin] = (struct stretch){
        .end = pin + problem->slices.items[i].window_upper,
        .buffer = buffer,
        .lower = problem->slice_clock_lower.items + i * n_clocks,
        .upper = problem->slice_clock_upper.items + i * n_clocks};
  }
  return end - begin;
}

/* Pinned buffers that share bytes, by where they begin; beyond this many looks it is left to planning, which
 * finds no plan then. */
enum { MOST_LOOKS = 1 << 24 };

static enum berth_code look_around(
    struct sweep *sweep, const struct stretch *stretches, const uint64_t *first, const uint32_t *order,
    uint32_t n) {
  uint32_t n_clocks = sweep->builder->problem->n_clocks;
  uint64_t n_looks = 0;
  for (uint32_t k = 0; k < n; k++) {
    const struct stretch *at = &stretches[order[k]];
    for (uint32_t j = k + 1; j < n && first[order[j]] < at->end && n_looks < MOST_LOOKS; j++, n_looks++) {
      const struct stretch *other = &stretches[order[j]];
      if (first[order[j]] < other->end && at->buffer != other->buffer &&
          sweep->pool_of[at->buffer] == sweep->pool_of[other->buffer] && !is_before(at, other, n_clocks) &&
          !is_before(other, at, n_clocks)) {
        uint32_t a = at->buffer < other->buffer ? at->buffer : other->buffer;
        uint32_t b = at->buffer < other->buffer ? other->buffer : at->buffer;
        return blame_two(sweep->builder, b, a, "and no order says that the one is done before the other");
      }
    }
  }
  return BERTH_OK;
}

static enum berth_code check_order(struct sweep *sweep, struct berth_arena *arena) {
  const struct berth_problem *problem = sweep->builder->problem;
  const struct berth_rows *rows = sweep->rows;
  if (problem->n_clocks == 0) {
    return BERTH_OK;
  }
  size_t most = rows->pin.n + problem->slices.n;
  struct stretch *stretches = berth_arena_new(arena, struct stretch, most);
  uint64_t *first = berth_arena_new(arena, uint64_t, most);
  uint32_t *order = berth_arena_new(arena, uint32_t, most);
  if (stretches == NULL || first == NULL || order == NULL) {
    return berth_fail_memory(&sweep->builder->error);
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < rows->pin.n; i++) {
    if (sweep->pool_of[i] != BERTH_NO_INDEX) {
      n += stretches_of(problem, i, stretches + n, first + n);
    }
  }
  for (uint32_t k = 0; k < n; k++) {
    order[k] = k;
  }
  return berth_order_by_key(arena, n, first, order) ? look_around(sweep, stretches, first, order, n)
                                                    : berth_fail_memory(&sweep->builder->error);
}

enum berth_code berth_builder_check_pins(struct berth_problem_builder *builder) {
  if (builder->problem->rows.pin.n == 0) {
    return BERTH_OK;
  }
  struct berth_arena arena;
  berth_arena_init(&arena, &builder->allocator);
  struct sweep sweep = {.builder = builder, .rows = &builder->problem->rows};
  enum berth_code code = BERTH_OK;
  struct berth_sort_item *items = NULL;
  if (mark_shared(&sweep, &arena) && make_pieces(&sweep, &arena)) {
    items = berth_arena_new(&arena, struct berth_sort_item, 4 * (size_t)sweep.n);
  }
  if (items == NULL || !rank_pieces(&sweep, &arena, items)) {
    code = berth_fail_memory(&builder->error);
  }
  code = code != BERTH_OK ? code : run(&sweep, items);
  code = code != BERTH_OK ? code : check_conflicts(&sweep);
  code = code != BERTH_OK ? code : check_order(&sweep, &arena);
  berth_arena_finish(&arena);
  return code;
}
