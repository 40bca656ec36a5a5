#include "output/errors.h"

#include "suite.h"

/* The exit statuses of service users, for each code that a server or the library can give. */
START_TEST(every_code_has_its_status) {
  static const struct {
    enum berth_code code;
    enum berth_reason reason;
    int status;
  } CASES[] = {
      {BERTH_OK, BERTH_REASON_NONE, 0},
      {BERTH_CANCELLED, BERTH_REASON_CANCELLED, 130},
      {BERTH_UNKNOWN, BERTH_REASON_NONE, 1},
      {BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, 4},
      {BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, 7},
      {BERTH_NOT_FOUND, BERTH_REASON_PLAN_NOT_FOUND, 3},
      {BERTH_PERMISSION_DENIED, BERTH_REASON_NONE, 8},
      {BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_NONE, 6},
      {BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, 4},
      {BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, 5},
      {BERTH_ABORTED, BERTH_REASON_NONE, 6},
      {BERTH_OUT_OF_RANGE, BERTH_REASON_NONE, 4},
      {BERTH_UNIMPLEMENTED, BERTH_REASON_NONE, 1},
      {BERTH_INTERNAL, BERTH_REASON_INTERNAL, 1},
      {BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, 9},
      {BERTH_UNAVAILABLE, BERTH_REASON_QUEUE_FULL, 6},
      {BERTH_DATA_LOSS, BERTH_REASON_NONE, 1},
      {BERTH_UNAUTHENTICATED, BERTH_REASON_NONE, 8},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_error err = {.code = CASES[i].code, .reason = CASES[i].reason};
    ck_assert_msg(
        (int)berthctl_error_exit(&err) == CASES[i].status, "%s, %s", berth_code_name(err.code),
        berth_reason_name(err.reason));
  }
}
END_TEST

int main(void) {
  return berth_suite_run("client/errors", (const TTest *const[]){every_code_has_its_status, NULL});
}
