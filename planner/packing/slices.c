#include "packing/slices.h"

#include <string.h>

/* ---- Slices of all members as things of the order ---- */

struct making {
  const struct berth_buffers *buffers;
  const uint32_t *members;
  const struct berth_timeline *timeline;
  struct berth_arena *arena;
  struct berth_packing_instance *out;
  struct berth_packing_slices slices;
  uint32_t *begin;
  uint32_t *buffer;
  uint64_t *window_lower;
  uint64_t *window_upper;
  uint32_t *lower; /* lifetimes, in compressed steps */
  uint32_t *upper;
  uint32_t *clock_lower;
  uint32_t *clock_upper;
  uint32_t *n_steps; /* of each buffer: pairs that are steps */
};

static uint32_t n_slices_of(const struct making *making, uint32_t k) {
  const uint32_t *begin = making->timeline->slice_begin;
  return begin[k + 1] - begin[k];
}

static bool take(struct making *making) {
  struct berth_arena *arena = making->arena;
  uint32_t n_buffers = making->out->n_buffers;
  size_t n = 0;
  for (uint32_t k = 0; k < n_buffers; k++) {
    n += n_slices_of(making, k) != 0 ? n_slices_of(making, k) : 1;
  }
  size_t n_entries = n * making->buffers->n_clocks;
  making->begin = berth_arena_new(arena, uint32_t, (size_t)n_buffers + 1);
  making->buffer = berth_arena_new(arena, uint32_t, n);
  making->window_lower = berth_arena_new(arena, uint64_t, n);
  making->window_upper = berth_arena_new(arena, uint64_t, n);
  making->lower = berth_arena_new(arena, uint32_t, n);
  making->upper = berth_arena_new(arena, uint32_t, n);
  making->clock_lower = berth_arena_new(arena, uint32_t, n_entries);
  making->clock_upper = berth_arena_new(arena, uint32_t, n_entries);
  making->n_steps = berth_arena_new_zeroed(arena, uint32_t, n_buffers);
  return n <= UINT32_MAX / 2 && making->begin != NULL && making->buffer != NULL &&
         making->window_lower != NULL && making->window_upper != NULL && making->lower != NULL &&
         making->upper != NULL && making->clock_lower != NULL && making->clock_upper != NULL &&
         making->n_steps != NULL;
}

/* The whole buffer, or slice `slice` of the problem's list of them. */
static void append(
    struct making *making, uint32_t k, const struct berth_piece *life, const uint32_t *clock_lower,
    const uint32_t *clock_upper) {
  size_t n_clocks = making->buffers->n_clocks;
  uint32_t i = making->slices.n++;
  making->buffer[i] = k;
  making->window_lower[i] = life->window_lower;
  making->window_upper[i] = life->window_upper;
  making->lower[i] = life->lower;
  making->upper[i] = life->upper;
  memcpy(making->clock_lower + i * n_clocks, clock_lower, n_clocks * sizeof(uint32_t));
  memcpy(making->clock_upper + i * n_clocks, clock_upper, n_clocks * sizeof(uint32_t));
}

static void list(struct making *making) {
  const struct berth_buffers *buffers = making->buffers;
  const struct berth_timeline *timeline = making->timeline;
  size_t n_clocks = buffers->n_clocks;
  for (uint32_t k = 0; k < making->out->n_buffers; k++) {
    size_t i = making->members[k];
    making->begin[k] = making->slices.n;
    for (uint32_t p = 0; p < n_slices_of(making, k); p++) {
      size_t slice = (size_t)buffers->slice_begin[i] + p;
      append(
          making, k, &timeline->slices[timeline->slice_begin[k] + p],
          buffers->slice_clock_lower + slice * n_clocks, buffers->slice_clock_upper + slice * n_clocks);
    }
    if (n_slices_of(making, k) == 0) {
      struct berth_piece whole = {
          .lower = timeline->lower[k], .upper = timeline->upper[k], .window_upper = making->out->size[k]};
      append(making, k, &whole, buffers->clock_lower + i * n_clocks, buffers->clock_upper + i * n_clocks);
    }
  }
  making->begin[making->out->n_buffers] = making->slices.n;
  making->slices.begin = making->begin;
  making->slices.buffer = making->buffer;
  making->slices.window_lower = making->window_lower;
  making->slices.window_upper = making->window_upper;
}

/* ---- Pairs ---- */

static bool is_whole(const struct making *making, uint32_t slice) {
  return n_slices_of(making, making->buffer[slice]) == 0;
}

static bool use_chains(struct making *making) {
  struct berth_packing_instance *out = making->out;
  struct berth_packing_slices *slices = berth_arena_new(making->arena, struct berth_packing_slices, 1);
  struct berth_chains *chains = berth_arena_new(making->arena, struct berth_chains, 1);
  bool is_usable;
  if (slices == NULL || chains == NULL ||
      !berth_chains_make(chains, &out->order, making->arena, &is_usable)) {
    return false;
  }
  *slices = making->slices;
  out->slices = slices;
  out->chains = chains;
  return is_usable;
}

/* Pairs of whole buffers first, in terms of buffers, then those that are steps, in terms of slices. Of one
 * buffer none counts: its slices lie apart. Returns how many the first are; *n falls to the sum of both. */
static uint32_t sort_out(struct making *making, struct berth_sort_item *pairs, uint32_t *n) {
  uint32_t n_whole = 0;
  uint32_t n_kept = 0;
  for (uint32_t k = 0; k < *n; k++) {
    uint32_t p = (uint32_t)(pairs[k].key >> 32);
    uint32_t q = (uint32_t)pairs[k].key;
    uint32_t a = making->buffer[p];
    uint32_t b = making->buffer[q];
    if (a == b) {
      continue;
    }
    pairs[n_kept++] = pairs[k];
    if (is_whole(making, p) && is_whole(making, q)) {
      pairs[n_kept - 1] = pairs[n_whole];
      pairs[n_whole++].key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    }
  }
  *n = n_kept;
  return n_whole;
}

/* What a buffer holds by the clock, before its steps for pairs. */
static uint32_t append_own(const struct making *making, uint32_t k, struct berth_piece *pieces, uint32_t n) {
  for (uint32_t p = making->begin[k]; p < making->begin[k + 1]; p++) {
    pieces[n++] = (struct berth_piece){
        making->lower[p], making->upper[p], making->window_lower[p], making->window_upper[p]};
  }
  return n;
}

static bool make_steps(struct making *making, const struct berth_sort_item *pairs, uint32_t n_pairs) {
  struct berth_packing_instance *out = making->out;
  for (uint32_t k = 0; k < n_pairs; k++) {
    making->n_steps[making->buffer[pairs[k].key >> 32]]++;
    making->n_steps[making->buffer[(uint32_t)pairs[k].key]]++;
  }
  uint32_t *begin = berth_arena_new(making->arena, uint32_t, (size_t)out->n_buffers + 1);
  uint32_t *cursor = berth_arena_new(making->arena, uint32_t, out->n_buffers);
  uint32_t *upper = berth_arena_new(making->arena, uint32_t, out->n_buffers);
  struct berth_piece *pieces =
      berth_arena_new(making->arena, struct berth_piece, making->slices.n + 2 * (size_t)n_pairs);
  if (begin == NULL || cursor == NULL || upper == NULL || pieces == NULL) {
    return false;
  }
  uint32_t n = 0;
  for (uint32_t k = 0; k < out->n_buffers; k++) {
    begin[k] = n;
    upper[k] = out->upper[k];
    n = n_slices_of(making, k) != 0 || making->n_steps[k] != 0 ? append_own(making, k, pieces, n) : n;
    cursor[k] = n;
    n += making->n_steps[k];
  }
  begin[out->n_buffers] = n;
  for (uint32_t k = 0; k < n_pairs; k++) {
    uint32_t step = out->n_steps + k;
    for (int side = 0; side < 2; side++) {
      uint32_t p = side == 0 ? (uint32_t)(pairs[k].key >> 32) : (uint32_t)pairs[k].key;
      uint32_t buffer = making->buffer[p];
      pieces[cursor[buffer]++] =
          (struct berth_piece){step, step + 1, making->window_lower[p], making->window_upper[p]};
      upper[buffer] = step + 1;
    }
  }
  out->piece_begin = begin;
  out->pieces = pieces;
  out->upper = upper;
  out->n_steps += n_pairs;
  return true;
}

bool berth_packing_order_slices(
    const struct berth_buffers *buffers, const uint32_t *members, const struct berth_timeline *timeline,
    struct berth_arena *arena, struct berth_packing_instance *out, struct berth_sort_item **out_pairs,
    uint32_t *out_n_pairs) {
  struct making making = {
      .buffers = buffers, .members = members, .timeline = timeline, .arena = arena, .out = out};
  *out_n_pairs = 0;
  if (!take(&making)) {
    return false;
  }
  list(&making);
  out->order = (struct berth_precedence){
      .n = making.slices.n,
      .n_clocks = buffers->n_clocks,
      .lower = making.clock_lower,
      .upper = making.clock_upper};
  uint32_t n;
  if (!berth_precedence_pairs(
          &out->order, making.lower, making.upper, BERTH_PACKING_MOST_PAIRS, arena, NULL, &n)) {
    return false;
  }
  if (n > BERTH_PACKING_MOST_PAIRS) {
    return use_chains(&making);
  }
  struct berth_sort_item *pairs = berth_arena_new(arena, struct berth_sort_item, n);
  if (pairs == NULL ||
      !berth_precedence_pairs(
          &out->order, making.lower, making.upper, BERTH_PACKING_MOST_PAIRS, arena, pairs, &n)) {
    return false;
  }
  uint32_t n_whole = sort_out(&making, pairs, &n);
  if (n - n_whole > BERTH_PACKING_MOST_SLICE_PAIRS) {
    return use_chains(&making);
  }
  struct berth_packing_slices *slices = berth_arena_new(arena, struct berth_packing_slices, 1);
  if (slices == NULL || !make_steps(&making, pairs + n_whole, n - n_whole)) {
    return false;
  }
  *slices = making.slices;
  out->slices = slices;
  *out_pairs = pairs;
  *out_n_pairs = n_whole;
  return true;
}
