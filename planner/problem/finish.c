/* What only the whole shows: ids used twice, and conflicts in order. */
#include "base/sort.h"
#include "problem/builder.h"
#include "problem/names.h"

static enum berth_code check_names(
    struct berth_problem_builder *builder, const struct berth_names *names, const char *kind,
    const char *field) {
  uint32_t first;
  uint32_t second;
  if (!berth_names_find_duplicate(&builder->allocator, names, &first, &second)) {
    return berth_fail_memory(&builder->error);
  }
  if (first == BERTH_NO_INDEX) {
    return BERTH_OK;
  }
  struct berth_item item = {.kind = kind, .index = second, .id = berth_names_get(names, second)};
  return berth_builder_blame(
      builder, item, BERTH_REASON_DUPLICATE_ID, field, "%s %u has the same %s", kind, first, field);
}

enum berth_code berth_builder_check_ids(struct berth_problem_builder *builder) {
  const struct berth_problem *problem = builder->problem;
  const char *kind = builder->form == BERTH_FORM_GRAPH ? "value" : "buffer";
  enum berth_code code = check_names(builder, &problem->pool_names, "pool", "name");
  if (code == BERTH_OK && !builder->ids_may_repeat) {
    code = check_names(builder, &problem->names, kind, "id");
  }
  code = code != BERTH_OK ? code : check_names(builder, &problem->symbols.names, "symbol", "name");
  return code != BERTH_OK ? code : check_names(builder, &problem->operator_names, "operator", "id");
}

enum berth_code berth_builder_sort_conflicts(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  size_t n = problem->conflicts.n;
  if (n == 0) {
    return BERTH_OK;
  }
  const struct berth_allocator *allocator = &builder->allocator;
  BERTH_VEC(struct berth_sort_item) keyed = {0};
  if (!berth_vec_reserve(allocator, &keyed, 2 * n)) {
    return berth_fail_memory(&builder->error);
  }
  for (size_t i = 0; i < n; i++) {
    const uint32_t *pair = problem->conflicts.items[i];
    keyed.items[i] = (struct berth_sort_item){.key = (uint64_t)pair[0] << 32 | pair[1]};
  }
  berth_sort_items(keyed.items, keyed.items + n, n);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (i != 0 && keyed.items[i].key == keyed.items[i - 1].key) {
      continue;
    }
    problem->conflicts.items[kept][0] = (uint32_t)(keyed.items[i].key >> 32);
    problem->conflicts.items[kept][1] = (uint32_t)keyed.items[i].key;
    kept++;
  }
  problem->conflicts.n = kept;
  berth_vec_finish(allocator, &keyed);
  return BERTH_OK;
}
