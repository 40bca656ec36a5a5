#include "berth/report.h"
#include "report/items.h"
#include "report/view.h"
#include "verify/live.h"

/* Spans at which the bytes live are the most. Writes them if there is somewhere to write them. */
static uint32_t find(
    const struct berth_verify_pieces *pieces, struct berth_verify_live *counted, uint64_t *most_bytes,
    struct berth_span *spans) {
  uint32_t n = 0;
  uint64_t live = 0;
  size_t n_turns = 2 * (size_t)pieces->n;
  for (size_t t = 0; t < n_turns; t++) {
    const struct berth_verify_piece *piece = &pieces->items[berth_verify_turn_piece(pieces->turns[t])];
    live = berth_verify_turn_ends(pieces->turns[t]) ? live - berth_verify_live_drop(counted, piece)
                                                    : live + berth_verify_live_put(counted, piece);
    bool last_of_step = t + 1 == n_turns || pieces->turns[t + 1].key != pieces->turns[t].key;
    if (!last_of_step || live == 0 || live < *most_bytes) {
      continue;
    }
    n = live > *most_bytes ? 0 : n;
    *most_bytes = live;
    if (spans != NULL) {
      spans[n] = (struct berth_span){
          berth_report_turn_step(pieces, t), berth_report_turn_step(pieces, t + 1)}; /* live: more follow */
    }
    n++;
  }
  return n;
}

enum berth_code berth_report_peaks(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_span **out_spans, uint32_t *out_n_spans, uint64_t *out_peak_bytes, struct berth_error *err) {
  struct berth_report_view view;
  enum berth_code code = berth_report_view_init(&view, problem, allocator, err);
  struct berth_verify_live live; /* nothing is, before and after a look */
  if (code == BERTH_OK) {
    code = berth_verify_live_init(&live, &view.facts, &view.pieces, &view.arena, err);
  }
  if (code == BERTH_OK) {
    *out_peak_bytes = 0;
    uint32_t n = find(&view.pieces, &live, out_peak_bytes, NULL);
    *out_spans = berth_report_items(allocator, n, sizeof **out_spans);
    *out_n_spans = n;
    if (*out_spans == NULL) {
      code = berth_fail_memory(err);
    } else {
      (void)find(&view.pieces, &live, out_peak_bytes, *out_spans);
    }
  }
  berth_report_view_finish(&view);
  return code;
}
