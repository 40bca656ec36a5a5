#include "base/arena.h"
#include "berth/report.h"
#include "report/items.h"

/* The bytes of the values in a list; `seen` is `mark` for those that were counted already. */
static uint64_t sum_values(
    const struct berth_graph *graph, const uint32_t *list, uint32_t begin, uint32_t end, uint32_t *seen,
    uint32_t mark) {
  uint64_t sum = 0;
  for (uint32_t i = begin; i < end; i++) {
    if (seen[list[i]] != mark) {
      seen[list[i]] = mark;
      sum += graph->value_size_bytes[list[i]];
    }
  }
  return sum;
}

/* The operator k runs at step k. */
static void put_live(
    struct berth_operator_row *rows, uint32_t n_rows, const struct berth_timeline_point *points,
    uint32_t n_points) {
  uint32_t next = 0;
  uint64_t live = 0;
  for (uint32_t op = 0; op < n_rows; op++) {
    while (next < n_points && points[next].step <= (int64_t)op) {
      live = points[next++].live_bytes;
    }
    rows[op].live_bytes = live;
  }
}

static enum berth_code fill_rows(
    const struct berth_problem *problem, struct berth_operator_row *rows, struct berth_arena *arena,
    const struct berth_allocator *allocator, struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const uint64_t *sizes = berth_problem_buffers(problem)->size_bytes;
  uint32_t *seen_in = berth_arena_new_zeroed(arena, uint32_t, graph->n_values);
  uint32_t *seen_out = berth_arena_new_zeroed(arena, uint32_t, graph->n_values);
  if (seen_in == NULL || seen_out == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t workspace = graph->operator_workspace[op];
    rows[op] = (struct berth_operator_row){
        .workspace_bytes = workspace != BERTH_NO_INDEX ? sizes[workspace] : 0,
        .input_bytes = sum_values(
            graph, graph->inputs, graph->input_begin[op], graph->input_begin[op + 1], seen_in, op + 1),
        .output_bytes = sum_values(
            graph, graph->outputs, graph->output_begin[op], graph->output_begin[op + 1], seen_out, op + 1)};
  }
  struct berth_timeline_point *points;
  uint32_t n_points;
  enum berth_code code =
      berth_report_timeline(problem, NULL, BERTH_NO_INDEX, allocator, &points, &n_points, err);
  if (code == BERTH_OK) {
    put_live(rows, graph->n_operators, points, n_points);
    berth_report_free(allocator, points);
  }
  return code;
}

enum berth_code berth_report_operators(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_operator_row **out_rows, uint32_t *out_n_rows, struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  *out_rows = NULL;
  *out_n_rows = 0;
  if (graph == NULL) {
    return BERTH_OK;
  }
  struct berth_operator_row *rows = berth_report_items(allocator, graph->n_operators, sizeof *rows);
  if (rows == NULL) {
    return berth_fail_memory(err);
  }
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  enum berth_code code = fill_rows(problem, rows, &arena, allocator, err);
  berth_arena_finish(&arena);
  if (code != BERTH_OK) {
    berth_report_free(allocator, rows);
    return code;
  }
  *out_rows = rows;
  *out_n_rows = graph->n_operators;
  return BERTH_OK;
}
