#include "base/checked.h"
#include "stable/internal.h"

enum { WHOLE = 1000000 };

static enum berth_code refuse_end(const struct berth_stable_row *row, uint32_t i, struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_SIZE_OVERFLOW, i, "offset",
      "the place of row %u in the earlier plan, %llu bytes at %llu, ends beyond 2^63", i,
      (unsigned long long)row->size_bytes, (unsigned long long)row->offset);
}

static enum berth_code measure(
    const struct berth_stable_spec *spec, uint32_t n_pools, uint64_t *arena_bytes, struct berth_error *err) {
  for (uint32_t i = 0; i < spec->n_rows; i++) {
    const struct berth_stable_row *row = &spec->rows[i];
    uint64_t end;
    if (row->offset == BERTH_NO_OFFSET || row->size_bytes == 0) {
      continue;
    }
    if (!berth_add_u64(row->offset, row->size_bytes, &end) || end > INT64_MAX) {
      return refuse_end(row, i, err);
    }
    if (row->pool < n_pools && end > arena_bytes[row->pool]) {
      arena_bytes[row->pool] = end;
    }
  }
  return BERTH_OK;
}

/* Of `bytes`, without a product that overflows. */
static uint64_t share_of(uint64_t bytes, uint64_t millionths) {
  uint64_t whole = berth_mul_sat_u64(bytes / WHOLE, millionths);
  return berth_add_sat_u64(whole, berth_mul_sat_u64(bytes % WHOLE, millionths) / WHOLE);
}

/* With everything above the highest place no offset that a planner forms may overflow (problem.h). */
static enum berth_code check_reach(
    const struct berth_problem *problem, const struct berth_stable_columns *columns,
    struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  const struct berth_pools *pools = berth_problem_pools(problem);
  uint64_t alignment = 1;
  uint64_t reach = 0;
  uint64_t sum = 0;
  uint32_t highest = BERTH_NO_INDEX;
  for (uint32_t p = 0; p < pools->n; p++) {
    alignment = pools->items[p].alignment > alignment ? pools->items[p].alignment : alignment;
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    alignment = buffers->alignment[i] > alignment ? buffers->alignment[i] : alignment;
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    sum = berth_add_sat_u64(sum, berth_add_sat_u64(buffers->size_bytes[i], alignment - 1));
    if (columns->offset[i] != BERTH_NO_OFFSET && columns->offset[i] >= reach) {
      reach = columns->offset[i];
      highest = i;
    }
  }
  if (highest == BERTH_NO_INDEX || berth_add_sat_u64(reach, sum) <= INT64_MAX) {
    return BERTH_OK;
  }
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_SIZE_OVERFLOW, highest, "offset",
      "buffer %u was at %llu in the earlier plan, so high that sums of sizes pass 2^63", highest,
      (unsigned long long)reach);
}

enum berth_code berth_stable_limit(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    struct berth_stable_columns *columns, struct berth_error *err) {
  uint32_t n_pools = berth_problem_pools(problem)->n;
  enum berth_code code = measure(spec, n_pools, columns->arena_bytes, err);
  code = code == BERTH_OK ? check_reach(problem, columns, err) : code;
  for (uint32_t p = 0; spec->arena_bytes != NULL && p < n_pools; p++) {
    columns->arena_bytes[p] = spec->arena_bytes[p];
  }
  bool is_limited = spec->growth == BERTH_GROWTH_BYTES || spec->growth == BERTH_GROWTH_SHARE;
  for (uint32_t p = 0; code == BERTH_OK && is_limited && p < n_pools; p++) {
    uint64_t before = columns->arena_bytes[p];
    uint64_t more =
        spec->growth == BERTH_GROWTH_BYTES ? spec->growth_amount : share_of(before, spec->growth_amount);
    columns->limit_bytes[p] = berth_add_sat_u64(before, more);
  }
  for (uint32_t p = 0; spec->limit_bytes != NULL && p < n_pools; p++) {
    uint64_t limit = spec->limit_bytes[p];
    columns->limit_bytes[p] = limit < columns->limit_bytes[p] ? limit : columns->limit_bytes[p];
  }
  return code;
}
