/* The largest number of a symbol that fits, against planning every number by itself. */
#include "berth/largest.h"

#include "berth/restate.h"
#include "berth/solve.h"
#include "campaign.h"
#include "suite.h"
#include "symbolic.h"

enum { PROBLEMS = 150, OPERATORS = 6, BUDGET = 200000, MOST = 24 };

struct planner {
  uint64_t capacity;
  uint32_t n_plans;
  uint32_t fails_at; /* counted from 1; 0: never */
};

static enum berth_code
plan(void *ctx, struct berth_problem *problem, struct berth_plan **out_plan, struct berth_error *err) {
  struct planner *planner = ctx;
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_problem *of = NULL;
  options.budget_ticks = BUDGET;
  options.capacity_bytes = planner->capacity;
  planner->n_plans++;
  if (planner->n_plans == planner->fails_at) {
    return berth_fail(err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "enough");
  }
  enum berth_code code = berth_solve_levels(problem, &options, NULL, NULL, &of, out_plan, err);
  berth_problem_unref(of);
  return code;
}

/* Whether the problem at this number alone fits. */
static enum berth_fit_answer alone(const struct berth_problem *problem, uint64_t n, uint64_t capacity) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  const struct berth_binding item = {symbols->symbols[0].name, n, n};
  const struct berth_bindings bindings = {.n = 1, .items = &item};
  const struct berth_restatement as = {.bindings = &bindings};
  struct berth_problem *bound = NULL;
  struct berth_plan *made = NULL;
  struct planner planner = {.capacity = capacity};
  ck_assert_int_eq(berth_problem_restate(problem, &as, NULL, &bound, NULL), BERTH_OK);
  ck_assert_int_eq(plan(&planner, bound, &made, NULL), BERTH_OK);
  enum berth_fit_answer answer = made->offset != NULL                    ? BERTH_FIT_YES
                                 : made->status == BERTH_PLAN_INFEASIBLE ? BERTH_FIT_NO
                                                                         : BERTH_FIT_UNKNOWN;
  berth_plan_unref(made);
  berth_problem_unref(bound);
  return answer;
}

static void expect_right(
    uint32_t k, const struct berth_problem *problem, uint64_t capacity, const struct berth_largest *found) {
  const struct berth_fit_search *search = &found->search;
  uint64_t all = search->first;
  bool is_all = true;
  for (uint64_t n = search->first; n <= search->last; n++) {
    enum berth_fit_answer answer = alone(problem, n, capacity);
    bool above = !search->has_largest || n > search->largest;
    ck_assert_msg(
        !above || answer != BERTH_FIT_YES || !search->largest_is_known, "problem %u: %llu fits", k,
        (unsigned long long)n);
    ck_assert_msg(n != search->largest || !search->has_largest || answer != BERTH_FIT_NO, "problem %u", k);
    is_all = is_all && answer == BERTH_FIT_YES;
    all = is_all ? n : all;
    ck_assert_msg(!search->has_all || n > search->all || answer != BERTH_FIT_NO, "problem %u", k);
  }
  if (search->has_all && search->all_is_known && search->all < search->last &&
      search->all < search->largest) {
    ck_assert_msg(alone(problem, search->all + 1, capacity) != BERTH_FIT_YES, "problem %u", k);
  }
  ck_assert(found->at.is_asked == search->has_largest);
  ck_assert(!found->at.is_asked || (found->at.n == search->largest && found->at.bytes <= capacity));
}

START_TEST(as_number_by_number) {
  static struct symbolic symbolic;
  struct campaign campaign = campaign_plan(PROBLEMS);
  uint32_t n_found = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    symbolic_generate(&symbolic, &rng, OPERATORS);
    struct berth_problem *problem = symbolic_build(&symbolic, NULL);
    const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[0];
    struct berth_largest_question question = {
        .symbol = symbol->name, .first = symbol->lower, .last = symbol->upper, .max_plans = 1000};
    question.last = symbol->upper - symbol->lower > MOST ? symbol->lower + MOST : symbol->upper;
    struct planner planner = {.capacity = 20 + berth_rng_below(&rng, 400)};
    struct berth_largest found;
    struct berth_error err = {.code = BERTH_OK};
    enum berth_code code = berth_find_largest(problem, &question, plan, &planner, NULL, &found, &err);
    ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
    ck_assert_uint_eq(found.n_plans, planner.n_plans);
    expect_right(k, problem, planner.capacity, &found);
    n_found += found.search.has_largest && found.search.largest < found.search.last;
    berth_problem_unref(problem);
  }
  ck_assert_uint_gt(n_found, 0);
}
END_TEST

START_TEST(what_is_wrong_is_blamed_and_a_stop_ends_it) {
  static struct symbolic symbolic;
  struct berth_rng rng = {5};
  symbolic_generate(&symbolic, &rng, OPERATORS);
  struct berth_problem *problem = symbolic_build(&symbolic, NULL);
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[0];
  const struct berth_largest_question right = {symbol->name, symbol->lower, symbol->upper, 1000};
  const struct berth_largest_question wrong[] = {
      {{"nobody", 6}, 1, 2, 10},
      {symbol->name, symbol->upper, symbol->lower, 10},
      {symbol->name, symbol->lower, symbol->upper + 1, 10}};
  struct planner planner = {.capacity = 100};
  struct berth_largest found;
  struct berth_error err;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    ck_assert_int_eq(
        berth_find_largest(problem, &wrong[i], plan, &planner, NULL, &found, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_SYMBOL);
    ck_assert_str_eq(err.field, i == 0 ? "symbol" : "first");
  }
  ck_assert_uint_eq(planner.n_plans, 0);
  planner.fails_at = 1;
  ck_assert_int_eq(berth_find_largest(problem, &right, plan, &planner, NULL, &found, &err), BERTH_CANCELLED);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/largest",
      (const TTest *const[]){as_number_by_number, what_is_wrong_is_blamed_and_a_stop_ends_it, NULL});
}
