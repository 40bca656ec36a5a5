#include "berth/solve.h"
#include "berth/verify.h"
#include "honest.h"
#include "sample.h"
#include "suite.h"

static struct sample sample;

/* 0 and 1 live together, 2 and 3 one after the other beside them: 6 bytes at the peak. */
static void begin(void) {
  sample_finish(&sample);
  sample_add(&sample, 2, 0, 4);
  sample_add(&sample, 2, 0, 4);
  sample_add(&sample, 2, 0, 2);
  sample_add(&sample, 1, 2, 4);
}

static struct berth_verdict ask(const struct berth_plan *plan, const struct berth_verify_terms *terms) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(berth_verify_answer(problem, plan, terms, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert(
      verdict.n_violations == 0 || first.kind == BERTH_VIOLATION_FIGURES ||
      first.kind == BERTH_VIOLATION_CAPACITY);
  berth_problem_unref(problem);
  return verdict;
}

static void state_bound(struct berth_plan *plan, uint64_t bound) {
  berth_plan_pools_mut(plan)[0].lower_bound_bytes = plan->lower_bound_bytes = bound;
  plan->status = bound == plan->arena_bytes ? BERTH_PLAN_OPTIMAL : BERTH_PLAN_FEASIBLE;
}

START_TEST(a_bound_that_is_too_high_is_a_lie) {
  begin();
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 2, 6, 6});
  ck_assert_uint_eq(ask(plan, NULL).n_violations, 0);
  for (uint64_t bound = 5; bound <= 8; bound++) {
    state_bound(plan, bound);
    struct berth_verdict verdict = ask(plan, NULL);
    ck_assert_uint_eq(verdict.n_violations, bound > 6);
    ck_assert_int_eq(verdict.lower_bound, BERTH_CLAIM_CHECKED);
  }
  berth_plan_unref(plan);
}
END_TEST

/* Where nobody may share, seven bytes are the least. */
START_TEST(a_bound_without_reuse_is_another) {
  begin();
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 2, 4, 6});
  state_bound(plan, 7);
  ck_assert_uint_gt(ask(plan, NULL).n_violations, 0);
  plan->reuse = BERTH_REUSE_NONE;
  ck_assert_uint_eq(ask(plan, NULL).n_violations, 0);
  ck_assert_int_eq(ask(plan, NULL).lower_bound, BERTH_CLAIM_TRUSTED);
  berth_plan_unref(plan);
}
END_TEST

START_TEST(without_reuse_nobody_shares_but_pins) {
  begin();
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 2, 6, 6});
  ck_assert_uint_eq(ask(plan, NULL).n_violations, 0);
  plan->reuse = BERTH_REUSE_NONE;
  ck_assert_uint_gt(ask(plan, NULL).n_violations, 0);
  sample.buffers[2].spec.pinned_offset = 6;
  ck_assert_uint_gt(ask(plan, NULL).n_violations, 0);
  sample.buffers[3].spec.pinned_offset = 6;
  ck_assert_uint_eq(ask(plan, NULL).n_violations, 0);
  plan->reuse = BERTH_N_REUSES;
  ck_assert_uint_gt(ask(plan, NULL).n_violations, 0);
  berth_plan_unref(plan);
}
END_TEST

START_TEST(an_arena_beyond_what_was_asked_for) {
  begin();
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 2, 6, 6});
  struct berth_verify_terms terms = {.capacity_bytes = 8};
  ck_assert_uint_eq(ask(plan, &terms).n_violations, 0);
  terms.capacity_bytes = 7;
  ck_assert_uint_gt(ask(plan, &terms).n_violations, 0);
  berth_plan_unref(plan);
}
END_TEST

/* Load 8, and 9 bytes are needed (Q2 of the known answers in small): bounds beyond the load are searched. */
START_TEST(a_bound_above_the_load_is_checked) {
  sample_finish(&sample);
  sample_add(&sample, 2, 0, 2);
  sample_add(&sample, 4, 0, 1);
  sample_add(&sample, 4, 1, 3);
  sample_add(&sample, 2, 2, 3);
  sample.buffers[0].spec.alignment = 8;
  sample.buffers[3].spec.alignment = 8;
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 2, 2, 8});
  struct berth_verify_terms terms = {.capacity_bytes = BERTH_UNLIMITED};
  state_bound(plan, 8);
  ck_assert_uint_gt(ask(plan, &terms).n_violations, 0); /* 0, 2, 2, 0 are enough */
  state_bound(plan, 6);
  ck_assert_uint_eq(ask(plan, &terms).n_violations, 0);
  berth_plan_unref(plan);
}
END_TEST

/* By their windows at step 0 b lies two bytes above a, and by those at step 1 a above b, or one is above all
 * of the other: that they cannot go round is seen without rising by four bytes at a time. */
START_TEST(windows_that_go_round_are_seen_at_once) {
  const uint64_t size = UINT64_C(1) << 50;
  sample_finish(&sample);
  sample_add(&sample, size, 0, 2);
  sample_add(&sample, size, 0, 2);
  for (int i = 0; i < 2; i++) {
    struct sample_buffer *buffer = &sample.buffers[i];
    buffer->gaps[i] = (struct berth_gap){i, i + 1, 0, size / 2 + 1};
    buffer->gaps[1 - i] = (struct berth_gap){1 - i, 2 - i, size / 2 - 1, size};
    buffer->spec.n_gaps = 2;
  }
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, size + 2});
  for (uint64_t bound = 2 * size; bound < 2 * size + 2; bound++) {
    state_bound(plan, bound);
    ck_assert_uint_eq(ask(plan, NULL).n_violations != 0, bound > 2 * size);
    ck_assert_int_eq(ask(plan, NULL).lower_bound, BERTH_CLAIM_CHECKED);
  }
  berth_plan_unref(plan);
}
END_TEST

static struct berth_plan *refuse(uint64_t capacity) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_solve_options options = berth_solve_options_default();
  options.capacity_bytes = capacity;
  struct berth_plan *plan;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  berth_problem_unref(problem);
  return plan;
}

START_TEST(culprits_must_not_fit_and_all_be_needed) {
  begin();
  struct berth_plan *plan = refuse(5);
  struct berth_verify_terms terms = {.capacity_bytes = 5};
  ck_assert_uint_eq(ask(plan, &terms).n_violations, 0);
  ck_assert_int_eq(ask(plan, NULL).culprits, BERTH_CLAIM_TRUSTED);
  ck_assert_uint_eq(plan->n_culprits, 3);
  plan->culprits_proof = BERTH_CULPRITS_MINIMAL;
  ck_assert_int_eq(ask(plan, &terms).culprits, BERTH_CLAIM_CHECKED);
  plan->culprits[plan->n_culprits++] = 3; /* nobody needs it */
  ck_assert_uint_gt(ask(plan, &terms).n_violations, 0);
  plan->culprits_proof = BERTH_CULPRITS_UNPROVEN;
  ck_assert_uint_eq(ask(plan, &terms).n_violations, 0);
  plan->n_culprits = 2; /* these fit */
  ck_assert_uint_gt(ask(plan, &terms).n_violations, 0);
  terms.capacity_bytes = 6; /* and in this everything does */
  plan->n_culprits = 3;
  ck_assert_uint_gt(ask(plan, &terms).n_violations, 0);
  berth_plan_unref(plan);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/claims", (const TTest *const[]){
                           a_bound_that_is_too_high_is_a_lie, a_bound_without_reuse_is_another,
                           without_reuse_nobody_shares_but_pins, an_arena_beyond_what_was_asked_for,
                           a_bound_above_the_load_is_checked, windows_that_go_round_are_seen_at_once,
                           culprits_must_not_fit_and_all_be_needed, NULL});
  sample_finish(&sample);
  return status;
}
