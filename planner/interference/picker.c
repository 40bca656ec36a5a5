#include "interference/picker.h"

#include <stddef.h>

#include "base/order.h"

enum { FANOUT = 16 };

/* Sorts into slabs by lower and each slab by upper, so that FANOUT neighbours make a small box. */
static bool tile(
    struct berth_arena *arena, uint32_t n, const uint32_t *lower, const uint32_t *upper,
    uint32_t *out_order) {
  uint32_t n_slabs = 1;
  while ((uint64_t)n_slabs * n_slabs * FANOUT < n) {
    n_slabs++;
  }
  uint32_t per_slab = n / n_slabs + 1;
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  if (key == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    key[i] = lower[i];
  }
  berth_order_identity(n, out_order);
  if (!berth_order_by_key(arena, n, key, out_order)) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    key[out_order[k]] = (uint64_t)(k / per_slab) << 32 | upper[out_order[k]];
  }
  return berth_order_by_key(arena, n, key, out_order);
}

static struct berth_picker_node sum_up(const struct berth_picker_node *children, uint32_t n) {
  struct berth_picker_node node = {.max_lower = 0, .min_upper = UINT32_MAX, .rank = UINT32_MAX};
  for (uint32_t k = 0; k < n; k++) {
    if (children[k].rank == UINT32_MAX) {
      continue;
    }
    node.max_lower = children[k].max_lower > node.max_lower ? children[k].max_lower : node.max_lower;
    node.min_upper = children[k].min_upper < node.min_upper ? children[k].min_upper : node.min_upper;
    node.rank = children[k].rank < node.rank ? children[k].rank : node.rank;
  }
  return node;
}

static uint32_t n_children(const struct berth_picker *picker, uint32_t level, uint32_t parent) {
  uint32_t n_left = picker->n_nodes[level] - parent * FANOUT;
  return n_left < FANOUT ? n_left : FANOUT;
}

static bool build_levels(struct berth_picker *picker, struct berth_arena *arena) {
  picker->n_levels = 1;
  while (picker->n_nodes[picker->n_levels - 1] > FANOUT) {
    uint32_t level = picker->n_levels++;
    uint32_t n = (picker->n_nodes[level - 1] + FANOUT - 1) / FANOUT;
    struct berth_picker_node *nodes = berth_arena_new(arena, struct berth_picker_node, n);
    if (nodes == NULL) {
      return false;
    }
    picker->n_nodes[level] = n;
    picker->levels[level] = nodes;
    for (uint32_t k = 0; k < n; k++) {
      nodes[k] = sum_up(&picker->levels[level - 1][k * FANOUT], n_children(picker, level - 1, k));
    }
  }
  return true;
}

bool berth_picker_init(
    struct berth_picker *picker, struct berth_arena *arena, uint32_t n, const uint32_t *lower,
    const uint32_t *upper, const uint32_t *order) {
  *picker = (struct berth_picker){.order = order};
  picker->place = berth_arena_new(arena, uint32_t, n);
  picker->levels[0] = berth_arena_new(arena, struct berth_picker_node, n);
  picker->n_nodes[0] = n;
  if (picker->place == NULL || picker->levels[0] == NULL) {
    return false;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *tiles = berth_arena_new(arena, uint32_t, n);
  bool ok = tiles != NULL && tile(arena, n, lower, upper, tiles);
  for (uint32_t k = 0; ok && k < n; k++) {
    uint32_t i = tiles[k];
    picker->place[i] = k;
    picker->levels[0][k] = (struct berth_picker_node){.max_lower = lower[i], .min_upper = upper[i]};
  }
  for (uint32_t r = 0; ok && r < n; r++) {
    picker->levels[0][picker->place[order[r]]].rank = r;
  }
  berth_arena_rewind(arena, mark);
  return ok && build_levels(picker, arena);
}

/* Looks at the children of one node; `*best` only falls. */
static void descend(
    struct berth_picker *picker, uint32_t level, uint32_t parent, uint32_t from, uint32_t to,
    uint32_t *best) {
  uint32_t n = n_children(picker, level, parent);
  picker->n_visited += n;
  for (uint32_t k = parent * FANOUT; n > 0; n--, k++) {
    const struct berth_picker_node *node = &picker->levels[level][k];
    if (node->rank >= *best || node->max_lower < from || node->min_upper > to) {
      continue;
    }
    if (level == 0) {
      *best = node->rank;
    } else {
      descend(picker, level - 1, k, from, to, best);
    }
  }
}

uint32_t berth_picker_best(struct berth_picker *picker, uint32_t from, uint32_t to) {
  uint32_t best = UINT32_MAX;
  if (picker->n_nodes[0] > 0) {
    descend(picker, picker->n_levels - 1, 0, from, to, &best);
  }
  return best != UINT32_MAX ? picker->order[best] : UINT32_MAX;
}

void berth_picker_remove(struct berth_picker *picker, uint32_t buffer) {
  uint32_t k = picker->place[buffer];
  picker->levels[0][k].rank = UINT32_MAX;
  for (uint32_t level = 1; level < picker->n_levels; level++) {
    k /= FANOUT;
    picker->levels[level][k] =
        sum_up(&picker->levels[level - 1][k * FANOUT], n_children(picker, level - 1, k));
  }
}
