#include "liveness/clocks.h"

#include <string.h>

static void join(uint32_t *clock, const uint32_t *other, uint32_t n) {
  for (uint32_t s = 0; s < n; s++) {
    clock[s] = other[s] > clock[s] ? other[s] : clock[s];
  }
}

static bool take(struct berth_clocks *clocks, struct berth_arena *arena) {
  size_t n = clocks->n_operators;
  clocks->position = berth_arena_new(arena, uint32_t, n);
  clocks->clock = berth_arena_new_zeroed(arena, uint32_t, n * clocks->n_streams);
  clocks->begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)clocks->n_streams + 2);
  clocks->line = berth_arena_new(arena, uint32_t, n);
  return clocks->position != NULL && clocks->clock != NULL && clocks->begin != NULL && clocks->line != NULL;
}

/* Operators stream by stream; begin[s + 2] counts, then fills from begin[s + 1]. */
static void line_up(struct berth_clocks *clocks) {
  for (uint32_t op = 0; op < clocks->n_operators; op++) {
    clocks->begin[clocks->stream[op] + 2]++;
  }
  for (uint32_t s = 0; s < clocks->n_streams; s++) {
    clocks->begin[s + 2] += clocks->begin[s + 1];
  }
  for (uint32_t op = 0; op < clocks->n_operators; op++) {
    uint32_t place = clocks->begin[clocks->stream[op] + 1]++;
    clocks->line[place] = op;
  }
  for (uint32_t s = 0; s < clocks->n_streams; s++) {
    for (uint32_t k = clocks->begin[s]; k < clocks->begin[s + 1]; k++) {
      clocks->position[clocks->line[k]] = k - clocks->begin[s] + 1;
    }
  }
}

bool berth_clocks_make(
    struct berth_clocks *clocks, struct berth_arena *arena, const struct berth_graph *graph,
    uint32_t n_streams) {
  *clocks = (struct berth_clocks){
      .n_streams = n_streams, .n_operators = graph->n_operators, .stream = graph->operator_stream};
  if (!take(clocks, arena)) {
    return false;
  }
  line_up(clocks);
  for (uint32_t op = 0; op < clocks->n_operators; op++) {
    uint32_t *clock = clocks->clock + (size_t)op * n_streams;
    uint32_t stream = clocks->stream[op];
    uint32_t position = clocks->position[op];
    if (position > 1) {
      join(clock, berth_clock_of(clocks, clocks->line[clocks->begin[stream] + position - 2]), n_streams);
    }
    for (uint32_t i = graph->wait_begin[op]; i < graph->wait_begin[op + 1]; i++) {
      join(clock, berth_clock_of(clocks, graph->waits[i]), n_streams);
    }
    clock[stream] = position;
  }
  return true;
}

bool berth_accesses_init(
    struct berth_accesses *accesses, struct berth_arena *arena, const struct berth_clocks *clocks, size_t n) {
  size_t n_entries = n * clocks->n_streams;
  *accesses = (struct berth_accesses){
      .n_streams = clocks->n_streams,
      .last = berth_arena_new_zeroed(arena, uint32_t, n_entries),
      .known = berth_arena_new(arena, uint32_t, n_entries)};
  if (accesses->last == NULL || accesses->known == NULL) {
    return false;
  }
  if (n_entries != 0) {
    memset(accesses->known, 0xff, n_entries * sizeof(uint32_t));
  }
  return true;
}

void berth_accesses_touch(
    struct berth_accesses *accesses, const struct berth_clocks *clocks, uint32_t thing, uint32_t op) {
  uint32_t n = accesses->n_streams;
  uint32_t stream = clocks->stream[op];
  const uint32_t *clock = berth_clock_of(clocks, op);
  uint32_t *last = accesses->last + (size_t)thing * n;
  uint32_t *known = accesses->known + (size_t)thing * n;
  last[stream] = clocks->position[op] > last[stream] ? clocks->position[op] : last[stream];
  for (uint32_t s = 0; s < n; s++) {
    uint32_t before = clock[s] - (s == stream);
    known[s] = before < known[s] ? before : known[s];
  }
}
