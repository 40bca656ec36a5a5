#include "liveness/clocks.h"

#include <string.h>

#include "liveness/regions.h"

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

static bool
list_syncs(struct berth_clocks *clocks, const struct berth_graph *graph, struct berth_arena *arena) {
  if (graph->n_syncs == 0) {
    return true;
  }
  clocks->sync_begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)graph->n_operators + 1);
  if (clocks->sync_begin == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < graph->n_syncs; i++) {
    clocks->sync_begin[graph->syncs[i].waiter + 1]++;
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    clocks->sync_begin[op + 1] += clocks->sync_begin[op];
  }
  return true;
}

/* ---- Regions ---- */

static bool
take_regions(struct berth_clocks *clocks, const struct berth_graph *graph, struct berth_arena *arena) {
  if (graph->n_regions == 0) {
    return true;
  }
  size_t n_entries = (size_t)graph->n_regions * clocks->n_streams;
  clocks->innermost = berth_regions_innermost(graph, arena);
  clocks->region_entry = berth_arena_new_zeroed(arena, uint32_t, n_entries);
  clocks->region_exit = berth_arena_new_zeroed(arena, uint32_t, n_entries);
  return clocks->innermost != NULL && clocks->region_entry != NULL && clocks->region_exit != NULL;
}

static uint32_t *entry_of(const struct berth_clocks *clocks, uint32_t region) {
  return clocks->region_entry + (size_t)region * clocks->n_streams;
}

static uint32_t *exit_of(const struct berth_clocks *clocks, uint32_t region) {
  return clocks->region_exit + (size_t)region * clocks->n_streams;
}

const uint32_t *berth_clocks_lesson(
    const struct berth_clocks *clocks, const struct berth_graph *graph, uint32_t source, uint32_t op) {
  const uint32_t *lesson = berth_clock_of(clocks, source);
  uint32_t r = clocks->innermost != NULL ? clocks->innermost[source] : BERTH_NO_INDEX;
  for (; r != BERTH_NO_INDEX && op - graph->regions[r].first_operator >= graph->regions[r].n_operators;
       r = graph->regions[r].parent) {
    lesson = exit_of(clocks, r);
  }
  return lesson;
}

/* Joins into `clock` what `op` learns from those before it that are listed before operator `end`. */
static void learn(
    const struct berth_clocks *clocks, const struct berth_graph *graph, uint32_t op, uint32_t end,
    uint32_t *clock) {
  uint32_t position = clocks->position[op];
  uint32_t before = position > 1 ? clocks->line[clocks->begin[clocks->stream[op]] + position - 2] : end;
  if (before < end) {
    join(clock, berth_clocks_lesson(clocks, graph, before, op), clocks->n_streams);
  }
  for (uint32_t i = graph->wait_begin[op]; i < graph->wait_begin[op + 1]; i++) {
    if (graph->waits[i] < end) {
      join(clock, berth_clocks_lesson(clocks, graph, graph->waits[i], op), clocks->n_streams);
    }
  }
  for (uint32_t i = clocks->sync_begin != NULL ? clocks->sync_begin[op] : 0;
       clocks->sync_begin != NULL && i < clocks->sync_begin[op + 1]; i++) {
    if (graph->syncs[i].signaller < end) {
      join(clock, berth_clocks_lesson(clocks, graph, graph->syncs[i].signaller, op), clocks->n_streams);
    }
  }
}

static void receive(
    const struct berth_clocks *clocks, const struct berth_clocks_guest *guest, uint32_t op, uint32_t *clock) {
  if (guest != NULL) {
    guest->arrive(guest->ctx, clocks, op, clock);
  }
}

/* `branch_before` is the branch of the same choice before it, or BERTH_NO_INDEX. */
static void enter(
    const struct berth_clocks *clocks, const struct berth_graph *graph, uint32_t region,
    uint32_t branch_before) {
  const struct berth_region_spec *spec = &graph->regions[region];
  uint32_t *entry = entry_of(clocks, region);
  if (spec->parent != BERTH_NO_INDEX) {
    join(entry, entry_of(clocks, spec->parent), clocks->n_streams);
  }
  if (branch_before != BERTH_NO_INDEX) {
    join(entry, exit_of(clocks, branch_before), clocks->n_streams);
  }
  for (uint32_t k = 0; k < spec->n_operators; k++) {
    learn(clocks, graph, spec->first_operator + k, spec->first_operator, entry);
  }
}

/* Regions lie in the order of their first operators, but for parents, which come before. */
static bool make_with_regions(
    struct berth_clocks *clocks, const struct berth_graph *graph, struct berth_arena *arena,
    const struct berth_clocks_guest *guest) {
  uint32_t *last_branch = berth_arena_new(arena, uint32_t, graph->n_regions);
  uint32_t *begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)graph->n_operators + 1);
  uint32_t *next = berth_arena_new(arena, uint32_t, graph->n_regions);
  if (last_branch == NULL || begin == NULL || next == NULL) {
    return false;
  }
  for (uint32_t r = graph->n_regions;
       r-- > 0;) { /* lists of those that begin at each operator, parents first */
    last_branch[r] = BERTH_NO_INDEX;
    next[r] = begin[graph->regions[r].first_operator];
    begin[graph->regions[r].first_operator] = r + 1;
  }
  for (uint32_t op = 0; op < clocks->n_operators; op++) {
    uint32_t *clock = clocks->clock + (size_t)op * clocks->n_streams;
    for (uint32_t r = begin[op]; r != 0; r = next[r - 1]) {
      bool branch = graph->regions[r - 1].kind == BERTH_REGION_BRANCH;
      uint32_t *before = branch ? &last_branch[graph->regions[r - 1].parent] : NULL;
      enter(clocks, graph, r - 1, branch ? *before : BERTH_NO_INDEX);
      if (graph->regions[r - 1].parent == BERTH_NO_INDEX) {
        receive(clocks, guest, op, entry_of(clocks, r - 1));
      }
      if (branch) {
        *before = r - 1;
      }
    }
    if (clocks->innermost[op] != BERTH_NO_INDEX) {
      join(clock, entry_of(clocks, clocks->innermost[op]), clocks->n_streams);
    }
    learn(clocks, graph, op, op, clock);
    if (clocks->innermost[op] == BERTH_NO_INDEX) {
      receive(clocks, guest, op, clock);
    }
    clock[clocks->stream[op]] = clocks->position[op];
    for (uint32_t r = clocks->innermost[op]; r != BERTH_NO_INDEX; r = graph->regions[r].parent) {
      join(exit_of(clocks, r), clock, clocks->n_streams);
    }
  }
  return true;
}

bool berth_clocks_make_with(
    struct berth_clocks *clocks, struct berth_arena *arena, const struct berth_graph *graph,
    uint32_t n_streams, const struct berth_clocks_guest *guest) {
  *clocks = (struct berth_clocks){
      .n_streams = n_streams, .n_operators = graph->n_operators, .stream = graph->operator_stream};
  if (!take(clocks, arena) || !list_syncs(clocks, graph, arena) || !take_regions(clocks, graph, arena)) {
    return false;
  }
  line_up(clocks);
  if (graph->n_regions != 0) {
    return make_with_regions(clocks, graph, arena, guest);
  }
  for (uint32_t op = 0; op < clocks->n_operators; op++) {
    uint32_t *clock = clocks->clock + (size_t)op * n_streams;
    learn(clocks, graph, op, op, clock);
    receive(clocks, guest, op, clock);
    clock[clocks->stream[op]] = clocks->position[op];
  }
  return true;
}

bool berth_clocks_make(
    struct berth_clocks *clocks, struct berth_arena *arena, const struct berth_graph *graph,
    uint32_t n_streams) {
  return berth_clocks_make_with(clocks, arena, graph, n_streams, NULL);
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

void berth_accesses_cover(
    struct berth_accesses *accesses, const struct berth_clocks *clocks, uint32_t thing, uint32_t region) {
  uint32_t n = accesses->n_streams;
  const uint32_t *entry = entry_of(clocks, region);
  const uint32_t *exit = exit_of(clocks, region);
  uint32_t *last = accesses->last + (size_t)thing * n;
  uint32_t *known = accesses->known + (size_t)thing * n;
  for (uint32_t s = 0; s < n; s++) {
    last[s] = exit[s] > last[s] ? exit[s] : last[s];
    known[s] = entry[s] < known[s] ? entry[s] : known[s];
  }
}
