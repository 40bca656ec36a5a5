/* Runs of the niche search at one capacity that do not depend on each other: a complete one,
 * and chains of short ones. All begin with what was known when the turn began, so that any number of threads
 * may run them; the first in order that ends the turn is its outcome. */
#ifndef PACKING_EXACT_CAMPAIGN_TURN_H
#define PACKING_EXACT_CAMPAIGN_TURN_H

#include "packing/exact/campaign.h"

struct berth_campaign_turn {
  uint64_t capacity;
  uint64_t n_complete; /* nodes of the complete run, 0 for none */
  uint64_t n_in_chain; /* nodes of each chain, 0 for none; its last run may take more */
};

/* After FOUND campaign->found is the search that has the packing. */
enum berth_niche_outcome
berth_campaign_take_turn(struct berth_campaign *campaign, const struct berth_campaign_turn *turn);

/* Gives back what lanes took. */
void berth_campaign_drop_lanes(struct berth_campaign *campaign);

#endif
