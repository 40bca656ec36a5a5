/* Buffers of a partial order, stated by vector clocks. `lower` and `upper` become the sums of the components:
 * what is ordered lies apart in them. */
#include <string.h>

#include "liveness/clocks.h"
#include "problem/builder.h"

static enum berth_code check_shape(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  const struct berth_problem *problem = builder->problem;
  if (spec->n_clocks > BERTH_MAX_CLOCKS || ((uint64_t)item.index + 1) * spec->n_clocks > BERTH_CLOCKS_MAX) {
    return berth_builder_limit(
        builder, item, "lower",
        "its clocks have %u components; at most %u, and 2^26 of all buffers, are allowed", spec->n_clocks,
        BERTH_MAX_CLOCKS);
  }
  if (item.index != 0 && spec->n_clocks != problem->n_clocks) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_LIFETIME, "lower",
        "its clocks have %u components, those of the buffers before it have %u (a single step is none)",
        spec->n_clocks, problem->n_clocks);
  }
  if (spec->n_clocks != 0 && spec->n_gaps != 0) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_GAP, "gaps", "it has gaps and clocks; gaps are of a total order");
  }
  return BERTH_OK;
}

static enum berth_code check_components(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  for (uint32_t c = 0; c < spec->n_clocks; c++) {
    uint32_t lower = spec->clock_lower[c];
    uint32_t upper = spec->clock_upper[c];
    if (lower > BERTH_MAX_CLOCK || upper > BERTH_MAX_CLOCK) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_LIFETIME, lower > BERTH_MAX_CLOCK ? "lower" : "upper",
          "component %u of its clocks is %u; at most %u is allowed", c, lower > upper ? lower : upper,
          BERTH_MAX_CLOCK);
    }
    if (upper < lower) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_LIFETIME, "upper",
          "component %u of its clocks ends at %u, before it begins at %u", c, upper, lower);
    }
  }
  return BERTH_OK;
}

/* Equal clocks are read as one step of everyone, as equal steps are. */
static void append(struct berth_problem *problem, const struct berth_buffer_spec *spec) {
  uint32_t n = spec->n_clocks;
  bool is_empty = memcmp(spec->clock_lower, spec->clock_upper, n * sizeof(uint32_t)) == 0;
  for (uint32_t c = 0; c < n; c++) {
    problem->clock_lower.items[problem->clock_lower.n++] = spec->clock_lower[c];
    problem->clock_upper.items[problem->clock_upper.n++] = spec->clock_upper[c] + is_empty;
  }
}

enum berth_code berth_builder_add_clocks(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec,
    struct berth_buffer_spec *out_row) {
  struct berth_problem *problem = builder->problem;
  *out_row = *spec;
  enum berth_code code = check_shape(builder, item, spec);
  code = code != BERTH_OK ? code : check_components(builder, item, spec);
  if (code != BERTH_OK || spec->n_clocks == 0) {
    return code;
  }
  size_t n_before = problem->clock_lower.n;
  if (!berth_vec_reserve(&builder->allocator, &problem->clock_lower, n_before + spec->n_clocks) ||
      !berth_vec_reserve(&builder->allocator, &problem->clock_upper, n_before + spec->n_clocks)) {
    return berth_fail_memory(&builder->error);
  }
  problem->n_clocks = spec->n_clocks;
  append(problem, spec);
  out_row->lower = out_row->upper = 0;
  for (uint32_t c = 0; c < spec->n_clocks; c++) {
    out_row->lower += problem->clock_lower.items[n_before + c];
    out_row->upper += problem->clock_upper.items[n_before + c];
  }
  return BERTH_OK;
}
