/* Packings without waste, whose optimum is known: a rectangle of steps and bytes, cut up. */
#ifndef TESTS_PERFECT_H
#define TESTS_PERFECT_H

#include "base/rng.h"
#include "packing/instance.h"

enum { PERFECT_MAX = 5004 };

struct perfect {
  uint32_t lower[PERFECT_MAX];
  uint32_t upper[PERFECT_MAX];
  uint64_t size[PERFECT_MAX];
  uint64_t alignment[PERFECT_MAX];
  uint64_t offset[PERFECT_MAX];
  struct berth_packing_instance instance;
};

/* At least n pieces (a few less where none can be cut further): cut in two, or, `n_wheels` times in ten, in
 * five around one in the middle, which no cut from side to side makes. */
void perfect_draw(
    struct perfect *perfect, struct berth_rng *rng, uint32_t n, uint32_t n_steps, uint64_t bytes,
    uint32_t n_wheels);

/* Fails the test unless the offsets are a plan of this arena. */
void perfect_expect_plan(const struct perfect *perfect, uint64_t arena_bytes);

#endif
