#include "base/merge.h"

#include <stdbool.h>
#include <string.h>

/* Bottom-up. */
void berth_merge_sort(
    uint32_t *items, uint32_t *scratch, size_t n, const void *ctx,
    int (*compare)(const void *ctx, uint32_t a, uint32_t b)) {
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      size_t middle = n - begin < width ? n : begin + width;
      size_t end = n - middle < width ? n : middle + width;
      size_t a = begin;
      size_t b = middle;
      for (size_t to = begin; to < end; to++) {
        bool left = b == end || (a < middle && compare(ctx, items[a], items[b]) <= 0);
        scratch[to] = left ? items[a++] : items[b++];
      }
    }
    memcpy(items, scratch, n * sizeof *items);
  }
}
