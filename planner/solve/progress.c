#include "solve/task.h"

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
  if (now.arena_bytes < task->told.arena_bytes || now.lower_bound_bytes > task->told.lower_bound_bytes) {
    task->told = now;
    task->hooks->on_progress(task->hooks->ctx, &now);
  }
}
