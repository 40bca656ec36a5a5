#include "judged.h"
#include "suite.h"

static struct sample sample;

static void group(enum berth_group_kind kind, uint32_t a, uint32_t b) {
  sample.groups[sample.n_groups++] = (struct sample_group){kind, 2, {a, b}};
}

/* 0 and 1 live together, 2 afterwards. */
static void begin(void) {
  sample_finish(&sample);
  sample_add(&sample, 60, 1, 3);
  sample_add(&sample, 40, 1, 3);
  sample_add(&sample, 100, 3, 5);
}

static struct judged ask(const uint64_t *offset) {
  return judge_offsets(&sample, NULL, offset);
}

START_TEST(back_to_back) {
  begin();
  sample.buffers[1].spec.alignment = 16;
  group(BERTH_GROUP_CONTIGUOUS, 0, 1);
  struct judged judged = ask((const uint64_t[]){16, 80, 0});
  judged_expect_good(&judged);
  judged = ask((const uint64_t[]){16, 96, 0});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_GROUP);
  ck_assert_uint_eq(judged.list[0].buffer_a, 1);
  ck_assert_uint_eq(judged.list[0].buffer_b, 0);
  ck_assert_str_eq(
      judged.list[0].message,
      "buffer 1 lies at 96 of pool 0, and group 0 wants it at 80 of pool 0, beside buffer 0");
}
END_TEST

/* The aligned end of 60 is 64, but not from 4 on: a group begins on its strictest alignment. */
START_TEST(the_first_one_is_aligned_too) {
  begin();
  sample.buffers[1].spec.alignment = 16;
  group(BERTH_GROUP_CONTIGUOUS, 0, 1);
  struct judged judged = ask((const uint64_t[]){4, 64, 0});
  ck_assert_uint_gt(judged.verdict.n_violations, 0);
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_GROUP);
}
END_TEST

START_TEST(one_storage_may_be_held_twice_at_once) {
  begin();
  struct judged judged = ask((const uint64_t[]){0, 0, 0});
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_OVERLAP);
  group(BERTH_GROUP_SHARED, 0, 1);
  judged = ask((const uint64_t[]){0, 0, 0});
  judged_expect_good(&judged);
  judged = ask((const uint64_t[]){0, 60, 0});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_GROUP);
}
END_TEST

/* Everyone else may not come between them, whomever of them the sweep meets first. */
START_TEST(and_by_nobody_else) {
  begin();
  sample_add(&sample, 10, 2, 3);
  group(BERTH_GROUP_SHARED, 0, 1);
  struct judged judged = ask((const uint64_t[]){0, 0, 0, 50});
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_OVERLAP);
  ck_assert_uint_eq(judged.list[0].buffer_b, 3);
  judged = ask((const uint64_t[]){0, 0, 0, 60});
  judged_expect_good(&judged);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/groups", (const TTest *const[]){
                           back_to_back, the_first_one_is_aligned_too, one_storage_may_be_held_twice_at_once,
                           and_by_nobody_else, NULL});
  sample_finish(&sample);
  return status;
}
