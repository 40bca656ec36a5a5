#include "problem/builder.h"
#include "problem/names.h"

#include "base/checked.h"

struct berth_pool_spec berth_pool_spec_default(void) {
  return (struct berth_pool_spec){
      .capacity_bytes = BERTH_UNLIMITED, .alignment = 1, .max_block_bytes = BERTH_UNLIMITED};
}

static enum berth_code
check(struct berth_problem_builder *builder, struct berth_item item, const struct berth_pool_spec *spec) {
  if (item.index >= BERTH_MAX_POOLS) {
    return berth_builder_limit(builder, item, "name", "at most %d pools are allowed", BERTH_MAX_POOLS);
  }
  if (!berth_is_power_of_two(spec->alignment) || spec->alignment > INT64_MAX) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ALIGNMENT, "alignment",
        "alignment %llu is not a power of two up to 2^62", (unsigned long long)spec->alignment);
  }
  if (spec->capacity_bytes == 0 || spec->max_block_bytes == 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_POOL, spec->capacity_bytes == 0 ? "capacity" : "max_block",
        "it can hold nothing: its %s is 0", spec->capacity_bytes == 0 ? "capacity" : "largest block");
  }
  if (spec->kind != BERTH_POOL_BYTES && spec->kind != BERTH_POOL_SLOTS) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_POOL, "kind", "kind %d is unknown", (int)spec->kind);
  }
  return BERTH_OK;
}

static enum berth_code add(struct berth_problem_builder *builder, const struct berth_pool_spec *spec) {
  struct berth_problem *problem = builder->problem;
  const struct berth_allocator *allocator = &builder->allocator;
  struct berth_item item = {.kind = "pool", .index = (uint32_t)problem->pools.n, .id = spec->name};
  if (problem->rows.size.n != 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_POOL, "name", "pools must be added before buffers and values");
  }
  enum berth_code code = check(builder, item, spec);
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(allocator, &problem->pools, problem->pools.n + 1) ||
      !berth_vec_reserve(allocator, &builder->pool_mark, builder->pool_mark.n + 1)) {
    return berth_fail_memory(&builder->error);
  }
  switch (berth_names_add(allocator, &problem->pool_names, item.index, spec->name)) {
  case BERTH_NAMES_OK:
    break;
  case BERTH_NAMES_BAD_TEXT:
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_TEXT, "name", "its name is not UTF-8 without NUL");
  case BERTH_NAMES_TOO_LONG:
    return berth_builder_limit(builder, item, "name", "the names of all pools are too long");
  case BERTH_NAMES_OUT_OF_MEMORY:
    return berth_fail_memory(&builder->error);
  }
  problem->pools.items[problem->pools.n++] = *spec;
  builder->pool_mark.items[builder->pool_mark.n++] = 0;
  if (spec->alignment > builder->pool_alignment) {
    builder->pool_alignment = spec->alignment;
  }
  return BERTH_OK;
}

enum berth_code berth_builder_close_pools(struct berth_problem_builder *builder) {
  if (builder->problem->pools.n != 0) {
    return BERTH_OK;
  }
  struct berth_pool_spec spec = berth_pool_spec_default();
  spec.name = (struct berth_text){.data = "arena", .size = 5};
  return add(builder, &spec);
}

enum berth_code berth_problem_builder_add_pool(
    struct berth_problem_builder *builder, const struct berth_pool_spec *spec, uint32_t *out_pool,
    struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_OPEN)) {
    uint32_t index = (uint32_t)builder->problem->pools.n;
    if (add(builder, spec) == BERTH_OK && out_pool != NULL) {
      *out_pool = index;
    }
  }
  return berth_builder_report(builder, err);
}
