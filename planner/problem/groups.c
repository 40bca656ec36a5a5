/* Groups as they are given: members that exist, each once, and that have a place of their own. */
#include "problem/builder.h"

static struct berth_item member_item(const struct berth_problem_builder *builder, uint32_t row) {
  return (struct berth_item){
      .kind = builder->form == BERTH_FORM_GRAPH ? "value" : "buffer",
      .index = row,
      .id = berth_names_get(&builder->problem->names, row)};
}

static const char *why_not(const struct berth_problem *problem, uint32_t row) {
  const struct berth_graph_columns *columns = &problem->columns;
  if (columns->value_flags.n == 0) {
    return NULL;
  }
  if ((columns->value_flags.items[row] & BERTH_VALUE_EXTERNAL) != 0) {
    return "which belongs to the caller and is not placed";
  }
  bool is_view = row < columns->view_of.n && columns->view_of.items[row] != row;
  return is_view ? "which is a view: its place is its root's" : NULL;
}

static enum berth_code
check_member(struct berth_problem_builder *builder, struct berth_item group, uint32_t row) {
  const char *kind = builder->form == BERTH_FORM_GRAPH ? "value" : "buffer";
  size_t n_rows = builder->problem->rows.size.n;
  if (row >= n_rows) {
    return berth_builder_blame(
        builder, group, BERTH_REASON_UNKNOWN_ID, "members", "it names %s %u; there are %zu", kind, row,
        n_rows);
  }
  const char *why = why_not(builder->problem, row);
  char label[BERTH_LABEL_SIZE];
  if (why != NULL) {
    berth_builder_label(member_item(builder, row), label, sizeof label);
    return berth_builder_blame(
        builder, group, BERTH_REASON_BAD_GROUP, "members", "it names %s, %s", label, why);
  }
  if (builder->group_mark.items[row] == group.index + 1) {
    berth_builder_label(member_item(builder, row), label, sizeof label);
    return berth_builder_blame(builder, group, BERTH_REASON_BAD_GROUP, "members", "it names %s twice", label);
  }
  builder->group_mark.items[row] = group.index + 1;
  return BERTH_OK;
}

static enum berth_code
check(struct berth_problem_builder *builder, struct berth_item item, const struct berth_group_spec *spec) {
  if (spec->kind != BERTH_GROUP_CONTIGUOUS && spec->kind != BERTH_GROUP_SHARED) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, "kind", "kind %d is unknown", (int)spec->kind);
  }
  if (spec->n_members < 2) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_GROUP, "members", "it has %u members; two at least make a group",
        spec->n_members);
  }
  if (spec->n_members > UINT32_MAX - builder->problem->groups.items.n) {
    return berth_builder_limit(
        builder, item, "members", "all groups together have more than 2^32 - 1 members");
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t k = 0; k < spec->n_members && code == BERTH_OK; k++) {
    code = check_member(builder, item, spec->members[k]);
  }
  return code;
}

static bool make_room(struct berth_problem_builder *builder, uint32_t n_members) {
  struct berth_group_columns *groups = &builder->problem->groups;
  size_t n_rows = builder->problem->rows.size.n;
  if (!berth_vec_reserve(&builder->allocator, &builder->group_mark, n_rows) ||
      !berth_vec_reserve(&builder->allocator, &groups->specs, groups->specs.n + 1) ||
      !berth_vec_reserve(&builder->allocator, &groups->items, groups->items.n + n_members)) {
    return false;
  }
  while (builder->group_mark.n < n_rows) {
    builder->group_mark.items[builder->group_mark.n++] = 0;
  }
  return true;
}

static enum berth_code add(struct berth_problem_builder *builder, const struct berth_group_spec *spec) {
  struct berth_group_columns *groups = &builder->problem->groups;
  struct berth_item item = {.kind = "group", .index = (uint32_t)groups->specs.n};
  if (groups->specs.n == BERTH_MAX_BUFFERS) {
    return berth_builder_limit(builder, item, "kind", "at most %u are allowed", BERTH_MAX_BUFFERS);
  }
  if (!make_room(builder, spec->n_members)) {
    return berth_fail_memory(&builder->error);
  }
  enum berth_code code = check(builder, item, spec);
  if (code != BERTH_OK) {
    return code;
  }
  for (uint32_t k = 0; k < spec->n_members; k++) {
    groups->items.items[groups->items.n++] = spec->members[k];
  }
  groups->specs.items[groups->specs.n++] =
      (struct berth_group_spec){.kind = spec->kind, .n_members = spec->n_members};
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_group(
    struct berth_problem_builder *builder, const struct berth_group_spec *spec, struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_OPEN)) {
    add(builder, spec);
  }
  return berth_builder_report(builder, err);
}

bool berth_builder_mark_grouped(
    const struct berth_problem_builder *builder, struct berth_arena *arena, bool **out_grouped) {
  const struct berth_group_columns *groups = &builder->problem->groups;
  *out_grouped = NULL;
  if (groups->items.n == 0) {
    return true;
  }
  bool *grouped = berth_arena_new_zeroed(arena, bool, builder->problem->rows.size.n);
  for (size_t k = 0; grouped != NULL && k < groups->items.n; k++) {
    grouped[groups->items.items[k]] = true;
  }
  *out_grouped = grouped;
  return grouped != NULL;
}
