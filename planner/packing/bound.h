/* Lower bounds on the arena that need no search. Each is sound on its own; the largest is taken. */
#ifndef PACKING_BOUND_H
#define PACKING_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
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

/* The bytes live at each step, live windows only; n_steps entries. *out_peak is the first step of the peak, 0
 * if there are none. False if the effort (or NULL) was stopped. */
bool berth_packing_load(
    const struct berth_packing_instance *instance, struct berth_effort *effort, uint64_t *out_load,
    uint32_t *out_peak);

#endif
