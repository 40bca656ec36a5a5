/* Situations over a range of sections that have been refuted in this run, to be known again in any that
 * leaves no more room: the same buffers open there, no floor lower, and no low lower of those that reach
 * beyond the range. So what has failed once in one stretch of time is not tried again in every order of it,
 * whatever else has changed meanwhile.
 *
 * A refutation may depend on what lies outside of the range that it is laid to, so a run that uses these
 * proves nothing. */
#ifndef PACKING_EXACT_NICHE_NOGOODS_H
#define PACKING_EXACT_NICHE_NOGOODS_H

#include <stdbool.h>
#include <stdint.h>

#include "packing/exact/niche_state.h"

enum { BERTH_NICHE_NOGOOD_RANGES = 32 };

struct berth_niche_nogood {
  uint64_t key;   /* of the range and of who is open in it; 0: none */
  uint64_t begin; /* of its floors, then lows, among all that were ever written */
};

/* That refutations were last laid to: only in these is looked. */
struct berth_niche_nogood_range {
  uint32_t lower;
  uint32_t upper;
  uint32_t score;
};

struct berth_niche_nogoods {
  uint32_t n_ranges;
  struct berth_niche_nogood_range ranges[BERTH_NICHE_NOGOOD_RANGES];
  struct berth_niche_nogood *slots;
  int64_t *words; /* a ring */
  uint64_t n_written;
  uint32_t n_replaced;
  uint64_t *opened; /* of each section: the open buffers that begin before it, combined */
};

enum berth_code berth_niche_nogoods_init(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_model *model,
    struct berth_arena *arena) BERTH_MUST_USE;

/* Forgets all. */
void berth_niche_nogoods_clear(struct berth_niche_nogoods *nogoods);

/* Whether one of them refutes the state as it is within [lower, upper); then the range is the one that it is
 * laid to. */
bool berth_niche_nogoods_refute(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state, uint32_t lower,
    uint32_t upper, struct berth_niche_nogood_range *out);

/* The state as it is is refuted, and the sections [lower, upper), which are not empty, are why. */
void berth_niche_nogoods_learn(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state, uint32_t lower,
    uint32_t upper);

#endif
