#include "base/sort.h"

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

/* How many items are looked at between two polls. */
enum { POLL_ITEMS = 1 << 16 };

static size_t chunk_end(size_t begin, size_t n) {
  return n - begin < POLL_ITEMS ? n : begin + POLL_ITEMS;
}

static bool pass(
    const struct berth_sort_item *from, struct berth_sort_item *to, size_t n, uint64_t base, unsigned shift,
    struct berth_effort *effort) {
  size_t place[N_DIGITS] = {0};
  for (size_t begin = 0; begin < n; begin = chunk_end(begin, n)) {
    if (n > POLL_ITEMS && !berth_effort_poll(effort)) {
      return false;
    }
    for (size_t i = begin; i < chunk_end(begin, n); i++) {
      place[((from[i].key - base) >> shift) & (N_DIGITS - 1)]++;
    }
  }
  size_t sum = 0;
  for (size_t digit = 0; digit < N_DIGITS; digit++) {
    size_t count = place[digit];
    place[digit] = sum;
    sum += count;
  }
  for (size_t begin = 0; begin < n; begin = chunk_end(begin, n)) {
    if (n > POLL_ITEMS && !berth_effort_poll(effort)) {
      return false;
    }
    for (size_t i = begin; i < chunk_end(begin, n); i++) {
      to[place[((from[i].key - base) >> shift) & (N_DIGITS - 1)]++] = from[i];
    }
  }
  return true;
}

bool berth_sort_items_until(
    struct berth_sort_item *items, struct berth_sort_item *scratch, size_t n, struct berth_effort *effort) {
  if (n <= FEW) {
    sort_few(items, n);
    return true;
  }
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  bool sorted = true;
  for (size_t i = 0; i < n; i++) {
    if (i % POLL_ITEMS == POLL_ITEMS - 1 && !berth_effort_poll(effort)) {
      return false;
    }
    least = items[i].key < least ? items[i].key : least;
    most = items[i].key > most ? items[i].key : most;
    sorted = sorted && (i == 0 || items[i - 1].key <= items[i].key);
  }
  if (sorted) {
    return true;
  }
  struct berth_sort_item *from = items;
  struct berth_sort_item *to = scratch;
  for (unsigned shift = 0; shift < 64 && ((most - least) >> shift) != 0; shift += DIGIT_BITS) {
    if (!pass(from, to, n, least, shift, effort)) {
      return false;
    }
    struct berth_sort_item *swap = from;
    from = to;
    to = swap;
  }
  return from == items || berth_effort_copy(effort, items, from, n * sizeof *items);
}

void berth_sort_items(struct berth_sort_item *items, struct berth_sort_item *scratch, size_t n) {
  berth_sort_items_until(items, scratch, n, NULL);
}
