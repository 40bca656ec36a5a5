#include "judged.h"
#include "suite.h"

static struct sample sample;

/* Report 39: x and y live together, c afterwards; bytes can be shared in 100, whole slots need 140. */
static void begin(void) {
  sample_finish(&sample);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].kind = BERTH_POOL_SLOTS;
  sample_add(&sample, 60, 1, 3);
  sample_add(&sample, 40, 1, 3);
  sample_add(&sample, 100, 3, 5);
}

static struct judged ask(const uint64_t *offset) {
  return judge_offsets(&sample, NULL, offset);
}

START_TEST(a_slot_is_shared_whole) {
  begin();
  struct judged judged = ask((const uint64_t[]){0, 100, 0});
  judged_expect_good(&judged);
}
END_TEST

START_TEST(a_part_of_a_slot_is_not_shared_at_any_time) {
  begin();
  struct judged judged = ask((const uint64_t[]){0, 60, 0});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_OVERLAP);
  ck_assert_uint_eq(judged.list[0].buffer_a, 1);
  ck_assert_uint_eq(judged.list[0].buffer_b, 2);
  sample.pools[0].kind = BERTH_POOL_BYTES;
  judged = ask((const uint64_t[]){0, 60, 0});
  judged_expect_good(&judged);
}
END_TEST

START_TEST(a_slot_holds_one_at_a_time) {
  begin();
  struct judged judged = ask((const uint64_t[]){0, 0, 100});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_uint_eq(judged.list[0].buffer_a, 0);
  ck_assert_uint_eq(judged.list[0].buffer_b, 1);
}
END_TEST

START_TEST(a_window_takes_the_slot_whole_and_an_absence_frees_it) {
  begin();
  sample_finish(&sample);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].kind = BERTH_POOL_SLOTS;
  sample_add_gap(sample_add(&sample, 100, 0, 9), 3, 6, 0, 10);
  sample_add(&sample, 50, 3, 6);
  struct judged judged = ask((const uint64_t[]){0, 0});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  sample.buffers[0].gaps[0].window_upper = 0;
  judged = ask((const uint64_t[]){0, 0});
  judged_expect_good(&judged);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/slots",
      (const TTest *const[]){
          a_slot_is_shared_whole, a_part_of_a_slot_is_not_shared_at_any_time, a_slot_holds_one_at_a_time,
          a_window_takes_the_slot_whole_and_an_absence_frees_it, NULL});
  sample_finish(&sample);
  return status;
}
