/* Shared by the files of this room only. */
#ifndef STABLE_INTERNAL_H
#define STABLE_INTERNAL_H

#include "base/arena.h"
#include "berth/stable.h"

/* The writable columns of a block that is being made. */
struct berth_stable_columns {
  uint32_t *pool;
  uint64_t *offset;
  uint8_t *must;
  uint64_t *limit_bytes;
  uint64_t *arena_bytes;
  uint32_t *gone;
};

/* Nobody had a place, no limits, no arenas; room for n_gone. NULL if memory ran out. */
struct berth_stable *berth_stable_block(
    const struct berth_problem *problem, uint32_t n_gone, const struct berth_allocator *allocator,
    struct berth_stable_columns *out_columns);

/* Arenas as they were, and how large they may be now. */
enum berth_code berth_stable_limit(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    struct berth_stable_columns *columns, struct berth_error *err) BERTH_MUST_USE;

/* Who must stay; `row_of` is the row of each buffer, or BERTH_NO_INDEX. */
enum berth_code berth_stable_choose(
    const struct berth_problem *problem, const struct berth_stable_spec *spec, const uint32_t *matches,
    struct berth_arena *arena, struct berth_stable_columns *columns, struct berth_error *err) BERTH_MUST_USE;

/* Whether those who must stay can, as far as that can be told of them alone. */
enum berth_code berth_stable_check(
    const struct berth_problem *problem, const struct berth_stable_columns *columns,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

#endif
