#include "verify/figures.h"

#include "honest.h"
#include "judged.h"
#include "suite.h"

static struct sample sample;

/* Two pools, gaps, alignments, classes, a buffer of no bytes. */
static struct berth_plan *good_plan(void) {
  sample_finish(&sample);
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].name = (struct berth_text){"a", 1};
  sample.pools[1].name = (struct berth_text){"b", 1};
  sample_add(&sample, 100, 2, 6)->spec.class_ = BERTH_CLASS_INPUT;
  sample_add_gap(sample_add(&sample, 50, 4, 9), 6, 8, 10, 20);
  sample_add(&sample, 30, 7, 9)->spec.alignment = 32;
  sample_add(&sample, 0, 0, 9);
  sample_add(&sample, 40, 0, 3)->spec.class_ = BERTH_CLASS_OUTPUT;
  sample_add(&sample, 60, 3, 4)->spec.class_ = BERTH_CLASS_OUTPUT;
  const uint32_t pool[] = {0, 0, 0, 0, 1, 1};
  const uint64_t offset[] = {0, 100, 64, 8, 0, 0};
  return honest_plan(&sample, pool, offset);
}

static struct berth_pool_result *pool_mut(struct berth_plan *plan, uint32_t pool) {
  return &berth_plan_pools_mut(plan)[pool];
}

static void expect_refused(struct berth_plan *plan) {
  struct judged judged = judge_plan(&sample, plan);
  ck_assert_uint_gt(judged_count(&judged, BERTH_VIOLATION_FIGURES), 0);
  berth_plan_unref(plan);
}

START_TEST(honest_figures_are_right) {
  struct berth_plan *plan = good_plan();
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  ck_assert_uint_eq(plan->arena_bytes, 150 + 60);
  ck_assert_uint_eq(plan->peak_bytes, 160);
  ck_assert_int_eq(plan->pools[0].peak_step, 4);
  berth_plan_unref(plan);
}
END_TEST

/* Every number in turn, one more and one less. Numbers that another check refuses first count as well. */
#define EXPECT_EXACT(lvalue)                                                                                 \
  do {                                                                                                       \
    struct berth_plan *plan = good_plan();                                                                   \
    (lvalue)++;                                                                                              \
    expect_refused(plan);                                                                                    \
    plan = good_plan();                                                                                      \
    (lvalue)--;                                                                                              \
    expect_refused(plan);                                                                                    \
  } while (0)

START_TEST(every_number_is_exact) {
  EXPECT_EXACT(plan->arena_bytes);
  EXPECT_EXACT(plan->lower_bound_bytes);
  EXPECT_EXACT(plan->naive_bytes);
  EXPECT_EXACT(plan->peak_bytes);
  EXPECT_EXACT(plan->reuse_bytes);
  EXPECT_EXACT(plan->class_bytes[BERTH_CLASS_TEMPORARY]);
  EXPECT_EXACT(plan->class_bytes[BERTH_CLASS_INPUT]);
  EXPECT_EXACT(plan->class_bytes[BERTH_CLASS_OUTPUT]);
  EXPECT_EXACT(plan->class_bytes[BERTH_CLASS_STATE]);
  EXPECT_EXACT(pool_mut(plan, 0)->arena_bytes);
  EXPECT_EXACT(pool_mut(plan, 1)->arena_bytes);
  EXPECT_EXACT(pool_mut(plan, 0)->peak_bytes);
  EXPECT_EXACT(pool_mut(plan, 0)->peak_step);
  EXPECT_EXACT(pool_mut(plan, 1)->peak_step);
  EXPECT_EXACT(pool_mut(plan, 0)->base_alignment);
  EXPECT_EXACT(plan->n_buffers);
  EXPECT_EXACT(plan->n_pools);
}
END_TEST

START_TEST(base_alignment_is_what_the_buffers_need) {
  struct berth_plan *plan = good_plan();
  ck_assert_uint_eq(plan->pools[0].base_alignment, 32);
  pool_mut(plan, 0)->base_alignment = 16;
  expect_refused(plan);
  plan = good_plan();
  pool_mut(plan, 0)->base_alignment = 64;
  expect_refused(plan);
  plan = good_plan();
  pool_mut(plan, 0)->base_alignment = 0;
  expect_refused(plan);
}
END_TEST

START_TEST(the_bound_is_not_above_the_arena) {
  struct berth_plan *plan = good_plan();
  pool_mut(plan, 0)->lower_bound_bytes = plan->pools[0].arena_bytes + 1;
  plan->lower_bound_bytes = plan->pools[0].lower_bound_bytes + plan->pools[1].lower_bound_bytes;
  expect_refused(plan);
}
END_TEST

START_TEST(optimal_means_that_the_bound_is_met) {
  struct berth_plan *plan = good_plan();
  pool_mut(plan, 0)->lower_bound_bytes--;
  plan->lower_bound_bytes--;
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  plan->status = BERTH_PLAN_OPTIMAL;
  expect_refused(plan);
}
END_TEST

START_TEST(slots_hold_one_at_a_time_and_add_up) {
  struct berth_plan *plan = good_plan();
  berth_plan_slot_mut(plan)[4] = 2; /* 40 bytes in steps 0..3, beside 30 in 7..9 */
  plan->reuse_bytes -= 30;
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  berth_plan_slot_mut(plan)[0] = 2; /* which is live in 2..6 */
  plan->reuse_bytes -= 40;
  expect_refused(plan);
}
END_TEST

START_TEST(slots_keep_apart_what_must_not_share) {
  struct berth_plan *plan = good_plan();
  berth_plan_slot_mut(plan)[4] = 2;
  plan->reuse_bytes -= 30;
  sample_add_conflict(&sample, 4, 2);
  expect_refused(plan);
}
END_TEST

START_TEST(a_plan_has_offsets_and_only_a_plan_has) {
  struct berth_plan *plan = good_plan();
  plan->offset = NULL;
  expect_refused(plan);
  plan = good_plan();
  plan->status = BERTH_PLAN_UNKNOWN;
  expect_refused(plan);
  plan = good_plan();
  plan->status = BERTH_N_PLAN_STATUSES;
  expect_refused(plan);
}
END_TEST

static struct berth_plan *refusal(void) {
  struct berth_plan *plan = good_plan();
  plan->status = BERTH_PLAN_INFEASIBLE;
  plan->offset = NULL;
  plan->pool = NULL;
  plan->short_by_bytes = 10;
  plan->n_culprits = 2;
  plan->culprits[0] = 1;
  plan->culprits[1] = 0;
  return plan;
}

START_TEST(a_refusal_says_how_short_and_who_is_to_blame) {
  struct berth_plan *plan = refusal();
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  plan->short_by_bytes = 0;
  expect_refused(plan);
  plan = refusal();
  plan->culprits_proof = BERTH_N_CULPRITS_PROOFS;
  expect_refused(plan);
  plan = refusal();
  plan->n_culprits = 0;
  expect_refused(plan);
  plan = refusal();
  plan->culprits[1] = 1;
  expect_refused(plan);
  plan = refusal();
  plan->culprits[1] = 6;
  expect_refused(plan);
  plan = refusal();
  plan->n_culprits = BERTH_MAX_CULPRITS + 1;
  expect_refused(plan);
  plan = good_plan();
  plan->short_by_bytes = 1;
  expect_refused(plan);
}
END_TEST

START_TEST(textbook_figures) {
  sample_finish(&sample);
  sample_add(&sample, 1024, 0, 3);
  sample_add(&sample, 2048, 1, 4);
  sample_add(&sample, 512, 4, 6);
  sample_add(&sample, 1536, 4, 7);
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 1024, 0, 1024});
  berth_plan_slot_mut(plan)[2] = 0;
  berth_plan_slot_mut(plan)[3] = 1;
  plan->reuse_bytes = 3072;
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  ck_assert_uint_eq(plan->naive_bytes, 5120);
  ck_assert_uint_eq(plan->peak_bytes, 3072);
  ck_assert_double_eq(berth_plan_rho(plan), 0.4);
  berth_plan_unref(plan);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/figures", (const TTest *const[]){
                            honest_figures_are_right, every_number_is_exact,
                            base_alignment_is_what_the_buffers_need, the_bound_is_not_above_the_arena,
                            optimal_means_that_the_bound_is_met, slots_hold_one_at_a_time_and_add_up,
                            slots_keep_apart_what_must_not_share, a_plan_has_offsets_and_only_a_plan_has,
                            a_refusal_says_how_short_and_who_is_to_blame, textbook_figures, NULL});
  sample_finish(&sample);
  return status;
}
