#include "verify/order.h"

#include <string.h>

static uint32_t *row(uint32_t *columns, const struct berth_verify_order *order, uint32_t i) {
  return columns + (size_t)i * order->n_streams;
}

/* All that has run when `op` has. */
static void learn(const struct berth_verify_order *order, uint32_t *ran, uint32_t op) {
  const uint32_t *before = row(order->ran, order, op);
  for (uint32_t s = 0; s < order->n_streams; s++) {
    ran[s] = before[s] > ran[s] ? before[s] : ran[s];
  }
  uint32_t stream = order->graph->operator_stream[op];
  ran[stream] = order->position[op] > ran[stream] ? order->position[op] : ran[stream];
}

enum berth_code berth_verify_order_make(
    struct berth_verify_order *order, const struct berth_graph *graph, struct berth_arena *arena,
    struct berth_error *err) {
  uint32_t n_streams = 0;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    n_streams = graph->operator_stream[op] >= n_streams ? graph->operator_stream[op] + 1 : n_streams;
  }
  *order = (struct berth_verify_order){
      .graph = graph,
      .n_streams = n_streams,
      .position = berth_arena_new(arena, uint32_t, graph->n_operators),
      .ran = berth_arena_new_zeroed(arena, uint32_t, (size_t)graph->n_operators * n_streams)};
  uint32_t *newest = berth_arena_new_zeroed(arena, uint32_t, n_streams); /* operator + 1 of each stream */
  if (order->position == NULL || order->ran == NULL || newest == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t stream = graph->operator_stream[op];
    uint32_t *ran = row(order->ran, order, op);
    order->position[op] = 1;
    if (newest[stream] != 0) {
      learn(order, ran, newest[stream] - 1);
      order->position[op] = order->position[newest[stream] - 1] + 1;
    }
    for (uint32_t k = graph->wait_begin[op]; k < graph->wait_begin[op + 1]; k++) {
      if (graph->waits[k] >= op) {
        return berth_fail(
            err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, op, NULL, "operator %u waits for a later one", op);
      }
      learn(order, ran, graph->waits[k]);
    }
    newest[stream] = op + 1;
  }
  return BERTH_OK;
}

bool berth_verify_runs_before(const struct berth_verify_order *order, uint32_t first, uint32_t second) {
  return row(order->ran, order, second)[order->graph->operator_stream[first]] >= order->position[first];
}

/* ---- Buffers ---- */

static void touch(struct berth_verify_order *order, uint32_t buffer, uint32_t op) {
  if (buffer == BERTH_NO_INDEX) {
    return;
  }
  uint32_t *last = row(order->last, order, buffer);
  uint32_t *sure = row(order->sure, order, buffer);
  const uint32_t *ran = row(order->ran, order, op);
  uint32_t stream = order->graph->operator_stream[op];
  last[stream] = order->position[op] > last[stream] ? order->position[op] : last[stream];
  for (uint32_t s = 0; s < order->n_streams; s++) {
    sure[s] = ran[s] < sure[s] ? ran[s] : sure[s];
  }
}

static void
touch_list(struct berth_verify_order *order, const uint32_t *begin, const uint32_t *values, uint32_t op) {
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    touch(order, order->graph->value_buffer[values[k]], op);
  }
}

/* The outside touches what it gives before, and what it keeps after, everything. */
static void touch_from_outside(struct berth_verify_order *order, const struct berth_verify_roots *roots) {
  const struct berth_graph *graph = order->graph;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    if (berth_verify_root(graph, v) != v || buffer == BERTH_NO_INDEX) {
      continue;
    }
    if (roots->given[v]) {
      memset(row(order->sure, order, buffer), 0, order->n_streams * sizeof(uint32_t));
    }
    if (roots->kept[v]) {
      memset(row(order->last, order, buffer), 0xff, order->n_streams * sizeof(uint32_t));
    }
  }
}

enum berth_code berth_verify_order_buffers(
    struct berth_verify_order *order, const struct berth_verify_roots *roots, uint32_t n_buffers,
    struct berth_arena *arena, struct berth_error *err) {
  const struct berth_graph *graph = order->graph;
  size_t n = (size_t)n_buffers * order->n_streams;
  order->last = berth_arena_new_zeroed(arena, uint32_t, n);
  order->sure = berth_arena_new(arena, uint32_t, n);
  if (order->last == NULL || order->sure == NULL) {
    return berth_fail_memory(err);
  }
  memset(order->sure, 0xff, n * sizeof(uint32_t));
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_list(order, graph->input_begin, graph->inputs, op);
    touch_list(order, graph->output_begin, graph->outputs, op);
    touch(order, graph->operator_workspace[op], op);
  }
  touch_from_outside(order, roots);
  return BERTH_OK;
}

bool berth_verify_may_follow(const struct berth_verify_order *order, uint32_t earlier, uint32_t later) {
  const uint32_t *last = row(order->last, order, earlier);
  const uint32_t *sure = row(order->sure, order, later);
  for (uint32_t s = 0; s < order->n_streams; s++) {
    if (last[s] > sure[s]) {
      return false;
    }
  }
  return true;
}
