/* A plan of one pool in which as many items as can be lie where they were.
 *
 * Who is to move is a hitting set: of every set of items that cannot all stay, one moves. Pairs that meet
 * where they were are such sets, and are found by one sweep; on small instances complete search finds the
 * others, until the fewest that hit all that are known leave a set that does fit (implicit hitting sets,
 * Moreno-Centeno and Karp 2013). On large ones those stay that do not meet, the rest is placed around them,
 * and who finds no room below the limit pushes those out that weigh the least. DESIGN.md has what was tried.
 */
#ifndef PACKING_KEEP_H
#define PACKING_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/status.h"
#include "packing/instance.h"

struct berth_keep {
  const struct berth_packing_instance *instance; /* its pins stay, its capacity is the limit */
  struct berth_arena *arena;
  struct berth_effort *effort;
  const uint64_t *want;   /* of each item: where it was, BERTH_UNPINNED if it cannot lie there */
  const uint64_t *weight; /* of each item: what it is worth that it stays */
  bool is_exact;          /* the instance is no coarser than the problem, so that who meets in it does meet */
  bool may_prove;         /* nobody may leave the pool, so that what does not fit here fits nowhere */
  bool may_search;        /* complete search */
  /* A plan, before and after: it is replaced by one that keeps more, or as much in less. BERTH_UNLIMITED:
   * there is none. */
  uint64_t *offset;
  uint64_t arena_bytes;
  uint64_t kept;  /* the weight that it keeps */
  uint64_t bound; /* proven: no plan keeps more; at first the sum of all weights that can be wanted */
};

/* Where the item is to lie: its pin, or where it was. */
static inline uint64_t berth_keep_place(const struct berth_keep *keep, uint32_t item) {
  return berth_packing_is_pinned(keep->instance, item) ? keep->instance->pin[item] : keep->want[item];
}

/* The first attempt is made whatever the budget. */
enum berth_code berth_keep_run(struct berth_keep *keep) BERTH_MUST_USE;

#endif
