/* Lifetimes for the values of a graph, and what liveness found wrong, in words. */
#include <string.h>

#include "liveness/inplace.h"
#include "liveness/liveness.h"
#include "liveness/regions.h"
#include "liveness/windows.h"
#include "problem/builder.h"

/* ---- Faults that liveness found, in words ---- */

static enum berth_code blame_outputs(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_liveness_fault fault,
    const char *value, uint32_t first_op) {
  switch (fault) {
  case BERTH_LIVENESS_WRITES_CONSTANT:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs", "it writes %s, which is a constant", value);
  case BERTH_LIVENESS_WRITES_INPUT:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs",
        "it writes %s, which is an input; declare the value accumulated if that is meant", value);
  case BERTH_LIVENESS_WRITES_TWICE:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs", "it lists %s twice among its outputs", value);
  default:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "outputs",
        "it writes %s, which operator %u writes already; declare the value accumulated if that is meant",
        value, first_op);
  }
}

static enum berth_code
blame_operator(struct berth_problem_builder *builder, const struct berth_liveness_finding *found) {
  const struct berth_problem *problem = builder->problem;
  struct berth_item item = {
      .kind = "operator", .index = found->op, .id = berth_names_get(&problem->operator_names, found->op)};
  struct berth_item value = {
      .kind = "value", .index = found->value, .id = berth_names_get(&problem->names, found->value)};
  char label[BERTH_LABEL_SIZE];
  berth_builder_label(value, label, sizeof label);
  if (found->fault != BERTH_LIVENESS_READ_BEFORE_WRITE && found->fault != BERTH_LIVENESS_RACE &&
      found->fault != BERTH_LIVENESS_HIDDEN) {
    return blame_outputs(builder, item, found->fault, label, found->first_op);
  }
  if (found->fault == BERTH_LIVENESS_RACE) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "waits",
        "it reads %s without waiting for operator %u, which writes it on another stream", label,
        found->first_op);
  }
  if (found->fault == BERTH_LIVENESS_HIDDEN) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_REGION, "inputs",
        "it reads %s, which is written in region %u alone, and that may not have run", label,
        found->first_op);
  }
  if (found->first_op == BERTH_NO_INDEX) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "inputs", "it reads %s, which nobody writes", label);
  }
  return berth_builder_blame(
      builder, item, BERTH_REASON_BAD_ORDER, "inputs",
      "it reads %s before operator %u, its first producer, has written it", label, found->first_op);
}

static enum berth_code
blame_fault(struct berth_problem_builder *builder, const struct berth_liveness_finding *found) {
  if (found->fault == BERTH_LIVENESS_OUT_OF_MEMORY) {
    return berth_fail_memory(&builder->error);
  }
  if (found->fault != BERTH_LIVENESS_NEVER_WRITTEN) {
    return blame_operator(builder, found);
  }
  struct berth_item item = {
      .kind = "value", .index = found->value, .id = berth_names_get(&builder->problem->names, found->value)};
  return berth_builder_blame(
      builder, item, BERTH_REASON_BAD_ORDER, "class",
      "no operator writes it, and it is neither an input, a constant, state nor external");
}

/* The graph so far: values are rows. Added waits are not seen: permissions are settled without them. */
static struct berth_graph view(const struct berth_problem_builder *builder) {
  const struct berth_problem *problem = builder->problem;
  const struct berth_graph_columns *columns = &problem->columns;
  return (struct berth_graph){
      .n_values = (uint32_t)problem->rows.size.n,
      .n_operators = (uint32_t)builder->workspace_size.n,
      .value_class = problem->rows.class_.items,
      .value_flags = columns->value_flags.items,
      .input_begin = columns->input_begin.items,
      .inputs = columns->inputs.items,
      .output_begin = columns->output_begin.items,
      .outputs = columns->outputs.items,
      .value_root = columns->view_of.n != 0 ? columns->view_of.items : NULL,
      .value_view_offset = columns->view_offset.n != 0 ? columns->view_offset.items : NULL,
      .value_size_bytes = problem->rows.size.items,
      .value_alignment = problem->rows.alignment.items,
      .operator_stream = columns->stream.n != 0 ? columns->stream.items : NULL,
      .wait_begin = columns->wait_begin.items,
      .waits = columns->waits.items,
      .n_regions = (uint32_t)columns->regions.n,
      .regions = columns->regions.items,
  };
}

/* ---- Finish ---- */

/* What shares a row asks it for an alignment, and may need more bytes than the row has. */
static enum berth_code
fit_storage(struct berth_problem_builder *builder, const struct berth_inplace_result *placed) {
  const struct berth_problem *problem = builder->problem;
  const struct berth_rows *rows = &problem->rows;
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; i < problem->columns.permissions.n && code == BERTH_OK; i++) {
    const struct berth_permission *permission = &problem->columns.permissions.items[i];
    uint32_t storage = placed->storage[permission->result];
    struct berth_item item = {
        .kind = "value",
        .index = permission->result,
        .id = berth_names_get(&problem->names, permission->result)};
    if (permission->answer != BERTH_INPLACE_USED) {
      continue;
    }
    code = berth_builder_raise_alignment(builder, item, storage, placed->alignment[storage]);
    if (code == BERTH_OK && placed->extent[storage] > rows->size.items[storage]) {
      code = berth_builder_add_size(
          builder, item, "size", placed->extent[storage], rows->alignment.items[storage],
          builder->pool_alignment);
    }
  }
  return code;
}

static enum berth_inplace_answer may_join(void *ctx, uint32_t storage, uint32_t result) {
  return berth_builder_may_join(ctx, storage, result);
}

static enum berth_code settle_inplace(
    struct berth_problem_builder *builder, const struct berth_graph *graph, const struct berth_clocks *clocks,
    const uint32_t *innermost, const uint8_t *family, struct berth_arena *arena,
    struct berth_inplace_result *out_placed) {
  struct berth_problem *problem = builder->problem;
  const struct berth_rows *rows = &problem->rows;
  struct berth_pools pools = {.n = (uint32_t)problem->pools.n, .items = problem->pools.items};
  uint32_t n = (uint32_t)problem->columns.permissions.n;
  const uint8_t *by_size;
  const uint64_t *most;
  enum berth_code code = berth_builder_judge_sizes(builder, arena, &by_size, &most);
  if (code != BERTH_OK) {
    return code;
  }
  bool *grouped;
  if (!berth_builder_mark_grouped(builder, arena, &grouped)) {
    return berth_fail_memory(&builder->error);
  }
  struct berth_inplace_input input = {
      .graph = graph,
      .by_size = by_size,
      .most = most,
      .sizes = rows->size.items,
      .clocks = clocks,
      .innermost = innermost,
      .lower = rows->lower.items,
      .upper = rows->upper.items,
      .family = family,
      .pin = rows->pin.items,
      .n_pins = (uint32_t)rows->pin.n,
      .grouped = grouped,
      .pool_begin = rows->pool_begin.n != 0 ? rows->pool_begin.items : NULL,
      .pools = rows->pools.items,
      .all_pools = &pools,
      .ctx = builder,
      .may_join = may_join,
  };
  if (!berth_inplace_result_init(out_placed, arena, &input, n) ||
      !berth_inplace_settle(&input, arena, problem->columns.permissions.items, n, out_placed)) {
    return berth_fail_memory(&builder->error);
  }
  berth_builder_keep_caps(builder);
  return fit_storage(builder, out_placed);
}

/* With several streams what is later in the list need not be later: buffers have slices instead. */
static enum berth_code find_windows(
    struct berth_problem_builder *builder, const struct berth_graph *graph, const uint32_t *innermost,
    const uint8_t *family, struct berth_arena *arena, struct berth_windows *out) {
  if (builder->n_live_windows == 0 || builder->n_streams > 1) {
    return BERTH_OK;
  }
  struct berth_windows_input input = {
      .graph = graph,
      .innermost = innermost,
      .family = family,
      .lower = builder->problem->rows.lower.items,
      .upper = builder->problem->rows.upper.items};
  switch (berth_windows_derive(&input, arena, out)) {
  case BERTH_WINDOWS_OK:
    return BERTH_OK;
  case BERTH_WINDOWS_TOO_MANY:
    return berth_fail(
        &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
        "value.live_windows", "values with live windows are touched more than 2^31 times");
  case BERTH_WINDOWS_OUT_OF_MEMORY:
    break;
  }
  return berth_fail_memory(&builder->error);
}

/* What must be used and was not; `answer` is of the last permission that names it. */
static enum berth_code check_donations(
    struct berth_problem_builder *builder, struct berth_arena *arena,
    const struct berth_inplace_result *placed) {
  const struct berth_graph_columns *columns = &builder->problem->columns;
  uint32_t n_values = (uint32_t)columns->value_flags.n;
  const char **why = berth_arena_new_zeroed(arena, const char *, n_values);
  if (why == NULL) {
    return berth_fail_memory(&builder->error);
  }
  for (size_t i = 0; i < columns->permissions.n; i++) {
    const struct berth_permission *permission = &columns->permissions.items[i];
    uint32_t root =
        columns->view_of.n != 0 ? columns->view_of.items[permission->operand] : permission->operand;
    why[root] = berth_inplace_answer_text(permission->answer);
  }
  for (uint32_t value = 0; value < n_values; value++) {
    bool must = (columns->value_flags.items[value] & BERTH_VALUE_MUST_USE) != 0;
    if (must && (placed->taken == NULL || !placed->taken[value])) {
      struct berth_item item = {
          .kind = "value", .index = value, .id = berth_names_get(&builder->problem->names, value)};
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_DONATION, "donation", "its donation must be used, but %s",
          why[value] != NULL ? why[value] : "no operator has a permission to write over it");
    }
  }
  return BERTH_OK;
}

/* Before rows become buffers. */
static bool keep_lifetimes(
    const struct berth_problem *problem, struct berth_arena *arena, struct berth_builder_lives *lives) {
  size_t n = problem->rows.lower.n;
  lives->lower = berth_arena_new(arena, int64_t, n);
  lives->upper = berth_arena_new(arena, int64_t, n);
  if (lives->lower == NULL || lives->upper == NULL) {
    return false;
  }
  if (n != 0) {
    memcpy(lives->lower, problem->rows.lower.items, n * sizeof *lives->lower);
    memcpy(lives->upper, problem->rows.upper.items, n * sizeof *lives->upper);
  }
  return true;
}

static enum berth_code derive(
    struct berth_problem_builder *builder, struct berth_arena *arena, struct berth_builder_lives *out_lives,
    struct berth_inplace_result *out_placed, struct berth_windows *out_windows) {
  struct berth_problem *problem = builder->problem;
  struct berth_graph graph = view(builder);
  uint8_t *family = berth_arena_new_zeroed(arena, uint8_t, graph.n_values);
  out_lives->family = family;
  if (family == NULL) {
    return berth_fail_memory(&builder->error);
  }
  struct berth_clocks clocks;
  bool streams = builder->n_streams > 1;
  if (streams && !berth_clocks_make(&clocks, arena, &graph, builder->n_streams)) {
    return berth_fail_memory(&builder->error);
  }
  struct berth_liveness_finding found = berth_liveness_derive(
      &graph, streams ? &clocks : NULL, &builder->allocator, problem->rows.lower.items,
      problem->rows.upper.items, family);
  if (found.fault != BERTH_LIVENESS_OK) {
    return blame_fault(builder, &found);
  }
  if (streams && !keep_lifetimes(problem, arena, out_lives)) {
    return berth_fail_memory(&builder->error);
  }
  const uint32_t *innermost = graph.n_regions != 0 ? berth_regions_innermost(&graph, arena) : NULL;
  if (graph.n_regions != 0 && innermost == NULL) {
    return berth_fail_memory(&builder->error);
  }
  enum berth_code code = find_windows(builder, &graph, innermost, family, arena, out_windows);
  if (code != BERTH_OK || problem->columns.permissions.n == 0 || builder->no_inplace) {
    return code;
  }
  return settle_inplace(builder, &graph, streams ? &clocks : NULL, innermost, family, arena, out_placed);
}

/* Without a second stream there is nothing to say about streams. */
static enum berth_code check_streams(struct berth_problem_builder *builder) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  uint64_t n = (uint64_t)builder->problem->rows.size.n + builder->workspace_size.n;
  if (builder->n_streams > 1 && n * builder->n_streams > 2 * BERTH_CLOCKS_MAX) {
    return berth_fail(
        &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
        "operator.stream", "%u streams are too many for %llu operators and values", builder->n_streams,
        (unsigned long long)n);
  }

  if (builder->n_streams == 1) {
    berth_vec_finish(&builder->allocator, &columns->stream);
    berth_vec_finish(&builder->allocator, &columns->wait_begin);
    berth_vec_finish(&builder->allocator, &columns->waits);
  }
  return BERTH_OK;
}

static enum berth_code
order_streams(struct berth_problem_builder *builder, const struct berth_builder_lives *lives) {
  if (builder->n_streams == 1) {
    return BERTH_OK;
  }
  berth_problem_view_graph(builder->problem);
  return berth_builder_make_clocks(builder, &builder->problem->graph_view, lives);
}

enum berth_code berth_builder_finish_graph(struct berth_problem_builder *builder) {
  struct berth_inplace_result placed = {0};
  struct berth_windows windows = {0};
  struct berth_builder_lives lives = {0};
  struct berth_arena arena;
  berth_arena_init(&arena, &builder->allocator);
  enum berth_code code = check_streams(builder);
  code = code != BERTH_OK ? code : berth_builder_sort_syncs(builder);
  berth_builder_finish_regions(builder);
  code = code != BERTH_OK ? code : berth_builder_keep_values(builder);
  code = code != BERTH_OK ? code : berth_builder_resolve_views(builder);
  code = code != BERTH_OK ? code : derive(builder, &arena, &lives, &placed, &windows);
  code = code != BERTH_OK ? code : check_donations(builder, &arena, &placed);
  code = code != BERTH_OK ? code : berth_builder_list_dynamic(builder);
  code = code != BERTH_OK ? code : berth_builder_rows_to_buffers(builder, &placed, &windows);
  code = code != BERTH_OK ? code : berth_builder_add_workspaces(builder);
  code = code != BERTH_OK ? code : order_streams(builder, &lives);
  builder->problem->is_graph = true;
  berth_arena_finish(&arena);
  return code;
}
