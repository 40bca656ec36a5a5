/* Why it does not fit: a small set of buffers that cannot be placed together. */
#ifndef PACKING_BLAME_H
#define PACKING_BLAME_H

#include <stdint.h>

#include "base/arena.h"
#include "berth/plan.h"
#include "berth/problem.h"
#include "packing/instance.h"

/* Buffers of the instance whose load at one step exceeds the capacity: the largest first, until they do, at
 * most BERTH_MAX_CULPRITS. If the load fits, the largest buffers live at the peak; at least one if there are
 * any. */
enum berth_code berth_blame_load(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint32_t *out_culprits,
    uint32_t *out_n) BERTH_MUST_USE;

#endif
