#include "interference/pairs.h"

#include <stddef.h>

#include "base/effort.h"

bool berth_pairs_init(
    struct berth_pairs *pairs, struct berth_arena *arena, uint32_t n_buffers, uint32_t n_pairs,
    const uint32_t (*pair)[2]) {
  *pairs = (struct berth_pairs){0};
  if (n_pairs == 0) {
    return true;
  }
  uint32_t *begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)n_buffers + 2);
  uint32_t *other = berth_arena_new(arena, uint32_t, 2 * (size_t)n_pairs);
  if (begin == NULL || other == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n_pairs; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    begin[pair[k][0] + 2]++;
    begin[pair[k][1] + 2]++;
  }
  for (size_t i = 2; i < (size_t)n_buffers + 2; i++) {
    begin[i] += begin[i - 1];
  }
  for (uint32_t k = 0; k < n_pairs; k++) { /* begin[i + 1] moves from the start of i to its end */
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    other[begin[pair[k][0] + 1]++] = pair[k][1];
    other[begin[pair[k][1] + 1]++] = pair[k][0];
  }
  *pairs = (struct berth_pairs){.begin = begin, .other = other};
  return true;
}
