/* Connections with gRPC behind them: silent, half open, garbage; and EMFILE with a client that comes back. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "suite.h"

#define CHECK "/grpc.health.v1.Health/Check"
#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

static int dial(const struct test_server *server) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
  return fd;
}

/* Reads away what comes; whether the other side closes within the time. */
static bool is_closed_within(int fd, double seconds) {
  double end = seconds_now() + seconds;
  while (seconds_now() < end) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char bytes[4096];
    if (poll(&poll_fd, 1, 20) == 1 && recv(fd, bytes, sizeof bytes, 0) <= 0) {
      return true;
    }
  }
  return false;
}

static void expect_serving(const struct test_server *server) {
  struct raw_answer answer;
  raw_call(server->address, &(struct raw_call){.method = CHECK}, &answer);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  raw_answer_finish(&answer);
}

START_TEST(test_silence) {
  struct test_server_options options = test_server_options_default();
  struct test_server server;
  options.handshake_ns = INT64_C(300000000);
  options.rpc.idle_ns = INT64_C(1000000000);
  test_server_start(&server, &options);
  int nothing = dial(&server);
  int one_byte = dial(&server);
  int preface = dial(&server);
  ck_assert_int_eq(send(one_byte, "P", 1, 0), 1);
  ck_assert_int_eq(send(preface, PREFACE, sizeof PREFACE - 1, 0), (ssize_t)sizeof PREFACE - 1);
  ck_assert(is_closed_within(nothing, 3));
  ck_assert_msg(is_closed_within(preface, 5), "it said hello and nothing more");
  ck_assert_msg(is_closed_within(one_byte, 5), "it stopped within its first word");
  close(nothing);
  close(one_byte);
  close(preface);
  expect_serving(&server);
  test_server_stop(&server);
}
END_TEST

START_TEST(test_garbage) {
  struct test_server server;
  test_server_start(&server, NULL);
  static const char HTTP1[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  static const char TLS[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
  int web = dial(&server);
  int tls = dial(&server);
  ck_assert_int_eq(send(web, HTTP1, sizeof HTTP1 - 1, 0), (ssize_t)sizeof HTTP1 - 1);
  ck_assert_int_eq(send(tls, TLS, sizeof TLS - 1, 0), (ssize_t)sizeof TLS - 1);
  ck_assert(is_closed_within(web, 5));
  ck_assert(is_closed_within(tls, 5));
  close(web);
  close(tls);
  expect_serving(&server);
  test_server_stop(&server);
}
END_TEST

START_TEST(test_connections_are_counted) {
  struct test_server server;
  test_server_start(&server, NULL);
  struct raw_client *client = raw_client_create(server.address);
  struct raw_answer answer;
  raw_client_call(client, &(struct raw_call){.method = CHECK}, &answer);
  ck_assert_int_eq(answer.code, BERTH_OK);
  raw_answer_finish(&answer);
  usleep(400000); /* one sweep */
  ck_assert(berthd_metrics_get(server.metrics, BERTHD_METRIC_CONNECTIONS, 0, 0) == 1);
  raw_client_destroy(client);
  double end = seconds_now() + 5;
  while (berthd_metrics_get(server.metrics, BERTHD_METRIC_CONNECTIONS, 0, 0) > 0 && seconds_now() < end) {
    usleep(10000);
  }
  ck_assert(berthd_metrics_get(server.metrics, BERTHD_METRIC_CONNECTIONS, 0, 0) == 0);
  test_server_stop(&server);
}
END_TEST

/* On the loop's thread, which opens and closes descriptors too. */
static int fillers[256];
static atomic_int n_fillers;
static atomic_bool is_full;

static void fill(void *ctx) {
  (void)ctx;
  while ((fillers[n_fillers] = dup(0)) >= 0) {
    n_fillers++;
  }
  is_full = true;
}

static void empty(void *ctx) {
  (void)ctx;
  for (int i = 0; i < n_fillers; i++) {
    close(fillers[i]);
  }
  is_full = false;
}

/* No descriptors for a while: clients are refused, and served as soon as there are some again. */
START_TEST(test_emfile) {
  struct test_server server;
  struct raw_answer answer;
  struct rlimit before;
  test_server_start(&server, NULL);
  expect_serving(&server);
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
  int fds[4];
  for (int i = 0; i < 4; i++) {
    fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }
  const struct rlimit tight = {.rlim_cur = 200, .rlim_max = before.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
  usleep(300000); /* the connection from before is gone */
  ck_assert(berthd_loop_post(server.loop, NULL, fill));
  while (!is_full) {
    usleep(1000);
  }
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(server.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(connect(fds[i], (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_msg(is_closed_within(fds[i], 3), "connection %d hangs", i);
  }
  ck_assert(berthd_loop_post(server.loop, NULL, empty));
  while (is_full) {
    usleep(1000);
  }
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
  for (int i = 0; i < 4; i++) {
    close(fds[i]);
  }
  raw_call(server.address, &(struct raw_call){.method = CHECK, .timeout_ms = 5000}, &answer);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  raw_answer_finish(&answer);
  test_server_stop(&server);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/loop/connections",
      (const TTest *const[]){test_silence, test_garbage, test_connections_are_counted, test_emfile, NULL});
}
