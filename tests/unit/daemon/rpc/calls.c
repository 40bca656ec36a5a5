/* A call's slot and its deadline. The linker puts this file's calloc in the place of libc's (--wrap). */
#include "rpc/internal.h"

#include <stdatomic.h>
#include <string.h>

#include "server.h"
#include "suite.h"

static atomic_bool refuses_calls;
static atomic_uint n_refused;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size) {
  if (size == sizeof(struct call) && atomic_load(&refuses_calls)) {
    atomic_fetch_add(&n_refused, 1);
    return NULL;
  }
  return __real_calloc(n, size);
}

static int check_health(const struct test_server *server) {
  struct raw_answer answer;
  raw_call(server->address, &(struct raw_call){.method = "/grpc.health.v1.Health/Check"}, &answer);
  int code = answer.code;
  raw_answer_finish(&answer);
  return code;
}

static unsigned n_lost(const struct test_server *server) {
  unsigned n = 0;
  for (size_t i = 0; i < N_METHODS; i++) {
    n += atomic_load(&server->rpc->n_unposted[i]);
  }
  return n;
}

/* Slots that were lost while memory was short come back with the next call. */
START_TEST(a_post_that_fails_is_made_later) {
  struct test_server server;
  test_server_start(&server, NULL);
  berthd_rpc_set_serving(server.rpc, true);
  atomic_store(&refuses_calls, true);
  for (unsigned i = 0; i < POSTED_UNKNOWN - 1; i++) { /* all but the last */
    ck_assert_int_eq(check_health(&server), BERTH_OK);
  }
  ck_assert_uint_ge(atomic_load(&n_refused), POSTED_UNKNOWN - 1);
  ck_assert_uint_eq(n_lost(&server), POSTED_UNKNOWN - 1);
  atomic_store(&refuses_calls, false);
  for (unsigned i = 0; i < 2 * POSTED_UNKNOWN; i++) {
    ck_assert_int_eq(check_health(&server), BERTH_OK);
  }
  ck_assert_uint_eq(n_lost(&server), 0);
  test_server_stop(&server);
}
END_TEST

START_TEST(far_deadlines_are_deadlines) {
  struct call call = {.deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC)};
  ck_assert_int_eq(call_deadline_ns(&call), BERTHD_NO_DEADLINE);
  gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
  call.deadline = gpr_time_add(now, gpr_time_from_hours(100 * 366 * 24, GPR_TIMESPAN));
  ck_assert_int_gt(call_deadline_ns(&call), monotonic_ns());
  ck_assert_int_lt(call_deadline_ns(&call), BERTHD_NO_DEADLINE);
  call.deadline = (gpr_timespec){.tv_sec = INT64_MAX - 1, .clock_type = GPR_CLOCK_MONOTONIC};
  ck_assert_int_gt(call_deadline_ns(&call), monotonic_ns());
  ck_assert_int_lt(call_deadline_ns(&call), BERTHD_NO_DEADLINE);
  call.deadline = (gpr_timespec){.tv_sec = INT64_MIN + 1, .clock_type = GPR_CLOCK_MONOTONIC};
  ck_assert_int_le(call_deadline_ns(&call), monotonic_ns());
}
END_TEST

int main(void) {
  return berth_suite_run(
      "rpc/calls",
      (const TTest *const[]){a_post_that_fails_is_made_later, far_deadlines_are_deadlines, NULL});
}
