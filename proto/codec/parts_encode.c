/* What each part of a composition has of a plan. */
#include <string.h>

#include "berth/report.h"
#include "berth/together.h"
#include "codec/parts.h"

static bool
put_graph(const struct berth_problem *part, struct berth_codec_scratch *scratch, Berth__V1__PartResult *out) {
  const struct berth_graph *graph = berth_problem_graph(part);
  if (graph == NULL) {
    return true;
  }
  const struct berth_permissions *permissions = berth_problem_permissions(part);
  out->n_value_buffer = graph->n_values;
  out->value_buffer = UNCONST(uint32_t, graph->value_buffer);
  out->n_value_offset = graph->value_offset != NULL ? graph->n_values : 0;
  out->value_offset = UNCONST(uint64_t, graph->value_offset);
  out->inplace_answer = berth_codec_scratch_take(scratch, permissions->n, sizeof *out->inplace_answer);
  for (uint32_t i = 0; out->inplace_answer != NULL && i < permissions->n; i++) {
    out->inplace_answer[i] = (uint32_t)permissions->items[i].answer + 1;
  }
  out->n_inplace_answer = permissions->n;
  return out->inplace_answer != NULL;
}

static bool put_part(
    const struct berth_composed *parts, uint32_t p, const struct berth_part_row *row,
    struct berth_codec_scratch *scratch, Berth__V1__PartResult *out) {
  const struct berth_named_problem *part = &parts->items[p];
  char *name = berth_codec_scratch_take(scratch, (size_t)part->name.size + 1, 1);
  berth__v1__part_result__init(out);
  if (name == NULL) {
    return false;
  }
  memcpy(name, part->name.data, part->name.size);
  name[part->name.size] = '\0';
  out->name = name;
  out->arena_bytes = row->arena_bytes;
  out->peak_bytes = row->peak_bytes;
  out->naive_bytes = row->naive_bytes;
  out->n_buffer = parts->buffer_begin[p + 1] - parts->buffer_begin[p];
  out->buffer = UNCONST(uint32_t, parts->buffer + parts->buffer_begin[p]);
  return put_graph(part->problem, scratch, out);
}

bool berth_codec_put_parts(
    const struct berth_problem *problem, const struct berth_plan *plan, struct berth_codec_scratch *scratch,
    Berth__V1__Plan *out) {
  const struct berth_composed *parts = problem != NULL ? berth_problem_composed(problem) : NULL;
  struct berth_part_row *rows;
  uint32_t n_rows;
  if (parts == NULL) {
    return true;
  }
  if (berth_report_parts(problem, plan, scratch->allocator, &rows, &n_rows, NULL) != BERTH_OK) {
    return false;
  }
  Berth__V1__PartResult *messages = berth_codec_scratch_take(scratch, n_rows, sizeof *messages);
  out->parts = berth_codec_scratch_take(scratch, n_rows, sizeof *out->parts);
  bool done = messages != NULL && out->parts != NULL;
  for (uint32_t p = 0; p < n_rows && done; p++) {
    done = put_part(parts, p, &rows[p], scratch, &messages[p]);
    out->parts[p] = &messages[p];
  }
  out->n_parts = done ? n_rows : 0;
  berth_report_free(scratch->allocator, rows);
  return done;
}
