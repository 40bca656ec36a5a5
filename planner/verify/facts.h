/* What the problem states, as the judge reads it: columns that were given, and lifetimes that the judge
 * derives by itself wherever they were not given. */
#ifndef VERIFY_FACTS_H
#define VERIFY_FACTS_H

#include "base/arena.h"
#include "berth/problem.h"

struct berth_verify_order;
struct berth_verify_slices;

/* Waits that a plan asks for beside those that the problem states. */
struct berth_verify_added {
  uint32_t n;
  const struct berth_sync *items;
};

struct berth_verify_facts {
  const struct berth_problem *problem; /* for names only */
  struct berth_verify_added added;
  uint32_t n; /* buffers */
  const uint64_t *size;
  const uint64_t *alignment; /* of the buffer alone, not of its pool */
  const uint64_t *pin;       /* NULL if nothing is pinned */
  const int64_t *lower;      /* half-open and never empty */
  const int64_t *upper;
  const uint8_t *class_;
  const uint32_t *gap_begin; /* NULL if there are no gaps */
  const struct berth_gap *gaps;
  const uint32_t *pool_begin; /* NULL if every buffer may live in every pool */
  const uint32_t *allowed_pools;
  const uint32_t *owner; /* of a graph: the value that is each buffer's root, BERTH_NO_INDEX for a workspace;
                            NULL for buffers */
  const uint32_t *accesses; /* NULL if all are 1 */
  uint32_t n_conflicts;
  const uint32_t (*conflicts)[2];
  const struct berth_groups *groups;      /* as stated */
  const uint32_t *storage;                /* of each buffer: the first that is one storage with it, or itself;
                                             NULL if nobody shares */
  const struct berth_verify_order *order; /* NULL: a total order */
  const struct berth_verify_slices *slices; /* NULL: every buffer is whole, but for gaps */
  uint32_t n_pools;
  const struct berth_pool_spec *pools;
};

/* The facts live in `arena`, or in the problem. `added` are waits between operators of the graph that exist,
 * each for an earlier one (berth_verify_syncs). */
enum berth_code berth_verify_gather(
    struct berth_verify_facts *facts, const struct berth_problem *problem, struct berth_verify_added added,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

/* For a graph: sizes, alignments, pins, classes and lifetimes from the values and operators themselves.
 * `facts` holds the columns that the problem derived, and is overwritten where the graph says it better. */
enum berth_code berth_verify_derive(
    struct berth_verify_facts *facts, const struct berth_problem *problem, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
