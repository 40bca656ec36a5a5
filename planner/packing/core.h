/* The core: what lives where the load is near its peak is searched completely, by itself, and the rest is
 * placed around it. There only the order of the long lives is hard, and few buffers decide it. */
#ifndef PACKING_CORE_H
#define PACKING_CORE_H

#include "packing/strategy.h"

/* Cores from the steps of the highest loads down, each with a share of the effort, until the bound is met or
 * a core is too large to be searched. Bits of `switches`: */
enum berth_core_switch {
  BERTH_CORE_STACKS = 1 << 0, /* equal lifetimes are searched as one buffer */
};

extern const struct berth_packing_strategy berth_packing_core;

#endif
