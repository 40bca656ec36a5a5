/* Whole slots where few are live at once: which sizes slots have is searched, the least sum first, and a
 * sweep through time says whether buffers fit in slots of these sizes. The first sizes that they fit in are
 * the best, and the last sum that was looked at is a bound. */
#ifndef PACKING_SLOT_SIZES_H
#define PACKING_SLOT_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"

struct berth_slot_sizes {
  uint32_t n; /* buffers, from the largest down: */
  const uint32_t *lower;
  const uint32_t *upper;
  const uint64_t *weight;
  const uint32_t *most; /* of the first k + 1, the most that meet */
  uint64_t bound;       /* out: no sum is smaller */
  bool is_found;        /* out: `slot` and `n_slots` are of the sum `bound` */
  uint32_t *slot;
  uint32_t n_slots;
};

/* Ends also where more is live than a sweep can carry. False if memory ran out. */
bool berth_slot_sizes_search(
    struct berth_slot_sizes *sizes, struct berth_arena *arena, struct berth_effort *effort);

#endif
