/* Plans with added waits that are wrong: each is caught. */
#include "berth/solve.h"
#include "berth/verify.h"

#include <string.h>

#include "suite.h"

/* a of stream 0 and b of stream 1, each read by the next operator; the last joins both. */
static struct berth_problem *make(void) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem = NULL;
  static const uint32_t IN[] = {0, 0, 1, 1, 2};
  static const uint32_t OUT[] = {0, 2, 1, 3, 4};
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t v = 0; v < 5; v++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = v < 2 ? 64 : 8;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
  }
  for (uint32_t k = 0; k < 5; k++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.inputs = &IN[k];
    op.n_inputs = k % 2 == 1 || k == 4;
    op.outputs = &OUT[k];
    op.n_outputs = 1;
    op.stream = k / 2 % 2;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static struct berth_problem *problem;
static struct berth_plan *good;
static struct berth_sync_terms terms;

static void begin(void) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_problem *of;
  problem = make();
  options.sync.cost_bytes = 32;
  options.budget_ticks = 100000;
  terms = options.sync;
  ck_assert_int_eq(berth_solve_levels(problem, &options, NULL, NULL, &of, &good, NULL), BERTH_OK);
  ck_assert_uint_eq(good->n_syncs, 1);
  ck_assert(good->syncs[0].waiter == 2 && good->syncs[0].signaller == 1);
  berth_problem_unref(of);
}

static void end(void) {
  berth_plan_unref(good);
  berth_problem_unref(problem);
}

/* The kind of the first violation, or BERTH_N_VIOLATION_KINDS. Consumes the plan. */
static enum berth_violation_kind
judge_by(struct berth_plan *plan, const struct berth_sync_terms *asked, const char *message) {
  const struct berth_verify_terms by = {.capacity_bytes = BERTH_UNLIMITED, .syncs = asked};
  struct berth_violation first = {.kind = BERTH_N_VIOLATION_KINDS};
  struct berth_verdict verdict;
  ck_assert_int_eq(berth_verify_answer(problem, plan, &by, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert(verdict.n_violations > 0 || first.kind == BERTH_N_VIOLATION_KINDS);
  ck_assert_msg(strstr(first.message, message) != NULL, "%s", first.message);
  berth_plan_unref(plan);
  return first.kind;
}

static enum berth_violation_kind judge(struct berth_plan *plan, const char *message) {
  return judge_by(plan, &terms, message);
}

static struct berth_plan *with(const struct berth_sync *syncs, uint32_t n) {
  return berth_plan_copy(NULL, good, syncs, n);
}

START_TEST(the_plan_itself_is_good) {
  begin();
  ck_assert_int_eq(judge(with(good->syncs, 1), ""), BERTH_N_VIOLATION_KINDS);
  ck_assert_int_eq(judge_by(with(good->syncs, 1), NULL, ""), BERTH_N_VIOLATION_KINDS);
  end();
}
END_TEST

START_TEST(without_its_wait_it_is_not) {
  begin();
  ck_assert_int_eq(judge(with(NULL, 0), "not ordered"), BERTH_VIOLATION_OVERLAP);
  const struct berth_sync early = {2, 0};
  const struct berth_sync late = {3, 1};
  ck_assert_int_eq(judge(with(&early, 1), "not ordered"), BERTH_VIOLATION_OVERLAP);
  ck_assert_int_eq(judge(with(&late, 1), "not ordered"), BERTH_VIOLATION_OVERLAP);
  end();
}
END_TEST

START_TEST(waits_that_cannot_be) {
  static const struct {
    struct berth_sync sync;
    const char *message;
  } CASES[] = {
      {{5, 0}, "names an operator that there is not"},
      {{2, 7}, "names an operator that there is not"},
      {{1, 2}, "is not for one before it"},
      {{3, 2}, "is within one stream"},
      {{4, 1}, "is within one stream"},
  };
  begin();
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_int_eq(judge(with(&CASES[i].sync, 1), CASES[i].message), BERTH_VIOLATION_SYNC);
  }
  const struct berth_sync twice[] = {{2, 1}, {2, 1}};
  const struct berth_sync back[] = {{3, 1}, {2, 1}};
  ck_assert_int_eq(judge(with(twice, 2), "out of order, or there twice"), BERTH_VIOLATION_SYNC);
  ck_assert_int_eq(judge(with(back, 2), "out of order, or there twice"), BERTH_VIOLATION_SYNC);
  end();
}
END_TEST

START_TEST(waits_that_were_not_asked_for) {
  begin();
  struct berth_plan *plan = with(good->syncs, 1);
  plan->sync = (struct berth_sync_result){.is_asked = 0};
  ck_assert_int_eq(judge(plan, "does not say that it was asked"), BERTH_VIOLATION_SYNC);
  const struct berth_sync_terms none = {.cost_bytes = BERTH_NO_SYNCS, .max_syncs = 1};
  const struct berth_sync_terms dearer = {.cost_bytes = 33, .max_syncs = 9};
  ck_assert_int_eq(judge_by(with(good->syncs, 1), &none, "it was not"), BERTH_VIOLATION_SYNC);
  ck_assert_int_eq(
      judge_by(with(good->syncs, 1), &dearer, "costs 33 bytes, and not 32"), BERTH_VIOLATION_SYNC);
  const struct berth_sync two[] = {{2, 1}, {4, 3}};
  const struct berth_sync_terms one = {.cost_bytes = 32, .max_syncs = 1};
  plan = with(two, 2);
  plan->status = BERTH_PLAN_FEASIBLE;
  ck_assert_int_eq(judge_by(plan, &one, "no more than 1 were asked for"), BERTH_VIOLATION_SYNC);
  end();
}
END_TEST

START_TEST(figures_that_do_not_agree) {
  begin();
  struct berth_plan *plan = with(good->syncs, 1);
  plan->sync.bound_bytes = plan->arena_bytes + 33;
  ck_assert_int_eq(judge(plan, "a bound with added waits above"), BERTH_VIOLATION_FIGURES);
  plan = with(good->syncs, 1);
  plan->sync.without_bytes = plan->arena_bytes + 31;
  ck_assert_int_eq(judge(plan, "cost more than they save"), BERTH_VIOLATION_FIGURES);
  plan = with(good->syncs, 1);
  plan->status = BERTH_PLAN_OPTIMAL;
  plan->sync.bound_bytes = plan->arena_bytes;
  ck_assert_int_eq(judge(plan, "claims to be optimal"), BERTH_VIOLATION_FIGURES);
  plan = berth_plan_copy(NULL, good, NULL, 0);
  plan->sync = (struct berth_sync_result){.cost_bytes = 1};
  ck_assert_int_ne(judge_by(plan, NULL, ""), BERTH_N_VIOLATION_KINDS);
  end();
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/syncs", (const TTest *const[]){
                          the_plan_itself_is_good, without_its_wait_it_is_not, waits_that_cannot_be,
                          waits_that_were_not_asked_for, figures_that_do_not_agree, NULL});
}
