#include "problem/names.h"

#include <string.h>

#include "base/merge.h"
#include "base/text.h"

struct berth_text berth_names_get(const struct berth_names *names, uint32_t item) {
  if (item >= names->end.n) {
    return (struct berth_text){0};
  }
  uint32_t begin = item == 0 ? 0 : names->end.items[item - 1];
  return (struct berth_text){.data = names->blob.items + begin, .size = names->end.items[item] - begin};
}

enum berth_names_result berth_names_add(
    const struct berth_allocator *allocator, struct berth_names *names, uint32_t item,
    struct berth_text text) {
  if (text.size == 0) {
    return BERTH_NAMES_OK;
  }
  if (!berth_text_valid(text.data, text.size)) {
    return BERTH_NAMES_BAD_TEXT;
  }
  if (text.size > UINT32_MAX - names->blob.n) {
    return BERTH_NAMES_TOO_LONG;
  }
  if (!berth_vec_reserve(allocator, &names->blob, names->blob.n + text.size) ||
      !berth_vec_reserve(allocator, &names->end, (size_t)item + 1)) {
    return BERTH_NAMES_OUT_OF_MEMORY;
  }
  while (names->end.n < item) { /* those before it without a name */
    names->end.items[names->end.n++] = (uint32_t)names->blob.n;
  }
  memcpy(names->blob.items + names->blob.n, text.data, text.size);
  names->blob.n += text.size;
  names->end.items[names->end.n++] = (uint32_t)names->blob.n;
  return BERTH_NAMES_OK;
}

void berth_names_finish(const struct berth_allocator *allocator, struct berth_names *names) {
  berth_vec_finish(allocator, &names->blob);
  berth_vec_finish(allocator, &names->end);
}

/* ---- Duplicates: an open-addressing table of (tag, item); when the tags collide too often (a table made to
 * be slow), sorting instead. ---- */

static uint64_t mix(uint64_t a) {
  a ^= a >> 32;
  a *= UINT64_C(0xd6e8feb86659fd93);
  a ^= a >> 32;
  return a * UINT64_C(0xd6e8feb86659fd93);
}

static uint64_t hash(struct berth_text text) {
  uint64_t h = text.size * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t i = 0;
  for (; i + 8 <= text.size; i += 8) {
    uint64_t word;
    memcpy(&word, text.data + i, 8);
    h = mix(h ^ word);
  }
  uint64_t tail = 0;
  for (uint32_t shift = 0; i < text.size; i++, shift += 8) {
    tail |= (uint64_t)(unsigned char)text.data[i] << shift;
  }
  h = mix(h ^ tail);
  return h ^ h >> 32;
}

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const struct berth_names *names = ctx;
  struct berth_text left = berth_names_get(names, a);
  struct berth_text right = berth_names_get(names, b);
  uint32_t n = left.size < right.size ? left.size : right.size;
  int order = memcmp(left.data, right.data, n);
  return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

enum outcome { DONE, TOO_SLOW, NO_MEMORY };

static enum outcome find_by_table(
    const struct berth_allocator *allocator, const struct berth_names *names, uint32_t *out_first,
    uint32_t *out_second) {
  size_t n_slots = 16;
  while (n_slots < names->end.n * 2) {
    n_slots *= 2;
  }
  uint64_t *table = allocator->resize(allocator->ctx, NULL, 0, n_slots * sizeof *table);
  if (table == NULL) {
    return NO_MEMORY;
  }
  memset(table, 0, n_slots * sizeof *table); /* an entry is tag << 32 | item + 1 */
  uint64_t n_allowed = 1024 + (uint64_t)names->end.n * 16;
  enum outcome outcome = DONE;
  for (uint32_t item = 0; item < names->end.n; item++) {
    struct berth_text text = berth_names_get(names, item);
    if (text.size == 0) {
      continue;
    }
    uint64_t h = hash(text);
    uint64_t tag = h >> 32 << 32;
    size_t slot = h & (n_slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (n_slots - 1)) {
      uint32_t other = (uint32_t)table[slot] - 1;
      if ((table[slot] >> 32 << 32) == tag && compare(names, other, item) == 0) {
        *out_first = other;
        *out_second = item;
        goto out;
      }
      if (n_allowed-- == 0) {
        outcome = TOO_SLOW;
        goto out;
      }
    }
    table[slot] = tag | (item + 1);
  }
out:
  allocator->resize(allocator->ctx, table, n_slots * sizeof *table, 0);
  return outcome;
}

bool berth_names_find_by_sorting(
    const struct berth_allocator *allocator, const struct berth_names *names, uint32_t *out_first,
    uint32_t *out_second) {
  size_t n_bytes = names->end.n * 2 * sizeof(uint32_t);
  uint32_t *items = allocator->resize(allocator->ctx, NULL, 0, n_bytes);
  if (items == NULL) {
    return false;
  }
  size_t n = 0;
  for (uint32_t item = 0; item < names->end.n; item++) {
    if (berth_names_get(names, item).size != 0) {
      items[n++] = item;
    }
  }
  berth_merge_sort(items, items + names->end.n, n, names, compare);
  for (size_t begin = 0, i = 1; i < n; i++) {
    if (compare(names, items[begin], items[i]) != 0) {
      begin = i;
    } else if (i == begin + 1 && items[i] < *out_second) {
      *out_first = items[begin];
      *out_second = items[i];
    }
  }
  allocator->resize(allocator->ctx, items, n_bytes, 0);
  return true;
}

bool berth_names_find_duplicate(
    const struct berth_allocator *allocator, const struct berth_names *names, uint32_t *out_first,
    uint32_t *out_second) {
  *out_first = *out_second = BERTH_NO_INDEX;
  if (names->end.n < 2) {
    return true;
  }
  switch (find_by_table(allocator, names, out_first, out_second)) {
  case DONE:
    return true;
  case TOO_SLOW:
    return berth_names_find_by_sorting(allocator, names, out_first, out_second);
  case NO_MEMORY:
    break;
  }
  return false;
}
