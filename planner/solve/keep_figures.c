#include "solve/task.h"

/* Nobody shares bytes with them: they keep a place that is one. */
static void put_empty(const struct berth_solve_task *task, struct berth_plan *plan) {
  const struct berth_stable *stable = task->options.stable;
  const struct berth_buffers *buffers = task->buffers;
  uint64_t *offset = berth_plan_offset_mut(plan);
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint32_t p = plan->pool[i];
    bool is_pinned = buffers->pinned_offset != NULL && buffers->pinned_offset[i] != BERTH_UNPINNED;
    if (buffers->size_bytes[i] != 0 || is_pinned || stable->offset[i] == BERTH_NO_OFFSET ||
        stable->pool[i] != p) {
      continue;
    }
    const struct berth_packing_pool *pool = &task->assignment.pools[p];
    uint64_t alignment = buffers->alignment[i] > pool->alignment ? buffers->alignment[i] : pool->alignment;
    uint64_t capacity = pool->stated_capacity != 0 ? pool->stated_capacity : pool->capacity;
    if ((stable->offset[i] & (alignment - 1)) == 0 && stable->offset[i] <= capacity) {
      offset[i] = stable->offset[i];
    }
  }
}

void berth_solve_write_stability(const struct berth_solve_task *task, struct berth_plan *plan) {
  const struct berth_stable *stable = task->options.stable;
  struct berth_stability *out = &plan->stability;
  if (stable == NULL) {
    return;
  }
  if (plan->offset != NULL) {
    put_empty(task, plan);
  }
  out->is_asked = 1;
  for (uint32_t i = 0; i < stable->n_buffers; i++) {
    if (stable->offset[i] == BERTH_NO_OFFSET) {
      continue;
    }
    bool is_kept =
        plan->offset != NULL && berth_stay_of(stable, plan->pool, plan->offset, i) == BERTH_STAY_KEPT;
    out->n_before++;
    out->n_must += stable->must[i] != 0;
    out->n_kept += is_kept;
    out->before_bytes += task->buffers->size_bytes[i];
    out->kept_bytes += is_kept ? task->buffers->size_bytes[i] : 0;
  }
  bool by_bytes = stable->keep_by == BERTH_KEEP_BYTES;
  uint64_t most = by_bytes ? out->before_bytes : out->n_before;
  bool is_bounded = task->is_kept_once && task->keep_bound < most;
  out->kept_bound = is_bounded ? task->keep_bound : most;
}
