#include "http/http.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "suite.h"

static struct berthd_metrics *metrics;
static struct berthd_http *http;
static bool healthy, ready;

static bool is_healthy(void *ctx) {
  (void)ctx;
  return healthy;
}

static bool is_ready(void *ctx) {
  (void)ctx;
  return ready;
}

static void before_metrics(void *ctx) {
  (void)ctx;
  berthd_metrics_set(metrics, BERTHD_METRIC_LOG_DROPPED, 0, 0, 5);
}

static void begin(void) {
  metrics = berthd_metrics_create();
  healthy = true;
  ready = true;
  const struct berthd_http_config config = {
      .address = "127.0.0.1:0",
      .max_connections = 4,
      .metrics = metrics,
      .is_healthy = is_healthy,
      .is_ready = is_ready,
      .before_metrics = before_metrics};
  ck_assert_int_eq(berthd_http_start(&config, &http, NULL), BERTH_OK);
}

static void end(void) {
  berthd_http_stop(http);
  berthd_metrics_destroy(metrics);
}

static int dial(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  const struct timeval patience = {.tv_sec = 10};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(berthd_http_port(http)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
  return fd;
}

static char reply[1 << 20];

static const char *ask(const char *request) {
  int fd = dial();
  ck_assert_int_eq(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
  size_t n = 0;
  ssize_t got;
  while ((got = recv(fd, reply + n, sizeof reply - 1 - n, 0)) > 0) {
    n += (size_t)got;
  }
  reply[n] = '\0';
  close(fd);
  return reply;
}

#define GET(path) ask("GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

static void expect(const char *got, const char *status, const char *part) {
  ck_assert_msg(strncmp(got, "HTTP/1.", 7) == 0 && strncmp(got + 9, status, 3) == 0, "%.200s", got);
  ck_assert_msg(strstr(got, part) != NULL, "no %s in %.400s", part, got);
}

START_TEST(pages) {
  begin();
  expect(GET("/"), "200", "<h1>berthd</h1>");
  expect(GET("/metrics"), "200", "\nberth_log_dropped_total 5\n");
  expect(GET("/metrics?x=1"), "200", "text/plain; version=0.0.4; charset=utf-8");
  expect(GET("/healthz"), "200", "\r\n\r\nok\n");
  expect(GET("/readyz"), "200", "\r\n\r\nready\n");
  healthy = false;
  ready = false;
  expect(GET("/healthz"), "503", "hangs");
  expect(GET("/readyz"), "503", "not ready");
  expect(GET("/nothing"), "404", "/metrics");
  expect(GET("/../etc/passwd"), "404", "/metrics");
  end();
}
END_TEST

START_TEST(headers_are_those_of_a_careful_server) {
  begin();
  static const char *const HEADERS[] = {
      "Cache-Control: no-store\r\n", "X-Content-Type-Options: nosniff\r\n", "X-Frame-Options: DENY\r\n",
      "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer\r\n"};
  for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
    expect(GET("/healthz"), "200", HEADERS[i]);
    expect(GET("/nothing"), "404", HEADERS[i]);
  }
  end();
}
END_TEST

START_TEST(methods) {
  begin();
  const char *head = ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(head, "200", "Content-Length: ");
  ck_assert_ptr_null(strstr(head, "# HELP"));
  expect(
      ask("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"), "405",
      "Allow: GET, HEAD\r\n");
  expect(ask("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"), "405", "Connection: close\r\n");
  expect(ask("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), "405", "Allow");
  end();
}
END_TEST

START_TEST(rubbish_does_no_harm) {
  begin();
  ask("\r\n\r\n\x01\x02\r\n\r\nGET");
  char big[20000];
  memset(big, 'a', sizeof big - 1);
  big[sizeof big - 1] = '\0';
  memcpy(big, "GET /", 5);
  int fd = dial();
  (void)!send(fd, big, sizeof big - 1, MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  (void)!recv(fd, reply, sizeof reply, 0);
  close(fd);
  expect(GET("/healthz"), "200", "ok");
  end();
}
END_TEST

START_TEST(silent_connections_do_not_shut_others_out_for_long) {
  begin();
  int fds[3];
  for (int i = 0; i < 3; i++) { /* the limit is 4 */
    fds[i] = dial();
  }
  expect(GET("/healthz"), "200", "ok");
  for (int i = 0; i < 3; i++) {
    close(fds[i]);
  }
  end();
}
END_TEST

START_TEST(a_taken_port_is_an_error_that_names_it) {
  begin();
  char address[32];
  snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)berthd_http_port(http));
  struct berth_error err;
  const struct berthd_http_config config = {
      .address = address, .max_connections = 4, .is_healthy = is_healthy, .is_ready = is_ready};
  struct berthd_http *second;
  ck_assert_int_eq(berthd_http_start(&config, &second, &err), BERTH_UNAVAILABLE);
  ck_assert_ptr_null(second);
  ck_assert_ptr_nonnull(strstr(err.message, address));
  end();
}
END_TEST

int main(void) {
  return berth_suite_run(
      "http/http",
      (const TTest *const[]){
          pages, headers_are_those_of_a_careful_server, methods, rubbish_does_no_harm,
          silent_connections_do_not_shut_others_out_for_long, a_taken_port_is_an_error_that_names_it, NULL});
}
