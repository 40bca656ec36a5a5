#include "problem/problem.h"

#include <stddef.h>

#include "problem/names.h"

static void finish_rows(const struct berth_allocator *allocator, struct berth_rows *rows) {
  berth_vec_finish(allocator, &rows->size);
  berth_vec_finish(allocator, &rows->alignment);
  berth_vec_finish(allocator, &rows->lower);
  berth_vec_finish(allocator, &rows->upper);
  berth_vec_finish(allocator, &rows->class_);
  berth_vec_finish(allocator, &rows->pin);
  berth_vec_finish(allocator, &rows->gap_begin);
  berth_vec_finish(allocator, &rows->gaps);
  berth_vec_finish(allocator, &rows->pool_begin);
  berth_vec_finish(allocator, &rows->pools);
  berth_vec_finish(allocator, &rows->choice_begin);
  berth_vec_finish(allocator, &rows->choices);
  berth_vec_finish(allocator, &rows->accesses);
}

static void finish_graph(const struct berth_allocator *allocator, struct berth_graph_columns *columns) {
  berth_vec_finish(allocator, &columns->value_size);
  berth_vec_finish(allocator, &columns->value_alignment);
  berth_vec_finish(allocator, &columns->value_class);
  berth_vec_finish(allocator, &columns->value_pin);
  berth_vec_finish(allocator, &columns->value_pool_begin);
  berth_vec_finish(allocator, &columns->value_pools);
  berth_vec_finish(allocator, &columns->value_accesses);
  berth_vec_finish(allocator, &columns->value_flags);
  berth_vec_finish(allocator, &columns->value_buffer);
  berth_vec_finish(allocator, &columns->value_offset);
  berth_vec_finish(allocator, &columns->permissions);
  berth_vec_finish(allocator, &columns->view_of);
  berth_vec_finish(allocator, &columns->view_offset);
  berth_vec_finish(allocator, &columns->buffer_item);
  berth_vec_finish(allocator, &columns->input_begin);
  berth_vec_finish(allocator, &columns->inputs);
  berth_vec_finish(allocator, &columns->output_begin);
  berth_vec_finish(allocator, &columns->outputs);
  berth_vec_finish(allocator, &columns->workspace);
  berth_vec_finish(allocator, &columns->stream);
  berth_vec_finish(allocator, &columns->wait_begin);
  berth_vec_finish(allocator, &columns->waits);
  berth_vec_finish(allocator, &columns->syncs);
  berth_vec_finish(allocator, &columns->regions);
  berth_vec_finish(allocator, &columns->carries);
}

static void finish_groups(const struct berth_allocator *allocator, struct berth_group_columns *groups) {
  berth_vec_finish(allocator, &groups->specs);
  berth_vec_finish(allocator, &groups->items);
  berth_vec_finish(allocator, &groups->group);
  berth_vec_finish(allocator, &groups->distance);
  berth_vec_finish(allocator, &groups->storage);
  berth_vec_finish(allocator, &groups->stated_pool_begin);
  berth_vec_finish(allocator, &groups->stated_pools);
  berth_vec_finish(allocator, &groups->begin);
  berth_vec_finish(allocator, &groups->members);
  berth_vec_finish(allocator, &groups->alignment);
  berth_vec_finish(allocator, &groups->span);
}

void berth_problem_finish(struct berth_problem *problem) {
  const struct berth_allocator *allocator = &problem->allocator;
  finish_rows(allocator, &problem->rows);
  berth_names_finish(allocator, &problem->names);
  berth_names_finish(allocator, &problem->operator_names);
  berth_names_finish(allocator, &problem->pool_names);
  berth_vec_finish(allocator, &problem->spills);
  berth_vec_finish(allocator, &problem->conflicts);
  berth_vec_finish(allocator, &problem->clock_lower);
  berth_vec_finish(allocator, &problem->clock_upper);
  berth_vec_finish(allocator, &problem->slice_begin);
  berth_vec_finish(allocator, &problem->slices);
  berth_vec_finish(allocator, &problem->slice_clock_lower);
  berth_vec_finish(allocator, &problem->slice_clock_upper);
  berth_vec_finish(allocator, &problem->pools);
  finish_graph(allocator, &problem->columns);
  berth_problem_finish_symbols(problem);
  finish_groups(allocator, &problem->groups);
  berth_problem_finish_parts(problem);
}

struct berth_problem *berth_problem_ref(struct berth_problem *problem) {
  atomic_fetch_add_explicit(&problem->n_refs, 1, memory_order_relaxed);
  return problem;
}

void berth_problem_unref(struct berth_problem *problem) {
  if (problem == NULL || atomic_fetch_sub_explicit(&problem->n_refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  struct berth_allocator allocator = problem->allocator;
  berth_problem_finish(problem);
  allocator.resize(allocator.ctx, problem, sizeof *problem, 0);
}

/* ---- Views ---- */

static void trim(struct berth_problem *problem) {
  const struct berth_allocator *allocator = &problem->allocator;
  struct berth_rows *rows = &problem->rows;
  berth_vec_trim(allocator, &rows->size);
  berth_vec_trim(allocator, &rows->alignment);
  berth_vec_trim(allocator, &rows->lower);
  berth_vec_trim(allocator, &rows->upper);
  berth_vec_trim(allocator, &rows->class_);
  berth_vec_trim(allocator, &rows->pin);
  berth_vec_trim(allocator, &rows->gap_begin);
  berth_vec_trim(allocator, &rows->gaps);
  berth_vec_trim(allocator, &rows->pool_begin);
  berth_vec_trim(allocator, &rows->pools);
  berth_vec_trim(allocator, &rows->choices);
  berth_vec_trim(allocator, &rows->accesses);
  berth_vec_trim(allocator, &problem->names.blob);
  berth_vec_trim(allocator, &problem->names.end);
  berth_vec_trim(allocator, &problem->conflicts);
  berth_vec_trim(allocator, &problem->clock_lower);
  berth_vec_trim(allocator, &problem->clock_upper);
  berth_vec_trim(allocator, &problem->slice_begin);
  berth_vec_trim(allocator, &problem->slices);
  berth_vec_trim(allocator, &problem->slice_clock_lower);
  berth_vec_trim(allocator, &problem->slice_clock_upper);
}

void berth_problem_view_graph(struct berth_problem *problem) {
  struct berth_graph_columns *columns = &problem->columns;
  const struct berth_rows *rows = &problem->rows;
  bool apart = columns->value_size.n != 0;
  problem->graph_view = (struct berth_graph){
      .n_values = (uint32_t)columns->value_flags.n,
      .n_operators = (uint32_t)columns->workspace.n,
      .value_size_bytes = apart ? columns->value_size.items : rows->size.items,
      .value_alignment = apart ? columns->value_alignment.items : rows->alignment.items,
      .value_class = apart ? columns->value_class.items : rows->class_.items,
      .value_flags = columns->value_flags.items,
      .value_buffer = columns->value_buffer.items,
      .value_offset = columns->value_offset.n != 0 ? columns->value_offset.items : NULL,
      .value_root = columns->view_of.n != 0 ? columns->view_of.items : NULL,
      .value_view_offset = columns->view_offset.n != 0 ? columns->view_offset.items : NULL,
      .input_begin = columns->input_begin.items,
      .inputs = columns->inputs.items,
      .output_begin = columns->output_begin.items,
      .outputs = columns->outputs.items,
      .operator_workspace = columns->workspace.items,
      .operator_stream = columns->stream.n != 0 ? columns->stream.items : NULL,
      .wait_begin = columns->stream.n != 0 ? columns->wait_begin.items : NULL,
      .waits = columns->waits.items,
      .n_syncs = (uint32_t)columns->syncs.n,
      .syncs = columns->syncs.items,
      .n_regions = (uint32_t)columns->regions.n,
      .regions = columns->regions.items,
  };
}

static void view_groups(struct berth_problem *problem) {
  struct berth_group_columns *groups = &problem->groups;
  size_t n = 0;
  for (size_t i = 0; i < groups->specs.n; i++) {
    groups->specs.items[i].members = groups->items.items + n;
    n += groups->specs.items[i].n_members;
  }
  problem->groups_view = (struct berth_groups){.n = (uint32_t)groups->specs.n, .items = groups->specs.items};
  if (groups->alignment.n != 0) {
    problem->buffers_view.rigid = (struct berth_rigid){
        .n = (uint32_t)groups->alignment.n,
        .group = groups->group.items,
        .distance = groups->distance.items,
        .storage = groups->storage.items,
        .begin = groups->begin.items,
        .members = groups->members.items,
        .alignment = groups->alignment.items,
        .span_bytes = groups->span.items};
  }
}

void berth_problem_make_views(struct berth_problem *problem) {
  trim(problem);
  const struct berth_rows *rows = &problem->rows;
  problem->buffers_view = (struct berth_buffers){
      .n = (uint32_t)rows->size.n,
      .size_bytes = rows->size.items,
      .alignment = rows->alignment.items,
      .lower = rows->lower.items,
      .upper = rows->upper.items,
      .class_ = rows->class_.items,
      .pinned_offset = rows->pin.n != 0 ? rows->pin.items : NULL,
      .gap_begin = rows->gap_begin.n != 0 ? rows->gap_begin.items : NULL,
      .gaps = rows->gaps.items,
      .pool_begin = rows->pool_begin.n != 0 ? rows->pool_begin.items : NULL,
      .pools = rows->pools.items,
      .choice_begin = rows->choice_begin.n != 0 ? rows->choice_begin.items : NULL,
      .choices = rows->choices.items,
      .accesses = rows->accesses.n != 0 ? rows->accesses.items : NULL,
      .n_conflicts = (uint32_t)problem->conflicts.n,
      .conflicts = (const uint32_t(*)[2])problem->conflicts.items,
      .n_clocks = problem->n_clocks,
      .clock_lower = problem->clock_lower.items,
      .clock_upper = problem->clock_upper.items,
      .slice_begin = problem->slice_begin.n != 0 ? problem->slice_begin.items : NULL,
      .slices = problem->slices.items,
      .slice_clock_lower = problem->slice_clock_lower.items,
      .slice_clock_upper = problem->slice_clock_upper.items,
  };
  for (uint32_t pool = 0; pool < problem->pools.n; pool++) {
    problem->pools.items[pool].name = berth_names_get(&problem->pool_names, pool);
  }
  problem->pools_view = (struct berth_pools){.n = (uint32_t)problem->pools.n, .items = problem->pools.items};
  view_groups(problem);
  problem->permissions_view = (struct berth_permissions){
      .n = (uint32_t)problem->columns.permissions.n, .items = problem->columns.permissions.items};
  if (problem->is_graph) {
    berth_problem_view_graph(problem);
  }
  berth_problem_view_symbols(problem);
}

static const char *const ANSWER_NAMES[] = {
#define X(name, text) #name,
    BERTH_INPLACE_ANSWERS(X)
#undef X
};

static const char *const ANSWER_TEXTS[] = {
#define X(name, text) text,
    BERTH_INPLACE_ANSWERS(X)
#undef X
};

const char *berth_inplace_answer_name(enum berth_inplace_answer answer) {
  return (unsigned)answer < BERTH_N_INPLACE_ANSWERS ? ANSWER_NAMES[answer] : "?";
}

const char *berth_inplace_answer_text(enum berth_inplace_answer answer) {
  return (unsigned)answer < BERTH_N_INPLACE_ANSWERS ? ANSWER_TEXTS[answer] : "?";
}

const struct berth_permissions *berth_problem_permissions(const struct berth_problem *problem) {
  return &problem->permissions_view;
}

const struct berth_buffers *berth_problem_buffers(const struct berth_problem *problem) {
  return &problem->buffers_view;
}

const struct berth_pools *berth_problem_pools(const struct berth_problem *problem) {
  return &problem->pools_view;
}

const struct berth_groups *berth_problem_groups(const struct berth_problem *problem) {
  return &problem->groups_view;
}

const struct berth_graph *berth_problem_graph(const struct berth_problem *problem) {
  return problem->is_graph ? &problem->graph_view : NULL;
}

struct berth_text berth_problem_buffer_id(const struct berth_problem *problem, uint32_t buffer) {
  if (!problem->is_graph) {
    return berth_names_get(&problem->names, buffer);
  }
  if (buffer >= problem->columns.buffer_item.n) {
    return (struct berth_text){0};
  }
  uint32_t item = problem->columns.buffer_item.items[buffer];
  return buffer < problem->n_value_buffers ? berth_names_get(&problem->names, item)
                                           : berth_names_get(&problem->operator_names, item);
}

/* Values come first in the list, then workspaces, each in their order. */
static const struct berth_dynamic_item *
find_dynamic(const struct berth_problem *problem, bool is_workspace, uint32_t item) {
  struct berth_dynamic dynamic = berth_problem_dynamic(problem);
  uint32_t first = 0;
  uint32_t end = dynamic.n;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    const struct berth_dynamic_item *at = &dynamic.items[middle];
    bool before = at->is_workspace == is_workspace ? at->item < item : is_workspace;
    first = before ? middle + 1 : first;
    end = before ? end : middle;
  }
  bool found = first < dynamic.n && dynamic.items[first].is_workspace == is_workspace &&
               dynamic.items[first].item == item;
  return found ? &dynamic.items[first] : NULL;
}

uint64_t berth_problem_workspace_alignment(const struct berth_problem *problem, uint32_t op) {
  uint32_t buffer = problem->graph_view.operator_workspace[op];
  const struct berth_dynamic_item *item = find_dynamic(problem, true, op);
  return buffer != BERTH_NO_INDEX ? problem->buffers_view.alignment[buffer]
         : item != NULL           ? item->alignment
                                  : 1;
}

const uint32_t *
berth_problem_stated_pools(const struct berth_problem *problem, uint32_t buffer, uint32_t *out_n) {
  bool apart = problem->groups.has_stated_pools;
  const uint32_t *begin = apart ? problem->groups.stated_pool_begin.items : problem->buffers_view.pool_begin;
  const uint32_t *pools = apart ? problem->groups.stated_pools.items : problem->buffers_view.pools;
  *out_n = begin != NULL ? begin[buffer + 1] - begin[buffer] : 0;
  return *out_n != 0 ? pools + begin[buffer] : NULL;
}

/* The pin and the pools as they were stated; with permissions, a value need not have the pin of its buffer.
 */
static void put_place(const struct berth_problem *problem, uint32_t value, struct berth_value_spec *spec) {
  const struct berth_graph_columns *columns = &problem->columns;
  const struct berth_buffers *buffers = &problem->buffers_view;
  bool stated = columns->permissions.n != 0;
  uint32_t row = stated ? value : problem->graph_view.value_buffer[value];
  const uint64_t *pin = stated ? columns->value_pin.items : buffers->pinned_offset;
  const uint32_t *begin = stated ? columns->value_pool_begin.items : NULL;
  if (row == BERTH_NO_INDEX) {
    return;
  }
  if (pin != NULL && (!stated || row < columns->value_pin.n)) {
    spec->pinned_offset = pin[row];
  }
  if (!stated) {
    spec->pools = berth_problem_stated_pools(problem, row, &spec->n_pools);
  } else if (begin != NULL && !spec->external) {
    spec->n_pools = begin[row + 1] - begin[row];
    spec->pools = spec->n_pools != 0 ? columns->value_pools.items + begin[row] : NULL;
  }
}

struct berth_value_spec berth_problem_value(const struct berth_problem *problem, uint32_t value) {
  const struct berth_graph *graph = &problem->graph_view;
  struct berth_value_spec spec = {
      .id = berth_names_get(&problem->names, value),
      .size_bytes = graph->value_size_bytes[value],
      .alignment = graph->value_alignment[value],
      .class_ = graph->value_class[value],
      .pinned_offset = BERTH_UNPINNED,
      .view_of = BERTH_NO_INDEX,
      .held = (graph->value_flags[value] & BERTH_VALUE_HELD) != 0,
      .external = (graph->value_flags[value] & BERTH_VALUE_EXTERNAL) != 0,
      .donation = (graph->value_flags[value] & BERTH_VALUE_MUST_USE) != 0  ? BERTH_DONATION_MUST_USE
                  : (graph->value_flags[value] & BERTH_VALUE_DONATED) != 0 ? BERTH_DONATION_MAY_USE
                                                                           : BERTH_DONATION_NONE,
      .accumulated = (graph->value_flags[value] & BERTH_VALUE_ACCUMULATED) != 0,
      .live_windows = (graph->value_flags[value] & BERTH_VALUE_LIVE_WINDOWS) != 0,
      .accesses = 1,
  };
  if (graph->value_root != NULL && graph->value_root[value] != value) {
    spec.view_of = graph->value_root[value];
    spec.view_offset = graph->value_view_offset[value];
    return spec;
  }
  const struct berth_dynamic_item *item = find_dynamic(problem, false, value);
  if (item != NULL) {
    spec.pools = item->pools;
    spec.n_pools = item->n_pools;
  }
  put_place(problem, value, &spec);
  uint32_t buffer = graph->value_buffer[value];
  if (problem->columns.value_accesses.n != 0) {
    spec.accesses = problem->columns.value_accesses.items[value];
  } else if (buffer != BERTH_NO_INDEX && problem->buffers_view.accesses != NULL) {
    spec.accesses = problem->buffers_view.accesses[buffer];
  }
  return spec;
}

struct berth_text berth_problem_value_id(const struct berth_problem *problem, uint32_t value) {
  return problem->is_graph ? berth_names_get(&problem->names, value) : (struct berth_text){0};
}

struct berth_text berth_problem_operator_id(const struct berth_problem *problem, uint32_t op) {
  return berth_names_get(&problem->operator_names, op);
}
