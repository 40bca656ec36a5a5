/* Where one storage is held twice: by buffers that must share it, or by pieces of one buffer. */
#ifndef PACKING_EXCESS_H
#define PACKING_EXCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "packing/instance.h"

/* Fills in the instance's excess. `owner` gives the storage of each buffer, below n_owners; all of one
 * storage have one offset. NULL: each is its own, and only those whose pieces are listed can hold a byte
 * twice. O(n log n) in the pieces. False if memory ran out. */
bool berth_packing_find_excess(
    struct berth_packing_instance *instance, const uint32_t *owner, uint32_t n_owners,
    struct berth_arena *arena);

#endif
