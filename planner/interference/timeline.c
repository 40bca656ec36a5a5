#include "interference/timeline.h"

#include <stddef.h>

#include "base/effort.h"
#include "base/order.h"
#include "base/sort.h"

static uint32_t member_at(const uint32_t *members, uint32_t k) {
  return members != NULL ? members[k] : k;
}

/* A lifetime without extent is one step long. */
static int64_t end_of(const struct berth_buffers *buffers, uint32_t i) {
  return buffers->upper[i] > buffers->lower[i] ? buffers->upper[i] : buffers->lower[i] + 1;
}

static uint32_t n_gaps_of(const struct berth_buffers *buffers, uint32_t i) {
  return buffers->gap_begin != NULL ? buffers->gap_begin[i + 1] - buffers->gap_begin[i] : 0;
}

static uint32_t n_slices_of(const struct berth_buffers *buffers, uint32_t i) {
  return buffers->slice_begin != NULL ? buffers->slice_begin[i + 1] - buffers->slice_begin[i] : 0;
}

/* Every time at which a buffer begins to hold bytes: its start, its slices' and both ends of its gaps. */
static bool collect_begins(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n, struct berth_effort *effort,
    int64_t *out_begins, uint32_t *out_n) {
  uint32_t n_begins = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (!berth_effort_poll_at(effort, k)) {
      return false;
    }
    uint32_t i = member_at(members, k);
    out_begins[n_begins++] = buffers->lower[i];
    for (uint32_t p = 0; p < n_slices_of(buffers, i); p++) {
      out_begins[n_begins++] = buffers->slices[buffers->slice_begin[i] + p].lower;
    }
    for (uint32_t g = 0; g < n_gaps_of(buffers, i); g++) {
      const struct berth_gap *gap = &buffers->gaps[buffers->gap_begin[i] + g];
      out_begins[n_begins++] = gap->lower;
      if (gap->upper < end_of(buffers, i)) {
        out_begins[n_begins++] = gap->upper;
      }
    }
  }
  *out_n = n_begins;
  return true;
}

static bool sort_unique(struct berth_arena *arena, int64_t *times, uint32_t *n) {
  uint64_t *key = berth_arena_new(arena, uint64_t, *n);
  uint32_t *order = berth_arena_new(arena, uint32_t, *n);
  if (key == NULL || order == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < *n; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    key[k] = berth_sort_key_i64(times[k]);
  }
  berth_order_identity(*n, order);
  if (!berth_order_by_key(arena, *n, key, order)) {
    return false;
  }
  uint32_t n_unique = 0;
  for (uint32_t k = 0; k < *n; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    int64_t time = (int64_t)(key[order[k]] ^ (UINT64_C(1) << 63));
    if (n_unique == 0 || times[n_unique - 1] != time) {
      times[n_unique++] = time;
    }
  }
  *n = n_unique;
  return true;
}

/* Index lookup: a table where the times are dense, else binary search. */
struct lookup {
  const int64_t *at;
  uint32_t n;
  uint32_t *table; /* table[t - at[0]] is the first index whose time is >= t; NULL if too sparse */
  uint64_t n_table;
};

static bool lookup_init(struct lookup *lookup, struct berth_arena *arena, const int64_t *at, uint32_t n) {
  *lookup = (struct lookup){.at = at, .n = n};
  uint64_t range = n > 0 ? (uint64_t)at[n - 1] - (uint64_t)at[0] : 0;
  if (n == 0 || range / 4 > n) {
    return true;
  }
  lookup->n_table = range + 1;
  lookup->table = berth_arena_new(arena, uint32_t, lookup->n_table);
  if (lookup->table == NULL) {
    return false;
  }
  uint32_t k = 0;
  for (uint64_t t = 0; t <= range; t++) {
    if (!berth_effort_poll_at(arena->effort, (uint32_t)t)) {
      return false;
    }
    lookup->table[t] = k;
    k += (uint64_t)at[k] - (uint64_t)at[0] == t;
  }
  return true;
}

/* The number of times before `time`. */
static uint32_t index_of(const struct lookup *lookup, int64_t time) {
  if (time > lookup->at[lookup->n - 1]) {
    return lookup->n;
  }
  if (lookup->table != NULL) {
    return lookup->table[(uint64_t)time - (uint64_t)lookup->at[0]];
  }
  uint32_t low = 0;
  uint32_t high = lookup->n - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (lookup->at[middle] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool compress_slices(
    const struct berth_buffers *buffers, const uint32_t *members, const struct lookup *lookup,
    struct berth_effort *effort, struct berth_timeline *out) {
  uint32_t n_slices = 0;
  for (uint32_t k = 0; out->slice_begin != NULL && k < out->n_buffers; k++) {
    if (!berth_effort_poll_at(effort, k)) {
      return false;
    }
    uint32_t i = member_at(members, k);
    out->slice_begin[k] = n_slices;
    for (uint32_t p = 0; p < n_slices_of(buffers, i); p++) {
      const struct berth_slice *slice = &buffers->slices[buffers->slice_begin[i] + p];
      out->slices[n_slices++] = (struct berth_piece){
          .lower = index_of(lookup, slice->lower),
          .upper = index_of(lookup, slice->upper),
          .window_lower = slice->window_lower,
          .window_upper = slice->window_upper};
    }
    out->slice_begin[k + 1] = n_slices;
  }
  return true;
}

static bool compress(
    const struct berth_buffers *buffers, const uint32_t *members, const struct lookup *lookup,
    struct berth_effort *effort, struct berth_timeline *out) {
  uint32_t n_gaps = 0;
  for (uint32_t k = 0; k < out->n_buffers; k++) {
    if (!berth_effort_poll_at(effort, k)) {
      return false;
    }
    uint32_t i = member_at(members, k);
    out->lower[k] = index_of(lookup, buffers->lower[i]);
    out->upper[k] = index_of(lookup, end_of(buffers, i));
    if (out->gap_begin == NULL) {
      continue;
    }
    out->gap_begin[k] = n_gaps;
    for (uint32_t g = 0; g < n_gaps_of(buffers, i); g++) {
      const struct berth_gap *gap = &buffers->gaps[buffers->gap_begin[i] + g];
      out->gaps[n_gaps++] = (struct berth_piece){
          .lower = index_of(lookup, gap->lower),
          .upper = index_of(lookup, gap->upper),
          .window_lower = gap->window_lower,
          .window_upper = gap->window_upper};
    }
    out->gap_begin[k + 1] = n_gaps;
  }
  return compress_slices(buffers, members, lookup, effort, out);
}

enum berth_code berth_timeline_make(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members,
    struct berth_arena *arena, struct berth_timeline *out) {
  uint32_t n_gaps = 0;
  size_t n_slices = 0;
  for (uint32_t k = 0; k < n_members; k++) {
    n_gaps += n_gaps_of(buffers, member_at(members, k));
    n_slices += n_slices_of(buffers, member_at(members, k));
  }
  *out = (struct berth_timeline){.n_buffers = n_members};
  out->lower = berth_arena_new(arena, uint32_t, n_members);
  out->upper = berth_arena_new(arena, uint32_t, n_members);
  if (out->lower == NULL || out->upper == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  if (n_gaps > 0) {
    out->gap_begin = berth_arena_new(arena, uint32_t, (size_t)n_members + 1);
    out->gaps = berth_arena_new(arena, struct berth_piece, n_gaps);
    if (out->gap_begin == NULL || out->gaps == NULL) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
  }
  if (n_slices > 0) {
    out->slice_begin = berth_arena_new(arena, uint32_t, (size_t)n_members + 1);
    out->slices = berth_arena_new(arena, struct berth_piece, n_slices);
    if (out->slice_begin == NULL || out->slices == NULL) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
  }
  int64_t *begins = berth_arena_new(arena, int64_t, n_members + 2 * (size_t)n_gaps + n_slices);
  if (begins == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint32_t n_steps = 0;
  bool ok = collect_begins(buffers, members, n_members, arena->effort, begins, &n_steps);
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct lookup lookup;
  ok = ok && sort_unique(arena, begins, &n_steps);
  berth_arena_rewind(arena, mark);
  ok = ok && lookup_init(&lookup, arena, begins, n_steps);
  if (ok) {
    ok = compress(buffers, members, &lookup, arena->effort, out);
    out->n_steps = n_steps;
    out->step_at = begins;
  }
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

bool berth_timeline_load(
    const struct berth_timeline *timeline, const uint64_t *size, struct berth_effort *effort,
    uint64_t *out_load, uint32_t *out_peak) {
  if (!berth_effort_fill(effort, out_load, 0, timeline->n_steps * sizeof *out_load)) {
    return false;
  }
  uint64_t *change = out_load; /* differences first; wrapping is fine, every prefix sum fits */
  uint32_t n_steps = timeline->n_steps;
  for (uint32_t i = 0; i < timeline->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
    change[timeline->lower[i]] += size[i];
    if (timeline->upper[i] < n_steps) {
      change[timeline->upper[i]] -= size[i];
    }
    for (uint32_t g = timeline->gap_begin != NULL ? timeline->gap_begin[i] : 0;
         timeline->gap_begin != NULL && g < timeline->gap_begin[i + 1]; g++) {
      const struct berth_piece *gap = &timeline->gaps[g];
      uint64_t absent = size[i] - (gap->window_upper - gap->window_lower);
      change[gap->lower] -= absent;
      if (gap->upper < n_steps) {
        change[gap->upper] += absent;
      }
    }
  }
  uint32_t peak = 0;
  for (uint32_t t = 1; t < n_steps; t++) {
    out_load[t] += out_load[t - 1];
    peak = out_load[t] > out_load[peak] ? t : peak;
  }
  *out_peak = peak;
  return true;
}

enum berth_code berth_timeline_degrees(
    const struct berth_timeline *timeline, struct berth_arena *arena, uint32_t *out_degree) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  size_t n = (size_t)timeline->n_steps + 1;
  uint32_t *begun = berth_arena_new_zeroed(arena, uint32_t, n); /* begun[t]: lower < t */
  uint32_t *ended = berth_arena_new_zeroed(arena, uint32_t, n); /* ended[t]: upper <= t */
  if (begun == NULL || ended == NULL) {
    berth_arena_rewind(arena, mark);
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t i = 0; i < timeline->n_buffers; i++) {
    begun[timeline->lower[i] + 1]++;
    ended[timeline->upper[i]]++;
  }
  for (size_t t = 1; t < n; t++) {
    begun[t] += begun[t - 1];
    ended[t] += ended[t - 1];
  }
  for (uint32_t i = 0; i < timeline->n_buffers; i++) {
    out_degree[i] = begun[timeline->upper[i]] - ended[timeline->lower[i]] - 1;
  }
  berth_arena_rewind(arena, mark);
  return BERTH_OK;
}
