/* Streams: from who touches a buffer to its clocks. Component s counts the operators of stream s. The lower
 * clock of a buffer is what has run for sure when any operator begins that touches it; the upper one what
 * must have run before another buffer may begin: all that touch it, and what had run before them. The outside
 * touches what it gives before every operator, and what is kept after them all. */
#include <string.h>

#include "liveness/clocks.h"
#include "liveness/liveness.h"
#include "problem/slices.h"

struct making {
  struct berth_problem *problem;
  const struct berth_graph *graph;
  struct berth_clocks clocks;
  struct berth_accesses accesses; /* of buffers */
};

static void touch_list(struct making *making, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t buffer = making->graph->value_buffer[values[i]];
    if (buffer != BERTH_NO_INDEX) {
      berth_accesses_touch(&making->accesses, &making->clocks, buffer, op);
    }
  }
}

static void touch_all(struct making *making) {
  const struct berth_graph *graph = making->graph;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_list(making, op, graph->input_begin, graph->inputs);
    touch_list(making, op, graph->output_begin, graph->outputs);
    if (graph->operator_workspace[op] != BERTH_NO_INDEX) {
      berth_accesses_touch(&making->accesses, &making->clocks, graph->operator_workspace[op], op);
    }
  }
}

/* What lives around a loop that touches it, or is carried by a region, is touched by all of that region. */
static void touch_around(struct making *making, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  const struct berth_graph *graph = making->graph;
  const struct berth_rows *rows = &making->problem->rows;
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t buffer = graph->value_buffer[values[i]];
    uint32_t r = buffer != BERTH_NO_INDEX ? making->clocks.innermost[op] : BERTH_NO_INDEX;
    for (; r != BERTH_NO_INDEX; r = graph->regions[r].parent) {
      int64_t first = graph->regions[r].first_operator;
      int64_t end = first + graph->regions[r].n_operators;
      bool around = rows->lower.items[buffer] <= first && rows->upper.items[buffer] >= end;
      if (graph->regions[r].kind == BERTH_REGION_LOOP && around) {
        berth_accesses_cover(&making->accesses, &making->clocks, buffer, r);
      }
    }
  }
}

static void touch_in_regions(struct making *making) {
  const struct berth_graph *graph = making->graph;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_around(making, op, graph->input_begin, graph->inputs);
    touch_around(making, op, graph->output_begin, graph->outputs);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    for (uint32_t i = 0; i < graph->regions[r].n_carries; i++) {
      uint32_t buffer = graph->value_buffer[graph->regions[r].carries[i]];
      if (buffer != BERTH_NO_INDEX) {
        berth_accesses_cover(&making->accesses, &making->clocks, buffer, r);
      }
    }
  }
}

static void touch_from_outside(struct making *making, const uint8_t *family) {
  const struct berth_graph *graph = making->graph;
  uint32_t n_streams = making->clocks.n_streams;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    if (buffer == BERTH_NO_INDEX) {
      continue;
    }
    unsigned of_root = family[berth_liveness_root(graph, v)];
    if ((of_root & BERTH_FAMILY_GIVEN) != 0) {
      memset(making->accesses.known + (size_t)buffer * n_streams, 0, n_streams * sizeof(uint32_t));
    }
    if ((of_root & BERTH_FAMILY_KEPT) != 0) {
      memset(making->accesses.last + (size_t)buffer * n_streams, 0xff, n_streams * sizeof(uint32_t));
    }
  }
}

/* What is there and never touched is there for the first step, as in a total order. */
static void touch_at_first(struct making *making, uint32_t buffer) {
  uint32_t n_streams = making->clocks.n_streams;
  const uint32_t *last = berth_accesses_last(&making->accesses, buffer);
  for (uint32_t s = 0; s < n_streams; s++) {
    if (last[s] != 0) {
      return;
    }
  }
  berth_accesses_touch(&making->accesses, &making->clocks, buffer, 0);
}

static void write_clocks(struct making *making, uint32_t buffer) {
  uint32_t n_streams = making->clocks.n_streams;
  const uint32_t *last = berth_accesses_last(&making->accesses, buffer);
  const uint32_t *known = berth_accesses_known(&making->accesses, buffer);
  uint32_t *lower = making->problem->clock_lower.items + (size_t)buffer * n_streams;
  uint32_t *upper = making->problem->clock_upper.items + (size_t)buffer * n_streams;
  for (uint32_t s = 0; s < n_streams; s++) {
    uint32_t n_operators = making->clocks.begin[s + 1] - making->clocks.begin[s];
    uint32_t end = last[s] > n_operators ? n_operators + 1 : last[s];
    lower[s] = known[s];
    upper[s] = end > known[s] ? end : known[s];
  }
}

enum berth_code berth_builder_make_clocks(
    struct berth_problem_builder *builder, const struct berth_graph *graph,
    const struct berth_builder_lives *lives) {
  uint32_t n_streams = berth_clocks_n_streams(graph);
  struct berth_problem *problem = builder->problem;
  uint32_t n = (uint32_t)problem->rows.size.n;
  size_t n_entries = (size_t)n * n_streams;
  if (n_streams == 1) {
    return BERTH_OK;
  }
  struct berth_arena arena;
  berth_arena_init(&arena, &builder->allocator);
  struct making making = {.problem = problem, .graph = graph};
  bool ok = berth_vec_reserve(&builder->allocator, &problem->clock_lower, n_entries) &&
            berth_vec_reserve(&builder->allocator, &problem->clock_upper, n_entries) &&
            berth_clocks_make(&making.clocks, &arena, graph, n_streams) &&
            berth_accesses_init(&making.accesses, &arena, &making.clocks, n);
  if (ok) {
    touch_all(&making);
    if (graph->n_regions != 0) {
      touch_in_regions(&making);
    }
    touch_from_outside(&making, lives->family);
    for (uint32_t buffer = 0; buffer < n; buffer++) {
      touch_at_first(&making, buffer);
      write_clocks(&making, buffer);
    }
    problem->n_clocks = n_streams;
    problem->clock_lower.n = problem->clock_upper.n = n_entries;
  }
  struct berth_builder_slices_input slices = {
      .graph = graph,
      .clocks = &making.clocks,
      .family = lives->family,
      .lower = lives->lower,
      .upper = lives->upper};
  enum berth_code code =
      ok ? berth_builder_make_slices(builder, &slices, &arena) : berth_fail_memory(&builder->error);
  berth_arena_finish(&arena);
  return code;
}
