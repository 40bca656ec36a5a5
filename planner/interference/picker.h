/* The best-ranked lifetime that lies inside a window of time: a packed R-tree (Leutenegger, Lopez and
 * Edgington 1997, "STR") over the points (lower, upper), with the best rank kept in every node. */
#ifndef INTERFERENCE_PICKER_H
#define INTERFERENCE_PICKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { BERTH_PICKER_MAX_LEVELS = 8 };

struct berth_picker_node {
  uint32_t max_lower;
  uint32_t min_upper;
  uint32_t rank; /* best of those still in; UINT32_MAX when all are gone */
};

struct berth_picker {
  uint32_t n_levels;
  uint32_t n_nodes[BERTH_PICKER_MAX_LEVELS];
  struct berth_picker_node *levels[BERTH_PICKER_MAX_LEVELS]; /* levels[0]: the lifetimes themselves */
  uint32_t *place;                                           /* of each buffer in levels[0] */
  const uint32_t *order;                                     /* rank to buffer */
  uint64_t n_visited;                                        /* nodes looked at so far: the effort */
};

/* order[r] is the buffer of rank r, best first; it must outlive the picker. O(n log n) of which most is two
 * radix sorts. False if memory ran out. */
bool berth_picker_init(
    struct berth_picker *picker, struct berth_arena *arena, uint32_t n, const uint32_t *lower,
    const uint32_t *upper, const uint32_t *order);

/* The best-ranked buffer left with from <= lower and upper <= to, or UINT32_MAX. */
uint32_t berth_picker_best(struct berth_picker *picker, uint32_t from, uint32_t to);

void berth_picker_remove(struct berth_picker *picker, uint32_t buffer);

#endif
