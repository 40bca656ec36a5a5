/* plan and fit: read, plan here or there, check, show. */
#include "verbs/internal.h"

struct berth_solve_options berthctl_solve_options(const struct berthctl_options *options) {
  struct berth_solve_options solve = berth_solve_options_default();
  if (options->is_set[BERTHCTL_OPTION_CAPACITY]) {
    solve.capacity_bytes = options->number[BERTHCTL_OPTION_CAPACITY];
  }
  if (options->is_set[BERTHCTL_OPTION_BUDGET]) {
    solve.budget_ticks = options->number[BERTHCTL_OPTION_BUDGET];
  }
  if (options->is_set[BERTHCTL_OPTION_SYNC_COST]) {
    uint64_t cost = options->number[BERTHCTL_OPTION_SYNC_COST];
    uint64_t most =
        options->is_set[BERTHCTL_OPTION_MAX_SYNCS] ? options->number[BERTHCTL_OPTION_MAX_SYNCS] : UINT32_MAX;
    solve.sync.cost_bytes = cost < BERTH_MOST_SYNC_COST ? cost : BERTH_MOST_SYNC_COST;
    solve.sync.max_syncs = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
  }
  if (options->is_set[BERTHCTL_OPTION_THREADS]) {
    uint64_t n = options->number[BERTHCTL_OPTION_THREADS];
    berthctl_local_use_threads(n < BERTH_MAX_WORKERS ? (uint32_t)n : BERTH_MAX_WORKERS);
  }
  (void)berthctl_reuse_parse(options, &solve.reuse); /* it was when the problem was loaded */
  return solve;
}

enum berthctl_exit berthctl_compute(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berthctl_planned *out_planned) {
  struct berth_solve_options solve = berthctl_solve_options(options);
  return berthctl_compute_with(options, terminal, problem, &solve, out_planned);
}

enum berthctl_exit berthctl_compute_with(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, const struct berth_solve_options *solve,
    struct berthctl_planned *out_planned) {
  const char *file = options->arguments[0];
  const char *server = berthctl_server_of(options);
  bool is_local = options->is_set[BERTHCTL_OPTION_LOCAL];
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  const struct berth_verify_terms terms = {.capacity_bytes = solve->capacity_bytes, .syncs = &solve->sync};
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code = is_local ? berthctl_local_plan(problem, solve, &watch, out_planned, &err)
                                  : berthctl_remote_plan(server, problem, solve, &watch, out_planned, &err);
  berthctl_watch_finish(&watch);
  if (code != BERTH_OK) {
    return berthctl_say_failure(options, terminal, file, &err);
  }
  code = berthctl_local_check(
      out_planned->problem, out_planned->plan, solve->stable == NULL ? &terms : NULL, &err);
  if (code == BERTH_OK) {
    code = berthctl_local_check_stability(out_planned->problem, out_planned->plan, solve->stable, &err);
  }
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, file, &err);
}

/* The answer to "does it fit" is an exit status too, and one line for those who see no summary. */
static enum berthctl_exit judge(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_plan *plan) {
  struct berth_error err;
  if (plan->status == BERTH_PLAN_INFEASIBLE) {
    berth_fail(
        &err, BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, BERTH_NO_INDEX, NULL,
        "does not fit: at least %llu bytes are needed, %llu more than there are",
        (unsigned long long)plan->lower_bound_bytes, (unsigned long long)plan->short_by_bytes);
  } else if (plan->status == BERTH_PLAN_UNKNOWN) {
    berth_fail(
        &err, BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, BERTH_NO_INDEX, NULL,
        "no plan within the capacity was found, and no proof that there is none; a larger --budget may find "
        "one");
  } else {
    return BERTHCTL_EXIT_OK;
  }
  return berthctl_error_say(terminal, options->arguments[0], &err);
}

static enum berthctl_exit
plan_one(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  struct berth_problem *problem = NULL;
  struct berthctl_planned planned = {.plan = NULL};
  struct berthctl_miss miss = {.n = 0};
  bool explains = options->is_set[BERTHCTL_OPTION_EXPLAIN_MISS];
  uint64_t bounds_bytes;
  berthctl_remote_explain_miss(explains ? &miss : NULL);
  enum berthctl_exit status = berthctl_load_problem(options, terminal, options->arguments[0], &problem);
  struct berthctl_stable stable;
  if (status == BERTHCTL_EXIT_OK) {
    status = berthctl_load_stable(options, terminal, problem, &stable);
  } else {
    stable = (struct berthctl_stable){.stable = NULL};
  }
  if (status == BERTHCTL_EXIT_OK && stable.stable == NULL) {
    status = berthctl_compute_smallest(options, terminal, &problem, &planned, &bounds_bytes);
  } else if (status == BERTHCTL_EXIT_OK) {
    struct berth_solve_options solve = berthctl_solve_options(options);
    solve.stable = stable.stable;
    bounds_bytes = 0;
    status = berthctl_compute_with(options, terminal, problem, &solve, &planned);
  }
  if (status == BERTHCTL_EXIT_OK) {
    struct berth_json_plan what = {
        .bounds_bytes = bounds_bytes,
        .stable = stable.stable,
        .gone_ids = stable.gone_ids,
        .problem = problem,
        .plan = planned.plan,
        .name = berthctl_problem_name(options, options->arguments[0]),
        .plan_id = planned.plan_id,
        .cached = planned.cached,
        .solve_seconds = planned.solve_seconds,
        .more_ctx = &miss,
        .more = explains ? berthctl_miss_write : NULL};
    status = berthctl_show_plan(options, terminal, &what);
  }
  if (status == BERTHCTL_EXIT_OK && explains && !options->is_set[BERTHCTL_OPTION_JSON] &&
      !options->is_set[BERTHCTL_OPTION_QUIET]) {
    berthctl_miss_print(&miss);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = judge(options, terminal, planned.plan);
  }
  berthctl_stable_finish(&stable);
  berthctl_planned_finish(&planned);
  berth_problem_unref(problem);
  return status;
}

enum berthctl_exit
berthctl_verb_plan(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  static struct berthctl_bindings bindings; /* large, and there is one command */
  if (!berthctl_parse_variants(options, terminal, &bindings)) {
    return BERTHCTL_EXIT_USAGE;
  }
  return bindings.n > 1 ? berthctl_plan_variants(options, terminal, &bindings) : plan_one(options, terminal);
}
