/* Separation as a strategy: the plan is pressed below a height that is less than its own, and what then
 * shares bytes is moved apart (separation.h). */
#ifndef PACKING_SEPARATE_H
#define PACKING_SEPARATE_H

#include "packing/strategy.h"

extern const struct berth_packing_strategy berth_packing_separate;

#endif
