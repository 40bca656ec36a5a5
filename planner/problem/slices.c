/* Streams: which bytes of a buffer are live on their own. Where a value asks for live windows, or several
 * values share the buffer, a byte is live for the accesses that reach it and for no others: whoever comes
 * before them all, or after them all, may have it.
 *
 * A touch is a range of a buffer's bytes with what it says of the clocks: an operator, a whole region (of
 * what lives around it), or the outside. The ends of all touches cut the buffer into intervals, of which each
 * component of each clock is the largest or the smallest of the touches that cover it: touches are taken by
 * that component, and each paints the intervals that are bare still. With the next bare interval kept by
 * union-find this is near linear, for each component, however touches lie. */
#include <string.h>

#include "base/sort.h"
#include "liveness/liveness.h"
#include "problem/slices.h"

enum touch_kind { BY_OPERATOR, BY_REGION, GIVEN, KEPT };

struct touch {
  enum touch_kind kind;
  uint32_t by; /* operator or region */
  uint32_t buffer;
  uint32_t first; /* the bounds at which it begins and ends */
  uint32_t last;
  uint64_t begin;
  uint64_t end;
};

struct canvas {
  struct berth_builder_slices_input input;
  const struct berth_graph *graph;
  const struct berth_clocks *clocks;
  struct berth_arena *arena;
  bool *has_slices; /* of each buffer */
  size_t n;
  struct touch *touches;         /* NULL while they are counted */
  struct berth_sort_item *items; /* 2n, as is scratch */
  struct berth_sort_item *scratch;
  uint32_t n_bounds;
  uint32_t *buffer; /* of each bound; interval i reaches from bound i to the next */
  uint64_t *byte;
  uint32_t *bare;  /* the next interval that is not painted, by union-find */
  uint32_t *known; /* intervals x streams: what has run when the first touch begins, */
  uint32_t *done;  /* and what must have run after the last */
  int64_t *lower;  /* of each interval, in the list of operators; INT64_MAX: nobody touches it */
  int64_t *upper;
};

/* ---- Touches ---- */

static uint32_t buffer_of(const struct canvas *canvas, uint32_t value) {
  uint32_t buffer = canvas->graph->value_buffer[value];
  return buffer != BERTH_NO_INDEX && canvas->has_slices[buffer] ? buffer : BERTH_NO_INDEX;
}

/* By the value's own name, if its root asks for windows; else of all the root. */
static void put(struct canvas *canvas, enum touch_kind kind, uint32_t by, uint32_t value) {
  const struct berth_graph *graph = canvas->graph;
  uint32_t root = berth_liveness_root(graph, value);
  uint32_t named = (graph->value_flags[root] & BERTH_VALUE_LIVE_WINDOWS) != 0 ? value : root;
  uint64_t begin = graph->value_offset != NULL ? graph->value_offset[named] : 0;
  uint64_t size = graph->value_size_bytes[named];
  if (size == 0) {
    return;
  }
  if (canvas->touches != NULL) {
    canvas->touches[canvas->n] = (struct touch){
        .kind = kind, .by = by, .buffer = buffer_of(canvas, value), .begin = begin, .end = begin + size};
  }
  canvas->n++;
}

/* Loops around the operator that the root outlives touch the same bytes. */
static void put_access(struct canvas *canvas, uint32_t op, uint32_t value) {
  const struct berth_graph *graph = canvas->graph;
  if (buffer_of(canvas, value) == BERTH_NO_INDEX) {
    return;
  }
  put(canvas, BY_OPERATOR, op, value);
  uint32_t root = berth_liveness_root(graph, value);
  uint32_t r = canvas->clocks->innermost != NULL ? canvas->clocks->innermost[op] : BERTH_NO_INDEX;
  for (; r != BERTH_NO_INDEX; r = graph->regions[r].parent) {
    int64_t first = graph->regions[r].first_operator;
    int64_t end = first + graph->regions[r].n_operators;
    if (graph->regions[r].kind == BERTH_REGION_LOOP && canvas->input.lower[root] <= first &&
        canvas->input.upper[root] >= end) {
      put(canvas, BY_REGION, r, value);
    }
  }
}

static void put_from_outside(struct canvas *canvas, uint32_t value) {
  const struct berth_graph *graph = canvas->graph;
  enum berth_buffer_class class_ = graph->value_class[value];
  bool is_root = berth_liveness_root(graph, value) == value;
  if (buffer_of(canvas, value) == BERTH_NO_INDEX) {
    return;
  }
  if (is_root && (canvas->input.family[value] & BERTH_FAMILY_GIVEN) != 0) {
    put(canvas, GIVEN, 0, value);
  }
  if ((graph->value_flags[value] & BERTH_VALUE_HELD) != 0 || class_ == BERTH_CLASS_OUTPUT ||
      class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE) {
    put(canvas, KEPT, graph->n_operators - 1, value);
  }
}

static void put_all(struct canvas *canvas) {
  const struct berth_graph *graph = canvas->graph;
  canvas->n = 0;
  for (uint32_t value = 0; value < graph->n_values; value++) {
    put_from_outside(canvas, value);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->input_begin[op]; i < graph->input_begin[op + 1]; i++) {
      put_access(canvas, op, graph->inputs[i]);
    }
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      put_access(canvas, op, graph->outputs[i]);
    }
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    for (uint32_t i = 0; i < graph->regions[r].n_carries; i++) {
      uint32_t root = berth_liveness_root(graph, graph->regions[r].carries[i]);
      if (buffer_of(canvas, root) != BERTH_NO_INDEX) {
        put(canvas, BY_REGION, r, root);
      }
    }
  }
}

/* ---- What a touch says ---- */

static uint32_t known_by(const struct canvas *canvas, const struct touch *touch, uint32_t s) {
  const struct berth_clocks *clocks = canvas->clocks;
  switch (touch->kind) {
  case GIVEN:
    return 0;
  case BY_REGION:
    return clocks->region_entry[(size_t)touch->by * clocks->n_streams + s];
  case KEPT: /* with the last of the list, when all others have run */
    return clocks->begin[s + 1] - clocks->begin[s] - (s == clocks->stream[touch->by]);
  default:
    return berth_clock_of(clocks, touch->by)[s] - (s == clocks->stream[touch->by]);
  }
}

static uint32_t done_by(const struct canvas *canvas, const struct touch *touch, uint32_t s) {
  const struct berth_clocks *clocks = canvas->clocks;
  switch (touch->kind) {
  case GIVEN:
    return 0;
  case BY_REGION:
    return clocks->region_exit[(size_t)touch->by * clocks->n_streams + s];
  case KEPT:
    return clocks->begin[s + 1] - clocks->begin[s] + 1;
  default:
    return s == clocks->stream[touch->by] ? clocks->position[touch->by] : 0;
  }
}

static int64_t lower_of(const struct canvas *canvas, const struct touch *touch) {
  return touch->kind == GIVEN       ? 0
         : touch->kind == BY_REGION ? canvas->graph->regions[touch->by].first_operator
                                    : (int64_t)touch->by;
}

static int64_t upper_of(const struct canvas *canvas, const struct touch *touch) {
  const struct berth_region_spec *regions = canvas->graph->regions;
  return touch->kind == GIVEN ? 1
         : touch->kind == BY_REGION
             ? (int64_t)regions[touch->by].first_operator + regions[touch->by].n_operators
             : (int64_t)touch->by + 1;
}

/* ---- Bounds ---- */

static uint64_t byte_of(const struct canvas *canvas, uint32_t end) {
  const struct touch *touch = &canvas->touches[end / 2];
  return end % 2 == 0 ? touch->begin : touch->end;
}

/* By buffer, then by byte; equal ones are one bound. Item 2 i + e is the beginning (e = 0) or end of touch i.
 */
static void find_bounds(struct canvas *canvas) {
  size_t n = 2 * canvas->n;
  for (uint32_t k = 0; k < n; k++) {
    canvas->items[k] = (struct berth_sort_item){.key = byte_of(canvas, k), .index = k};
  }
  berth_sort_items(canvas->items, canvas->scratch, n);
  for (size_t k = 0; k < n; k++) {
    canvas->items[k].key = canvas->touches[canvas->items[k].index / 2].buffer;
  }
  berth_sort_items(canvas->items, canvas->scratch, n);
  for (size_t k = 0; k < n; k++) {
    uint32_t item = canvas->items[k].index;
    struct touch *touch = &canvas->touches[item / 2];
    uint32_t last = canvas->n_bounds - 1;
    if (k == 0 || canvas->buffer[last] != touch->buffer || canvas->byte[last] != byte_of(canvas, item)) {
      last = canvas->n_bounds++;
      canvas->byte[last] = byte_of(canvas, item);
      canvas->buffer[last] = touch->buffer;
    }
    *(item % 2 == 0 ? &touch->first : &touch->last) = last;
  }
}

static bool take(struct canvas *canvas) {
  size_t n = 2 * canvas->n;
  canvas->items = berth_arena_new(canvas->arena, struct berth_sort_item, n);
  canvas->scratch = berth_arena_new(canvas->arena, struct berth_sort_item, n);
  canvas->buffer = berth_arena_new(canvas->arena, uint32_t, n);
  canvas->byte = berth_arena_new(canvas->arena, uint64_t, n);
  return canvas->items != NULL && canvas->scratch != NULL && canvas->buffer != NULL && canvas->byte != NULL;
}

static bool take_intervals(struct canvas *canvas) {
  uint32_t n = canvas->n_bounds;
  size_t n_entries = (size_t)n * canvas->clocks->n_streams;
  canvas->bare = berth_arena_new(canvas->arena, uint32_t, n);
  canvas->known = berth_arena_new(canvas->arena, uint32_t, n_entries);
  canvas->done = berth_arena_new_zeroed(canvas->arena, uint32_t, n_entries);
  canvas->lower = berth_arena_new(canvas->arena, int64_t, n);
  canvas->upper = berth_arena_new(canvas->arena, int64_t, n);
  if (canvas->bare == NULL || canvas->known == NULL || canvas->done == NULL || canvas->lower == NULL ||
      canvas->upper == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    canvas->lower[i] = INT64_MAX;
    canvas->upper[i] = 0;
  }
  return true;
}

/* ---- Painting ---- */

static uint32_t find_bare(uint32_t *bare, uint32_t i) {
  while (bare[i] != i) {
    bare[i] = bare[bare[i]];
    i = bare[i];
  }
  return i;
}

enum colour { KNOWN, DONE, LOWER, UPPER };

static void
paint_one(struct canvas *canvas, enum colour colour, uint32_t s, uint32_t interval, uint64_t key) {
  size_t entry = (size_t)interval * canvas->clocks->n_streams + s;
  switch (colour) {
  case KNOWN:
    canvas->known[entry] = (uint32_t)key;
    break;
  case DONE:
    canvas->done[entry] = (uint32_t)~key;
    break;
  case LOWER:
    canvas->lower[interval] = (int64_t)key;
    break;
  case UPPER:
    canvas->upper[interval] = (int64_t)~key;
    break;
  }
}

static uint64_t
key_of(const struct canvas *canvas, enum colour colour, uint32_t s, const struct touch *touch) {
  switch (colour) {
  case KNOWN:
    return known_by(canvas, touch, s);
  case DONE:
    return ~(uint64_t)done_by(canvas, touch, s);
  case LOWER:
    return (uint64_t)lower_of(canvas, touch);
  default:
    return ~(uint64_t)upper_of(canvas, touch);
  }
}

/* What is least or most comes first. The last bound of a buffer has no interval, and stays bare: a touch ends
 * there at the latest. */
static void paint(struct canvas *canvas, enum colour colour, uint32_t s) {
  size_t n = 0;
  for (uint32_t i = 0; i < canvas->n; i++) {
    uint64_t key = key_of(canvas, colour, s, &canvas->touches[i]);
    if (colour != DONE || ~key != 0) { /* nothing is what is there */
      canvas->items[n++] = (struct berth_sort_item){.key = key, .index = i};
    }
  }
  berth_sort_items(canvas->items, canvas->scratch, n);
  for (uint32_t i = 0; i < canvas->n_bounds; i++) {
    canvas->bare[i] = i;
  }
  for (size_t k = 0; k < n; k++) {
    const struct touch *touch = &canvas->touches[canvas->items[k].index];
    uint32_t i = find_bare(canvas->bare, touch->first);
    while (i < touch->last) {
      paint_one(canvas, colour, s, i, canvas->items[k].key);
      canvas->bare[i] = i + 1;
      i = find_bare(canvas->bare, i + 1);
    }
  }
}

/* What is there and never touched is there for the first step, as in a total order. */
static void settle(struct canvas *canvas, uint32_t interval) {
  const struct berth_clocks *clocks = canvas->clocks;
  uint32_t *known = canvas->known + (size_t)interval * clocks->n_streams;
  uint32_t *done = canvas->done + (size_t)interval * clocks->n_streams;
  bool is_touched = false;
  for (uint32_t s = 0; s < clocks->n_streams; s++) {
    is_touched = is_touched || done[s] != 0;
  }
  if (!is_touched) {
    done[clocks->stream[0]] = 1;
  }
  for (uint32_t s = 0; s < clocks->n_streams; s++) {
    done[s] = done[s] > known[s] ? done[s] : known[s];
  }
}

/* ---- Slices ---- */

static bool is_same(const struct canvas *canvas, uint32_t a, uint32_t b) {
  size_t n = canvas->clocks->n_streams;
  return canvas->lower[a] == canvas->lower[b] && canvas->upper[a] == canvas->upper[b] &&
         memcmp(canvas->known + a * n, canvas->known + b * n, n * sizeof(uint32_t)) == 0 &&
         memcmp(canvas->done + a * n, canvas->done + b * n, n * sizeof(uint32_t)) == 0;
}

static void append(struct berth_problem *problem, const struct canvas *canvas, uint32_t interval) {
  size_t n = canvas->clocks->n_streams;
  problem->slices.items[problem->slices.n++] = (struct berth_slice){
      .window_lower = canvas->byte[interval],
      .window_upper = canvas->byte[interval + 1],
      .lower = canvas->lower[interval],
      .upper = canvas->upper[interval]};
  memcpy(
      problem->slice_clock_lower.items + problem->slice_clock_lower.n, canvas->known + interval * n,
      n * sizeof(uint32_t));
  memcpy(
      problem->slice_clock_upper.items + problem->slice_clock_upper.n, canvas->done + interval * n,
      n * sizeof(uint32_t));
  problem->slice_clock_lower.n += n;
  problem->slice_clock_upper.n += n;
}

/* Whether the slice says what the buffer's own columns say. */
static bool is_whole(const struct berth_problem *problem, uint32_t buffer, size_t slice) {
  const struct berth_slice *it = &problem->slices.items[slice];
  size_t n = problem->n_clocks;
  return it->window_lower == 0 && it->window_upper == problem->rows.size.items[buffer] &&
         it->lower == problem->rows.lower.items[buffer] && it->upper == problem->rows.upper.items[buffer] &&
         memcmp(
             problem->slice_clock_lower.items + slice * n, problem->clock_lower.items + buffer * n,
             n * sizeof(uint32_t)) == 0 &&
         memcmp(
             problem->slice_clock_upper.items + slice * n, problem->clock_upper.items + buffer * n,
             n * sizeof(uint32_t)) == 0;
}

/* A buffer is ordered with another where all its slices are. */
static void widen(struct berth_problem *problem, uint32_t buffer, size_t n_before) {
  size_t n = problem->n_clocks;
  for (size_t i = n_before * n; i < problem->slices.n * n; i++) {
    uint32_t *lower = &problem->clock_lower.items[buffer * n + i % n];
    uint32_t *upper = &problem->clock_upper.items[buffer * n + i % n];
    *lower = problem->slice_clock_lower.items[i] < *lower ? problem->slice_clock_lower.items[i] : *lower;
    *upper = problem->slice_clock_upper.items[i] > *upper ? problem->slice_clock_upper.items[i] : *upper;
  }
}

/* The slices of the buffer whose first bound is `bound`; returns the first bound of the next one. A buffer
 * that is one slice, whole, has none. */
static uint32_t append_buffer(struct berth_problem *problem, struct canvas *canvas, uint32_t bound) {
  uint32_t buffer = canvas->buffer[bound];
  size_t n_before = problem->slices.n;
  for (; bound + 1 < canvas->n_bounds && canvas->buffer[bound + 1] == buffer; bound++) {
    if (canvas->lower[bound] == INT64_MAX) {
      continue;
    }
    settle(canvas, bound);
    struct berth_slice *last =
        problem->slices.n > n_before ? &problem->slices.items[problem->slices.n - 1] : NULL;
    if (last != NULL && last->window_upper == canvas->byte[bound] && is_same(canvas, bound - 1, bound)) {
      last->window_upper = canvas->byte[bound + 1];
    } else {
      append(problem, canvas, bound);
    }
  }
  widen(problem, buffer, n_before);
  if (problem->slices.n == n_before + 1 && is_whole(problem, buffer, n_before)) {
    problem->slices.n--;
    problem->slice_clock_lower.n -= canvas->clocks->n_streams;
    problem->slice_clock_upper.n -= canvas->clocks->n_streams;
  }
  return bound + 1;
}

static bool append_all(struct berth_problem *problem, struct canvas *canvas) {
  size_t n_buffers = problem->rows.size.n;
  size_t n_entries = (size_t)canvas->n_bounds * canvas->clocks->n_streams;
  const struct berth_allocator *allocator = &problem->allocator;
  if (!berth_vec_reserve(allocator, &problem->slice_begin, n_buffers + 1) ||
      !berth_vec_reserve(allocator, &problem->slices, canvas->n_bounds) ||
      !berth_vec_reserve(allocator, &problem->slice_clock_lower, n_entries) ||
      !berth_vec_reserve(allocator, &problem->slice_clock_upper, n_entries)) {
    return false;
  }
  uint32_t bound = 0;
  for (uint32_t buffer = 0; buffer < n_buffers; buffer++) {
    problem->slice_begin.items[problem->slice_begin.n++] = (uint32_t)problem->slices.n;
    if (bound < canvas->n_bounds && canvas->buffer[bound] == buffer) {
      bound = append_buffer(problem, canvas, bound);
    }
  }
  problem->slice_begin.items[problem->slice_begin.n++] = (uint32_t)problem->slices.n;
  if (problem->slices.n == 0) {
    berth_vec_finish(allocator, &problem->slice_begin);
  }
  return true;
}

/* Buffers with several tenants, or one that asks for windows. */
static bool choose(struct canvas *canvas, size_t n_buffers, bool *out_any) {
  const struct berth_graph *graph = canvas->graph;
  bool *has_tenant = berth_arena_new_zeroed(canvas->arena, bool, n_buffers);
  canvas->has_slices = berth_arena_new_zeroed(canvas->arena, bool, n_buffers);
  if (has_tenant == NULL || canvas->has_slices == NULL) {
    return false;
  }
  for (uint32_t value = 0; value < graph->n_values; value++) {
    uint32_t buffer = graph->value_buffer[value];
    if (buffer == BERTH_NO_INDEX || berth_liveness_root(graph, value) != value) {
      continue;
    }
    bool slices = has_tenant[buffer] || (graph->value_flags[value] & BERTH_VALUE_LIVE_WINDOWS) != 0;
    canvas->has_slices[buffer] = canvas->has_slices[buffer] || slices;
    has_tenant[buffer] = true;
    *out_any = *out_any || slices;
  }
  return true;
}

static enum berth_code fail_limit(struct berth_problem_builder *builder, const struct canvas *canvas) {
  return berth_fail(
      &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
      "value.live_windows",
      "%zu accesses to values with live windows or in place are too many for %u streams", canvas->n,
      canvas->clocks->n_streams);
}

enum berth_code berth_builder_make_slices(
    struct berth_problem_builder *builder, const struct berth_builder_slices_input *input,
    struct berth_arena *arena) {
  struct berth_problem *problem = builder->problem;
  struct canvas canvas = {.input = *input, .graph = input->graph, .clocks = input->clocks, .arena = arena};
  uint32_t n_streams = input->clocks->n_streams;
  bool any = false;
  if (!choose(&canvas, problem->rows.size.n, &any)) {
    return berth_fail_memory(&builder->error);
  }
  if (!any) {
    return BERTH_OK;
  }
  put_all(&canvas);
  if (canvas.n > BERTH_CLOCKS_MAX / n_streams) {
    return fail_limit(builder, &canvas);
  }
  canvas.touches = berth_arena_new(arena, struct touch, canvas.n);
  if (canvas.touches == NULL || !take(&canvas)) {
    return berth_fail_memory(&builder->error);
  }
  put_all(&canvas);
  find_bounds(&canvas);
  if (!take_intervals(&canvas)) {
    return berth_fail_memory(&builder->error);
  }
  for (uint32_t s = 0; s < n_streams; s++) {
    paint(&canvas, KNOWN, s);
    paint(&canvas, DONE, s);
  }
  paint(&canvas, LOWER, 0);
  paint(&canvas, UPPER, 0);
  return append_all(problem, &canvas) ? BERTH_OK : berth_fail_memory(&builder->error);
}
