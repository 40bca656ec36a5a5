/* Lower bounds on the arena that need no search. Each is sound on its own; the largest is taken. */
#ifndef PACKING_BOUND_H
#define PACKING_BOUND_H

#include <stdint.h>

#include "base/arena.h"
#include "berth/status.h"
#include "packing/instance.h"

/* The largest of:
 *   load     bytes live at one step: raw sizes, live windows only;
 *   grid     offsets of the buffers live at one step lie on a grid g, so each but the last takes a multiple
 * of g; pins     the end of every pinned buffer. Padded sizes are never summed whole: only offsets are
 * aligned, so the last buffer of a stack has no padding. */
enum berth_code berth_packing_bound(
    const struct berth_packing_instance *instance, struct berth_arena *arena,
    uint64_t *out_bound) BERTH_MUST_USE;

/* The bytes live at each step, live windows only; n_steps entries. Returns the first step of the peak. */
uint32_t berth_packing_load(const struct berth_packing_instance *instance, uint64_t *out_load);

#endif
