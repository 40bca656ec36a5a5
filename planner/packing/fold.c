#include "packing/fold.h"

#include <string.h>

#include "base/order.h"
#include "packing/excess.h"
#include "packing/pieces.h"

struct fold {
  const struct berth_packing_instance *members;
  const struct berth_buffers *buffers;
  const uint32_t *ids; /* of each member */
  struct berth_arena *arena;
  struct berth_packing_instance *out;
  uint32_t n_items;
  uint32_t *item_of;
  uint32_t *lead_member; /* of each item */
  uint32_t *lead;        /* the same, in terms of the problem */
  uint32_t *order;       /* members item by item, of one by distance */
  uint32_t *order_begin; /* of each item, and the end */
  uint32_t *n_pairs;     /* of each item: pairs that are steps */
  uint32_t *upper;       /* of each item */
};

static uint32_t group_of(const struct fold *fold, uint32_t member) {
  return fold->buffers->rigid.group[fold->ids[member]];
}

static bool is_group(const struct fold *fold, uint32_t item) {
  return group_of(fold, fold->lead_member[item]) != BERTH_NO_INDEX;
}

static bool number_items(struct fold *fold) {
  uint32_t n = fold->members->n_buffers;
  uint32_t *item_at = berth_arena_new(fold->arena, uint32_t, fold->buffers->rigid.n);
  fold->item_of = berth_arena_new(fold->arena, uint32_t, n);
  fold->lead_member = berth_arena_new(fold->arena, uint32_t, n);
  fold->lead = berth_arena_new(fold->arena, uint32_t, n);
  fold->n_pairs = berth_arena_new_zeroed(fold->arena, uint32_t, n);
  if (item_at == NULL || fold->item_of == NULL || fold->lead_member == NULL || fold->lead == NULL ||
      fold->n_pairs == NULL) {
    return false;
  }
  memset(item_at, 0xff, fold->buffers->rigid.n * sizeof *item_at);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t group = group_of(fold, k);
    bool is_new = group == BERTH_NO_INDEX || item_at[group] == BERTH_NO_INDEX;
    fold->item_of[k] = is_new ? fold->n_items : item_at[group];
    if (group != BERTH_NO_INDEX) {
      item_at[group] = fold->item_of[k];
    }
    if (is_new) {
      fold->lead_member[fold->n_items] = k;
      fold->lead[fold->n_items++] = fold->ids[k];
    }
  }
  return true;
}

/* In canonical order where distances are equal. */
static bool order_members(struct fold *fold) {
  uint32_t n = fold->members->n_buffers;
  fold->order = berth_arena_new(fold->arena, uint32_t, n);
  fold->order_begin = berth_arena_new_zeroed(fold->arena, uint32_t, (size_t)fold->n_items + 1);
  uint64_t *key = berth_arena_new(fold->arena, uint64_t, n);
  if (fold->order == NULL || fold->order_begin == NULL || key == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    key[k] = fold->buffers->rigid.distance[fold->ids[k]];
    fold->order_begin[fold->item_of[k] + 1]++;
  }
  for (uint32_t item = 0; item < fold->n_items; item++) {
    fold->order_begin[item + 1] += fold->order_begin[item];
  }
  berth_order_identity(n, fold->order);
  if (!berth_order_by_key(fold->arena, n, key, fold->order)) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    key[k] = fold->item_of[k];
  }
  return berth_order_by_key(fold->arena, n, key, fold->order);
}

static bool make_columns(struct fold *fold) {
  const struct berth_packing_instance *members = fold->members;
  const struct berth_rigid *rigid = &fold->buffers->rigid;
  uint32_t *lower = berth_arena_new(fold->arena, uint32_t, fold->n_items);
  uint32_t *upper = berth_arena_new(fold->arena, uint32_t, fold->n_items);
  uint64_t *size = berth_arena_new(fold->arena, uint64_t, fold->n_items);
  uint64_t *alignment = berth_arena_new(fold->arena, uint64_t, fold->n_items);
  uint64_t *pin = members->pin != NULL ? berth_arena_new(fold->arena, uint64_t, fold->n_items) : NULL;
  if (lower == NULL || upper == NULL || size == NULL || alignment == NULL ||
      (members->pin != NULL && pin == NULL)) {
    return false;
  }
  for (uint32_t k = 0; k < members->n_buffers; k++) {
    uint32_t item = fold->item_of[k];
    uint32_t group = group_of(fold, k);
    bool first = fold->lead_member[item] == k;
    bool grouped = group != BERTH_NO_INDEX;
    lower[item] = first || members->lower[k] < lower[item] ? members->lower[k] : lower[item];
    upper[item] = first || members->upper[k] > upper[item] ? members->upper[k] : upper[item];
    size[item] = grouped ? rigid->span_bytes[group] : members->size[k];
    alignment[item] = grouped ? rigid->alignment[group] : members->alignment[k];
    if (pin != NULL) {
      bool pinned = members->pin[k] != BERTH_UNPINNED;
      pin[item] = pinned ? members->pin[k] - rigid->distance[fold->ids[k]] : BERTH_UNPINNED;
    }
  }
  fold->upper = upper;
  fold->out->lower = lower;
  fold->out->upper = upper;
  fold->out->size = size;
  fold->out->alignment = alignment;
  fold->out->pin = pin;
  return true;
}

/* Pairs between those without groups stay pairs; the others become steps. */
static bool sort_out_pairs(struct fold *fold) {
  const struct berth_packing_instance *members = fold->members;
  uint32_t(*pairs)[2] = berth_arena_take(fold->arena, members->n_conflicts, sizeof *pairs);
  uint32_t n_kept = 0;
  uint32_t n_steps = 0;
  for (uint32_t c = 0; pairs != NULL && c < members->n_conflicts; c++) {
    uint32_t a = fold->item_of[members->conflicts[c][0]];
    uint32_t b = fold->item_of[members->conflicts[c][1]];
    if (!is_group(fold, a) && !is_group(fold, b)) {
      pairs[n_kept][0] = a;
      pairs[n_kept++][1] = b;
    } else if (a != b) {
      fold->n_pairs[a]++;
      fold->n_pairs[b]++;
      n_steps++;
    }
  }
  fold->out->n_conflicts = n_kept;
  fold->out->conflicts = (const uint32_t(*)[2])pairs;
  fold->out->n_steps = members->n_steps + n_steps;
  return pairs != NULL && n_steps <= UINT32_MAX / 2 - members->n_steps;
}

/* A group of which no member ever holds a byte has no pieces to say so. */
static bool holds_nothing(const struct fold *fold, uint32_t item) {
  bool nothing = is_group(fold, item) && fold->n_pairs[item] == 0;
  for (uint32_t m = fold->order_begin[item]; m < fold->order_begin[item + 1] && nothing; m++) {
    struct berth_pieces pieces = berth_pieces_of(fold->members, fold->order[m]);
    struct berth_piece piece;
    nothing = !berth_pieces_next(&pieces, &piece);
  }
  return nothing;
}

/* Those without a group keep their gaps, and an empty group gets one. */
static bool copy_gaps(struct fold *fold) {
  const struct berth_packing_instance *members = fold->members;
  if (members->gap_begin == NULL) {
    return true;
  }
  uint32_t *begin = berth_arena_new(fold->arena, uint32_t, (size_t)fold->n_items + 1);
  struct berth_piece *gaps = berth_arena_new(
      fold->arena, struct berth_piece, (size_t)members->gap_begin[members->n_buffers] + fold->n_items);
  if (begin == NULL || gaps == NULL) {
    return false;
  }
  uint32_t n = 0;
  for (uint32_t item = 0; item < fold->n_items; item++) {
    begin[item] = n;
    uint32_t k = fold->lead_member[item];
    for (uint32_t g = members->gap_begin[k]; !is_group(fold, item) && g < members->gap_begin[k + 1]; g++) {
      gaps[n++] = members->gaps[g];
    }
    if (holds_nothing(fold, item)) {
      gaps[n++] = (struct berth_piece){.lower = fold->out->lower[item], .upper = fold->out->upper[item]};
    }
  }
  begin[fold->n_items] = n;
  fold->out->gap_begin = n > 0 ? begin : NULL;
  fold->out->gaps = gaps;
  return true;
}

/* ---- Pieces ---- */

/* Goes on where the last one ends: as long, and with nothing between them. */
static bool goes_on(const struct berth_piece *last, const struct berth_piece *piece) {
  return last->lower == piece->lower && last->upper == piece->upper &&
         piece->window_lower >= last->window_lower && piece->window_lower <= last->window_upper;
}

/* The pieces of member k after the n that its item has so far. */
static uint32_t append(const struct fold *fold, uint32_t k, struct berth_piece *pieces, uint32_t n) {
  uint64_t distance = fold->buffers->rigid.distance[fold->ids[k]];
  struct berth_pieces of_member = berth_pieces_of(fold->members, k);
  struct berth_piece piece;
  while (berth_pieces_next(&of_member, &piece)) {
    piece.window_lower += distance;
    piece.window_upper += distance;
    if (n > 0 && goes_on(&pieces[n - 1], &piece)) {
      uint64_t upper = pieces[n - 1].window_upper;
      pieces[n - 1].window_upper = piece.window_upper > upper ? piece.window_upper : upper;
    } else {
      pieces[n++] = piece;
    }
  }
  return n;
}

static uint32_t append_item(const struct fold *fold, uint32_t item, struct berth_piece *pieces) {
  uint32_t n = 0;
  for (uint32_t m = fold->order_begin[item]; m < fold->order_begin[item + 1]; m++) {
    n = append(fold, fold->order[m], pieces, n);
  }
  return n;
}

static size_t most_pieces(const struct fold *fold) {
  const struct berth_packing_instance *members = fold->members;
  size_t n = members->n_buffers +
             (members->gap_begin != NULL ? 2 * (size_t)members->gap_begin[members->n_buffers] : 0) +
             (members->piece_begin != NULL ? members->piece_begin[members->n_buffers] : 0);
  for (uint32_t item = 0; item < fold->n_items; item++) {
    n += fold->n_pairs[item];
  }
  return n;
}

static void write_pairs(struct fold *fold, struct berth_piece *pieces, uint32_t *cursor) {
  const struct berth_packing_instance *members = fold->members;
  uint32_t step = members->n_steps;
  for (uint32_t c = 0; c < members->n_conflicts; c++) {
    uint32_t items[2] = {fold->item_of[members->conflicts[c][0]], fold->item_of[members->conflicts[c][1]]};
    if (items[0] == items[1] || (!is_group(fold, items[0]) && !is_group(fold, items[1]))) {
      continue;
    }
    for (int side = 0; side < 2; side++) {
      uint32_t k = members->conflicts[c][side];
      uint64_t distance = fold->buffers->rigid.distance[fold->ids[k]];
      pieces[cursor[items[side]]++] =
          (struct berth_piece){step, step + 1, distance, distance + members->size[k]};
      fold->upper[items[side]] = step + 1;
    }
    step++;
  }
}

static bool make_pieces(struct fold *fold) {
  struct berth_packing_instance *out = fold->out;
  size_t most = most_pieces(fold);
  uint32_t *begin = berth_arena_new(fold->arena, uint32_t, (size_t)fold->n_items + 1);
  uint32_t *cursor = berth_arena_new(fold->arena, uint32_t, fold->n_items);
  struct berth_piece *pieces = berth_arena_new(fold->arena, struct berth_piece, most);
  if (most > UINT32_MAX || begin == NULL || cursor == NULL || pieces == NULL) {
    return false;
  }
  uint32_t n = 0;
  for (uint32_t item = 0; item < fold->n_items; item++) {
    begin[item] = n;
    bool is_listed = berth_pieces_listed(fold->members, fold->lead_member[item]);
    if ((!is_group(fold, item) && fold->n_pairs[item] == 0 && !is_listed) || holds_nothing(fold, item)) {
      continue;
    }
    uint32_t n_own = append_item(fold, item, pieces + n);
    const struct berth_piece *first = &pieces[n];
    bool is_plain = n_own == 1 && fold->n_pairs[item] == 0 && first->window_lower == 0 &&
                    first->window_upper == out->size[item] && first->lower == out->lower[item] &&
                    first->upper == out->upper[item];
    cursor[item] = n + n_own;
    n = is_plain ? n : n + n_own + fold->n_pairs[item];
  }
  begin[fold->n_items] = n;
  write_pairs(fold, pieces, cursor);
  out->piece_begin = n > 0 ? begin : NULL;
  out->pieces = pieces;
  return true;
}

/* ---- Where pairs are too many to be listed ---- */

/* From before all members of an item to after them all. */
static bool make_hulls(struct fold *fold) {
  const struct berth_precedence *order = &fold->members->order;
  size_t n_clocks = order->n_clocks;
  uint32_t *lower = berth_arena_new(fold->arena, uint32_t, fold->n_items * n_clocks);
  uint32_t *upper = berth_arena_new(fold->arena, uint32_t, fold->n_items * n_clocks);
  struct berth_chains *chains = berth_arena_new(fold->arena, struct berth_chains, 1);
  if (lower == NULL || upper == NULL || chains == NULL) {
    return false;
  }
  const struct berth_packing_slices *slices = fold->members->slices;
  for (uint32_t p = 0; p < order->n; p++) {
    uint32_t k = slices != NULL ? slices->buffer[p] : p;
    size_t to = fold->item_of[k] * n_clocks;
    bool first = fold->lead_member[fold->item_of[k]] == k && (slices == NULL || slices->begin[k] == p);
    for (size_t c = 0; c < n_clocks; c++) {
      uint32_t begin = order->lower[p * n_clocks + c];
      uint32_t end = order->upper[p * n_clocks + c];
      lower[to + c] = first || begin < lower[to + c] ? begin : lower[to + c];
      upper[to + c] = first || end > upper[to + c] ? end : upper[to + c];
    }
  }
  fold->out->order = (struct berth_precedence){
      .n = fold->n_items, .n_clocks = order->n_clocks, .lower = lower, .upper = upper};
  fold->out->chains = chains;
  bool is_usable;
  return berth_chains_make(chains, &fold->out->order, fold->arena, &is_usable) && is_usable;
}

static bool map_pairs(struct fold *fold) {
  const struct berth_packing_instance *members = fold->members;
  size_t n = members->n_conflicts;
  uint32_t(*pairs)[2] = berth_arena_take(fold->arena, n, sizeof *pairs);
  struct berth_sort_item *items = berth_arena_new(fold->arena, struct berth_sort_item, 2 * n);
  if (pairs == NULL || items == NULL) {
    return false;
  }
  for (size_t c = 0; c < n; c++) {
    uint32_t a = fold->item_of[members->conflicts[c][0]];
    uint32_t b = fold->item_of[members->conflicts[c][1]];
    items[c].key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
  }
  berth_sort_items(items, items + n, n);
  uint32_t n_kept = 0;
  for (size_t c = 0; c < n; c++) {
    bool new = (c == 0 || items[c].key != items[c - 1].key) && items[c].key >> 32 != (uint32_t)items[c].key;
    if (new) {
      pairs[n_kept][0] = (uint32_t)(items[c].key >> 32);
      pairs[n_kept++][1] = (uint32_t)items[c].key;
    }
  }
  fold->out->n_conflicts = n_kept;
  fold->out->conflicts = (const uint32_t(*)[2])pairs;
  return true;
}

enum berth_code berth_packing_fold(
    const struct berth_packing_instance *members, const struct berth_buffers *buffers,
    const uint32_t *member_ids, struct berth_arena *arena, struct berth_packing_instance *out,
    uint32_t **out_item_of, uint32_t **out_lead, bool *out_is_exact) {
  struct fold fold = {.members = members, .buffers = buffers, .ids = member_ids, .arena = arena, .out = out};
  *out = (struct berth_packing_instance){
      .n_steps = members->n_steps, .pins_may_meet = members->pins_may_meet, .capacity = members->capacity};
  *out_is_exact = members->chains == NULL;
  bool ok = number_items(&fold);
  out->n_buffers = fold.n_items;
  ok = ok && order_members(&fold) && make_columns(&fold);
  if (members->chains != NULL) { /* nor are there gaps */
    ok = ok && make_hulls(&fold) && map_pairs(&fold);
  } else {
    ok = ok && sort_out_pairs(&fold) && copy_gaps(&fold) && make_pieces(&fold) &&
         (out->piece_begin == NULL || berth_packing_find_excess(out, NULL, 0, arena));
  }
  *out_item_of = fold.item_of;
  *out_lead = fold.lead;
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
