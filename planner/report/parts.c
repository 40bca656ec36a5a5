/* What each part of a composition has of a plan. */
#include "base/checked.h"
#include "berth/report.h"
#include "berth/together.h"
#include "report/items.h"

/* Where the part's buffers end: of each pool the highest, in `ends`. */
static uint64_t
arena_of(const struct berth_problem *problem, const struct berth_plan *plan, uint32_t part, uint64_t *ends) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  uint64_t sum = 0;
  for (uint32_t p = 0; p < plan->n_pools; p++) {
    ends[p] = 0;
  }
  for (uint32_t k = parts->buffer_begin[part]; k < parts->buffer_begin[part + 1]; k++) {
    uint32_t buffer = parts->buffer[k];
    uint32_t pool = plan->pool != NULL ? plan->pool[buffer] : 0;
    uint64_t end;
    if (buffers->size_bytes[buffer] != 0 && pool < plan->n_pools &&
        berth_add_u64(plan->offset[buffer], buffers->size_bytes[buffer], &end) && end > ends[pool]) {
      ends[pool] = end;
    }
  }
  for (uint32_t p = 0; p < plan->n_pools; p++) {
    sum = berth_add_sat_u64(sum, ends[p]);
  }
  return sum;
}

static enum berth_code fill(
    const struct berth_problem *problem, uint32_t part, const struct berth_allocator *allocator,
    struct berth_part_row *row, struct berth_error *err) {
  const struct berth_problem *own = berth_problem_composed(problem)->items[part].problem;
  const struct berth_buffers *buffers = berth_problem_buffers(own);
  struct berth_span *spans;
  uint32_t n_spans;
  *row = (struct berth_part_row){.n_buffers = buffers->n};
  for (uint32_t k = 0; k < buffers->n; k++) {
    row->naive_bytes += buffers->size_bytes[k];
  }
  enum berth_code code = berth_report_peaks(own, allocator, &spans, &n_spans, &row->peak_bytes, err);
  if (code == BERTH_OK) {
    berth_report_free(allocator, spans);
  }
  return code;
}

enum berth_code berth_report_parts(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_part_row **out_rows, uint32_t *out_n_rows,
    struct berth_error *err) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  bool is_placed = plan != NULL && plan->offset != NULL;
  *out_rows = NULL;
  *out_n_rows = 0;
  if (parts == NULL) {
    return BERTH_OK;
  }
  struct berth_part_row *rows = berth_report_items(allocator, parts->n, sizeof *rows);
  uint64_t *ends = berth_report_items(allocator, is_placed ? plan->n_pools : 0, sizeof *ends);
  enum berth_code code = rows != NULL && ends != NULL ? BERTH_OK : berth_fail_memory(err);
  for (uint32_t p = 0; p < parts->n && code == BERTH_OK; p++) {
    code = fill(problem, p, allocator, &rows[p], err);
    rows[p].arena_bytes = code == BERTH_OK && is_placed ? arena_of(problem, plan, p, ends) : 0;
  }
  berth_report_free(allocator, ends);
  if (code != BERTH_OK) {
    berth_report_free(allocator, rows);
    return code;
  }
  *out_rows = rows;
  *out_n_rows = parts->n;
  return BERTH_OK;
}
