/* The simplest reason why it does not fit: more bytes live at one step than the capacity has. */
#ifndef PACKING_BLAME_H
#define PACKING_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/status.h"
#include "packing/instance.h"

/* Of the buffers live at one step the largest, until they exceed the capacity: at the step where the fewest
 * do. Largest first; none if no step exceeds it. `out_culprits` has room for all. They are minimal if any
 * that do not exceed the capacity could be stacked: they are whole at that step, free, and need no padding.
 */
enum berth_code berth_blame_load(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint32_t *out_culprits,
    uint32_t *out_n, bool *out_is_minimal) BERTH_MUST_USE;

#endif
