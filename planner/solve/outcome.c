#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "packing/apart.h"
#include "packing/culprits.h"
#include "problem/problem.h"
#include "solve/task.h"

/* ---- Figures ---- */

static void write_totals(const struct berth_solve_task *task, struct berth_plan *plan) {
  const struct berth_buffers *buffers = task->buffers;
  plan->reuse = task->options.reuse;
  plan->naive_bytes = task->colouring.naive_bytes;
  plan->reuse_bytes = task->colouring.reuse_bytes;
  plan->peak_bytes = task->peak_bytes;
  for (uint32_t k = 0; k < buffers->n; k++) {
    plan->class_bytes[buffers->class_[k]] += buffers->size_bytes[k];
  }
}

static void write_slots(struct berth_solve_task *task, struct berth_plan *plan) {
  uint32_t *slot = berth_plan_slot_mut(plan);
  for (uint32_t k = 0; k < task->buffers->n; k++) {
    slot[task->order[k]] = task->colouring.slot[k];
    (void)berth_effort_poll_at(
        &task->effort, k); /* says when it was asked; the slots are needed all the same */
  }
}

enum berth_code berth_solve_begin_plan(struct berth_solve_task *task) {
  task->plan =
      berth_plan_create_until(task->allocator, task->buffers->n, task->assignment.n_pools, &task->effort);
  if (task->plan == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  write_totals(task, task->plan);
  write_slots(task, task->plan);
  return BERTH_OK;
}

/* Of a member. */
static uint64_t
offset_of(const struct berth_packing_pool *pool, const struct berth_buffers *buffers, uint32_t k) {
  return pool->item_of != NULL ? pool->offset[pool->item_of[k]] + buffers->rigid.distance[pool->members[k]]
                               : pool->offset[k];
}

static void write_pool(
    const struct berth_packing_pool *pool, const struct berth_buffers *buffers,
    struct berth_pool_result *out) {
  *out = (struct berth_pool_result){
      .arena_bytes = pool->arena_bytes != BERTH_UNLIMITED ? pool->arena_bytes : 0,
      .lower_bound_bytes = pool->lower_bound,
      .peak_bytes = pool->peak_bytes,
      .peak_step = pool->peak_step,
      .base_alignment = pool->alignment};
  bool has_apart = out->arena_bytes != 0 && pool->persistence != BERTH_PERSISTENCE_MIXED;
  for (uint32_t k = 0; has_apart && k < pool->n_members; k++) {
    uint32_t i = pool->members[k];
    uint64_t end = offset_of(pool, buffers, k) + buffers->size_bytes[i];
    if (berth_packing_is_apart(pool, buffers, i) && end > out->persistent_bytes) {
      out->persistent_bytes = end;
    }
  }
}

static void write_pools(const struct berth_solve_task *task, struct berth_plan *plan) {
  struct berth_pool_result *results = berth_plan_pools_mut(plan);
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    write_pool(&task->assignment.pools[p], task->buffers, &results[p]);
    plan->arena_bytes += results[p].arena_bytes;
    plan->lower_bound_bytes += results[p].lower_bound_bytes;
  }
  for (uint32_t i = 0; i < task->buffers->n; i++) { /* in the order of the columns: those of a pool are not */
    uint32_t p = berth_assigned_pool(&task->assignment, i);
    struct berth_pool_result *result = &results[p];
    if (task->assignment.pools[p].members == NULL) { /* somebody is homeless */
      continue;
    }
    uint64_t alignment = task->buffers->size_bytes[i] > 0 ? task->buffers->alignment[i] : 0;
    result->base_alignment = alignment > result->base_alignment ? alignment : result->base_alignment;
    result->class_bytes[task->buffers->class_[i]] += task->buffers->size_bytes[i];
  }
}

/* ---- A plan ---- */

static void write_offsets(const struct berth_solve_task *task, struct berth_plan *plan) {
  const struct berth_buffers *buffers = task->buffers;
  uint32_t *pool_of = berth_plan_pool_mut(plan);
  uint64_t *offset = berth_plan_offset_mut(plan);
  for (uint32_t i = 0; i < buffers->n; i++) { /* those without size stay there */
    pool_of[i] = berth_assigned_pool(&task->assignment, i);
    bool pinned = buffers->pinned_offset != NULL && buffers->pinned_offset[i] != BERTH_UNPINNED;
    offset[i] = pinned ? buffers->pinned_offset[i] : 0;
  }
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    const struct berth_packing_pool *pool = &task->assignment.pools[p];
    for (uint32_t k = 0; k < pool->n_members; k++) {
      offset[pool->members[k]] = offset_of(pool, buffers, k);
    }
  }
}

static enum berth_plan_status status_of(const struct berth_solve_task *task, const struct berth_plan *plan) {
  if (task->options.stable != NULL && task->effort.state == BERTH_EFFORT_STOPPED) {
    return BERTH_PLAN_CUT_SHORT; /* it might have kept more, whatever its arena */
  }
  bool least_cost = plan->spill_cost == plan->spill_cost_bound && plan->spill_cost != UINT64_MAX;
  if (plan->arena_bytes == plan->lower_bound_bytes && least_cost) {
    return BERTH_PLAN_OPTIMAL;
  }
  return task->effort.state == BERTH_EFFORT_STOPPED ? BERTH_PLAN_CUT_SHORT : BERTH_PLAN_FEASIBLE;
}

/* ---- No plan ---- */

static void blame(struct berth_plan *plan, uint64_t short_by) {
  plan->status = BERTH_PLAN_INFEASIBLE;
  plan->short_by_bytes = short_by > 0 ? short_by : 1;
}

/* The buffer's own group, or itself. */
static void blame_group(const struct berth_solve_task *task, uint32_t buffer, struct berth_plan *plan) {
  const struct berth_rigid *rigid = &task->buffers->rigid;
  uint32_t group = rigid->n != 0 ? rigid->group[buffer] : BERTH_NO_INDEX;
  if (group == BERTH_NO_INDEX) {
    plan->culprits[plan->n_culprits++] = buffer;
    return;
  }
  for (uint32_t m = rigid->begin[group]; m < rigid->begin[group + 1] && plan->n_culprits < BERTH_MAX_CULPRITS;
       m++) {
    plan->culprits[plan->n_culprits++] = rigid->members[m];
  }
}

static uint64_t largest_block(const struct berth_solve_task *task, uint32_t buffer) {
  const struct berth_buffers *buffers = task->buffers;
  uint32_t group = buffers->rigid.n != 0 ? buffers->rigid.group[buffer] : BERTH_NO_INDEX;
  uint64_t largest = buffers->size_bytes[buffer];
  for (uint32_t m = group != BERTH_NO_INDEX ? buffers->rigid.begin[group] : 0;
       group != BERTH_NO_INDEX && m < buffers->rigid.begin[group + 1]; m++) {
    uint64_t size = buffers->size_bytes[buffers->rigid.members[m]];
    largest = size > largest ? size : largest;
  }
  return largest;
}

/* What the roomiest of the buffer's pools lacks. */
static uint64_t lacking(const struct berth_solve_task *task, uint32_t buffer) {
  const struct berth_buffers *buffers = task->buffers;
  uint64_t size = largest_block(task, buffer);
  bool pinned = buffers->pinned_offset != NULL && buffers->pinned_offset[buffer] != BERTH_UNPINNED;
  uint64_t need = buffers->size_bytes[buffer] + (pinned ? buffers->pinned_offset[buffer] : 0);
  uint32_t group = buffers->rigid.n != 0 ? buffers->rigid.group[buffer] : BERTH_NO_INDEX;
  if (group != BERTH_NO_INDEX) {
    uint64_t base = pinned ? buffers->pinned_offset[buffer] - buffers->rigid.distance[buffer] : 0;
    need = base + buffers->rigid.span_bytes[group];
  }
  uint64_t least = UINT64_MAX;
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    if (!berth_may_be_in(&task->assignment, buffer, p)) {
      continue;
    }
    const struct berth_packing_pool *pool = &task->assignment.pools[p];
    uint64_t beyond = need > pool->capacity ? need - pool->capacity : 0;
    uint64_t too_large = size > pool->max_block ? size - pool->max_block : 0;
    beyond = too_large > beyond ? too_large : beyond;
    least = beyond < least ? beyond : least;
  }
  return least;
}

/* No division over the pools fits, and there is room to name all who take part. */
static bool is_refused_by_all(const struct berth_solve_task *task) {
  return task->is_indivisible && task->refused != BERTH_NO_INDEX && task->buffers->n <= BERTH_MAX_CULPRITS;
}

/* By what all hold at the peak, beyond all capacities. */
static void blame_all(const struct berth_solve_task *task, struct berth_plan *plan) {
  uint64_t capacity = 0;
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    capacity = berth_add_sat_u64(capacity, task->assignment.pools[p].capacity);
  }
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    if (task->buffers->size_bytes[i] > 0) {
      plan->culprits[plan->n_culprits++] = i;
    }
  }
  blame(plan, task->peak_bytes > capacity ? task->peak_bytes - capacity : 1);
}

/* Proven only where the members of the refused pool have nowhere else to be. */
static bool is_proven(const struct berth_solve_task *task) {
  if (task->homeless != BERTH_NO_INDEX || is_refused_by_all(task)) {
    return true;
  }
  if (task->refused == BERTH_NO_INDEX || !task->assignment.pools[task->refused].infeasible) {
    return false;
  }
  const struct berth_packing_pool *pool = &task->assignment.pools[task->refused];
  for (uint32_t k = 0; k < pool->n_members; k++) {
    if (!berth_assign_is_bound(&task->assignment, pool->members[k])) {
      return false;
    }
  }
  return true;
}

static uint64_t beyond_capacity(const struct berth_solve_task *task) {
  if (task->refused == BERTH_NO_INDEX) {
    return 0;
  }
  const struct berth_packing_pool *pool = &task->assignment.pools[task->refused];
  return pool->lower_bound > pool->capacity ? pool->lower_bound - pool->capacity : 0;
}

enum { CULPRITS_SHARE = 8, MOST_CULPRITS_TICKS = 1 << 28 };

/* One part in CULPRITS_SHARE of the budget, as far as it is left. */
static void limit_culprits(struct berth_solve_task *task) {
  uint64_t budget = task->options.budget_ticks, spent = task->effort.ticks;
  uint64_t share = budget / CULPRITS_SHARE, left = budget > spent ? budget - spent : 0;
  share = share < MOST_CULPRITS_TICKS ? share : MOST_CULPRITS_TICKS;
  berth_effort_set_limit(&task->effort, spent + (share < left ? share : left));
}

/* What pins may share is not what search sees, nor are slots; the load of a step is all the same. */
static enum berth_code name_culprits(struct berth_solve_task *task, struct berth_plan *plan) {
  const struct berth_packing_pool *pool = &task->assignment.pools[task->refused];
  struct berth_arena arena; /* not the task's: a hook that says stop does not keep it from a first answer */
  struct berth_culprits culprits;
  berth_arena_init(&arena, task->allocator);
  limit_culprits(task);
  bool may_search = berth_solve_is_searched(pool) && pool->is_exact && !pool->has_front;
  enum berth_code code = berth_culprits_find(&pool->instance, may_search, &arena, &task->effort, &culprits);
  for (uint32_t k = 0; code == BERTH_OK && k < culprits.n && plan->n_culprits < BERTH_MAX_CULPRITS; k++) {
    blame_group(task, pool->lead[culprits.items[k]], plan);
  }
  if (code == BERTH_OK && culprits.n == plan->n_culprits && /* all are named, and nobody for a group */
      pool->is_exact && !pool->has_front) {                 /* there padding counts, too */
    plan->culprits_proof = culprits.proof;
  }
  berth_arena_finish(&arena);
  return code;
}

static enum berth_code refuse(struct berth_solve_task *task, struct berth_plan *plan) {
  plan->status = BERTH_PLAN_UNKNOWN;
  uint64_t short_by = beyond_capacity(task);
  if (task->homeless != BERTH_NO_INDEX) {
    uint64_t lacks = lacking(task, task->homeless);
    blame(plan, short_by > lacks ? short_by : lacks);
    blame_group(task, task->homeless, plan);
    plan->culprits_proof = plan->n_culprits == 1 ? BERTH_CULPRITS_SMALLEST : BERTH_CULPRITS_UNPROVEN;
    return BERTH_OK;
  }
  if (!is_proven(task)) {
    return BERTH_OK;
  }
  if (is_refused_by_all(task)) {
    blame_all(task, plan);
    return BERTH_OK;
  }
  enum berth_code code = name_culprits(task, plan);
  blame(plan, short_by);
  return code;
}

enum berth_code berth_solve_stopped(struct berth_error *err) {
  return berth_fail(
      err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "stopped before there was a plan");
}

enum berth_code
berth_solve_outcome(struct berth_solve_task *task, struct berth_plan **out_plan, struct berth_error *err) {
  bool is_placed = task->homeless == BERTH_NO_INDEX && task->refused == BERTH_NO_INDEX;
  if (!is_placed && !is_proven(task) && task->effort.state == BERTH_EFFORT_STOPPED) {
    return berth_solve_stopped(err);
  }
  enum berth_code code = task->plan != NULL ? BERTH_OK : berth_solve_begin_plan(task);
  if (code != BERTH_OK) {
    return berth_fail_memory(err);
  }
  struct berth_plan *plan = task->plan;
  write_pools(task, plan);
  plan->ticks = task->effort.ticks;
  if (is_placed) {
    write_offsets(task, plan);
    berth_solve_write_stability(task, plan);
    plan->spill_cost = berth_assign_total_cost(&task->assignment);
    plan->spill_cost_bound = task->assignment.cost_bound;
    plan->status = status_of(task, plan);
  } else {
    code = refuse(task, plan);
    plan->ticks = task->effort.ticks;
    plan->pool = NULL;
    plan->offset = NULL;
    plan->arena_bytes = 0;
    berth_solve_write_stability(task, plan);
  }
  if (code != BERTH_OK) {
    return berth_fail_memory(err);
  }
  *out_plan = plan;
  task->plan = NULL;
  return BERTH_OK;
}
