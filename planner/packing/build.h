/* From a problem to what packing sees: the chosen buffers of one pool as an instance. */
#ifndef PACKING_BUILD_H
#define PACKING_BUILD_H

#include <stdint.h>

#include "base/arena.h"
#include "berth/problem.h"
#include "interference/timeline.h"
#include "packing/instance.h"

/* Buffer k of the instance is members[k]. Every alignment is at least the pool's. The compressed steps behind
 * it come out as well if asked for. */
enum berth_code berth_packing_build(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members, uint64_t alignment,
    uint64_t capacity, struct berth_arena *arena, struct berth_packing_instance *out,
    struct berth_timeline *out_timeline) BERTH_MUST_USE;

/* The same where buffers share whole slots: the pairs of the order are of whole buffers, though only their
 * slices are live. */
enum berth_code berth_packing_build_slots(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members, uint64_t alignment,
    uint64_t capacity, struct berth_arena *arena, struct berth_packing_instance *out,
    struct berth_timeline *out_timeline) BERTH_MUST_USE;

#endif
