/* A plan for bound symbols that is never larger than the one for their bounds: that is where it starts. */
#include <string.h>

#include "berth/restate.h"
#include "verbs/internal.h"

/* Symbols that have no bounds keep what they are bound to; the others range over theirs. False if that is
 * what the problem has already. */
static bool find_bounds(
    const struct berth_problem *problem, struct berth_binding *items, struct berth_bindings *out_bindings) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  bool narrows = false;
  *out_bindings = (struct berth_bindings){.items = items};
  for (uint32_t i = 0; symbols != NULL && i < symbols->n_symbols; i++) {
    const struct berth_symbol *symbol = &symbols->symbols[i];
    const struct berth_binding *range = &symbols->ranges[i];
    bool is_bound = range->lower != symbol->lower || range->upper != symbol->upper;
    narrows = narrows || (is_bound && symbol->upper != BERTH_UNBOUNDED);
    if (is_bound && symbol->upper == BERTH_UNBOUNDED && out_bindings->n < BERTHCTL_MAX_BINDINGS) {
      items[out_bindings->n++] = *range;
    }
  }
  return narrows;
}

/* Whether the places are right for the problem, by the judge. */
static bool suits(const struct berth_problem *problem, const struct berth_plan *plan) {
  struct berth_verdict verdict;
  struct berth_error err;
  return plan->offset != NULL && plan->n_buffers == berth_problem_buffers(problem)->n &&
         berth_verify_offsets(problem, plan->pool, plan->offset, NULL, NULL, 0, &verdict, &err) == BERTH_OK &&
         verdict.n_violations == 0;
}

/* Where the engine could not start from there, what it found is held against that afterwards. */
static enum berthctl_exit improve(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, const struct berth_solve_options *solve,
    struct berthctl_planned *planned) {
  struct berth_solve_options brief = *solve;
  const struct berth_verify_terms terms = {.capacity_bytes = solve->capacity_bytes};
  struct berthctl_planned better = {.plan = NULL};
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  brief.budget_ticks = 1;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code = berthctl_local_plan(problem, &brief, &watch, &better, &err);
  berthctl_watch_finish(&watch);
  code = code != BERTH_OK ? code : berthctl_local_check(better.problem, better.plan, &terms, &err);
  bool is_better = code == BERTH_OK && better.plan->offset != NULL &&
                   (planned->plan->offset == NULL || better.plan->arena_bytes < planned->plan->arena_bytes);
  if (is_better && planned->plan->status != BERTH_PLAN_INFEASIBLE) {
    struct berthctl_planned worse = *planned;
    planned->plan = better.plan;
    planned->problem = better.problem;
    better.plan = worse.plan;
    better.problem = worse.problem;
  }
  berthctl_planned_finish(&better);
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, options->arguments[0], &err);
}

/* What is planned for the bounds may leave results in place out: then so does what starts there. */
static enum berthctl_exit compute_from(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem, const struct berth_plan *at_bounds, struct berthctl_planned *out_planned,
    uint64_t *out_bounds_bytes) {
  struct berth_solve_options solve = berthctl_solve_options(options);
  struct berth_problem *level = NULL;
  struct berth_error err = {.code = BERTH_OK};
  if (berth_problem_at_level(problem, at_bounds->reuse, NULL, &level, &err) != BERTH_OK) {
    return berthctl_error_say(terminal, options->arguments[0], &err);
  }
  const struct berth_start start = {.pool = at_bounds->pool, .offset = at_bounds->offset};
  bool has_start = suits(level, at_bounds);
  solve.start = has_start && level == problem ? &start : NULL;
  *out_bounds_bytes = has_start ? at_bounds->arena_bytes : 0;
  enum berthctl_exit status = berthctl_compute_with(options, terminal, problem, &solve, out_planned);
  bool has_started = solve.start != NULL && options->is_set[BERTHCTL_OPTION_LOCAL];
  if (status == BERTHCTL_EXIT_OK && has_start && !has_started) {
    solve.start = &start;
    solve.reuse = at_bounds->reuse;
    status = improve(options, terminal, level, &solve, out_planned);
  }
  berth_problem_unref(level);
  return status;
}

enum berthctl_exit berthctl_compute_bound(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes) {
  struct berth_binding items[BERTHCTL_MAX_BINDINGS];
  struct berth_bindings bindings;
  struct berth_solve_options solve = berthctl_solve_options(options);
  struct berthctl_planned at_bounds = {.plan = NULL};
  struct berth_problem *bounds = NULL;
  struct berth_error err = {.code = BERTH_OK};
  *out_bounds_bytes = 0;
  if (!find_bounds(problem, items, &bindings)) {
    return berthctl_compute(options, terminal, problem, out_planned);
  }
  const struct berth_restatement as = {.bindings = &bindings};
  if (berth_problem_restate(problem, &as, NULL, &bounds, &err) != BERTH_OK) {
    return berthctl_error_say(terminal, options->arguments[0], &err);
  }
  solve.capacity_bytes = BERTH_UNLIMITED;
  enum berthctl_exit status = berthctl_compute_with(options, terminal, bounds, &solve, &at_bounds);
  if (status == BERTHCTL_EXIT_OK) {
    status = compute_from(options, terminal, problem, at_bounds.plan, out_planned, out_bounds_bytes);
  }
  berthctl_planned_finish(&at_bounds);
  berth_problem_unref(bounds);
  return status;
}
