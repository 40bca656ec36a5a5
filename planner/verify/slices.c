/* A touch is a range of a buffer's bytes, and who touches it: an operator, all of a loop that the value is
 * around, or the outside, which gives before everything and keeps after it. Over the bytes at which any touch
 * of a buffer begins or ends stands a tournament tree: a touch is entered at the few nodes that make up its
 * range, as what it says of every stream; what is true of the bytes from one bound to the next is what is
 * entered on the way up from there. */
#include "verify/slices.h"

#include <string.h>

#include "base/sort.h"

#define MOST_ENTRIES (UINT32_C(1) << 27)

enum source { OPERATOR, REGION, GIVEN, KEPT };

struct touch {
  uint64_t begin;
  uint64_t end;
  uint32_t buffer;
  uint32_t by; /* operator or region */
  enum source source;
};

struct survey {
  const struct berth_verify_stays_input *input;
  const struct berth_verify_order *order;
  const struct berth_graph *graph;
  struct berth_arena *arena;
  bool *is_cut; /* by buffer */
  size_t n;
  struct touch *touches; /* NULL while they are counted */
  /* Bounds, by buffer and then by byte; the leaves of the tree are the ranges from a bound to the next. */
  uint32_t n_bounds;
  uint64_t *byte;
  uint32_t *buffer;
  uint32_t *first; /* by touch: the bounds where it begins and ends */
  uint32_t *end;
  int64_t *lower; /* by node: steps, */
  int64_t *upper;
  uint32_t *last; /* and rows of streams */
  uint32_t *sure;
};

/* ---- Touches ---- */

/* Whose root asks for windows is touched by name, others whole. */
static void note(struct survey *survey, uint32_t value, enum source source, uint32_t by) {
  const struct berth_graph *graph = survey->graph;
  uint32_t root = berth_verify_root(graph, value);
  uint32_t buffer = graph->value_buffer[root];
  bool by_name = (graph->value_flags[root] & BERTH_VALUE_LIVE_WINDOWS) != 0;
  uint64_t in_root = by_name && graph->value_view_offset != NULL ? graph->value_view_offset[value] : 0;
  uint64_t size = graph->value_size_bytes[by_name ? value : root];
  if (buffer == BERTH_NO_INDEX || !survey->is_cut[buffer] || size == 0) {
    return;
  }
  if (survey->touches != NULL) {
    uint64_t begin = survey->input->offset[root] + in_root;
    survey->touches[survey->n] =
        (struct touch){.begin = begin, .end = begin + size, .buffer = buffer, .by = by, .source = source};
  }
  survey->n++;
}

static void note_list(struct survey *survey, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  const struct berth_graph *graph = survey->graph;
  const struct berth_verify_roots *roots = survey->input->roots;
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    uint32_t root = berth_verify_root(graph, values[k]);
    note(survey, values[k], OPERATOR, op);
    for (uint32_t r = survey->input->region_of[op]; r != 0; r = graph->regions[r - 1].parent + 1) {
      const struct berth_region_spec *region = &graph->regions[r - 1];
      int64_t end = (int64_t)region->first_operator + region->n_operators;
      if (region->kind == BERTH_REGION_LOOP && roots->lower[root] <= (int64_t)region->first_operator &&
          roots->upper[root] >= end) {
        note(survey, values[k], REGION, r - 1);
      }
    }
  }
}

static void note_all(struct survey *survey) {
  const struct berth_graph *graph = survey->graph;
  survey->n = 0;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    note_list(survey, op, graph->input_begin, graph->inputs);
    note_list(survey, op, graph->output_begin, graph->outputs);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    for (uint32_t k = 0; k < graph->regions[r].n_carries; k++) {
      note(survey, berth_verify_root(graph, graph->regions[r].carries[k]), REGION, r);
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    enum berth_buffer_class class_ = graph->value_class[v];
    if (berth_verify_root(graph, v) == v && survey->input->roots->given[v]) {
      note(survey, v, GIVEN, 0);
    }
    if (class_ == BERTH_CLASS_OUTPUT || class_ == BERTH_CLASS_STATE || class_ == BERTH_CLASS_CONSTANT ||
        (graph->value_flags[v] & BERTH_VALUE_HELD) != 0) {
      note(survey, v, KEPT, 0);
    }
  }
}

/* Buffers that several roots live in, or one that asks for windows. */
static bool find_cut(struct survey *survey) {
  const struct berth_graph *graph = survey->graph;
  uint32_t *n_tenants = berth_arena_new_zeroed(survey->arena, uint32_t, survey->input->n_buffers);
  survey->is_cut = berth_arena_new_zeroed(survey->arena, bool, survey->input->n_buffers);
  for (uint32_t v = 0; n_tenants != NULL && survey->is_cut != NULL && v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    if (berth_verify_root(graph, v) == v && buffer != BERTH_NO_INDEX) {
      bool windows = (graph->value_flags[v] & BERTH_VALUE_LIVE_WINDOWS) != 0;
      survey->is_cut[buffer] = survey->is_cut[buffer] || windows || ++n_tenants[buffer] > 1;
    }
  }
  return n_tenants != NULL && survey->is_cut != NULL;
}

/* ---- The tree ---- */

static bool plant(struct survey *survey) {
  size_t n = 2 * survey->n;
  struct berth_sort_item *items = berth_arena_new(survey->arena, struct berth_sort_item, n);
  struct berth_sort_item *scratch = berth_arena_new(survey->arena, struct berth_sort_item, n);
  survey->byte = berth_arena_new(survey->arena, uint64_t, n);
  survey->buffer = berth_arena_new(survey->arena, uint32_t, n);
  survey->first = berth_arena_new(survey->arena, uint32_t, survey->n);
  survey->end = berth_arena_new(survey->arena, uint32_t, survey->n);
  if (items == NULL || scratch == NULL || survey->byte == NULL || survey->buffer == NULL ||
      survey->first == NULL || survey->end == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    const struct touch *touch = &survey->touches[i / 2];
    items[i] = (struct berth_sort_item){.key = i % 2 == 0 ? touch->begin : touch->end, .index = i};
  }
  berth_sort_items(items, scratch, n);
  for (size_t i = 0; i < n; i++) {
    items[i].key = survey->touches[items[i].index / 2].buffer;
  }
  berth_sort_items(items, scratch, n);
  for (size_t i = 0; i < n; i++) {
    uint32_t item = items[i].index;
    const struct touch *touch = &survey->touches[item / 2];
    uint64_t byte = item % 2 == 0 ? touch->begin : touch->end;
    uint32_t at = survey->n_bounds;
    if (at == 0 || survey->buffer[at - 1] != touch->buffer || survey->byte[at - 1] != byte) {
      survey->byte[at] = byte;
      survey->buffer[at] = touch->buffer;
      survey->n_bounds++;
    }
    (item % 2 == 0 ? survey->first : survey->end)[item / 2] = survey->n_bounds - 1;
  }
  return true;
}

static bool clear(struct survey *survey) {
  size_t n_nodes = 2 * (size_t)survey->n_bounds;
  size_t n_entries = n_nodes * survey->order->n_streams;
  survey->lower = berth_arena_new(survey->arena, int64_t, n_nodes);
  survey->upper = berth_arena_new_zeroed(survey->arena, int64_t, n_nodes);
  survey->last = berth_arena_new_zeroed(survey->arena, uint32_t, n_entries);
  survey->sure = berth_arena_new(survey->arena, uint32_t, n_entries);
  if (survey->lower == NULL || survey->upper == NULL || survey->last == NULL || survey->sure == NULL) {
    return false;
  }
  for (size_t node = 0; node < n_nodes; node++) {
    survey->lower[node] = INT64_MAX;
  }
  memset(survey->sure, 0xff, n_entries * sizeof(uint32_t));
  return true;
}

static uint32_t *row(const struct survey *survey, uint32_t *rows, size_t node) {
  return rows + node * survey->order->n_streams;
}

static void stretch(struct survey *survey, size_t node, int64_t lower, int64_t upper) {
  survey->lower[node] = lower < survey->lower[node] ? lower : survey->lower[node];
  survey->upper[node] = upper > survey->upper[node] ? upper : survey->upper[node];
}

static void tell(struct survey *survey, size_t node, const struct touch *touch) {
  const struct berth_graph *graph = survey->graph;
  uint32_t *last = row(survey, survey->last, node);
  uint32_t *sure = row(survey, survey->sure, node);
  int64_t n_steps = graph->n_operators;
  switch (touch->source) {
  case OPERATOR:
    berth_verify_order_note(survey->order, last, sure, touch->by);
    stretch(survey, node, touch->by, (int64_t)touch->by + 1);
    break;
  case REGION: {
    const struct berth_region_spec *region = &graph->regions[touch->by];
    berth_verify_order_note_region(survey->order, last, sure, touch->by);
    stretch(survey, node, region->first_operator, (int64_t)region->first_operator + region->n_operators);
    break;
  }
  case GIVEN:
    memset(sure, 0, survey->order->n_streams * sizeof *sure);
    stretch(survey, node, 0, 1);
    break;
  case KEPT:
    memset(last, 0xff, survey->order->n_streams * sizeof *last);
    stretch(survey, node, n_steps - 1, n_steps);
    break;
  }
}

static void enter(struct survey *survey, uint32_t i) {
  size_t left = (size_t)survey->first[i] + survey->n_bounds;
  size_t right = (size_t)survey->end[i] + survey->n_bounds;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 != 0) {
      tell(survey, left++, &survey->touches[i]);
    }
    if (right % 2 != 0) {
      tell(survey, --right, &survey->touches[i]);
    }
  }
}

/* ---- Slices ---- */

/* What is true of the bytes after the bound, from its leaf up. */
static struct berth_slice
gather(const struct survey *survey, uint32_t bound, uint32_t *out_last, uint32_t *out_sure) {
  struct berth_slice slice = {
      .window_lower = survey->byte[bound], .window_upper = survey->byte[bound + 1], .lower = INT64_MAX};
  uint32_t n_streams = survey->order->n_streams;
  memset(out_last, 0, n_streams * sizeof *out_last);
  memset(out_sure, 0xff, n_streams * sizeof *out_sure);
  for (size_t node = (size_t)bound + survey->n_bounds; node > 0; node /= 2) {
    const uint32_t *last = row(survey, survey->last, node);
    const uint32_t *sure = row(survey, survey->sure, node);
    slice.lower = survey->lower[node] < slice.lower ? survey->lower[node] : slice.lower;
    slice.upper = survey->upper[node] > slice.upper ? survey->upper[node] : slice.upper;
    for (uint32_t s = 0; s < n_streams; s++) {
      out_last[s] = last[s] > out_last[s] ? last[s] : out_last[s];
      out_sure[s] = sure[s] < out_sure[s] ? sure[s] : out_sure[s];
    }
  }
  berth_verify_order_settle(survey->order, out_last);
  return slice;
}

static bool list(const struct survey *survey, struct berth_verify_slices *out) {
  uint32_t n_streams = survey->order->n_streams;
  size_t n_entries = (size_t)survey->n_bounds * n_streams;
  out->begin = berth_arena_new_zeroed(survey->arena, uint32_t, (size_t)survey->input->n_buffers + 1);
  out->items = berth_arena_new(survey->arena, struct berth_slice, survey->n_bounds);
  out->last = berth_arena_new(survey->arena, uint32_t, n_entries);
  out->sure = berth_arena_new(survey->arena, uint32_t, n_entries);
  if (out->begin == NULL || out->items == NULL || out->last == NULL || out->sure == NULL) {
    return false;
  }
  for (uint32_t bound = 0; bound + 1 < survey->n_bounds; bound++) {
    if (survey->buffer[bound] != survey->buffer[bound + 1]) {
      continue;
    }
    uint32_t *last = out->last + (size_t)out->n * n_streams;
    uint32_t *sure = out->sure + (size_t)out->n * n_streams;
    out->items[out->n] = gather(survey, bound, last, sure);
    if (out->items[out->n].upper > 0) { /* else nobody touches these bytes */
      out->begin[survey->buffer[bound] + 1]++;
      out->n++;
    }
  }
  for (uint32_t b = 0; b < survey->input->n_buffers; b++) {
    out->begin[b + 1] += out->begin[b];
  }
  return true;
}

enum berth_code berth_verify_slices(
    const struct berth_verify_stays_input *input, const struct berth_verify_order *order,
    struct berth_arena *arena, struct berth_verify_slices *out, struct berth_error *err) {
  struct survey survey = {.input = input, .order = order, .graph = input->roots->graph, .arena = arena};
  *out = (struct berth_verify_slices){0};
  if (!find_cut(&survey)) {
    return berth_fail_memory(err);
  }
  note_all(&survey);
  if (survey.n > MOST_ENTRIES / 4 / order->n_streams) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "value.live_windows",
        "%zu touches on %u streams are more than can be verified", survey.n, order->n_streams);
  }
  survey.touches = berth_arena_new(arena, struct touch, survey.n);
  if (survey.touches == NULL) {
    return berth_fail_memory(err);
  }
  note_all(&survey);
  if (!plant(&survey) || !clear(&survey)) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < survey.n; i++) {
    enter(&survey, i);
  }
  return list(&survey, out) ? BERTH_OK : berth_fail_memory(err);
}
