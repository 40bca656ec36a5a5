/* A set of small integers as a tree of 64-bit words: insert, remove, successor and predecessor in log64 n. */
#ifndef BASE_LEVELS_H
#define BASE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { BERTH_LEVELS_MAX = 6 };

struct berth_levels {
  uint32_t n_levels;
  uint64_t *words[BERTH_LEVELS_MAX]; /* words[0] has a bit a member, words[k + 1] a bit a word of words[k] */
};

/* An empty set over [0, n); false if memory ran out. */
bool berth_levels_init(struct berth_levels *set, struct berth_arena *arena, uint32_t n);
void berth_levels_insert(struct berth_levels *set, uint32_t member);
void berth_levels_remove(struct berth_levels *set, uint32_t member);
/* Least member >= `from`, or UINT32_MAX. */
uint32_t berth_levels_next(const struct berth_levels *set, uint32_t from);
/* Greatest member <= `from`, or UINT32_MAX. */
uint32_t berth_levels_previous(const struct berth_levels *set, uint32_t from);

#endif
