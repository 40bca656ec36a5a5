#include "packing/keep_slots.h"

#include <string.h>

#include "base/order.h"
#include "interference/pairs.h"
#include "packing/pieces.h"

enum { MOST_LOOKS = 64 }; /* at those who are in a slot already, where gaps let lives interlock */

struct slots {
  const struct berth_keep *keep;
  struct berth_pairs pairs;
  uint8_t *stays;
  uint32_t *inside; /* who stays in the slot at hand, in the order of their ends */
  uint32_t n_inside;
  uint32_t free_from; /* nobody but the last MOST_LOOKS of them is there any more */
};

static bool has_partner(const struct slots *slots, uint32_t i) {
  for (uint32_t e = 0; e < berth_pairs_n(&slots->pairs, i); e++) {
    uint32_t other = slots->pairs.other[slots->pairs.begin[i] + e];
    if ((slots->stays[other] || berth_packing_is_pinned(slots->keep->instance, other)) &&
        berth_keep_place(slots->keep, other) == slots->keep->want[i]) {
      return true;
    }
  }
  return false;
}

/* Whoever is present at all takes the slot whole. */
static bool are_there_together(const struct slots *slots, uint32_t a, uint32_t b) {
  const struct berth_packing_instance *instance = slots->keep->instance;
  struct berth_pieces of_a = berth_pieces_of(instance, a);
  struct berth_piece x;
  if (instance->lower[a] >= instance->upper[b] || instance->lower[b] >= instance->upper[a]) {
    return false;
  }
  while (berth_pieces_next(&of_a, &x)) {
    struct berth_pieces of_b = berth_pieces_of(instance, b);
    struct berth_piece y;
    while (berth_pieces_next(&of_b, &y)) {
      if (x.lower < y.upper && y.lower < x.upper) {
        return true;
      }
    }
  }
  return false;
}

static bool is_clear(const struct slots *slots, uint32_t i) {
  const struct berth_packing_instance *instance = slots->keep->instance;
  uint32_t from = slots->n_inside > MOST_LOOKS ? slots->n_inside - MOST_LOOKS : 0;
  bool clear = instance->lower[i] >= slots->free_from;
  for (uint32_t k = from; clear && k < slots->n_inside; k++) {
    clear = !are_there_together(slots, i, slots->inside[k]);
  }
  return clear;
}

static void enter(struct slots *slots, uint32_t i) {
  slots->inside[slots->n_inside++] = i;
  if (slots->n_inside > MOST_LOOKS) {
    uint32_t old = slots->inside[slots->n_inside - MOST_LOOKS - 1];
    uint32_t end = slots->keep->instance->upper[old];
    slots->free_from = end > slots->free_from ? end : slots->free_from;
  }
}

/* Those at one offset, in the order of their ends: who is not there together with one who stays, pins first.
 * Returns where the pins end in bytes. */
static uint64_t fill_slot(struct slots *slots, const uint32_t *items, uint32_t n, uint64_t room) {
  const struct berth_packing_instance *instance = slots->keep->instance;
  uint64_t reach = 0;
  slots->n_inside = 0;
  slots->free_from = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = items[k];
    if (berth_packing_is_pinned(slots->keep->instance, i)) {
      uint64_t end = instance->pin[i] + instance->size[i];
      reach = end > reach ? end : reach;
      enter(slots, i);
    }
  }
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = items[k];
    bool suits = !berth_packing_is_pinned(slots->keep->instance, i) && instance->size[i] <= room &&
                 is_clear(slots, i) && !has_partner(slots, i);
    slots->stays[i] = suits;
    if (suits) {
      enter(slots, i);
    }
  }
  return reach;
}

/* By offset, and at one offset by their ends. */
static uint32_t *sort(const struct berth_keep *keep, uint64_t *at, uint32_t *out_n) {
  uint32_t n = keep->instance->n_buffers;
  uint32_t *order = berth_arena_new(keep->arena, uint32_t, n);
  uint64_t *key = berth_arena_new(keep->arena, uint64_t, n);
  *out_n = 0;
  for (uint32_t i = 0; order != NULL && key != NULL && i < n; i++) {
    key[i] = keep->instance->upper[i];
    at[i] = berth_keep_place(keep, i);
    if (at[i] != BERTH_UNPINNED) {
      order[(*out_n)++] = i;
    }
  }
  bool ok = order != NULL && key != NULL && berth_order_by_key(keep->arena, *out_n, key, order) &&
            berth_order_by_key(keep->arena, *out_n, at, order);
  return ok ? order : NULL;
}

bool berth_keep_slots(const struct berth_keep *keep, uint8_t *stays) {
  const struct berth_packing_instance *instance = keep->instance;
  struct berth_arena_mark mark = berth_arena_mark(keep->arena);
  struct slots slots = {
      .keep = keep, .stays = stays, .inside = berth_arena_new(keep->arena, uint32_t, instance->n_buffers)};
  uint64_t *at = berth_arena_new(keep->arena, uint64_t, instance->n_buffers);
  uint32_t n = 0;
  const uint32_t *order = at != NULL && slots.inside != NULL ? sort(keep, at, &n) : NULL;
  bool ok = order != NULL &&
            berth_pairs_init(
                &slots.pairs, keep->arena, instance->n_buffers, instance->n_conflicts, instance->conflicts);
  memset(stays, 0, instance->n_buffers);
  uint64_t reach = 0; /* of pins */
  for (uint32_t from = 0, to; ok && from < n && instance->chains == NULL; from = to) {
    uint64_t offset = at[order[from]];
    for (to = from + 1; to < n && at[order[to]] == offset; to++) {
    }
    uint64_t next = to < n ? at[order[to]] : instance->capacity;
    uint64_t end = fill_slot(&slots, order + from, to - from, offset >= reach ? next - offset : 0);
    reach = end > reach ? end : reach;
  }
  berth_arena_rewind(keep->arena, mark);
  return ok;
}
