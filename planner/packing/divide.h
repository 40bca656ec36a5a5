/* Which buffers spill: the division of the buffers over the pools that costs least, by complete search where
 * few buffers have a choice.
 *
 * Everybody begins in the first pool of the list that can hold it. Where a pool is too full at a step,
 * somebody who is live there must go on, or is said to stay: two branches. What must go costs at least the
 * fractional knapsack of that step, which is the bound. Where the loads fit and offsets are refused, any of
 * that pool's members may have to go. So the first division that fits everywhere is the cheapest of its
 * branch. */
#ifndef PACKING_DIVIDE_H
#define PACKING_DIVIDE_H

#include "packing/assign.h"

struct berth_division {
  uint64_t cost;    /* of the best; on entry: what it must be below, UINT64_MAX for any */
  uint64_t bound;   /* proven: no division costs less */
  bool is_found;    /* the assignment's choices are the division of `cost` */
  bool is_complete; /* no division is cheaper */
  uint64_t *offset; /* by buffer: of those in pools that were searched, else BERTH_NO_PLACE; n entries */
};

/* Does nothing where more than 64 buffers have a choice. */
enum berth_code berth_divide(
    struct berth_assignment *assignment, const uint32_t *order, bool reuse, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_division *division) BERTH_MUST_USE;

#endif
