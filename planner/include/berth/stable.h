/* Stability: plans that keep what an earlier plan placed.
 *
 * Programs with baked-in addresses, caches of compiled kernels and reviewers of plans want few buffers to
 * move when a problem changes a little. An earlier plan says where buffers were; they are found again as
 * berth_report_match finds them. What is asked for:
 *
 *   must     buffers that keep their places whatever it costs. Impossible: an error that names the buffer.
 *   should   of all others as many as can be, counted in buffers or in bytes,
 *   within   a limit to each arena, against what it was; or in the smallest arenas that are found.
 *
 * Of the plans that keep as much, one with small arenas is sought. A buffer keeps its place if both its pool
 * and its offset stay; it may be live at other steps, and be larger or smaller. */
#ifndef BERTH_STABLE_H
#define BERTH_STABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/allocator.h"
#include "berth/problem.h"
#include "berth/report.h"

enum berth_keep_by {
  BERTH_KEEP_BUFFERS = 0, /* fewest buffers move */
  BERTH_KEEP_BYTES,       /* the fewest bytes, by their sizes in the new problem */
};

enum berth_growth {
  BERTH_GROWTH_ANY = 0, /* pools' own capacities are the only limit */
  BERTH_GROWTH_BYTES,   /* each arena may be this much larger than it was, and 0 means no larger */
  BERTH_GROWTH_SHARE,   /* the same in millionths of what it was, rounded down */
  BERTH_GROWTH_LEAST,   /* the smallest arenas that are found, and then the fewest moves in arenas so small */
};

/* Where one buffer was. Pools are the new problem's: BERTH_NO_INDEX for one that there is no more. */
struct berth_stable_row {
  struct berth_text id; /* of size 0: found by its place among those without one */
  bool is_workspace;    /* id is that of its operator */
  uint32_t pool;
  uint64_t offset; /* BERTH_NO_OFFSET: it had none */
  uint64_t size_bytes;
};

struct berth_stable_spec {
  const struct berth_stable_row *rows;
  uint32_t n_rows;
  bool is_in_order; /* row i is of buffer i, whatever its id; there are as many as buffers */
  enum berth_keep_by keep_by;
  enum berth_growth growth;
  uint64_t growth_amount; /* bytes or millionths */
  /* Of each pool of the problem; NULL: none, and as the rows say. A limit binds beside growth. */
  const uint64_t *limit_bytes;
  const uint64_t *arena_bytes; /* as they were */
  /* Who must keep its place, of those that had one: all; those of a class (bit 1 << class); those that were
   * in a pool; those with these ids, or these buffers, each of which must have had a place. */
  bool must_all;
  uint32_t must_classes;
  const uint32_t *must_pools;
  uint32_t n_must_pools;
  const struct berth_text *must_ids;
  uint32_t n_must_ids;
  const uint32_t *must_buffers;
  uint32_t n_must_buffers;
};

/* The same in terms of the problem: what a solver is asked (solve.h). One immutable block with a reference
 * count, made by berth_stable_create only. Columns have one entry a buffer, in the problem's order. */
struct berth_stable {
  uint32_t n_buffers;
  uint32_t n_pools;
  const uint32_t *pool;        /* where it was; BERTH_NO_INDEX: nowhere, or in a pool that there is no more */
  const uint64_t *offset;      /* BERTH_NO_OFFSET: it had no place */
  const uint8_t *must;         /* 1: it must keep its place */
  const uint64_t *limit_bytes; /* of each pool's arena; BERTH_UNLIMITED for none */
  enum berth_keep_by keep_by;
  bool is_least; /* BERTH_GROWTH_LEAST */
  /* For reports only, and not part of a plan's id. */
  const uint64_t *arena_bytes; /* of each pool, as it was */
  uint32_t n_gone;
  const uint32_t *gone; /* rows whose buffers there are no more, rising */
};

/* INVALID_ARGUMENT/BAD_KEEP where somebody cannot keep its place that must: the message says who and why
 * (it would meet another one that must stay, end beyond a capacity or the limit, is not aligned, pinned
 * elsewhere, may not live there, ...), and index is the buffer. In a pool with a front (buffer.h) nobody can
 * be made to stay, and constants and state stay where the front's own order leaves them.
 * SIZE_OVERFLOW for a place beyond 2^63, UNKNOWN_ID for an id in must_ids that is not one of a buffer with a
 * place, BAD_POOL for a pool that does not exist, BAD_OPTION for words that there are not. */
enum berth_code berth_stable_create(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    const struct berth_allocator *allocator, const struct berth_stable **out_stable,
    struct berth_error *err) BERTH_MUST_USE;

/* The rows of a problem and a plan of it: pools are matched by name, those without one by their index. As
 * many as `earlier` has buffers; freed with berth_report_free. Ids are the problem's own. */
enum berth_code berth_stable_rows(
    const struct berth_report_side *earlier, const struct berth_problem *problem,
    const struct berth_allocator *allocator, struct berth_stable_row **out_rows,
    struct berth_error *err) BERTH_MUST_USE;

const struct berth_stable *berth_stable_ref(const struct berth_stable *stable);
void berth_stable_unref(const struct berth_stable *stable); /* NULL is fine */

enum berth_stay {
  BERTH_STAY_KEPT = 0,
  BERTH_STAY_MOVED,
  BERTH_STAY_NEW, /* it had no place before */
};
/* What became of a buffer in a plan with offsets. */
static inline enum berth_stay
berth_stay_of(const struct berth_stable *stable, const uint32_t *pool, const uint64_t *offset, uint32_t i) {
  if (stable->offset[i] == BERTH_NO_OFFSET) {
    return BERTH_STAY_NEW;
  }
  bool is_kept = stable->offset[i] == offset[i] && stable->pool[i] == (pool != NULL ? pool[i] : 0);
  return is_kept ? BERTH_STAY_KEPT : BERTH_STAY_MOVED;
}
const char *berth_stay_name(enum berth_stay stay); /* "kept", "moved", "new" */

#endif
