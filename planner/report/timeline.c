#include "berth/report.h"
#include "report/items.h"
#include "report/view.h"
#include "verify/live.h"

struct plot {
  const struct berth_verify_pieces *pieces;
  struct berth_verify_live *live; /* nothing, before and after */
  const uint32_t *pool_of;        /* of each buffer; NULL: all count */
  uint32_t pool;
};

/* Writes the points if there is somewhere to write them; returns how many there are. A point is where the sum
 * is another than before. */
static uint32_t draw(const struct plot *plot, struct berth_timeline_point *points) {
  const struct berth_verify_pieces *pieces = plot->pieces;
  uint32_t n_points = 0;
  uint64_t live = 0;
  uint64_t shown = 0;
  for (size_t t = 0; t < 2 * (size_t)pieces->n; t++) {
    const struct berth_verify_piece *piece = &pieces->items[berth_verify_turn_piece(pieces->turns[t])];
    if (plot->pool_of == NULL || plot->pool_of[piece->buffer] == plot->pool) {
      live = berth_verify_turn_ends(pieces->turns[t]) ? live - berth_verify_live_drop(plot->live, piece)
                                                      : live + berth_verify_live_put(plot->live, piece);
    }
    bool last_of_step = t + 1 == 2 * (size_t)pieces->n || pieces->turns[t + 1].key != pieces->turns[t].key;
    if (last_of_step && live != shown) {
      if (points != NULL) {
        points[n_points] =
            (struct berth_timeline_point){.step = berth_report_turn_step(pieces, t), .live_bytes = live};
      }
      n_points++;
      shown = live;
    }
  }
  return n_points;
}

static enum berth_code list_points(
    const struct plot *plot, const struct berth_allocator *allocator,
    struct berth_timeline_point **out_points, uint32_t *out_n_points, struct berth_error *err) {
  uint32_t n_points = draw(plot, NULL);
  struct berth_timeline_point *points = berth_report_items(allocator, n_points, sizeof *points);
  if (points == NULL) {
    return berth_fail_memory(err);
  }
  draw(plot, points);
  *out_points = points;
  *out_n_points = n_points;
  return BERTH_OK;
}

enum berth_code berth_report_timeline(
    const struct berth_problem *problem, const struct berth_plan *plan, uint32_t pool,
    const struct berth_allocator *allocator, struct berth_timeline_point **out_points, uint32_t *out_n_points,
    struct berth_error *err) {
  if (pool != BERTH_NO_INDEX &&
      (pool >= berth_problem_pools(problem)->n || plan == NULL || plan->pool == NULL)) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, pool, "pool",
        "pool %u does not exist, or the plan places nothing", pool);
  }
  struct berth_report_view view;
  enum berth_code code = berth_report_view_init(&view, problem, allocator, err);
  struct berth_verify_live live;
  if (code == BERTH_OK) {
    code = berth_verify_live_init(&live, &view.facts, &view.pieces, &view.arena, err);
  }
  if (code == BERTH_OK) {
    const struct plot plot = {
        .pieces = &view.pieces,
        .live = &live,
        .pool_of = pool != BERTH_NO_INDEX ? plan->pool : NULL,
        .pool = pool};
    code = list_points(&plot, allocator, out_points, out_n_points, err);
  }
  berth_report_view_finish(&view);
  return code;
}

/* The last point ends the last stretch and stays. */
uint32_t berth_report_thin(struct berth_timeline_point *points, uint32_t n, uint32_t n_most) {
  n_most = n_most < 2 ? 2 : n_most;
  if (n <= n_most) {
    return n;
  }
  uint32_t n_stretches = n_most - 1;
  for (uint32_t k = 0; k < n_stretches; k++) {
    uint32_t begin = (uint32_t)((uint64_t)k * (n - 1) / n_stretches);
    uint32_t end = (uint32_t)((uint64_t)(k + 1) * (n - 1) / n_stretches);
    struct berth_timeline_point point = points[begin];
    for (uint32_t i = begin + 1; i < end; i++) {
      point.live_bytes = points[i].live_bytes > point.live_bytes ? points[i].live_bytes : point.live_bytes;
    }
    points[k] = point; /* k <= begin: what is overwritten was read */
  }
  points[n_stretches] = points[n - 1];
  return n_most;
}
