#include "packing/apart.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "packing/bound.h"
#include "packing/build.h"
#include "packing/excess.h"
#include "packing/fold.h"
#include "packing/placement.h"

bool berth_packing_is_apart(
    const struct berth_packing_pool *pool, const struct berth_buffers *buffers, uint32_t buffer) {
  uint8_t class_ = buffers->class_[buffer];
  return pool->persistence != BERTH_PERSISTENCE_MIXED &&
         (class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE);
}

/* ---- Always live ---- */

/* Items that are apart hold all their pieces always; at a front they are blocks, and have none. */
static bool settle_pieces(
    struct berth_packing_instance *instance, const struct berth_packing_pool *pool,
    const struct berth_buffers *buffers, struct berth_arena *arena) {
  uint32_t n = instance->n_buffers;
  if (instance->piece_begin == NULL) {
    return true;
  }
  uint32_t *begin = berth_arena_new(arena, uint32_t, (size_t)n + 1);
  struct berth_piece *pieces = berth_arena_new(arena, struct berth_piece, instance->piece_begin[n]);
  if (begin == NULL || pieces == NULL) {
    return false;
  }
  uint32_t n_kept = 0;
  for (uint32_t k = 0; k < n; k++) {
    bool apart = berth_packing_is_apart(pool, buffers, pool->lead[k]);
    begin[k] = n_kept;
    for (uint32_t p = instance->piece_begin[k]; p < instance->piece_begin[k + 1]; p++) {
      pieces[n_kept] = instance->pieces[p];
      if (apart) {
        pieces[n_kept].lower = 0;
        pieces[n_kept].upper = instance->n_steps;
      }
      n_kept += !(apart && pool->has_front);
    }
  }
  begin[n] = n_kept;
  instance->piece_begin = n_kept > 0 ? begin : NULL;
  instance->pieces = pieces;
  instance->n_excess = 0;
  return n_kept == 0 || berth_packing_find_excess(instance, NULL, 0, arena);
}

static bool live_always(
    struct berth_packing_instance *instance, const struct berth_packing_pool *pool,
    const struct berth_buffers *buffers, struct berth_arena *arena) {
  uint32_t n = instance->n_buffers;
  uint32_t *lower = berth_arena_new(arena, uint32_t, n);
  uint32_t *upper = berth_arena_new(arena, uint32_t, n);
  uint32_t *gap_begin = instance->gap_begin != NULL ? berth_arena_new(arena, uint32_t, (size_t)n + 1) : NULL;
  uint32_t n_gaps = instance->gap_begin != NULL ? instance->gap_begin[n] : 0;
  struct berth_piece *gaps = berth_arena_new(arena, struct berth_piece, n_gaps);
  if (lower == NULL || upper == NULL || gaps == NULL || (instance->gap_begin != NULL && gap_begin == NULL)) {
    return false;
  }
  uint32_t n_kept = 0;
  for (uint32_t k = 0; k < n; k++) {
    bool apart = berth_packing_is_apart(pool, buffers, pool->lead[k]);
    lower[k] = apart ? 0 : instance->lower[k];
    upper[k] = apart ? instance->n_steps : instance->upper[k];
    if (gap_begin == NULL) {
      continue;
    }
    gap_begin[k] = n_kept;
    for (uint32_t g = instance->gap_begin[k]; !apart && g < instance->gap_begin[k + 1]; g++) {
      gaps[n_kept++] = instance->gaps[g];
    }
    gap_begin[k + 1] = n_kept;
  }
  instance->lower = lower;
  instance->upper = upper;
  instance->gap_begin = gap_begin;
  instance->gaps = gap_begin != NULL ? gaps : NULL;
  return true;
}

/* ---- The front: blocks in a row ---- */

struct front {
  uint32_t n;
  uint32_t *member; /* items, in canonical order */
  uint64_t *offset; /* of the best stack so far */
  uint64_t end;
};

/* Stacks in the order given; the end alone if `offset` is NULL. */
static uint64_t stack(
    const struct berth_packing_instance *instance, const struct front *front, const uint32_t *order,
    uint64_t *offset) {
  uint64_t top = 0;
  for (uint32_t i = 0; i < front->n; i++) {
    uint32_t k = front->member[order[i]];
    uint64_t at = berth_align_up(top, instance->alignment[k]);
    if (offset != NULL) {
      offset[order[i]] = at;
    }
    top = at + instance->size[k];
  }
  return top;
}

static void
try_stack(const struct berth_packing_instance *instance, struct front *front, const uint32_t *order) {
  uint64_t end = stack(instance, front, order, NULL);
  if (end < front->end) {
    front->end = stack(instance, front, order, front->offset);
  }
}

/* The block with the most padding behind it goes to the end, where it has none. */
static void
move_most_padded(const struct berth_packing_instance *instance, const struct front *front, uint32_t *order) {
  uint32_t found = 0;
  uint64_t most = 0;
  for (uint32_t i = 0; i < front->n; i++) {
    uint32_t k = front->member[order[i]];
    uint64_t padding = berth_align_up(instance->size[k], instance->alignment[k]) - instance->size[k];
    if (padding >= most) {
      most = padding;
      found = i;
    }
  }
  uint32_t last = order[found];
  memmove(order + found, order + found + 1, (front->n - found - 1) * sizeof *order);
  order[front->n - 1] = last;
}

static bool
stack_front(const struct berth_packing_instance *instance, struct front *front, struct berth_arena *arena) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *order = berth_arena_new(arena, uint32_t, front->n);
  uint64_t *key = berth_arena_new(arena, uint64_t, front->n);
  bool ok = order != NULL && key != NULL;
  for (int by_size = 0; ok && by_size < 2; by_size++) { /* strictest alignment first, then largest first */
    for (uint32_t i = 0; i < front->n; i++) {
      uint32_t k = front->member[i];
      key[i] = ~(by_size ? instance->size[k] : instance->alignment[k]);
    }
    berth_order_identity(front->n, order);
    ok = berth_order_by_key(arena, front->n, key, order);
    if (ok) {
      try_stack(instance, front, order);
      move_most_padded(instance, front, order);
      try_stack(instance, front, order);
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

/* Pins the front, each block up to the next. */
static bool
pin_front(struct berth_packing_instance *instance, const struct front *front, struct berth_arena *arena) {
  uint64_t *pin = berth_arena_new(arena, uint64_t, instance->n_buffers);
  uint64_t *size = berth_arena_new(arena, uint64_t, instance->n_buffers);
  uint32_t *order = berth_arena_new(arena, uint32_t, front->n);
  if (pin == NULL || size == NULL || order == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    pin[k] = BERTH_UNPINNED;
    size[k] = instance->size[k];
  }
  berth_order_identity(front->n, order);
  if (!berth_order_by_key(arena, front->n, front->offset, order)) {
    return false;
  }
  for (uint32_t i = 0; i < front->n; i++) {
    uint64_t at = front->offset[order[i]];
    uint64_t next = i + 1 < front->n ? front->offset[order[i + 1]] : front->end;
    pin[front->member[order[i]]] = at;
    size[front->member[order[i]]] = next - at;
  }
  instance->pin = pin;
  instance->size = size;
  return true;
}

/* ---- The bound ---- */

/* Of some of the items alone; 0 if there are none. Also the least alignment among them. */
static enum berth_code bound_of(
    const struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool apart, bool reuse,
    struct berth_arena *arena, uint64_t *out_bound, uint64_t *out_alignment) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *members = berth_arena_new(arena, uint32_t, pool->n_members);
  struct berth_packing_instance instance;
  uint32_t n = 0;
  *out_alignment = UINT64_MAX;
  if (members == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t k = 0; k < pool->n_members; k++) {
    uint32_t item = pool->item_of != NULL ? pool->item_of[k] : k;
    if (!berth_effort_poll_at(arena->effort, k)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    if (berth_packing_is_apart(pool, buffers, pool->members[k]) == apart) {
      const uint32_t *gaps = pool->instance.gap_begin;
      bool grouped = buffers->rigid.n != 0 && buffers->rigid.group[pool->members[k]] != BERTH_NO_INDEX;
      bool whole = !grouped && (gaps == NULL || gaps[item] == gaps[item + 1]);
      uint64_t alignment = whole ? pool->instance.alignment[item] : 1; /* its first byte may never be held */
      *out_alignment = alignment < *out_alignment ? alignment : *out_alignment;
      members[n++] = pool->members[k];
    }
  }
  enum berth_code code =
      berth_packing_build(buffers, members, n, pool->alignment, BERTH_UNLIMITED, arena, &instance, NULL);
  if (code == BERTH_OK && (apart || !reuse) && !berth_packing_forbid_reuse(&instance, arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  if (code == BERTH_OK && buffers->rigid.n != 0) {
    struct berth_packing_instance of_members = instance;
    uint32_t *item_of;
    uint32_t *lead;
    bool is_exact;
    code = berth_packing_fold(&of_members, buffers, members, arena, &instance, &item_of, &lead, &is_exact);
    instance = code == BERTH_OK && !is_exact ? of_members : instance;
  }
  if (code == BERTH_OK && instance.gap_begin == NULL && buffers->rigid.n == 0) {
    code = berth_packing_bound(&instance, arena, out_bound);
  } else if (code == BERTH_OK) { /* not the size of one: what it never holds may reach below */
    uint64_t *load = berth_arena_new(arena, uint64_t, instance.n_steps);
    uint32_t peak = 0;
    bool ok = load != NULL && berth_packing_load(&instance, arena->effort, load, &peak);
    code = ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
    *out_bound = ok && n > 0 ? load[peak] : 0;
  }
  berth_arena_rewind(arena, mark);
  return code;
}

/* Whether it may matter how the front is stacked: to what reaches below its end with bytes that it never
 * holds, and must not share those with one of the front. */
static bool may_be_stacked_wrong(const struct berth_packing_pool *pool, const struct berth_buffers *buffers) {
  for (uint32_t c = 0; c < buffers->n_conflicts; c++) {
    uint32_t a = buffers->conflicts[c][0];
    uint32_t b = buffers->conflicts[c][1];
    if (berth_packing_is_apart(pool, buffers, a) == berth_packing_is_apart(pool, buffers, b)) {
      continue;
    }
    uint32_t rest = berth_packing_is_apart(pool, buffers, a) ? b : a;
    bool gaps = buffers->gap_begin != NULL && buffers->gap_begin[rest] < buffers->gap_begin[rest + 1];
    if (gaps || (buffers->rigid.n != 0 && buffers->rigid.group[rest] != BERTH_NO_INDEX)) {
      return true;
    }
  }
  return false;
}

/* The others begin at a multiple of their least alignment. */
static enum berth_code bound_front(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    const struct front *front, struct berth_arena *arena) {
  uint64_t of_front;
  uint64_t of_rest;
  uint64_t alignment;
  enum berth_code code = bound_of(pool, buffers, true, reuse, arena, &of_front, &alignment);
  code = code == BERTH_OK ? bound_of(pool, buffers, false, reuse, arena, &of_rest, &alignment) : code;
  if (code == BERTH_OK) {
    pool->is_exact = pool->is_exact && front->end == of_front && !may_be_stacked_wrong(pool, buffers);
    pool->lower_bound = of_front + of_rest;
    if (front->n < pool->instance.n_buffers) {
      pool->lower_bound = berth_align_up(of_front, alignment) + of_rest;
    }
  }
  return code;
}

enum berth_code berth_packing_keep_apart(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena) {
  struct berth_packing_instance *instance = &pool->instance;
  struct front front = {.member = berth_arena_new(arena, uint32_t, instance->n_buffers), .end = UINT64_MAX};
  if (front.member == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    if (berth_packing_is_apart(pool, buffers, pool->lead[k])) {
      front.member[front.n++] = k;
    }
  }
  pool->has_front = front.n > 0 && pool->persistence == BERTH_PERSISTENCE_FRONT;
  if (front.n > 0 && reuse && !live_always(instance, pool, buffers, arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  if (front.n > 0 && !settle_pieces(instance, pool, buffers, arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  if (!pool->has_front) {
    return BERTH_OK;
  }
  front.offset = berth_arena_new(arena, uint64_t, front.n);
  if (front.offset == NULL || !stack_front(instance, &front, arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_code code = bound_front(pool, buffers, reuse, &front, arena);
  return code != BERTH_OK || pin_front(instance, &front, arena) ? code : BERTH_RESOURCE_EXHAUSTED;
}
