#include "packing/board.h"

#include <string.h>

#include "base/checked.h"
#include "base/effort.h"
#include "base/order.h"
#include "berth/problem.h"
#include "packing/pieces.h"

/* Of the nodes that make up a lifetime, and of those above them: two a level. */
enum { FIRST_SIZE_CLASS = 1, MAX_NODES = 2 * 32, MAX_ENTRIES = 2 * MAX_NODES + 1 };

/* One set in the union that a buffer must avoid. */
struct entry {
  const struct berth_board_range *ranges;
  uint32_t n;
  uint32_t at; /* every range before it ends at or below the window */
};

/* The buffer at offset p takes the bytes [p + window_lower, p + window_upper). */
struct search {
  uint64_t window_lower;
  uint64_t window_upper;
  uint32_t n;
  struct entry entries[MAX_ENTRIES];
};

static bool init_sets(struct berth_board *board) {
  size_t n = 2 * (size_t)board->n_leaves;
  board->touch = berth_arena_new_zeroed(board->arena, struct berth_board_set, n);
  board->full = berth_arena_new_zeroed(board->arena, struct berth_board_set, board->n_leaves);
  return board->touch != NULL && board->full != NULL;
}

static bool init_partners(struct berth_board *board) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < board->instance->n_buffers; i++) {
    most = berth_pairs_n(board->pairs, i) > most ? berth_pairs_n(board->pairs, i) : most;
  }
  board->partner_items = berth_arena_new(board->arena, struct berth_sort_item, 2 * (size_t)most);
  board->partner_ranges = berth_arena_new(board->arena, struct berth_board_range, most);
  return board->partner_items != NULL && board->partner_ranges != NULL;
}

static bool init_pinned(struct berth_board *board) {
  const struct berth_packing_instance *instance = board->instance;
  if (instance->pin == NULL) {
    return true;
  }
  board->pinned = berth_arena_new(board->arena, uint32_t, instance->n_buffers);
  if (board->pinned == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (instance->pin[i] != BERTH_UNPINNED) {
      board->pinned[board->n_pinned++] = i;
    }
  }
  return berth_order_by_key(board->arena, board->n_pinned, instance->pin, board->pinned);
}

/* The least alignment, as long as all that is placed begins on it: windows inside a buffer do not. */
static uint64_t find_grain(const struct berth_packing_instance *instance) {
  if (instance->gap_begin != NULL || instance->piece_begin != NULL || instance->n_buffers == 0) {
    return 1;
  }
  uint64_t grain = instance->alignment[0];
  for (uint32_t i = 1; i < instance->n_buffers; i++) {
    grain = instance->alignment[i] < grain ? instance->alignment[i] : grain;
  }
  return grain;
}

bool berth_board_init(
    struct berth_board *board, const struct berth_packing_instance *instance, const struct berth_pairs *pairs,
    struct berth_arena *arena) {
  *board = (struct berth_board){.instance = instance, .arena = arena, .pairs = pairs, .n_leaves = 1};
  board->grain = find_grain(instance);
  uint32_t n_steps = instance->chains != NULL ? 2 * instance->chains->n : instance->n_steps;
  while (board->n_leaves < n_steps) {
    board->n_leaves *= 2;
  }
  board->offset = berth_arena_new(arena, uint64_t, instance->n_buffers);
  if (board->offset == NULL || !init_sets(board) || !init_partners(board) || !init_pinned(board)) {
    return false;
  }
  memset(board->offset, 0xff, instance->n_buffers * sizeof *board->offset);
  return true;
}

void berth_board_clear(struct berth_board *board) {
  for (size_t k = 0; k < 2 * (size_t)board->n_leaves; k++) {
    board->touch[k].n = 0;
  }
  for (size_t k = 0; k < board->n_leaves; k++) {
    board->full[k].n = 0;
  }
  memset(board->offset, 0xff, board->instance->n_buffers * sizeof *board->offset);
  board->top = 0;
}

/* ---- Sets of ranges ---- */

/* The first range from `at` on that ends above `bytes`. */
static uint32_t skip_to(const struct berth_board_range *ranges, uint32_t at, uint32_t n, uint64_t bytes) {
  uint32_t stride = 1;
  uint32_t high = at;
  while (high < n && ranges[high].end <= bytes) {
    at = high + 1;
    high += stride;
    stride *= 2;
  }
  high = high < n ? high : n;
  while (at < high) {
    uint32_t middle = at + (high - at) / 2;
    if (ranges[middle].end <= bytes) {
      at = middle + 1;
    } else {
      high = middle;
    }
  }
  return at;
}

static bool grow(struct berth_board *board, struct berth_board_set *set) {
  uint32_t size_class = set->ranges != NULL ? set->size_class + 1 : FIRST_SIZE_CLASS;
  struct berth_board_range *ranges = board->unused[size_class];
  if (ranges != NULL) {
    memcpy(&board->unused[size_class], ranges, sizeof(void *)); /* an unused block holds the next one */
  } else {
    ranges = berth_arena_new(board->arena, struct berth_board_range, (size_t)1 << size_class);
    if (ranges == NULL) {
      return false;
    }
  }
  if (set->ranges != NULL) {
    memcpy(ranges, set->ranges, set->n * sizeof *ranges);
    memcpy(set->ranges, &board->unused[set->size_class], sizeof(void *));
    board->unused[set->size_class] = set->ranges;
  }
  set->ranges = ranges;
  set->size_class = size_class;
  return true;
}

static bool
add_range(struct berth_board *board, struct berth_board_set *set, struct berth_board_range range) {
  board->n_visited++;
  uint32_t first = 0; /* the ranges [first, last) merge with the new one */
  uint32_t high = set->n;
  while (first < high) {
    uint32_t middle = first + (high - first) / 2;
    if (set->ranges[middle].end < range.begin) {
      first = middle + 1;
    } else {
      high = middle;
    }
  }
  uint32_t last = first;
  while (last < set->n && set->ranges[last].begin <= range.end) {
    range.begin = set->ranges[last].begin < range.begin ? set->ranges[last].begin : range.begin;
    range.end = set->ranges[last].end > range.end ? set->ranges[last].end : range.end;
    last++;
  }
  if (first == last) {
    if ((set->ranges == NULL || set->n == UINT32_C(1) << set->size_class) && !grow(board, set)) {
      return false;
    }
    memmove(&set->ranges[first + 1], &set->ranges[first], (set->n - first) * sizeof *set->ranges);
    set->n++;
  } else if (last > first + 1) {
    memmove(&set->ranges[first + 1], &set->ranges[last], (set->n - last) * sizeof *set->ranges);
    set->n -= last - first - 1;
  }
  set->ranges[first] = range;
  return true;
}

/* ---- The tree ---- */

/* The nodes that make up [lower, upper), and those above them. */
struct cover {
  uint32_t n_slices;
  uint32_t n_above;
  uint32_t slices[MAX_NODES];
  uint32_t above[MAX_NODES];
};

static bool
is_covered(const struct berth_board *board, uint32_t node, unsigned height, struct berth_piece piece) {
  uint64_t begin = ((uint64_t)node << height) - board->n_leaves;
  return piece.lower <= begin && begin + (UINT64_C(1) << height) <= piece.upper;
}

static void find_cover(const struct berth_board *board, struct berth_piece piece, struct cover *out) {
  out->n_slices = out->n_above = 0;
  uint32_t left = piece.lower + board->n_leaves;
  uint32_t right = piece.upper + board->n_leaves;
  for (; left < right; left /= 2, right /= 2) {
    if (left & 1) {
      out->slices[out->n_slices++] = left++;
    }
    if (right & 1) {
      out->slices[out->n_slices++] = --right;
    }
  }
  left = piece.lower + board->n_leaves;
  right = piece.upper - 1 + board->n_leaves;
  for (unsigned height = 0; left > 0; left /= 2, right /= 2, height++) {
    if (!is_covered(board, left, height, piece)) {
      out->above[out->n_above++] = left;
    }
    if (right != left && !is_covered(board, right, height, piece)) {
      out->above[out->n_above++] = right;
    }
  }
}

static bool place_piece(struct berth_board *board, struct berth_piece piece, uint64_t offset) {
  struct cover cover;
  find_cover(board, piece, &cover);
  struct berth_board_range range = {
      offset + piece.window_lower, berth_align_up(offset + piece.window_upper, board->grain)};
  bool ok = true;
  for (uint32_t k = 0; ok && k < cover.n_slices; k++) {
    uint32_t node = cover.slices[k];
    ok = add_range(board, &board->touch[node], range) &&
         (node >= board->n_leaves || add_range(board, &board->full[node], range));
  }
  for (uint32_t k = 0; ok && k < cover.n_above; k++) {
    ok = add_range(board, &board->touch[cover.above[k]], range);
  }
  return ok;
}

/* ---- The stretches of the tree that a buffer lies in, or that it must avoid ---- */

struct stretches {
  struct berth_pieces pieces;
  uint32_t slice; /* of the order: the buffer itself, if it has none */
  uint32_t slice_end;
  uint32_t chain; /* the next one, plus 1; 0: the slice's own place */
  bool places;
};

static struct stretches stretches_of(const struct berth_board *board, uint32_t i, bool places) {
  const struct berth_packing_slices *slices = board->instance->slices;
  return (struct stretches){
      .pieces = berth_pieces_of(board->instance, i),
      .slice = slices != NULL ? slices->begin[i] : i,
      .slice_end = slices != NULL ? slices->begin[i + 1] : i + 1,
      .places = places};
}

static bool
next_on_chains(struct stretches *stretches, const struct berth_chains *chains, struct berth_piece *out) {
  const struct berth_packing_slices *slices = stretches->pieces.instance->slices;
  for (; stretches->slice < stretches->slice_end; stretches->slice++, stretches->chain = 0) {
    uint32_t i = stretches->slice;
    *out = (struct berth_piece){
        .window_lower = slices != NULL ? slices->window_lower[i] : 0,
        .window_upper = slices != NULL ? slices->window_upper[i] : stretches->pieces.instance->size[i]};
    while (stretches->chain <= chains->n_chains) {
      size_t entry = (size_t)i * chains->n_chains + stretches->chain - 1;
      bool is_place = stretches->chain++ == 0;
      uint32_t half = is_place == stretches->places ? chains->n : 0;
      out->lower = half + (is_place ? chains->place[i] : chains->first_met[entry]);
      out->upper = half + (is_place ? chains->place[i] + 1 : chains->end_met[entry]);
      if (out->lower < out->upper) {
        return true;
      }
    }
  }
  return false;
}

static bool next_stretch(struct stretches *stretches, struct berth_piece *out) {
  const struct berth_chains *chains = stretches->pieces.instance->chains;
  return chains != NULL ? next_on_chains(stretches, chains, out) : berth_pieces_next(&stretches->pieces, out);
}

bool berth_board_place(struct berth_board *board, uint32_t i, uint64_t offset) {
  struct stretches stretches = stretches_of(board, i, true);
  struct berth_piece piece;
  while (next_stretch(&stretches, &piece)) {
    if (!place_piece(board, piece, offset)) {
      return false;
    }
  }
  board->offset[i] = offset;
  uint64_t end = offset + board->instance->size[i];
  board->top = end > board->top ? end : board->top;
  return true;
}

/* ---- Finding ---- */

static void add_entry(struct berth_board *board, const struct berth_board_set *set, struct search *search) {
  if (set->n > 0) {
    search->entries[search->n++] = (struct entry){.ranges = set->ranges, .n = set->n};
  }
  board->n_visited++;
}

static void add_sets(struct berth_board *board, struct berth_piece piece, struct search *search) {
  struct cover cover;
  find_cover(board, piece, &cover);
  for (uint32_t k = 0; k < cover.n_slices; k++) {
    add_entry(board, &board->touch[cover.slices[k]], search);
  }
  for (uint32_t k = 0; k < cover.n_above; k++) {
    if (cover.above[k] < board->n_leaves) {
      add_entry(board, &board->full[cover.above[k]], search);
    }
  }
}

/* The least aligned offset >= `offset` at which the window avoids every set; above `limit` it does not look.
 */
static uint64_t next_free(
    struct berth_board *board, struct search *search, uint64_t offset, uint64_t alignment, uint64_t limit) {
  uint32_t n_clear = 0;
  for (uint32_t e = 0; n_clear < search->n && offset <= limit; e = e + 1 < search->n ? e + 1 : 0) {
    struct entry *entry = &search->entries[e];
    n_clear++;
    for (;;) {
      entry->at = skip_to(entry->ranges, entry->at, entry->n, offset + search->window_lower);
      board->n_visited++;
      if (entry->at == entry->n || entry->ranges[entry->at].begin >= offset + search->window_upper) {
        break;
      }
      offset = berth_align_up(entry->ranges[entry->at].end - search->window_lower, alignment);
      n_clear = 1;
    }
  }
  return offset <= limit ? offset : BERTH_NO_PLACE;
}

static uint64_t tightest(
    struct berth_board *board, struct search *search, uint64_t size, uint64_t alignment, uint64_t limit) {
  uint64_t best = BERTH_NO_PLACE;
  uint64_t best_gap = UINT64_MAX;
  uint64_t begin = 0;
  search->window_lower = 0;
  search->window_upper = 1;
  for (;;) {
    begin = next_free(board, search, begin, 1, limit);
    if (begin == BERTH_NO_PLACE) {
      return best;
    }
    uint64_t end = UINT64_MAX;
    for (uint32_t e = 0; e < search->n; e++) {
      struct entry *entry = &search->entries[e];
      entry->at = skip_to(entry->ranges, entry->at, entry->n, begin);
      if (entry->at < entry->n && entry->ranges[entry->at].begin < end) {
        end = entry->ranges[entry->at].begin;
      }
    }
    board->n_visited += search->n;
    uint64_t offset = berth_align_up(begin, alignment);
    bool tighter = best == BERTH_NO_PLACE || end - begin < best_gap;
    if (tighter && offset <= limit && offset < end && size <= end - offset) {
      best = offset;
      best_gap = end - begin;
    }
    if (end == UINT64_MAX || best_gap == size) {
      return best;
    }
    begin = end;
  }
}

/* The bytes of the partners that are placed already, as one set. */
static struct berth_board_set partner_ranges(struct berth_board *board, uint32_t i) {
  struct berth_board_set set = {.ranges = board->partner_ranges};
  uint32_t n_placed = 0;
  board->n_visited += berth_pairs_n(board->pairs, i);
  for (uint32_t k = 0; k < berth_pairs_n(board->pairs, i); k++) {
    uint32_t other = board->pairs->other[board->pairs->begin[i] + k];
    if (board->offset[other] != BERTH_NO_PLACE) {
      board->partner_items[n_placed++] =
          (struct berth_sort_item){.key = board->offset[other], .index = other};
    }
  }
  if (n_placed == 0) {
    return set;
  }
  berth_sort_items(board->partner_items, &board->partner_items[n_placed], n_placed);
  board->n_visited += 8 * (uint64_t)n_placed; /* the sort's passes */
  for (uint32_t k = 0; k < n_placed; k++) {
    uint64_t begin = board->partner_items[k].key;
    uint64_t end = begin + board->instance->size[board->partner_items[k].index];
    if (set.n > 0 && begin <= set.ranges[set.n - 1].end) {
      struct berth_board_range *last = &set.ranges[set.n - 1];
      last->end = end > last->end ? end : last->end;
    } else {
      set.ranges[set.n++] = (struct berth_board_range){begin, end};
    }
  }
  return set;
}

bool berth_board_is_free(struct berth_board *board, uint32_t i, uint64_t offset) {
  struct berth_board_set partners = partner_ranges(board, i);
  struct search search = {.window_upper = board->instance->size[i]};
  add_entry(board, &partners, &search);
  bool is_free = next_free(board, &search, offset, 1, offset) == offset;
  struct stretches stretches = stretches_of(board, i, false);
  struct berth_piece piece;
  while (is_free && next_stretch(&stretches, &piece)) {
    search = (struct search){.window_lower = piece.window_lower, .window_upper = piece.window_upper};
    add_sets(board, piece, &search);
    is_free = next_free(board, &search, offset, 1, offset) == offset;
  }
  return is_free;
}

/* Several windows: each in turn moves the offset up until none has to. */
static uint64_t lowest_of_pieces(struct berth_board *board, uint32_t i, uint64_t limit) {
  struct berth_board_set partners = partner_ranges(board, i);
  uint64_t alignment = board->instance->alignment[i];
  uint64_t offset = 0;
  uint64_t before;
  uint64_t polled = board->n_visited;
  do {
    if (board->n_visited - polled > BERTH_EFFORT_POLL_TICKS) { /* many windows, and each may move it */
      polled = board->n_visited;
      if (!berth_effort_poll(board->arena->effort)) {
        return BERTH_NO_PLACE;
      }
    }
    before = offset;
    struct search search = {.window_upper = board->instance->size[i]};
    add_entry(board, &partners, &search);
    offset = next_free(board, &search, offset, alignment, limit);
    struct stretches stretches = stretches_of(board, i, false);
    struct berth_piece piece;
    while (offset != BERTH_NO_PLACE && next_stretch(&stretches, &piece)) {
      search = (struct search){.window_lower = piece.window_lower, .window_upper = piece.window_upper};
      add_sets(board, piece, &search);
      offset = next_free(board, &search, offset, alignment, limit);
    }
  } while (offset != before && offset != BERTH_NO_PLACE);
  return offset;
}

uint64_t berth_board_find(struct berth_board *board, uint32_t i, enum berth_board_fit fit, uint64_t limit) {
  const struct berth_packing_instance *instance = board->instance;
  if (berth_pieces_several(instance, i) || instance->chains != NULL) {
    return lowest_of_pieces(board, i, limit);
  }
  struct search search;
  search.n = 0;
  search.window_lower = 0;
  search.window_upper = instance->size[i];
  struct berth_board_set partners = {0};
  if (berth_pairs_n(board->pairs, i) > 0) {
    partners = partner_ranges(board, i);
    add_entry(board, &partners, &search);
  }
  add_sets(board, (struct berth_piece){.lower = instance->lower[i], .upper = instance->upper[i]}, &search);
  return fit == BERTH_BOARD_TIGHTEST
             ? tightest(board, &search, instance->size[i], instance->alignment[i], limit)
             : next_free(board, &search, 0, instance->alignment[i], limit);
}
