/* The search for added waits. A set of waits is tried by planning the graph with them; of the plan counts
 * only what it reuses: which buffers have the bytes of which before them. These pairs must be ordered, and as
 * few waits as order them are what the plan needs, whatever was tried. So orders that cost far too much may
 * be tried as well: all operators one after the other, or all streams meeting now and then. */
#ifndef SYNCS_SEARCH_H
#define SYNCS_SEARCH_H

#include "base/arena.h"
#include "base/effort.h"
#include "berth/solve.h"
#include "liveness/clocks.h"

/* A set of waits, by waiter, then by signaller, each once. */
struct berth_syncs {
  uint32_t n;
  struct berth_sync *items;
};

/* The best that was found with added waits. */
struct berth_syncs_best {
  struct berth_plan *plan;  /* NULL: none yet */
  struct berth_syncs syncs; /* that it needs */
  struct berth_syncs tried; /* with which it was made */
  uint64_t total_bytes;     /* arena and cost */
};

struct berth_syncs_search {
  const struct berth_problem *problem;
  const struct berth_graph *graph;
  const struct berth_buffers *buffers;
  const struct berth_solve_options *options;
  struct berth_solve_hooks hooks; /* for solving: when to stop, and nothing else */
  const struct berth_allocator *allocator;
  struct berth_arena *arena;
  struct berth_effort *effort;
  const struct berth_plan *without; /* the best plan without added waits; may have no offsets */
  uint32_t n_streams;
  uint32_t most_syncs;        /* more do not pay, or are not allowed */
  const uint32_t *unit;       /* of each operator: itself, or the first of the largest region that it is in */
  const uint32_t *user_begin; /* n_buffers + 1: the operators that use each buffer, ascending */
  const uint32_t *users;
  struct berth_syncs_best best;
};

/* Whether a search of this size is made at all: operators and buffers, each times streams. */
#define BERTH_SYNCS_MOST_CLOCKS (UINT64_C(1) << 22)

/* False if memory ran out. */
bool berth_syncs_search_init(struct berth_syncs_search *search);

/* The graph's own added waits and these, in one list. */
bool berth_syncs_merge(
    const struct berth_syncs_search *search, struct berth_syncs syncs, struct berth_arena *arena,
    struct berth_syncs *out);

/* What the users of buffers must know when they begin, so that who has the bytes of others comes after them:
 * for each unit and stream how many operators of the stream must have run; on top of what the graph orders.
 */
struct berth_syncs_needs {
  uint32_t *least;  /* operators x streams; only those that are units count */
  uint64_t n_pairs; /* that the graph does not order */
};

/* `buffers` is how the order sees the places: the problem's own, or the same with more waits. */
bool berth_syncs_find_needs(
    const struct berth_syncs_search *search, const struct berth_buffers *buffers, const uint32_t *pool,
    const uint64_t *offset, struct berth_arena *arena, struct berth_syncs_needs *out);

/* As few waits as are found that meet the needs: one after the other where one is missing, the latest first,
 * those of `tried` without which one does, whichever are fewer; none that others imply. *out_found is false
 * if there are none. False if memory ran out. */
bool berth_syncs_cover(
    struct berth_syncs_search *search, const struct berth_syncs_needs *needs, struct berth_syncs tried,
    struct berth_arena *arena, struct berth_syncs *out, bool *out_found);

/* Arena and cost with so many waits; stays at the largest number where it would wrap. */
uint64_t
berth_syncs_total(const struct berth_syncs_search *search, const struct berth_plan *plan, uint32_t n_syncs);

/* Plans with the waits in `ticks`, from `start` (NULL: the plan without waits), and keeps the plan if it is
 * the best, with the waits that it needs. It comes out as well if asked for; NULL where there is none. */
enum berth_code berth_syncs_try(
    struct berth_syncs_search *search, struct berth_syncs tried, const struct berth_plan *start,
    uint64_t ticks, struct berth_plan **out_plan) BERTH_MUST_USE;

/* All in one order, and all streams meeting here and there. */
enum berth_code
berth_syncs_try_barriers(struct berth_syncs_search *search, uint64_t limit_ticks) BERTH_MUST_USE;
/* One wait after the other, each through the heaviest antichain. */
enum berth_code berth_syncs_try_path(struct berth_syncs_search *search, uint64_t limit_ticks) BERTH_MUST_USE;

#endif
