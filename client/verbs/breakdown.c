#include "verbs/breakdown.h"

#include <stdlib.h>
#include <string.h>

static int compare_rows(const void *a, const void *b) {
  const struct berthctl_breakdown_row *x = a;
  const struct berthctl_breakdown_row *y = b;
  if (x->bytes != y->bytes) {
    return x->bytes > y->bytes ? -1 : 1;
  }
  return (x->op > y->op) - (x->op < y->op);
}

/* The first operator that writes a value in the buffer, or whose workspace it is. */
static void find_producers(const struct berth_graph *graph, uint32_t n_buffers, uint32_t *producer) {
  for (uint32_t i = 0; i < n_buffers; i++) {
    producer[i] = BERTH_NO_INDEX;
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t workspace = graph->operator_workspace[op];
    if (workspace != BERTH_NO_INDEX) {
      producer[workspace] = op;
    }
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      uint32_t buffer = graph->value_buffer[graph->outputs[i]];
      if (buffer != BERTH_NO_INDEX && producer[buffer] == BERTH_NO_INDEX) {
        producer[buffer] = op;
      }
    }
  }
}

/* sums[n_operators] is what no operator made. */
static void list_rows(struct berthctl_breakdown *breakdown, const uint64_t *sums, uint32_t n_operators) {
  for (uint32_t op = 0; op <= n_operators; op++) {
    if (sums[op] != 0) {
      breakdown->rows[breakdown->n_rows++] =
          (struct berthctl_breakdown_row){.op = op == n_operators ? BERTH_NO_INDEX : op, .bytes = sums[op]};
    }
  }
  qsort(breakdown->rows, breakdown->n_rows, sizeof *breakdown->rows, compare_rows);
}

static enum berth_code sum_operators(
    const struct berth_problem *problem, const struct berth_contribution *items, uint32_t n_items,
    struct berthctl_breakdown *breakdown, struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint32_t n_buffers = berth_problem_buffers(problem)->n;
  size_t n_sums = (size_t)graph->n_operators + 1;
  uint64_t *sums = calloc(n_sums, sizeof *sums);
  breakdown->producer = malloc((n_buffers + (size_t)1) * sizeof *breakdown->producer);
  breakdown->rows = malloc(n_sums * sizeof *breakdown->rows);
  if (sums == NULL || breakdown->producer == NULL || breakdown->rows == NULL) {
    free(sums);
    return berth_fail_memory(err);
  }
  find_producers(graph, n_buffers, breakdown->producer);
  for (uint32_t i = 0; i < n_items; i++) {
    uint32_t op = breakdown->producer[items[i].buffer];
    sums[op != BERTH_NO_INDEX ? op : graph->n_operators] += items[i].live_bytes;
  }
  list_rows(breakdown, sums, graph->n_operators);
  free(sums);
  return BERTH_OK;
}

enum berth_code berthctl_breakdown_make(
    const struct berth_problem *problem, const struct berth_contribution *items, uint32_t n_items,
    struct berthctl_breakdown *out_breakdown, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  *out_breakdown = (struct berthctl_breakdown){.n_rows = 0};
  for (uint32_t i = 0; i < n_items; i++) {
    out_breakdown->class_bytes[buffers->class_[items[i].buffer]] += items[i].live_bytes;
  }
  return berth_problem_graph(problem) == NULL ? BERTH_OK
                                              : sum_operators(problem, items, n_items, out_breakdown, err);
}

void berthctl_breakdown_finish(struct berthctl_breakdown *breakdown) {
  free(breakdown->producer);
  free(breakdown->rows);
  *breakdown = (struct berthctl_breakdown){.n_rows = 0};
}
