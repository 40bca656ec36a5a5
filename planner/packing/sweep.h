/* The sweep: buffers in the order of their starts (or, time reversed, of their ends), each into the tightest
 * hole that is free at that moment, as an allocator does it; holes in bins by size (Masmano et al. 2004,
 * "TLSF"). O(n) but for the sort, so that even a million buffers have a plan in a fraction of a second. */
#ifndef PACKING_SWEEP_H
#define PACKING_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "packing/strategy.h"

/* Pins and pairs need a look at what is not live now: the sweep does not have it. */
static inline bool berth_sweep_can(const struct berth_packing_instance *instance) {
  return instance->pin == NULL && instance->n_conflicts == 0;
}

/* Above so many buffers there are sweeps only, where they can be: a board takes more than 200 bytes a buffer.
 */
#define BERTH_SWEEP_ONLY (UINT32_C(1) << 19)

static inline bool berth_sweep_only(const struct berth_packing_instance *instance) {
  return instance->n_buffers > BERTH_SWEEP_ONLY && berth_sweep_can(instance);
}

/* One sweep; gives up as soon as the plan cannot be better than the incumbent, fit the capacity, or when
 * effort is spent; else offers the plan. Gaps are not used. BERTH_RESOURCE_EXHAUSTED if memory ran out. */
enum berth_code berth_sweep(struct berth_packing_search *search, bool reversed) BERTH_MUST_USE;

#endif
