/* Levels: no reuse, reuse without results in place, everything. None is larger than the one before, since
 * each is planned from the one before, in a share of its budget that depends on nothing else:
 *
 *   without reuse          a quarter of the budget; a start for the others where they may need more
 *   without in place       half of it, where there are permissions to write in place
 *   everything             what is left of it, and the smaller plan of the two
 *
 * A result in place binds two values to each other: to one place, to the stricter alignment, and to the hull
 * of their lifetimes. So everything together may need more bytes than what is bound to nothing. */
#include "base/checked.h"
#include "berth/restate.h"
#include "solve/task.h"

enum { APART_SHARE = 4, BELOW_SHARE = 2 };

static uint64_t share_of(uint64_t budget, uint32_t share) {
  return budget / share != 0 ? budget / share : 1;
}

uint64_t berth_solve_budget(const struct berth_solve_options *options) {
  return options->reuse == BERTH_REUSE_NONE ? share_of(options->budget_ticks, APART_SHARE)
                                            : options->budget_ticks;
}

/* ---- Without reuse ---- */

static uint64_t largest_of(const struct berth_buffers *buffers, uint32_t group) {
  const struct berth_rigid *rigid = &buffers->rigid;
  uint64_t largest = 0;
  for (uint32_t m = rigid->begin[group]; m < rigid->begin[group + 1]; m++) {
    uint64_t size = buffers->size_bytes[rigid->members[m]];
    largest = size > largest ? size : largest;
  }
  return largest;
}

/* No plan without reuse needs less: all sizes, but of a group, which may be one storage, the largest. */
static uint64_t least_apart(const struct berth_buffers *buffers) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    bool is_grouped = buffers->rigid.n != 0 && buffers->rigid.group[i] != BERTH_NO_INDEX;
    sum += is_grouped ? 0 : buffers->size_bytes[i];
  }
  for (uint32_t g = 0; g < buffers->rigid.n; g++) {
    sum += largest_of(buffers, g);
  }
  return sum;
}

static uint64_t all_capacities(const struct berth_solve_task *task) {
  uint64_t sum = 0;
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    sum = berth_add_sat_u64(sum, task->assignment.pools[p].capacity);
  }
  return sum;
}

/* Places of an earlier plan are kept at one level: others have other buffers, or share nothing.
 * With results in place there is no such level of this problem, but of the one below. */
static bool may_be_better_apart(const struct berth_solve_task *task) {
  uint64_t total = berth_solve_present_total(task);
  if (task->options.stable != NULL || berth_problem_uses_inplace(task->problem) ||
      task->options.reuse == BERTH_REUSE_NONE || task->homeless != BERTH_NO_INDEX ||
      task->effort.state == BERTH_EFFORT_STOPPED) {
    return false;
  }
  uint64_t least = least_apart(task->buffers);
  if (total == BERTH_UNLIMITED) {
    bool is_proven = task->assignment.n_pools == 1 && task->assignment.pools[0].infeasible;
    return !is_proven && least <= all_capacities(task);
  }
  return total > least || berth_assign_total_cost(&task->assignment) > task->assignment.cost_bound;
}

/* Of a level within another one nothing is told but when to stop. */
static struct berth_solve_hooks quiet(const struct berth_solve_hooks *hooks) {
  return hooks != NULL ? (struct berth_solve_hooks){.ctx = hooks->ctx, .should_stop = hooks->should_stop}
                       : (struct berth_solve_hooks){.ctx = NULL};
}

enum berth_code berth_solve_take_apart(struct berth_solve_task *task) {
  if (!may_be_better_apart(task)) {
    return BERTH_OK;
  }
  struct berth_solve_hooks hooks = quiet(task->hooks);
  struct berth_solve_options options = task->options;
  struct berth_plan *plan = NULL;
  options.reuse = BERTH_REUSE_NONE;
  options.start = NULL;
  enum berth_code code = berth_solve(task->problem, &options, &hooks, task->allocator, &plan, NULL);
  if (code != BERTH_OK) {
    return code == BERTH_CANCELLED ? BERTH_OK : code; /* stopped: goes on with what there is */
  }
  (void)berth_effort_spend(&task->effort, plan->ticks);
  uint64_t total = berth_solve_present_total(task);
  bool is_placed = total != BERTH_UNLIMITED;
  if (berth_plan_is_better(plan, is_placed, berth_assign_total_cost(&task->assignment), total)) {
    const struct berth_start start = {.pool = plan->pool, .offset = plan->offset};
    code = berth_solve_take(task, &start, BERTH_UNLIMITED);
  }
  berth_plan_unref(plan);
  return code;
}

/* ---- Without results in place ---- */

/* The level below is of use only where it is smaller. */
struct beaten {
  const struct berth_solve_hooks *hooks;
  uint64_t most_bytes;
  bool is_beaten;
};

static bool should_stop(void *ctx) {
  const struct beaten *beaten = ctx;
  const struct berth_solve_hooks *hooks = beaten->hooks;
  return beaten->is_beaten || (hooks != NULL && hooks->should_stop != NULL && hooks->should_stop(hooks->ctx));
}

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct beaten *beaten = ctx;
  beaten->is_beaten = beaten->is_beaten || progress->lower_bound_bytes >= beaten->most_bytes;
}

/* What everything needs by now, if that is all that counts: a plan that spills may be worse by its cost. */
static uint64_t bytes_to_beat(const struct berth_solve_task *task) {
  bool is_placed = task->homeless == BERTH_NO_INDEX;
  return is_placed && berth_assign_total_cost(&task->assignment) == 0 ? berth_solve_present_total(task)
                                                                      : BERTH_UNLIMITED;
}

static enum berth_code plan_below(struct berth_solve_task *task, uint64_t most_bytes) {
  struct beaten beaten = {.hooks = task->hooks, .most_bytes = most_bytes};
  const struct berth_solve_hooks hooks = {
      .ctx = &beaten, .should_stop = should_stop, .on_progress = on_progress};
  struct berth_solve_options options = task->options;
  options.budget_ticks = task->below.budget_ticks;
  options.reuse = BERTH_REUSE_NO_INPLACE;
  options.start = NULL;
  struct berth_plan *plan = NULL;
  enum berth_code code = berth_solve(task->below.problem, &options, &hooks, task->allocator, &plan, NULL);
  if (code == BERTH_OK) {
    (void)berth_effort_spend(&task->effort, plan->ticks);
  }
  if (code == BERTH_OK && !beaten.is_beaten) {
    task->below.plan = plan;
    return BERTH_OK;
  }
  berth_plan_unref(plan);
  return code == BERTH_CANCELLED ? BERTH_OK : code;
}

/* Results in place raise the peak only where several operands lie inside one result: what is between them
 * counts before it is there. Else no plan without them is below the peak with them. */
static bool raises_peak(const struct berth_problem *problem) {
  if (berth_problem_buffers(problem)->slice_begin != NULL) { /* a peak may not see them */
    return true;
  }
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  uint32_t last = BERTH_NO_INDEX;
  for (uint32_t i = 0; i < permissions->n; i++) {
    const struct berth_permission *permission = &permissions->items[i];
    if (permission->kind != BERTH_INPLACE_INSIDE || permission->answer != BERTH_INPLACE_USED) {
      continue;
    }
    if (permission->op == last) {
      return true;
    }
    last = permission->op;
  }
  return false;
}

enum berth_code berth_solve_look_below(struct berth_solve_task *task) {
  struct berth_solve_below *below = &task->below;
  uint64_t most_bytes = bytes_to_beat(task);
  below->least_bytes = raises_peak(task->problem) ? 0 : task->peak_bytes;
  bool may_be_smaller = below->is_open && most_bytes > below->least_bytes;
  if (may_be_smaller && berth_effort_poll(&task->effort)) {
    const struct berth_restatement as = {.forbid_inplace = true};
    struct berth_error err = {.code = BERTH_OK};
    enum berth_code code = berth_problem_restate(task->problem, &as, task->allocator, &below->problem, &err);
    if (code != BERTH_OK && err.reason == BERTH_REASON_OUT_OF_MEMORY) {
      return code;
    }
    /* Else what cannot be stated so is not there: a donation must be used, or sizes pass all numbers. */
    code = code == BERTH_OK ? plan_below(task, most_bytes) : BERTH_OK;
    if (code != BERTH_OK) {
      return code;
    }
  }
  below->is_open = below->plan != NULL;
  return BERTH_OK;
}

/* ---- All levels ---- */

/* With neither a plan: nothing is proven of both where it is not of each. */
static bool is_below_right(const struct berth_plan *below, const struct berth_plan *plan) {
  if (below == NULL || plan == NULL) {
    return plan == NULL && below != NULL && below->offset != NULL;
  }
  bool is_unproven = plan->status == BERTH_PLAN_INFEASIBLE && below->status == BERTH_PLAN_UNKNOWN;
  return is_unproven ||
         berth_plan_is_better(below, plan->offset != NULL, plan->spill_cost, plan->arena_bytes);
}

static void
settle(struct berth_solve_task *task, struct berth_problem **out_problem, struct berth_plan **plan) {
  struct berth_plan *below = task->below.plan;
  *out_problem = berth_problem_ref((struct berth_problem *)(uintptr_t)task->problem);
  if (!is_below_right(below, *plan)) {
    return;
  }
  berth_problem_unref(*out_problem);
  *out_problem = berth_problem_ref(task->below.problem);
  berth_plan_unref(*plan);
  *plan = berth_plan_ref(below);
  below->ticks = task->effort.ticks;
  if (task->effort.state == BERTH_EFFORT_STOPPED && below->offset != NULL) {
    below->status = BERTH_PLAN_CUT_SHORT;
  }
}

enum berth_code berth_solve_without_waits(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_plan **out_plan, struct berth_error *err) {
  struct berth_solve_task task = {
      .problem = problem,
      .options = options != NULL ? *options : berth_solve_options_default(),
      .hooks = hooks,
      .allocator = allocator != NULL ? allocator : berth_allocator_libc()};
  *out_problem = NULL;
  *out_plan = NULL;
  uint64_t below_budget = share_of(task.options.budget_ticks, BELOW_SHARE);
  bool is_alone = task.options.stable != NULL;
  if (!is_alone && task.options.reuse == BERTH_REUSE_FULL && berth_problem_uses_inplace(problem)) {
    task.below = (struct berth_solve_below){.is_open = true, .budget_ticks = below_budget};
  } else if (!is_alone && berth_problem_permissions(problem)->n != 0) {
    task.options.budget_ticks = below_budget;
  }
  enum berth_code code = berth_solve_run(&task, out_plan, err);
  bool is_placed_below = task.below.plan != NULL && task.below.plan->offset != NULL;
  if (code == BERTH_OK || (code == BERTH_CANCELLED && is_placed_below)) {
    settle(&task, out_problem, out_plan);
    code = BERTH_OK;
  }
  berth_plan_unref(task.below.plan);
  berth_problem_unref(task.below.problem);
  return code;
}

enum berth_code berth_solve(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_plan **out_plan, struct berth_error *err) {
  struct berth_solve_task task = {
      .problem = problem,
      .options = options != NULL ? *options : berth_solve_options_default(),
      .hooks = hooks,
      .allocator = allocator != NULL ? allocator : berth_allocator_libc()};
  *out_plan = NULL;
  return berth_solve_run(&task, out_plan, err);
}
