/* In which order the niche search tries the buffers that fit: by a key of each buffer, the largest first. */
#ifndef PACKING_EXACT_NICHE_ORDER_H
#define PACKING_EXACT_NICHE_ORDER_H

#include "base/rng.h"
#include "base/sort.h"
#include "packing/exact/niche_search.h"

enum berth_niche_by {
  BERTH_NICHE_BY_LIFE = 0, /* sections, then area */
  BERTH_NICHE_BY_SIZE,     /* size, then sections */
  BERTH_NICHE_BY_AREA,     /* size times sections */
  BERTH_NICHE_BY_BULK,     /* size times the square root of sections */
  BERTH_NICHE_BY_LOAD,     /* the fullest section of its life, then area */
  BERTH_NICHE_BY_PEAK,     /* the fullest section of its life, then sections */
  BERTH_NICHE_BY_TROUBLE,  /* area times how often its sections have refuted */
  BERTH_NICHE_BY_STRETCH,  /* a random blend of size, bulk, area and trouble that changes along time */
};

struct berth_niche_order {
  double *key;
  uint32_t *order;
  struct berth_sort_item *items;
  struct berth_sort_item *scratch;
};

enum berth_code berth_niche_order_init(
    struct berth_niche_order *order, uint32_t n_buffers, struct berth_arena *arena) BERTH_MUST_USE;

/* Fills `key`; each is then multiplied by up to 1 +- noise/2. */
void berth_niche_order_key(
    double *key, const struct berth_niche_search *search, enum berth_niche_by by, double noise,
    struct berth_rng *rng);

/* Makes the search try larger keys first. */
void berth_niche_order_apply(struct berth_niche_order *order, struct berth_niche_search *search);

#endif
