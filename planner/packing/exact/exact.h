/* The complete search as a strategy: it ends with the smallest arena and its proof, or when effort is spent,
 * with the best arena and the best bound so far. See DESIGN.md beside it. */
#ifndef PACKING_EXACT_EXACT_H
#define PACKING_EXACT_EXACT_H

#include "packing/strategy.h"

/* Bits of berth_packing_search.switches: those of berth_niche_switch, and these. */
enum berth_exact_switch {
  BERTH_EXACT_GUIDES = 1 << 8,    /* most short runs try first what the best before them came to */
  BERTH_EXACT_RESTARTS = 1 << 9,  /* short runs in random orders */
  BERTH_EXACT_JUMPS = 1 << 11,    /* runs that need not prove anything jump back */
  BERTH_EXACT_CONTRACT = 1 << 12, /* packings without waste are put together by undoing cuts */
  BERTH_EXACT_NICHES = 1 << 10,   /* the niche search where it applies, else always pairs */
};

extern const struct berth_packing_strategy berth_packing_exact;

/* Only what BERTH_EXACT_CONTRACT adds to it, which takes next to no time where it does not apply. */
extern const struct berth_packing_strategy berth_packing_contract;

/* Gives back what is left of a search that is not taken up any more; NULL is fine. */
void berth_exact_drop(struct berth_exact_rest *rest);

#endif
