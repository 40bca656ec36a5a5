#include "packing/neighbours.h"

#include "base/effort.h"
#include "base/order.h"

enum { MOST_NODES = 64 }; /* on the stack of a walk down the tree */

static bool init_tree(struct berth_neighbours *neighbours, struct berth_arena *arena) {
  const struct berth_packing_instance *instance = neighbours->instance;
  uint32_t n = instance->n_buffers;
  neighbours->n_leaves = 1;
  while (neighbours->n_leaves < n) {
    neighbours->n_leaves *= 2;
  }
  neighbours->by_start = berth_arena_new(arena, uint32_t, n);
  neighbours->start = berth_arena_new(arena, uint32_t, n);
  neighbours->latest = berth_arena_new_zeroed(arena, uint32_t, 2 * (size_t)neighbours->n_leaves);
  if (neighbours->by_start == NULL || neighbours->start == NULL || neighbours->latest == NULL) {
    return false;
  }
  bool ok = berth_order_all(arena, n, instance->lower, neighbours->by_start);
  for (uint32_t k = 0; ok && k < n; k++) {
    neighbours->start[k] = instance->lower[neighbours->by_start[k]];
    neighbours->latest[neighbours->n_leaves + k] = instance->upper[neighbours->by_start[k]];
  }
  for (uint32_t node = neighbours->n_leaves - 1; ok && node > 0; node--) {
    uint32_t left = neighbours->latest[2 * node];
    uint32_t right = neighbours->latest[2 * node + 1];
    neighbours->latest[node] = left > right ? left : right;
  }
  return ok && berth_effort_poll(arena->effort);
}

bool berth_neighbours_init(
    struct berth_neighbours *neighbours, const struct berth_packing_instance *instance,
    struct berth_arena *arena) {
  *neighbours = (struct berth_neighbours){.instance = instance, .by_rows = instance->order.n_clocks > 0};
  if (neighbours->by_rows) {
    return berth_meetings_make(
        &neighbours->rows, instance->n_buffers, instance->lower, instance->upper, instance->n_conflicts,
        instance->conflicts, instance->chains, arena);
  }
  return berth_pairs_init(
             &neighbours->pairs, arena, instance->n_buffers, instance->n_conflicts, instance->conflicts) &&
         init_tree(neighbours, arena);
}

static uint32_t list_row(const struct berth_neighbours *neighbours, uint32_t buffer, uint32_t *out) {
  const uint64_t *row = berth_meetings_row(&neighbours->rows, buffer);
  uint32_t n = 0;
  for (uint32_t w = 0; w < neighbours->rows.n_words; w++) {
    for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
      out[n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
  }
  return n;
}

/* How many start before `step`. */
static uint32_t n_before(const struct berth_neighbours *neighbours, uint32_t step) {
  uint32_t low = 0;
  uint32_t high = neighbours->instance->n_buffers;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (neighbours->start[middle] < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Of the first `n` by start those who end after `step`. */
static uint32_t list_living(
    const struct berth_neighbours *neighbours, uint32_t n, uint32_t step, uint32_t *out, uint64_t *n_looks) {
  uint32_t stack[MOST_NODES];
  uint32_t n_stack = 0;
  uint32_t n_out = 0;
  stack[n_stack++] = 1;
  while (n_stack > 0) {
    uint32_t node = stack[--n_stack];
    ++*n_looks;
    uint32_t height = (uint32_t)(__builtin_clz(node) - __builtin_clz(neighbours->n_leaves));
    uint32_t first = (node << height) - neighbours->n_leaves;
    if (first >= n || neighbours->latest[node] <= step) {
      continue;
    }
    if (height == 0) {
      out[n_out++] = neighbours->by_start[first];
      continue;
    }
    stack[n_stack++] = 2 * node + 1;
    stack[n_stack++] = 2 * node;
  }
  return n_out;
}

static uint32_t
list_lives(const struct berth_neighbours *neighbours, uint32_t buffer, uint32_t *out, uint64_t *n_looks) {
  const struct berth_packing_instance *instance = neighbours->instance;
  uint32_t first = n_before(neighbours, instance->lower[buffer]);
  uint32_t n = list_living(neighbours, first, instance->lower[buffer], out, n_looks);
  for (uint32_t k = first; k < instance->n_buffers && neighbours->start[k] < instance->upper[buffer]; k++) {
    out[n] = neighbours->by_start[k];
    n += neighbours->by_start[k] != buffer;
  }
  for (uint32_t k = 0; k < berth_pairs_n(&neighbours->pairs, buffer); k++) {
    out[n++] = neighbours->pairs.other[neighbours->pairs.begin[buffer] + k];
  }
  return n;
}

uint32_t berth_neighbours_list(
    const struct berth_neighbours *neighbours, uint32_t buffer, uint32_t *out, uint64_t *n_looks) {
  uint32_t n =
      neighbours->by_rows ? list_row(neighbours, buffer, out) : list_lives(neighbours, buffer, out, n_looks);
  *n_looks += n + (neighbours->by_rows ? neighbours->rows.n_words : 0);
  return n;
}
