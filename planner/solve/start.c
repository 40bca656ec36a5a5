/* A plan to start from: where it is better than what the first passes found, the search goes on from it. */
#include "base/checked.h"
#include "solve/task.h"

static bool has_size(const struct berth_solve_task *task, uint32_t buffer) {
  return task->buffers->size_bytes[buffer] != 0;
}

/* What the given places take of each pool; false where they are beyond a capacity, or in no pool. */
static bool measure(
    const struct berth_solve_task *task, const struct berth_start *start, uint64_t *arena_of,
    uint64_t *out_total) {
  const struct berth_assignment *assignment = &task->assignment;
  *out_total = 0;
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    uint32_t p = start->pool != NULL ? start->pool[i] : 0;
    uint64_t end;
    if (!has_size(task, i)) {
      continue;
    }
    if (p >= assignment->n_pools || !berth_add_u64(start->offset[i], task->buffers->size_bytes[i], &end) ||
        end > assignment->pools[p].capacity ||
        task->buffers->size_bytes[i] > assignment->pools[p].max_block) {
      return false;
    }
    arena_of[p] = end > arena_of[p] ? end : arena_of[p];
  }
  for (uint32_t p = 0; p < assignment->n_pools; p++) {
    *out_total += arena_of[p];
  }
  return true;
}

uint64_t berth_solve_present_total(const struct berth_solve_task *task) {
  uint64_t total = 0;
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    if (task->assignment.pools[p].arena_bytes == BERTH_UNLIMITED) {
      return BERTH_UNLIMITED;
    }
    total += task->assignment.pools[p].arena_bytes;
  }
  return task->refused == BERTH_NO_INDEX ? total : BERTH_UNLIMITED;
}

static bool is_assigned_so(const struct berth_solve_task *task, const struct berth_start *start) {
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    uint32_t p = start->pool != NULL ? start->pool[i] : 0;
    if (has_size(task, i) && berth_assigned_pool(&task->assignment, i) != p) {
      return false;
    }
  }
  return true;
}

/* Each buffer goes to the pool that it is given; false where it may not be there. */
static bool assign_so(struct berth_solve_task *task, const struct berth_start *start) {
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    if (has_size(task, i) && !berth_assign_to(&task->assignment, i, start->pool[i])) {
      return false;
    }
  }
  return true;
}

static enum berth_code
reassign(struct berth_solve_task *task, const struct berth_start *start, uint32_t *before) {
  bool reuse = task->options.reuse != BERTH_REUSE_NONE;
  for (uint32_t i = 0; i < task->buffers->n; i++) {
    before[i] = task->assignment.choice[i];
  }
  if (!assign_so(task, start)) {
    for (uint32_t i = 0; i < task->buffers->n; i++) {
      task->assignment.choice[i] = before[i];
    }
    return BERTH_FAILED_PRECONDITION;
  }
  task->assignment.spilled = true;
  if (!berth_assign_members(&task->assignment, task->order, &task->arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t p = 0; p < task->assignment.n_pools && code == BERTH_OK; p++) {
    code = berth_packing_pool_prepare(&task->assignment.pools[p], task->buffers, reuse, &task->arena);
  }
  return code;
}

static void take(struct berth_solve_task *task, const struct berth_start *start, const uint64_t *arena_of) {
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    struct berth_packing_pool *pool = &task->assignment.pools[p];
    if (arena_of[p] >= pool->arena_bytes) {
      continue;
    }
    pool->arena_bytes = arena_of[p];
    for (uint32_t k = 0; k < pool->instance.n_buffers; k++) {
      uint32_t lead = pool->lead[k];
      uint64_t distance = pool->item_of != NULL ? task->buffers->rigid.distance[lead] : 0;
      pool->offset[k] = start->offset[lead] - distance;
    }
  }
  task->refused = BERTH_NO_INDEX;
}

enum berth_code
berth_solve_take(struct berth_solve_task *task, const struct berth_start *start, uint64_t most_bytes) {
  uint64_t total;
  uint64_t *arena_of = berth_arena_new_zeroed(&task->arena, uint64_t, task->assignment.n_pools);
  uint32_t *before = berth_arena_new(&task->arena, uint32_t, task->buffers->n);
  if (arena_of == NULL || before == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  if (!measure(task, start, arena_of, &total) || total >= most_bytes) {
    return BERTH_OK;
  }
  enum berth_code code = is_assigned_so(task, start) ? BERTH_OK : reassign(task, start, before);
  if (code == BERTH_OK) {
    take(task, start, arena_of);
  }
  return code == BERTH_FAILED_PRECONDITION ? BERTH_OK : code;
}

enum berth_code berth_solve_take_start(struct berth_solve_task *task) {
  if (task->options.start == NULL || task->homeless != BERTH_NO_INDEX ||
      !berth_solve_holds(task, task->options.start->pool, task->options.start->offset)) {
    return BERTH_OK;
  }
  return berth_solve_take(task, task->options.start, berth_solve_present_total(task));
}
