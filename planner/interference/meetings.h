/* Meetings: who may not share bytes with whom, a bit a pair, however that came about. For up to so many
 * buffers that n^2 bits are little; what is asked of one buffer is a row of words. */
#ifndef INTERFERENCE_MEETINGS_H
#define INTERFERENCE_MEETINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "interference/chains.h"

#define BERTH_MEETINGS_MOST (UINT32_C(1) << 14)

struct berth_meetings {
  uint32_t n;
  uint32_t n_words; /* of a row */
  uint64_t *rows;   /* symmetric; nobody meets itself */
};

/* Those whose lifetimes overlap, and the pairs; or, where `chains` is not NULL, those that they do not order.
 * False if memory ran out or the arena's effort was stopped. */
bool berth_meetings_make(
    struct berth_meetings *meetings, uint32_t n, const uint32_t *lower, const uint32_t *upper,
    uint32_t n_pairs, const uint32_t (*pairs)[2], const struct berth_chains *chains,
    struct berth_arena *arena);

static inline const uint64_t *berth_meetings_row(const struct berth_meetings *meetings, uint32_t buffer) {
  return meetings->rows + (size_t)buffer * meetings->n_words;
}

static inline bool berth_meetings_has(const uint64_t *row, uint32_t buffer) {
  return (row[buffer / 64] >> (buffer % 64) & 1) != 0;
}

/* The weights of all whom the buffer meets, and its own; how many they are. */
uint64_t berth_meetings_weight(
    const struct berth_meetings *meetings, const uint64_t *weight, uint32_t buffer, uint32_t *out_n);

/* The weight of some antichain that the buffer is in: greedy, always the one of the highest rank among those
 * whom all chosen so far meet. `scratch` has n_words. Adds what it looked at to *n_looks; ends early if the
 * effort is stopped. */
uint64_t berth_meetings_peak(
    const struct berth_meetings *meetings, const uint64_t *weight, const double *rank, uint32_t buffer,
    struct berth_effort *effort, uint64_t *scratch, uint64_t *n_looks);

#endif
