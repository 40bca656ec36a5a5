#include "verify/overlap.h"

#include "judged.h"
#include "suite.h"

static struct sample sample;

static void begin(void) {
  sample_finish(&sample);
}

static struct judged ask(const uint64_t *offset) {
  return judge_offsets(&sample, NULL, offset);
}

static void expect_pair(const uint64_t *offset, uint32_t a, uint32_t b) {
  struct judged judged = ask(offset);
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_OVERLAP);
  ck_assert_uint_eq(judged.list[0].buffer_a, a);
  ck_assert_uint_eq(judged.list[0].buffer_b, b);
}

static void expect_good(const uint64_t *offset) {
  struct judged judged = ask(offset);
  judged_expect_good(&judged);
}

START_TEST(one_byte_in_one_step_is_enough) {
  begin();
  sample_add(&sample, 10, 0, 5);
  sample_add(&sample, 10, 4, 9);
  struct judged judged = ask((const uint64_t[]){0, 9});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_uint_eq(judged.list[0].first_byte, 9);
  ck_assert_uint_eq(judged.list[0].end_byte, 10);
  ck_assert_int_eq(judged.list[0].first_step, 4);
  ck_assert_int_eq(judged.list[0].end_step, 5);
  expect_good((const uint64_t[]){0, 10});
  expect_good((const uint64_t[]){10, 0});
}
END_TEST

START_TEST(half_open_lives_may_touch) {
  begin();
  sample_add(&sample, 10, 1, 3);
  sample_add(&sample, 10, 3, 5);
  expect_good((const uint64_t[]){0, 0});
  sample.buffers[0].spec.upper = 4;
  expect_pair((const uint64_t[]){0, 0}, 0, 1);
}
END_TEST

START_TEST(an_empty_life_is_one_step) {
  begin();
  sample_add(&sample, 10, 3, 3);
  sample_add(&sample, 10, 3, 5);
  expect_pair((const uint64_t[]){0, 0}, 0, 1);
}
END_TEST

START_TEST(steps_of_any_sign_and_size) {
  begin();
  sample_add(&sample, 10, -5, 1);
  sample_add(&sample, 10, 0, 4);
  expect_pair((const uint64_t[]){3, 0}, 0, 1);
  begin();
  sample_add(&sample, 10, INT64_MIN + 1, 0);
  sample_add(&sample, 10, -1, INT64_MAX - 1);
  expect_pair((const uint64_t[]){3, 0}, 0, 1);
}
END_TEST

START_TEST(zero_size_conflicts_with_nothing) {
  begin();
  sample_add(&sample, 10, 0, 5);
  sample_add(&sample, 0, 0, 5);
  sample_add_conflict(&sample, 0, 1);
  expect_good((const uint64_t[]){0, 4});
}
END_TEST

START_TEST(in_a_gap_only_the_window_counts) {
  begin();
  struct sample_buffer *p = sample_add(&sample, 400, 1, 5);
  sample_add_gap(p, 3, 5, 100, 200);
  sample_add(&sample, 400, 3, 5);
  expect_good((const uint64_t[]){0, 200});
  expect_pair((const uint64_t[]){0, 199}, 0, 1);
  begin();
  p = sample_add(&sample, 100, 0, 9);
  sample_add_gap(p, 3, 6, 0, 0);
  sample_add(&sample, 100, 3, 6);
  expect_good((const uint64_t[]){0, 0});
  sample.buffers[1].spec.upper = 7;
  expect_pair((const uint64_t[]){0, 0}, 0, 1);
  sample.buffers[1].spec.upper = 6;
  sample.buffers[1].spec.lower = 2;
  expect_pair((const uint64_t[]){0, 0}, 0, 1);
}
END_TEST

START_TEST(gaps_may_come_in_any_order_and_touch) {
  begin();
  struct sample_buffer *p = sample_add(&sample, 100, 0, 9);
  sample_add_gap(p, 6, 8, 0, 10);
  sample_add_gap(p, 2, 4, 50, 60);
  sample_add_gap(p, 4, 6, 90, 100);
  sample_add(&sample, 80, 4, 8);
  sample_add(&sample, 50, 2, 4);
  expect_good((const uint64_t[]){0, 10, 0});
  expect_pair((const uint64_t[]){0, 9, 0}, 0, 1);
  expect_pair((const uint64_t[]){0, 11, 0}, 0, 1);
  expect_pair((const uint64_t[]){0, 10, 1}, 0, 2);
}
END_TEST

START_TEST(pairs_that_must_not_share_do_not_though_apart_in_time) {
  begin();
  sample_add(&sample, 10, 0, 1);
  sample_add(&sample, 10, 5, 6);
  expect_good((const uint64_t[]){0, 0});
  sample_add_conflict(&sample, 1, 0);
  expect_pair((const uint64_t[]){0, 9}, 0, 1);
  expect_good((const uint64_t[]){0, 10});
}
END_TEST

START_TEST(pools_are_apart) {
  begin();
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].name = (struct berth_text){"a", 1};
  sample.pools[1].name = (struct berth_text){"b", 1};
  for (int k = 0; k < 4; k++) {
    sample_add(&sample, 10, 0, 2);
  }
  const uint64_t offset[] = {0, 0, 10, 9};
  struct judged judged = judge_offsets(&sample, (const uint32_t[]){0, 1, 0, 1}, offset);
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_uint_eq(judged.list[0].buffer_a, 1);
  ck_assert_uint_eq(judged.list[0].buffer_b, 3);
  ck_assert_uint_eq(judged.list[0].pool, 1);
}
END_TEST

/* A long buffer that reaches over many short ones, and faults before and after it: none hides another. */
START_TEST(one_fault_hides_no_other) {
  begin();
  sample_add(&sample, 100, 0, 10);
  for (uint32_t k = 0; k < 10; k++) {
    sample_add(&sample, 10, 0, 10);
  }
  sample_add(&sample, 10, 0, 10);
  sample_add(&sample, 10, 9, 10);
  const uint64_t offset[] = {0, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 300, 305};
  struct judged judged = ask(offset);
  ck_assert_uint_eq(judged.verdict.n_violations, 11);
  bool seen[13] = {false};
  for (uint32_t k = 0; k < judged.verdict.n_listed; k++) {
    seen[judged.list[k].buffer_b] = true;
  }
  for (uint32_t k = 1; k <= 10; k++) {
    ck_assert(seen[k]);
  }
  ck_assert(seen[12]);
}
END_TEST

START_TEST(offsets_at_the_end_of_the_address_space_still_meet) {
  begin();
  sample_add(&sample, 10, 0, 2);
  sample_add(&sample, 10, 0, 2);
  struct judged judged = ask((const uint64_t[]){UINT64_MAX - 10, UINT64_MAX - 10});
  ck_assert_uint_eq(judged_count(&judged, BERTH_VIOLATION_OVERLAP), 1);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/overlap",
      (const TTest *const[]){
          one_byte_in_one_step_is_enough, half_open_lives_may_touch, an_empty_life_is_one_step,
          steps_of_any_sign_and_size, zero_size_conflicts_with_nothing, in_a_gap_only_the_window_counts,
          gaps_may_come_in_any_order_and_touch, pairs_that_must_not_share_do_not_though_apart_in_time,
          pools_are_apart, one_fault_hides_no_other, offsets_at_the_end_of_the_address_space_still_meet,
          NULL});
  sample_finish(&sample);
  return status;
}
