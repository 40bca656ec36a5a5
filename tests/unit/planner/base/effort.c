#include "base/effort.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h"

START_TEST(budget_ends_at_the_same_tick) {
  struct berth_effort effort;
  berth_effort_init(&effort, 1000000, NULL, NULL);
  uint64_t n_spent = 0;
  while (berth_effort_spend(&effort, 3)) {
    n_spent++;
  }
  ck_assert_uint_eq(n_spent, 333333);
  ck_assert_int_eq(effort.state, BERTH_EFFORT_BUDGET_SPENT);
  ck_assert(!berth_effort_spend(&effort, 1));
  berth_effort_set_limit(&effort, 2000000);
  ck_assert(berth_effort_spend(&effort, 1));
}
END_TEST

static bool stop_at_once(void *ctx) {
  ++*(int *)ctx;
  return true;
}

START_TEST(hook_is_asked_within_a_poll_and_is_final) {
  int n_asked = 0;
  struct berth_effort effort;
  berth_effort_init(&effort, UINT64_MAX, stop_at_once, &n_asked);
  while (berth_effort_spend(&effort, 1)) {
  }
  ck_assert_uint_le(effort.ticks, BERTH_EFFORT_POLL_TICKS);
  ck_assert_int_eq(effort.state, BERTH_EFFORT_STOPPED);
  berth_effort_set_limit(&effort, UINT64_MAX);
  ck_assert(!berth_effort_spend(&effort, 1));
  ck_assert_int_eq(n_asked, 1);
}
END_TEST

static bool count_asked(void *ctx) {
  ++*(int *)ctx;
  return false;
}

START_TEST(much_is_filled_and_copied_with_looks_between) {
  enum { N = 3000001 };
  int n_asked = 0;
  struct berth_effort effort;
  unsigned char *from = malloc(N);
  unsigned char *to = malloc(N);
  ck_assert(from != NULL && to != NULL);
  berth_effort_init(&effort, UINT64_MAX, count_asked, &n_asked);
  ck_assert(berth_effort_fill(&effort, from, 7, N));
  ck_assert(berth_effort_copy(&effort, to, from, N));
  ck_assert_int_eq(memcmp(from, to, N), 0);
  ck_assert_uint_eq(to[0] + to[N - 1], 14);
  ck_assert_int_ge(n_asked, 10);
  n_asked = 0;
  ck_assert(berth_effort_fill(&effort, to, 0, 100));
  ck_assert_int_eq(n_asked, 0);
  berth_effort_init(&effort, UINT64_MAX, stop_at_once, &n_asked);
  ck_assert(!berth_effort_copy(&effort, to, from, N));
  ck_assert_uint_eq(to[N - 1], 7); /* as it was */
  ck_assert(berth_effort_fill(NULL, to, 9, N));
  ck_assert_uint_eq(to[N - 1], 9);
  free(from);
  free(to);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/effort", (const TTest *const[]){
                         budget_ends_at_the_same_tick, hook_is_asked_within_a_poll_and_is_final,
                         much_is_filled_and_copied_with_looks_between, NULL});
}
