/* What packing sees of a problem: the buffers of one pool, over compressed steps, in canonical order. Plain
 * columns; the owner is the arena that they were made in. */
#ifndef PACKING_INSTANCE_H
#define PACKING_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/problem.h"
#include "interference/chains.h"
#include "interference/timeline.h"

/* More pairs that only a partial order makes than this are not listed. */
#define BERTH_PACKING_MOST_PAIRS (UINT32_C(1) << 22)

/* Bytes that pieces of one buffer, or of one storage, hold more than once: the load counts them once. */
struct berth_packing_excess {
  uint32_t lower;
  uint32_t upper;
  uint64_t bytes;
  uint32_t buffer; /* one of them */
};

/* Where some buffers have slices, each slice, and each whole buffer without any, is a thing of the order on
 * its own. */
struct berth_packing_slices {
  uint32_t n;
  const uint32_t *begin; /* n_buffers + 1; none is empty */
  const uint32_t *buffer;
  const uint64_t *window_lower;
  const uint64_t *window_upper;
};

struct berth_packing_instance {
  uint32_t n_buffers;
  uint32_t n_steps;      /* compressed: every step is a time at which some lifetime or gap begins */
  const uint32_t *lower; /* half-open lifetimes [lower, upper), never empty */
  const uint32_t *upper;
  const uint64_t *life;      /* in the problem's own steps, for orders; NULL: as long as the compressed one */
  uint64_t span;             /* from the first start to the last end, in the same steps */
  const uint64_t *size;      /* never 0: buffers of size 0 are placed by the caller */
  const uint64_t *alignment; /* powers of two, the pool's included; bind the offset only */
  const uint64_t *pin;       /* BERTH_UNPINNED or a fixed offset; NULL if nothing is pinned */
  bool pins_may_meet;        /* nothing is shared but what pins share */
  const uint32_t *gap_begin; /* n_buffers + 1; NULL if there are no gaps */
  const struct berth_piece *gaps;
  const uint32_t
      *piece_begin; /* n_buffers + 1; NULL if there are none. Where a buffer has pieces here, they are */
  const struct berth_piece *pieces; /* all that it holds, several at a step and in any order */
  uint32_t n_excess;
  const struct berth_packing_excess *excess;
  uint32_t n_conflicts; /* pairs that must not share bytes though their lifetimes are apart; a < b, sorted */
  const uint32_t (*conflicts)[2];
  struct berth_precedence order; /* partial, if it has clocks; its pairs are among the conflicts, unless: */
  const struct berth_packing_slices *slices; /* what is ordered; NULL: buffers. Pairs of slices are steps, */
  const struct berth_chains
      *chains;       /* say who meets whom, where those pairs are too many to list; else NULL */
  uint64_t capacity; /* no offset + size beyond it; BERTH_UNLIMITED to minimise freely */
};

static inline bool berth_packing_is_pinned(const struct berth_packing_instance *instance, uint32_t buffer) {
  return instance->pin != NULL && instance->pin[buffer] != BERTH_UNPINNED;
}

/* The end of what lies highest. */
static inline uint64_t
berth_packing_top(const struct berth_packing_instance *instance, const uint64_t *offset) {
  uint64_t top = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    uint64_t end = offset[i] + instance->size[i];
    top = end > top ? end : top;
  }
  return top;
}

#endif
