#include "base/cover.h"

bool berth_cover_init(
    struct berth_cover *cover, struct berth_arena *arena, const uint64_t *cell_bytes, uint32_t n_cells) {
  *cover = (struct berth_cover){.n_leaves = 1};
  while (cover->n_leaves < n_cells) {
    cover->n_leaves *= 2;
  }
  size_t n = 2 * (size_t)cover->n_leaves;
  cover->count = berth_arena_new_zeroed(arena, uint32_t, n);
  cover->size = berth_arena_new_zeroed(arena, uint64_t, n);
  cover->covered = berth_arena_new_zeroed(arena, uint64_t, n);
  if (cover->count == NULL || cover->size == NULL || cover->covered == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n_cells; k++) {
    cover->size[cover->n_leaves + k] = cell_bytes[k];
  }
  for (uint32_t node = cover->n_leaves - 1; node > 0; node--) {
    cover->size[node] = cover->size[2 * node] + cover->size[2 * node + 1];
  }
  return true;
}

static void renew(struct berth_cover *cover, uint32_t node) {
  bool leaf = node >= cover->n_leaves;
  uint64_t below = leaf ? 0 : cover->covered[2 * node] + cover->covered[2 * node + 1];
  cover->covered[node] = cover->count[node] != 0 ? cover->size[node] : below;
}

static void change(struct berth_cover *cover, uint32_t begin, uint32_t end, uint32_t by) {
  if (begin >= end) {
    return;
  }
  uint32_t left = begin + cover->n_leaves;
  uint32_t right = end + cover->n_leaves;
  for (; left < right; left /= 2, right /= 2) {
    if (left & 1) {
      cover->count[left] += by;
      renew(cover, left++);
    }
    if (right & 1) {
      cover->count[--right] += by;
      renew(cover, right);
    }
  }
  left = (begin + cover->n_leaves) / 2;
  right = (end - 1 + cover->n_leaves) / 2;
  for (; left > 0; left /= 2, right /= 2) {
    renew(cover, left);
    if (right != left) {
      renew(cover, right);
    }
  }
}

void berth_cover_put(struct berth_cover *cover, uint32_t begin, uint32_t end) {
  change(cover, begin, end, 1);
}

void berth_cover_drop(struct berth_cover *cover, uint32_t begin, uint32_t end) {
  change(cover, begin, end, UINT32_MAX); /* less one: it wraps */
}
