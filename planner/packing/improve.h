/* Improvement of large plans: hill climbing over placement orders, as Vela does it (Ethos-U Vela,
 * hillclimb_allocation.py), but driven by what lies above the bound. */
#ifndef PACKING_IMPROVE_H
#define PACKING_IMPROVE_H

#include "packing/strategy.h"

/* Bits of berth_packing_search.switches; tests show each worth having. */
enum berth_improve_switch {
  BERTH_IMPROVE_FIRST_LINE = 1 << 0, /* and three more: the orders to climb from */
  BERTH_IMPROVE_SEVERAL = 1 << 4,    /* several buffers move at once, now and then */
  BERTH_IMPROVE_WORSE = 1 << 5,      /* after much in vain a little worse is accepted */
};

/* Runs until the bound is met or effort is spent. A few orders that keep the peak compact are climbed side by
 * side: some buffer that ends above the aim (the bound, or the capacity where only a fit is asked for) is
 * moved to an earlier place in the order, everything is placed anew at the lowest fit, and the new order
 * stays if less lies above the aim: the sum of the excess of every buffer, which says more than the arena. A
 * pass ends as soon as it has more excess than its order had. */
extern const struct berth_packing_strategy berth_packing_improve;

#endif
