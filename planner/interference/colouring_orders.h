/* The greedy colourings behind interference/colouring.h. */
#ifndef INTERFERENCE_COLOURING_ORDERS_H
#define INTERFERENCE_COLOURING_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "interference/colouring.h"

struct berth_slots {
  uint32_t n;
  uint64_t total_bytes;
  bool finished; /* false: the effort ended first, and the numbers mean nothing */
};

/* In the order of the starts, larger first: the tightest free slot, else the largest free one grows, else a
 * new one. Without pairs it needs as few slots as are possible. False if memory ran out. */
bool berth_slots_by_start(
    const struct berth_colouring_input *input, struct berth_arena *arena, uint32_t *out_slot,
    struct berth_slots *out);

/* First fit in the given order, slot by slot: each takes the first buffer that still fits in its free time,
 * again and again. Pairs are not looked at: only for inputs without. */
bool berth_slots_ranked(
    const struct berth_colouring_input *input, const uint32_t *order, struct berth_arena *arena,
    struct berth_effort *effort, uint32_t *out_slot, struct berth_slots *out);

#endif
