#include "packing/pool.h"

#include <string.h>

#include "base/order.h"
#include "interference/colouring.h"
#include "packing/apart.h"
#include "packing/board.h"
#include "packing/bound.h"
#include "packing/build.h"
#include "packing/excess.h"
#include "packing/fold.h"
#include "packing/pieces.h"
#include "packing/placement.h"
#include "packing/slots.h"

/* All that is ever held, at the one step. */
static bool flatten_pieces(struct berth_packing_instance *instance, struct berth_arena *arena) {
  uint32_t n = instance->piece_begin[instance->n_buffers];
  struct berth_piece *pieces = berth_arena_new(arena, struct berth_piece, n);
  for (uint32_t k = 0; pieces != NULL && k < n; k++) {
    pieces[k] = instance->pieces[k];
    pieces[k].lower = 0;
    pieces[k].upper = 1;
  }
  instance->pieces = pieces;
  return pieces != NULL;
}

bool berth_packing_forbid_reuse(struct berth_packing_instance *instance, struct berth_arena *arena) {
  uint32_t *lower = berth_arena_new_zeroed(arena, uint32_t, instance->n_buffers);
  uint32_t *upper = berth_arena_new(arena, uint32_t, instance->n_buffers);
  if (lower == NULL || upper == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    upper[k] = 1;
  }
  instance->lower = lower;
  instance->upper = upper;
  instance->n_steps = instance->n_buffers > 0;
  instance->gap_begin = NULL;
  instance->gaps = NULL;
  instance->n_conflicts = 0;
  instance->order.n_clocks = 0;
  instance->slices = NULL;
  instance->chains = NULL;
  instance->n_excess = 0;
  instance->pins_may_meet = true;
  return instance->piece_begin == NULL ||
         (flatten_pieces(instance, arena) && berth_packing_find_excess(instance, NULL, 0, arena));
}

/* What all that is not pinned holds, and the ranges that the pinned hold: their first bytes as keys, their
 * ends by index. False if memory ran out. */
static bool sum_up(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_sum,
    uint64_t **out_begin, uint64_t **out_end, uint32_t *out_n) {
  size_t n_listed = instance->piece_begin != NULL ? instance->piece_begin[instance->n_buffers] : 0;
  *out_begin = berth_arena_new(arena, uint64_t, instance->n_buffers + n_listed);
  *out_end = berth_arena_new(arena, uint64_t, instance->n_buffers + n_listed);
  if (*out_begin == NULL || *out_end == NULL) {
    return false;
  }
  *out_n = 0;
  *out_sum = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    struct berth_pieces pieces = berth_pieces_of(instance, i);
    struct berth_piece piece;
    while (berth_pieces_next(&pieces, &piece)) {
      if (!berth_packing_is_pinned(instance, i)) {
        *out_sum += piece.window_upper - piece.window_lower;
        continue;
      }
      (*out_begin)[*out_n] = instance->pin[i] + piece.window_lower;
      (*out_end)[(*out_n)++] = instance->pin[i] + piece.window_upper;
    }
  }
  for (uint32_t k = 0; k < instance->n_excess; k++) {
    *out_sum -= berth_packing_is_pinned(instance, instance->excess[k].buffer) ? 0 : instance->excess[k].bytes;
  }
  return true;
}

/* Where nothing is shared but what pins share: the bytes under the pins, and those of all others. */
static bool
bound_pinned(const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_bound) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t sum;
  uint64_t *begin;
  uint64_t *end;
  uint32_t n;
  if (!sum_up(instance, arena, &sum, &begin, &end, &n)) {
    return false;
  }
  uint32_t *order = berth_arena_new(arena, uint32_t, n);
  if (order == NULL) {
    return false;
  }
  berth_order_identity(n, order);
  if (!berth_order_by_key(arena, n, begin, order)) {
    return false;
  }
  uint64_t reach = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (end[order[k]] > reach) {
      sum += end[order[k]] - (begin[order[k]] > reach ? begin[order[k]] : reach);
      reach = end[order[k]];
    }
  }
  berth_arena_rewind(arena, mark);
  *out_bound = sum > reach ? sum : reach;
  return true;
}

/* Of the members one by one. */
static bool
find_peak(struct berth_packing_pool *pool, const struct berth_timeline *timeline, struct berth_arena *arena) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *load = berth_arena_new(arena, uint64_t, pool->instance.n_steps);
  uint32_t peak;
  if (load == NULL || !berth_packing_load(&pool->instance, arena->effort, load, &peak)) {
    return false;
  }
  if (timeline->n_steps > 0) {
    peak = 0;
    for (uint32_t t = 1; t < timeline->n_steps; t++) { /* steps for pairs of slices are none */
      peak = load[t] > load[peak] ? t : peak;
    }
    pool->peak_bytes = load[peak];
    pool->peak_step = timeline->step_at[peak];
  }
  berth_arena_rewind(arena, mark);
  return berth_effort_poll(arena->effort);
}

/* From members to items. */
static enum berth_code
fold(struct berth_packing_pool *pool, const struct berth_buffers *buffers, struct berth_arena *arena) {
  pool->item_of = NULL;
  pool->lead = pool->members;
  if (buffers->rigid.n == 0) {
    return BERTH_OK;
  }
  struct berth_packing_instance members = pool->instance;
  return berth_packing_fold(
      &members, buffers, pool->members, arena, &pool->instance, &pool->item_of, &pool->lead, &pool->is_exact);
}

/* Whether all that is pinned can lie together in this pool, by its lives. False if memory ran out. */
static bool
check_pins(const struct berth_packing_instance *instance, struct berth_arena *arena, bool *out_is_right) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_pairs pairs;
  struct berth_board board;
  *out_is_right = true;
  if (instance->pin == NULL) {
    return true;
  }
  bool ok =
      berth_pairs_init(&pairs, arena, instance->n_buffers, instance->n_conflicts, instance->conflicts) &&
      berth_board_init(&board, instance, &pairs, arena);
  for (uint32_t k = 0; ok && *out_is_right && k < board.n_pinned; k++) {
    uint32_t i = board.pinned[k];
    *out_is_right = berth_board_is_free(&board, i, instance->pin[i]);
    ok = !*out_is_right || berth_board_place(&board, i, instance->pin[i]);
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

enum berth_code berth_packing_pool_prepare(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena) {
  pool->arena_bytes = BERTH_UNLIMITED;
  pool->infeasible = false;
  pool->has_front = false;
  pool->is_exact = true;
  pool->peak_bytes = 0;
  pool->peak_step = 0;
  struct berth_timeline timeline;
  enum berth_code code = (pool->kind == BERTH_POOL_SLOTS ? berth_packing_build_slots : berth_packing_build)(
      buffers, pool->members, pool->n_members, pool->alignment, pool->capacity, arena, &pool->instance,
      &timeline);
  if (code == BERTH_OK && !find_peak(pool, &timeline, arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  bool may_meet = true; /* else there is no plan of these members, with whatever reuse */
  bool may_not = !reuse && pool->kind == BERTH_POOL_BYTES && buffers->rigid.n == 0;
  if (code == BERTH_OK && may_not && !check_pins(&pool->instance, arena, &may_meet)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  if (code == BERTH_OK && !reuse && !berth_packing_forbid_reuse(&pool->instance, arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  if (!reuse) {
    pool->instance.pins_may_meet = may_meet;
  }
  code = code == BERTH_OK ? fold(pool, buffers, arena) : code;
  if (code == BERTH_OK && pool->persistence != BERTH_PERSISTENCE_MIXED) {
    code = berth_packing_keep_apart(pool, buffers, reuse, arena);
  }
  if (code != BERTH_OK || pool->has_front) {
    pool->infeasible = code == BERTH_OK && pool->lower_bound > pool->capacity;
    return code;
  }
  if (!pool->is_exact) {
    pool->lower_bound = pool->peak_bytes;
  } else if (!reuse && pool->instance.pin != NULL) {
    code = bound_pinned(&pool->instance, arena, &pool->lower_bound) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  } else {
    code = berth_packing_bound(&pool->instance, arena, &pool->lower_bound);
  }
  pool->infeasible = code == BERTH_OK && pool->lower_bound > pool->capacity;
  return code;
}

/* ---- Whole slots ---- */

/* Buffers that are pinned to one offset share a slot there: numbered on from `*n_slots`. */
static bool assign_pinned(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint32_t *slot,
    uint32_t *n_slots) {
  if (instance->pin == NULL) {
    return true;
  }
  uint32_t *order = berth_arena_new(arena, uint32_t, instance->n_buffers);
  if (order == NULL) {
    return false;
  }
  berth_order_identity(instance->n_buffers, order);
  if (!berth_order_by_key(arena, instance->n_buffers, instance->pin, order)) {
    return false;
  }
  uint64_t last = BERTH_UNPINNED;
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    uint64_t pin = instance->pin[order[k]];
    if (pin == BERTH_UNPINNED) {
      break;
    }
    *n_slots += pin != last;
    slot[order[k]] = *n_slots - 1;
    last = pin;
  }
  return true;
}

/* Groups with all the time between their members: safe, if coarse. */
static struct berth_timeline whole_lives(const struct berth_packing_instance *instance) {
  return (struct berth_timeline){
      .n_buffers = instance->n_buffers,
      .n_steps = instance->n_steps,
      .lower = (uint32_t *)(uintptr_t)instance->lower,
      .upper = (uint32_t *)(uintptr_t)instance->upper};
}

/* The pinned have slots of their own; the rest are coloured. */
static enum berth_code assign_slots(
    const struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena, struct berth_effort *effort, uint32_t *slot, uint32_t *out_n_slots) {
  const struct berth_packing_instance *instance = &pool->instance;
  uint32_t n = instance->n_buffers;
  if (!reuse) {
    for (uint32_t k = 0; k < n; k++) {
      slot[k] = k;
    }
    *out_n_slots = n;
    return BERTH_OK;
  }
  uint64_t *size = berth_arena_new(arena, uint64_t, n);
  struct berth_timeline timeline;
  enum berth_code code = BERTH_OK;
  if (pool->item_of != NULL) {
    timeline = whole_lives(instance);
  } else {
    code = berth_timeline_make(buffers, pool->members, n, arena, &timeline);
  }
  if (code != BERTH_OK || size == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t k = 0; k < n; k++) { /* the pinned take no part */
    size[k] = berth_packing_is_pinned(instance, k) ? 0 : instance->size[k];
  }
  struct berth_colouring_input input = {
      .timeline = &timeline,
      .size = size,
      .n_conflicts = instance->n_conflicts,
      .conflicts = instance->conflicts,
      .order = instance->chains != NULL ? &instance->order : NULL};
  struct berth_colouring colouring;
  code = berth_colour(&input, arena, effort, true, &colouring);
  if (code != BERTH_OK) {
    return code;
  }
  *out_n_slots = colouring.n_slots;
  for (uint32_t k = 0; k < n; k++) {
    slot[k] = colouring.slot[k];
  }
  return assign_pinned(instance, arena, slot, out_n_slots) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

/* The slots as buffers that are always live. */
static bool make_blocks(
    const struct berth_packing_instance *members, const uint32_t *slot, uint32_t n_slots,
    struct berth_arena *arena, struct berth_packing_instance *out) {
  uint64_t *size = berth_arena_new_zeroed(arena, uint64_t, n_slots);
  uint64_t *alignment = berth_arena_new(arena, uint64_t, n_slots);
  uint64_t *pin = members->pin != NULL ? berth_arena_new(arena, uint64_t, n_slots) : NULL;
  *out = (struct berth_packing_instance){.n_buffers = n_slots, .capacity = members->capacity};
  if (size == NULL || alignment == NULL || (members->pin != NULL && pin == NULL)) {
    return false;
  }
  for (uint32_t s = 0; s < n_slots; s++) {
    alignment[s] = 1;
    if (pin != NULL) {
      pin[s] = BERTH_UNPINNED;
    }
  }
  for (uint32_t k = 0; k < members->n_buffers; k++) {
    uint32_t s = slot[k];
    size[s] = members->size[k] > size[s] ? members->size[k] : size[s];
    alignment[s] = members->alignment[k] > alignment[s] ? members->alignment[k] : alignment[s];
    if (pin != NULL && members->pin[k] != BERTH_UNPINNED) {
      pin[s] = members->pin[k];
    }
  }
  out->size = size;
  out->alignment = alignment;
  out->pin = pin;
  bool ok = berth_packing_forbid_reuse(out, arena);
  out->pins_may_meet = false;
  return ok;
}

/* The members go where their slots are, if that is better than what the pool has. */
static void take(
    struct berth_packing_pool *pool, const uint32_t *slot, const uint64_t *block_offset,
    uint64_t arena_bytes) {
  if (arena_bytes >= pool->arena_bytes) {
    return;
  }
  pool->arena_bytes = arena_bytes;
  for (uint32_t k = 0; k < pool->instance.n_buffers; k++) {
    pool->offset[k] = block_offset[slot[k]];
  }
}

/* What is left over is padding only. */
static enum berth_code stack_blocks(
    struct berth_packing_pool *pool, const struct berth_packing_instance *blocks, const uint32_t *slot,
    const enum berth_placement_key *keys, struct berth_arena *arena, struct berth_effort *effort) {
  struct berth_packing_search search = {
      .instance = blocks,
      .arena = arena,
      .effort = effort,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = berth_arena_new(arena, uint64_t, blocks->n_buffers)};
  uint32_t *order = berth_arena_new(arena, uint32_t, blocks->n_buffers);
  struct berth_pairs pairs = {0};
  struct berth_board board;
  enum berth_code code = BERTH_OK;
  if (search.best_offset == NULL || order == NULL || !berth_board_init(&board, blocks, &pairs, arena) ||
      !berth_placement_order(blocks, keys, arena, order)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t limit = effort->limit; /* a plan to start from is made whatever the budget */
  berth_effort_set_limit(effort, UINT64_MAX);
  if (berth_placement_pass(&search, &board, order, BERTH_BOARD_LOWEST, &code)) {
    take(pool, slot, search.best_offset, search.best_arena);
  }
  berth_effort_set_limit(effort, limit);
  return code;
}

/* Slots for all, or (`reuse` false) one for each; the blocks largest first, then strictest alignment first.
 */
static enum berth_code place_slots(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena, struct berth_effort *effort) {
  static const enum berth_placement_key ORDERS[2][3] = {
      {BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END},
      {BERTH_PLACEMENT_ALIGN, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END},
  };
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *slot = berth_arena_new(arena, uint32_t, pool->n_members);
  struct berth_packing_instance blocks;
  uint32_t n_slots = 0;
  enum berth_code code = slot == NULL ? BERTH_RESOURCE_EXHAUSTED
                                      : assign_slots(pool, buffers, reuse, arena, effort, slot, &n_slots);
  if (code == BERTH_OK && !make_blocks(&pool->instance, slot, n_slots, arena, &blocks)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  for (int k = 0; k < 2 && code == BERTH_OK; k++) {
    code = stack_blocks(pool, &blocks, slot, ORDERS[k], arena, effort);
  }
  berth_arena_rewind(arena, mark);
  return code;
}

/* Groups hold less than the whole lives that slots take them for. */
static bool may_bound_slots(const struct berth_packing_pool *pool) {
  return pool->persistence == BERTH_PERSISTENCE_MIXED && pool->item_of == NULL && pool->is_exact &&
         berth_slots_are_plain(&pool->instance);
}

static void raise_slot_bound(struct berth_packing_pool *pool, uint64_t bound) {
  pool->lower_bound = bound > pool->lower_bound ? bound : pool->lower_bound;
  pool->infeasible = pool->infeasible || pool->lower_bound > pool->capacity;
}

enum berth_code berth_packing_pool_search_slots(
    struct berth_packing_pool *pool, struct berth_arena *arena, struct berth_effort *effort) {
  static const enum berth_placement_key ORDER[3] = {
      BERTH_PLACEMENT_ALIGN, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END};
  if (!may_bound_slots(pool) || pool->infeasible || pool->arena_bytes <= pool->lower_bound) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_slots_found found;
  struct berth_packing_instance blocks;
  enum berth_code code = berth_slots_search(&pool->instance, arena, effort, &found);
  if (code == BERTH_OK) {
    raise_slot_bound(pool, found.bound);
  }
  if (code == BERTH_OK && found.slot != NULL) {
    code = make_blocks(&pool->instance, found.slot, found.n_slots, arena, &blocks)
               ? stack_blocks(pool, &blocks, found.slot, ORDER, arena, effort)
               : BERTH_RESOURCE_EXHAUSTED;
  }
  berth_arena_rewind(arena, mark);
  return code;
}

/* Sharing slots is worth it or is not done: the alignment of a member binds its whole slot. */
enum berth_code berth_packing_pool_slots(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena, struct berth_effort *effort) {
  if (pool->n_members == 0) {
    pool->arena_bytes = 0;
    return BERTH_OK;
  }
  reuse = reuse && pool->persistence == BERTH_PERSISTENCE_MIXED; /* else nobody shares */
  enum berth_code code = place_slots(pool, buffers, reuse, arena, effort);
  if (code == BERTH_OK && reuse) {
    code = place_slots(pool, buffers, false, arena, effort);
  }
  uint64_t bound = 0;
  if (code == BERTH_OK && reuse && may_bound_slots(pool)) {
    bool ok = berth_slots_bound(&pool->instance, arena, &bound) || effort->state == BERTH_EFFORT_STOPPED;
    code = ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  }
  raise_slot_bound(pool, bound);
  return code;
}
