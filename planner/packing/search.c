#include "packing/strategy.h"

#include <string.h>

bool berth_packing_offer(struct berth_packing_search *search, const uint64_t *offset, uint64_t arena_bytes) {
  if (arena_bytes >= search->best_arena || arena_bytes > search->instance->capacity) {
    return false;
  }
  search->best_arena = arena_bytes;
  memcpy(search->best_offset, offset, search->instance->n_buffers * sizeof *offset);
  if (search->on_improvement != NULL) {
    search->on_improvement(search->ctx, search);
  }
  return true;
}

void berth_packing_raise_bound(struct berth_packing_search *search, uint64_t lower_bound) {
  if (lower_bound <= search->lower_bound) {
    return;
  }
  search->lower_bound = lower_bound;
  if (lower_bound > search->instance->capacity) {
    search->infeasible = true;
  }
  if (search->on_improvement != NULL) {
    search->on_improvement(search->ctx, search);
  }
}
