/* Regions are checked as they come: within the parent, after its last child. So they are nested or apart. */
#include <string.h>

#include "problem/builder.h"

struct berth_region_spec berth_region_spec_default(void) {
  return (struct berth_region_spec){.parent = BERTH_NO_INDEX, .min_trips = 1};
}

static struct berth_region_spec *region_at(struct berth_problem_builder *builder, uint32_t region) {
  return &builder->problem->columns.regions.items[region];
}

static enum berth_code check_parent(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_region_spec *spec) {
  bool root = spec->parent == BERTH_NO_INDEX;
  if (!root && spec->parent >= item.index) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_UNKNOWN_ID, "parent", "its parent %u does not come before it",
        spec->parent);
  }
  bool in_choice = !root && region_at(builder, spec->parent)->kind == BERTH_REGION_CHOICE;
  if (in_choice != (spec->kind == BERTH_REGION_BRANCH)) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_REGION, "parent",
        in_choice ? "it lies in a choice and is no branch" : "it is a branch and does not lie in a choice");
  }
  if (!root && builder->region_depth.items[spec->parent] >= BERTH_MAX_REGION_DEPTH) {
    return berth_builder_limit(
        builder, item, "parent", "regions are nested more than %d deep", BERTH_MAX_REGION_DEPTH);
  }
  return BERTH_OK;
}

static enum berth_code check_stretch(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_region_spec *spec) {
  bool root = spec->parent == BERTH_NO_INDEX;
  uint64_t end = (uint64_t)spec->first_operator + spec->n_operators;
  uint64_t outer_first = root ? 0 : region_at(builder, spec->parent)->first_operator;
  uint64_t outer_end =
      root ? builder->workspace_size.n : outer_first + region_at(builder, spec->parent)->n_operators;
  if (spec->first_operator < outer_first || end > outer_end || spec->n_operators == 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_REGION, "first_operator",
        "its operators [%u, %llu) are none, or not within [%llu, %llu)", spec->first_operator,
        (unsigned long long)end, (unsigned long long)outer_first, (unsigned long long)outer_end);
  }
  uint32_t sibling_end = root ? builder->last_root_end : builder->last_child_end.items[spec->parent];
  if (spec->first_operator < sibling_end) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_REGION, "first_operator",
        "it begins at operator %u, but the region beside it ends at %u", spec->first_operator, sibling_end);
  }
  return BERTH_OK;
}

static enum berth_code
check(struct berth_problem_builder *builder, struct berth_item item, const struct berth_region_spec *spec) {
  if ((unsigned)spec->kind > BERTH_REGION_CALL) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, "kind", "kind %d is unknown", (int)spec->kind);
  }
  if (item.index >= BERTH_MAX_BUFFERS || spec->n_carries > UINT32_MAX - builder->problem->columns.carries.n) {
    return berth_builder_limit(builder, item, "carries", "there are too many regions or carried values");
  }
  for (uint32_t i = 0; i < spec->n_carries; i++) {
    if (spec->carries[i] >= builder->problem->rows.size.n) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_UNKNOWN_ID, "carries", "it carries value %u; there are %zu",
          spec->carries[i], builder->problem->rows.size.n);
    }
  }
  enum berth_code code = check_parent(builder, item, spec);
  return code != BERTH_OK ? code : check_stretch(builder, item, spec);
}

static enum berth_code add(struct berth_problem_builder *builder, const struct berth_region_spec *spec) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  const struct berth_allocator *allocator = &builder->allocator;
  struct berth_item item = {.kind = "region", .index = (uint32_t)columns->regions.n};
  enum berth_code code = check(builder, item, spec);
  if (code != BERTH_OK) {
    return code;
  }
  size_t n = columns->regions.n + 1;
  if (!berth_vec_reserve(allocator, &columns->regions, n) ||
      !berth_vec_reserve(allocator, &columns->carries, columns->carries.n + spec->n_carries) ||
      !berth_vec_reserve(allocator, &builder->region_depth, n) ||
      !berth_vec_reserve(allocator, &builder->last_child_end, n)) {
    return berth_fail_memory(&builder->error);
  }
  bool root = spec->parent == BERTH_NO_INDEX;
  columns->regions.items[columns->regions.n++] = *spec;
  if (spec->n_carries != 0) {
    memcpy(columns->carries.items + columns->carries.n, spec->carries, spec->n_carries * sizeof(uint32_t));
  }
  columns->carries.n += spec->n_carries;
  builder->region_depth.items[builder->region_depth.n++] =
      root ? 1 : builder->region_depth.items[spec->parent] + 1;
  builder->last_child_end.items[builder->last_child_end.n++] = 0;
  *(root ? &builder->last_root_end : &builder->last_child_end.items[spec->parent]) =
      spec->first_operator + spec->n_operators;
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_region(
    struct berth_problem_builder *builder, const struct berth_region_spec *spec, uint32_t *out_region,
    struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_GRAPH)) {
    uint32_t index = (uint32_t)builder->problem->columns.regions.n;
    if (add(builder, spec) == BERTH_OK && out_region != NULL) {
      *out_region = index;
    }
  }
  return berth_builder_report(builder, err);
}

void berth_builder_finish_regions(struct berth_problem_builder *builder) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  uint32_t at = 0;
  for (size_t i = 0; i < columns->regions.n; i++) {
    struct berth_region_spec *region = &columns->regions.items[i];
    region->carries = region->n_carries != 0 ? columns->carries.items + at : NULL;
    at += region->n_carries;
  }
}
