/* Arithmetic on sizes that cannot wrap unseen: each returns false where the result does not fit. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool berth_add_u64(uint64_t a, uint64_t b, uint64_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

static inline bool berth_mul_u64(uint64_t a, uint64_t b, uint64_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}

static inline bool berth_mul_size(size_t a, size_t b, size_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}

/* Sums of costs: they stop at the largest number. */
static inline uint64_t berth_add_sat_u64(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t berth_mul_sat_u64(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline bool berth_is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

/* Rounds up to a multiple of `alignment`, a power of two. */
static inline bool berth_round_up_u64(uint64_t n, uint64_t alignment, uint64_t *out) {
  uint64_t bumped;
  if (!berth_add_u64(n, alignment - 1, &bumped)) {
    return false;
  }
  *out = bumped & ~(alignment - 1);
  return true;
}

/* The same where the caller has shown that it fits (sums in a validated problem stay below 2^63). */
static inline uint64_t berth_align_up(uint64_t n, uint64_t alignment) {
  return (n + alignment - 1) & ~(alignment - 1);
}

#endif
