#include "verify/measure.h"

#include "verify/live.h"

static void measure_buffers(
    struct berth_verify_measure *measure, const struct berth_verify_facts *facts,
    const struct berth_verify_places *places) {
  for (uint32_t i = 0; i < facts->n; i++) {
    uint64_t size = facts->size[i];
    measure->naive_bytes += size;
    measure->class_bytes[facts->class_[i]] += size;
    if (places->offset == NULL || !berth_verify_is_placed(facts, places, i)) {
      continue;
    }
    struct berth_verify_pool_measure *pool = &measure->pools[berth_verify_pool(places, i)];
    uint64_t alignment = berth_verify_alignment(facts, i, berth_verify_pool(places, i));
    pool->class_bytes[facts->class_[i]] += size;
    pool->most_alignment = alignment > pool->most_alignment ? alignment : pool->most_alignment;
    if (size > 0) {
      uint64_t end = berth_verify_byte(places->offset[i], size);
      bool persists = facts->class_[i] == BERTH_CLASS_CONSTANT || facts->class_[i] == BERTH_CLASS_STATE;
      bool apart = facts->pools[berth_verify_pool(places, i)].persistence != BERTH_PERSISTENCE_MIXED;
      pool->persistent_bytes =
          persists && apart && end > pool->persistent_bytes ? end : pool->persistent_bytes;
      pool->arena_bytes = end > pool->arena_bytes ? end : pool->arena_bytes;
      pool->least_alignment = alignment > pool->least_alignment ? alignment : pool->least_alignment;
    }
  }
}

/* Ends come before beginnings at each step, so the sum is greatest after the last beginning of a step. */
static void measure_live(
    struct berth_verify_measure *measure, const struct berth_verify_facts *facts,
    const struct berth_verify_pieces *pieces, const struct berth_verify_places *places,
    struct berth_verify_live *counted) {
  uint64_t live = 0;
  for (size_t t = 0; t < 2 * (size_t)pieces->n; t++) {
    const struct berth_verify_piece *piece = &pieces->items[berth_verify_turn_piece(pieces->turns[t])];
    bool placed = places->offset != NULL && berth_verify_is_placed(facts, places, piece->buffer);
    struct berth_verify_pool_measure *pool =
        placed ? &measure->pools[berth_verify_pool(places, piece->buffer)] : NULL;
    if (berth_verify_turn_ends(pieces->turns[t])) {
      uint64_t n_bytes = berth_verify_live_drop(counted, piece);
      live -= n_bytes;
      if (pool != NULL) {
        pool->live_bytes -= n_bytes;
      }
      continue;
    }
    uint64_t n_bytes = berth_verify_live_put(counted, piece);
    live += n_bytes;
    measure->peak_bytes = live > measure->peak_bytes ? live : measure->peak_bytes;
    if (pool != NULL) {
      pool->live_bytes += n_bytes;
      if (pool->live_bytes > pool->peak_bytes) {
        pool->peak_bytes = pool->live_bytes;
        pool->peak_step = piece->lower;
      }
    }
  }
}

enum berth_code berth_verify_measure(
    struct berth_verify_measure *measure, const struct berth_verify_facts *facts,
    const struct berth_verify_pieces *pieces, const struct berth_verify_places *places,
    struct berth_arena *arena, struct berth_error *err) {
  *measure = (struct berth_verify_measure){
      .pools = berth_arena_new_zeroed(arena, struct berth_verify_pool_measure, facts->n_pools)};
  if (measure->pools == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t p = 0; p < facts->n_pools; p++) {
    measure->pools[p].least_alignment = 1;
    measure->pools[p].most_alignment = facts->pools[p].alignment;
    measure->pools[p].base_alignment = facts->pools[p].base_alignment;
  }
  measure_buffers(measure, facts, places);
  struct berth_verify_live live;
  enum berth_code code = berth_verify_live_init(&live, facts, pieces, arena, err);
  if (code == BERTH_OK) {
    measure_live(measure, facts, pieces, places, &live);
  }
  return code;
}
