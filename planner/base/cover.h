/* How many bytes are covered by ranges that come and go, however they overlap: a segment tree over the cells
 * between all ends of ranges (Bentley 1977, on Klee's measure). O(log n) for each range. */
#ifndef BASE_COVER_H
#define BASE_COVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct berth_cover {
  uint32_t n_leaves;
  uint32_t *count; /* 2 * n_leaves, the root at 1: ranges that cover the node whole and not its parent */
  uint64_t *size;
  uint64_t *covered;
};

/* Nothing is covered yet. False if memory ran out. */
bool berth_cover_init(
    struct berth_cover *cover, struct berth_arena *arena, const uint64_t *cell_bytes, uint32_t n_cells);

/* The cells [begin, end), which may be none. A range is dropped as it was put. */
void berth_cover_put(struct berth_cover *cover, uint32_t begin, uint32_t end);
void berth_cover_drop(struct berth_cover *cover, uint32_t begin, uint32_t end);

static inline uint64_t berth_cover_bytes(const struct berth_cover *cover) {
  return cover->covered[1];
}

#endif
