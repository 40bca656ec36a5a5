/* berthctl's channel: plans, streams, look-ups and checks against a server in this process, and every way to
 * fail. */
#include "client/rpc/rpc.h"

#include <string.h>
#include <unistd.h>

#include "server.h"
#include "suite.h"

static struct test_server server;
static struct berthctl_rpc *rpc;

static void setup_with(const struct test_server_options *options) {
  struct berth_error err;
  test_server_start(&server, options);
  ck_assert_int_eq(berthctl_rpc_open(server.address, &rpc, &err), BERTH_OK);
}

static void setup(void) {
  setup_with(NULL);
}

static void finish(void) {
  berthctl_rpc_close(rpc);
  test_server_stop(&server);
}

/* `n` buffers that are all live together. */
static struct berth_problem *stack_of(uint32_t n, uint64_t size_bytes) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  for (uint32_t i = 0; i < n; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = size_bytes;
    spec.lower = 0;
    spec.upper = 10;
    uint32_t index;
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &index, &err), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, &err), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static void count_progress(void *ctx, const struct berth_progress *progress, double elapsed_seconds) {
  (void)progress;
  ck_assert_double_ge(elapsed_seconds, 0);
  (*(int *)ctx)++;
}

START_TEST(test_plan_and_get) {
  const struct berth_solve_options options = berth_solve_options_default();
  struct berth_error err;
  setup();
  struct berth_problem *problem = stack_of(10, 64);
  for (int i = 0; i < 4; i++) {
    int n_progress = 0;
    const struct berthctl_rpc_call call = {
        .timeout_ns = INT64_C(20000000000), .ctx = &n_progress, .on_progress = i % 2 ? count_progress : NULL};
    struct berthctl_rpc_plan reply;
    ck_assert_int_eq(berthctl_rpc_plan(rpc, problem, &options, &call, &reply, &err), BERTH_OK);
    ck_assert_int_eq(reply.plan->status, BERTH_PLAN_OPTIMAL);
    ck_assert_uint_eq(reply.plan->arena_bytes, 640);
    ck_assert_uint_eq(reply.plan->n_buffers, 10);
    ck_assert_int_eq(reply.cached, i > 0);
    struct berthctl_rpc_plan got;
    ck_assert_int_eq(berthctl_rpc_get(rpc, reply.plan_id, NULL, &got, &err), BERTH_OK);
    ck_assert_str_eq(got.plan_id, reply.plan_id);
    ck_assert_uint_eq(got.plan->arena_bytes, 640);
    berthctl_rpc_plan_finish(&got);
    berthctl_rpc_plan_finish(&reply);
  }
  berth_problem_unref(problem);
  finish();
}
END_TEST

/* An error on the wire, an outcome here. */
START_TEST(test_does_not_fit) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_error err;
  options.capacity_bytes = 600;
  setup();
  struct berth_problem *problem = stack_of(10, 64);
  for (int i = 0; i < 3; i++) {
    int n_progress = 0;
    const struct berthctl_rpc_call call = {.ctx = &n_progress, .on_progress = i == 1 ? count_progress : NULL};
    struct berthctl_rpc_plan reply;
    enum berth_code code = berthctl_rpc_plan(rpc, problem, &options, &call, &reply, &err);
    ck_assert_msg(code == BERTH_OK, "%s", err.message);
    ck_assert_int_eq(reply.plan->status, BERTH_PLAN_INFEASIBLE);
    ck_assert_uint_eq(reply.plan->lower_bound_bytes, 640);
    ck_assert_uint_eq(reply.plan->short_by_bytes, 40);
    ck_assert_ptr_null(reply.plan->offset);
    ck_assert_uint_eq(strlen(reply.plan_id), 64);
    berthctl_rpc_plan_finish(&reply);
  }
  berth_problem_unref(problem);
  finish();
}
END_TEST

START_TEST(test_get_fails) {
  struct berthctl_rpc_plan reply;
  struct berth_error err;
  setup();
  ck_assert_int_eq(
      berthctl_rpc_get(
          rpc, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL, &reply, &err),
      BERTH_NOT_FOUND);
  ck_assert_int_eq(err.reason, BERTH_REASON_PLAN_NOT_FOUND);
  ck_assert_ptr_null(reply.plan);
  ck_assert_int_eq(berthctl_rpc_get(rpc, "xyz", NULL, &reply, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "plan_id");
  finish();
}
END_TEST

START_TEST(test_verify) {
  static const uint64_t GOOD[] = {0, 64, 128};
  static const uint64_t BAD[] = {0, 63, 128};
  struct berth_violation violations[4];
  struct berth_verdict verdict;
  struct berth_error err;
  setup();
  struct berth_problem *problem = stack_of(3, 64);
  enum berth_code code = berthctl_rpc_verify(rpc, problem, NULL, GOOD, NULL, violations, 4, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  ck_assert_uint_eq(verdict.n_violations, 0);
  ck_assert_int_eq(
      berthctl_rpc_verify(rpc, problem, NULL, BAD, NULL, violations, 4, &verdict, &err), BERTH_OK);
  ck_assert_uint_eq(verdict.n_violations, 1);
  ck_assert_uint_eq(verdict.n_listed, 1);
  ck_assert_int_eq(violations[0].kind, BERTH_VIOLATION_OVERLAP);
  ck_assert_uint_eq(violations[0].first_byte, 63);
  ck_assert_uint_eq(violations[0].end_byte, 64);
  ck_assert(violations[0].message[0] != '\0');
  berth_problem_unref(problem);
  finish();
}
END_TEST

START_TEST(test_health) {
  enum berthctl_health health;
  struct berth_error err;
  setup();
  ck_assert_int_eq(berthctl_rpc_health(rpc, "", NULL, &health, &err), BERTH_OK);
  ck_assert_int_eq(health, BERTHCTL_HEALTH_SERVING);
  berthd_rpc_set_serving(server.rpc, false);
  ck_assert_int_eq(berthctl_rpc_health(rpc, "berth.v1.PlanService", NULL, &health, &err), BERTH_OK);
  ck_assert_int_eq(health, BERTHCTL_HEALTH_NOT_SERVING);
  ck_assert_int_eq(berthctl_rpc_health(rpc, "nobody", NULL, &health, &err), BERTH_NOT_FOUND);
  finish();
}
END_TEST

/* The server's words about a field come back whole. */
START_TEST(test_errors_are_mapped) {
  struct test_server_options server_options = test_server_options_default();
  struct berth_solve_options options = berth_solve_options_default();
  struct berthctl_rpc_plan reply;
  struct berth_error err;
  server_options.rpc.limits.buffers = 5;
  server_options.rpc.max_budget_ticks = 1000;
  setup_with(&server_options);
  struct berth_problem *problem = stack_of(6, 64);
  ck_assert_int_eq(berthctl_rpc_plan(rpc, problem, &options, NULL, &reply, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_LIMIT_EXCEEDED);
  ck_assert_str_eq(err.field, "problem.buffer_size_bytes");
  berth_problem_unref(problem);
  problem = stack_of(5, 64);
  options.budget_ticks = 1001;
  ck_assert_int_eq(berthctl_rpc_plan(rpc, problem, &options, NULL, &reply, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
  ck_assert_str_eq(err.field, "options.budget_ticks");
  ck_assert_ptr_nonnull(strstr(err.message, "1000"));
  berth_problem_unref(problem);
  finish();
}
END_TEST

static bool stop_soon(void *ctx) {
  int *n_polls = ctx;
  return ++*n_polls > 5;
}

START_TEST(test_cancel_and_deadline) {
  struct test_server_options server_options = test_server_options_default();
  const struct berth_solve_options options = berth_solve_options_default();
  struct berthctl_rpc_plan reply;
  struct berth_error err;
  server_options.no_workers = true;
  setup_with(&server_options);
  struct berth_problem *problem = stack_of(6, 64);
  int n_polls = 0;
  double begin = seconds_now();
  const struct berthctl_rpc_call stopped = {.ctx = &n_polls, .should_stop = stop_soon};
  ck_assert_int_eq(berthctl_rpc_plan(rpc, problem, &options, &stopped, &reply, &err), BERTH_CANCELLED);
  ck_assert_int_eq(err.reason, BERTH_REASON_CANCELLED);
  ck_assert_double_lt(seconds_now() - begin, 2);
  begin = seconds_now();
  const struct berthctl_rpc_call timed = {.timeout_ns = 300000000};
  ck_assert_int_eq(berthctl_rpc_plan(rpc, problem, &options, &timed, &reply, &err), BERTH_DEADLINE_EXCEEDED);
  ck_assert_int_eq(err.reason, BERTH_REASON_DEADLINE);
  ck_assert_double_lt(seconds_now() - begin, 2);
  berth_problem_unref(problem);
  finish();
}
END_TEST

START_TEST(test_nobody_there) {
  static const char *const NOBODY[] = {"unix:/tmp/berth-nobody-is-here.sock", "127.0.0.1:1"};
  for (size_t i = 0; i < 2; i++) {
    enum berthctl_health health;
    struct berth_error err;
    ck_assert_int_eq(berthctl_rpc_open(NOBODY[i], &rpc, &err), BERTH_OK);
    double begin = seconds_now();
    ck_assert_int_eq(berthctl_rpc_health(rpc, "", NULL, &health, &err), BERTH_UNAVAILABLE);
    ck_assert_double_lt(seconds_now() - begin, 5);
    ck_assert_msg(strstr(err.message, NOBODY[i]) != NULL, "%s", err.message);
    berthctl_rpc_close(rpc);
  }
}
END_TEST

START_TEST(test_addresses) {
  static const char *const BAD[] = {"",           "berthd",      "host:", ":80",    "host:0",
                                    "host:65536", "host:8x",     "unix:", "::1:80", "a b:80",
                                    "unix://",    "http://x:80", "[::1]"};
  static const char *const GOOD[] = {"unix:relative.sock", "unix:///run/x.sock", "[::1]:80",
                                     "host.example:7110",  "dns:///h:1",         "ipv4:127.0.0.1:5"};
  struct berth_error err;
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    ck_assert_msg(berthctl_rpc_open(BAD[i], &rpc, &err) == BERTH_INVALID_ARGUMENT, "%s", BAD[i]);
    ck_assert_str_eq(err.field, "server");
    ck_assert_ptr_null(rpc);
  }
  for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
    ck_assert_msg(berthctl_rpc_open(GOOD[i], &rpc, &err) == BERTH_OK, "%s: %s", GOOD[i], err.message);
    berthctl_rpc_close(rpc);
  }
  berthctl_rpc_close(NULL);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/rpc",
      (const TTest *const[]){
          test_plan_and_get, test_does_not_fit, test_get_fails, test_verify, test_health,
          test_errors_are_mapped, test_cancel_and_deadline, test_nobody_there, test_addresses, NULL});
}
