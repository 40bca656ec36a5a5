/* Plans of variants are right, and never beyond that of the bounds. */
#include "berth/restate.h"
#include "berth/variants.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "symbolic.h"

enum { PROBLEMS = 300, OPERATORS = 7, BUDGET = 200000 };

struct made {
  struct berth_problem *of;
  const struct berth_plan *plan;
};

static struct made plan_of(struct berth_problem *problem, const struct berth_solve_options *options) {
  struct made made;
  struct berth_plan *plan = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_solve_levels(problem, options, NULL, NULL, &made.of, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  made.plan = plan;
  return made;
}

static void finish(struct made *made) {
  berth_plan_unref(made->plan);
  berth_problem_unref(made->of);
}

static void expect_valid(const struct made *made, uint32_t k) {
  struct berth_verdict verdict;
  struct berth_violation violation;
  struct berth_error err;
  enum berth_code code = berth_verify(made->of, made->plan, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK && verdict.n_violations == 0, "problem %u: %s", k, violation.message);
}

/* A valid plan that wastes what it can: every buffer by itself, with room between. */
static void spread(struct made *made) {
  const struct berth_buffers *buffers = berth_problem_buffers(made->of);
  struct berth_plan *plan = (struct berth_plan *)(uintptr_t)made->plan; /* just made, and nobody else's */
  uint64_t *offset = berth_plan_offset_mut(plan);
  uint64_t end = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    offset[i] = (end + 1 + buffers->alignment[i] - 1) / buffers->alignment[i] * buffers->alignment[i];
    end = offset[i] + buffers->size_bytes[i];
  }
  plan->arena_bytes = end;
  plan->status = BERTH_PLAN_FEASIBLE;
}

/* The worse the own plan, the more often the bounds are better: for every second problem it is spoilt. */
static uint32_t hold_one(uint32_t k, struct berth_problem *problem, struct berth_rng *rng, bool is_poor) {
  static struct berth_binding items[SYMBOLIC_MAX_SYMBOLS];
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_problem *bounds;
  struct berth_problem *stated;
  struct berth_bindings variant = {.n = symbols->n_symbols, .items = items};
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    uint32_t spread = (uint32_t)(symbols->symbols[i].upper - symbols->symbols[i].lower + 1);
    uint64_t n = symbols->symbols[i].lower + berth_rng_below(rng, spread);
    items[i] = (struct berth_binding){symbols->symbols[i].name, n, n};
  }
  options.budget_ticks = BUDGET;
  ck_assert_int_eq(berth_variant_bounds(problem, &variant, 1, NULL, &bounds, NULL), BERTH_OK);
  ck_assert_int_eq(berth_variant_state(problem, &variant, NULL, &stated, NULL), BERTH_OK);
  struct made at_bounds = plan_of(bounds, &options);
  struct made own = plan_of(stated, &options);
  if (is_poor) {
    spread(&own);
  }
  uint64_t before = own.plan->arena_bytes;
  uint64_t bound_before = own.plan->lower_bound_bytes;
  bool is_replaced;
  ck_assert_int_eq(
      berth_variant_hold(
          stated, at_bounds.plan, &options, NULL, NULL, &own.of, &own.plan, &is_replaced, NULL),
      BERTH_OK);
  if (!is_poor || is_replaced) {
    expect_valid(&own, k);
  }
  ck_assert_msg(own.plan->arena_bytes <= at_bounds.plan->arena_bytes, "problem %u", k);
  ck_assert(is_replaced ? own.plan->arena_bytes < before : own.plan->arena_bytes == before);
  ck_assert(is_poor || is_replaced || own.plan->lower_bound_bytes == bound_before);
  finish(&own);
  finish(&at_bounds);
  berth_problem_unref(bounds);
  berth_problem_unref(stated);
  return is_replaced;
}

START_TEST(never_beyond_the_bounds) {
  static struct symbolic symbolic;
  struct campaign campaign = campaign_plan(PROBLEMS);
  uint32_t n_replaced = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    symbolic_generate(&symbolic, &rng, OPERATORS);
    struct berth_problem *problem = symbolic_build(&symbolic, NULL);
    n_replaced += hold_one(k, problem, &rng, k % 2 == 0);
    berth_problem_unref(problem);
  }
  ck_assert_uint_gt(n_replaced, 0);
}
END_TEST

START_TEST(places_of_another_problem_are_left_alone) {
  static struct symbolic symbolic;
  struct berth_rng rng = {7};
  struct berth_solve_options options = berth_solve_options_default();
  symbolic_generate(&symbolic, &rng, OPERATORS);
  struct berth_problem *problem = symbolic_build(&symbolic, NULL);
  struct berth_plan *foreign = berth_plan_create(NULL, berth_problem_buffers(problem)->n, 1);
  for (uint32_t i = 0; i < foreign->n_buffers; i++) {
    berth_plan_offset_mut(foreign)[i] = 0; /* all upon each other */
    berth_plan_pool_mut(foreign)[i] = 0;
  }
  options.budget_ticks = BUDGET;
  struct made own = plan_of(problem, &options);
  const struct berth_plan *before = own.plan;
  bool is_replaced;
  ck_assert_int_eq(
      berth_variant_hold(problem, foreign, &options, NULL, NULL, &own.of, &own.plan, &is_replaced, NULL),
      BERTH_OK);
  ck_assert(!is_replaced && own.plan == before);
  ck_assert_int_eq(
      berth_variant_hold(problem, NULL, &options, NULL, NULL, &own.of, &own.plan, &is_replaced, NULL),
      BERTH_OK);
  ck_assert(!is_replaced && own.plan == before);
  finish(&own);
  berth_plan_unref(foreign);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/variants/hold",
      (const TTest *const[]){never_beyond_the_bounds, places_of_another_problem_are_left_alone, NULL});
}
