/* Hill climbing on the order in which buffers are tried: where the search alone cannot find a packing, short
 * runs of it show which sections refute, the keys of a few buffers there are changed, and the change stays if
 * the next run places as many buffers as before. */
#ifndef PACKING_EXACT_NICHE_CLIMB_H
#define PACKING_EXACT_NICHE_CLIMB_H

#include "packing/exact/niche_order.h"

struct berth_niche_climb {
  double *best_key;
  uint32_t *trouble; /* n_refuted of the best run */
  uint32_t n_placed; /* in the best run */
  uint32_t n_stalled;
  bool is_started;
  struct berth_rng rng;
};

enum berth_code berth_niche_climb_init(
    struct berth_niche_climb *climb, const struct berth_niche_model *model, uint64_t seed,
    struct berth_arena *arena) BERTH_MUST_USE;

/* Goes on from where it left, for about n_nodes. */
enum berth_niche_outcome berth_niche_climb_run(
    struct berth_niche_climb *climb, struct berth_niche_search *search, struct berth_niche_order *order,
    uint64_t capacity, uint64_t n_nodes);

#endif
