#include <string.h>

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

static void span(uint32_t i, uint32_t a_lower, uint32_t a_upper, uint32_t b_lower, uint32_t b_upper) {
  struct sample_buffer *buffer = &sample.buffers[i];
  buffer->spec.n_clocks = 2;
  memcpy(buffer->clock_lower, (uint32_t[]){a_lower, b_lower}, 2 * sizeof(uint32_t));
  memcpy(buffer->clock_upper, (uint32_t[]){a_upper, b_upper}, 2 * sizeof(uint32_t));
  sample_sum_clocks(buffer);
}

/* Two of one storage, on lines of their own: who comes after must follow both, and both who was before. */
START_TEST(one_storage_on_two_lines) {
  for (int order = 0; order < 4; order++) {
    sample_finish(&sample);
    for (int i = 0; i < 4; i++) {
      sample_add(&sample, 8, 0, 1);
    }
    span(0, 1, 2, 0, 0);
    span(1, 2, 3, order == 1 ? 0 : 1, 2); /* of the storage, after 0 */
    span(2, order == 2 ? 0 : 2, 2, 1, 3); /* of the storage; it may begin before 0 has ended */
    span(3, order == 3 ? 2 : 3, 4, 3, 4); /* after all; it may begin before 1 has ended */
    group(BERTH_GROUP_SHARED, 1, 2);
    struct judged judged = ask((const uint64_t[]){0, 0, 0, 0});
    if (order < 2) {
      judged_expect_good(&judged);
      continue;
    }
    ck_assert_uint_eq(judged.verdict.n_violations, 1);
    ck_assert_int_eq(judged.list[0].kind, BERTH_VIOLATION_OVERLAP);
    ck_assert_uint_eq(judged.list[0].buffer_a, order == 2 ? 0 : 1);
    ck_assert_uint_eq(judged.list[0].buffer_b, order == 2 ? 2 : 3);
  }
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/groups", (const TTest *const[]){
                           back_to_back, the_first_one_is_aligned_too, one_storage_may_be_held_twice_at_once,
                           and_by_nobody_else, one_storage_on_two_lines, NULL});
  sample_finish(&sample);
  return status;
}
