/* Whole slots: how few bytes they can take together, and the slots that take them.
 *
 * A slot is as large as its largest buffer. Where at least k buffers of some size or more meet, k slots are
 * at least so large: summed over all sizes this is the bound, and it is never below the load. The search
 * places the largest buffer first, so that only a new slot costs anything. */
#ifndef PACKING_SLOTS_H
#define PACKING_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/status.h"
#include "packing/instance.h"

/* Whether what follows applies: whole lives, listed pairs, and offsets that are free. */
bool berth_slots_are_plain(const struct berth_packing_instance *instance);

/* No arena is smaller. False if memory ran out. */
bool berth_slots_bound(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_bound);

struct berth_slots_found {
  uint32_t *slot;   /* of each buffer, in the arena; NULL if none were found */
  uint32_t n_slots; /* numbered from the largest down */
  uint64_t bound;   /* no arena is smaller */
};

/* The slots that sum to least, sizes rounded up to the least alignment, or the best until effort is spent.
 * Does nothing for more than BERTH_SLOTS_MOST buffers. */
enum { BERTH_SLOTS_MOST = 512 };
enum berth_code berth_slots_search(
    const struct berth_packing_instance *instance, struct berth_arena *arena, struct berth_effort *effort,
    struct berth_slots_found *out) BERTH_MUST_USE;

#endif
