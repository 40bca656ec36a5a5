/* Sorting in linear time: a stable radix sort of keys, each with the index of what it is the key of. No
 * comparison function, no allocation, the same order on every machine. To sort by several keys, sort by the
 * least significant first. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/effort.h"

struct berth_sort_item {
  uint64_t key;
  uint32_t index;
};

/* Ascending by key, stable. `scratch` has room for n items; its contents are lost. */
void berth_sort_items(struct berth_sort_item *items, struct berth_sort_item *scratch, size_t n);

/* The same; false, with the items in any order, if the hook of `effort` (which may be NULL) says stop. */
bool berth_sort_items_until(
    struct berth_sort_item *items, struct berth_sort_item *scratch, size_t n, struct berth_effort *effort);

/* A signed step as a key of the same order. */
static inline uint64_t berth_sort_key_i64(int64_t step) {
  return (uint64_t)step ^ (UINT64_C(1) << 63);
}

#endif
