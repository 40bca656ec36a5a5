#include "berth/status.h"

#include <string.h>

#include "base/text.h"
#include "suite.h"

START_TEST(names_are_grpcs_and_never_null) {
  static const struct {
    enum berth_code code;
    const char *name;
  } CASES[] = {
      {BERTH_OK, "OK"},
      {BERTH_CANCELLED, "CANCELLED"},
      {BERTH_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
      {BERTH_DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"},
      {BERTH_RESOURCE_EXHAUSTED, "RESOURCE_EXHAUSTED"},
      {BERTH_FAILED_PRECONDITION, "FAILED_PRECONDITION"},
      {BERTH_UNIMPLEMENTED, "UNIMPLEMENTED"},
      {BERTH_UNAVAILABLE, "UNAVAILABLE"},
      {BERTH_UNAUTHENTICATED, "UNAUTHENTICATED"},
      {(enum berth_code)17, "?"},
      {(enum berth_code)1000, "?"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_str_eq(berth_code_name(CASES[i].code), CASES[i].name);
  }
  ck_assert_str_eq(berth_reason_name(BERTH_REASON_DUPLICATE_ID), "DUPLICATE_ID");
  ck_assert_str_eq(berth_reason_text(BERTH_REASON_DUPLICATE_ID), "an id is used twice");
  ck_assert_str_eq(berth_reason_name((enum berth_reason)10000), "?");
}
END_TEST

START_TEST(fail_fills_everything) {
  struct berth_error err;
  memset(&err, 0xff, sizeof err);
  enum berth_code code = berth_fail(
      &err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_PIN, 7, "offset", "buffer %d is %s", 7, "off");
  ck_assert_int_eq(code, BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.code, BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_PIN);
  ck_assert_uint_eq(err.index, 7);
  ck_assert_uint_eq(err.line, 0);
  ck_assert_uint_eq(err.column, 0);
  ck_assert_str_eq(err.field, "offset");
  ck_assert_str_eq(err.message, "buffer 7 is off");
  ck_assert_int_eq(berth_fail(NULL, BERTH_ABORTED, BERTH_REASON_NONE, 0, NULL, "x"), BERTH_ABORTED);
  ck_assert_int_eq(berth_fail_memory(&err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_OUT_OF_MEMORY);
  ck_assert_str_eq(err.field, "");
}
END_TEST

/* Cut at each place of a three-byte character. */
START_TEST(messages_are_cut_between_characters) {
  for (size_t n_before = BERTH_MESSAGE_SIZE - 5; n_before < BERTH_MESSAGE_SIZE + 2; n_before++) {
    char text[2 * BERTH_MESSAGE_SIZE];
    memset(text, 'x', n_before);
    strcpy(text + n_before, "\xe2\x82\xac\xe2\x82\xac");
    struct berth_error err;
    berth_fail(&err, BERTH_UNKNOWN, BERTH_REASON_NONE, 0, text, "%s", text);
    size_t n = strlen(err.message);
    ck_assert_uint_lt(n, BERTH_MESSAGE_SIZE);
    ck_assert_uint_gt(n + 3, BERTH_MESSAGE_SIZE - 1);
    ck_assert(berth_text_valid(err.message, n));
    ck_assert(berth_text_valid(err.field, strlen(err.field)));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/status",
      (const TTest *const[]){
          names_are_grpcs_and_never_null, fail_fills_everything, messages_are_cut_between_characters, NULL});
}
