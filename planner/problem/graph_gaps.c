/* Buffers in which several values live one after the other, or beside each other, or of which only windows
 * are live: the lifetime is the hull of all of theirs, and at each step the buffer holds the hull of the
 * bytes that are live in it.
 *
 * A stay is a range of bytes for a stretch of time. The bounds of all stays of one buffer cut its time into
 * intervals. Each interval's first byte is the least of the stays that cover it: stays are taken by rising
 * first byte, and each paints the intervals that are bare still; the last byte likewise. With the next bare
 * interval kept by union-find this is near linear after sorting, however stays lie. */
#include "base/sort.h"
#include "liveness/inplace.h"
#include "liveness/windows.h"
#include "problem/builder.h"

struct stay {
  int64_t lower;
  int64_t upper;
  uint64_t begin; /* begin == end: there, but without bytes */
  uint64_t end;
  uint32_t storage;
  uint32_t first; /* the bounds at which it begins and ends */
  uint32_t last;
};

struct canvas {
  struct berth_problem_builder *builder;
  struct berth_arena *arena;
  const struct berth_inplace_result *placed;
  const struct berth_windows *windows;
  size_t n;
  struct stay *stays;
  struct berth_sort_item *items; /* 2n, as is scratch */
  struct berth_sort_item *scratch;
  uint32_t n_bounds;
  int64_t *step; /* of each bound; interval i reaches from bound i to the next */
  uint32_t *storage;
  uint64_t *begin; /* of each interval */
  uint64_t *end;
  uint32_t *bare;        /* the next interval that is not painted, by union-find */
  uint32_t *first_bound; /* of each storage; BERTH_NO_INDEX: one value, whole */
};

/* ---- Stays ---- */

static bool is_root(const struct berth_problem *problem, uint32_t value) {
  return problem->columns.view_of.n == 0 || problem->columns.view_of.items[value] == value;
}

static bool is_external(const struct berth_problem *problem, uint32_t value) {
  unsigned flags = problem->columns.value_flags.items[value];
  return (flags & (BERTH_VALUE_EXTERNAL | BERTH_VALUE_DYNAMIC)) != 0;
}

static uint32_t storage_of(const struct berth_inplace_result *placed, uint32_t root) {
  return placed->storage != NULL ? placed->storage[root] : root;
}

static bool has_windows(const struct canvas *canvas, uint32_t root) {
  return canvas->windows->n != 0 &&
         (canvas->builder->problem->columns.value_flags.items[root] & BERTH_VALUE_LIVE_WINDOWS) != 0;
}

static void put(struct canvas *canvas, const struct stay *stay) {
  if (canvas->stays != NULL) {
    canvas->stays[canvas->n] = *stay;
  }
  canvas->n++;
}

static void put_root(struct canvas *canvas, uint32_t root) {
  const struct berth_rows *rows = &canvas->builder->problem->rows;
  uint64_t offset = canvas->placed->offset != NULL ? canvas->placed->offset[root] : 0;
  bool whole = !has_windows(canvas, root);
  put(canvas, &(struct stay){
                  .lower = rows->lower.items[root],
                  .upper = rows->upper.items[root],
                  .begin = offset,
                  .end = offset + (whole ? rows->size.items[root] : 0),
                  .storage = storage_of(canvas->placed, root)});
}

static void put_windows(struct canvas *canvas) {
  for (size_t i = 0; i < canvas->windows->n; i++) {
    const struct berth_window *window = &canvas->windows->items[i];
    uint32_t storage = storage_of(canvas->placed, window->root);
    uint64_t offset = canvas->placed->offset != NULL ? canvas->placed->offset[window->root] : 0;
    if (!is_external(canvas->builder->problem, storage)) {
      put(canvas, &(struct stay){
                      .lower = window->lower,
                      .upper = window->upper,
                      .begin = offset + window->begin,
                      .end = offset + window->end,
                      .storage = storage});
    }
  }
}

/* Of those buffers alone that are not one value, whole. */
static void put_all(struct canvas *canvas, const bool *is_crowded) {
  const struct berth_problem *problem = canvas->builder->problem;
  canvas->n = 0;
  for (uint32_t value = 0; value < problem->columns.value_flags.n; value++) {
    if (is_root(problem, value) && is_crowded[storage_of(canvas->placed, value)]) {
      put_root(canvas, value);
    }
  }
  put_windows(canvas);
}

static enum berth_code collect(struct canvas *canvas) {
  struct berth_problem_builder *builder = canvas->builder;
  uint32_t n_values = (uint32_t)builder->problem->columns.value_flags.n;
  bool *is_crowded = berth_arena_new_zeroed(canvas->arena, bool, n_values);
  if (is_crowded == NULL) {
    return berth_fail_memory(&builder->error);
  }
  for (uint32_t value = 0; value < n_values; value++) {
    uint32_t storage = storage_of(canvas->placed, value);
    bool crowded = is_root(builder->problem, value) && (storage != value || has_windows(canvas, value));
    is_crowded[storage] = is_crowded[storage] || (crowded && !is_external(builder->problem, storage));
  }
  put_all(canvas, is_crowded);
  if (canvas->n > UINT32_MAX / 2 - 1) {
    return berth_fail(
        &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
        "value.live_windows", "%zu windows of values are too many", canvas->n);
  }
  canvas->stays = berth_arena_new(canvas->arena, struct stay, canvas->n);
  if (canvas->stays == NULL) {
    return berth_fail_memory(&builder->error);
  }
  put_all(canvas, is_crowded);
  return BERTH_OK;
}

/* ---- Bounds ---- */

static bool take(struct canvas *canvas) {
  size_t n = 2 * canvas->n;
  uint32_t n_values = (uint32_t)canvas->builder->problem->columns.value_flags.n;
  canvas->items = berth_arena_new(canvas->arena, struct berth_sort_item, n);
  canvas->scratch = berth_arena_new(canvas->arena, struct berth_sort_item, n);
  canvas->step = berth_arena_new(canvas->arena, int64_t, n);
  canvas->storage = berth_arena_new(canvas->arena, uint32_t, n);
  canvas->begin = berth_arena_new_zeroed(canvas->arena, uint64_t, n);
  canvas->end = berth_arena_new_zeroed(canvas->arena, uint64_t, n);
  canvas->bare = berth_arena_new(canvas->arena, uint32_t, n);
  canvas->first_bound = berth_arena_new(canvas->arena, uint32_t, n_values);
  for (uint32_t value = 0; canvas->first_bound != NULL && value < n_values; value++) {
    canvas->first_bound[value] = BERTH_NO_INDEX;
  }
  return canvas->items != NULL && canvas->scratch != NULL && canvas->step != NULL &&
         canvas->storage != NULL && canvas->begin != NULL && canvas->end != NULL && canvas->bare != NULL &&
         canvas->first_bound != NULL;
}

static int64_t step_of(const struct canvas *canvas, uint32_t end) {
  const struct stay *stay = &canvas->stays[end / 2];
  return end % 2 == 0 ? stay->lower : stay->upper;
}

/* By storage, then by step; equal ones are one bound. Item 2 i + e is the beginning (e = 0) or end of stay i.
 */
static void find_bounds(struct canvas *canvas) {
  size_t n = 2 * canvas->n;
  for (uint32_t k = 0; k < n; k++) {
    canvas->items[k] = (struct berth_sort_item){.key = berth_sort_key_i64(step_of(canvas, k)), .index = k};
  }
  berth_sort_items(canvas->items, canvas->scratch, n);
  for (size_t k = 0; k < n; k++) {
    canvas->items[k].key = canvas->stays[canvas->items[k].index / 2].storage;
  }
  berth_sort_items(canvas->items, canvas->scratch, n);
  for (size_t k = 0; k < n; k++) {
    uint32_t item = canvas->items[k].index;
    struct stay *stay = &canvas->stays[item / 2];
    uint32_t last = canvas->n_bounds - 1;
    bool fresh =
        k == 0 || canvas->storage[last] != stay->storage || canvas->step[last] != step_of(canvas, item);
    if (fresh) {
      last = canvas->n_bounds++;
      canvas->step[last] = step_of(canvas, item);
      canvas->storage[last] = stay->storage;
      canvas->bare[last] = last;
      if (canvas->first_bound[stay->storage] == BERTH_NO_INDEX) {
        canvas->first_bound[stay->storage] = last;
      }
    }
    *(item % 2 == 0 ? &stay->first : &stay->last) = last;
  }
}

/* ---- Painting ---- */

static uint32_t find_bare(uint32_t *bare, uint32_t i) {
  while (bare[i] != i) {
    bare[i] = bare[bare[i]];
    i = bare[i];
  }
  return i;
}

/* The last bound of a storage has no interval, and stays bare: a stay ends there at the latest. */
static void paint(struct canvas *canvas, bool ends) {
  uint64_t *colour = ends ? canvas->end : canvas->begin;
  size_t n = 0;
  for (uint32_t i = 0; i < canvas->n; i++) {
    const struct stay *stay = &canvas->stays[i];
    if (stay->begin < stay->end) {
      canvas->items[n++] = (struct berth_sort_item){.key = ends ? ~stay->end : stay->begin, .index = i};
    }
  }
  berth_sort_items(canvas->items, canvas->scratch, n);
  for (uint32_t i = 0; i < canvas->n_bounds; i++) {
    canvas->bare[i] = i;
  }
  for (size_t k = 0; k < n; k++) {
    const struct stay *stay = &canvas->stays[canvas->items[k].index];
    uint32_t i = find_bare(canvas->bare, stay->first);
    while (i < stay->last) {
      colour[i] = ends ? stay->end : stay->begin;
      canvas->bare[i] = i + 1;
      i = find_bare(canvas->bare, i + 1);
    }
  }
}

/* ---- Gaps ---- */

/* Appends the interval, or lengthens the last gap of the same buffer if it goes on with the same window. */
static void put_gap(struct berth_rows *rows, size_t first, const struct canvas *canvas, uint32_t i) {
  struct berth_gap *last = rows->gaps.n > first ? &rows->gaps.items[rows->gaps.n - 1] : NULL;
  if (last != NULL && last->upper == canvas->step[i] && last->window_lower == canvas->begin[i] &&
      last->window_upper == canvas->end[i]) {
    last->upper = canvas->step[i + 1];
    return;
  }
  rows->gaps.items[rows->gaps.n++] = (struct berth_gap){
      .lower = canvas->step[i],
      .upper = canvas->step[i + 1],
      .window_lower = canvas->begin[i],
      .window_upper = canvas->end[i]};
}

/* The storage's lifetime, and its gaps if they are wanted. */
static void close_storage(struct canvas *canvas, uint32_t storage, bool gaps) {
  struct berth_rows *rows = &canvas->builder->problem->rows;
  uint64_t size = rows->size.items[storage];
  size_t first_gap = rows->gaps.n;
  uint32_t i = canvas->first_bound[storage];
  rows->lower.items[storage] = canvas->step[i];
  for (; i + 1 < canvas->n_bounds && canvas->storage[i + 1] == storage; i++) {
    if (gaps && (canvas->begin[i] != 0 || canvas->end[i] != size)) {
      put_gap(rows, first_gap, canvas, i);
    }
  }
  rows->upper.items[storage] = canvas->step[i];
}

static enum berth_code make_gaps(struct canvas *canvas) {
  struct berth_problem_builder *builder = canvas->builder;
  struct berth_problem *problem = builder->problem;
  struct berth_rows *rows = &problem->rows;
  uint32_t n_values = (uint32_t)rows->size.n;
  /* With streams, what is later in the list need not be later: slices say what is held. */
  bool gaps = builder->n_streams == 1;
  if (gaps && (!berth_vec_reserve(&builder->allocator, &rows->gaps, canvas->n_bounds) ||
               !berth_vec_reserve(&builder->allocator, &rows->gap_begin, (size_t)n_values + 1))) {
    return berth_fail_memory(&builder->error);
  }
  if (gaps) {
    rows->gap_begin.items[rows->gap_begin.n++] = 0;
  }
  for (uint32_t value = 0; value < n_values; value++) {
    if (is_external(problem, value) || !is_root(problem, value) ||
        storage_of(canvas->placed, value) != value) {
      continue;
    }
    if (canvas->placed->extent != NULL) {
      rows->size.items[value] = canvas->placed->extent[value];
    }
    if (canvas->first_bound[value] != BERTH_NO_INDEX) {
      close_storage(canvas, value, gaps);
    }
    if (gaps) {
      rows->gap_begin.items[rows->gap_begin.n++] = (uint32_t)rows->gaps.n;
    }
  }
  if (rows->gaps.n == 0) {
    berth_vec_finish(&builder->allocator, &rows->gap_begin);
  }
  return BERTH_OK;
}

enum berth_code berth_builder_join_storage(
    struct berth_problem_builder *builder, const struct berth_inplace_result *placed,
    const struct berth_windows *windows) {
  if (placed->storage == NULL && windows->n == 0) {
    return BERTH_OK;
  }
  struct berth_arena arena;
  berth_arena_init(&arena, &builder->allocator);
  struct canvas canvas = {.builder = builder, .arena = &arena, .placed = placed, .windows = windows};
  enum berth_code code = collect(&canvas);
  if (code == BERTH_OK && canvas.n != 0) {
    if (take(&canvas)) {
      find_bounds(&canvas);
      paint(&canvas, false);
      paint(&canvas, true);
      code = make_gaps(&canvas);
    } else {
      code = berth_fail_memory(&builder->error);
    }
  }
  berth_arena_finish(&arena);
  return code;
}
