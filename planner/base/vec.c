#include "base/vec.h"

#include <stdint.h>

#include "base/checked.h"

enum { FIRST_CAPACITY = 8 };

bool berth_vec_grow(
    const struct berth_allocator *allocator, void **items, size_t *capacity, size_t min,
    size_t element_size) {
  size_t wanted = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
  wanted = wanted < min ? min : wanted;
  wanted = wanted < FIRST_CAPACITY ? FIRST_CAPACITY : wanted;
  size_t n_bytes;
  if (!berth_mul_size(wanted, element_size, &n_bytes)) {
    return false;
  }
  void *grown = allocator->resize(allocator->ctx, *items, *capacity * element_size, n_bytes);
  if (grown == NULL) {
    return false;
  }
  *items = grown;
  *capacity = wanted;
  return true;
}

void berth_vec_shrink(
    const struct berth_allocator *allocator, void **items, size_t *capacity, size_t n, size_t element_size) {
  if (n == *capacity) {
    return;
  }
  void *shrunk = allocator->resize(allocator->ctx, *items, *capacity * element_size, n * element_size);
  if (n == 0) {
    *items = NULL;
  } else if (shrunk == NULL) {
    return;
  } else {
    *items = shrunk;
  }
  *capacity = n;
}
