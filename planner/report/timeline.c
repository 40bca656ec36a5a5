#include "berth/report.h"
#include "report/items.h"
#include "verify/pieces.h"

struct plot {
  const struct berth_verify_pieces *pieces;
  const uint32_t *pool_of; /* of each buffer; NULL: all count */
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
      uint64_t n_bytes = piece->window_upper - piece->window_lower;
      live = berth_verify_turn_ends(pieces->turns[t]) ? live - n_bytes : live + n_bytes;
    }
    bool last_of_step = t + 1 == 2 * (size_t)pieces->n || pieces->turns[t + 1].key != pieces->turns[t].key;
    if (last_of_step && live != shown) {
      if (points != NULL) {
        bool ends = berth_verify_turn_ends(pieces->turns[t]);
        points[n_points] =
            (struct berth_timeline_point){.step = ends ? piece->upper : piece->lower, .live_bytes = live};
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
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  struct berth_verify_facts facts;
  struct berth_verify_pieces pieces;
  enum berth_code code = berth_verify_gather(&facts, problem, &arena, err);
  if (code == BERTH_OK) {
    code = berth_verify_cut(&pieces, &facts, &arena, err);
  }
  if (code == BERTH_OK) {
    const struct plot plot = {
        .pieces = &pieces, .pool_of = pool != BERTH_NO_INDEX ? plan->pool : NULL, .pool = pool};
    code = list_points(&plot, allocator, out_points, out_n_points, err);
  }
  berth_arena_finish(&arena);
  return code;
}
