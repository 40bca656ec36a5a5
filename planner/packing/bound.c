#include "packing/bound.h"

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

bool berth_packing_load(
    const struct berth_packing_instance *instance, struct berth_effort *effort, uint64_t *out_load,
    uint32_t *out_peak) {
  if (!berth_effort_fill(effort, out_load, 0, instance->n_steps * sizeof *out_load)) {
    return false;
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
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
  *out_peak = accumulate(instance->n_steps, out_load);
  return berth_effort_poll(effort);
}

/* The buffers of alignment >= grid that hold all their bytes all the time: at the step where their rounded
 * sizes are most, all but one are followed by another that begins on the grid. */
static bool grid_bound(
    const struct berth_packing_instance *instance, uint64_t grid, struct berth_effort *effort, uint64_t *load,
    uint64_t *out_bound) {
  if (!berth_effort_fill(effort, load, 0, instance->n_steps * sizeof *load)) {
    return false;
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
    if (instance->alignment[i] >= grid && !berth_pieces_several(instance, i)) {
      change(instance, instance->lower[i], instance->upper[i], berth_align_up(instance->size[i], grid), load);
    }
  }
  uint32_t peak = accumulate(instance->n_steps, load);
  uint64_t most_padding = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
    if (instance->alignment[i] >= grid && !berth_pieces_several(instance, i) && instance->lower[i] <= peak &&
        peak < instance->upper[i]) {
      uint64_t padding = berth_align_up(instance->size[i], grid) - instance->size[i];
      most_padding = padding > most_padding ? padding : most_padding;
    }
  }
  *out_bound = load[peak] - most_padding;
  return true;
}

enum berth_code berth_packing_bound(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_bound) {
  *out_bound = 0;
  if (instance->n_buffers == 0) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *load = berth_arena_new(arena, uint64_t, instance->n_steps);
  uint32_t peak;
  if (load == NULL || !berth_packing_load(instance, arena->effort, load, &peak)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t bound = load[peak];
  uint64_t grids = 0; /* a bit for every alignment that occurs */
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    grids |= instance->alignment[i];
    if (berth_packing_is_pinned(instance, i)) {
      uint64_t end = instance->pin[i] + instance->size[i];
      bound = end > bound ? end : bound;
    }
    bound = instance->size[i] > bound ? instance->size[i] : bound;
  }
  for (grids &= ~UINT64_C(1); grids != 0; grids &= grids - 1) {
    uint64_t found;
    if (!grid_bound(instance, grids & -grids, arena->effort, load, &found)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    bound = found > bound ? found : bound;
  }
  berth_arena_rewind(arena, mark);
  *out_bound = bound;
  return BERTH_OK;
}
