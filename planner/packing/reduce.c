#include "packing/reduce.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"

/* Columns while they are filled. */
struct columns {
  uint32_t *lower;
  uint32_t *upper;
  uint64_t *size;
  uint64_t *alignment;
  uint64_t *pin;
  uint32_t *gap_begin;
  struct berth_piece *gaps;
  uint32_t *piece_begin;
  struct berth_piece *pieces;
};

struct reducing {
  const struct berth_packing_instance *from;
  struct berth_arena *arena;
  struct berth_reduction *out;
  uint32_t n_members;
  bool *has_partners; /* by buffer; NULL if there are no pairs */
  uint32_t *step_of;  /* n_steps + 1: how many of the steps before are kept */
};

static uint32_t n_gaps(const struct berth_packing_instance *instance, uint32_t i) {
  return instance->gap_begin != NULL ? instance->gap_begin[i + 1] - instance->gap_begin[i] : 0;
}

static uint32_t n_pieces(const struct berth_packing_instance *instance, uint32_t i) {
  return instance->piece_begin != NULL ? instance->piece_begin[i + 1] - instance->piece_begin[i] : 0;
}

/* ---- Stacks ---- */

static bool find_partners(struct reducing *reducing) {
  const struct berth_packing_instance *from = reducing->from;
  if (from->n_conflicts == 0) {
    return true;
  }
  reducing->has_partners = berth_arena_new_zeroed(reducing->arena, bool, from->n_buffers);
  for (uint32_t k = 0; reducing->has_partners != NULL && k < from->n_conflicts; k++) {
    reducing->has_partners[from->conflicts[k][0]] = reducing->has_partners[from->conflicts[k][1]] = true;
  }
  return reducing->has_partners != NULL;
}

/* Equal lifetimes and alignments side by side. */
static bool sort_members(struct reducing *reducing) {
  const struct berth_packing_instance *from = reducing->from;
  struct berth_arena_mark mark = berth_arena_mark(reducing->arena);
  uint64_t *key = berth_arena_new(reducing->arena, uint64_t, from->n_buffers);
  bool ok = key != NULL;
  for (uint32_t i = 0; ok && i < from->n_buffers; i++) {
    key[i] = from->alignment[i];
  }
  ok = ok && berth_order_by_key(reducing->arena, reducing->n_members, key, reducing->out->members);
  for (uint32_t i = 0; ok && i < from->n_buffers; i++) {
    key[i] = (uint64_t)from->lower[i] << 32 | from->upper[i];
  }
  ok = ok && berth_order_by_key(reducing->arena, reducing->n_members, key, reducing->out->members);
  berth_arena_rewind(reducing->arena, mark);
  return ok;
}

static bool is_simple(const struct reducing *reducing, uint32_t i) {
  const struct berth_packing_instance *from = reducing->from;
  return (from->pin == NULL || from->pin[i] == BERTH_UNPINNED) && n_gaps(from, i) == 0 &&
         n_pieces(from, i) == 0 && (reducing->has_partners == NULL || !reducing->has_partners[i]);
}

static bool may_stack(const struct reducing *reducing, uint32_t below, uint32_t i) {
  const struct berth_packing_instance *from = reducing->from;
  return from->lower[below] == from->lower[i] && from->upper[below] == from->upper[i] &&
         from->alignment[below] == from->alignment[i] && is_simple(reducing, below) && is_simple(reducing, i);
}

/* The next one lies on the aligned end of what is below it; false where sums might wrap. */
static bool add_size(uint64_t height, uint64_t alignment, uint64_t size, uint64_t *out_height) {
  uint64_t begin = berth_align_up(height, alignment);
  *out_height = begin + size;
  return begin >= height && begin < UINT64_MAX / 4 && size < UINT64_MAX / 4;
}

static bool make_stacks(struct reducing *reducing, bool stack) {
  const struct berth_packing_instance *from = reducing->from;
  struct berth_reduction *out = reducing->out;
  uint64_t *size = berth_arena_new(reducing->arena, uint64_t, reducing->n_members);
  out->begin = berth_arena_new(reducing->arena, uint32_t, (size_t)reducing->n_members + 1);
  if (size == NULL || out->begin == NULL) {
    return false;
  }
  uint32_t n = 0;
  for (uint32_t k = 0; k < reducing->n_members; k++) {
    uint32_t i = out->members[k];
    uint64_t height;
    if (stack && k > 0 && may_stack(reducing, out->members[k - 1], i) &&
        add_size(size[n - 1], from->alignment[i], from->size[i], &height)) {
      size[n - 1] = height;
      continue;
    }
    size[n] = from->size[i];
    out->begin[n++] = k;
  }
  out->begin[n] = reducing->n_members;
  out->is_stacked = n < reducing->n_members;
  out->instance.n_buffers = n;
  out->instance.size = size;
  return true;
}

/* ---- Columns ---- */

/* Kept are the steps at which a member, or a gap or piece of one, begins, or a gap or piece ends. */
static bool find_steps(struct reducing *reducing) {
  const struct berth_packing_instance *from = reducing->from;
  uint32_t *step_of = berth_arena_new_zeroed(reducing->arena, uint32_t, (size_t)from->n_steps + 1);
  if (step_of == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < reducing->n_members; k++) {
    uint32_t i = reducing->out->members[k];
    step_of[from->lower[i]] = 1;
    for (uint32_t g = 0; g < n_gaps(from, i); g++) {
      step_of[from->gaps[from->gap_begin[i] + g].lower] = 1;
      step_of[from->gaps[from->gap_begin[i] + g].upper] = 1;
    }
    for (uint32_t p = 0; p < n_pieces(from, i); p++) {
      step_of[from->pieces[from->piece_begin[i] + p].lower] = 1;
      step_of[from->pieces[from->piece_begin[i] + p].upper] = 1;
    }
  }
  uint32_t n = 0;
  for (uint32_t t = 0; t <= from->n_steps; t++) {
    bool is_kept = step_of[t] != 0 && t < from->n_steps;
    step_of[t] = n;
    n += is_kept;
  }
  reducing->step_of = step_of;
  reducing->out->instance.n_steps = n;
  return true;
}

/* Room for the gaps or pieces of the members, and where each item's begin. */
static bool take_pieces(
    const struct reducing *reducing, const uint32_t *from_begin, uint32_t **out_begin,
    struct berth_piece **out_pieces) {
  const struct berth_reduction *out = reducing->out;
  uint32_t most = 0;
  for (uint32_t k = 0; k < reducing->n_members; k++) {
    most += from_begin[out->members[k] + 1] - from_begin[out->members[k]];
  }
  *out_begin = berth_arena_new_zeroed(reducing->arena, uint32_t, (size_t)out->instance.n_buffers + 1);
  *out_pieces = berth_arena_new(reducing->arena, struct berth_piece, most);
  return *out_begin != NULL && *out_pieces != NULL;
}

static bool take_columns(struct reducing *reducing, struct columns *out) {
  const struct berth_packing_instance *from = reducing->from;
  struct berth_arena *arena = reducing->arena;
  uint32_t n = reducing->out->instance.n_buffers;
  *out = (struct columns){
      .lower = berth_arena_new(arena, uint32_t, n),
      .upper = berth_arena_new(arena, uint32_t, n),
      .alignment = berth_arena_new(arena, uint64_t, n)};
  bool ok = out->lower != NULL && out->upper != NULL && out->alignment != NULL;
  if (ok && from->pin != NULL) {
    ok = (out->pin = berth_arena_new(arena, uint64_t, n)) != NULL;
  }
  if (ok && from->gap_begin != NULL) {
    ok = take_pieces(reducing, from->gap_begin, &out->gap_begin, &out->gaps);
  }
  if (ok && from->piece_begin != NULL) {
    ok = take_pieces(reducing, from->piece_begin, &out->piece_begin, &out->pieces);
  }
  return ok;
}

/* The gaps or the pieces of item k, which are those of buffer i. */
static void fill_pieces(
    const struct reducing *reducing, const uint32_t *from_begin, const struct berth_piece *from, uint32_t i,
    uint32_t *to_begin, struct berth_piece *to, uint32_t k) {
  if (to_begin == NULL) {
    return;
  }
  uint32_t n = to_begin[k];
  for (uint32_t p = from_begin[i]; p < from_begin[i + 1]; p++) {
    to[n] = from[p];
    to[n].lower = reducing->step_of[from[p].lower];
    to[n].upper = reducing->step_of[from[p].upper];
    n++;
  }
  to_begin[k + 1] = n;
}

static bool fill_columns(struct reducing *reducing) {
  const struct berth_packing_instance *from = reducing->from;
  struct berth_reduction *out = reducing->out;
  struct columns columns;
  if (!take_columns(reducing, &columns)) {
    return false;
  }
  for (uint32_t k = 0; k < out->instance.n_buffers; k++) {
    uint32_t i = out->members[out->begin[k]];
    columns.lower[k] = reducing->step_of[from->lower[i]];
    columns.upper[k] = reducing->step_of[from->upper[i]];
    columns.alignment[k] = from->alignment[i];
    if (columns.pin != NULL) {
      columns.pin[k] = from->pin[i];
    }
    fill_pieces(reducing, from->gap_begin, from->gaps, i, columns.gap_begin, columns.gaps, k);
    fill_pieces(reducing, from->piece_begin, from->pieces, i, columns.piece_begin, columns.pieces, k);
  }
  out->instance.lower = columns.lower;
  out->instance.upper = columns.upper;
  out->instance.alignment = columns.alignment;
  out->instance.pin = columns.pin;
  out->instance.gap_begin = columns.gap_begin;
  out->instance.gaps = columns.gaps;
  out->instance.piece_begin = columns.piece_begin;
  out->instance.pieces = columns.pieces;
  return true;
}

/* In the order of the first, then of the second. */
static bool sort_pairs(struct berth_arena *arena, uint32_t (*pairs)[2], uint32_t n) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  uint32_t *order = berth_arena_new(arena, uint32_t, n);
  bool ok = key != NULL && order != NULL;
  if (ok) {
    for (uint32_t k = 0; k < n; k++) {
      key[k] = (uint64_t)pairs[k][0] << 32 | pairs[k][1];
      ok = ok && berth_effort_poll_at(arena->effort, k);
    }
    berth_order_identity(n, order);
    ok = ok && berth_order_by_key(arena, n, key, order);
    for (uint32_t k = 0; ok && k < n; k++) {
      pairs[k][0] = (uint32_t)(key[order[k]] >> 32);
      pairs[k][1] = (uint32_t)key[order[k]];
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

static bool fill_pairs(struct reducing *reducing) {
  const struct berth_packing_instance *from = reducing->from;
  struct berth_reduction *out = reducing->out;
  if (from->n_conflicts == 0) {
    return true;
  }
  uint32_t *place = berth_arena_new(reducing->arena, uint32_t, from->n_buffers);
  uint32_t(*pairs)[2] = berth_arena_take(reducing->arena, from->n_conflicts, sizeof *pairs);
  if (place == NULL || pairs == NULL) {
    return false;
  }
  memset(place, 0xff, from->n_buffers * sizeof *place);
  for (uint32_t k = 0; k < out->instance.n_buffers; k++) { /* those with partners are not stacked */
    place[out->members[out->begin[k]]] = k;
  }
  uint32_t n = 0;
  for (uint32_t k = 0; k < from->n_conflicts; k++) {
    if (!berth_effort_poll_at(reducing->arena->effort, k)) {
      return false;
    }
    uint32_t a = place[from->conflicts[k][0]];
    uint32_t b = place[from->conflicts[k][1]];
    if (a != UINT32_MAX && b != UINT32_MAX) {
      pairs[n][0] = a < b ? a : b;
      pairs[n++][1] = a < b ? b : a;
    }
  }
  out->instance.n_conflicts = n;
  out->instance.conflicts = (const uint32_t(*)[2])pairs;
  return sort_pairs(reducing->arena, pairs, n);
}

bool berth_packing_reduce(
    const struct berth_packing_instance *instance, const uint32_t *chosen, uint32_t n_chosen, bool stack,
    struct berth_arena *arena, struct berth_reduction *out) {
  *out = (struct berth_reduction){
      .instance = {.capacity = instance->capacity, .pins_may_meet = instance->pins_may_meet},
      .members = berth_arena_new(arena, uint32_t, n_chosen)};
  struct reducing reducing = {.from = instance, .arena = arena, .out = out, .n_members = n_chosen};
  if (out->members == NULL) {
    return false;
  }
  memcpy(out->members, chosen, n_chosen * sizeof *chosen);
  return find_partners(&reducing) && sort_members(&reducing) && make_stacks(&reducing, stack) &&
         find_steps(&reducing) && fill_columns(&reducing) && fill_pairs(&reducing);
}
