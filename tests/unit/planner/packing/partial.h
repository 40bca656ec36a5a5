/* A random partial order of streams with sizes, for the tests of packing strategies. */
#ifndef TESTS_PARTIAL_H
#define TESTS_PARTIAL_H

#include "base/rng.h"
#include "packing/strategy.h"

/* Makes the next one. */
void partial_init(struct berth_rng *rng);

/* The arena of a strategy alone, or of one and `then` another (which may be NULL); by pairs that are listed,
 * or by chains. Fails the test unless the plan is right. */
uint64_t partial_arena(
    const struct berth_packing_strategy *strategy, const struct berth_packing_strategy *then, bool by_chains,
    uint64_t ticks, uint64_t *out_bound);

#endif
