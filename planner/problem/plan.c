#include "berth/plan.h"

#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/effort.h"
#include "problem/problem.h"

/* The block: this head, then the columns, widest first. */
struct plan_block {
  struct berth_plan plan; /* first: a plan's address is its block's */
  atomic_uint n_refs;
  struct berth_allocator allocator;
  size_t n_bytes;
};

/* The block of a plan. All plans come from berth_plan_create, so the block is writable. */
static struct plan_block *block_of(const struct berth_plan *plan) {
  return (struct plan_block *)(uintptr_t)plan;
}

static bool block_size(uint32_t n_buffers, uint32_t n_pools, uint32_t n_syncs, size_t *out_n_bytes) {
  size_t buffers;
  size_t pools;
  size_t syncs;
  return berth_mul_size(n_buffers, sizeof(uint64_t) + 2 * sizeof(uint32_t), &buffers) &&
         berth_mul_size(n_pools, sizeof(struct berth_pool_result), &pools) &&
         berth_mul_size(n_syncs, sizeof(struct berth_sync), &syncs) &&
         !__builtin_add_overflow(buffers, pools, out_n_bytes) &&
         !__builtin_add_overflow(*out_n_bytes, syncs, out_n_bytes) &&
         !__builtin_add_overflow(*out_n_bytes, sizeof(struct plan_block), out_n_bytes);
}

static struct berth_plan *create(
    const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools, uint32_t n_syncs,
    struct berth_effort *effort) {
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  size_t n_bytes;
  if (!block_size(n_buffers, n_pools, n_syncs, &n_bytes)) {
    return NULL;
  }
  struct plan_block *block = allocator->resize(allocator->ctx, NULL, 0, n_bytes);
  if (block == NULL) {
    return NULL;
  }
  memset(block, 0, sizeof *block + n_pools * sizeof(struct berth_pool_result));
  atomic_init(&block->n_refs, 1);
  block->allocator = *allocator;
  block->n_bytes = n_bytes;
  struct berth_pool_result *pools = (struct berth_pool_result *)(block + 1);
  uint64_t *offset = (uint64_t *)(pools + n_pools);
  uint32_t *pool = (uint32_t *)(offset + n_buffers);
  bool is_filled =
      berth_effort_fill(effort, offset, 0xff, n_buffers * sizeof *offset) && /* BERTH_NO_OFFSET */
      berth_effort_fill(effort, pool, 0, 2 * (size_t)n_buffers * sizeof *pool);
  (void)is_filled; /* who stops fills them itself */
  block->plan.n_buffers = n_buffers;
  block->plan.n_pools = n_pools;
  block->plan.pools = pools;
  block->plan.offset = offset;
  block->plan.pool = pool;
  block->plan.slot = pool + n_buffers;
  block->plan.n_syncs = n_syncs;
  block->plan.syncs = (const struct berth_sync *)(pool + 2 * (size_t)n_buffers);
  return &block->plan;
}

struct berth_plan *
berth_plan_create(const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools) {
  return create(allocator, n_buffers, n_pools, 0, NULL);
}

struct berth_plan *berth_plan_create_until(
    const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools,
    struct berth_effort *effort) {
  return create(allocator, n_buffers, n_pools, 0, effort);
}

struct berth_plan *berth_plan_create_synced(
    const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools, uint32_t n_syncs) {
  struct berth_plan *plan = create(allocator, n_buffers, n_pools, n_syncs, NULL);
  if (plan != NULL && n_syncs != 0) {
    memset(berth_plan_syncs_mut(plan), 0, n_syncs * sizeof *plan->syncs);
  }
  return plan;
}

static void copy_columns(struct berth_plan *to, const struct berth_plan *from) {
  size_t n = from->n_buffers;
  if (from->pools != NULL) {
    memcpy(berth_plan_pools_mut(to), from->pools, from->n_pools * sizeof *from->pools);
  }
  if (from->offset != NULL) {
    memcpy(berth_plan_offset_mut(to), from->offset, n * sizeof *from->offset);
  }
  if (from->pool != NULL) {
    memcpy(berth_plan_pool_mut(to), from->pool, n * sizeof *from->pool);
  }
  if (from->slot != NULL) {
    memcpy(berth_plan_slot_mut(to), from->slot, n * sizeof *from->slot);
  }
}

struct berth_plan *berth_plan_copy(
    const struct berth_allocator *allocator, const struct berth_plan *plan, const struct berth_sync *syncs,
    uint32_t n_syncs) {
  struct berth_plan *copy = berth_plan_create_synced(allocator, plan->n_buffers, plan->n_pools, n_syncs);
  if (copy == NULL) {
    return NULL;
  }
  const struct berth_plan shape = *copy;
  *copy = *plan;
  copy->n_syncs = n_syncs;
  copy->syncs = shape.syncs;
  copy->pools = plan->pools != NULL ? shape.pools : NULL;
  copy->pool = plan->pool != NULL ? shape.pool : NULL;
  copy->offset = plan->offset != NULL ? shape.offset : NULL;
  copy->slot = plan->slot != NULL ? shape.slot : NULL;
  copy_columns(copy, plan);
  if (n_syncs != 0) {
    memcpy(berth_plan_syncs_mut(copy), syncs, n_syncs * sizeof *syncs);
  }
  return copy;
}

/* The columns by their place: the plan's own pointers may have been set to NULL ("no offsets"). */
struct berth_pool_result *berth_plan_pools_mut(struct berth_plan *plan) {
  return (struct berth_pool_result *)(block_of(plan) + 1);
}

uint64_t *berth_plan_offset_mut(struct berth_plan *plan) {
  return (uint64_t *)(berth_plan_pools_mut(plan) + plan->n_pools);
}

uint32_t *berth_plan_pool_mut(struct berth_plan *plan) {
  return (uint32_t *)(berth_plan_offset_mut(plan) + plan->n_buffers);
}

uint32_t *berth_plan_slot_mut(struct berth_plan *plan) {
  return berth_plan_pool_mut(plan) + plan->n_buffers;
}

struct berth_sync *berth_plan_syncs_mut(struct berth_plan *plan) {
  return (struct berth_sync *)(void *)(berth_plan_slot_mut(plan) + plan->n_buffers);
}

struct berth_plan *berth_plan_ref(const struct berth_plan *plan) {
  struct plan_block *block = block_of(plan);
  atomic_fetch_add_explicit(&block->n_refs, 1, memory_order_relaxed);
  return &block->plan;
}

void berth_plan_unref(const struct berth_plan *plan) {
  if (plan == NULL) {
    return;
  }
  struct plan_block *block = block_of(plan);
  if (atomic_fetch_sub_explicit(&block->n_refs, 1, memory_order_acq_rel) == 1) {
    struct berth_allocator allocator = block->allocator;
    allocator.resize(allocator.ctx, block, block->n_bytes, 0);
  }
}

size_t berth_plan_n_bytes(const struct berth_plan *plan) {
  return block_of(plan)->n_bytes;
}

/* ---- Figures ---- */

bool berth_plan_is_better(
    const struct berth_plan *plan, bool other_is_placed, uint64_t other_spill_cost,
    uint64_t other_arena_bytes) {
  return plan->offset != NULL &&
         (!other_is_placed || plan->spill_cost < other_spill_cost ||
          (plan->spill_cost == other_spill_cost && plan->arena_bytes < other_arena_bytes));
}

uint64_t berth_plan_sync_cost(const struct berth_plan *plan) {
  return berth_mul_sat_u64(plan->sync.cost_bytes, plan->n_syncs);
}

double berth_plan_rho(const struct berth_plan *plan) {
  return plan->naive_bytes == 0 ? 0.0 : 1.0 - (double)plan->reuse_bytes / (double)plan->naive_bytes;
}

double berth_plan_gap(const struct berth_plan *plan) {
  if (plan->arena_bytes == plan->lower_bound_bytes) {
    return 0.0;
  }
  return (double)plan->arena_bytes / (double)plan->lower_bound_bytes - 1.0;
}

const char *berth_plan_status_name(enum berth_plan_status status) {
  static const char *const NAMES[BERTH_N_PLAN_STATUSES] = {
      [BERTH_PLAN_OPTIMAL] = "optimal",     [BERTH_PLAN_FEASIBLE] = "feasible",
      [BERTH_PLAN_CUT_SHORT] = "cut_short", [BERTH_PLAN_INFEASIBLE] = "infeasible",
      [BERTH_PLAN_UNKNOWN] = "unknown",
  };
  return (unsigned)status < BERTH_N_PLAN_STATUSES ? NAMES[status] : "?";
}

const char *berth_culprits_proof_name(enum berth_culprits_proof proof) {
  static const char *const NAMES[BERTH_N_CULPRITS_PROOFS] = {
      [BERTH_CULPRITS_UNPROVEN] = "unproven",
      [BERTH_CULPRITS_MINIMAL] = "minimal",
      [BERTH_CULPRITS_SMALLEST] = "smallest",
  };
  return (unsigned)proof < BERTH_N_CULPRITS_PROOFS ? NAMES[proof] : "?";
}

const char *berth_reuse_name(enum berth_reuse reuse) {
  static const char *const NAMES[] = {"full", "no-inplace", "none"};
  return (unsigned)reuse < BERTH_N_REUSES ? NAMES[reuse] : "?";
}
