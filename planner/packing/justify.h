/* Justification: windows of the incumbent are placed again, in its own order with a little changed, then
 * upside down, and back, as long as that brings them lower. It goes by who meets whom and not by time: so
 * partial orders are what it is for. See window.h. */
#ifndef PACKING_JUSTIFY_H
#define PACKING_JUSTIFY_H

#include "packing/strategy.h"

extern const struct berth_packing_strategy berth_packing_justify;

#endif
