#include "base/arena.h"
#include "base/sort.h"
#include "berth/report.h"
#include "report/items.h"

enum berth_code berth_report_producers(
    const struct berth_problem *problem, const struct berth_allocator *allocator, uint32_t **out_producers,
    struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint32_t n = berth_problem_buffers(problem)->n;
  *out_producers = NULL;
  if (graph == NULL) {
    return BERTH_OK;
  }
  uint32_t *producers = berth_report_items(allocator, n, sizeof *producers);
  if (producers == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    producers[i] = BERTH_NO_INDEX;
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t workspace = graph->operator_workspace[op];
    if (workspace != BERTH_NO_INDEX) {
      producers[workspace] = op;
    }
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      uint32_t buffer = graph->value_buffer[graph->outputs[i]];
      if (buffer != BERTH_NO_INDEX && producers[buffer] == BERTH_NO_INDEX) {
        producers[buffer] = op;
      }
    }
  }
  *out_producers = producers;
  return BERTH_OK;
}

/* sums[n_operators] is what no operator made. Largest first: the key is what is missing to the greatest
 * number.
 */
static enum berth_code list_makers(
    const uint64_t *sums, uint32_t n_operators, struct berth_arena *arena,
    const struct berth_allocator *allocator, struct berth_breakdown *out, struct berth_error *err) {
  struct berth_sort_item *order = berth_arena_new(arena, struct berth_sort_item, (size_t)n_operators + 1);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, (size_t)n_operators + 1);
  if (order == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  uint32_t n = 0;
  for (uint32_t op = 0; op <= n_operators; op++) {
    if (sums[op] != 0) {
      order[n++] = (struct berth_sort_item){.key = UINT64_MAX - sums[op], .index = op};
    }
  }
  berth_sort_items(order, scratch, n);
  out->makers = berth_report_items(allocator, n, sizeof *out->makers);
  if (out->makers == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t k = 0; k < n; k++) {
    uint32_t op = order[k].index;
    out->makers[k] = (struct berth_maker){.op = op == n_operators ? BERTH_NO_INDEX : op, .bytes = sums[op]};
  }
  out->n_makers = n;
  return BERTH_OK;
}

static enum berth_code sum_makers(
    const struct berth_problem *problem, const struct berth_contribution *items, uint32_t n_items,
    const struct berth_allocator *allocator, struct berth_breakdown *out, struct berth_error *err) {
  uint32_t n_operators = berth_problem_graph(problem)->n_operators;
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  uint32_t *producers = NULL;
  uint64_t *sums = berth_arena_new_zeroed(&arena, uint64_t, (size_t)n_operators + 1);
  enum berth_code code =
      sums != NULL ? berth_report_producers(problem, allocator, &producers, err) : berth_fail_memory(err);
  if (code == BERTH_OK) {
    for (uint32_t i = 0; i < n_items; i++) {
      uint32_t op = producers[items[i].buffer];
      sums[op != BERTH_NO_INDEX ? op : n_operators] += items[i].live_bytes;
    }
    code = list_makers(sums, n_operators, &arena, allocator, out, err);
  }
  berth_report_free(allocator, producers);
  berth_arena_finish(&arena);
  return code;
}

enum berth_code berth_report_breakdown(
    const struct berth_problem *problem, const struct berth_contribution *items, uint32_t n_items,
    const struct berth_allocator *allocator, struct berth_breakdown *out_breakdown, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  *out_breakdown = (struct berth_breakdown){.n_makers = 0};
  for (uint32_t i = 0; i < n_items; i++) {
    out_breakdown->class_bytes[buffers->class_[items[i].buffer]] += items[i].live_bytes;
  }
  return berth_problem_graph(problem) == NULL
             ? BERTH_OK
             : sum_makers(problem, items, n_items, allocator, out_breakdown, err);
}
