#include "packing/bound.h"

#include <string.h>

#include "base/checked.h"
#include "packing/pieces.h"

/* From differences to sums; returns the first step of the largest. */
static uint32_t accumulate(uint32_t n_steps, uint64_t *load) {
  uint32_t peak = 0;
  for (uint32_t t = 1; t < n_steps; t++) {
    load[t] += load[t - 1];
    peak = load[t] > load[peak] ? t : peak;
  }
  return peak;
}

static void change(
    const struct berth_packing_instance *instance, uint32_t lower, uint32_t upper, uint64_t bytes,
    uint64_t *load) {
  load[lower] += bytes;
  if (upper < instance->n_steps) {
    load[upper] -= bytes;
  }
}

uint32_t berth_packing_load(const struct berth_packing_instance *instance, uint64_t *out_load) {
  memset(out_load, 0, instance->n_steps * sizeof *out_load);
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    struct berth_pieces pieces = berth_pieces_of(instance, i);
    struct berth_piece piece;
    while (berth_pieces_next(&pieces, &piece)) {
      change(instance, piece.lower, piece.upper, piece.window_upper - piece.window_lower, out_load);
    }
  }
  for (uint32_t k = 0; k < instance->n_excess; k++) {
    const struct berth_packing_excess *excess = &instance->excess[k];
    change(instance, excess->lower, excess->upper, -excess->bytes, out_load);
  }
  return accumulate(instance->n_steps, out_load);
}

/* The buffers of alignment >= grid that hold all their bytes all the time: at the step where their rounded
 * sizes are most, all but one are followed by another that begins on the grid. */
static uint64_t grid_bound(const struct berth_packing_instance *instance, uint64_t grid, uint64_t *load) {
  memset(load, 0, instance->n_steps * sizeof *load);
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (instance->alignment[i] >= grid && !berth_pieces_several(instance, i)) {
      change(instance, instance->lower[i], instance->upper[i], berth_align_up(instance->size[i], grid), load);
    }
  }
  uint32_t peak = accumulate(instance->n_steps, load);
  uint64_t most_padding = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (instance->alignment[i] >= grid && !berth_pieces_several(instance, i) && instance->lower[i] <= peak &&
        peak < instance->upper[i]) {
      uint64_t padding = berth_align_up(instance->size[i], grid) - instance->size[i];
      most_padding = padding > most_padding ? padding : most_padding;
    }
  }
  return load[peak] - most_padding;
}

enum berth_code berth_packing_bound(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_bound) {
  *out_bound = 0;
  if (instance->n_buffers == 0) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *load = berth_arena_new(arena, uint64_t, instance->n_steps);
  if (load == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint32_t peak = berth_packing_load(instance, load);
  uint64_t bound = load[peak];
  uint64_t grids = 0; /* a bit for every alignment that occurs */
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    grids |= instance->alignment[i];
    if (instance->pin != NULL && instance->pin[i] != BERTH_UNPINNED) {
      uint64_t end = instance->pin[i] + instance->size[i];
      bound = end > bound ? end : bound;
    }
    bound = instance->size[i] > bound ? instance->size[i] : bound;
  }
  for (grids &= ~UINT64_C(1); grids != 0; grids &= grids - 1) {
    uint64_t found = grid_bound(instance, grids & -grids, load);
    bound = found > bound ? found : bound;
  }
  berth_arena_rewind(arena, mark);
  *out_bound = bound;
  return BERTH_OK;
}
