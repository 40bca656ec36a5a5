#include "honest.h"
#include "judged.h"
#include "suite.h"

static struct sample sample;

/* A constant of 10 bytes for one step, state of 20, and a temporary of 5 that lives after both. */
static void begin(enum berth_persistence persistence) {
  sample_finish(&sample);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].persistence = persistence;
  sample_add(&sample, 10, 0, 1)->spec.class_ = BERTH_CLASS_CONSTANT;
  sample_add(&sample, 20, 1, 2)->spec.class_ = BERTH_CLASS_STATE;
  sample_add(&sample, 5, 3, 4);
}

static uint64_t found(const uint64_t *offset, enum berth_violation_kind kind) {
  struct judged judged = judge_offsets(&sample, NULL, offset);
  ck_assert_uint_eq(judged_count(&judged, kind), judged.verdict.n_violations);
  return judged.verdict.n_violations;
}

START_TEST(mixed_they_are_like_all_others) {
  begin(BERTH_PERSISTENCE_MIXED);
  ck_assert_uint_eq(found((const uint64_t[]){0, 0, 0}, BERTH_VIOLATION_OVERLAP), 0);
}
END_TEST

START_TEST(at_the_front_they_are_apart_and_below) {
  begin(BERTH_PERSISTENCE_FRONT);
  ck_assert_uint_eq(found((const uint64_t[]){0, 10, 30}, BERTH_VIOLATION_OVERLAP), 0);
  ck_assert_uint_eq(found((const uint64_t[]){20, 0, 30}, BERTH_VIOLATION_OVERLAP), 0);
  ck_assert_uint_eq(
      found((const uint64_t[]){0, 9, 30}, BERTH_VIOLATION_OVERLAP), 1); /* though never together */
  ck_assert_uint_eq(found((const uint64_t[]){0, 10, 29}, BERTH_VIOLATION_POOL), 1);
  ck_assert_uint_eq(
      found((const uint64_t[]){0, 15, 10}, BERTH_VIOLATION_POOL), 1); /* not even between them */
}
END_TEST

START_TEST(what_is_never_held_may_reach_below) {
  begin(BERTH_PERSISTENCE_FRONT);
  sample_add_gap(&sample.buffers[2], 3, 4, 2, 5);
  ck_assert_uint_eq(found((const uint64_t[]){0, 10, 28}, BERTH_VIOLATION_POOL), 0);
  ck_assert_uint_eq(found((const uint64_t[]){0, 10, 27}, BERTH_VIOLATION_POOL), 1);
}
END_TEST

START_TEST(the_end_of_the_front_is_a_figure) {
  begin(BERTH_PERSISTENCE_FRONT);
  struct berth_plan *plan = honest_plan(&sample, NULL, (const uint64_t[]){0, 10, 30});
  ck_assert_uint_eq(plan->pools[0].persistent_bytes, 30);
  ck_assert_uint_eq(plan->pools[0].class_bytes[BERTH_CLASS_STATE], 20);
  struct judged judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  berth_plan_pools_mut(plan)->persistent_bytes = 31;
  judged = judge_plan(&sample, plan);
  ck_assert_uint_eq(judged_count(&judged, BERTH_VIOLATION_FIGURES), 1);
  berth_plan_pools_mut(plan)->persistent_bytes = 30;
  berth_plan_pools_mut(plan)->class_bytes[BERTH_CLASS_TEMPORARY] = 4;
  judged = judge_plan(&sample, plan);
  ck_assert_uint_eq(judged_count(&judged, BERTH_VIOLATION_FIGURES), 1);
  berth_plan_unref(plan);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/verify/apart",
      (const TTest *const[]){
          mixed_they_are_like_all_others, at_the_front_they_are_apart_and_below,
          what_is_never_held_may_reach_below, the_end_of_the_front_is_a_figure, NULL});
}
