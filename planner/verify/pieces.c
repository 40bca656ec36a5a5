#include "verify/pieces.h"

#include "verify/slices.h"

struct cutter {
  const struct berth_verify_facts *facts;
  struct berth_verify_piece *items;
  size_t n;
};

static void
add(struct cutter *cutter, uint32_t buffer, int64_t lower, int64_t upper, uint64_t from, uint64_t to) {
  if (lower < upper && from < to) {
    cutter->items[cutter->n++] = (struct berth_verify_piece){
        .lower = lower, .upper = upper, .window_lower = from, .window_upper = to, .buffer = buffer};
  }
}

/* `order` lists the buffer's gaps by their first step. */
static void
cut_buffer(struct cutter *cutter, uint32_t buffer, const struct berth_sort_item *order, size_t n_gaps) {
  const struct berth_verify_facts *facts = cutter->facts;
  uint64_t size = facts->size[buffer];
  int64_t from = facts->lower[buffer];
  for (size_t k = 0; k < n_gaps; k++) {
    const struct berth_gap *gap = &facts->gaps[order[k].index];
    add(cutter, buffer, from, gap->lower, 0, size);
    add(cutter, buffer, gap->lower, gap->upper, gap->window_lower,
        gap->window_upper < size ? gap->window_upper : size);
    from = gap->upper;
  }
  add(cutter, buffer, from, facts->upper[buffer], 0, size);
}

static enum berth_code
cut_all(struct cutter *cutter, struct berth_arena *arena, size_t n_gaps, struct berth_error *err) {
  const struct berth_verify_facts *facts = cutter->facts;
  struct berth_sort_item *order = berth_arena_new(arena, struct berth_sort_item, n_gaps);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, n_gaps);
  if (order == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    for (uint32_t k = 0; k < berth_verify_n_slices(facts->slices, i); k++) {
      const struct berth_slice *slice = &facts->slices->items[facts->slices->begin[i] + k];
      add(cutter, i, slice->lower, slice->upper, slice->window_lower, slice->window_upper);
    }
    if (berth_verify_n_slices(facts->slices, i) != 0) {
      continue;
    }
    uint32_t begin = facts->gap_begin != NULL ? facts->gap_begin[i] : 0;
    uint32_t end = facts->gap_begin != NULL ? facts->gap_begin[i + 1] : 0;
    for (uint32_t g = begin; g < end; g++) {
      order[g - begin] =
          (struct berth_sort_item){.key = berth_sort_key_i64(facts->gaps[g].lower), .index = g};
    }
    berth_sort_items(order, scratch, end - begin);
    cut_buffer(cutter, i, order, end - begin);
  }
  return BERTH_OK;
}

/* Ends are entered before beginnings, and the sort is stable: so they stay before them at each step. */
static enum berth_code
order_turns(struct berth_verify_pieces *pieces, struct berth_arena *arena, struct berth_error *err) {
  size_t n = pieces->n;
  struct berth_sort_item *turns = berth_arena_new(arena, struct berth_sort_item, 2 * n);
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, 2 * n);
  if (turns == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t p = 0; p < n; p++) {
    turns[p] =
        (struct berth_sort_item){.key = berth_sort_key_i64(pieces->items[p].upper), .index = 2 * p + 1};
    turns[n + p] =
        (struct berth_sort_item){.key = berth_sort_key_i64(pieces->items[p].lower), .index = 2 * p};
  }
  berth_sort_items(turns, scratch, 2 * n);
  berth_arena_rewind(arena, mark);
  pieces->turns = turns;
  return BERTH_OK;
}

enum berth_code berth_verify_cut(
    struct berth_verify_pieces *pieces, const struct berth_verify_facts *facts, struct berth_arena *arena,
    struct berth_error *err) {
  size_t n_gaps = facts->gap_begin != NULL ? facts->gap_begin[facts->n] : 0;
  size_t n_slices = facts->slices != NULL ? facts->slices->n : 0;
  size_t most = facts->n + n_slices + 2 * n_gaps; /* a gap ends one piece, is one, and begins one */
  if (most > UINT32_MAX / 2) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "gaps",
        "%zu lifetimes and gaps are more than can be verified", most);
  }
  struct cutter cutter = {.facts = facts, .items = berth_arena_new(arena, struct berth_verify_piece, most)};
  if (cutter.items == NULL) {
    return berth_fail_memory(err);
  }
  enum berth_code code = cut_all(&cutter, arena, n_gaps, err);
  if (code != BERTH_OK) {
    return code;
  }
  *pieces = (struct berth_verify_pieces){.n = (uint32_t)cutter.n, .items = cutter.items};
  return order_turns(pieces, arena, err);
}
