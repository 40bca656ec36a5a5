#include "interference/colouring.h"

#include <stddef.h>
#include <string.h>

#include "base/effort.h"
#include "base/order.h"
#include "interference/colouring_orders.h"
#include "interference/pairs.h"

/* Slots are numbered by first use, so that equal sharing gives equal numbers whatever order found it. */
static bool renumber(const struct berth_colouring_input *input, struct berth_arena *arena, uint32_t *slot) {
  uint32_t n = input->timeline->n_buffers;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *name = berth_arena_new(arena, uint32_t, n);
  bool ok = name != NULL;
  if (ok) {
    ok = berth_effort_fill(arena->effort, name, 0xff, n * sizeof *name);
    uint32_t n_named = 0;
    for (uint32_t i = 0; ok && i < n; i++) {
      ok = berth_effort_poll_at(arena->effort, i);
      if (input->size[i] == 0) {
        slot[i] = 0;
        continue;
      }
      if (name[slot[i]] == UINT32_MAX) {
        name[slot[i]] = n_named++;
      }
      slot[i] = name[slot[i]];
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

static bool most_live(
    const struct berth_colouring_input *input, struct berth_effort *effort, uint64_t *scratch,
    uint32_t *out_most) {
  const struct berth_timeline *timeline = input->timeline;
  if (!berth_effort_fill(effort, scratch, 0, timeline->n_steps * sizeof *scratch)) {
    return false;
  }
  for (uint32_t i = 0; i < timeline->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
    if (input->size[i] > 0) {
      scratch[timeline->lower[i]]++;
      if (timeline->upper[i] < timeline->n_steps) {
        scratch[timeline->upper[i]]--;
      }
    }
  }
  uint64_t most = 0;
  uint64_t live = 0;
  for (uint32_t t = 0; t < timeline->n_steps; t++) {
    live += scratch[t];
    most = live > most ? live : most;
  }
  *out_most = (uint32_t)most;
  return true;
}

/* Ranks for the packed orders: largest first, then most conflicts first; ties in canonical order. */
static bool rank_by(
    const struct berth_colouring_input *input, bool by_degree, struct berth_arena *arena, uint32_t *order) {
  uint32_t n = input->timeline->n_buffers;
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  if (key == NULL) {
    return false;
  }
  if (by_degree) {
    uint32_t *degree = berth_arena_new(arena, uint32_t, n);
    if (degree == NULL || berth_timeline_degrees(input->timeline, arena, degree) != BERTH_OK) {
      return false;
    }
    for (uint32_t i = 0; i < n; i++) {
      key[i] = ~(uint64_t)degree[i];
    }
  } else {
    for (uint32_t i = 0; i < n; i++) {
      key[i] = ~input->size[i];
    }
  }
  berth_order_identity(n, order);
  return berth_order_by_key(arena, n, key, order);
}

static bool try_ranked(
    const struct berth_colouring_input *input, bool by_degree, struct berth_arena *arena,
    struct berth_effort *effort, uint32_t *slot, struct berth_colouring *best) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *order = berth_arena_new(arena, uint32_t, input->timeline->n_buffers);
  struct berth_slots slots;
  bool ok = order != NULL && rank_by(input, by_degree, arena, order) &&
            berth_slots_ranked(input, order, arena, effort, slot, &slots);
  if (ok && slots.finished && slots.total_bytes < best->reuse_bytes) {
    best->reuse_bytes = slots.total_bytes;
    best->n_slots = slots.n;
    memcpy(best->slot, slot, input->timeline->n_buffers * sizeof *slot);
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

static bool slots_apart(
    const struct berth_colouring_input *input, struct berth_effort *effort, uint32_t *slot,
    struct berth_slots *out) {
  *out = (struct berth_slots){.finished = true};
  for (uint32_t i = 0; i < input->timeline->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
    slot[i] = out->n;
    out->n += input->size[i] > 0;
    out->total_bytes += input->size[i];
  }
  return true;
}

/* Looks at the last buffers of slots; beyond these everyone has a slot of its own. */
enum { MOST_LOOKS = 1 << 28 };

static bool is_barred(
    const struct berth_pairs *pairs, const uint32_t *slot, const bool *is_done, uint32_t i,
    uint32_t in_slot) {
  for (uint32_t k = 0; k < berth_pairs_n(pairs, i); k++) {
    uint32_t other = pairs->other[pairs->begin[i] + k];
    if (is_done[other] && slot[other] == in_slot) {
      return true;
    }
  }
  return false;
}

/* By start: if a buffer comes after the last one of a slot, it comes after all of them. */
static bool slots_by_order(
    const struct berth_colouring_input *input, struct berth_arena *arena, uint32_t *slot,
    struct berth_slots *out) {
  uint32_t n = input->timeline->n_buffers;
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  uint64_t *size = berth_arena_new(arena, uint64_t, n); /* of each slot */
  uint32_t *last = berth_arena_new(arena, uint32_t, n);
  uint32_t *order = berth_arena_new(arena, uint32_t, n);
  bool *is_done = berth_arena_new_zeroed(arena, bool, n);
  struct berth_pairs pairs;
  *out = (struct berth_slots){.finished = true};
  if (key == NULL || size == NULL || last == NULL || order == NULL || is_done == NULL ||
      !berth_pairs_init(&pairs, arena, n, input->n_conflicts, input->conflicts)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    key[i] = input->timeline->lower[i];
  }
  berth_order_identity(n, order);
  if (!berth_order_by_key(arena, n, key, order)) {
    return false;
  }
  uint64_t n_looks = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = order[k];
    uint32_t s = n_looks < MOST_LOOKS ? 0 : out->n;
    if (input->size[i] == 0) {
      continue;
    }
    if (k % 256 == 255 && !berth_effort_poll(arena->effort)) {
      return false;
    }
    while (s < out->n &&
           (!berth_precedes(input->order, last[s], i) || is_barred(&pairs, slot, is_done, i, s))) {
      s++;
    }
    n_looks += s;
    if (s == out->n) {
      size[out->n++] = 0;
    }
    uint64_t more = input->size[i] > size[s] ? input->size[i] - size[s] : 0;
    size[s] += more;
    out->total_bytes += more;
    last[s] = i;
    slot[i] = s;
    is_done[i] = true;
  }
  return true;
}

static bool first_slots(
    const struct berth_colouring_input *input, bool reuse, struct berth_arena *arena, uint32_t *slot,
    struct berth_slots *out) {
  if (!reuse) {
    return slots_apart(input, arena->effort, slot, out);
  }
  return input->order != NULL ? slots_by_order(input, arena, slot, out)
                              : berth_slots_by_start(input, arena, slot, out);
}

enum berth_code berth_colour(
    const struct berth_colouring_input *input, struct berth_arena *arena, struct berth_effort *effort,
    bool reuse, struct berth_colouring *out) {
  uint32_t n = input->timeline->n_buffers;
  *out = (struct berth_colouring){.slot = berth_arena_new_zeroed(arena, uint32_t, n)};
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *load = berth_arena_new(arena, uint64_t, input->timeline->n_steps);
  uint32_t *slot = berth_arena_new_zeroed(arena, uint32_t, n);
  struct berth_slots slots;
  bool ok = out->slot != NULL && load != NULL && slot != NULL &&
            first_slots(input, reuse, arena, out->slot, &slots);
  uint32_t peak_step = 0;
  ok = ok && most_live(input, arena->effort, load, &out->n_slots_needed) &&
       berth_timeline_load(input->timeline, input->size, arena->effort, load, &peak_step);
  if (ok) {
    out->n_slots = slots.n;
    out->reuse_bytes = slots.total_bytes;
    for (uint32_t i = 0; i < n; i++) {
      out->naive_bytes += input->size[i];
    }
    uint64_t peak = n > 0 ? load[peak_step] : 0;
    bool many = !reuse || n > BERTH_COLOURING_MANY || input->n_conflicts > 0 || input->order != NULL;
    for (int by_degree = 0; ok && !many && by_degree < 2 && out->reuse_bytes > peak; by_degree++) {
      ok = try_ranked(input, by_degree, arena, effort, slot, out);
    }
    ok = ok && renumber(input, arena, out->slot);
  }
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
