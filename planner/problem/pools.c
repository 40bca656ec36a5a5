#include <string.h>

#include "base/checked.h"
#include "problem/builder.h"
#include "problem/names.h"

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
  if (spec->base_alignment != 0 &&
      (!berth_is_power_of_two(spec->base_alignment) || spec->base_alignment > INT64_MAX)) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ALIGNMENT, "base_alignment",
        "base alignment %llu is not a power of two up to 2^62", (unsigned long long)spec->base_alignment);
  }
  if (spec->base_alignment != 0 && spec->alignment > spec->base_alignment) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ALIGNMENT, "base_alignment",
        "its base address is aligned to %llu only, so that no offset can promise its alignment %llu",
        (unsigned long long)spec->base_alignment, (unsigned long long)spec->alignment);
  }
  if ((unsigned)spec->persistence > BERTH_PERSISTENCE_ONLY) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_POOL, "persistence", "persistence %d is unknown",
        (int)spec->persistence);
  }
  if (spec->persistence == BERTH_PERSISTENCE_FRONT && spec->kind == BERTH_POOL_SLOTS) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_POOL, "persistence",
        "a pool of whole slots has no front; give constants and state a pool of their own");
  }
  return BERTH_OK;
}

/* The pools that it names are looked at when all are there. */
static enum berth_code add_spills(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_pool_spec *spec) {
  struct berth_problem *problem = builder->problem;
  if (spec->n_spill_to > BERTH_MAX_SPILLS - problem->spills.n) {
    return berth_builder_limit(
        builder, item, "spill_to", "all pools together may name at most %d to spill to", BERTH_MAX_SPILLS);
  }
  if (!berth_vec_reserve(&builder->allocator, &problem->spills, problem->spills.n + spec->n_spill_to)) {
    return berth_fail_memory(&builder->error);
  }
  for (uint32_t i = 0; i < spec->n_spill_to; i++) {
    problem->spills.items[problem->spills.n++] = spec->spill_to[i];
  }
  return BERTH_OK;
}

static enum berth_code add(struct berth_problem_builder *builder, const struct berth_pool_spec *spec) {
  struct berth_problem *problem = builder->problem;
  const struct berth_allocator *allocator = &builder->allocator;
  struct berth_item item = {.kind = "pool", .index = (uint32_t)problem->pools.n, .id = spec->name};
  if (builder->pools_closed) {
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
  code = add_spills(builder, item, spec);
  if (code != BERTH_OK) {
    return code;
  }
  problem->pools.items[problem->pools.n++] = *spec;
  builder->has_choices |= spec->n_spill_to != 0 || spec->persistence == BERTH_PERSISTENCE_ONLY;
  builder->pool_mark.items[builder->pool_mark.n++] = 0;
  if (spec->alignment > builder->pool_alignment) {
    builder->pool_alignment = spec->alignment;
  }
  return BERTH_OK;
}

/* Points each pool at its part of `spills`. */
static enum berth_code check_spills(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  const uint32_t *at = problem->spills.items;
  for (uint32_t pool = 0; pool < problem->pools.n; pool++) {
    struct berth_pool_spec *spec = &problem->pools.items[pool];
    struct berth_item item = {
        .kind = "pool", .index = pool, .id = berth_names_get(&problem->pool_names, pool)};
    spec->spill_to = spec->n_spill_to != 0 ? at : NULL;
    builder->choice_stamp++;
    builder->choice_mark.items[pool] = builder->choice_stamp;
    for (uint32_t i = 0; i < spec->n_spill_to; i++, at++) {
      if (*at >= problem->pools.n) {
        return berth_builder_blame(
            builder, item, BERTH_REASON_UNKNOWN_ID, "spill_to", "it spills to pool %u; there are %zu", *at,
            problem->pools.n);
      }
      if (builder->choice_mark.items[*at] == builder->choice_stamp) {
        return berth_builder_blame(
            builder, item, BERTH_REASON_BAD_POOL, "spill_to", "it spills to pool %u, which is %s", *at,
            *at == pool ? "itself" : "listed twice");
      }
      builder->choice_mark.items[*at] = builder->choice_stamp;
    }
  }
  return BERTH_OK;
}

enum berth_code berth_builder_close_pools(struct berth_problem_builder *builder) {
  if (builder->pools_closed) {
    return BERTH_OK;
  }
  enum berth_code code = BERTH_OK;
  if (builder->problem->pools.n == 0) {
    struct berth_pool_spec spec = berth_pool_spec_default();
    spec.name = (struct berth_text){.data = "arena", .size = 5};
    code = add(builder, &spec);
  }
  if (code != BERTH_OK) {
    return code;
  }
  size_t n = builder->problem->pools.n;
  if (!berth_vec_reserve(&builder->allocator, &builder->choice_mark, n) ||
      !berth_vec_reserve(&builder->allocator, &builder->choice_list, 2 * n)) {
    return berth_fail_memory(&builder->error);
  }
  memset(builder->choice_mark.items, 0, n * sizeof(uint32_t));
  builder->pools_closed = true;
  return check_spills(builder);
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
