#include "verify/live.h"

static bool is_shared(const struct berth_verify_live *live, uint32_t buffer) {
  if (live->edge_begin == NULL) {
    return false;
  }
  uint32_t storage = live->facts->storage[buffer];
  return live->edge_begin[storage] < live->edge_begin[storage + 1];
}

/* Edges by storage, then by byte; each once. */
static uint32_t list_edges(
    struct berth_verify_live *live, const struct berth_verify_pieces *pieces, const uint32_t *n_buffers,
    struct berth_sort_item *items, uint64_t *cells) {
  const struct berth_verify_facts *facts = live->facts;
  size_t n = 0;
  for (uint32_t p = 0; p < pieces->n; p++) {
    const struct berth_verify_piece *piece = &pieces->items[p];
    uint32_t storage = facts->storage[piece->buffer];
    if (n_buffers[storage] > 1) {
      items[n++] = (struct berth_sort_item){.key = piece->window_lower, .index = storage};
      items[n++] = (struct berth_sort_item){.key = piece->window_upper, .index = storage};
    }
  }
  struct berth_sort_item *scratch = items + 2 * (size_t)pieces->n;
  berth_sort_items(items, scratch, n);
  for (size_t k = 0; k < n; k++) { /* the byte moves over to make room for the storage as the key */
    cells[k] = items[k].key;
    items[k] = (struct berth_sort_item){.key = items[k].index, .index = (uint32_t)k};
  }
  berth_sort_items(items, scratch, n);
  uint32_t n_edges = 0;
  uint32_t storage = 0;
  for (size_t k = 0; k < n; k++) {
    uint64_t byte = cells[items[k].index];
    for (; storage <= items[k].key; storage++) {
      live->edge_begin[storage] = n_edges;
    }
    if (n_edges == live->edge_begin[items[k].key] || live->edges[n_edges - 1] != byte) {
      live->edges[n_edges++] = byte;
    }
  }
  for (; storage <= facts->n; storage++) {
    live->edge_begin[storage] = n_edges;
  }
  return n_edges;
}

enum berth_code berth_verify_live_init(
    struct berth_verify_live *live, const struct berth_verify_facts *facts,
    const struct berth_verify_pieces *pieces, struct berth_arena *arena, struct berth_error *err) {
  *live = (struct berth_verify_live){.facts = facts};
  if (facts->storage == NULL) {
    return BERTH_OK;
  }
  size_t n = 2 * (size_t)pieces->n;
  uint32_t *n_buffers = berth_arena_new_zeroed(arena, uint32_t, facts->n);
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 2 * n);
  uint64_t *cells = berth_arena_new(arena, uint64_t, n + 1);
  live->edge_begin = berth_arena_new(arena, uint32_t, (size_t)facts->n + 1);
  live->edges = berth_arena_new(arena, uint64_t, n);
  if (n_buffers == NULL || items == NULL || cells == NULL || live->edge_begin == NULL ||
      live->edges == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    n_buffers[facts->storage[i]]++;
  }
  uint32_t n_edges = list_edges(live, pieces, n_buffers, items, cells);
  for (uint32_t storage = 0; storage < facts->n; storage++) {
    for (uint32_t k = live->edge_begin[storage]; k < live->edge_begin[storage + 1]; k++) {
      bool last = k + 1 == live->edge_begin[storage + 1];
      cells[k] = last ? 0 : live->edges[k + 1] - live->edges[k];
    }
  }
  return berth_cover_init(&live->cover, arena, cells, n_edges) ? BERTH_OK : berth_fail_memory(err);
}

static uint32_t cell_of(const struct berth_verify_live *live, uint32_t storage, uint64_t byte) {
  uint32_t low = live->edge_begin[storage];
  uint32_t high = live->edge_begin[storage + 1] - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (live->edges[middle] < byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static uint64_t turn(
    struct berth_verify_live *live, const struct berth_verify_piece *piece,
    void (*change)(struct berth_cover *cover, uint32_t begin, uint32_t end)) {
  if (!is_shared(live, piece->buffer)) {
    return piece->window_upper - piece->window_lower;
  }
  uint32_t storage = live->facts->storage[piece->buffer];
  uint64_t before = berth_cover_bytes(&live->cover);
  change(
      &live->cover, cell_of(live, storage, piece->window_lower), cell_of(live, storage, piece->window_upper));
  uint64_t after = berth_cover_bytes(&live->cover);
  return after > before ? after - before : before - after;
}

uint64_t berth_verify_live_put(struct berth_verify_live *live, const struct berth_verify_piece *piece) {
  return turn(live, piece, berth_cover_put);
}

uint64_t berth_verify_live_drop(struct berth_verify_live *live, const struct berth_verify_piece *piece) {
  return turn(live, piece, berth_cover_drop);
}
