/* Chains: the beginnings of all buffers under a partial order, cut into sequences in which each lower clock
 * is at least the one before it (a chain decomposition; a stream is one, mostly). What a buffer may meet is
 * then a stretch of each chain, found by bisection: n x chains entries say all of an order that has n^2
 * pairs. */
#ifndef INTERFERENCE_CHAINS_H
#define INTERFERENCE_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "interference/precedence.h"

/* Chains times buffers. */
#define BERTH_CHAINS_MAX (UINT64_C(1) << 24)

struct berth_chains {
  uint32_t n; /* buffers */
  uint32_t n_chains;
  uint32_t *by_sum; /* buffers, by the sum of their lower clocks: an order that fits */
  uint32_t *begin;  /* n_chains + 1: where each chain begins among the places */
  uint32_t *place;  /* of each buffer: chain after chain */
  uint32_t *buffer; /* at each place */
  /* n x n_chains. The buffers at the places [first_met, end_met) begin neither before the buffer does nor
   * after its end: two buffers are not ordered if and only if one of them stands in such a stretch of the
   * other's. */
  uint32_t *first_met;
  uint32_t *end_met;
};

/* Greedy: buffers by the sum of their lower clocks, each on the chain that comes closest below it. False if
 * memory ran out or the arena's effort was stopped; *out_usable is false if there are too many chains. */
bool berth_chains_make(
    struct berth_chains *chains, const struct berth_precedence *order, struct berth_arena *arena,
    bool *out_usable);

#endif
