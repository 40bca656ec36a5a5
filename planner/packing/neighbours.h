/* Whom a buffer meets, listed for one buffer at a time: under a partial order from its row of bits, else from
 * the lifetimes, by a tree over their starts, and from the pairs. */
#ifndef PACKING_NEIGHBOURS_H
#define PACKING_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "interference/meetings.h"
#include "interference/pairs.h"
#include "packing/instance.h"

struct berth_neighbours {
  const struct berth_packing_instance *instance;
  bool by_rows;
  struct berth_meetings rows; /* of a partial order */
  struct berth_pairs pairs;   /* of a total one */
  uint32_t *by_start;         /* buffers */
  uint32_t *start;            /* theirs, ascending */
  uint32_t n_leaves;
  uint32_t *latest; /* 2 * n_leaves: the latest end below each node of the tree over by_start */
};

/* Of BERTH_MEETINGS_MOST buffers at most, under a partial order. False if memory ran out or the arena's
 * effort was stopped. */
bool berth_neighbours_init(
    struct berth_neighbours *neighbours, const struct berth_packing_instance *instance,
    struct berth_arena *arena);

/* Writes them to `out`, which has room for all buffers, in an order that is always the same; returns how many
 * they are. Adds what it looked at to *n_looks. */
uint32_t berth_neighbours_list(
    const struct berth_neighbours *neighbours, uint32_t buffer, uint32_t *out, uint64_t *n_looks);

#endif
