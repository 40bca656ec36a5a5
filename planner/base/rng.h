/* A small seeded generator (splitmix64, Steele, Lea and Flood 2014): equal on every machine. Not for secrets.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct berth_rng {
  uint64_t state;
};

static inline uint64_t berth_rng_next(struct berth_rng *rng) {
  uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Uniform in [0, n), n > 0 (bias below 2^-32 for n < 2^32). */
static inline uint32_t berth_rng_below(struct berth_rng *rng, uint32_t n) {
  return (uint32_t)(((berth_rng_next(rng) >> 32) * n) >> 32);
}

#endif
