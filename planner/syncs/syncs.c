/* Planning with waits that may be added: without any at first, in a half of the budget; then waits are looked
 * for (search.h) in a half of what is left, and the graph with the best of them is planned with all of the
 * rest. */
#include <string.h>

#include "base/checked.h"
#include "berth/restate.h"
#include "solve/task.h"
#include "syncs/search.h"

enum { WITHOUT_SHARE = 2, SEARCH_SHARE = 2 };

/* ---- What is told meanwhile ---- */

/* What is proven without waits is not proven with them. */
struct teller {
  const struct berth_solve_hooks *hooks;
  uint64_t least_bytes; /* the smallest arena told so far */
};

static bool should_stop(void *ctx) {
  const struct teller *teller = ctx;
  const struct berth_solve_hooks *hooks = teller->hooks;
  return hooks != NULL && hooks->should_stop != NULL && hooks->should_stop(hooks->ctx);
}

static void tell(void *ctx, const struct berth_progress *progress) {
  struct teller *teller = ctx;
  struct berth_progress told = *progress;
  if (teller->hooks == NULL || teller->hooks->on_progress == NULL ||
      told.arena_bytes >= teller->least_bytes) {
    return;
  }
  teller->least_bytes = told.arena_bytes;
  told.lower_bound_bytes = 0;
  teller->hooks->on_progress(teller->hooks->ctx, &told);
}

/* ---- What is known without waits ---- */

/* Waits order operators as they are listed at most: whoever is live at one step of the list never shares. So
 * no plan with a wait needs less than the peak and one wait. */
static uint64_t
bound_of(const struct berth_plan *without, const struct berth_sync_terms *terms, bool may_add) {
  uint64_t with = berth_add_sat_u64(without->peak_bytes, terms->cost_bytes);
  bool is_bounded = without->offset != NULL || without->status == BERTH_PLAN_INFEASIBLE;
  uint64_t bound = is_bounded ? without->lower_bound_bytes : without->peak_bytes;
  return may_add && with < bound ? with : bound;
}

/* How many waits can pay at most. */
static uint32_t most_that_pay(const struct berth_plan *without, const struct berth_sync_terms *terms) {
  uint64_t saved =
      without->arena_bytes > without->peak_bytes ? without->arena_bytes - without->peak_bytes : 0;
  uint64_t most = terms->cost_bytes != 0 ? (saved - (saved != 0)) / terms->cost_bytes : saved;
  most = without->offset != NULL ? most : UINT32_MAX;
  return most < terms->max_syncs ? (uint32_t)most : terms->max_syncs;
}

static bool may_add_to(const struct berth_problem *problem, const struct berth_solve_options *options) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  return graph != NULL && graph->operator_stream != NULL && options->reuse != BERTH_REUSE_NONE &&
         (uint64_t)(graph->n_operators + buffers->n) * buffers->n_clocks <= BERTH_SYNCS_MOST_CLOCKS;
}

/* ---- The search ---- */

static uint64_t left_of(const struct berth_syncs_search *search) {
  uint64_t budget = search->options->budget_ticks;
  return budget > search->effort->ticks ? budget - search->effort->ticks : 0;
}

/* Each wait that can be left out saves its cost, if the arena grows by less. */
static enum berth_code try_fewer(struct berth_syncs_search *search, uint64_t limit_ticks) {
  struct berth_effort *effort = search->effort;
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && search->best.plan != NULL && i < search->best.syncs.n &&
                       effort->ticks < limit_ticks && effort->state == BERTH_EFFORT_RUNNING;) {
    uint32_t n = search->best.syncs.n;
    uint64_t before = search->best.total_bytes;
    uint64_t share = (limit_ticks - effort->ticks) / (n - i);
    struct berth_arena_mark mark = berth_arena_mark(search->arena);
    struct berth_syncs fewer = {.n = n - 1, .items = berth_arena_new(search->arena, struct berth_sync, n)};
    if (fewer.items == NULL) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    memcpy(fewer.items, search->best.syncs.items, i * sizeof *fewer.items);
    memcpy(fewer.items + i, search->best.syncs.items + i + 1, (n - 1 - i) * sizeof *fewer.items);
    code = fewer.n != 0 ? berth_syncs_try(search, fewer, NULL, share, NULL) : BERTH_OK;
    i++;
    if (search->best.total_bytes < before) {
      i = 0;
    } else {
      berth_arena_rewind(search->arena, mark);
    }
  }
  return code;
}

static enum berth_code look(struct berth_syncs_search *search) {
  struct berth_effort *effort = search->effort;
  uint64_t begin = effort->ticks;
  uint64_t share = left_of(search) / SEARCH_SHARE / 3;
  berth_effort_set_limit(effort, begin + share);
  enum berth_code code = berth_syncs_try_path(search, begin + share);
  berth_effort_set_limit(effort, begin + 2 * share);
  code = code != BERTH_OK ? code : berth_syncs_try_barriers(search, begin + 2 * share);
  berth_effort_set_limit(effort, begin + 3 * share);
  code = code != BERTH_OK ? code : try_fewer(search, begin + 3 * share);
  berth_effort_set_limit(effort, search->options->budget_ticks);
  return code;
}

/* ---- The plan ---- */

struct answer {
  struct berth_plan *plan; /* NULL: none is better than the one without waits */
  struct berth_syncs syncs;
};

static bool is_worth_it(const struct berth_syncs_search *search, uint64_t total_bytes) {
  return search->without->offset == NULL || total_bytes < search->without->arena_bytes;
}

enum { MOST_ROUNDS = 8 };

/* A plan says all that it says (bounds, slots, status) of the graph with just its own waits: so it is made
 * once more with those that it needs, from the one that was found; which may need fewer. */
static enum berth_code settle(struct berth_syncs_search *search, struct answer *out) {
  enum berth_code code = BERTH_OK;
  for (uint32_t round = 0; code == BERTH_OK && round < MOST_ROUNDS; round++) {
    uint64_t before = search->best.total_bytes;
    const struct berth_plan *start = berth_plan_ref(search->best.plan);
    out->syncs = search->best.syncs;
    berth_plan_unref(out->plan);
    out->plan = NULL;
    code = berth_syncs_try(search, out->syncs, start, left_of(search) / 2, &out->plan);
    berth_plan_unref(start);
    if (out->plan == NULL || search->best.total_bytes == before) {
      break;
    }
  }
  return code;
}

/* Stopped before it could be made once more: the waits that were tried are enough for the plan in any case.
 */
static void settle_for_tried(const struct berth_syncs_search *search, struct answer *out) {
  const struct berth_syncs_best *best = &search->best;
  if (is_worth_it(search, berth_syncs_total(search, best->plan, best->tried.n)) &&
      best->tried.n <= search->options->sync.max_syncs) {
    out->plan = berth_plan_copy(search->allocator, best->plan, NULL, 0);
    out->syncs = best->tried;
  }
}

static enum berth_code find(struct berth_syncs_search *search, struct answer *out) {
  enum berth_code code = berth_syncs_search_init(search) ? look(search) : BERTH_RESOURCE_EXHAUSTED;
  bool is_found = code == BERTH_OK && search->best.plan != NULL;
  if (is_found && is_worth_it(search, search->best.total_bytes)) {
    code = settle(search, out);
    if (code == BERTH_OK && out->plan == NULL) {
      settle_for_tried(search, out);
    }
  }
  berth_plan_unref(search->best.plan);
  bool is_stopped = search->effort->state == BERTH_EFFORT_STOPPED;
  return code == BERTH_RESOURCE_EXHAUSTED && is_stopped ? BERTH_OK : code; /* it need not go on */
}

/* ---- All of it ---- */

struct asking {
  const struct berth_solve_options *options;
  const struct berth_problem *problem;
  const struct berth_allocator *allocator;
  struct teller teller;
  struct berth_effort effort;
  bool may_add;
};

/* What is refused without waits is refused with them where the peak alone is too much; else nobody knows. */
static bool is_refused_anyway(const struct asking *asking, const struct berth_plan *without) {
  const struct berth_pools *pools = berth_problem_pools(asking->problem);
  uint64_t capacity = pools->items[0].capacity_bytes;
  uint64_t asked = asking->options->capacity_bytes;
  return without->status == BERTH_PLAN_INFEASIBLE && pools->n == 1 &&
         without->peak_bytes > (asked < capacity ? asked : capacity);
}

static void state_refusal(const struct asking *asking, struct berth_plan *plan) {
  if (asking->may_add && plan->status == BERTH_PLAN_INFEASIBLE && !is_refused_anyway(asking, plan)) {
    plan->status = BERTH_PLAN_UNKNOWN;
    plan->short_by_bytes = 0;
    plan->n_culprits = 0;
    plan->culprits_proof = BERTH_CULPRITS_UNPROVEN;
  }
}

/* What is proven of these very waits alone is no more than feasible. */
static void state_status(const struct asking *asking, struct berth_plan *plan) {
  bool is_stopped = asking->effort.state == BERTH_EFFORT_STOPPED;
  uint64_t total = berth_add_sat_u64(plan->arena_bytes, berth_plan_sync_cost(plan));
  bool is_proven = plan->status == BERTH_PLAN_OPTIMAL && total == plan->sync.bound_bytes &&
                   (plan->spill_cost == 0 || !asking->may_add);
  if (!is_proven && plan->status != BERTH_PLAN_CUT_SHORT) {
    plan->status = is_stopped ? BERTH_PLAN_CUT_SHORT : BERTH_PLAN_FEASIBLE;
  }
}

static void state(const struct asking *asking, const struct berth_plan *without, struct berth_plan *plan) {
  without = plan->n_syncs != 0 ? without : plan; /* which may have come to need none */
  plan->ticks = asking->effort.ticks;
  plan->sync = (struct berth_sync_result){
      .is_asked = 1,
      .cost_bytes = asking->options->sync.cost_bytes,
      .without_bytes = without->offset != NULL ? without->arena_bytes : BERTH_UNLIMITED,
      .bound_bytes = bound_of(without, &asking->options->sync, asking->may_add)};
  if (plan->offset != NULL) {
    state_status(asking, plan);
  } else {
    state_refusal(asking, plan);
  }
}

/* `*plan` is the one without waits, and becomes the better one. */
static enum berth_code add_waits(struct asking *asking, struct berth_plan **plan, struct berth_error *err) {
  struct berth_plan *without = *plan;
  struct berth_arena arena;
  struct answer answer = {.plan = NULL};
  struct berth_syncs_search search = {
      .problem = asking->problem,
      .graph = berth_problem_graph(asking->problem),
      .buffers = berth_problem_buffers(asking->problem),
      .options = asking->options,
      .hooks = {.ctx = &asking->teller, .should_stop = should_stop},
      .allocator = asking->allocator,
      .arena = &arena,
      .effort = &asking->effort,
      .without = without,
      .most_syncs = most_that_pay(without, &asking->options->sync)};
  berth_arena_init(&arena, asking->allocator);
  enum berth_code code = BERTH_OK;
  asking->may_add = may_add_to(asking->problem, asking->options);
  if (asking->may_add && search.most_syncs != 0 && !is_refused_anyway(asking, without) &&
      asking->effort.state == BERTH_EFFORT_RUNNING) {
    code = find(&search, &answer);
  }
  const struct berth_plan *better = answer.plan != NULL ? answer.plan : without;
  uint32_t n_syncs = answer.plan != NULL ? answer.syncs.n : 0;
  struct berth_plan *out =
      code == BERTH_OK ? berth_plan_copy(asking->allocator, better, answer.syncs.items, n_syncs) : NULL;
  if (out != NULL) {
    state(asking, without, out);
    *plan = out;
    berth_plan_unref(without);
  }
  berth_plan_unref(answer.plan);
  berth_arena_finish(&arena);
  return out != NULL                                            ? BERTH_OK
         : code != BERTH_OK && code != BERTH_RESOURCE_EXHAUSTED ? code
                                                                : berth_fail_memory(err);
}

static enum berth_code refuse_stable(struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "sync_cost_bytes",
      "waits cannot be added while an earlier plan is kept, which was made without them");
}

static enum berth_code plan_with_waits(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_plan **out_plan, struct berth_error *err) {
  struct asking asking = {
      .options = options, .allocator = allocator, .teller = {.hooks = hooks, .least_bytes = UINT64_MAX}};
  const struct berth_solve_hooks own = {
      .ctx = &asking.teller, .should_stop = should_stop, .on_progress = tell};
  struct berth_solve_options half = *options;
  half.budget_ticks = options->budget_ticks / WITHOUT_SHARE != 0 ? options->budget_ticks / WITHOUT_SHARE : 1;
  enum berth_code code =
      berth_solve_without_waits(problem, &half, &own, allocator, out_problem, out_plan, err);
  if (code != BERTH_OK) {
    return code;
  }
  asking.problem = *out_problem;
  berth_effort_init(&asking.effort, options->budget_ticks, should_stop, &asking.teller);
  (void)berth_effort_spend(&asking.effort, (*out_plan)->ticks);
  (void)berth_effort_poll(&asking.effort);
  code = add_waits(&asking, out_plan, err);
  if (code != BERTH_OK) {
    berth_plan_unref(*out_plan);
    berth_problem_unref(*out_problem);
    *out_plan = NULL;
    *out_problem = NULL;
  }
  return code;
}

enum berth_code berth_solve_levels(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_plan **out_plan, struct berth_error *err) {
  struct berth_solve_options asked = options != NULL ? *options : berth_solve_options_default();
  *out_problem = NULL;
  *out_plan = NULL;
  if (!berth_sync_is_asked(&asked.sync)) {
    return berth_solve_without_waits(problem, &asked, hooks, allocator, out_problem, out_plan, err);
  }
  if (asked.stable != NULL) {
    return refuse_stable(err);
  }
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  return plan_with_waits(problem, &asked, hooks, allocator, out_problem, out_plan, err);
}
