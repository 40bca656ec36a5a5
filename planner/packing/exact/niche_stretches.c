#include "packing/exact/niche_stretches.h"

#include "base/effort.h"
#include "base/sort.h"
#include "packing/pieces.h"

enum { MOST_LOOKS = 1 << 26, POLL_BUFFERS = 64 };

struct listing {
  const struct berth_packing_instance *instance;
  struct berth_niche_stretches *out;
  struct berth_piece *pieces;    /* of one buffer, by window */
  struct berth_sort_item *items; /* twice as many */
  struct berth_sort_item *scratch;
};

static uint32_t n_listed(const struct berth_packing_instance *instance, uint32_t b) {
  return instance->piece_begin != NULL ? instance->piece_begin[b + 1] - instance->piece_begin[b] : 0;
}

static uint32_t n_gaps(const struct berth_packing_instance *instance, uint32_t b) {
  return instance->gap_begin != NULL ? instance->gap_begin[b + 1] - instance->gap_begin[b] : 0;
}

/* After the n that the buffer has so far; goes on with the last one where it can. */
static uint32_t add(struct listing *listing, uint32_t b, uint32_t n, struct berth_piece piece) {
  struct berth_piece *items = listing->out->items + listing->out->begin[b];
  struct berth_piece *last = n > 0 ? &items[n - 1] : NULL;
  if (last != NULL && last->upper == piece.lower && last->window_lower == piece.window_lower &&
      last->window_upper == piece.window_upper) {
    last->upper = piece.upper;
    return n;
  }
  items[n] = piece;
  listing->out->has_windows |= piece.window_lower != 0 || piece.window_upper != listing->instance->size[b];
  return n + 1;
}

static uint32_t list_gaps(struct listing *listing, uint32_t b) {
  struct berth_pieces pieces = berth_pieces_of(listing->instance, b);
  struct berth_piece piece;
  uint32_t n = 0;
  while (berth_pieces_next(&pieces, &piece)) {
    n = add(listing, b, n, piece);
  }
  return n;
}

static void sort_by_window(struct listing *listing, uint32_t b, uint32_t n) {
  const struct berth_piece *from = listing->instance->pieces + listing->instance->piece_begin[b];
  for (uint32_t k = 0; k < n; k++) {
    listing->items[k] = (struct berth_sort_item){.key = from[k].window_lower, .index = k};
  }
  berth_sort_items(listing->items, listing->scratch, n);
  for (uint32_t k = 0; k < n; k++) {
    listing->pieces[k] = from[listing->items[k].index];
  }
}

/* Between two borders nothing begins or ends. */
static uint32_t
list_between(struct listing *listing, uint32_t b, uint32_t n, uint32_t lower, uint32_t upper) {
  struct berth_piece hull = {.lower = lower, .upper = upper};
  for (uint32_t k = 0; k < n_listed(listing->instance, b); k++) {
    const struct berth_piece *piece = &listing->pieces[k];
    bool is_held =
        piece->lower <= lower && upper <= piece->upper && piece->window_lower < piece->window_upper;
    if (is_held && hull.window_upper == 0) {
      hull.window_lower = piece->window_lower;
      hull.window_upper = piece->window_upper;
    } else if (is_held) {
      listing->out->has_holes |= piece->window_lower > hull.window_upper;
      hull.window_upper = piece->window_upper > hull.window_upper ? piece->window_upper : hull.window_upper;
    }
  }
  return hull.window_upper > 0 ? add(listing, b, n, hull) : n;
}

static uint32_t list_pieces(struct listing *listing, uint32_t b) {
  uint32_t n_pieces = n_listed(listing->instance, b);
  sort_by_window(listing, b, n_pieces);
  for (uint32_t k = 0; k < n_pieces; k++) {
    listing->items[2 * k].key = listing->pieces[k].lower;
    listing->items[2 * k + 1].key = listing->pieces[k].upper;
  }
  berth_sort_items(listing->items, listing->scratch, 2 * (size_t)n_pieces);
  uint32_t n = 0;
  for (uint32_t k = 0; k + 1 < 2 * n_pieces; k++) {
    if (listing->items[k].key < listing->items[k + 1].key) {
      n = list_between(listing, b, n, (uint32_t)listing->items[k].key, (uint32_t)listing->items[k + 1].key);
    }
  }
  return n;
}

/* Room for all, and for the pieces of one; false in out_usable if they are too many. */
static bool make_room(struct listing *listing, struct berth_arena *arena, bool *out_usable) {
  const struct berth_packing_instance *in = listing->instance;
  uint64_t n_looks = 0, most = 0, total = 0;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    uint64_t n = n_listed(in, b);
    n_looks += n * n;
    most = n > most ? n : most;
    total += n > 0 ? 2 * n : 1 + 2 * (uint64_t)n_gaps(in, b);
  }
  *out_usable = n_looks <= MOST_LOOKS && total <= UINT32_MAX / 2;
  if (!*out_usable) {
    return true;
  }
  listing->out->begin = berth_arena_new(arena, uint32_t, (size_t)in->n_buffers + 1);
  listing->out->items = berth_arena_new(arena, struct berth_piece, total);
  listing->pieces = berth_arena_new(arena, struct berth_piece, most);
  listing->items = berth_arena_new(arena, struct berth_sort_item, 2 * most);
  listing->scratch = berth_arena_new(arena, struct berth_sort_item, 2 * most);
  return listing->out->begin && listing->out->items && listing->pieces && listing->items && listing->scratch;
}

enum berth_code berth_niche_list_stretches(
    const struct berth_packing_instance *instance, struct berth_arena *arena,
    struct berth_niche_stretches *out, bool *out_usable) {
  *out = (struct berth_niche_stretches){0};
  struct listing listing = {.instance = instance, .out = out};
  if (!make_room(&listing, arena, out_usable)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t b = 0; *out_usable && b < instance->n_buffers; b++) {
    if (b == 0) {
      out->begin[0] = 0;
    }
    uint32_t n = berth_pieces_listed(instance, b) ? list_pieces(&listing, b) : list_gaps(&listing, b);
    out->begin[b + 1] = out->begin[b] + n;
    if (b % POLL_BUFFERS == 0 && !berth_effort_poll(arena->effort)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
  }
  return BERTH_OK;
}
