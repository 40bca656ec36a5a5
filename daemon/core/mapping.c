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

struct berth_plan *berthd_plan_copy(const struct berth_plan *plan) {
  return berth_plan_copy(NULL, plan, plan->syncs, plan->n_syncs);
}

const struct berth_plan *
berthd_map_to_canonical(const struct berth_plan *plan, const struct berthd_order *order) {
  if (order->is_identity) {
    return berth_plan_ref(plan);
  }
  struct berth_plan *mapped = berthd_plan_copy(plan);
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
  struct berth_plan *mapped = berthd_plan_copy(plan);
  if (mapped == NULL) {
    return NULL;
  }
  move_columns(mapped, plan, order->items, NULL);
  for (uint32_t i = 0; i < plan->n_culprits; i++) {
    mapped->culprits[i] = order->items[plan->culprits[i]];
  }
  return mapped;
}
