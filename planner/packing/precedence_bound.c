#include "packing/precedence_bound.h"

#include "packing/pieces.h"

/* The bytes that the buffer holds all its life. */
static uint64_t core_of(const struct berth_packing_instance *instance, uint32_t i) {
  uint64_t lower = 0;
  uint64_t upper = instance->size[i];
  struct berth_pieces pieces = berth_pieces_of(instance, i);
  struct berth_piece piece;
  uint32_t reach = instance->lower[i];
  while (berth_pieces_next(&pieces, &piece)) {
    if (piece.lower != reach) {
      return 0; /* it is absent for a while */
    }
    reach = piece.upper;
    lower = piece.window_lower > lower ? piece.window_lower : lower;
    upper = piece.window_upper < upper ? piece.window_upper : upper;
  }
  return reach == instance->upper[i] && lower < upper ? upper - lower : 0;
}

enum berth_code berth_packing_find_antichain(
    const struct berth_packing_instance *instance, struct berth_arena *arena, struct berth_effort *effort,
    struct berth_antichain *out) {
  *out = (struct berth_antichain){0};
  struct berth_chains chains;
  bool is_usable;
  const struct berth_packing_slices *slices = instance->slices;
  uint32_t n = slices != NULL ? slices->n : instance->n_buffers;
  uint64_t *weight = berth_arena_new(arena, uint64_t, n);
  if (weight == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  if (instance->chains != NULL) {
    chains = *instance->chains;
  } else if (!berth_chains_make(&chains, &instance->order, arena, &is_usable)) {
    return BERTH_RESOURCE_EXHAUSTED;
  } else if (!is_usable) {
    return BERTH_OK;
  }
  if ((uint64_t)chains.n * chains.n_chains > BERTH_ANTICHAIN_MOST_ARCS) {
    return BERTH_OK;
  }
  for (uint32_t i = 0; i < n; i++) {
    weight[i] = slices != NULL ? slices->window_upper[i] - slices->window_lower[i] : core_of(instance, i);
  }
  return berth_antichain_find(&chains, weight, arena, effort, out);
}

static enum berth_code run(struct berth_packing_search *search) {
  if (search->instance->order.n_clocks == 0) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct berth_antichain antichain;
  enum berth_code code =
      berth_packing_find_antichain(search->instance, search->arena, search->effort, &antichain);
  if (code == BERTH_OK && antichain.is_found) {
    berth_packing_raise_bound(search, antichain.weight);
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

const struct berth_packing_strategy berth_packing_antichain = {.name = "antichain", .run = run};
