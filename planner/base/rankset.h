/* A set of small numbers (ranks) with neighbours: a bitset with a summary over it, and one over that, so that
 * every operation takes as many steps as there are levels (4 for 2^24 ranks). */
#ifndef BASE_RANKSET_H
#define BASE_RANKSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define BERTH_RANKSET_MAX_LEVELS 6
#define BERTH_NO_RANK UINT32_MAX

struct berth_rankset {
  uint32_t n_levels;
  uint64_t *words[BERTH_RANKSET_MAX_LEVELS]; /* bit r of level k + 1: word r of level k is not zero */
};

/* An empty set of ranks below n, in the arena; false if memory ran out. */
bool berth_rankset_init(struct berth_rankset *set, struct berth_arena *arena, uint32_t n);
void berth_rankset_insert(struct berth_rankset *set, uint32_t rank);
void berth_rankset_remove(struct berth_rankset *set, uint32_t rank);
/* The largest member below `rank`, the smallest above it; BERTH_NO_RANK if there is none. */
uint32_t berth_rankset_before(const struct berth_rankset *set, uint32_t rank);
uint32_t berth_rankset_after(const struct berth_rankset *set, uint32_t rank);

#endif
