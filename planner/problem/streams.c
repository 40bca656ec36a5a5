/* Streams: which buffers must not share though their lifetimes, by the order of addition, lie apart. That
 * order is one of those that the partial order allows, so buffers of which all accesses are ordered never
 * overlap in it; what is missing are the pairs that lie apart in it by chance. For each buffer they are among
 * those touched by the operators that come before it in the list and need not have run: the unsynchronised
 * ends of the streams. */
#include <string.h>

#include "liveness/clocks.h"
#include "problem/builder.h"

struct search {
  struct berth_problem_builder *builder;
  const struct berth_graph *graph;
  struct berth_clocks clocks;
  struct berth_accesses accesses; /* of buffers */
  uint32_t *seen;                 /* by buffer: the last buffer + 1 that was paired with it */
  uint64_t n_steps;
};

static void touch_list(struct search *search, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t buffer = search->graph->value_buffer[values[i]];
    if (buffer != BERTH_NO_INDEX) {
      berth_accesses_touch(&search->accesses, &search->clocks, buffer, op);
    }
  }
}

static void touch_all(struct search *search) {
  const struct berth_graph *graph = search->graph;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_list(search, op, graph->input_begin, graph->inputs);
    touch_list(search, op, graph->output_begin, graph->outputs);
    if (graph->operator_workspace[op] != BERTH_NO_INDEX) {
      berth_accesses_touch(&search->accesses, &search->clocks, graph->operator_workspace[op], op);
    }
  }
}

static enum berth_code pair(struct search *search, uint32_t early, uint32_t late) {
  struct berth_problem_builder *builder = search->builder;
  struct berth_problem *problem = builder->problem;
  const struct berth_rows *rows = &problem->rows;
  search->n_steps++;
  if (early == BERTH_NO_INDEX || search->seen[early] == late + 1 ||
      rows->upper.items[early] > rows->lower.items[late] || rows->size.items[early] == 0) {
    return BERTH_OK;
  }
  search->seen[early] = late + 1;
  if (problem->conflicts.n >= BERTH_MAX_STREAM_CONFLICTS) {
    return berth_fail(
        &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
        "operator.stream", "streams are so loosely ordered that more than %u pairs of buffers must not share",
        BERTH_MAX_STREAM_CONFLICTS);
  }
  if (!berth_vec_reserve(&builder->allocator, &problem->conflicts, problem->conflicts.n + 1)) {
    return berth_fail_memory(&builder->error);
  }
  uint32_t *entry = problem->conflicts.items[problem->conflicts.n++];
  entry[0] = early < late ? early : late;
  entry[1] = early < late ? late : early;
  return BERTH_OK;
}

static enum berth_code pair_with_operator(struct search *search, uint32_t op, uint32_t late) {
  const struct berth_graph *graph = search->graph;
  enum berth_code code = pair(search, graph->operator_workspace[op], late);
  for (uint32_t i = graph->input_begin[op]; i < graph->input_begin[op + 1] && code == BERTH_OK; i++) {
    code = pair(search, graph->value_buffer[graph->inputs[i]], late);
  }
  for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1] && code == BERTH_OK; i++) {
    code = pair(search, graph->value_buffer[graph->outputs[i]], late);
  }
  return code;
}

/* Operators before the buffer's first step that need not have run when it is first touched. */
static enum berth_code pair_buffer(struct search *search, uint32_t late) {
  const struct berth_rows *rows = &search->builder->problem->rows;
  const struct berth_clocks *clocks = &search->clocks;
  const uint32_t *known = berth_accesses_known(&search->accesses, late);
  enum berth_code code = BERTH_OK;
  for (uint32_t s = 0; s < clocks->n_streams && rows->size.items[late] != 0; s++) {
    if (known[s] == UINT32_MAX) { /* nobody touches it */
      return BERTH_OK;
    }
    for (uint32_t k = clocks->begin[s] + known[s]; k < clocks->begin[s + 1] && code == BERTH_OK; k++) {
      uint32_t op = clocks->line[k];
      if ((int64_t)op >= rows->lower.items[late]) {
        break;
      }
      code = pair_with_operator(search, op, late);
    }
    if (code == BERTH_OK && search->n_steps > BERTH_MAX_STREAM_STEPS) {
      code = berth_fail(
          &search->builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
          "operator.stream", "streams are too loosely ordered for their number of operators");
    }
  }
  return code;
}

enum berth_code
berth_builder_find_stream_conflicts(struct berth_problem_builder *builder, const struct berth_graph *graph) {
  uint32_t n_streams = berth_clocks_n_streams(graph);
  if (n_streams == 1) {
    return BERTH_OK;
  }
  struct berth_arena arena;
  berth_arena_init(&arena, &builder->allocator);
  struct search search = {.builder = builder, .graph = graph};
  uint32_t n = (uint32_t)builder->problem->rows.size.n;
  search.seen = berth_arena_new_zeroed(&arena, uint32_t, n);
  enum berth_code code = BERTH_OK;
  if (search.seen == NULL || !berth_clocks_make(&search.clocks, &arena, graph, n_streams) ||
      !berth_accesses_init(&search.accesses, &arena, &search.clocks, n)) {
    code = berth_fail_memory(&builder->error);
  } else {
    touch_all(&search);
  }
  for (uint32_t late = 0; late < n && code == BERTH_OK; late++) {
    code = pair_buffer(&search, late);
  }
  berth_arena_finish(&arena);
  return code != BERTH_OK ? code : berth_builder_sort_conflicts(builder);
}
