/* A plan for bound symbols that is never larger than the one for their bounds. */
#include "berth/variants.h"
#include "verbs/internal.h"

static enum berthctl_exit compute_within(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem, const struct berth_plan *at_bounds, struct berthctl_planned *out_planned) {
  const struct berth_solve_options solve = berthctl_solve_options(options);
  struct berthctl_variant variant = {.planned = {.plan = NULL}};
  struct berth_error err = {.code = BERTH_OK};
  enum berthctl_exit status = berthctl_compute_with(options, terminal, problem, &solve, &variant.planned);
  if (status == BERTHCTL_EXIT_OK && berthctl_hold(problem, at_bounds, &solve, &variant, &err) != BERTH_OK) {
    status = berthctl_error_say(terminal, options->arguments[0], &err);
  }
  *out_planned = variant.planned;
  return status;
}

enum berthctl_exit berthctl_compute_bound(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes) {
  struct berth_solve_options solve = berthctl_solve_options(options);
  struct berthctl_planned at_bounds = {.plan = NULL};
  struct berth_problem *bounds = NULL;
  struct berth_error err = {.code = BERTH_OK};
  *out_bounds_bytes = 0;
  bool has_bounds = berth_problem_is_bound(problem);
  if (has_bounds && berth_variant_bounds(problem, NULL, 0, NULL, &bounds, &err) != BERTH_OK) {
    has_bounds = false; /* a group, say, that begins alike at every number, but not over all of them */
  }
  if (!has_bounds) {
    return berthctl_compute(options, terminal, problem, out_planned);
  }
  solve.capacity_bytes = BERTH_UNLIMITED;
  solve.sync.cost_bytes = BERTH_NO_SYNCS; /* what needs waits is nothing to start from */
  enum berthctl_exit status = berthctl_compute_with(options, terminal, bounds, &solve, &at_bounds);
  if (status == BERTHCTL_EXIT_OK) {
    bool is_placed = at_bounds.plan->offset != NULL;
    *out_bounds_bytes = is_placed ? at_bounds.plan->arena_bytes : 0;
    status = compute_within(options, terminal, problem, at_bounds.plan, out_planned);
  }
  berthctl_planned_finish(&at_bounds);
  berth_problem_unref(bounds);
  return status;
}
