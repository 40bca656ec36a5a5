/* Which capacities the niche search is run at, in which orders, and for how long.
 *
 * It aims at the proven lower bound first: at the optimum of most real instances a packing is found sooner
 * there than at looser capacities, since what does not lead to it is refuted early. A fixed list of orders is
 * tried for a short time each; then complete runs and chains of short ones take turns with doubling budgets.
 * The complete runs alone would end every search; the others end most of them sooner. */
#ifndef PACKING_EXACT_CAMPAIGN_H
#define PACKING_EXACT_CAMPAIGN_H

#include "base/tasks.h"
#include "packing/exact/niche_order.h"
#include "packing/strategy.h"

enum { BERTH_CAMPAIGN_CHAINS = 8 };

/* Short runs one after the other, each of which may be guided by the best before it. */
struct berth_campaign_chain {
  uint64_t capacity; /* of the best */
  uint64_t n_runs;
  uint64_t best_run;
  uint32_t n_placed; /* in the best run, at once; 0: there is none */
  int64_t *offset;   /* of those, -1 for all others */
};

/* What runs leave to later runs. */
struct berth_campaign_past {
  uint64_t seed;
  uint64_t n_nodes;
  struct berth_campaign_chain *chains;
  double *weight;
  struct berth_niche_memo memo;
};

/* What one thread at a time runs with. */
struct berth_campaign_lane {
  bool is_made;  /* the arena is */
  bool is_ready; /* all is */
  struct berth_arena arena;
  struct berth_niche_search search;
  struct berth_niche_order order;
  struct berth_niche_nogoods nogoods;
  int64_t *deepest;
  uint64_t *trouble; /* of each section: how often it refuted in the short runs of this turn */
};

struct berth_campaign {
  struct berth_packing_search *packing;
  struct berth_niche_model model;
  struct berth_niche_search search;
  struct berth_niche_order order;
  struct berth_rng rng;
  uint64_t seed;                    /* of the short runs */
  struct berth_campaign_past aside; /* of the capacities above the aim: whatever plan is known before, the
                                     * search at the aim goes the same way */
  uint64_t *offset;                 /* in bytes */
  uint64_t
      refuted_step; /* how far to aim above the bound: doubles with each refutation, 0 before the first */
  bool has_begun;
  bool has_aim;
  uint32_t n_opened; /* runs of the opening that have been tried at the aim */
  uint64_t aim;
  uint64_t least_aim; /* capacities below it are refuted, or taken as such */
  uint64_t n_budget;  /* of nodes, of the present turn */
  uint64_t n_tried;   /* nodes of the openings, and what they took */
  uint64_t tried_ticks;
  uint32_t n_vain; /* turns above the aim that found nothing, since the last that began there */
  uint64_t n_turns;
  struct berth_campaign_chain *chains; /* BERTH_CAMPAIGN_CHAINS */
  double *known_weight;                /* of each section, when the turn began */
  uint32_t n_lanes;
  struct berth_campaign_lane *lanes;
  const struct berth_niche_search *found; /* who has the last packing */
};

enum berth_code berth_campaign_init(
    struct berth_campaign *campaign, struct berth_packing_search *packing, bool *out_usable) BERTH_MUST_USE;

/* Whatever init said. */
void berth_campaign_finish(struct berth_campaign *campaign);

/* Until all is settled or effort is spent, or until the next step, but not the first, is likely to go beyond
 * `pause_ticks`: then *out_is_paused, and it may be run again, from where it is, with campaign->packing as it
 * is then. */
enum berth_code
berth_campaign_run(struct berth_campaign *campaign, uint64_t pause_ticks, bool *out_is_paused) BERTH_MUST_USE;

#endif
