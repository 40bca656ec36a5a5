/* The plan: an allocation table, and how good it is. One immutable block with a reference count; any number
 * of threads may read it. Buffers are in the problem's order. */
#ifndef BERTH_PLAN_H
#define BERTH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "berth/problem.h"

enum berth_plan_status {
  BERTH_PLAN_OPTIMAL = 0, /* proven: no plan has less spill cost, and no plan in these pools smaller arenas */
  BERTH_PLAN_FEASIBLE,    /* valid; the budget in ticks ended before a proof */
  BERTH_PLAN_CUT_SHORT,   /* valid; a deadline or a cancellation ended the search: another run may differ */
  BERTH_PLAN_INFEASIBLE,  /* proven: nothing fits in the capacity. No offsets. */
  BERTH_PLAN_UNKNOWN, /* a capacity was given; neither a plan in it nor a proof of none was found. No offsets.
                       */
  BERTH_N_PLAN_STATUSES
};

/* Levels of reuse: how much sharing of bytes is allowed. */
enum berth_reuse {
  BERTH_REUSE_FULL = 0,   /* everything */
  BERTH_REUSE_NO_INPLACE, /* reuse of bytes over time, but no result in the place of an operand */
  BERTH_REUSE_NONE,       /* every buffer has bytes of its own */
  BERTH_N_REUSES
};

#define BERTH_NO_OFFSET UINT64_MAX
#define BERTH_MAX_CULPRITS 256

/* What is known of the set of buffers that cannot be placed together. */
enum berth_culprits_proof {
  BERTH_CULPRITS_UNPROVEN = 0, /* fewer of them may be enough */
  BERTH_CULPRITS_MINIMAL,      /* without any one of them, the others fit */
  BERTH_CULPRITS_SMALLEST,     /* and no smaller set of the pool's buffers fails to fit */
  BERTH_N_CULPRITS_PROOFS
};

struct berth_pool_result {
  uint64_t arena_bytes;       /* max of offset + size: tight, nothing is rounded up */
  uint64_t lower_bound_bytes; /* proven: no plan of this pool's buffers needs less */
  uint64_t peak_bytes;        /* largest sum of live bytes at one step. Under a partial order the steps are
                                 `lower` and `upper` of berth_buffers, and the bound may be above it */
  uint64_t base_alignment;    /* what the base address of the arena must be aligned to */
  int64_t peak_step;          /* first step at which the peak is reached */
  uint64_t
      class_bytes[BERTH_N_CLASSES]; /* sum of sizes by class of what lies here: weights, activations, ... */
  uint64_t persistent_bytes; /* of a pool that keeps constants and state apart: they lie in [0, this) */
};

/* How a plan stands to the earlier one that it was asked to keep (stable.h); all 0 where none was. Without
 * offsets nothing is kept. */
struct berth_stability {
  uint32_t is_asked;     /* 1: there was one */
  uint32_t n_before;     /* buffers that had a place there */
  uint32_t n_kept;       /* those of them that still have it */
  uint32_t n_must;       /* those of them that had to */
  uint64_t before_bytes; /* the same in bytes, by the sizes in the new problem */
  uint64_t kept_bytes;
  uint64_t kept_bound; /* proven: no plan that is allowed keeps more, buffers or bytes as was asked */
};

/* Whether waits may be added to the graph (berth_sync), and at what price. */
struct berth_sync_terms {
  uint64_t cost_bytes; /* what one is worth: it must save more than that. BERTH_NO_SYNCS: none may be added */
  uint32_t max_syncs;  /* how many at most */
};
#define BERTH_NO_SYNCS UINT64_MAX
#define BERTH_MOST_SYNC_COST (UINT64_C(1) << 62)

static inline bool berth_sync_is_asked(const struct berth_sync_terms *terms) {
  return terms->cost_bytes != BERTH_NO_SYNCS && terms->max_syncs != 0;
}

/* What became of the question for added waits (solve.h); all 0 where it was not asked. With it OPTIMAL means
 * that arena and waits together are proven least, and a plan of which no more is known than that its arena is
 * least with these waits is FEASIBLE. */
struct berth_sync_result {
  uint32_t is_asked;   /* 1: it was */
  uint64_t cost_bytes; /* of each wait, as asked */
  uint64_t
      without_bytes;    /* the arena of the best plan found without any; BERTH_UNLIMITED if none was found */
  uint64_t bound_bytes; /* proven: whichever waits are added, arena and their costs together are no less */
};

struct berth_plan {
  enum berth_plan_status status;
  enum berth_reuse reuse; /* of the problem that it is a plan of: NO_INPLACE for FULL where results in place
                             would make it larger (berth_solve_levels) */
  uint32_t n_buffers;
  uint32_t n_pools;
  uint64_t arena_bytes; /* sums over the pools */
  uint64_t lower_bound_bytes;
  uint64_t naive_bytes; /* M_naive: the sum of all sizes, no reuse */
  uint64_t peak_bytes;  /* M_peak: the largest sum of live sizes */
  uint64_t reuse_bytes; /* M_reuse: the slot total of the best colouring found; peak <= reuse <= naive */
  uint64_t class_bytes[BERTH_N_CLASSES]; /* sum of sizes by class */
  uint64_t spill_cost;                   /* of the pools that buffers live in (buffer.h) */
  uint64_t spill_cost_bound;             /* proven: no plan has less */
  uint64_t ticks;                        /* effort spent */
  struct berth_stability stability;
  struct berth_sync_result sync;
  /* Waits that the plan needs beside those of the graph, by waiter, then by signaller: it is right only where
   * the runtime adds every one of them. None unless they were asked for. */
  uint32_t n_syncs;
  const struct berth_sync *syncs;
  uint64_t short_by_bytes; /* when INFEASIBLE: the least that the capacity must grow, as far as proven */
  /* When INFEASIBLE: buffers of one pool that cannot be placed together, the largest first; the largest of
   * them, unproven, where they are more than there is room for. */
  enum berth_culprits_proof culprits_proof;
  uint32_t n_culprits;
  uint32_t culprits[BERTH_MAX_CULPRITS];
  const struct berth_pool_result *pools;
  const uint32_t *pool;   /* of each buffer; NULL when INFEASIBLE or UNKNOWN */
  const uint64_t *offset; /* of each buffer; NULL when INFEASIBLE or UNKNOWN */
  const uint32_t *slot;   /* colour of each buffer in the colouring behind M_reuse */
};

/* The saving of sharing whole slots: 1 - M_reuse / M_naive; 0 for an empty problem. */
double berth_plan_rho(const struct berth_plan *plan);
/* arena / lower bound - 1; 0 if both are 0. */
double berth_plan_gap(const struct berth_plan *plan);
/* "optimal", "feasible", "cut_short", "infeasible", "unknown". */
const char *berth_plan_status_name(enum berth_plan_status status);
/* "full", "no-inplace", "none". */
const char *berth_reuse_name(enum berth_reuse reuse);
/* "unproven", "minimal", "smallest". */
const char *berth_culprits_proof_name(enum berth_culprits_proof proof);

/* A writable copy of a plan's shape for those who make plans (solver, decoders): one block, all columns
 * inside, reference count 1, every number 0, every offset BERTH_NO_OFFSET. NULL if memory ran out. */
struct berth_plan *
berth_plan_create(const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools);
/* The same with room for added waits. */
struct berth_plan *berth_plan_create_synced(
    const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools, uint32_t n_syncs);
struct berth_sync *berth_plan_syncs_mut(struct berth_plan *plan);
struct berth_pool_result *berth_plan_pools_mut(struct berth_plan *plan);
uint32_t *berth_plan_pool_mut(struct berth_plan *plan);
uint64_t *berth_plan_offset_mut(struct berth_plan *plan);
uint32_t *berth_plan_slot_mut(struct berth_plan *plan);

/* A copy of a plan in a block of its own, for a caller who may still write into it, with these added waits in
 * the place of its own. NULL if memory ran out. */
struct berth_plan *berth_plan_copy(
    const struct berth_allocator *allocator, const struct berth_plan *plan, const struct berth_sync *syncs,
    uint32_t n_syncs);
/* Whether it has places, and the one that it is compared with has none, costs more in spills, or as much and
 * needs more bytes. */
bool berth_plan_is_better(
    const struct berth_plan *plan, bool other_is_placed, uint64_t other_spill_cost,
    uint64_t other_arena_bytes);
/* What the added waits cost; stays at the largest number where it would wrap. */
uint64_t berth_plan_sync_cost(const struct berth_plan *plan);

struct berth_plan *berth_plan_ref(const struct berth_plan *plan);
void berth_plan_unref(const struct berth_plan *plan);     /* NULL is fine */
size_t berth_plan_n_bytes(const struct berth_plan *plan); /* of the block */

#endif
