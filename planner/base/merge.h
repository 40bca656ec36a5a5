/* Sorting by comparison, for what is not a number: a stable merge sort of indices. O(n log n) comparisons
 * whatever the input, no allocation, the same order on every machine. */
#ifndef BASE_MERGE_H
#define BASE_MERGE_H

#include <stddef.h>
#include <stdint.h>

/* Sorts items[0..n) so that no item is greater than the next; `compare` is as strcmp. `scratch` has room for
 * n items; its contents are lost. */
void berth_merge_sort(
    uint32_t *items, uint32_t *scratch, size_t n, const void *ctx,
    int (*compare)(const void *ctx, uint32_t a, uint32_t b));

#endif
