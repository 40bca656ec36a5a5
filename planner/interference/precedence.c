#include "interference/precedence.h"

#include <string.h>

#include "base/effort.h"
#include "base/order.h"
#include "base/rankset.h"
#include "base/sort.h"

bool berth_precedence_make(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members,
    struct berth_arena *arena, struct berth_precedence *out) {
  uint32_t n_clocks = buffers->n_clocks;
  *out = (struct berth_precedence){.n = n_members, .n_clocks = n_clocks};
  if (n_clocks == 0) {
    return true;
  }
  size_t n_entries = (size_t)n_members * n_clocks;
  uint32_t *lower = berth_arena_new(arena, uint32_t, n_entries);
  uint32_t *upper = berth_arena_new(arena, uint32_t, n_entries);
  if (lower == NULL || upper == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n_members; k++) {
    size_t from = (size_t)(members != NULL ? members[k] : k) * n_clocks;
    memcpy(lower + (size_t)k * n_clocks, buffers->clock_lower + from, n_clocks * sizeof *lower);
    memcpy(upper + (size_t)k * n_clocks, buffers->clock_upper + from, n_clocks * sizeof *upper);
  }
  out->lower = lower;
  out->upper = upper;
  return true;
}

/* ---- Pairs ---- */

struct sweep {
  const struct berth_precedence *order;
  const uint32_t *life_lower;
  const uint32_t *life_upper;
  uint32_t *by_start; /* buffers by life_lower */
  uint32_t *by_end;   /* and by life_upper */
  uint32_t *by_clock; /* by the upper clock in the present component */
  uint32_t *rank;     /* of each buffer among them */
  uint64_t *key;
  struct berth_rankset ended;
  struct berth_sort_item *pairs; /* NULL: they are counted only */
  uint32_t n_pairs;
  uint32_t most;
};

static bool
sort_by_life(struct sweep *sweep, const uint32_t *life, uint32_t *order, struct berth_arena *arena) {
  for (uint32_t i = 0; i < sweep->order->n; i++) {
    sweep->key[i] = life[i];
  }
  berth_order_identity(sweep->order->n, order);
  return berth_order_by_key(arena, sweep->order->n, sweep->key, order);
}

static bool sort_by_clock(struct sweep *sweep, uint32_t component, struct berth_arena *arena) {
  uint32_t n = sweep->order->n;
  for (uint32_t i = 0; i < n; i++) {
    sweep->key[i] = sweep->order->upper[(size_t)i * sweep->order->n_clocks + component];
  }
  berth_order_identity(n, sweep->by_clock);
  if (!berth_order_by_key(arena, n, sweep->key, sweep->by_clock)) {
    return false;
  }
  for (uint32_t r = 0; r < n; r++) {
    sweep->rank[sweep->by_clock[r]] = r;
  }
  return true;
}

/* `early` is late for `late` in this component; the pair is noted by the first component in which it is. */
static void note(struct sweep *sweep, uint32_t early, uint32_t late, uint32_t component) {
  const uint32_t *upper = sweep->order->upper + (size_t)early * sweep->order->n_clocks;
  const uint32_t *lower = sweep->order->lower + (size_t)late * sweep->order->n_clocks;
  if (!berth_clock_within(upper, lower, component)) {
    return;
  }
  if (sweep->pairs != NULL) {
    uint32_t a = early < late ? early : late;
    uint32_t b = early < late ? late : early;
    sweep->pairs[sweep->n_pairs].key = (uint64_t)a << 32 | b;
  }
  sweep->n_pairs++;
}

static bool run_component(struct sweep *sweep, uint32_t component, struct berth_effort *effort) {
  const struct berth_precedence *order = sweep->order;
  uint32_t n_ended = 0;
  for (uint32_t k = 0; k < order->n && sweep->n_pairs <= sweep->most; k++) {
    if (k % 256 == 255 && !berth_effort_poll(effort)) {
      return false;
    }
    uint32_t late = sweep->by_start[k];
    while (n_ended < order->n && sweep->life_upper[sweep->by_end[n_ended]] <= sweep->life_lower[late]) {
      berth_rankset_insert(&sweep->ended, sweep->rank[sweep->by_end[n_ended++]]);
    }
    uint32_t clock = order->lower[(size_t)late * order->n_clocks + component];
    for (uint32_t r = berth_rankset_before(&sweep->ended, order->n);
         r != BERTH_NO_RANK && sweep->n_pairs <= sweep->most; r = berth_rankset_before(&sweep->ended, r)) {
      if (sweep->key[sweep->by_clock[r]] <= clock) {
        break;
      }
      note(sweep, sweep->by_clock[r], late, component);
    }
  }
  while (n_ended > 0) {
    berth_rankset_remove(&sweep->ended, sweep->rank[sweep->by_end[--n_ended]]);
  }
  return true;
}

bool berth_precedence_pairs(
    const struct berth_precedence *order, const uint32_t *life_lower, const uint32_t *life_upper,
    uint32_t most, struct berth_arena *arena, struct berth_sort_item *out_pairs, uint32_t *out_n) {
  *out_n = 0;
  if (order->n_clocks == 0) {
    return true;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct sweep sweep = {
      .order = order,
      .life_lower = life_lower,
      .life_upper = life_upper,
      .by_start = berth_arena_new(arena, uint32_t, order->n),
      .by_end = berth_arena_new(arena, uint32_t, order->n),
      .by_clock = berth_arena_new(arena, uint32_t, order->n),
      .rank = berth_arena_new(arena, uint32_t, order->n),
      .key = berth_arena_new(arena, uint64_t, order->n),
      .pairs = out_pairs,
      .most = most};
  bool ok = sweep.by_start != NULL && sweep.by_end != NULL && sweep.by_clock != NULL && sweep.rank != NULL &&
            sweep.key != NULL && berth_rankset_init(&sweep.ended, arena, order->n + 1) &&
            sort_by_life(&sweep, life_lower, sweep.by_start, arena) &&
            sort_by_life(&sweep, life_upper, sweep.by_end, arena);
  for (uint32_t c = 0; ok && c < order->n_clocks && sweep.n_pairs <= most; c++) {
    ok = sort_by_clock(&sweep, c, arena) && run_component(&sweep, c, arena->effort);
  }
  *out_n = sweep.n_pairs;
  berth_arena_rewind(arena, mark);
  return ok;
}
