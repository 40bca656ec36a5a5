#include "packing/apart.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "packing/bound.h"
#include "packing/build.h"
#include "packing/placement.h"

bool berth_packing_is_apart(
    const struct berth_packing_pool *pool, const struct berth_buffers *buffers, uint32_t k) {
  uint8_t class_ = buffers->class_[pool->members[k]];
  return pool->persistence != BERTH_PERSISTENCE_MIXED &&
         (class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE);
}

/* ---- Always live ---- */

static bool live_always(
    struct berth_packing_instance *instance, const struct berth_packing_pool *pool,
    const struct berth_buffers *buffers, struct berth_arena *arena) {
  uint32_t n = instance->n_buffers;
  uint32_t *lower = berth_arena_new(arena, uint32_t, n);
  uint32_t *upper = berth_arena_new(arena, uint32_t, n);
  uint32_t *gap_begin = instance->gap_begin != NULL ? berth_arena_new(arena, uint32_t, (size_t)n + 1) : NULL;
  uint32_t n_gaps = instance->gap_begin != NULL ? instance->gap_begin[n] : 0;
  struct berth_packing_gap *gaps = berth_arena_new(arena, struct berth_packing_gap, n_gaps);
  if (lower == NULL || upper == NULL || gaps == NULL || (instance->gap_begin != NULL && gap_begin == NULL)) {
    return false;
  }
  uint32_t n_kept = 0;
  for (uint32_t k = 0; k < n; k++) {
    bool apart = berth_packing_is_apart(pool, buffers, k);
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
  uint32_t *member; /* in canonical order */
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

/* Of some of the members alone; 0 if there are none. Also the least alignment among them. */
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
    if (berth_packing_is_apart(pool, buffers, k) == apart) {
      const uint32_t *gaps = pool->instance.gap_begin;
      bool whole = gaps == NULL || gaps[k] == gaps[k + 1]; /* else its first byte may never be held */
      uint64_t alignment = whole ? pool->instance.alignment[k] : 1;
      *out_alignment = alignment < *out_alignment ? alignment : *out_alignment;
      members[n++] = pool->members[k];
    }
  }
  enum berth_code code =
      berth_packing_build(buffers, members, n, pool->alignment, BERTH_UNLIMITED, arena, &instance, NULL);
  if (code == BERTH_OK && (apart || !reuse) && !berth_packing_forbid_reuse(&instance, arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  if (code == BERTH_OK && instance.gap_begin == NULL) {
    code = berth_packing_bound(&instance, arena, out_bound);
  } else if (code == BERTH_OK) { /* not the size of one: what it never holds may reach below */
    uint64_t *load = berth_arena_new(arena, uint64_t, instance.n_steps);
    code = load == NULL ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK;
    *out_bound = load != NULL && n > 0 ? load[berth_packing_load(&instance, load)] : 0;
  }
  berth_arena_rewind(arena, mark);
  return code;
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
    pool->front_is_least = front->end == of_front;
    pool->lower_bound = of_front + of_rest;
    if (front->n < pool->n_members) {
      pool->lower_bound = berth_align_up(of_front, alignment) + of_rest;
    }
  }
  return code;
}

enum berth_code berth_packing_keep_apart(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena) {
  struct berth_packing_instance *instance = &pool->instance;
  struct front front = {.member = berth_arena_new(arena, uint32_t, pool->n_members), .end = UINT64_MAX};
  if (front.member == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t k = 0; k < pool->n_members; k++) {
    if (berth_packing_is_apart(pool, buffers, k)) {
      front.member[front.n++] = k;
    }
  }
  pool->has_front = front.n > 0 && pool->persistence == BERTH_PERSISTENCE_FRONT;
  if (front.n > 0 && reuse && !live_always(instance, pool, buffers, arena)) {
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
