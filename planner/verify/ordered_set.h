/* The ordered set of the sweep: ranges of bytes ordered by where they begin, of which some are present.
 *
 * All ranges that will ever be present are known beforehand, so each has a fixed rank and the set is a
 * tournament tree over the ranks that keeps the greatest end of those present. Every operation costs O(log n)
 * whatever the plan looks like: overlapping ranges may be present together, there is no balance to lose, and
 * no recursion. */
#ifndef VERIFY_ORDERED_SET_H
#define VERIFY_ORDERED_SET_H

#include <stdbool.h>

#include "base/arena.h"
#include "berth/status.h"

struct berth_verify_set {
  uint32_t n_leaves;      /* a power of two */
  uint64_t *greatest_end; /* 1: the root; n_leaves + rank: a range; 0 where nothing is present */
};

bool berth_verify_set_init(struct berth_verify_set *set, struct berth_arena *arena, uint32_t n_ranges);
void berth_verify_set_put(struct berth_verify_set *set, uint32_t rank, uint64_t end); /* end > 0 */
void berth_verify_set_drop(struct berth_verify_set *set, uint32_t rank);

/* The first rank from `rank` on whose range is present and ends after `byte`; BERTH_NO_INDEX if none does. */
uint32_t berth_verify_set_next(const struct berth_verify_set *set, uint32_t rank, uint64_t byte);

#endif
