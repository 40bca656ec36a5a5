/* The sweep: buffers in the order of their starts (or, time reversed, of their ends), each into the tightest
 * hole that is free at that moment, as an allocator does it; holes in bins by size (Masmano et al. 2004,
 * "TLSF"). O(n) but for the sort, so that even a million buffers have a plan in a fraction of a second. */
#ifndef PACKING_SWEEP_H
#define PACKING_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "packing/strategy.h"

/* Nothing that needs a look at what is not live now: what the sweep does about pins and pairs is safe but
 * coarse. */
static inline bool berth_sweep_fits(const struct berth_packing_instance *instance) {
  return instance->pin == NULL && instance->n_conflicts == 0 && instance->chains == NULL;
}

/* Above so many buffers there are sweeps only, where they fit: a board takes more than 200 bytes a buffer. */
#define BERTH_SWEEP_ONLY (UINT32_C(1) << 19)

static inline bool berth_sweep_only(const struct berth_packing_instance *instance) {
  return instance->n_buffers > BERTH_SWEEP_ONLY && berth_sweep_fits(instance);
}

/* One sweep; gives up as soon as the plan cannot be better than the incumbent, fit the capacity, or when
 * effort is spent; else offers the plan. Gaps are not used. A buffer with partners keeps its bytes to the
 * end. The pinned, which the caller has shown not to clash, lie below `base`, all others at or above it.
 * BERTH_RESOURCE_EXHAUSTED if memory ran out. */
enum berth_code berth_sweep(struct berth_packing_search *search, uint64_t base, bool reversed) BERTH_MUST_USE;

#endif
