/* The graph form: values are rows, operators are lists of them. finish turns rows into buffers. */
#include <string.h>

#include "liveness/clocks.h"
#include "problem/builder.h"
#include "problem/names.h"

struct berth_value_spec berth_value_spec_default(void) {
  return (struct berth_value_spec){
      .alignment = 1, .pinned_offset = BERTH_UNPINNED, .view_of = BERTH_NO_INDEX, .accesses = 1};
}

struct berth_operator_spec berth_operator_spec_default(void) {
  return (struct berth_operator_spec){.workspace_alignment = 1};
}

/* ---- Values ---- */

static enum berth_code check_view(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_value_spec *spec) {
  if (spec->pinned_offset != BERTH_UNPINNED || spec->n_pools != 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_VIEW, spec->n_pools != 0 ? "pools" : "offset",
        "it is a view: pins and pools are its root's");
  }
  if (spec->accesses != 1) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_VIEW, "accesses", "it is a view: its accesses are its root's");
  }
  if (spec->external || spec->live_windows) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_VIEW, spec->external ? "external" : "live_windows",
        "it is a view: %s its root's", spec->external ? "whether it is placed is" : "live windows are");
  }
  return BERTH_OK;
}

/* The columns of views begin with the first one; earlier values are their own roots. */
static enum berth_code
add_view(struct berth_problem_builder *builder, struct berth_item item, const struct berth_value_spec *spec) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  bool is_view = spec->view_of != BERTH_NO_INDEX;
  if (!is_view && columns->view_of.n == 0) {
    return BERTH_OK;
  }
  if (!berth_vec_reserve(&builder->allocator, &columns->view_of, (size_t)item.index + 1) ||
      !berth_vec_reserve(&builder->allocator, &columns->view_offset, (size_t)item.index + 1)) {
    return berth_fail_memory(&builder->error);
  }
  for (size_t i = columns->view_of.n; i <= item.index; i++) {
    columns->view_of.items[i] = (uint32_t)i;
    columns->view_offset.items[i] = 0;
  }
  columns->view_of.n = columns->view_offset.n = (size_t)item.index + 1;
  if (is_view) {
    columns->view_of.items[item.index] = spec->view_of;
    columns->view_offset.items[item.index] = spec->view_offset;
  }
  builder->n_views += is_view;
  return BERTH_OK;
}

static enum berth_code check_donation(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_value_spec *spec) {
  if ((unsigned)spec->donation > BERTH_DONATION_MUST_USE) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, "donation", "donation %d is unknown", (int)spec->donation);
  }
  if (spec->class_ == BERTH_CLASS_CONSTANT || spec->class_ == BERTH_CLASS_STATE) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_DONATION, "donation", "it is donated, but %s",
        spec->class_ == BERTH_CLASS_STATE ? "state must outlive the run"
                                          : "a constant must never be written");
  }
  if (!spec->external || spec->class_ != BERTH_CLASS_INPUT || spec->held) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_DONATION, "donation",
        "it is donated, but only external inputs that are not held can be");
  }
  return BERTH_OK;
}

/* Sizes by shapes become numbers in `spec`; what has no largest is not placed. */
static enum berth_code resolve_sizes(
    struct berth_problem_builder *builder, struct berth_item item, struct berth_value_spec *spec,
    bool *out_dynamic) {
  bool is_view = spec->view_of != BERTH_NO_INDEX;
  enum berth_code code = berth_builder_resolve_size(
      builder, item, BERTH_SIZED_SIZE, spec->shape, spec->size_bytes, spec->pinned_offset != BERTH_UNPINNED,
      &spec->size_bytes);
  if (code == BERTH_OK && !is_view && spec->view_offset_shape != NULL) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_VIEW, "view_offset", "it has a place in a root, but is no view");
  }
  if (code == BERTH_OK) {
    code = berth_builder_resolve_size(
        builder, item, BERTH_SIZED_VIEW_OFFSET, spec->view_offset_shape, spec->view_offset, false,
        &spec->view_offset);
  }
  *out_dynamic = !is_view && spec->size_bytes == BERTH_DYNAMIC_SIZE && spec->shape != NULL;
  if (*out_dynamic) {
    spec->size_bytes = 0;
  }
  return code;
}

static enum berth_code add_value(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_value_spec *given) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  struct berth_value_spec resolved = *given;
  const struct berth_value_spec *spec = &resolved;
  const struct berth_allocator *allocator = &builder->allocator;
  if (spec->class_ == BERTH_CLASS_WORKSPACE) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, "class",
        "a value cannot be a workspace; state it as its operator's workspace");
  }
  if (spec->external && spec->pinned_offset != BERTH_UNPINNED) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_PIN, "offset", "it is external, so it cannot be pinned in a pool");
  }
  if (spec->external && spec->live_windows) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_VIEW, "live_windows",
        "it is external, so which of its bytes are live is not planned");
  }
  bool is_view = spec->view_of != BERTH_NO_INDEX;
  enum berth_code code = is_view ? check_view(builder, item, spec) : BERTH_OK;
  if (code == BERTH_OK && spec->donation != BERTH_DONATION_NONE) {
    code = check_donation(builder, item, spec);
  }
  if (is_view && spec->view_of == item.index) {
    code = berth_builder_blame(builder, item, BERTH_REASON_BAD_VIEW, "view_of", "it is a view of itself");
  }
  bool is_dynamic = false;
  if (code == BERTH_OK) {
    code = resolve_sizes(builder, item, &resolved, &is_dynamic);
  }
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(allocator, &columns->value_flags, (size_t)item.index + 1)) {
    return berth_fail_memory(&builder->error);
  }
  struct berth_buffer_spec row = {
      .id = spec->id,
      .size_bytes = spec->size_bytes,
      .alignment = spec->alignment,
      .upper = 1, /* liveness sets the lifetime */
      .class_ = spec->class_,
      .pinned_offset = spec->pinned_offset,
      .pools = spec->pools,
      .n_pools = spec->n_pools,
      .accesses = spec->accesses,
  };
  code = berth_builder_add_row(builder, item, &row, spec->external || is_view || is_dynamic);
  code = code != BERTH_OK ? code : add_view(builder, item, spec);
  if (code != BERTH_OK) {
    return code;
  }
  unsigned flags = (spec->held ? BERTH_VALUE_HELD : 0U) | (spec->external ? BERTH_VALUE_EXTERNAL : 0U) |
                   (spec->accumulated ? BERTH_VALUE_ACCUMULATED : 0U) |
                   (spec->donation != BERTH_DONATION_NONE ? BERTH_VALUE_DONATED : 0U) |
                   (spec->donation == BERTH_DONATION_MUST_USE ? BERTH_VALUE_MUST_USE : 0U) |
                   (spec->live_windows ? BERTH_VALUE_LIVE_WINDOWS : 0U) |
                   (is_dynamic ? BERTH_VALUE_DYNAMIC : 0U);
  columns->value_flags.items[columns->value_flags.n++] = (uint8_t)flags;
  builder->n_external += spec->external || is_dynamic;
  builder->n_live_windows += spec->live_windows;
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_value(
    struct berth_problem_builder *builder, const struct berth_value_spec *spec, uint32_t *out_value,
    struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_GRAPH)) {
    uint32_t index = (uint32_t)builder->problem->rows.size.n;
    struct berth_item item = {.kind = "value", .index = index, .id = spec->id};
    if (add_value(builder, item, spec) == BERTH_OK && out_value != NULL) {
      *out_value = index;
    }
  }
  return berth_builder_report(builder, err);
}

/* ---- Operators ---- */

static enum berth_code check_list(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, const uint32_t *values,
    uint32_t n, size_t n_before) {
  if (n > UINT32_MAX - n_before) {
    return berth_builder_limit(builder, item, field, "all %s together pass 2^32 - 1", field);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (values[i] >= builder->problem->rows.size.n) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_UNKNOWN_ID, field, "entry %u of its %s names value %u; there are %zu",
          i, field, values[i], builder->problem->rows.size.n);
    }
  }
  return BERTH_OK;
}

static enum berth_code check_inplace(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_operator_spec *spec) {
  if (spec->n_inplace > UINT32_MAX - builder->problem->columns.permissions.n) {
    return berth_builder_limit(builder, item, "inplace", "all permissions together pass 2^32 - 1");
  }
  for (uint32_t i = 0; i < spec->n_inplace; i++) {
    if (spec->inplace[i].input >= spec->n_inputs || spec->inplace[i].output >= spec->n_outputs) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_UNKNOWN_ID, "inplace",
          "permission %u is for input %u and output %u; there are %u and %u", i, spec->inplace[i].input,
          spec->inplace[i].output, spec->n_inputs, spec->n_outputs);
    }
    if ((unsigned)spec->inplace[i].kind >= BERTH_N_INPLACE_KINDS) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_NUMBER, "inplace", "kind %d of permission %u is unknown",
          (int)spec->inplace[i].kind, i);
    }
    if (spec->inplace[i].kind == BERTH_INPLACE_OVER && spec->inplace[i].bytes != 0) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_NUMBER, "inplace",
          "permission %u is to write over the input from its first byte on, and has %llu bytes", i,
          (unsigned long long)spec->inplace[i].bytes);
    }
  }
  return BERTH_OK;
}

static void add_inplace(struct berth_problem *problem, uint32_t op, const struct berth_operator_spec *spec) {
  for (uint32_t i = 0; i < spec->n_inplace; i++) {
    problem->columns.permissions.items[problem->columns.permissions.n++] = (struct berth_permission){
        .op = op,
        .operand = spec->inputs[spec->inplace[i].input],
        .result = spec->outputs[spec->inplace[i].output],
        .kind = spec->inplace[i].kind,
        .bytes = spec->inplace[i].bytes,
        .answer = BERTH_INPLACE_RESTRICTED};
  }
}

void berth_problem_builder_forbid_inplace(struct berth_problem_builder *builder) {
  builder->no_inplace = true;
}

static enum berth_code check_stream(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_operator_spec *spec) {
  if (spec->stream >= BERTH_MAX_STREAMS) {
    return berth_builder_limit(
        builder, item, "stream", "stream %u; at most %d are allowed", spec->stream, BERTH_MAX_STREAMS);
  }
  if (spec->n_waits > UINT32_MAX - builder->problem->columns.waits.n) {
    return berth_builder_limit(builder, item, "waits", "all waits together pass 2^32 - 1");
  }
  for (uint32_t i = 0; i < spec->n_waits; i++) {
    if (spec->waits[i] >= item.index) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_ORDER, "waits",
          "it waits for operator %u, which does not come before it", spec->waits[i]);
    }
  }
  builder->n_streams = spec->stream >= builder->n_streams ? spec->stream + 1 : builder->n_streams;
  return BERTH_OK;
}

static void add_stream(struct berth_problem *problem, const struct berth_operator_spec *spec) {
  struct berth_graph_columns *columns = &problem->columns;
  if (columns->wait_begin.n == 0) {
    columns->wait_begin.items[columns->wait_begin.n++] = 0;
  }
  if (spec->n_waits != 0) {
    memcpy(columns->waits.items + columns->waits.n, spec->waits, spec->n_waits * sizeof(uint32_t));
  }
  columns->waits.n += spec->n_waits;
  columns->wait_begin.items[columns->wait_begin.n++] = (uint32_t)columns->waits.n;
  columns->stream.items[columns->stream.n++] = spec->stream;
}

static bool reserve_operator(
    struct berth_problem_builder *builder, uint32_t index, const struct berth_operator_spec *spec) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  const struct berth_allocator *allocator = &builder->allocator;
  return berth_vec_reserve(allocator, &columns->input_begin, (size_t)index + 2) &&
         berth_vec_reserve(allocator, &columns->inputs, columns->inputs.n + spec->n_inputs) &&
         berth_vec_reserve(allocator, &columns->output_begin, (size_t)index + 2) &&
         berth_vec_reserve(allocator, &columns->outputs, columns->outputs.n + spec->n_outputs) &&
         berth_vec_reserve(allocator, &columns->stream, (size_t)index + 1) &&
         berth_vec_reserve(allocator, &columns->wait_begin, (size_t)index + 2) &&
         berth_vec_reserve(allocator, &columns->waits, columns->waits.n + spec->n_waits) &&
         berth_vec_reserve(allocator, &columns->permissions, columns->permissions.n + spec->n_inplace) &&
         berth_vec_reserve(allocator, &builder->workspace_size, (size_t)index + 1) &&
         berth_vec_reserve(allocator, &builder->workspace_alignment, (size_t)index + 1);
}

static enum berth_code add_operator(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_operator_spec *spec) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  if (item.index >= BERTH_MAX_BUFFERS) {
    return berth_builder_limit(builder, item, "id", "at most %u are allowed", BERTH_MAX_BUFFERS);
  }
  enum berth_code code = berth_builder_close_pools(builder);
  code = code != BERTH_OK
             ? code
             : berth_builder_add_name(builder, &builder->problem->operator_names, item, spec->id);
  code = code != BERTH_OK
             ? code
             : check_list(builder, item, "inputs", spec->inputs, spec->n_inputs, columns->inputs.n);
  code = code != BERTH_OK
             ? code
             : check_list(builder, item, "outputs", spec->outputs, spec->n_outputs, columns->outputs.n);
  code = code != BERTH_OK
             ? code
             : berth_builder_check_alignment(builder, item, "workspace_alignment", spec->workspace_alignment);
  uint64_t workspace = 0;
  code = code != BERTH_OK ? code
                          : berth_builder_resolve_size(
                                builder, item, BERTH_SIZED_WORKSPACE, spec->workspace_shape,
                                spec->workspace_bytes, false, &workspace);
  if (code == BERTH_OK && (workspace != BERTH_DYNAMIC_SIZE || spec->workspace_shape == NULL)) {
    code = berth_builder_add_size(
        builder, item, "workspace", workspace, spec->workspace_alignment, builder->pool_alignment);
  }
  if (code == BERTH_OK && workspace != 0) {
    code = berth_builder_check_class(builder, item, "workspace", NULL, 0, BERTH_CLASS_WORKSPACE);
  }
  code = code != BERTH_OK ? code : check_inplace(builder, item, spec);
  code = code != BERTH_OK ? code : check_stream(builder, item, spec);
  if (code != BERTH_OK) {
    return code;
  }
  if (!reserve_operator(builder, item.index, spec)) {
    return berth_fail_memory(&builder->error);
  }
  if (item.index == 0) {
    columns->input_begin.items[columns->input_begin.n++] = 0;
    columns->output_begin.items[columns->output_begin.n++] = 0;
  }
  if (spec->n_inputs != 0) {
    memcpy(columns->inputs.items + columns->inputs.n, spec->inputs, spec->n_inputs * sizeof(uint32_t));
  }
  if (spec->n_outputs != 0) {
    memcpy(columns->outputs.items + columns->outputs.n, spec->outputs, spec->n_outputs * sizeof(uint32_t));
  }
  columns->inputs.n += spec->n_inputs;
  columns->outputs.n += spec->n_outputs;
  columns->input_begin.items[columns->input_begin.n++] = (uint32_t)columns->inputs.n;
  columns->output_begin.items[columns->output_begin.n++] = (uint32_t)columns->outputs.n;
  add_inplace(builder->problem, item.index, spec);
  add_stream(builder->problem, spec);
  builder->workspace_size.items[builder->workspace_size.n++] = workspace;
  builder->workspace_alignment.items[builder->workspace_alignment.n++] = spec->workspace_alignment;
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_operator(
    struct berth_problem_builder *builder, const struct berth_operator_spec *spec, uint32_t *out_operator,
    struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_GRAPH)) {
    uint32_t index = (uint32_t)builder->workspace_size.n;
    struct berth_item item = {.kind = "operator", .index = index, .id = spec->id};
    if (add_operator(builder, item, spec) == BERTH_OK && out_operator != NULL) {
      *out_operator = index;
    }
  }
  return berth_builder_report(builder, err);
}
