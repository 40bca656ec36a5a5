#include "base/sort.h"
#include "berth/report.h"
#include "report/items.h"
#include "report/view.h"
#include "verify/live.h"

/* Largest first (of one storage, the first has all that it holds, the next ones what they add): the key is
 * what is missing to the greatest number. Equal ones stay in the order of indices, which is that of the
 * pieces. */
static uint32_t list_live(
    const struct berth_verify_pieces *pieces, int64_t step, struct berth_verify_live *counted,
    struct berth_sort_item *live) {
  uint32_t n = 0;
  for (uint32_t p = 0; p < pieces->n; p++) {
    const struct berth_verify_piece *piece = &pieces->items[p];
    if (piece->lower <= step && step < piece->upper) {
      bool goes_on = n > 0 && live[n - 1].index == piece->buffer; /* another piece of it */
      uint64_t before = goes_on ? live[--n].key : UINT64_MAX;
      live[n++] = (struct berth_sort_item){
          .key = before - berth_verify_live_put(counted, piece), .index = piece->buffer};
    }
  }
  return n;
}

static enum berth_code list_items(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces, int64_t step,
    struct berth_arena *arena, const struct berth_allocator *allocator, struct berth_contribution **out_items,
    uint32_t *out_n_items, struct berth_error *err) {
  struct berth_sort_item *live = berth_arena_new(arena, struct berth_sort_item, pieces->n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, pieces->n);
  if (live == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  struct berth_verify_live counted;
  enum berth_code code = berth_verify_live_init(&counted, facts, pieces, arena, err);
  if (code != BERTH_OK) {
    return code;
  }
  uint32_t n = list_live(pieces, step, &counted, live);
  berth_sort_items(live, scratch, n);
  struct berth_contribution *items = berth_report_items(allocator, n, sizeof *items);
  if (items == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t k = 0; k < n; k++) {
    items[k] = (struct berth_contribution){.buffer = live[k].index, .live_bytes = UINT64_MAX - live[k].key};
  }
  *out_items = items;
  *out_n_items = n;
  return BERTH_OK;
}

enum berth_code berth_report_contributions(
    const struct berth_problem *problem, int64_t step, const struct berth_allocator *allocator,
    struct berth_contribution **out_items, uint32_t *out_n_items, struct berth_error *err) {
  struct berth_report_view view;
  enum berth_code code = berth_report_view_init(&view, problem, allocator, err);
  if (code == BERTH_OK) {
    code = list_items(&view.facts, &view.pieces, step, &view.arena, allocator, out_items, out_n_items, err);
  }
  berth_report_view_finish(&view);
  return code;
}
