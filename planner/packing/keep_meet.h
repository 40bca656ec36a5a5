/* Pairs of items that cannot both stay: they meet where they were. */
#ifndef PACKING_KEEP_MEET_H
#define PACKING_KEEP_MEET_H

#include "packing/keep.h"

struct berth_keep_meetings {
  uint32_t n;
  uint32_t (*pairs)[2];
  bool is_complete; /* all there are; else there are too many, or chains know more */
};

/* Among the items with a place at[i] (BERTH_UNPINNED: none). O((n + pairs) log n). False if memory ran out or
 * the arena's effort was stopped. */
bool berth_keep_meet(
    const struct berth_packing_instance *instance, const uint64_t *at, struct berth_arena *arena,
    struct berth_keep_meetings *out);

#endif
