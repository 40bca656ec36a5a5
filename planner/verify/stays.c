/* First the windows of the roots that ask for them. A touch of bytes lasts one step, or as long as the
 * outermost loop around it from which the root is wanted in the next trip; what is given is touched at the
 * first step, and what is kept at the last. At step t the root holds the hull of the touches that have begun
 * by t, met with the hull of those that have not ended before t.
 *
 * Then the buffers. A stay is a range of a buffer's bytes that one root holds for a stretch of steps. Over
 * the steps at which any stay of the buffer begins or ends stands a tournament tree: a stay enters its range
 * of bytes at the few nodes that make up its stretch, and the bytes held in an interval are the hull of what
 * is entered on the way up from its leaf. */
#include "verify/stays.h"

#include "base/sort.h"

#define MOST (UINT32_C(1) << 30)

struct bytes {
  uint64_t begin;
  uint64_t end; /* begin >= end: none */
};

struct touch {
  int64_t first;
  int64_t last; /* the touch lasts from the one step to the other */
  struct bytes bytes;
  uint32_t root;
};

struct stay {
  int64_t lower;
  int64_t upper;
  struct bytes bytes;
  uint32_t buffer;
};

struct survey {
  const struct berth_verify_stays_input *input;
  const struct berth_graph *graph;
  struct berth_arena *arena;
  struct touch *touches; /* NULL while they are counted */
  size_t n_touches;
  struct stay *stays;
  size_t n_stays;
  uint32_t *n_tenants; /* by buffer */
  struct berth_sort_item *items;
  struct berth_sort_item *scratch;
};

static struct bytes hull(struct bytes a, struct bytes b) {
  if (a.begin >= a.end || b.begin >= b.end) {
    return a.begin < a.end ? a : b;
  }
  return (struct bytes){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

static struct bytes common(struct bytes a, struct bytes b) {
  return (struct bytes){a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

static bool wants_windows(const struct berth_graph *graph, uint32_t root) {
  return (graph->value_flags[root] & BERTH_VALUE_LIVE_WINDOWS) != 0;
}

static uint32_t buffer_of(const struct survey *survey, uint32_t root) {
  return survey->graph->value_buffer[root];
}

/* ---- Touches ---- */

static void note(struct survey *survey, uint32_t value, uint32_t as, int64_t first, int64_t last) {
  const struct berth_graph *graph = survey->graph;
  uint32_t root = berth_verify_root(graph, value);
  if (!wants_windows(graph, root)) {
    return;
  }
  if (survey->touches != NULL) {
    uint64_t begin = graph->value_view_offset != NULL ? graph->value_view_offset[as] : 0;
    survey->touches[survey->n_touches] = (struct touch){
        .first = first, .last = last, .bytes = {begin, begin + graph->value_size_bytes[as]}, .root = root};
  }
  survey->n_touches++;
}

static void note_run(struct survey *survey, uint32_t op, uint32_t value) {
  const struct berth_verify_roots *roots = survey->input->roots;
  uint32_t root = berth_verify_root(survey->graph, value);
  int64_t first = op;
  int64_t last = op;
  for (uint32_t r = survey->input->region_of[op]; r != 0; r = survey->graph->regions[r - 1].parent + 1) {
    const struct berth_region_spec *region = &survey->graph->regions[r - 1];
    int64_t begin = region->first_operator;
    int64_t end = begin + region->n_operators;
    if (region->kind == BERTH_REGION_LOOP && roots->lower[root] <= begin && roots->upper[root] >= end) {
      first = begin;
      last = end - 1;
    }
  }
  note(survey, value, value, first, last);
}

static void note_all(struct survey *survey) {
  const struct berth_graph *graph = survey->graph;
  const struct berth_verify_roots *roots = survey->input->roots;
  int64_t n_steps = graph->n_operators > 0 ? graph->n_operators : 1;
  survey->n_touches = 0;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t k = graph->input_begin[op]; k < graph->input_begin[op + 1]; k++) {
      note_run(survey, op, graph->inputs[k]);
    }
    for (uint32_t k = graph->output_begin[op]; k < graph->output_begin[op + 1]; k++) {
      note_run(survey, op, graph->outputs[k]);
    }
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    for (uint32_t k = 0; k < region->n_carries; k++) {
      uint32_t root = berth_verify_root(graph, region->carries[k]);
      note(
          survey, root, root, region->first_operator,
          (int64_t)region->first_operator + region->n_operators - 1);
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    enum berth_buffer_class class_ = graph->value_class[v];
    bool is_kept = class_ == BERTH_CLASS_OUTPUT || class_ == BERTH_CLASS_STATE ||
                   class_ == BERTH_CLASS_CONSTANT || (graph->value_flags[v] & BERTH_VALUE_HELD) != 0;
    if (berth_verify_root(graph, v) == v && roots->given[v]) {
      note(survey, v, v, 0, 0);
    }
    if (is_kept) {
      note(survey, v, v, n_steps - 1, n_steps - 1);
    }
  }
}

/* Touches by root, and within a root by their first step, or by their last. */
static void order_touches(struct survey *survey, bool by_last, uint32_t *out) {
  size_t n = survey->n_touches;
  for (size_t i = 0; i < n; i++) {
    const struct touch *touch = &survey->touches[i];
    survey->items[i] = (struct berth_sort_item){
        .key = berth_sort_key_i64(by_last ? touch->last : touch->first), .index = (uint32_t)i};
  }
  berth_sort_items(survey->items, survey->scratch, n);
  for (size_t i = 0; i < n; i++) {
    survey->items[i].key = survey->touches[survey->items[i].index].root;
  }
  berth_sort_items(survey->items, survey->scratch, n);
  for (size_t i = 0; i < n; i++) {
    out[i] = survey->items[i].index;
  }
}

/* ---- Stays ---- */

static void stay(struct survey *survey, uint32_t root, int64_t lower, int64_t upper, struct bytes bytes) {
  uint64_t offset = survey->input->offset[root];
  if (lower < upper) { /* also without bytes: the buffer is not whole then */
    survey->stays[survey->n_stays++] = (struct stay){
        .lower = lower,
        .upper = upper,
        .bytes = {offset + bytes.begin, offset + bytes.end},
        .buffer = buffer_of(survey, root)};
  }
}

/* The stays of one root. `rising` has its n touches by their first step, `falling` by their last; `future[i]`
 * is scratch for the hull of falling[i] and those after it. */
static void stay_by_windows(
    struct survey *survey, const uint32_t *rising, const uint32_t *falling, size_t n, struct bytes *future) {
  const struct touch *touches = survey->touches;
  for (size_t i = n; i-- > 0;) {
    future[i] = hull(i + 1 < n ? future[i + 1] : (struct bytes){0, 0}, touches[falling[i]].bytes);
  }
  struct bytes past = {0, 0};
  size_t begun = 0;
  size_t ended = 0;
  int64_t step = touches[rising[0]].first;
  while (ended < n) {
    for (; begun < n && touches[rising[begun]].first <= step; begun++) {
      past = hull(past, touches[rising[begun]].bytes);
    }
    int64_t next = touches[falling[ended]].last + 1;
    next = begun < n && touches[rising[begun]].first < next ? touches[rising[begun]].first : next;
    stay(survey, touches[rising[0]].root, step, next, common(past, future[ended]));
    step = next;
    while (ended < n && touches[falling[ended]].last < step) {
      ended++;
    }
  }
}

static bool make_window_stays(struct survey *survey) {
  size_t n = survey->n_touches;
  uint32_t *rising = berth_arena_new(survey->arena, uint32_t, n);
  uint32_t *falling = berth_arena_new(survey->arena, uint32_t, n);
  struct bytes *future = berth_arena_new(survey->arena, struct bytes, n);
  if (rising == NULL || falling == NULL || future == NULL) {
    return false;
  }
  order_touches(survey, false, rising);
  order_touches(survey, true, falling);
  for (size_t begin = 0; begin < n;) {
    size_t end = begin;
    while (end < n && survey->touches[rising[end]].root == survey->touches[rising[begin]].root) {
      end++;
    }
    if (buffer_of(survey, survey->touches[rising[begin]].root) != BERTH_NO_INDEX) {
      stay_by_windows(survey, rising + begin, falling + begin, end - begin, future + begin);
    }
    begin = end;
  }
  return true;
}

/* Of roots without windows that share their buffer. */
static void make_whole_stays(struct survey *survey) {
  const struct berth_graph *graph = survey->graph;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    bool shares = berth_verify_root(graph, v) == v && buffer != BERTH_NO_INDEX &&
                  survey->n_tenants[buffer] > 1 && !wants_windows(graph, v);
    if (shares) {
      stay(
          survey, v, survey->input->roots->lower[v], survey->input->roots->upper[v],
          (struct bytes){0, graph->value_size_bytes[v]});
    }
  }
}

static enum berth_code make_stays(struct survey *survey, struct berth_error *err) {
  const struct berth_graph *graph = survey->graph;
  survey->n_tenants = berth_arena_new_zeroed(survey->arena, uint32_t, survey->input->n_buffers);
  if (survey->n_tenants == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (berth_verify_root(graph, v) == v && graph->value_buffer[v] != BERTH_NO_INDEX) {
      survey->n_tenants[graph->value_buffer[v]]++;
    }
  }
  note_all(survey);
  size_t n_touches = survey->n_touches;
  if (n_touches > MOST / 4 || graph->n_values > MOST / 4) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "value.live_windows",
        "%zu touches of values with live windows are more than can be verified", n_touches);
  }
  size_t n_most = 2 * n_touches + graph->n_values;
  survey->touches = berth_arena_new(survey->arena, struct touch, n_touches);
  survey->stays = berth_arena_new(survey->arena, struct stay, n_most);
  survey->items = berth_arena_new(survey->arena, struct berth_sort_item, 2 * n_most);
  survey->scratch = berth_arena_new(survey->arena, struct berth_sort_item, 2 * n_most);
  if (survey->touches == NULL || survey->stays == NULL || survey->items == NULL || survey->scratch == NULL) {
    return berth_fail_memory(err);
  }
  note_all(survey);
  if (!make_window_stays(survey)) {
    return berth_fail_memory(err);
  }
  make_whole_stays(survey);
  return BERTH_OK;
}

/* ---- Hulls ---- */

struct forest {
  uint32_t n_bounds; /* of all buffers, by buffer and then by step */
  int64_t *step;
  uint32_t *buffer;
  uint32_t *lower; /* by stay: the bounds where it begins and ends */
  uint32_t *upper;
  struct bytes *tree; /* 2 n_bounds nodes: the leaves are the intervals from a bound to the next */
};

static bool plant(struct survey *survey, struct forest *forest) {
  size_t n = 2 * survey->n_stays;
  *forest = (struct forest){
      .step = berth_arena_new(survey->arena, int64_t, n),
      .buffer = berth_arena_new(survey->arena, uint32_t, n),
      .lower = berth_arena_new(survey->arena, uint32_t, survey->n_stays),
      .upper = berth_arena_new(survey->arena, uint32_t, survey->n_stays),
      .tree = berth_arena_new_zeroed(survey->arena, struct bytes, 2 * n)};
  if (forest->step == NULL || forest->buffer == NULL || forest->lower == NULL || forest->upper == NULL ||
      forest->tree == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    const struct stay *it = &survey->stays[i / 2];
    survey->items[i] =
        (struct berth_sort_item){.key = berth_sort_key_i64(i % 2 == 0 ? it->lower : it->upper), .index = i};
  }
  berth_sort_items(survey->items, survey->scratch, n);
  for (size_t i = 0; i < n; i++) {
    survey->items[i].key = survey->stays[survey->items[i].index / 2].buffer;
  }
  berth_sort_items(survey->items, survey->scratch, n);
  for (size_t i = 0; i < n; i++) {
    uint32_t item = survey->items[i].index;
    const struct stay *it = &survey->stays[item / 2];
    int64_t step = item % 2 == 0 ? it->lower : it->upper;
    uint32_t at = forest->n_bounds;
    if (at == 0 || forest->buffer[at - 1] != it->buffer || forest->step[at - 1] != step) {
      forest->step[at] = step;
      forest->buffer[at] = it->buffer;
      forest->n_bounds++;
    }
    (item % 2 == 0 ? forest->lower : forest->upper)[item / 2] = forest->n_bounds - 1;
  }
  return true;
}

static void enter(struct forest *forest, uint32_t lower, uint32_t upper, struct bytes bytes) {
  size_t left = (size_t)lower + forest->n_bounds;
  size_t right = (size_t)upper + forest->n_bounds;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 != 0) {
      forest->tree[left] = hull(forest->tree[left], bytes);
      left++;
    }
    if (right % 2 != 0) {
      right--;
      forest->tree[right] = hull(forest->tree[right], bytes);
    }
  }
}

static struct bytes held(const struct forest *forest, uint32_t interval) {
  struct bytes bytes = {0, 0};
  for (size_t node = (size_t)interval + forest->n_bounds; node > 0; node /= 2) {
    bytes = hull(bytes, forest->tree[node]);
  }
  return bytes;
}

/* From the first of a buffer's bounds to its last, all but the whole buffer is a gap. */
static bool
make_gaps(const struct survey *survey, const struct forest *forest, struct berth_verify_gaps *out) {
  out->begin = berth_arena_new_zeroed(survey->arena, uint32_t, (size_t)survey->input->n_buffers + 1);
  out->items = berth_arena_new(survey->arena, struct berth_gap, forest->n_bounds);
  if (out->begin == NULL || out->items == NULL) {
    return false;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i + 1 < forest->n_bounds; i++) {
    uint32_t buffer = forest->buffer[i];
    struct bytes bytes = held(forest, i);
    bool whole = bytes.begin == 0 && bytes.end == survey->input->size[buffer];
    if (forest->buffer[i + 1] != buffer || whole) {
      continue;
    }
    out->items[n++] = (struct berth_gap){
        .lower = forest->step[i],
        .upper = forest->step[i + 1],
        .window_lower = bytes.begin,
        .window_upper = bytes.end};
    out->begin[buffer + 1]++;
  }
  for (uint32_t b = 0; b < survey->input->n_buffers; b++) {
    out->begin[b + 1] += out->begin[b];
  }
  return true;
}

enum berth_code berth_verify_stays(
    const struct berth_verify_stays_input *input, struct berth_arena *arena, struct berth_verify_gaps *out,
    struct berth_error *err) {
  struct survey survey = {.input = input, .graph = input->roots->graph, .arena = arena};
  struct forest forest;
  enum berth_code code = make_stays(&survey, err);
  if (code != BERTH_OK) {
    return code;
  }
  if (!plant(&survey, &forest)) {
    return berth_fail_memory(err);
  }
  for (size_t i = 0; i < survey.n_stays; i++) {
    enter(&forest, forest.lower[i], forest.upper[i], survey.stays[i].bytes);
  }
  return make_gaps(&survey, &forest, out) ? BERTH_OK : berth_fail_memory(err);
}
