/* Stability: who must stay is pinned before anything else is done; who should is asked for pool by pool once
 * there are plans to fall back on. */
#include <string.h>

#include "packing/bound.h"
#include "packing/keep.h"
#include "packing/keep_slots.h"
#include "solve/task.h"

static const struct berth_stable *stable_of(const struct berth_solve_task *task) {
  return task->options.stable;
}

/* ---- Who must ---- */

static bool has_musts(const struct berth_stable *stable) {
  for (uint32_t i = 0; i < stable->n_buffers; i++) {
    if (stable->must[i]) {
      return true;
    }
  }
  return false;
}

static enum berth_code check(const struct berth_solve_task *task, struct berth_error *err) {
  const struct berth_stable *stable = stable_of(task);
  if (stable->n_buffers != task->buffers->n || stable->n_pools != task->pools->n) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "stable",
        "the earlier plan was made ready for another problem");
  }
  return task->options.reuse != BERTH_REUSE_NONE
             ? BERTH_OK
             : berth_fail(
                   err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "reuse",
                   "without reuse no place of an earlier plan can be kept");
}

enum berth_code berth_solve_hold(struct berth_solve_task *task, struct berth_error *err) {
  const struct berth_stable *stable = stable_of(task);
  const struct berth_buffers *buffers = task->buffers;
  enum berth_code code = stable != NULL ? check(task, err) : BERTH_OK;
  if (stable == NULL || code != BERTH_OK || !has_musts(stable)) {
    return code;
  }
  uint64_t *pin = berth_arena_new(&task->arena, uint64_t, buffers->n);
  if (pin == NULL) {
    return task->effort.state == BERTH_EFFORT_STOPPED ? berth_solve_stopped(err) : berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint64_t stated = buffers->pinned_offset != NULL ? buffers->pinned_offset[i] : BERTH_UNPINNED;
    pin[i] = stable->must[i] ? stable->offset[i] : stated;
  }
  for (uint32_t g = 0; g < buffers->rigid.n; g++) { /* all of a group, if one is */
    const uint32_t *begin = buffers->rigid.begin + g;
    uint64_t base = BERTH_UNPINNED;
    for (uint32_t m = begin[0]; m < begin[1]; m++) {
      uint32_t i = buffers->rigid.members[m];
      base = pin[i] != BERTH_UNPINNED ? pin[i] - buffers->rigid.distance[i] : base;
    }
    for (uint32_t m = begin[0]; base != BERTH_UNPINNED && m < begin[1]; m++) {
      uint32_t i = buffers->rigid.members[m];
      pin[i] = base + buffers->rigid.distance[i];
    }
  }
  task->held = *buffers;
  task->held.pinned_offset = pin;
  task->buffers = &task->held;
  return BERTH_OK;
}

void berth_solve_limit(struct berth_solve_task *task) {
  const struct berth_stable *stable = stable_of(task);
  for (uint32_t p = 0; stable != NULL && p < task->assignment.n_pools; p++) {
    struct berth_packing_pool *pool = &task->assignment.pools[p];
    if (stable->limit_bytes[p] < pool->capacity) {
      pool->stated_capacity = pool->capacity;
      pool->capacity = stable->limit_bytes[p];
    }
  }
}

bool berth_solve_holds(const struct berth_solve_task *task, const uint32_t *pool, const uint64_t *offset) {
  const struct berth_stable *stable = stable_of(task);
  bool holds = true;
  for (uint32_t i = 0; stable != NULL && holds && i < stable->n_buffers; i++) {
    holds = !stable->must[i] || berth_stay_of(stable, pool, offset, i) == BERTH_STAY_KEPT;
  }
  return holds;
}

/* ---- Which pool ---- */

/* Where the group's first member with a place was; those who must decide. */
static void prefer(struct berth_solve_task *task, uint32_t i, bool must) {
  struct berth_assignment *assignment = &task->assignment;
  const struct berth_stable *stable = stable_of(task);
  uint32_t leader = berth_assign_leader(assignment, i);
  uint32_t before = assignment->choice[leader];
  bool is_there =
      stable->pool[i] < assignment->n_pools && berth_assign_to(assignment, leader, stable->pool[i]);
  bool suits = is_there && berth_assign_suits(assignment, leader);
  if (must && !suits && task->homeless == BERTH_NO_INDEX) {
    task->homeless = i; /* it is possible but for a capacity that is asked for */
  }
  assignment->choice[leader] = suits || must ? assignment->choice[leader] : before;
  task->is_fixed[leader] |= must;
}

enum berth_code berth_solve_prefer(struct berth_solve_task *task) {
  const struct berth_stable *stable = stable_of(task);
  if (stable == NULL) {
    return BERTH_OK;
  }
  task->is_fixed = berth_arena_new_zeroed(&task->arena, bool, task->buffers->n);
  bool *is_told = berth_arena_new_zeroed(&task->arena, bool, task->buffers->n);
  if (task->is_fixed == NULL || is_told == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  task->assignment.fixed = task->is_fixed;
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    uint32_t leader = berth_assign_leader(&task->assignment, i);
    bool must = stable->must[i] != 0;
    if (stable->offset[i] != BERTH_NO_OFFSET && !task->is_fixed[leader] && (must || !is_told[leader])) {
      is_told[leader] = true;
      prefer(task, i, must);
    }
  }
  return BERTH_OK;
}

/* ---- Who should: one pool ---- */

static uint64_t weight_of(const struct berth_solve_task *task, uint32_t buffer) {
  return stable_of(task)->keep_by == BERTH_KEEP_BYTES ? task->buffers->size_bytes[buffer] : 1;
}

/* Where the buffer's item would lie if the buffer kept its place; BERTH_UNPINNED if it was not here. */
static uint64_t base_of(
    const struct berth_solve_task *task, uint32_t p, const struct berth_packing_pool *pool, uint32_t buffer) {
  const struct berth_stable *stable = stable_of(task);
  uint64_t distance = pool->item_of != NULL ? task->buffers->rigid.distance[buffer] : 0;
  bool was_here = stable->offset[buffer] != BERTH_NO_OFFSET && stable->pool[buffer] == p;
  return was_here && stable->offset[buffer] >= distance ? stable->offset[buffer] - distance : BERTH_UNPINNED;
}

/* Of members that were apart, those decide that outweigh the others. *out_all: what all are worth. */
static void gather(
    const struct berth_solve_task *task, uint32_t p, const struct berth_packing_pool *pool, uint64_t *want,
    uint64_t *weight, uint64_t *out_all) {
  uint32_t n_items = pool->instance.n_buffers;
  *out_all = 0;
  for (uint32_t k = 0; k < n_items; k++) {
    want[k] = BERTH_UNPINNED;
    weight[k] = 0;
  }
  for (uint32_t k = 0; k < pool->n_members; k++) { /* a vote for the majority (Boyer and Moore 1991) */
    uint32_t item = pool->item_of != NULL ? pool->item_of[k] : k;
    uint64_t base = base_of(task, p, pool, pool->members[k]);
    uint64_t worth = weight_of(task, pool->members[k]);
    if (base == BERTH_UNPINNED) {
      continue;
    }
    *out_all += worth;
    if (want[item] == base) {
      weight[item] += worth;
    } else if (worth > weight[item]) {
      want[item] = base;
      weight[item] = worth - weight[item];
    } else {
      weight[item] -= worth;
    }
  }
  memset(weight, 0, n_items * sizeof *weight);
  for (uint32_t k = 0; k < pool->n_members; k++) {
    uint32_t item = pool->item_of != NULL ? pool->item_of[k] : k;
    bool agrees = want[item] != BERTH_UNPINNED && base_of(task, p, pool, pool->members[k]) == want[item];
    weight[item] += agrees ? weight_of(task, pool->members[k]) : 0;
  }
}

/* What is worth nothing is wanted nowhere; what cannot lie where it was, neither. Returns the worth of what
 * can. */
static uint64_t
drop_impossible(const struct berth_packing_instance *instance, uint64_t *want, const uint64_t *weight) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    bool fits = want[k] != BERTH_UNPINNED && (want[k] & (instance->alignment[k] - 1)) == 0 &&
                instance->size[k] <= instance->capacity && want[k] <= instance->capacity - instance->size[k];
    bool is_elsewhere = berth_packing_is_pinned(instance, k) && instance->pin[k] != want[k];
    want[k] = fits && !is_elsewhere ? want[k] : BERTH_UNPINNED;
    sum += want[k] != BERTH_UNPINNED ? weight[k] : 0;
  }
  return sum;
}

/* Pins of the pool's instance from now on: who lies where it was. What pinned instances need at least holds
 * for them alone. */
static enum berth_code
hold_kept(struct berth_solve_task *task, struct berth_packing_pool *pool, const uint64_t *want) {
  struct berth_packing_instance *instance = &pool->instance;
  uint64_t *pin = berth_arena_new(&task->arena, uint64_t, instance->n_buffers);
  if (pin == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  bool any = instance->pin != NULL;
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    pin[k] = instance->pin != NULL ? instance->pin[k] : BERTH_UNPINNED;
    if (pool->offset[k] == want[k]) {
      pin[k] = want[k];
      any = true;
    }
  }
  pool->stated_pin = instance->pin;
  pool->is_held = true;
  instance->pin = any ? pin : NULL;
  return berth_packing_bound(instance, &task->arena, &pool->held_bound);
}

static bool all_are_bound(const struct berth_solve_task *task, const struct berth_packing_pool *pool) {
  for (uint32_t k = 0; task->assignment.n_pools > 1 && k < pool->n_members; k++) {
    if (!berth_assign_is_bound(&task->assignment, pool->members[k])) {
      return false;
    }
  }
  return true;
}

/* ---- Whole slots ---- */

enum { SLOT_TRIES = 8 };

/* With those pinned who stay and were below `end`. */
static enum berth_code try_slots(
    struct berth_solve_task *task, struct berth_packing_pool *pool, const struct berth_keep *keep,
    const uint8_t *stays, uint64_t end, bool *out_fits) {
  uint32_t n = pool->instance.n_buffers;
  struct berth_packing_pool trial = *pool;
  uint64_t *pin = berth_arena_new(&task->arena, uint64_t, n);
  trial.offset = berth_arena_new(&task->arena, uint64_t, n);
  if (pin == NULL || trial.offset == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t k = 0; k < n; k++) {
    bool stays_here = stays[k] && keep->want[k] < end;
    uint64_t stated = pool->instance.pin != NULL ? pool->instance.pin[k] : BERTH_UNPINNED;
    pin[k] = stays_here ? keep->want[k] : stated;
  }
  trial.instance.pin = pin;
  trial.instance.capacity = keep->instance->capacity;
  trial.arena_bytes = BERTH_UNLIMITED;
  enum berth_code code = berth_packing_pool_slots(&trial, task->buffers, true, &task->arena, &task->effort);
  *out_fits = trial.arena_bytes <= keep->instance->capacity && trial.arena_bytes != BERTH_UNLIMITED;
  if (code == BERTH_OK && *out_fits) {
    memcpy(pool->offset, trial.offset, n * sizeof *pool->offset);
    pool->arena_bytes = trial.arena_bytes;
  }
  return code;
}

/* All who can stay, or as many of the lowest as leave room. */
static enum berth_code
keep_slots(struct berth_solve_task *task, struct berth_packing_pool *pool, const struct berth_keep *keep) {
  struct berth_arena_mark mark = berth_arena_mark(&task->arena);
  uint8_t *stays = berth_arena_new(&task->arena, uint8_t, pool->instance.n_buffers);
  if (stays == NULL || !berth_keep_slots(keep, stays)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t low = 0;
  uint64_t high = 1;
  for (uint32_t k = 0; k < pool->instance.n_buffers; k++) {
    high = stays[k] && keep->want[k] >= high ? keep->want[k] + 1 : high;
  }
  bool fits;
  enum berth_code code = try_slots(task, pool, keep, stays, high, &fits);
  for (int k = 0; k < SLOT_TRIES && code == BERTH_OK && !(fits && k == 0) && low < high; k++) {
    uint64_t middle = low + (high - low) / 2;
    code = try_slots(task, pool, keep, stays, middle, &fits);
    low = fits ? middle + 1 : low;
    high = fits ? high : middle;
    fits = false;
  }
  berth_arena_rewind(&task->arena, mark);
  return code;
}

/* ---- All pools ---- */

static enum berth_code
search(struct berth_solve_task *task, struct berth_packing_pool *pool, struct berth_keep *keep) {
  if (pool->kind == BERTH_POOL_SLOTS) {
    return keep_slots(task, pool, keep);
  }
  enum berth_code code = berth_keep_run(keep);
  if (keep->arena_bytes != BERTH_UNLIMITED) {
    pool->arena_bytes = keep->arena_bytes;
  }
  return code;
}

/* What is asked of one pool; its columns are in the arena. *out_apart: what those are worth that cannot all
 * stay, since their group has come together. */
static bool
ask(const struct berth_solve_task *task, uint32_t p, struct berth_packing_instance *instance,
    struct berth_arena *arena, struct berth_keep *out, uint64_t *out_apart) {
  const struct berth_packing_pool *pool = &task->assignment.pools[p];
  uint64_t *want = berth_arena_new(arena, uint64_t, instance->n_buffers);
  uint64_t *weight = berth_arena_new(arena, uint64_t, instance->n_buffers);
  if (want == NULL || weight == NULL) {
    return false;
  }
  gather(task, p, pool, want, weight, out_apart);
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    *out_apart -= weight[k];
  }
  *out = (struct berth_keep){
      .instance = instance,
      .want = want,
      .weight = weight,
      .is_exact = pool->is_exact,
      .may_prove = all_are_bound(task, pool),
      .offset = pool->offset,
      .arena_bytes = pool->arena_bytes,
      .bound = drop_impossible(instance, want, weight)};
  return true;
}

static enum berth_code keep_pool(struct berth_solve_task *task, uint32_t p) {
  struct berth_packing_pool *pool = &task->assignment.pools[p];
  if (pool->is_held) {
    pool->instance.pin = pool->stated_pin;
    pool->is_held = false;
  }
  struct berth_packing_instance instance = pool->instance;
  bool is_least = stable_of(task)->is_least && pool->arena_bytes != BERTH_UNLIMITED;
  instance.capacity = is_least ? pool->arena_bytes : instance.capacity;
  struct berth_keep keep;
  uint64_t apart;
  if (!ask(task, p, &instance, &task->arena, &keep, &apart)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  keep.arena = &task->arena;
  keep.effort = &task->effort;
  keep.may_search = (task->options.strategies >> BERTH_STRATEGY_EXACT & 1) != 0 && pool->is_exact;
  enum berth_code code = search(task, pool, &keep);
  task->keep_bound += keep.bound + apart;
  if (code == BERTH_OK && pool->arena_bytes != BERTH_UNLIMITED && pool->kind == BERTH_POOL_BYTES) {
    code = hold_kept(task, pool, keep.want);
  }
  return code;
}

/* A pool that has no plan within its limit has one, perhaps, where everybody is. */
enum berth_code berth_solve_recall(struct berth_solve_task *task, uint32_t p) {
  struct berth_packing_pool *pool = &task->assignment.pools[p];
  if (stable_of(task) == NULL || pool->n_members == 0 || pool->arena_bytes != BERTH_UNLIMITED) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(&task->arena);
  struct berth_packing_instance instance = pool->instance;
  struct berth_keep keep;
  uint64_t apart;
  enum berth_code code = BERTH_RESOURCE_EXHAUSTED;
  if (ask(task, p, &instance, &task->arena, &keep, &apart)) {
    keep.arena = &task->arena;
    keep.effort = &task->effort;
    code = search(task, pool, &keep);
  }
  berth_arena_rewind(&task->arena, mark);
  return code;
}

/* Those who have left the pool in which they were, or have no bytes, are in no pool's bound. */
static uint64_t bound_of_others(const struct berth_solve_task *task) {
  const struct berth_stable *stable = stable_of(task);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    bool was_somewhere = stable->offset[i] != BERTH_NO_OFFSET && stable->pool[i] != BERTH_NO_INDEX &&
                         berth_may_be_in(&task->assignment, i, stable->pool[i]);
    bool is_there = berth_assigned_pool(&task->assignment, i) == stable->pool[i];
    sum += was_somewhere && (!is_there || task->buffers->size_bytes[i] == 0) ? weight_of(task, i) : 0;
  }
  return sum;
}

enum { KEEP_SHARE = 2 }; /* of the budget that is left */

enum berth_code berth_solve_keep(struct berth_solve_task *task) {
  if (stable_of(task) == NULL || task->homeless != BERTH_NO_INDEX) {
    return BERTH_OK;
  }
  uint64_t budget = task->options.budget_ticks;
  uint64_t left = budget > task->effort.ticks ? budget - task->effort.ticks : 0;
  uint64_t share = left / KEEP_SHARE / task->assignment.n_pools;
  enum berth_code code = BERTH_OK;
  task->keep_bound = bound_of_others(task);
  for (uint32_t p = 0; p < task->assignment.n_pools && code == BERTH_OK; p++) {
    if (task->assignment.pools[p].n_members > 0) {
      berth_effort_set_limit(&task->effort, task->effort.ticks + share);
      code = keep_pool(task, p);
    }
  }
  berth_effort_set_limit(&task->effort, budget);
  task->is_kept_once = code == BERTH_OK;
  return code;
}
