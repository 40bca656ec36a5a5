/* A sweep over the bytes: those that hold the present byte are in a tree over the order of their starts, each
 * node with the latest end below it, so that those who meet a lifetime are found without looking at others.
 */
#include "packing/keep_meet.h"

#include "base/order.h"
#include "packing/pieces.h"

enum { PAIRS_AN_ITEM = 4, LEAST_ROOM = 1 << 16 };

struct meet {
  const struct berth_packing_instance *instance;
  const uint64_t *at;
  uint32_t n; /* items with a place */
  uint32_t *by_begin;
  uint32_t *by_end;
  uint32_t *by_start; /* in time */
  uint32_t *rank;     /* of each item in that order */
  uint32_t n_leaves;
  uint32_t *latest; /* tree: the latest end of those that are there; 0 for none */
  uint32_t room;
  struct berth_keep_meetings *out;
};

static bool sort(struct meet *meet, struct berth_arena *arena) {
  const struct berth_packing_instance *instance = meet->instance;
  uint32_t n = instance->n_buffers;
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  meet->by_begin = berth_arena_new(arena, uint32_t, n);
  meet->by_end = berth_arena_new(arena, uint32_t, n);
  meet->by_start = berth_arena_new(arena, uint32_t, n);
  meet->rank = berth_arena_new(arena, uint32_t, n);
  if (key == NULL || meet->by_begin == NULL || meet->by_end == NULL || meet->by_start == NULL ||
      meet->rank == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (meet->at[i] != BERTH_UNPINNED) {
      meet->by_begin[meet->n] = meet->by_end[meet->n] = meet->by_start[meet->n] = i;
      meet->n++;
    }
    key[i] = instance->lower[i];
  }
  if (!berth_order_by_key(arena, meet->n, key, meet->by_start) ||
      !berth_order_by_key(arena, meet->n, meet->at, meet->by_begin)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    key[i] = meet->at[i] + instance->size[i];
  }
  for (uint32_t k = 0; k < meet->n; k++) {
    meet->rank[meet->by_start[k]] = k;
  }
  return berth_order_by_key(arena, meet->n, key, meet->by_end);
}

static void set(struct meet *meet, uint32_t rank, uint32_t end) {
  uint32_t node = rank + meet->n_leaves;
  meet->latest[node] = end;
  for (node /= 2; node > 0; node /= 2) {
    uint32_t left = meet->latest[2 * node];
    uint32_t right = meet->latest[2 * node + 1];
    meet->latest[node] = left > right ? left : right;
  }
}

/* Windows only, in the steps that both have. */
static bool pieces_meet(const struct meet *meet, uint32_t a, uint32_t b) {
  const struct berth_packing_instance *instance = meet->instance;
  if (!berth_pieces_several(instance, a) && !berth_pieces_several(instance, b)) {
    return true;
  }
  struct berth_pieces of_a = berth_pieces_of(instance, a);
  struct berth_piece x;
  while (berth_pieces_next(&of_a, &x)) {
    struct berth_pieces of_b = berth_pieces_of(instance, b);
    struct berth_piece y;
    while (berth_pieces_next(&of_b, &y)) {
      bool in_time = x.lower < y.upper && y.lower < x.upper;
      if (in_time && meet->at[a] + x.window_lower < meet->at[b] + y.window_upper &&
          meet->at[b] + y.window_lower < meet->at[a] + x.window_upper) {
        return true;
      }
    }
  }
  return false;
}

static void add(struct meet *meet, uint32_t a, uint32_t b) {
  struct berth_keep_meetings *out = meet->out;
  if (out->n == meet->room) {
    out->is_complete = false;
    return;
  }
  out->pairs[out->n][0] = a < b ? a : b;
  out->pairs[out->n++][1] = a < b ? b : a;
}

/* Those below the node that begin before `end_rank` and end after item i begins. */
static void
find(struct meet *meet, uint32_t node, uint32_t first, uint32_t width, uint32_t end_rank, uint32_t i) {
  if (first >= end_rank || meet->latest[node] <= meet->instance->lower[i] || !meet->out->is_complete) {
    return;
  }
  if (width == 1) {
    uint32_t other = meet->by_start[first];
    if (pieces_meet(meet, i, other)) {
      add(meet, i, other);
    }
    return;
  }
  find(meet, 2 * node, first, width / 2, end_rank, i);
  find(meet, 2 * node + 1, first + width / 2, width / 2, end_rank, i);
}

/* How many begin before the step. */
static uint32_t n_before(const struct meet *meet, uint32_t step) {
  uint32_t low = 0;
  uint32_t high = meet->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (meet->instance->lower[meet->by_start[middle]] < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool sweep(struct meet *meet, struct berth_arena *arena) {
  const struct berth_packing_instance *instance = meet->instance;
  uint32_t ended = 0;
  for (uint32_t k = 0; k < meet->n && meet->out->is_complete; k++) {
    uint32_t i = meet->by_begin[k];
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    while (meet->at[meet->by_end[ended]] + instance->size[meet->by_end[ended]] <= meet->at[i]) {
      set(meet, meet->rank[meet->by_end[ended++]], 0);
    }
    find(meet, 1, 0, meet->n_leaves, n_before(meet, instance->upper[i]), i);
    set(meet, meet->rank[i], instance->upper[i]);
  }
  return true;
}

/* Pairs that must not share though their lifetimes are apart. */
static void add_conflicts(struct meet *meet) {
  const struct berth_packing_instance *instance = meet->instance;
  for (uint32_t k = 0; k < instance->n_conflicts && meet->out->is_complete; k++) {
    uint32_t a = instance->conflicts[k][0];
    uint32_t b = instance->conflicts[k][1];
    bool have = meet->at[a] != BERTH_UNPINNED && meet->at[b] != BERTH_UNPINNED;
    bool in_time = instance->lower[a] < instance->upper[b] && instance->lower[b] < instance->upper[a];
    bool is_known = in_time && have && pieces_meet(meet, a, b);
    if (have && !is_known && meet->at[a] < meet->at[b] + instance->size[b] &&
        meet->at[b] < meet->at[a] + instance->size[a]) {
      add(meet, a, b);
    }
  }
}

bool berth_keep_meet(
    const struct berth_packing_instance *instance, const uint64_t *at, struct berth_arena *arena,
    struct berth_keep_meetings *out) {
  struct meet meet = {
      .instance = instance,
      .at = at,
      .n_leaves = 1,
      .room = PAIRS_AN_ITEM * instance->n_buffers + LEAST_ROOM,
      .out = out};
  *out = (struct berth_keep_meetings){
      .pairs = berth_arena_take(arena, meet.room, sizeof *out->pairs), .is_complete = true};
  struct berth_arena_mark mark = berth_arena_mark(arena);
  if (out->pairs == NULL || !sort(&meet, arena)) {
    return false;
  }
  while (meet.n_leaves < meet.n) {
    meet.n_leaves *= 2;
  }
  meet.latest = berth_arena_new_zeroed(arena, uint32_t, 2 * (size_t)meet.n_leaves);
  bool ok = meet.latest != NULL && (meet.n == 0 || sweep(&meet, arena));
  if (ok) {
    add_conflicts(&meet);
    out->is_complete = out->is_complete && instance->chains == NULL;
  }
  berth_arena_rewind(arena, mark);
  return ok;
}
