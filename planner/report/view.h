/* What every report looks at: the facts of a problem and the pieces that its lifetimes are cut into. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "verify/pieces.h"

struct berth_report_view {
  struct berth_arena arena;
  struct berth_verify_facts facts;
  struct berth_verify_pieces pieces;
};

/* Finish it whatever the outcome. */
enum berth_code berth_report_view_init(
    struct berth_report_view *view, const struct berth_problem *problem,
    const struct berth_allocator *allocator, struct berth_error *err) BERTH_MUST_USE;
void berth_report_view_finish(struct berth_report_view *view);

/* Where the turn lies in time. */
static inline int64_t berth_report_turn_step(const struct berth_verify_pieces *pieces, size_t turn) {
  const struct berth_verify_piece *piece = &pieces->items[berth_verify_turn_piece(pieces->turns[turn])];
  return berth_verify_turn_ends(pieces->turns[turn]) ? piece->upper : piece->lower;
}

#endif
