#include "minimalloc/minimalloc.h"

#include "support.h"

static const char PROBLEM[] = "id,lower,upper,size\na,0,3,4\nb,1,5,6\nc,2,2,0\n";

static enum berth_code read_plan(const char *text, uint64_t *offsets, struct berth_error *err) {
  struct berth_problem *problem = read_text(PROBLEM);
  *err = (struct berth_error){.code = BERTH_OK};
  enum berth_code code = berth_minimalloc_read_offsets(text, strlen(text), problem, NULL, offsets, err);
  berth_problem_unref(problem);
  return code;
}

static void expect_offsets(const char *text, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t offsets[3];
  struct berth_error err;
  enum berth_code code = read_plan(text, offsets, &err);
  ck_assert_msg(code == BERTH_OK, "%u:%u: %s", err.line, err.column, err.message);
  ck_assert_uint_eq(offsets[0], a);
  ck_assert_uint_eq(offsets[1], b);
  ck_assert_uint_eq(offsets[2], c);
}

START_TEST(rows_in_any_order) {
  expect_offsets("id,lower,upper,size,offset\na,0,3,4,0\nb,1,5,6,4\nc,2,3,0,7\n", 0, 4, 7);
  expect_offsets("offset,id\n7,c\n18446744073709551614,b\n0,a\n", 0, UINT64_MAX - 1, 7);
  expect_offsets("id,start,end,size,offset\nb,1,4,6,4\na,0,2,4,0\n", 0, 4, BERTH_NO_OFFSET);
  expect_offsets("id,offset\nb,\n", BERTH_NO_OFFSET, BERTH_NO_OFFSET, BERTH_NO_OFFSET);
}
END_TEST

static void expect_refused_plan(const char *text, uint32_t line, uint32_t column, enum berth_reason reason) {
  uint64_t offsets[3];
  struct berth_error err;
  ck_assert_int_eq(read_plan(text, offsets, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_msg(
      err.line == line && err.column == column && err.reason == reason, "%s: %u:%u %s: %s", text, err.line,
      err.column, berth_reason_name(err.reason), err.message);
}

START_TEST(plans_of_other_problems) {
  expect_refused_plan("id,offset\nd,0\n", 2, 1, BERTH_REASON_UNKNOWN_ID);
  expect_refused_plan("id,offset\n,0\n", 2, 1, BERTH_REASON_UNKNOWN_ID);
  expect_refused_plan("id,offset\na,0\nb,1\na,2\n", 4, 1, BERTH_REASON_DUPLICATE_ID);
  expect_refused_plan("id,size,offset\na,5,0\n", 2, 3, BERTH_REASON_MALFORMED);
  expect_refused_plan("id,lower,upper,offset\na,0,4,0\n", 2, 5, BERTH_REASON_MALFORMED);
  expect_refused_plan("id,lower,upper,offset\na,1,3,0\n", 2, 3, BERTH_REASON_MALFORMED);
  expect_refused_plan("id,alignment,offset\na,2,0\n", 2, 3, BERTH_REASON_MALFORMED);
  expect_refused_plan("id,size\na,4\n", 1, 1, BERTH_REASON_MISSING_FIELD);
  expect_refused_plan("id,offset\na,x\n", 2, 3, BERTH_REASON_BAD_NUMBER);
}
END_TEST

START_TEST(rows_without_ids_go_by_order) {
  struct berth_problem *problem = read_text("id,lower,upper,size\n,0,3,4\n,1,5,6\n");
  static const char PLAN[] = "id,offset\n,9\n,8\n";
  uint64_t offsets[2];
  struct berth_error err;
  ck_assert_int_eq(
      berth_minimalloc_read_offsets(PLAN, sizeof PLAN - 1, problem, NULL, offsets, &err), BERTH_OK);
  ck_assert_uint_eq(offsets[0], 9);
  ck_assert_uint_eq(offsets[1], 8);
  static const char LONG[] = "id,offset\n,9\n,8\n,7\n";
  ck_assert_int_eq(
      berth_minimalloc_read_offsets(LONG, sizeof LONG - 1, problem, NULL, offsets, &err),
      BERTH_INVALID_ARGUMENT);
  ck_assert_uint_eq(err.line, 4);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "minimalloc/offsets",
      (const TTest *const[]){rows_in_any_order, plans_of_other_problems, rows_without_ids_go_by_order, NULL});
}
