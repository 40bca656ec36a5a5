/* Orders: indices sorted by a key that they point at; base/sort.h with its scratch taken from an arena. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Sorts order[0..n) by key[order[k]], ascending; equal keys keep their places. `key` is indexed by what
 * `order` holds. Scratch comes from the arena and goes back; false if memory ran out or the arena's
 * effort was stopped. */
bool berth_order_by_key(struct berth_arena *arena, uint32_t n, const uint64_t *key, uint32_t *order);

/* All of 0, 1, ... n - 1 by key, likewise. */
bool berth_order_all(struct berth_arena *arena, uint32_t n, const uint32_t *key, uint32_t *out_order);

/* 0, 1, ... n - 1. */
static inline void berth_order_identity(uint32_t n, uint32_t *out_order) {
  for (uint32_t i = 0; i < n; i++) {
    out_order[i] = i;
  }
}

#endif
