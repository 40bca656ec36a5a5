#include "packing/blame.h"

#include <string.h>

#include "base/order.h"
#include "packing/pieces.h"

/* Pieces are added largest first over a tree of steps; a step that exceeds the capacity has its set, and is
 * taken out. So every step is seen at the least number of buffers that exceed it, in n log n altogether. */
struct tree {
  uint32_t n_leaves; /* a power of two */
  int64_t *most;     /* of the node's steps that are still in, its own `added` included; OUT if none is */
  int64_t *added;    /* bytes over all steps of the node */
  uint32_t *count;   /* pieces over all steps of the node */
};

#define OUT INT64_MIN

struct piece {
  uint32_t buffer;
  uint32_t lower;
  uint32_t upper;
  uint64_t bytes;
};

static bool init_tree(struct tree *tree, uint32_t n_steps, struct berth_arena *arena) {
  tree->n_leaves = 1;
  while (tree->n_leaves < n_steps) {
    tree->n_leaves *= 2;
  }
  size_t n_nodes = 2 * (size_t)tree->n_leaves;
  tree->most = berth_arena_new_zeroed(arena, int64_t, n_nodes);
  tree->added = berth_arena_new_zeroed(arena, int64_t, n_nodes);
  tree->count = berth_arena_new_zeroed(arena, uint32_t, n_nodes);
  return tree->most != NULL && tree->added != NULL && tree->count != NULL;
}

static void pull(struct tree *tree, uint32_t node) {
  int64_t left = tree->most[2 * (size_t)node], right = tree->most[2 * (size_t)node + 1];
  int64_t most = left > right ? left : right;
  tree->most[node] = most == OUT ? OUT : most + tree->added[node];
}

static void add_node(struct tree *tree, uint32_t node, int64_t bytes) {
  tree->added[node] += bytes;
  tree->count[node]++;
  tree->most[node] += tree->most[node] == OUT ? 0 : bytes;
}

static void add(struct tree *tree, const struct piece *piece) {
  uint32_t left = piece->lower + tree->n_leaves, right = piece->upper + tree->n_leaves;
  uint32_t first = left, last = right - 1;
  for (; left < right; left /= 2, right /= 2) {
    if (left & 1) {
      add_node(tree, left++, (int64_t)piece->bytes);
    }
    if (right & 1) {
      add_node(tree, --right, (int64_t)piece->bytes);
    }
  }
  for (first /= 2, last /= 2; first > 0; first /= 2, last /= 2) {
    pull(tree, first);
    pull(tree, last);
  }
}

/* Takes out the first step that exceeds the capacity; returns its number of pieces, 0 if there is none. */
static uint32_t take_out(struct tree *tree, uint64_t capacity, uint32_t *out_step) {
  if (tree->most[1] == OUT || (uint64_t)tree->most[1] <= capacity) {
    return 0;
  }
  uint32_t node = 1, count = tree->count[1];
  while (node < tree->n_leaves) {
    int64_t most_below = tree->most[node] - tree->added[node];
    node = 2 * node + (tree->most[2 * (size_t)node] != most_below);
    count += tree->count[node];
  }
  tree->most[node] = OUT;
  for (uint32_t up = node / 2; up > 0; up /= 2) {
    pull(tree, up);
  }
  *out_step = node - tree->n_leaves;
  return count;
}

static struct piece *list_pieces(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint32_t *out_n,
    uint32_t **out_order) {
  uint32_t n_gaps = instance->gap_begin != NULL ? instance->gap_begin[instance->n_buffers] : 0;
  size_t n_most = (size_t)instance->n_buffers + 2 * (size_t)n_gaps;
  struct piece *list = berth_arena_new(arena, struct piece, n_most);
  uint64_t *key = berth_arena_new(arena, uint64_t, n_most);
  uint32_t *order = berth_arena_new(arena, uint32_t, n_most);
  if (list == NULL || key == NULL || order == NULL) {
    return NULL;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    struct berth_pieces pieces = berth_pieces_of(instance, i);
    struct berth_piece piece;
    while (berth_pieces_next(&pieces, &piece)) {
      uint64_t bytes = piece.window_upper - piece.window_lower;
      key[n] = ~bytes;
      list[n++] = (struct piece){i, piece.lower, piece.upper, bytes};
    }
  }
  berth_order_identity(n, order);
  *out_n = n;
  *out_order = order;
  return berth_order_by_key(arena, n, key, order) ? list : NULL;
}

static bool needs_nothing_more(const struct berth_packing_instance *instance, const struct piece *piece) {
  uint32_t i = piece->buffer;
  return piece->bytes == instance->size[i] && piece->bytes % instance->alignment[i] == 0 &&
         (instance->pin == NULL || instance->pin[i] == BERTH_UNPINNED);
}

enum berth_code berth_blame_load(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint32_t *out_culprits,
    uint32_t *out_n, bool *out_is_minimal) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct tree tree;
  uint32_t n_pieces = 0, *order = NULL;
  *out_n = 0;
  *out_is_minimal = true;
  struct piece *pieces = list_pieces(instance, arena, &n_pieces, &order);
  bool ok = pieces != NULL && init_tree(&tree, instance->n_steps, arena);
  uint32_t fewest = UINT32_MAX, at = 0, step;
  for (uint32_t k = 0; ok && k < n_pieces; k++) {
    add(&tree, &pieces[order[k]]);
    for (uint32_t count; (count = take_out(&tree, instance->capacity, &step)) != 0;) {
      at = count < fewest ? step : at;
      fewest = count < fewest ? count : fewest;
    }
  }
  for (uint32_t k = 0; ok && *out_n < fewest && fewest != UINT32_MAX; k++) {
    const struct piece *piece = &pieces[order[k]];
    if (piece->lower <= at && at < piece->upper) {
      *out_is_minimal &= needs_nothing_more(instance, piece);
      out_culprits[(*out_n)++] = piece->buffer;
    }
  }
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
