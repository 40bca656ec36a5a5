#include "base/order.h"
#include "base/effort.h"

#include "base/sort.h"

bool berth_order_by_key(struct berth_arena *arena, uint32_t n, const uint64_t *key, uint32_t *order) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, n);
  bool ok = items != NULL && scratch != NULL && berth_effort_poll(arena->effort);
  if (ok) {
    for (uint32_t k = 0; ok && k < n; k++) {
      ok = berth_effort_poll_at(arena->effort, k);
      items[k] = (struct berth_sort_item){.key = key[order[k]], .index = order[k]};
    }
    ok = ok && berth_sort_items_until(items, scratch, n, arena->effort);
    for (uint32_t k = 0; ok && k < n; k++) {
      order[k] = items[k].index;
      ok = berth_effort_poll_at(arena->effort, k);
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

bool berth_order_all(struct berth_arena *arena, uint32_t n, const uint32_t *key, uint32_t *out_order) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *wide = berth_arena_new(arena, uint64_t, n);
  for (uint32_t i = 0; wide != NULL && i < n; i++) {
    wide[i] = key[i];
  }
  berth_order_identity(n, out_order);
  bool ok = wide != NULL && berth_order_by_key(arena, n, wide, out_order);
  berth_arena_rewind(arena, mark);
  return ok;
}
