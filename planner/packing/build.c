#include "packing/build.h"

#include <string.h>

#include "base/effort.h"
#include "base/sort.h"
#include "interference/timeline.h"
#include "packing/excess.h"
#include "packing/slices.h"
#include "packing/sweep.h"

static bool copy_columns(
    const struct berth_buffers *buffers, const uint32_t *members, uint64_t alignment,
    struct berth_arena *arena, struct berth_packing_instance *out) {
  uint32_t n = out->n_buffers;
  uint64_t *size = berth_arena_new(arena, uint64_t, n);
  uint64_t *align = berth_arena_new(arena, uint64_t, n);
  uint64_t *life = n > BERTH_SWEEP_ONLY ? NULL : berth_arena_new(arena, uint64_t, n);
  uint64_t *pin = buffers->pinned_offset != NULL ? berth_arena_new(arena, uint64_t, n) : NULL;
  if (size == NULL || align == NULL || (life == NULL && n <= BERTH_SWEEP_ONLY) ||
      (buffers->pinned_offset != NULL && pin == NULL)) {
    return false;
  }
  bool is_pinned = false;
  int64_t from = INT64_MAX;
  int64_t to = INT64_MIN;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = members[k];
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    size[k] = buffers->size_bytes[i];
    from = buffers->lower[i] < from ? buffers->lower[i] : from;
    to = buffers->upper[i] > to ? buffers->upper[i] : to;
    if (life != NULL) {
      life[k] = (uint64_t)buffers->upper[i] - (uint64_t)buffers->lower[i];
    }
    align[k] = buffers->alignment[i] > alignment ? buffers->alignment[i] : alignment;
    if (pin != NULL) {
      pin[k] = buffers->pinned_offset[i];
      is_pinned = is_pinned || pin[k] != BERTH_UNPINNED;
    }
  }
  out->life = life;
  out->span = n > 0 ? (uint64_t)to - (uint64_t)from : 0;
  out->size = size;
  out->alignment = align;
  out->pin = is_pinned ? pin : NULL;
  return true;
}

/* The pairs of which both are members, by their places among them; if the effort is stopped, not all. */
static uint32_t list_conflicts(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members,
    struct berth_effort *effort, uint32_t *place, struct berth_sort_item *items) {
  memset(place, 0xff, buffers->n * sizeof *place);
  for (uint32_t k = 0; k < n_members; k++) {
    place[members[k]] = k;
  }
  uint32_t n_kept = 0;
  for (uint32_t k = 0; k < buffers->n_conflicts && berth_effort_poll_at(effort, k); k++) {
    uint32_t a = place[buffers->conflicts[k][0]];
    uint32_t b = place[buffers->conflicts[k][1]];
    if (a != UINT32_MAX && b != UINT32_MAX) {
      items[n_kept++].key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    }
  }
  return n_kept;
}

/* How many pairs the order leaves to be listed; where they are too many, chains. */
static bool count_unordered(
    const struct berth_buffers *buffers, const uint32_t *members, struct berth_arena *arena,
    struct berth_packing_instance *out, uint32_t *out_n) {
  if (!berth_precedence_make(buffers, members, out->n_buffers, arena, &out->order) ||
      !berth_precedence_pairs(
          &out->order, out->lower, out->upper, BERTH_PACKING_MOST_PAIRS, arena, NULL, out_n)) {
    return false;
  }
  if (*out_n <= BERTH_PACKING_MOST_PAIRS) {
    return true;
  }
  struct berth_chains *chains = berth_arena_new(arena, struct berth_chains, 1);
  bool is_usable;
  *out_n = 0;
  out->chains = chains;
  return chains != NULL && berth_chains_make(chains, &out->order, arena, &is_usable) && is_usable;
}

/* The pairs that were stated, and those that the order does not order: slice by slice with `timeline`, or
 * (NULL) whole buffers. */
static bool copy_conflicts(
    const struct berth_buffers *buffers, const uint32_t *members, const struct berth_timeline *timeline,
    struct berth_arena *arena, struct berth_packing_instance *out) {
  uint32_t n_unordered = 0;
  struct berth_sort_item *listed = NULL; /* those already listed, of slices */
  if (timeline != NULL
          ? !berth_packing_order_slices(buffers, members, timeline, arena, out, &listed, &n_unordered)
          : !count_unordered(buffers, members, arena, out, &n_unordered)) {
    return false;
  }
  size_t n_pairs = (size_t)buffers->n_conflicts + n_unordered;
  if (n_pairs == 0) {
    return true;
  }
  uint32_t(*pairs)[2] = berth_arena_take(arena, n_pairs, sizeof *pairs);
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *place = berth_arena_new(arena, uint32_t, buffers->n);
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, n_pairs);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, n_pairs);
  bool ok = pairs != NULL && place != NULL && items != NULL && scratch != NULL;
  if (ok) {
    size_t n = list_conflicts(buffers, members, out->n_buffers, arena->effort, place, items);
    ok = berth_effort_poll(arena->effort);
    if (listed != NULL && n_unordered != 0) {
      memcpy(&items[n], listed, n_unordered * sizeof *items);
    }
    ok = ok &&
         (n_unordered == 0 || listed != NULL ||
          berth_precedence_pairs(
              &out->order, out->lower, out->upper, BERTH_PACKING_MOST_PAIRS, arena, &items[n], &n_unordered));
    n += n_unordered;
    ok = ok && berth_sort_items_until(items, scratch, n, arena->effort);
    uint32_t n_kept = 0;
    for (size_t k = 0; ok && k < n; k++) {
      ok = berth_effort_poll_at(arena->effort, (uint32_t)k);
      if (k == 0 || items[k].key != items[k - 1].key) {
        pairs[n_kept][0] = (uint32_t)(items[k].key >> 32);
        pairs[n_kept++][1] = (uint32_t)items[k].key;
      }
    }
    out->n_conflicts = n_kept;
    out->conflicts = (const uint32_t(*)[2])pairs;
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

/* What members of one storage hold at once is counted once. */
static bool find_shared(
    const struct berth_buffers *buffers, const uint32_t *members, struct berth_arena *arena,
    struct berth_packing_instance *out) {
  uint32_t *owner = berth_arena_new(arena, uint32_t, out->n_buffers);
  for (uint32_t k = 0; owner != NULL && k < out->n_buffers; k++) {
    owner[k] = buffers->rigid.storage[members[k]];
  }
  return owner != NULL && berth_packing_find_excess(out, owner, buffers->n, arena);
}

static enum berth_code build(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members, uint64_t alignment,
    uint64_t capacity, bool by_slices, struct berth_arena *arena, struct berth_packing_instance *out,
    struct berth_timeline *out_timeline) {
  *out = (struct berth_packing_instance){.n_buffers = n_members, .capacity = capacity};
  struct berth_timeline timeline;
  enum berth_code code = berth_timeline_make(buffers, members, n_members, arena, &timeline);
  if (code != BERTH_OK) {
    return code;
  }
  if (out_timeline != NULL) {
    *out_timeline = timeline;
  }
  out->n_steps = timeline.n_steps;
  out->lower = timeline.lower;
  out->upper = timeline.upper;
  out->gap_begin = timeline.gap_begin;
  out->gaps = timeline.gaps;
  out->piece_begin = timeline.slice_begin; /* a slice is a piece; pairs of slices may take their place */
  out->pieces = timeline.slices;
  bool ok = berth_effort_poll(arena->effort) && copy_columns(buffers, members, alignment, arena, out) &&
            copy_conflicts(
                buffers, members, by_slices && timeline.slice_begin != NULL ? &timeline : NULL, arena, out) &&
            (buffers->rigid.n == 0 || find_shared(buffers, members, arena, out));
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

enum berth_code berth_packing_build(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members, uint64_t alignment,
    uint64_t capacity, struct berth_arena *arena, struct berth_packing_instance *out,
    struct berth_timeline *out_timeline) {
  return build(buffers, members, n_members, alignment, capacity, true, arena, out, out_timeline);
}

enum berth_code berth_packing_build_slots(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members, uint64_t alignment,
    uint64_t capacity, struct berth_arena *arena, struct berth_packing_instance *out,
    struct berth_timeline *out_timeline) {
  return build(buffers, members, n_members, alignment, capacity, false, arena, out, out_timeline);
}
