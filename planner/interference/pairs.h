/* The pairs that must not share, by buffer. */
#ifndef INTERFERENCE_PAIRS_H
#define INTERFERENCE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* The partners of buffer i are other[begin[i] .. begin[i + 1]); begin is NULL where there are no pairs. */
struct berth_pairs {
  const uint32_t *begin;
  const uint32_t *other;
};

/* False if memory ran out. */
bool berth_pairs_init(
    struct berth_pairs *pairs, struct berth_arena *arena, uint32_t n_buffers, uint32_t n_pairs,
    const uint32_t (*pair)[2]);

static inline uint32_t berth_pairs_n(const struct berth_pairs *pairs, uint32_t i) {
  return pairs->begin != NULL ? pairs->begin[i + 1] - pairs->begin[i] : 0;
}

#endif
