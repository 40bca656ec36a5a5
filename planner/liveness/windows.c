#include "liveness/windows.h"

#include "base/sort.h"
#include "liveness/liveness.h"

#define MAX_ACCESSES (UINT32_C(1) << 31)

struct access {
  int64_t step;
  uint64_t begin;
  uint64_t end;
  uint32_t root;
};

/* A hull of ranges; begin >= end while it is empty. */
struct hull {
  uint64_t begin;
  uint64_t end;
};

struct pass {
  const struct berth_windows_input *input;
  struct access *accesses; /* NULL while they are counted */
  size_t n;
};

static bool asks(const struct berth_graph *graph, uint32_t root) {
  return (graph->value_flags[root] & BERTH_VALUE_LIVE_WINDOWS) != 0;
}

static struct hull bytes_of(const struct berth_graph *graph, uint32_t value) {
  uint64_t begin = graph->value_view_offset != NULL ? graph->value_view_offset[value] : 0;
  return (struct hull){begin, begin + graph->value_size_bytes[value]};
}

static void add(struct pass *pass, int64_t step, uint32_t root, struct hull bytes) {
  if (pass->accesses != NULL) {
    pass->accesses[pass->n] =
        (struct access){.step = step, .begin = bytes.begin, .end = bytes.end, .root = root};
  }
  pass->n++;
}

/* ---- Who touches what, when ---- */

/* Loops around the operator that the root outlives. */
static void add_loops(struct pass *pass, uint32_t op, uint32_t root, struct hull bytes) {
  const struct berth_windows_input *input = pass->input;
  for (uint32_t r = input->innermost[op]; r != BERTH_NO_INDEX; r = input->graph->regions[r].parent) {
    const struct berth_region_spec *region = &input->graph->regions[r];
    int64_t first = region->first_operator;
    int64_t end = first + region->n_operators;
    if (region->kind == BERTH_REGION_LOOP && input->lower[root] <= first && input->upper[root] >= end) {
      add(pass, first, root, bytes);
      add(pass, end - 1, root, bytes);
    }
  }
}

static void add_list(struct pass *pass, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  const struct berth_graph *graph = pass->input->graph;
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t root = berth_liveness_root(graph, values[i]);
    if (!asks(graph, root)) {
      continue;
    }
    add(pass, op, root, bytes_of(graph, values[i]));
    if (pass->input->innermost != NULL) {
      add_loops(pass, op, root, bytes_of(graph, values[i]));
    }
  }
}

static bool is_kept(const struct berth_graph *graph, uint32_t value) {
  enum berth_buffer_class class_ = graph->value_class[value];
  return (graph->value_flags[value] & BERTH_VALUE_HELD) != 0 || class_ == BERTH_CLASS_OUTPUT ||
         class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
}

static void add_ends(struct pass *pass, uint32_t value) {
  const struct berth_graph *graph = pass->input->graph;
  uint32_t root = berth_liveness_root(graph, value);
  if (!asks(graph, root)) {
    return;
  }
  if (root == value && (pass->input->family[root] & BERTH_FAMILY_GIVEN) != 0) {
    add(pass, 0, root, bytes_of(graph, root));
  }
  if (is_kept(graph, value)) {
    add(pass, berth_liveness_n_steps(graph) - 1, root, bytes_of(graph, value));
  }
}

static void add_carries(struct pass *pass, const struct berth_region_spec *region) {
  const struct berth_graph *graph = pass->input->graph;
  for (uint32_t i = 0; i < region->n_carries; i++) {
    uint32_t root = berth_liveness_root(graph, region->carries[i]);
    if (asks(graph, root)) {
      add(pass, region->first_operator, root, bytes_of(graph, root));
      add(pass, (int64_t)region->first_operator + region->n_operators - 1, root, bytes_of(graph, root));
    }
  }
}

static void add_all(struct pass *pass) {
  const struct berth_graph *graph = pass->input->graph;
  pass->n = 0;
  for (uint32_t value = 0; value < graph->n_values; value++) {
    add_ends(pass, value);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    add_list(pass, op, graph->input_begin, graph->inputs);
    add_list(pass, op, graph->output_begin, graph->outputs);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    add_carries(pass, &graph->regions[r]);
  }
}

/* By root, then by time. */
static struct access *sort(const struct pass *pass, struct berth_arena *arena) {
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, pass->n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, pass->n);
  struct access *sorted = berth_arena_new(arena, struct access, pass->n);
  if (items == NULL || scratch == NULL || sorted == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < pass->n; i++) {
    items[i] =
        (struct berth_sort_item){.key = berth_sort_key_i64(pass->accesses[i].step), .index = (uint32_t)i};
  }
  berth_sort_items(items, scratch, pass->n);
  for (size_t i = 0; i < pass->n; i++) {
    items[i].key = pass->accesses[items[i].index].root;
  }
  berth_sort_items(items, scratch, pass->n);
  for (size_t i = 0; i < pass->n; i++) {
    sorted[i] = pass->accesses[items[i].index];
  }
  return sorted;
}

/* ---- Windows ---- */

static struct hull with(struct hull a, uint64_t begin, uint64_t end) {
  if (begin >= end) {
    return a;
  }
  if (a.begin >= a.end) {
    return (struct hull){begin, end};
  }
  return (struct hull){begin < a.begin ? begin : a.begin, end > a.end ? end : a.end};
}

static void
put(struct berth_windows *out, uint32_t root, int64_t lower, int64_t upper, struct hull past,
    struct hull future) {
  uint64_t begin = past.begin > future.begin ? past.begin : future.begin;
  uint64_t end = past.end < future.end ? past.end : future.end;
  if (lower >= upper || begin >= end) {
    return;
  }
  struct berth_window *last = out->n > 0 ? &out->items[out->n - 1] : NULL;
  if (last != NULL && last->root == root && last->upper == lower && last->begin == begin &&
      last->end == end) {
    last->upper = upper;
    return;
  }
  out->items[out->n++] =
      (struct berth_window){.lower = lower, .upper = upper, .begin = begin, .end = end, .root = root};
}

/* The windows of one root with n accesses; `future[i]` is scratch for the hull of access i and those after.
 */
static void make(const struct access *accesses, size_t n, struct hull *future, struct berth_windows *out) {
  for (size_t i = n; i-- > 0;) {
    future[i] = with(i + 1 < n ? future[i + 1] : (struct hull){0, 0}, accesses[i].begin, accesses[i].end);
  }
  struct hull past = {0, 0};
  for (size_t i = 0; i < n;) {
    size_t first = i;
    int64_t step = accesses[i].step;
    for (; i < n && accesses[i].step == step; i++) {
      past = with(past, accesses[i].begin, accesses[i].end);
    }
    put(out, accesses[first].root, step, step + 1, past, future[first]);
    if (i < n) {
      put(out, accesses[first].root, step + 1, accesses[i].step, past, future[i]);
    }
  }
}

enum berth_windows_outcome berth_windows_derive(
    const struct berth_windows_input *input, struct berth_arena *arena, struct berth_windows *out) {
  struct pass pass = {.input = input};
  add_all(&pass);
  if (pass.n > MAX_ACCESSES) {
    return BERTH_WINDOWS_TOO_MANY;
  }
  *out = (struct berth_windows){.items = berth_arena_new(arena, struct berth_window, 2 * pass.n)};
  struct berth_arena_mark mark = berth_arena_mark(arena);
  pass.accesses = berth_arena_new(arena, struct access, pass.n);
  struct hull *future = berth_arena_new(arena, struct hull, pass.n);
  if (out->items == NULL || pass.accesses == NULL || future == NULL) {
    return BERTH_WINDOWS_OUT_OF_MEMORY;
  }
  add_all(&pass);
  const struct access *sorted = sort(&pass, arena);
  if (sorted == NULL) {
    return BERTH_WINDOWS_OUT_OF_MEMORY;
  }
  for (size_t begin = 0; begin < pass.n;) {
    size_t end = begin;
    while (end < pass.n && sorted[end].root == sorted[begin].root) {
      end++;
    }
    make(sorted + begin, end - begin, future + begin, out);
    begin = end;
  }
  berth_arena_rewind(arena, mark);
  return BERTH_WINDOWS_OK;
}
