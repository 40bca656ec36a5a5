#include "berth/report.h"

uint64_t berth_report_arena(const struct berth_report_side *side, uint32_t pool) {
  const struct berth_buffers *buffers = berth_problem_buffers(side->problem);
  uint64_t arena = 0;
  for (uint32_t i = 0; side->offset != NULL && i < buffers->n; i++) {
    uint64_t end;
    bool counts = (side->pool != NULL ? side->pool[i] : 0) == pool && buffers->size_bytes[i] > 0 &&
                  side->offset[i] != BERTH_NO_OFFSET &&
                  !__builtin_add_overflow(side->offset[i], buffers->size_bytes[i], &end);
    arena = counts && end > arena ? end : arena;
  }
  return arena;
}

uint64_t berth_report_arenas(const struct berth_report_side *side) {
  uint64_t sum = 0;
  for (uint32_t pool = 0; pool < berth_problem_pools(side->problem)->n; pool++) {
    uint64_t arena = berth_report_arena(side, pool);
    sum = arena <= UINT64_MAX - sum ? sum + arena : UINT64_MAX;
  }
  return sum;
}
