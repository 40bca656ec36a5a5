/* What can be said of each buffer alone: placed, in a pool that it may use, aligned, at its pin, in capacity.
 */
#ifndef VERIFY_PLACEMENT_H
#define VERIFY_PLACEMENT_H

#include "verify/findings.h"

/* Where the plan puts the buffers. */
struct berth_verify_places {
  const uint32_t *pool; /* NULL: all in pool 0 */
  const uint64_t *offset;
};

static inline uint32_t berth_verify_pool(const struct berth_verify_places *places, uint32_t buffer) {
  return places->pool != NULL ? places->pool[buffer] : 0;
}

/* In a pool that exists, at an offset that is one. */
static inline bool berth_verify_is_placed(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places, uint32_t buffer) {
  return places->offset[buffer] != BERTH_NO_OFFSET && berth_verify_pool(places, buffer) < facts->n_pools;
}

/* offset + n_bytes; stays at the last address where it would wrap. */
static inline uint64_t berth_verify_byte(uint64_t offset, uint64_t n_bytes) {
  return n_bytes <= UINT64_MAX - offset ? offset + n_bytes : UINT64_MAX;
}

/* What both ask for: the greater power of two. */
static inline uint64_t
berth_verify_alignment(const struct berth_verify_facts *facts, uint32_t buffer, uint32_t pool) {
  uint64_t of_buffer = facts->alignment[buffer];
  uint64_t of_pool = facts->pools[pool].alignment;
  return of_buffer > of_pool ? of_buffer : of_pool;
}

/* `arena_bytes` holds what the plan states for each pool; NULL if it states nothing. */
struct berth_verify_homes;
void berth_verify_placements(
    struct berth_verify_homes *homes, const struct berth_verify_places *places, const uint64_t *arena_bytes,
    struct berth_verify_findings *findings);

#endif
