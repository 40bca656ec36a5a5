/* Reports about a problem and its plan: what makes the peak, and the bytes live over time. */
#ifndef BERTH_REPORT_H
#define BERTH_REPORT_H

#include "berth/plan.h"
#include "berth/problem.h"

/* Live bytes are piecewise constant: `live_bytes` holds from `step` to the next entry's step. */
struct berth_timeline_point {
  int64_t step;
  uint64_t live_bytes;
};

/* The timeline of one pool (BERTH_NO_INDEX: of all buffers). *out_points is owned by the caller and freed
 * with berth_report_free. Ends with a point of 0 live bytes. */
enum berth_code berth_report_timeline(
    const struct berth_problem *problem, const struct berth_plan *plan, uint32_t pool,
    const struct berth_allocator *allocator, struct berth_timeline_point **out_points, uint32_t *out_n_points,
    struct berth_error *err) BERTH_MUST_USE;

struct berth_contribution {
  uint32_t buffer;
  uint64_t live_bytes; /* at the peak step; they sum to the peak exactly */
};

/* Who is live at `step`, largest first (ties by index). */
enum berth_code berth_report_contributions(
    const struct berth_problem *problem, int64_t step, const struct berth_allocator *allocator,
    struct berth_contribution **out_items, uint32_t *out_n_items, struct berth_error *err) BERTH_MUST_USE;

void berth_report_free(const struct berth_allocator *allocator, void *items);

#endif
