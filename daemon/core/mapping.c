/* A plan is kept in canonical order and answered in the caller's: place k of the one is items[k] of the
 * other. */
#include "core/internal.h"

/* Where a column's entry i comes from and goes to: from[i] -> to[i], each NULL for i itself. */
static void move_columns(
    struct berth_plan *to, const struct berth_plan *from, const uint32_t *to_index,
    const uint32_t *from_index) {
  uint64_t *offset = berth_plan_offset_mut(to);
  uint32_t *pool = berth_plan_pool_mut(to);
  uint32_t *slot = berth_plan_slot_mut(to);
  for (uint32_t k = 0; k < from->n_buffers; k++) {
    uint32_t target = to_index != NULL ? to_index[k] : k;
    uint32_t source = from_index != NULL ? from_index[k] : k;
    if (from->offset != NULL) {
      offset[target] = from->offset[source];
    }
    if (from->pool != NULL) {
      pool[target] = from->pool[source];
    }
    if (from->slot != NULL) {
      slot[target] = from->slot[source];
    }
  }
}

/* Everything but the columns, the culprits and the pointers. */
static struct berth_plan *create_like(const struct berth_plan *plan) {
  struct berth_plan *copy = berth_plan_create(NULL, plan->n_buffers, plan->n_pools);
  if (copy == NULL) {
    return NULL;
  }
  const struct berth_plan shape = *copy;
  *copy = *plan;
  copy->pools = shape.pools;
  copy->pool = plan->pool != NULL ? shape.pool : NULL;
  copy->offset = plan->offset != NULL ? shape.offset : NULL;
  copy->slot = plan->slot != NULL ? shape.slot : NULL;
  struct berth_pool_result *pools = berth_plan_pools_mut(copy);
  for (uint32_t i = 0; i < plan->n_pools; i++) {
    pools[i] = plan->pools[i];
  }
  return copy;
}

struct berth_plan *berthd_plan_copy(const struct berth_plan *plan) {
  struct berth_plan *copy = create_like(plan);
  if (copy != NULL) {
    move_columns(copy, plan, NULL, NULL);
  }
  return copy;
}

const struct berth_plan *
berthd_map_to_canonical(const struct berth_plan *plan, const struct berthd_order *order) {
  if (order->is_identity) {
    return berth_plan_ref(plan);
  }
  struct berth_plan *mapped = create_like(plan);
  if (mapped == NULL) {
    return NULL;
  }
  move_columns(mapped, plan, NULL, order->items);
  for (uint32_t k = 0; plan->n_culprits > 0 && k < order->n; k++) {
    for (uint32_t i = 0; i < plan->n_culprits; i++) {
      if (plan->culprits[i] == order->items[k]) {
        mapped->culprits[i] = k;
      }
    }
  }
  return mapped;
}

const struct berth_plan *
berthd_map_to_caller(const struct berth_plan *plan, const struct berthd_order *order) {
  if (order->is_identity) {
    return berth_plan_ref(plan);
  }
  struct berth_plan *mapped = create_like(plan);
  if (mapped == NULL) {
    return NULL;
  }
  move_columns(mapped, plan, order->items, NULL);
  for (uint32_t i = 0; i < plan->n_culprits; i++) {
    mapped->culprits[i] = order->items[plan->culprits[i]];
  }
  return mapped;
}
