/* The judge of parts: bytes in common of parts that may run at once, and of what lives through all of them.
 */
#include <string.h>

#include "berth/together.h"
#include "berth/verify.h"
#include "sample.h"
#include "suite.h"

static struct berth_text text(const char *s) {
  return (struct berth_text){.data = s, .size = (uint32_t)strlen(s)};
}

/* Of each part: x, then y, then "s", which is state and touched in between. */
static struct berth_problem *part(void) {
  struct sample sample;
  sample_init(&sample);
  sample_add(&sample, 10, 0, 2)->spec.id = text("x");
  sample_add(&sample, 10, 2, 4)->spec.id = text("y");
  struct sample_buffer *s = sample_add(&sample, 20, 1, 3);
  s->spec.id = text("s");
  s->spec.class_ = BERTH_CLASS_STATE;
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  return problem;
}

/* Buffers: s, a/x, a/y, b/x, b/y; without sharing: a/x, a/y, a/s, b/x, b/y, b/s. */
static struct berth_problem *whole(bool at_once, bool shares) {
  struct berth_named_problem parts[2] = {{text("a"), part()}, {text("b"), part()}};
  const struct berth_text shared = text("s");
  const struct berth_composition composition = {
      .parts = parts,
      .n_parts = 2,
      .set_end = (const uint32_t[]){2},
      .set_parts = (const uint32_t[]){0, 1},
      .n_sets = at_once,
      .shared = &shared,
      .n_shared = shares};
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_compose(&composition, NULL, &problem, NULL), BERTH_OK);
  berth_problem_unref(parts[0].problem);
  berth_problem_unref(parts[1].problem);
  return problem;
}

static void
expect(bool at_once, bool shares, const uint64_t *offset, uint64_t n_violations, const char *message) {
  struct berth_problem *problem = whole(at_once, shares);
  struct berth_violation first = {0};
  struct berth_verdict verdict;
  struct berth_error err = {0};
  enum berth_code code = berth_verify_offsets(problem, NULL, offset, NULL, &first, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  ck_assert_msg(verdict.n_violations == n_violations, "%s", first.message);
  ck_assert_str_eq(first.message, message);
  berth_problem_unref(problem);
}

START_TEST(after_each_other_all_but_state_may_meet) {
  expect(false, true, (const uint64_t[]){0, 20, 20, 20, 20}, 0, "");
  expect(
      false, true, (const uint64_t[]){0, 19, 20, 20, 20},
      2, /* in its own part, and as what lives through all */
      "buffer 1 (\"a/x\") and buffer 0 (\"s\") share bytes [19, 20) in steps [1, 2)");
  expect(/* in a step at which its own part does not need it */
         false, true, (const uint64_t[]){0, 20, 20, 20, 10}, 2,
         "buffer 4 (\"b/y\") and buffer 0 (\"s\") share bytes [10, 20) in steps [2, 3)");
}
END_TEST

START_TEST(state_that_is_not_shared_is_there_for_the_others_too) {
  expect(false, false, (const uint64_t[]){40, 40, 0, 40, 40, 20}, 0, "");
  expect(
      false, false, (const uint64_t[]){40, 40, 0, 10, 40, 20}, 1,
      "buffer 2 (\"a/s\") and buffer 3 (\"b/x\") share bytes [10, 20) of what lives through all parts");
  expect(
      false, false, (const uint64_t[]){40, 40, 0, 40, 40, 0}, 1,
      "buffer 2 (\"a/s\") and buffer 5 (\"b/s\") share bytes [0, 20) of what lives through all parts");
}
END_TEST

START_TEST(at_once_nothing_meets) {
  expect(true, true, (const uint64_t[]){0, 20, 20, 30, 30}, 0, "");
  expect(
      true, true, (const uint64_t[]){0, 20, 20, 30, 29}, 1,
      "buffer 1 (\"a/x\") and buffer 4 (\"b/y\") share bytes [29, 30) and are of parts that may run at once");
}
END_TEST

/* What one part does wrong by itself is blamed on it. */
START_TEST(each_part_is_judged_too) {
  expect(
      false, true, (const uint64_t[]){0, 20, 20, BERTH_NO_OFFSET, 20}, 1, "buffer 3 (\"b/x\") has no offset");
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/together",
      (const TTest *const[]){
          after_each_other_all_but_state_may_meet, state_that_is_not_shared_is_there_for_the_others_too,
          at_once_nothing_meets, each_part_is_judged_too, NULL});
}
