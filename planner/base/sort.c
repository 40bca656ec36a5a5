#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, FEW = 48 };

static void sort_few(struct berth_sort_item *items, size_t n) {
  for (size_t i = 1; i < n; i++) {
    struct berth_sort_item item = items[i];
    size_t k = i;
    for (; k > 0 && items[k - 1].key > item.key; k--) {
      items[k] = items[k - 1];
    }
    items[k] = item;
  }
}

static void pass(
    const struct berth_sort_item *from, struct berth_sort_item *to, size_t n, uint64_t base, unsigned shift) {
  size_t place[N_DIGITS] = {0};
  for (size_t i = 0; i < n; i++) {
    place[((from[i].key - base) >> shift) & (N_DIGITS - 1)]++;
  }
  size_t sum = 0;
  for (size_t digit = 0; digit < N_DIGITS; digit++) {
    size_t count = place[digit];
    place[digit] = sum;
    sum += count;
  }
  for (size_t i = 0; i < n; i++) {
    to[place[((from[i].key - base) >> shift) & (N_DIGITS - 1)]++] = from[i];
  }
}

void berth_sort_items(struct berth_sort_item *items, struct berth_sort_item *scratch, size_t n) {
  if (n <= FEW) {
    sort_few(items, n);
    return;
  }
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  bool sorted = true;
  for (size_t i = 0; i < n; i++) {
    least = items[i].key < least ? items[i].key : least;
    most = items[i].key > most ? items[i].key : most;
    sorted = sorted && (i == 0 || items[i - 1].key <= items[i].key);
  }
  if (sorted) {
    return;
  }
  struct berth_sort_item *from = items;
  struct berth_sort_item *to = scratch;
  for (unsigned shift = 0; shift < 64 && ((most - least) >> shift) != 0; shift += DIGIT_BITS) {
    pass(from, to, n, least, shift);
    struct berth_sort_item *swap = from;
    from = to;
    to = swap;
  }
  if (from != items) {
    memcpy(items, from, n * sizeof *items);
  }
}
