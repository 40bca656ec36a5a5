/* The slow and simple truth: pair by pair, step by step. Shares no code with the planner. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include "sample.h"

/* Whether the offsets are right in every respect: placed, allowed, aligned, pinned, in capacity, disjoint. */
bool oracle_safe(const struct sample *sample, const uint32_t *pool, const uint64_t *offset);
/* The place of `pool` in the list of those that buffer i may live in, BERTH_NO_INDEX if it may not. */
uint32_t oracle_home(const struct sample *sample, uint32_t i, uint32_t pool);
/* That list, of SAMPLE_MAX_POOLS entries at most; returns their number. */
uint32_t oracle_homes(const struct sample *sample, uint32_t i, uint32_t *list);
/* What it costs that all live where they are; of groups, by the lists of these. */
uint64_t oracle_cost(const struct sample *sample, const uint32_t *pool);
/* Whether buffer i is a constant or state, and the pool keeps these apart. */
bool oracle_apart(const struct sample *sample, uint32_t i, uint32_t pool);
/* Whether two buffers may lie at these offsets of one pool. */
bool oracle_pair_safe(
    const struct sample *sample, uint32_t pool, uint32_t a, uint64_t offset_a, uint32_t b, uint64_t offset_b);
/* Whether two buffers are both present at some step. */
bool oracle_meet(const struct sample *sample, uint32_t a, uint32_t b);
bool oracle_in_conflict(const struct sample *sample, uint32_t a, uint32_t b);

/* The smallest arena for these members (of one pool, by exhaustive search: up to 7 of them, 5 with gaps). */
uint64_t
oracle_optimum(const struct sample *sample, uint32_t pool, const uint32_t *members, uint32_t n_members);
/* The same of a sample with groups or gaps, which the above turns to; of a pool of bytes. */
uint64_t oracle_grouped_optimum(
    const struct sample *sample, uint32_t pool, const uint32_t *members, uint32_t n_members);

#endif
