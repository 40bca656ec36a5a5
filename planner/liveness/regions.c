#include "liveness/regions.h"

#include "liveness/liveness.h"

#define SEVERAL UINT32_MAX

uint32_t *berth_regions_innermost(const struct berth_graph *graph, struct berth_arena *arena) {
  uint32_t *innermost = berth_arena_new(arena, uint32_t, graph->n_operators);
  for (uint32_t op = 0; innermost != NULL && op < graph->n_operators; op++) {
    innermost[op] = BERTH_NO_INDEX;
  }
  for (uint32_t r = 0; innermost != NULL && r < graph->n_regions; r++) { /* parents come first */
    const struct berth_region_spec *region = &graph->regions[r];
    for (uint32_t i = 0; i < region->n_operators; i++) {
      innermost[region->first_operator + i] = r;
    }
  }
  return innermost;
}

static bool contains(const struct berth_region_spec *region, uint32_t op) {
  return op >= region->first_operator && op - region->first_operator < region->n_operators;
}

static void cover(const struct berth_region_spec *region, uint32_t root, int64_t *lower, int64_t *upper) {
  int64_t first = region->first_operator;
  int64_t end = first + region->n_operators;
  lower[root] = first < lower[root] ? first : lower[root];
  upper[root] = end > upper[root] ? end : upper[root];
}

static void widen_touched(
    const struct berth_graph *graph, const uint32_t *innermost, uint32_t op, uint32_t root, bool several,
    int64_t *lower, int64_t *upper) {
  for (uint32_t r = innermost[op]; r != BERTH_NO_INDEX; r = graph->regions[r].parent) {
    const struct berth_region_spec *region = &graph->regions[r];
    int64_t first = region->first_operator;
    int64_t end = first + region->n_operators;
    if (region->kind == BERTH_REGION_LOOP && (several || lower[root] < first || upper[root] > end)) {
      cover(region, root, lower, upper);
    }
  }
}

static void widen_list(
    const struct berth_graph *graph, const uint32_t *innermost, const uint32_t *begin, const uint32_t *values,
    const uint32_t *writers, int64_t *lower, int64_t *upper) {
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
      uint32_t root = berth_liveness_root(graph, values[i]);
      widen_touched(graph, innermost, op, root, writers[root] == SEVERAL, lower, upper);
    }
  }
}

/* The only operator that writes each root under any name, plus 1; 0 if none does, SEVERAL also for what is
 * declared accumulated. */
static uint32_t *find_writers(const struct berth_graph *graph, struct berth_arena *arena) {
  uint32_t *writers = berth_arena_new_zeroed(arena, uint32_t, graph->n_values);
  for (uint32_t v = 0; writers != NULL && v < graph->n_values; v++) {
    if ((graph->value_flags[v] & BERTH_VALUE_ACCUMULATED) != 0) {
      writers[berth_liveness_root(graph, v)] = SEVERAL;
    }
  }
  for (uint32_t op = 0; writers != NULL && op < graph->n_operators; op++) {
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      uint32_t *writer = &writers[berth_liveness_root(graph, graph->outputs[i])];
      *writer = *writer == 0 || *writer == op + 1 ? op + 1 : SEVERAL;
    }
  }
  return writers;
}

/* What is there before the first operator or after the last is never confined to a trip, even where a loop
 * reaches that far. */
static void mark_outer(const struct berth_graph *graph, const uint8_t *family, uint32_t *writers) {
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if ((family[v] & (BERTH_FAMILY_GIVEN | BERTH_FAMILY_KEPT)) != 0) {
      writers[v] = SEVERAL;
    }
  }
}

/* What is read where its only writer need not have run in the same trip, which a root may be that is written
 * under the name of a view, may be of the trip before. */
static void mark_hidden(const struct berth_graph *graph, const uint32_t *innermost, uint32_t *writers) {
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->input_begin[op]; i < graph->input_begin[op + 1]; i++) {
      uint32_t *writer = &writers[berth_liveness_root(graph, graph->inputs[i])];
      if (*writer != 0 && *writer != SEVERAL &&
          berth_regions_hiding(graph, innermost, *writer - 1, op) != BERTH_NO_INDEX) {
        *writer = SEVERAL;
      }
    }
  }
}

bool berth_regions_widen(
    const struct berth_graph *graph, const uint32_t *innermost, struct berth_arena *arena,
    const uint8_t *family, int64_t *lower, int64_t *upper) {
  uint32_t *writers = find_writers(graph, arena);
  if (writers == NULL) {
    return false;
  }
  mark_outer(graph, family, writers);
  mark_hidden(graph, innermost, writers);
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    for (uint32_t i = 0; i < region->n_carries; i++) {
      cover(region, berth_liveness_root(graph, region->carries[i]), lower, upper);
    }
  }
  widen_list(graph, innermost, graph->input_begin, graph->inputs, writers, lower, upper);
  widen_list(graph, innermost, graph->output_begin, graph->outputs, writers, lower, upper);
  return true;
}

bool berth_regions_go_round(
    const struct berth_graph *graph, const uint32_t *innermost, uint32_t op, int64_t lower, int64_t upper) {
  for (uint32_t r = innermost[op]; r != BERTH_NO_INDEX; r = graph->regions[r].parent) {
    const struct berth_region_spec *region = &graph->regions[r];
    int64_t first = region->first_operator;
    if (region->kind == BERTH_REGION_LOOP && lower <= first && upper >= first + region->n_operators) {
      return true;
    }
  }
  return false;
}

uint32_t berth_regions_hiding(
    const struct berth_graph *graph, const uint32_t *innermost, uint32_t writer, uint32_t reader) {
  for (uint32_t r = innermost[writer]; r != BERTH_NO_INDEX; r = graph->regions[r].parent) {
    const struct berth_region_spec *region = &graph->regions[r];
    bool may_be_skipped =
        region->kind == BERTH_REGION_BRANCH || (region->kind == BERTH_REGION_LOOP && region->min_trips == 0);
    if (may_be_skipped && !contains(region, reader)) {
      return r;
    }
  }
  return BERTH_NO_INDEX;
}
