/* A plan for bound symbols that is never larger than the one for their bounds: that is where it starts. */
#include <string.h>

#include "verbs/internal.h"
#include "json/problem.h"

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

enum berth_code berthctl_restate(
    const struct berthctl_input *text, const struct berth_bindings *bindings, enum berth_reuse reuse,
    struct berth_problem **out_problem, struct berth_error *err) {
  return reuse == BERTH_REUSE_FULL
             ? berth_json_read_bound(text->bytes, text->n_bytes, bindings, NULL, out_problem, err)
             : berth_json_read_without_inplace(text->bytes, text->n_bytes, bindings, NULL, out_problem, err);
}

static enum berth_code state_bounds(
    const struct berth_problem *problem, const struct berth_bindings *bindings, enum berth_reuse reuse,
    struct berth_problem **out_bounds, struct berth_error *err) {
  struct berthctl_input text = {NULL, 0};
  struct berth_sink sink = {.ctx = &text, .write = berthctl_keep_bytes};
  enum berth_code code = berth_json_write_problem(problem, sink, err);
  code = code != BERTH_OK ? code : berthctl_restate(&text, bindings, reuse, out_bounds, err);
  berthctl_input_finish(&text);
  return code;
}

/* Whether the places are right for the problem, by the judge. */
static bool suits(const struct berth_problem *problem, const struct berth_plan *plan) {
  struct berth_verdict verdict;
  struct berth_error err;
  return plan->offset != NULL && plan->n_buffers == berth_problem_buffers(problem)->n &&
         berth_verify_offsets(problem, plan->pool, plan->offset, NULL, NULL, 0, &verdict, &err) == BERTH_OK &&
         verdict.n_violations == 0;
}

/* A daemon knows nothing of where to start: what it found is held against that afterwards. */
static enum berthctl_exit improve(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, const struct berth_solve_options *solve,
    struct berthctl_planned *planned) {
  struct berth_solve_options brief = *solve;
  struct berthctl_planned better = {.plan = NULL};
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  brief.budget_ticks = 1;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code = berthctl_local_plan(problem, &brief, &watch, &better, &err);
  berthctl_watch_finish(&watch);
  code = code != BERTH_OK ? code : berthctl_local_check(problem, better.plan, &err);
  bool is_better = code == BERTH_OK && better.plan->offset != NULL &&
                   (planned->plan->offset == NULL || better.plan->arena_bytes < planned->plan->arena_bytes);
  if (is_better && planned->plan->status != BERTH_PLAN_INFEASIBLE) {
    struct berth_plan *plan = planned->plan;
    planned->plan = better.plan;
    better.plan = plan;
  }
  berthctl_planned_finish(&better);
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, options->arguments[0], &err);
}

enum berthctl_exit berthctl_compute_bound(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes) {
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
  if (state_bounds(problem, &bindings, solve.reuse, &bounds, &err) != BERTH_OK) {
    return berthctl_error_say(terminal, options->arguments[0], &err);
  }
  struct berth_solve_options unlimited = solve;
  unlimited.capacity_bytes = BERTH_UNLIMITED;
  enum berthctl_exit status = berthctl_compute_with(options, terminal, bounds, &unlimited, &at_bounds);
  struct berth_start start = {.pool = NULL};
  if (status == BERTHCTL_EXIT_OK && suits(problem, at_bounds.plan)) {
    start = (struct berth_start){.pool = at_bounds.plan->pool, .offset = at_bounds.plan->offset};
    solve.start = &start;
    *out_bounds_bytes = at_bounds.plan->arena_bytes;
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = berthctl_compute_with(options, terminal, problem, &solve, out_planned);
  }
  if (status == BERTHCTL_EXIT_OK && solve.start != NULL && !options->is_set[BERTHCTL_OPTION_LOCAL]) {
    status = improve(options, terminal, problem, &solve, out_planned);
  }
  berthctl_planned_finish(&at_bounds);
  berth_problem_unref(bounds);
  return status;
}
