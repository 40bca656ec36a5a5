/* The bound of a partial order: the heaviest set of buffers of which none is done before another begins. All
 * of them hold their bytes apart, whatever the run. */
#ifndef PACKING_PRECEDENCE_BOUND_H
#define PACKING_PRECEDENCE_BOUND_H

#include "interference/antichain.h"
#include "packing/strategy.h"

/* Raises the bound; says that nothing fits where it passes the capacity. Nothing in a total order. */
extern const struct berth_packing_strategy berth_packing_antichain;

/* Not found if effort, chains or memory do not allow it. Of a buffer with gaps the bytes that it always holds
 * count. */
enum berth_code berth_packing_find_antichain(
    const struct berth_packing_instance *instance, struct berth_arena *arena, struct berth_effort *effort,
    struct berth_antichain *out) BERTH_MUST_USE;

#endif
