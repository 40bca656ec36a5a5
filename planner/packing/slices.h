/* Buffers of which only slices are live at a time, under a partial order. */
#ifndef PACKING_SLICES_H
#define PACKING_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sort.h"
#include "berth/problem.h"
#include "interference/timeline.h"
#include "packing/instance.h"

/* More pairs with a slice that is not a whole buffer than this are not made steps. */
#define BERTH_PACKING_MOST_SLICE_PAIRS (UINT32_C(1) << 18)

/* Whom the order keeps apart, slice by slice. Pairs of whole buffers go to `out_pairs`, as keys a << 32 | b,
 * a < b; each other pair becomes a step of its own at the end of time, at which both hold their bytes. Where
 * they are too many, chains of slices. False if memory ran out, there are too many chains, or the arena's
 * effort was stopped. */
bool berth_packing_order_slices(
    const struct berth_buffers *buffers, const uint32_t *members, const struct berth_timeline *timeline,
    struct berth_arena *arena, struct berth_packing_instance *out, struct berth_sort_item **out_pairs,
    uint32_t *out_n_pairs);

#endif
