#include "liveness/inplace.h"

#include "liveness/liveness.h"
#include "liveness/regions.h"

static void note_list(
    struct berth_inplace_result *result, const struct berth_graph *graph, const struct berth_clocks *clocks,
    uint32_t op, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    berth_accesses_touch(&result->accesses, clocks, berth_liveness_root(graph, values[i]), op);
  }
}

static bool note_accesses(
    struct berth_inplace_result *result, struct berth_arena *arena, const struct berth_graph *graph,
    const struct berth_clocks *clocks) {
  result->n_names = berth_arena_new_zeroed(arena, uint32_t, graph->n_values);
  if (result->n_names == NULL || !berth_accesses_init(&result->accesses, arena, clocks, graph->n_values)) {
    return false;
  }
  for (uint32_t value = 0; value < graph->n_values; value++) {
    result->n_names[berth_liveness_root(graph, value)]++;
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    note_list(result, graph, clocks, op, graph->input_begin, graph->inputs);
    note_list(result, graph, clocks, op, graph->output_begin, graph->outputs);
  }
  return true;
}

bool berth_inplace_result_init(
    struct berth_inplace_result *result, struct berth_arena *arena, const struct berth_graph *graph,
    const struct berth_clocks *clocks) {
  uint32_t n = graph->n_values;
  *result = (struct berth_inplace_result){
      .storage = berth_arena_new(arena, uint32_t, n),
      .offset = berth_arena_new_zeroed(arena, uint64_t, n),
      .taken = berth_arena_new_zeroed(arena, bool, n),
      .last_op = berth_arena_new_zeroed(arena, uint32_t, n),
      .n_touches = berth_arena_new(arena, uint32_t, n),
  };
  if (result->storage == NULL || result->offset == NULL || result->taken == NULL || result->last_op == NULL ||
      result->n_touches == NULL) {
    return false;
  }
  for (uint32_t value = 0; value < n; value++) {
    result->storage[value] = berth_liveness_root(graph, value);
    result->offset[value] = graph->value_view_offset != NULL ? graph->value_view_offset[value] : 0;
  }
  return clocks == NULL || note_accesses(result, arena, graph, clocks);
}

/* ---- How often the operator's lists touch each root ---- */

static void count_list(
    const struct berth_graph *graph, struct berth_inplace_result *result, uint32_t op, const uint32_t *begin,
    const uint32_t *values) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t root = berth_liveness_root(graph, values[i]);
    if (result->last_op[root] != op + 1) {
      result->last_op[root] = op + 1;
      result->n_touches[root] = 0;
    }
    result->n_touches[root]++;
  }
}

static void count_touches(const struct berth_graph *graph, struct berth_inplace_result *result, uint32_t op) {
  count_list(graph, result, op, graph->input_begin, graph->inputs);
  count_list(graph, result, op, graph->output_begin, graph->outputs);
}

/* ---- Judgement ---- */

static bool is_pinned(const struct berth_inplace_input *input, uint32_t value) {
  return value < input->n_pins && input->pin[value] != BERTH_UNPINNED;
}

static bool same_pools(const struct berth_inplace_input *input, uint32_t a, uint32_t b) {
  if (input->pool_begin == NULL) {
    return true;
  }
  const uint32_t *list_a = input->pools + input->pool_begin[a];
  const uint32_t *list_b = input->pools + input->pool_begin[b];
  uint32_t n = input->pool_begin[a + 1] - input->pool_begin[a];
  if (n != input->pool_begin[b + 1] - input->pool_begin[b]) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (list_a[i] != list_b[i]) {
      return false;
    }
  }
  return true;
}

static bool is_foreign(const struct berth_graph *graph, uint32_t root) {
  return (graph->value_flags[root] & BERTH_VALUE_EXTERNAL) != 0;
}

/* With streams: everyone else is done with the operand, and nobody else writes the result. */
static bool is_ordered(
    const struct berth_inplace_input *input, const struct berth_inplace_result *result,
    const struct berth_permission *permission) {
  if (input->clocks == NULL) {
    return true;
  }
  uint32_t operand = berth_liveness_root(input->graph, permission->operand);
  bool accumulated = (input->graph->value_flags[permission->result] & BERTH_VALUE_ACCUMULATED) != 0;
  return !accumulated && result->n_names[permission->result] == 1 &&
         berth_accesses_within(
             berth_accesses_last(&result->accesses, operand), berth_clock_of(input->clocks, permission->op),
             input->clocks->n_streams);
}

/* What the graph says, whatever was settled before. */
static enum berth_inplace_answer judge_graph(
    const struct berth_inplace_input *input, const struct berth_inplace_result *result,
    const struct berth_permission *permission) {
  const struct berth_graph *graph = input->graph;
  uint32_t operand = berth_liveness_root(graph, permission->operand);
  uint32_t root = berth_liveness_root(graph, permission->result);
  bool donated = (graph->value_flags[operand] & BERTH_VALUE_DONATED) != 0;
  if ((is_foreign(graph, operand) && !donated) || is_foreign(graph, root)) {
    return BERTH_INPLACE_FOREIGN;
  }
  if ((input->family[operand] & (BERTH_FAMILY_KEPT | BERTH_FAMILY_CONSTANT)) != 0) {
    return BERTH_INPLACE_KEPT;
  }
  bool next_trip = input->innermost != NULL &&
                   berth_regions_go_round(
                       graph, input->innermost, permission->op, input->lower[operand], input->upper[operand]);
  if (next_trip || input->upper[operand] != (int64_t)permission->op + 1) {
    return BERTH_INPLACE_READ_LATER;
  }
  if (result->n_touches[operand] != 1 || (root == permission->result && result->n_touches[root] != 1)) {
    return BERTH_INPLACE_SAME_ROOT; /* that entry has no permission to be written before the operand is read
                                     */
  }
  if (root != permission->result || input->lower[root] != (int64_t)permission->op ||
      (input->family[root] & BERTH_FAMILY_GIVEN) != 0) {
    return BERTH_INPLACE_NOT_NEW;
  }
  if (!is_ordered(input, result, permission)) {
    return BERTH_INPLACE_NOT_ORDERED;
  }
  if (graph->value_size_bytes[root] > graph->value_size_bytes[permission->operand]) {
    return BERTH_INPLACE_TOO_LARGE;
  }
  return BERTH_INPLACE_USED;
}

/* What pins, pools and other permissions say. */
static enum berth_inplace_answer judge_place(
    const struct berth_inplace_input *input, const struct berth_inplace_result *result,
    const struct berth_permission *permission) {
  uint32_t operand = berth_liveness_root(input->graph, permission->operand);
  uint32_t storage = result->storage[operand];
  uint64_t alignment = input->graph->value_alignment[permission->result];
  uint64_t offset = result->offset[permission->operand];
  if (result->storage[permission->result] != permission->result) {
    return BERTH_INPLACE_RESULT_PLACED;
  }
  if (result->taken[operand]) {
    return BERTH_INPLACE_OPERAND_TAKEN;
  }
  if (is_pinned(input, storage) || is_pinned(input, permission->result)) {
    return BERTH_INPLACE_PINNED;
  }
  if (!is_foreign(input->graph, storage) && !same_pools(input, storage, permission->result)) {
    return BERTH_INPLACE_POOLS;
  }
  bool too_lax = is_foreign(input->graph, storage) && alignment > input->graph->value_alignment[storage];
  return too_lax || (offset & (alignment - 1)) != 0 ? BERTH_INPLACE_MISALIGNED : BERTH_INPLACE_USED;
}

/* A view lies where its root does, wherever that is now. */
static uint64_t
offset_of(const struct berth_graph *graph, const struct berth_inplace_result *result, uint32_t value) {
  uint32_t root = berth_liveness_root(graph, value);
  return root == value ? result->offset[value] : result->offset[root] + graph->value_view_offset[value];
}

void berth_inplace_settle(
    const struct berth_inplace_input *input, struct berth_permission *permissions, uint32_t n,
    struct berth_inplace_result *result) {
  const struct berth_graph *graph = input->graph;
  for (uint32_t i = 0; i < n; i++) {
    struct berth_permission *permission = &permissions[i];
    uint32_t operand = berth_liveness_root(graph, permission->operand);
    if (i == 0 || permissions[i - 1].op != permission->op) {
      count_touches(graph, result, permission->op);
    }
    result->offset[permission->operand] = offset_of(graph, result, permission->operand);
    permission->answer = judge_graph(input, result, permission);
    if (permission->answer == BERTH_INPLACE_USED) {
      permission->answer = judge_place(input, result, permission);
    }
    if (permission->answer == BERTH_INPLACE_USED) {
      result->storage[permission->result] = result->storage[operand];
      result->offset[permission->result] = result->offset[permission->operand];
      result->taken[operand] = true;
    }
  }
  for (uint32_t value = 0; value < graph->n_values; value++) {
    result->offset[value] = offset_of(graph, result, value);
    result->storage[value] = result->storage[berth_liveness_root(graph, value)];
  }
}
