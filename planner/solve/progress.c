#include "solve/task.h"

/* The level below may be the answer, so that no bound of this one alone is told. */
static void heed_below(const struct berth_solve_task *task, struct berth_progress *now) {
  const struct berth_plan *below = task->below.plan;
  uint64_t bound = below != NULL ? below->lower_bound_bytes : task->below.least_bytes;
  now->lower_bound_bytes = now->lower_bound_bytes < bound ? now->lower_bound_bytes : bound;
  if (below != NULL && below->offset != NULL && below->arena_bytes < now->arena_bytes) {
    now->arena_bytes = below->arena_bytes;
  }
}

void berth_solve_tell(struct berth_solve_task *task) {
  if (task->hooks == NULL || task->hooks->on_progress == NULL || !task->is_settled) {
    return;
  }
  struct berth_progress now = {.ticks = task->effort.ticks};
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    const struct berth_packing_pool *pool = &task->assignment.pools[p];
    now.lower_bound_bytes += pool->lower_bound;
    if (pool->arena_bytes == BERTH_UNLIMITED) {
      now.arena_bytes = BERTH_UNLIMITED;
    } else if (now.arena_bytes != BERTH_UNLIMITED) {
      now.arena_bytes += pool->arena_bytes;
    }
  }
  if (task->below.is_open) {
    heed_below(task, &now);
  }
  if (now.arena_bytes < task->told.arena_bytes || now.lower_bound_bytes > task->told.lower_bound_bytes) {
    task->told = now;
    task->hooks->on_progress(task->hooks->ctx, &now);
  }
}
