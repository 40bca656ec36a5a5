#include "packing/excess.h"

#include <string.h>

#include "base/cover.h"
#include "base/order.h"
#include "base/sort.h"
#include "packing/pieces.h"

struct excess {
  struct berth_packing_instance *instance;
  const uint32_t *owner;
  struct berth_arena *arena;
  uint32_t *order; /* the buffers to look at, owner by owner */
  uint32_t n;
  struct berth_packing_excess *out;
};

static uint32_t owner_of(const struct excess *excess, uint32_t buffer) {
  return excess->owner != NULL ? excess->owner[buffer] : buffer;
}

static uint32_t
count_pieces(const struct berth_packing_instance *instance, const uint32_t *items, uint32_t n) {
  uint32_t n_pieces = 0;
  for (uint32_t k = 0; k < n; k++) {
    struct berth_pieces pieces = berth_pieces_of(instance, items[k]);
    struct berth_piece piece;
    while (berth_pieces_next(&pieces, &piece)) {
      n_pieces++;
    }
  }
  return n_pieces;
}

/* Buffers that are not alone in their storage, or whose pieces are listed. */
static bool list(struct excess *excess, uint32_t n_owners) {
  const struct berth_packing_instance *instance = excess->instance;
  excess->order = berth_arena_new(excess->arena, uint32_t, instance->n_buffers);
  uint32_t *n_of = berth_arena_new_zeroed(excess->arena, uint32_t, excess->owner != NULL ? n_owners : 0);
  uint64_t *key = berth_arena_new(excess->arena, uint64_t, excess->owner != NULL ? instance->n_buffers : 0);
  if (excess->order == NULL || n_of == NULL || key == NULL) {
    return false;
  }
  for (uint32_t i = 0; excess->owner != NULL && i < instance->n_buffers; i++) {
    n_of[excess->owner[i]]++;
    key[i] = excess->owner[i];
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (excess->owner != NULL ? n_of[excess->owner[i]] > 1 : berth_pieces_listed(instance, i)) {
      excess->order[excess->n++] = i;
    }
  }
  return excess->owner == NULL || berth_order_by_key(excess->arena, excess->n, key, excess->order);
}

struct edges {
  uint64_t *at; /* ascending, each once */
  uint32_t n;
};

static uint32_t cell_of(const struct edges *edges, uint64_t at) {
  uint32_t low = 0;
  uint32_t high = edges->n - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (edges->at[middle] < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool find_edges(
    const struct berth_piece *pieces, uint32_t n, struct berth_arena *arena, struct berth_cover *cover,
    struct edges *out) {
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 4 * (size_t)n);
  out->at = berth_arena_new(arena, uint64_t, 2 * (size_t)n);
  uint64_t *cells = berth_arena_new(arena, uint64_t, 2 * (size_t)n);
  if (items == NULL || out->at == NULL || cells == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    items[2 * k] = (struct berth_sort_item){.key = pieces[k].window_lower};
    items[2 * k + 1] = (struct berth_sort_item){.key = pieces[k].window_upper};
  }
  berth_sort_items(items, items + 2 * (size_t)n, 2 * (size_t)n);
  out->n = 0;
  for (size_t k = 0; k < 2 * (size_t)n; k++) {
    if (out->n == 0 || out->at[out->n - 1] != items[k].key) {
      out->at[out->n++] = items[k].key;
    }
  }
  for (uint32_t k = 0; k + 1 < out->n; k++) {
    cells[k] = out->at[k + 1] - out->at[k];
  }
  return berth_cover_init(cover, arena, cells, out->n - 1);
}

/* Ends before beginnings at each step. */
static void sweep(
    struct excess *excess, uint32_t buffer, const struct berth_piece *pieces, uint32_t n,
    struct berth_sort_item *turns, struct berth_cover *cover, const struct edges *edges) {
  uint64_t held = 0;
  uint64_t before = 0;
  uint32_t since = 0;
  for (size_t t = 0; t < 2 * (size_t)n; t++) {
    const struct berth_piece *piece = &pieces[turns[t].index % n];
    uint32_t begin = cell_of(edges, piece->window_lower);
    uint32_t end = cell_of(edges, piece->window_upper);
    uint64_t bytes = piece->window_upper - piece->window_lower;
    if (turns[t].index < n) {
      berth_cover_drop(cover, begin, end);
      held -= bytes;
    } else {
      berth_cover_put(cover, begin, end);
      held += bytes;
    }
    uint32_t step = (uint32_t)turns[t].key;
    bool is_last = t + 1 == 2 * (size_t)n || turns[t + 1].key != turns[t].key;
    uint64_t now = held - berth_cover_bytes(cover);
    if (!is_last || now == before) {
      continue;
    }
    if (before != 0) {
      excess->out[excess->instance->n_excess++] = (struct berth_packing_excess){since, step, before, buffer};
    }
    before = now;
    since = step;
  }
}

static bool find_one(struct excess *excess, const uint32_t *items, uint32_t n_items) {
  const struct berth_packing_instance *instance = excess->instance;
  struct berth_arena_mark mark = berth_arena_mark(excess->arena);
  uint32_t n = count_pieces(instance, items, n_items);
  struct berth_piece *pieces = berth_arena_new(excess->arena, struct berth_piece, n);
  struct berth_sort_item *turns = berth_arena_new(excess->arena, struct berth_sort_item, 4 * (size_t)n);
  struct berth_cover cover;
  struct edges edges;
  bool ok = pieces != NULL && turns != NULL;
  uint32_t at = 0;
  for (uint32_t k = 0; ok && k < n_items; k++) {
    struct berth_pieces of_item = berth_pieces_of(instance, items[k]);
    while (at < n && berth_pieces_next(&of_item, &pieces[at])) {
      turns[at] = (struct berth_sort_item){.key = pieces[at].upper, .index = at};
      turns[n + at] = (struct berth_sort_item){.key = pieces[at].lower, .index = n + at};
      at++;
    }
  }
  if (ok && n > 1) {
    berth_sort_items(turns, turns + 2 * (size_t)n, 2 * (size_t)n);
    ok = find_edges(pieces, n, excess->arena, &cover, &edges);
  }
  if (ok && n > 1) {
    sweep(excess, items[0], pieces, n, turns, &cover, &edges);
  }
  berth_arena_rewind(excess->arena, mark);
  return ok;
}

bool berth_packing_find_excess(
    struct berth_packing_instance *instance, const uint32_t *owner, uint32_t n_owners,
    struct berth_arena *arena) {
  struct excess excess = {.instance = instance, .owner = owner, .arena = arena};
  instance->n_excess = 0;
  if (!list(&excess, n_owners)) {
    return false;
  }
  excess.out = berth_arena_new(
      arena, struct berth_packing_excess, 2 * (size_t)count_pieces(instance, excess.order, excess.n));
  bool ok = excess.out != NULL;
  for (uint32_t begin = 0, end; ok && begin < excess.n; begin = end) {
    end = begin + 1;
    while (end < excess.n && owner_of(&excess, excess.order[end]) == owner_of(&excess, excess.order[begin])) {
      end++;
    }
    ok = find_one(&excess, excess.order + begin, end - begin);
  }
  instance->excess = excess.out;
  return ok;
}
