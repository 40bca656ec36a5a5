/* Clients that leave, that crowd, that wait: and how the server ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"
#include "suite.h"

#define COMPUTE "/berth.v1.PlanService/ComputePlan"
#define STREAM "/berth.v1.PlanService/StreamPlan"
#define CHECK "/grpc.health.v1.Health/Check"
#define WATCH "/grpc.health.v1.Health/Watch"
#define FOREVER UINT64_C(1000000000000) /* ticks: minutes */

static double busy(const struct test_server *server) {
  return berthd_metrics_get(server->metrics, BERTHD_METRIC_WORKERS_BUSY, 0, 0);
}

static bool wait_until_idle(const struct test_server *server, double seconds) {
  double end = seconds_now() + seconds;
  while (busy(server) > 0 || berthd_core_n_open(server->core) > 0) {
    if (seconds_now() > end) {
      return false;
    }
    usleep(1000);
  }
  return true;
}

/* A problem that keeps a worker busy for long. */
static struct bytes long_request(uint64_t seed) {
  return make_request(3000, seed, FOREVER);
}

struct crowd_arg {
  struct test_server *server;
  struct bytes *request;
  struct raw_answer *answer;
};

static void *crowd_call(void *arg) {
  const struct crowd_arg *crowd = arg;
  const struct raw_call call = {
      .method = COMPUTE, .bytes = crowd->request->data, .n_bytes = crowd->request->n, .timeout_ms = 1000};
  raw_call(crowd->server->address, &call, crowd->answer);
  return NULL;
}

START_TEST(test_client_that_leaves) {
  static const char *const METHODS[] = {COMPUTE, STREAM};
  struct test_server server;
  test_server_start(&server, NULL);
  for (uint64_t i = 0; i < 2; i++) {
    struct bytes request = long_request(11 + i);
    struct raw_answer answer;
    const struct raw_call call = {
        .method = METHODS[i],
        .bytes = request.data,
        .n_bytes = request.n,
        .timeout_ms = 60000,
        .cancel_after_ms = 300};
    raw_call(server.address, &call, &answer);
    if (answer.code != BERTH_OK) { /* it may have been proven within the time */
      ck_assert_int_eq(answer.code, BERTH_CANCELLED);
    }
    ck_assert_msg(wait_until_idle(&server, 2), "the worker goes on without anybody who waits");
    raw_answer_finish(&answer);
    bytes_finish(&request);
  }
  test_server_stop(&server);
}
END_TEST

/* The plan that there is, a little before the deadline. */
START_TEST(test_deadline) {
  struct test_server server;
  test_server_start(&server, NULL);
  struct bytes request = long_request(17);
  struct raw_answer answer;
  const struct raw_call call = {
      .method = COMPUTE, .bytes = request.data, .n_bytes = request.n, .timeout_ms = 1500};
  raw_call(server.address, &call, &answer);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  ck_assert_double_lt(answer.seconds, 1.6);
  raw_answer_finish(&answer);
  bytes_finish(&request);
  ck_assert(wait_until_idle(&server, 2));
  test_server_stop(&server);
}
END_TEST

static bool wait_for_open(const struct test_server *server, uint32_t n) {
  double end = seconds_now() + 5;
  while (berthd_core_n_open(server->core) != n) {
    if (seconds_now() > end) {
      return false;
    }
    usleep(1000);
  }
  return true;
}

/* Without workers a request stays in the queue for as long as somebody waits for it, and no longer. */
START_TEST(test_who_leaves_gives_up_the_place) {
  static const char *const METHODS[] = {COMPUTE, STREAM};
  struct test_server_options options = test_server_options_default();
  struct test_server server;
  options.no_workers = true;
  test_server_start(&server, &options);
  for (uint64_t i = 0; i < 4; i++) {
    struct bytes request = make_request(50, i, 1000000);
    struct raw_answer answer;
    bool by_deadline = i >= 2;
    const struct raw_call call = {
        .method = METHODS[i % 2],
        .bytes = request.data,
        .n_bytes = request.n,
        .timeout_ms = by_deadline ? 300 : 60000,
        .cancel_after_ms = by_deadline ? 0 : 300};
    raw_call(server.address, &call, &answer);
    ck_assert_int_eq(answer.code, by_deadline ? BERTH_DEADLINE_EXCEEDED : BERTH_CANCELLED);
    ck_assert_double_lt(answer.seconds, 5);
    ck_assert_msg(wait_for_open(&server, 0), "it is still there");
    raw_answer_finish(&answer);
    bytes_finish(&request);
  }
  test_server_stop(&server);
}
END_TEST

START_TEST(test_queue_full) {
  struct test_server_options options = test_server_options_default();
  struct test_server server;
  options.core.max_queue = 1;
  options.no_workers = true;
  test_server_start(&server, &options);
  struct bytes first = make_request(50, 1, 1000000);
  struct bytes second = make_request(50, 2, 1000000);
  struct raw_answer answers[2];
  struct crowd_arg crowd = {&server, &first, &answers[0]};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, crowd_call, &crowd), 0);
  ck_assert(wait_for_open(&server, 1));
  const struct raw_call call = {.method = COMPUTE, .bytes = second.data, .n_bytes = second.n};
  raw_call(server.address, &call, &answers[1]);
  ck_assert_int_eq(answers[1].code, BERTH_UNAVAILABLE);
  ck_assert_str_eq(answers[1].reason, "QUEUE_FULL");
  ck_assert_int_ge(answers[1].pushback_ms, 1);
  pthread_join(thread, NULL);
  ck_assert_int_eq(answers[0].code, BERTH_DEADLINE_EXCEEDED);
  for (int i = 0; i < 2; i++) {
    raw_answer_finish(&answers[i]);
  }
  bytes_finish(&first);
  bytes_finish(&second);
  test_server_stop(&server);
}
END_TEST

/* The server ends with calls open: they are cancelled, and nothing is left behind. */
START_TEST(test_end_with_open_calls) {
  struct test_server_options options = test_server_options_default();
  struct test_server server;
  options.no_workers = true;
  test_server_start(&server, &options);
  struct bytes request = make_request(50, 1, 1000000);
  struct raw_answer answer;
  struct crowd_arg crowd = {&server, &request, &answer};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, crowd_call, &crowd), 0);
  ck_assert(wait_for_open(&server, 1));
  double begin = seconds_now();
  test_server_stop(&server);
  ck_assert_double_lt(seconds_now() - begin, 0.9); /* the client would have waited for a second */
  pthread_join(thread, NULL);
  ck_assert_int_ne(answer.code, BERTH_OK);
  raw_answer_finish(&answer);
  bytes_finish(&request);
}
END_TEST

START_TEST(test_stream_has_progress_and_a_result) {
  struct test_server server;
  test_server_start(&server, NULL);
  struct bytes request = long_request(23);
  struct raw_answer answer;
  const struct raw_call call = {
      .method = STREAM, .bytes = request.data, .n_bytes = request.n, .timeout_ms = 1500};
  raw_call(server.address, &call, &answer);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  ck_assert_uint_ge(answer.n_messages, 2);
  ck_assert_uint_eq(answer.last[0], 0x12); /* result */
  raw_answer_finish(&answer);
  bytes_finish(&request);
  test_server_stop(&server);
}
END_TEST

START_TEST(test_health) {
  static const uint8_t PLAN_SERVICE[] = "\x0a\x14"
                                        "berth.v1.PlanService";
  static const uint8_t NOBODY[] = "\x0a\x06"
                                  "nobody";
  struct test_server server;
  struct raw_answer answer;
  test_server_start(&server, NULL);
  for (int serving = 1; serving >= 0; serving--) {
    berthd_rpc_set_serving(server.rpc, serving == 1);
    raw_call(server.address, &(struct raw_call){.method = CHECK}, &answer);
    ck_assert_int_eq(answer.code, BERTH_OK);
    ck_assert_uint_eq(answer.n_last, 2);
    ck_assert_uint_eq(answer.last[1], serving == 1 ? 1 : 2);
    raw_answer_finish(&answer);
    raw_call(
        server.address,
        &(struct raw_call){.method = CHECK, .bytes = PLAN_SERVICE, .n_bytes = sizeof PLAN_SERVICE - 1},
        &answer);
    ck_assert_uint_eq(answer.last[1], serving == 1 ? 1 : 2);
    raw_answer_finish(&answer);
  }
  raw_call(
      server.address, &(struct raw_call){.method = CHECK, .bytes = NOBODY, .n_bytes = sizeof NOBODY - 1},
      &answer);
  ck_assert_int_eq(answer.code, BERTH_NOT_FOUND);
  raw_answer_finish(&answer);
  test_server_stop(&server);
}
END_TEST

static void *watch(void *arg) {
  struct crowd_arg *crowd = arg;
  raw_call(crowd->server->address, &(struct raw_call){.method = WATCH, .timeout_ms = 20000}, crowd->answer);
  return NULL;
}

static void on_drained(void *ctx) {
  *(atomic_bool *)ctx = true;
}

/* Watchers see each change, and a drain ends them at once. */
START_TEST(test_watch_and_drain) {
  struct test_server server;
  struct raw_answer answer;
  struct crowd_arg crowd = {&server, NULL, &answer};
  pthread_t thread;
  atomic_bool drained = false;
  test_server_start(&server, NULL);
  ck_assert_int_eq(pthread_create(&thread, NULL, watch, &crowd), 0);
  double end = seconds_now() + 5;
  while (berthd_metrics_get(server.metrics, BERTHD_METRIC_CALL_STARTED, BERTHD_METHOD_HEALTH_WATCH, 0) < 1 &&
         seconds_now() < end) {
    usleep(1000);
  }
  usleep(50000);
  berthd_rpc_set_serving(server.rpc, false);
  usleep(50000);
  berthd_rpc_set_serving(server.rpc, true);
  usleep(50000);
  berthd_rpc_drain(server.rpc, &drained, on_drained);
  pthread_join(thread, NULL);
  ck_assert_int_eq(answer.code, BERTH_UNAVAILABLE);
  ck_assert_str_eq(answer.reason, "DRAINING");
  ck_assert_uint_ge(
      answer.n_messages, 3); /* serving, not, serving; the last not may be overtaken by the end */
  raw_answer_finish(&answer);
  end = seconds_now() + 5;
  while (!drained && seconds_now() < end) {
    usleep(1000);
  }
  ck_assert(drained);
  test_server_stop(&server);
}
END_TEST

/* What runs when the drain begins may end; what comes later is refused. */
START_TEST(test_drain_lets_calls_end) {
  struct test_server server;
  struct raw_answer answer;
  atomic_bool drained = false;
  test_server_start(&server, NULL);
  struct bytes request = long_request(31);
  struct crowd_arg crowd = {&server, &request, &answer};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, crowd_call, &crowd), 0);
  double end = seconds_now() + 5;
  while (berthd_core_n_open(server.core) == 0 && seconds_now() < end) {
    usleep(1000);
  }
  berthd_rpc_drain(server.rpc, &drained, on_drained);
  pthread_join(thread, NULL);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  raw_answer_finish(&answer);
  bytes_finish(&request);
  end = seconds_now() + 5;
  while (!drained && seconds_now() < end) {
    usleep(1000);
  }
  ck_assert(drained);
  struct raw_answer late;
  raw_call(server.address, &(struct raw_call){.method = CHECK, .timeout_ms = 2000}, &late);
  ck_assert_int_ne(late.code, BERTH_OK);
  raw_answer_finish(&late);
  test_server_stop(&server);
}
END_TEST

/* One server, four clients, and more calls than are posted. */
enum { MANY_THREADS = 4, MANY_CALLS = 300 };

static void *call_many(void *arg) {
  const struct crowd_arg *crowd = arg;
  struct raw_client *client = raw_client_create(crowd->server->address);
  for (int i = 0; i < MANY_CALLS; i++) {
    static const char *const METHODS[] = {COMPUTE, STREAM, CHECK};
    struct raw_answer answer;
    bool plan = i % 3 < 2;
    const struct raw_call call = {
        .method = METHODS[i % 3],
        .bytes = crowd->request->data,
        .n_bytes = plan ? crowd->request->n : 0,
        .timeout_ms = 60000};
    raw_client_call(client, &call, &answer);
    ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
    raw_answer_finish(&answer);
  }
  raw_client_destroy(client);
  return NULL;
}

START_TEST(test_many_calls) {
  for (uint32_t n_threads = 1; n_threads <= 2; n_threads++) {
    struct test_server_options options = test_server_options_default();
    struct test_server server;
    options.rpc.n_threads = n_threads;
    test_server_start(&server, &options);
    struct bytes requests[MANY_THREADS];
    struct crowd_arg crowd[MANY_THREADS];
    pthread_t threads[MANY_THREADS];
    for (uint64_t i = 0; i < MANY_THREADS; i++) {
      requests[i] = make_request(50, i / 2, 100000);
      crowd[i] = (struct crowd_arg){&server, &requests[i], NULL};
      ck_assert_int_eq(pthread_create(&threads[i], NULL, call_many, &crowd[i]), 0);
    }
    for (int i = 0; i < MANY_THREADS; i++) {
      pthread_join(threads[i], NULL);
      bytes_finish(&requests[i]);
    }
    ck_assert(
        berthd_metrics_get(server.metrics, BERTHD_METRIC_CALL_STARTED, BERTHD_METHOD_COMPUTE_PLAN, 0) ==
        MANY_THREADS * MANY_CALLS / 3);
    test_server_stop(&server);
  }
}
END_TEST

/* A plan of 62185 buffers, by unary call and by stream. */
START_TEST(test_62185_buffers) {
  static const char *const METHODS[] = {COMPUTE, STREAM};
  struct test_server server;
  test_server_start(&server, NULL);
  struct bytes request = make_request(62185, 1, 1000000);
  for (int i = 0; i < 2; i++) {
    struct raw_answer answer;
    const struct raw_call call = {
        .method = METHODS[i], .bytes = request.data, .n_bytes = request.n, .timeout_ms = 120000};
    raw_call(server.address, &call, &answer);
    ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
    ck_assert_uint_gt(answer.n_last, 62185 * 12);
    raw_answer_finish(&answer);
  }
  bytes_finish(&request);
  test_server_stop(&server);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/rpc/clients",
      (const TTest *const[]){
          test_client_that_leaves, test_who_leaves_gives_up_the_place, test_deadline, test_queue_full,
          test_end_with_open_calls, test_stream_has_progress_and_a_result, test_health, test_watch_and_drain,
          test_drain_lets_calls_end, test_many_calls, test_62185_buffers, NULL});
}
