#include "verify/ordered_set.h"

bool berth_verify_set_init(struct berth_verify_set *set, struct berth_arena *arena, uint32_t n_ranges) {
  set->n_leaves = 1;
  while (set->n_leaves < n_ranges) {
    set->n_leaves *= 2;
  }
  set->greatest_end = berth_arena_new_zeroed(arena, uint64_t, 2 * (size_t)set->n_leaves);
  return set->greatest_end != NULL;
}

/* Sets a leaf and repairs the way up, as far as anything changes. */
static void assign(struct berth_verify_set *set, uint32_t rank, uint64_t end) {
  uint64_t *greatest = set->greatest_end;
  size_t node = (size_t)set->n_leaves + rank;
  greatest[node] = end;
  for (node /= 2; node >= 1; node /= 2) {
    uint64_t left = greatest[2 * node];
    uint64_t right = greatest[2 * node + 1];
    uint64_t most = left > right ? left : right;
    if (greatest[node] == most) {
      return;
    }
    greatest[node] = most;
  }
}

void berth_verify_set_put(struct berth_verify_set *set, uint32_t rank, uint64_t end) {
  assign(set, rank, end);
}

void berth_verify_set_drop(struct berth_verify_set *set, uint32_t rank) {
  assign(set, rank, 0);
}

uint32_t berth_verify_set_next(const struct berth_verify_set *set, uint32_t rank, uint64_t byte) {
  const uint64_t *greatest = set->greatest_end;
  if (rank >= set->n_leaves) {
    return BERTH_NO_INDEX;
  }
  size_t node = (size_t)set->n_leaves + rank;
  while (greatest[node] <= byte) { /* climb until a subtree to the right holds one */
    while (node % 2 != 0) {
      node /= 2;
    }
    if (node == 0) {
      return BERTH_NO_INDEX;
    }
    node++;
  }
  while (node < set->n_leaves) {
    node *= 2;
    node += greatest[node] <= byte;
  }
  return (uint32_t)(node - set->n_leaves);
}
