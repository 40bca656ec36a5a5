/* The build without a channel to a server: it says so, and what works. */
#include <string.h>

#include "engine/engine.h"
#include "suite.h"

START_TEST(everything_remote_is_refused_with_the_reason) {
  struct berth_error err[7];
  struct berthctl_planned planned;
  struct berth_verdict verdict;
  const char *word;
  const char *server = "unix:/a";
  ck_assert_int_eq(berthctl_remote_plan(server, NULL, NULL, NULL, &planned, &err[0]), BERTH_UNAVAILABLE);
  struct berth_measured measured;
  ck_assert_int_eq(berthctl_remote_get(server, "0", NULL, &planned, &measured, &err[1]), BERTH_UNAVAILABLE);
  ck_assert_int_eq(
      berthctl_remote_verify(server, NULL, NULL, NULL, NULL, NULL, 0, &verdict, &err[2]), BERTH_UNAVAILABLE);
  ck_assert_int_eq(berthctl_remote_health(server, "", NULL, &word, &err[3]), BERTH_UNAVAILABLE);
  uint32_t n_plans;
  uint64_t n_measurements;
  char token[BERTH_PAGE_TOKEN_SIZE];
  ck_assert_int_eq(berthctl_remote_list(server, 1, NULL, NULL, &n_plans, token, &err[4]), BERTH_UNAVAILABLE);
  ck_assert_int_eq(berthctl_remote_delete(server, "0", NULL, &err[5]), BERTH_UNAVAILABLE);
  ck_assert_int_eq(
      berthctl_remote_measure(server, "0", NULL, NULL, &n_measurements, &err[6]), BERTH_UNAVAILABLE);
  ck_assert_str_eq(word, "UNKNOWN");
  ck_assert_ptr_null(planned.plan);
  for (unsigned i = 0; i < 7; i++) {
    ck_assert_ptr_nonnull(strstr(err[i].message, "unix:/a: this berthctl was built without"));
    ck_assert_ptr_nonnull(strstr(err[i].message, "--local works"));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/remote_none", (const TTest *const[]){everything_remote_is_refused_with_the_reason, NULL});
}
