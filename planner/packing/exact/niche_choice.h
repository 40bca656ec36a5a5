/* Which section of a range the niche search branches on, and on what. */
#ifndef PACKING_EXACT_NICHE_CHOICE_H
#define PACKING_EXACT_NICHE_CHOICE_H

#include "packing/exact/niche_search.h"

/* The lowest offset to which the floor of the section can be raised if no member lies on it; the only choice
 * if there are no others. */
#define BERTH_NICHE_RAISE UINT32_MAX

/* Fills in the section of the node and appends its choices from node->choice on; there is room for every
 * buffer and the raise. */
void berth_niche_choose(struct berth_niche_search *search, struct berth_niche_node *node);

#endif
