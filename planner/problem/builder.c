#include "problem/builder.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "problem/names.h"

enum { SHOWN_ID_BYTES = 64 };

/* ---- Life ---- */

enum berth_code berth_problem_builder_create(
    const struct berth_allocator *allocator, struct berth_problem_builder **out_builder,
    struct berth_error *err) {
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  struct berth_problem_builder *builder = allocator->resize(allocator->ctx, NULL, 0, sizeof *builder);
  struct berth_problem *problem = allocator->resize(allocator->ctx, NULL, 0, sizeof *problem);
  if (builder == NULL || problem == NULL) {
    allocator->resize(allocator->ctx, builder, builder != NULL ? sizeof *builder : 0, 0);
    allocator->resize(allocator->ctx, problem, problem != NULL ? sizeof *problem : 0, 0);
    return berth_fail_memory(err);
  }
  memset(problem, 0, sizeof *problem);
  atomic_init(&problem->n_refs, 1);
  problem->allocator = *allocator;
  *builder = (struct berth_problem_builder){
      .allocator = *allocator, .problem = problem, .pool_alignment = 1, .n_streams = 1};
  *out_builder = builder;
  return BERTH_OK;
}

void berth_problem_builder_destroy(struct berth_problem_builder *builder) {
  if (builder == NULL) {
    return;
  }
  struct berth_allocator allocator = builder->allocator;
  berth_problem_unref(builder->problem);
  berth_vec_finish(&allocator, &builder->group_mark);
  berth_vec_finish(&allocator, &builder->pool_mark);
  berth_vec_finish(&allocator, &builder->choice_mark);
  berth_vec_finish(&allocator, &builder->choice_list);
  berth_vec_finish(&allocator, &builder->region_depth);
  berth_vec_finish(&allocator, &builder->last_child_end);
  berth_vec_finish(&allocator, &builder->workspace_size);
  berth_vec_finish(&allocator, &builder->workspace_alignment);
  berth_builder_finish_symbols(builder);
  allocator.resize(allocator.ctx, builder, sizeof *builder, 0);
}

/* ---- Errors: the first one stays ---- */

enum berth_code berth_builder_report(const struct berth_problem_builder *builder, struct berth_error *err) {
  if (builder->error.code != BERTH_OK && err != NULL) {
    *err = builder->error;
  }
  return builder->error.code;
}

void berth_builder_label(struct berth_item item, char *to, size_t capacity) {
  char id[SHOWN_ID_BYTES];
  if (item.id.size == 0 || !berth_text_valid(item.id.data, item.id.size)) {
    snprintf(to, capacity, "%s %u", item.kind, item.index);
    return;
  }
  berth_text_display(id, sizeof id, item.id.data, item.id.size);
  snprintf(to, capacity, "%s %u (\"%s\")", item.kind, item.index, id);
}

struct berth_item berth_builder_item(const struct berth_problem_builder *builder, uint32_t buffer) {
  const struct berth_problem *problem = builder->problem;
  if (builder->form != BERTH_FORM_GRAPH) {
    return (struct berth_item){
        .kind = "buffer", .index = buffer, .id = berth_names_get(&problem->names, buffer)};
  }
  bool value = buffer < problem->n_value_buffers;
  uint32_t index = problem->columns.buffer_item.items[buffer];
  return (struct berth_item){
      .kind = value ? "value" : "operator",
      .index = index,
      .id = berth_names_get(value ? &problem->names : &problem->operator_names, index)};
}

static enum berth_code blame(
    struct berth_problem_builder *builder, enum berth_code code, struct berth_item item,
    enum berth_reason reason, const char *field, const char *format, va_list arguments) {
  char text[2 * BERTH_MESSAGE_SIZE];
  char label[BERTH_LABEL_SIZE];
  char path[BERTH_FIELD_SIZE];
  vsnprintf(text, sizeof text, format, arguments);
  berth_builder_label(item, label, sizeof label);
  bool is_buffer = strcmp(item.kind, "buffer") == 0;
  snprintf(path, sizeof path, "%s%s%s", is_buffer ? "" : item.kind, is_buffer ? "" : ".", field);
  return berth_fail(&builder->error, code, reason, item.index, path, "%s: %s", label, text);
}

enum berth_code berth_builder_blame(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_reason reason,
    const char *field, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  enum berth_code code = blame(builder, BERTH_INVALID_ARGUMENT, item, reason, field, format, arguments);
  va_end(arguments);
  return code;
}

enum berth_code berth_builder_limit(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, const char *format,
    ...) {
  va_list arguments;
  va_start(arguments, format);
  enum berth_code code =
      blame(builder, BERTH_RESOURCE_EXHAUSTED, item, BERTH_REASON_LIMIT_EXCEEDED, field, format, arguments);
  va_end(arguments);
  return code;
}

/* False when the builder has failed or is empty, or the item is of the other form. */
bool berth_builder_enter(struct berth_problem_builder *builder, enum berth_builder_form form) {
  if (builder->error.code != BERTH_OK) {
    return false;
  }
  if (builder->problem == NULL) {
    berth_fail(
        &builder->error, BERTH_FAILED_PRECONDITION, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL,
        "the problem is finished; start a new one");
    return false;
  }
  if (builder->form != BERTH_FORM_OPEN && form != BERTH_FORM_OPEN && builder->form != form) {
    berth_fail(
        &builder->error, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL,
        "a problem is stated as buffers or as a graph, never both");
    return false;
  }
  builder->form = form != BERTH_FORM_OPEN ? form : builder->form;
  return true;
}

/* ---- The public steps ---- */

struct berth_buffer_spec berth_buffer_spec_default(void) {
  return (struct berth_buffer_spec){.alignment = 1, .pinned_offset = BERTH_UNPINNED, .accesses = 1};
}

enum berth_code berth_problem_builder_reserve(
    struct berth_problem_builder *builder, uint32_t n_buffers, struct berth_error *err) {
  if (!berth_builder_enter(builder, BERTH_FORM_OPEN)) {
    return berth_builder_report(builder, err);
  }
  struct berth_rows *rows = &builder->problem->rows;
  const struct berth_allocator *allocator = &builder->allocator;
  if (n_buffers > BERTH_MAX_BUFFERS) {
    berth_fail(
        &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, NULL,
        "%u buffers; at most %u are allowed", n_buffers, BERTH_MAX_BUFFERS);
  } else if (
      !berth_vec_reserve(allocator, &rows->size, n_buffers) ||
      !berth_vec_reserve(allocator, &rows->alignment, n_buffers) ||
      !berth_vec_reserve(allocator, &rows->lower, n_buffers) ||
      !berth_vec_reserve(allocator, &rows->upper, n_buffers) ||
      !berth_vec_reserve(allocator, &rows->class_, n_buffers)) {
    berth_fail_memory(&builder->error);
  }
  return berth_builder_report(builder, err);
}

enum berth_code berth_problem_builder_add_buffer(
    struct berth_problem_builder *builder, const struct berth_buffer_spec *spec, uint32_t *out_buffer,
    struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_BUFFERS)) {
    uint32_t index = (uint32_t)builder->problem->rows.size.n;
    struct berth_item item = {.kind = "buffer", .index = index, .id = spec->id};
    struct berth_buffer_spec row;
    enum berth_code code = berth_builder_add_clocks(builder, item, spec, &row);
    if (code == BERTH_OK) {
      code = berth_builder_resolve_size(
          builder, item, BERTH_SIZED_SIZE, spec->shape, spec->size_bytes, true, &row.size_bytes);
    }
    code = code != BERTH_OK ? code : berth_builder_add_row(builder, item, &row, false);
    if (code == BERTH_OK && out_buffer != NULL) {
      *out_buffer = index;
    }
  }
  return berth_builder_report(builder, err);
}

static enum berth_code add_conflict(struct berth_problem_builder *builder, uint32_t a, uint32_t b) {
  struct berth_problem *problem = builder->problem;
  size_t n_rows = problem->rows.size.n;
  if (a >= n_rows || b >= n_rows || a == b) {
    return berth_fail(
        &builder->error, BERTH_INVALID_ARGUMENT, a == b ? BERTH_REASON_MALFORMED : BERTH_REASON_UNKNOWN_ID,
        (uint32_t)problem->conflicts.n, "conflicts",
        a == b && a < n_rows ? "conflict %zu pairs buffer %u with itself"
                             : "conflict %zu names buffers %u and %u; there are %zu",
        problem->conflicts.n, a, b, n_rows);
  }
  if (problem->conflicts.n == UINT32_MAX) {
    return berth_fail(
        &builder->error, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "conflicts",
        "more than %u conflicts", UINT32_MAX);
  }
  if (!berth_vec_reserve(&builder->allocator, &problem->conflicts, problem->conflicts.n + 1)) {
    return berth_fail_memory(&builder->error);
  }
  uint32_t *pair = problem->conflicts.items[problem->conflicts.n++];
  pair[0] = a < b ? a : b;
  pair[1] = a < b ? b : a;
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_conflict(
    struct berth_problem_builder *builder, uint32_t buffer_a, uint32_t buffer_b, struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_BUFFERS)) {
    add_conflict(builder, buffer_a, buffer_b);
  }
  return berth_builder_report(builder, err);
}

static enum berth_code finish(struct berth_problem_builder *builder) {
  enum berth_code code = berth_builder_close_pools(builder);
  code = code != BERTH_OK ? code : berth_builder_check_symbols(builder);
  code = code != BERTH_OK ? code : berth_builder_check_ids(builder);
  code = code != BERTH_OK ? code : berth_builder_sort_conflicts(builder);
  if (code == BERTH_OK && builder->form == BERTH_FORM_GRAPH) {
    code = berth_builder_finish_graph(builder);
  }
  code = code != BERTH_OK ? code : berth_builder_settle_groups(builder);
  code = code != BERTH_OK ? code : berth_builder_make_choices(builder);
  return code != BERTH_OK ? code : berth_builder_check_pins(builder);
}

enum berth_code berth_problem_builder_finish(
    struct berth_problem_builder *builder, struct berth_problem **out_problem, struct berth_error *err) {
  if (!berth_builder_enter(builder, BERTH_FORM_OPEN) || finish(builder) != BERTH_OK) {
    return berth_builder_report(builder, err);
  }
  berth_problem_make_views(builder->problem);
  *out_problem = builder->problem;
  builder->problem = NULL;
  return BERTH_OK;
}
