#include "packing/blame.h"

#include "base/order.h"
#include "packing/bound.h"
#include "packing/pieces.h"

/* The bytes that buffer i holds at `step`. */
static uint64_t live_at(const struct berth_packing_instance *instance, uint32_t i, uint32_t step) {
  if (step < instance->lower[i] || step >= instance->upper[i]) {
    return 0;
  }
  struct berth_pieces pieces = berth_pieces_of(instance, i);
  struct berth_piece piece;
  while (berth_pieces_next(&pieces, &piece)) {
    if (piece.lower <= step && step < piece.upper) {
      return piece.window_upper - piece.window_lower;
    }
  }
  return 0;
}

enum berth_code berth_blame_load(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint32_t *out_culprits,
    uint32_t *out_n) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t n = instance->n_buffers;
  uint64_t *load = berth_arena_new(arena, uint64_t, instance->n_steps);
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  uint32_t *order = berth_arena_new(arena, uint32_t, n);
  *out_n = 0;
  bool ok = load != NULL && key != NULL && order != NULL;
  if (ok && n > 0) {
    uint32_t peak = berth_packing_load(instance, load);
    for (uint32_t i = 0; i < n; i++) {
      key[i] = ~live_at(instance, i, peak);
    }
    berth_order_identity(n, order);
    ok = berth_order_by_key(arena, n, key, order);
    uint64_t sum = 0;
    for (uint32_t k = 0; ok && k < n && *out_n < BERTH_MAX_CULPRITS && sum <= instance->capacity; k++) {
      uint64_t bytes = ~key[order[k]];
      if (bytes > 0) {
        sum += bytes;
        out_culprits[(*out_n)++] = order[k];
      }
    }
  }
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
