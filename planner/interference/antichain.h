/* The heaviest antichain of a partial order: the buffers that can take the most bytes at once, since none of
 * them is done before another begins. In a total order it is the heaviest instant.
 *
 * Dilworth's theorem with weights: it weighs as much as all buffers less the most that can be handed on from
 * buffers to those that come after them, each giving and taking its own weight once at most. That is a
 * maximum flow from the ends of buffers to the beginnings, along the chains instead of all pairs; the
 * antichain is read off its minimum cut (König). A greedy flow to start from, then Dinic's algorithm. */
#ifndef INTERFERENCE_ANTICHAIN_H
#define INTERFERENCE_ANTICHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/status.h"
#include "interference/chains.h"

/* Buffers times chains, beyond which it is not looked for. */
#define BERTH_ANTICHAIN_MOST_ARCS (UINT64_C(1) << 23)

struct berth_antichain {
  bool is_found; /* effort sufficed */
  uint64_t weight;
  uint32_t n;
  uint32_t *buffers; /* ascending */
};

enum berth_code berth_antichain_find(
    const struct berth_chains *chains, const uint64_t *weight, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_antichain *out) BERTH_MUST_USE;

#endif
