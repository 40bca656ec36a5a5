/* A variant's plan is made like that of any other problem, so that it is one plan, whoever asks for it and in
 * whatever company. The plan for the bounds comes in only where it is better: then the variant's starts
 * there.
 */
#include "berth/report.h"
#include "berth/restate.h"
#include "berth/variants.h"
#include "berth/verify.h"

bool berth_variant_may_hold(
    const struct berth_problem *problem, const struct berth_plan *at_bounds, const struct berth_plan *plan) {
  if (at_bounds == NULL || at_bounds->offset == NULL || plan->status == BERTH_PLAN_INFEASIBLE) {
    return false;
  }
  uint32_t n_buffers = berth_problem_buffers(problem)->n;
  if (plan->offset == NULL || at_bounds->n_buffers != n_buffers || plan->spill_cost > 0) {
    return true; /* of another level, or it is not only bytes that count */
  }
  const struct berth_report_side side = {
      .problem = problem, .offset = at_bounds->offset, .pool = at_bounds->pool};
  return berth_report_arenas(&side) < plan->arena_bytes;
}

/* Whether the places are right for the problem, by the judge. */
static enum berth_code suits(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, bool *out_suits, struct berth_error *err) {
  struct berth_verdict verdict = {.n_violations = 0};
  *out_suits = plan->n_buffers == berth_problem_buffers(problem)->n &&
               plan->n_pools == berth_problem_pools(problem)->n;
  if (!*out_suits) {
    return BERTH_OK;
  }
  enum berth_code code =
      berth_verify_offsets(problem, plan->pool, plan->offset, allocator, NULL, 0, &verdict, err);
  *out_suits = verdict.n_violations == 0;
  return code;
}

/* What is proven of a problem in one pool stays so, whichever plan of it is told. */
static void keep_bound(struct berth_plan *to, const struct berth_plan *from) {
  bool is_alike = to->n_pools == 1 && to->reuse == from->reuse && to->n_buffers == from->n_buffers;
  if (!is_alike || from->lower_bound_bytes <= to->lower_bound_bytes ||
      from->lower_bound_bytes > to->arena_bytes) {
    return;
  }
  to->lower_bound_bytes = from->lower_bound_bytes;
  berth_plan_pools_mut(to)[0].lower_bound_bytes = from->lower_bound_bytes;
  bool is_least = to->arena_bytes == to->lower_bound_bytes && to->spill_cost == to->spill_cost_bound;
  to->status = is_least ? BERTH_PLAN_OPTIMAL : to->status;
}

/* Where the search that it stands in for was cut short, another run may find another plan. */
static void keep_status(struct berth_plan *to, const struct berth_plan *from) {
  bool is_cut = from->status == BERTH_PLAN_CUT_SHORT && to->status == BERTH_PLAN_FEASIBLE;
  to->status = is_cut ? BERTH_PLAN_CUT_SHORT : to->status;
}

enum berth_code berth_variant_hold(
    struct berth_problem *problem, const struct berth_plan *at_bounds,
    const struct berth_solve_options *options, const struct berth_solve_hooks *hooks,
    const struct berth_allocator *allocator, struct berth_problem **of, const struct berth_plan **plan,
    bool *out_is_replaced, struct berth_error *err) {
  struct berth_problem *level = NULL;
  struct berth_plan *better = NULL;
  bool has_start = false;
  *out_is_replaced = false;
  if (!berth_variant_may_hold(*of, at_bounds, *plan)) {
    return BERTH_OK;
  }
  enum berth_code code = berth_problem_at_level(problem, at_bounds->reuse, allocator, &level, err);
  code = code != BERTH_OK ? code : suits(level, at_bounds, allocator, &has_start, err);
  if (code == BERTH_OK && has_start) {
    const struct berth_start start = {.pool = at_bounds->pool, .offset = at_bounds->offset};
    struct berth_solve_options brief = *options;
    brief.start = &start;
    brief.reuse = at_bounds->reuse;
    brief.stable = NULL;
    brief.budget_ticks = 1;
    code = berth_solve(level, &brief, hooks, allocator, &better, err);
  }
  if (code == BERTH_OK && better != NULL &&
      berth_plan_is_better(better, (*plan)->offset != NULL, (*plan)->spill_cost, (*plan)->arena_bytes)) {
    keep_bound(better, *plan);
    keep_status(better, *plan);
    berth_plan_unref(*plan);
    berth_problem_unref(*of);
    *plan = berth_plan_ref(better);
    *of = berth_problem_ref(level);
    *out_is_replaced = true;
  }
  berth_plan_unref(better);
  berth_problem_unref(level);
  return code;
}
