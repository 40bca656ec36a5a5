#include "report/view.h"

enum berth_code berth_report_view_init(
    struct berth_report_view *view, const struct berth_problem *problem,
    const struct berth_allocator *allocator, struct berth_error *err) {
  berth_arena_init(&view->arena, allocator);
  enum berth_code code =
      berth_verify_gather(&view->facts, problem, (struct berth_verify_added){.n = 0}, &view->arena, err);
  return code == BERTH_OK ? berth_verify_cut(&view->pieces, &view->facts, &view->arena, err) : code;
}

void berth_report_view_finish(struct berth_report_view *view) {
  berth_arena_finish(&view->arena);
}
