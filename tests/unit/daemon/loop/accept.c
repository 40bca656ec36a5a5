/* Accepting: without descriptors, beyond the limit, and from sockets that were handed over. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/internal.h"
#include "suite.h"

enum { MOST = 8 };

static struct berthd_loop *loop;
static pthread_t thread;
static uint16_t port;
static uint16_t tls_port;
static atomic_int n_handed;
static atomic_int n_tls;
static int handed[64];

static void keep(void *ctx, int fd, bool is_tls) {
  (void)ctx;
  n_tls += is_tls;
  handed[n_handed] = fd; /* before it is counted */
  n_handed++;
}

static void *run(void *arg) {
  (void)arg;
  berthd_loop_run(loop);
  return NULL;
}

static void start(int64_t handshake_ns) {
  const struct berthd_loop_config config = {
      .max_connections = MOST, .handshake_ns = handshake_ns, .on_connection = keep};
  struct berth_error err;
  n_handed = n_tls = 0;
  berthd_loop_block_signals();
  ck_assert_int_eq(berthd_loop_create(&config, &loop, &err), BERTH_OK);
  ck_assert_int_eq(berthd_loop_listen_tcp(loop, "127.0.0.1:0", false, &port, &err), BERTH_OK);
  ck_assert_int_eq(berthd_loop_listen_tls(loop, "127.0.0.1:0", &tls_port, &err), BERTH_OK);
  ck_assert_uint_ne(port, 0);
  ck_assert_uint_ne(tls_port, 0);
  ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
}

static void stop(void) {
  berthd_loop_stop(loop);
  pthread_join(thread, NULL);
  berthd_loop_destroy(loop);
  for (int i = 0; i < n_handed; i++) {
    close(handed[i]);
  }
}

static int dial_port(uint16_t to) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(to), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
  return fd;
}

static int dial(void) {
  return dial_port(port);
}

static void say(int fd) {
  ck_assert_int_eq(send(fd, "P", 1, MSG_NOSIGNAL), 1);
}

/* Whether the other side closes within the time. */
static bool is_closed_within(int fd, int ms) {
  struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
  char byte;
  return poll(&poll_fd, 1, ms) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

static bool wait_for_handed(int n) {
  for (int i = 0; i < 5000 && n_handed < n; i++) {
    usleep(1000);
  }
  return n_handed == n;
}

START_TEST(test_handed_out_ready) {
  start(INT64_C(5000000000));
  int fd = dial();
  usleep(20000);
  ck_assert_int_eq(n_handed, 0); /* not before it speaks */
  say(fd);
  ck_assert(wait_for_handed(1));
  ck_assert(fcntl(handed[0], F_GETFL) & O_NONBLOCK);
  ck_assert(fcntl(handed[0], F_GETFD) & FD_CLOEXEC);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  ck_assert_int_eq(getsockopt(handed[0], IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  ck_assert_int_ne(no_delay, 0);
  char first;
  ck_assert_int_eq(recv(handed[0], &first, 1, 0), 1); /* the byte is still there */
  ck_assert_int_eq(first, 'P');
  close(fd);
  stop();
}
END_TEST

START_TEST(test_one_limit_for_all_listeners) {
  start(INT64_C(5000000000));
  int fds[MOST];
  for (int i = 0; i < MOST; i++) {
    fds[i] = dial_port(i < 3 ? tls_port : port);
    say(fds[i]);
  }
  ck_assert(wait_for_handed(MOST));
  ck_assert_int_eq(n_tls, 3);
  for (int tls = 0; tls < 2; tls++) {
    int more = dial_port(tls != 0 ? tls_port : port);
    ck_assert(is_closed_within(more, 3000));
    close(more);
  }
  for (int i = 0; i < MOST; i++) {
    close(fds[i]);
  }
  stop();
}
END_TEST

START_TEST(test_silent_connections_are_closed) {
  start(INT64_C(300000000));
  int silent[3];
  for (int i = 0; i < 3; i++) {
    silent[i] = dial();
  }
  int speaks = dial();
  say(speaks);
  ck_assert(wait_for_handed(1));
  for (int i = 0; i < 3; i++) {
    ck_assert(is_closed_within(silent[i], 3000));
    close(silent[i]);
  }
  ck_assert(!is_closed_within(speaks, 300));
  close(speaks);
  stop();
}
END_TEST

START_TEST(test_leaving_without_a_word) {
  start(INT64_C(5000000000));
  for (int i = 0; i < 100; i++) {
    close(dial());
  }
  usleep(200000);
  int fd = dial();
  say(fd);
  ck_assert(wait_for_handed(1));
  close(fd);
  stop();
}
END_TEST

static void close_first(void *ctx) {
  (void)ctx;
  close(handed[0]);
  handed[0] = -1;
}

START_TEST(test_too_many) {
  start(INT64_C(5000000000));
  int fds[MOST];
  for (int i = 0; i < MOST; i++) {
    fds[i] = dial();
    say(fds[i]);
  }
  ck_assert(wait_for_handed(MOST));
  int more = dial();
  ck_assert(is_closed_within(more, 3000)); /* told at once */
  close(more);
  ck_assert(berthd_loop_post(loop, NULL, close_first)); /* one ends */
  bool accepted = false;
  for (int i = 0; i < 50 && !accepted; i++) {
    int fd = dial();
    send(fd, "P", 1, MSG_NOSIGNAL);
    accepted = !is_closed_within(fd, 50);
    close(fd);
  }
  ck_assert_msg(accepted, "the place that became free is not given again");
  for (int i = 0; i < MOST; i++) {
    close(fds[i]);
  }
  stop();
}
END_TEST

/* EMFILE: gRPC's own listener never comes back from it. */
START_TEST(test_without_descriptors) {
  start(INT64_C(5000000000));
  struct rlimit before;
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
  int waiting[6];
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < 6; i++) {
    waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(waiting[i], 0);
  }
  const struct rlimit tight = {.rlim_cur = 100, .rlim_max = before.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
  int fillers[100];
  int n_fillers = 0;
  while ((fillers[n_fillers] = dup(0)) >= 0) {
    n_fillers++;
  }
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(connect(waiting[i], (struct sockaddr *)&address, sizeof address), 0);
    send(waiting[i], "P", 1, MSG_NOSIGNAL);
  }
  int n_closed = 0;
  for (int i = 0; i < 3; i++) {
    n_closed += is_closed_within(waiting[i], 3000);
  }
  ck_assert_int_eq(n_closed, 3); /* each was told */
  ck_assert_int_eq(n_handed, 0);
  for (int i = 0; i < n_fillers; i++) {
    close(fillers[i]);
  }
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
  for (int i = 3; i < 6; i++) {
    ck_assert_int_eq(connect(waiting[i], (struct sockaddr *)&address, sizeof address), 0);
    say(waiting[i]);
  }
  ck_assert_msg(wait_for_handed(3), "accepting did not go on");
  for (int i = 0; i < 6; i++) {
    close(waiting[i]);
  }
  stop();
}
END_TEST

START_TEST(test_beyond_the_loopback) {
  struct berth_error err;
  uint16_t bound;
  start(INT64_C(5000000000));
  struct berthd_loop *other;
  const struct berthd_loop_config config = {.max_connections = 1, .handshake_ns = 1, .on_connection = keep};
  ck_assert_int_eq(berthd_loop_create(&config, &other, &err), BERTH_OK);
  ck_assert_int_eq(berthd_loop_listen_tcp(other, "0.0.0.0:0", false, &bound, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "insecure"));
  ck_assert_int_eq(berthd_loop_listen_tcp(other, "0.0.0.0:0", true, &bound, &err), BERTH_OK);
  char taken[32];
  snprintf(taken, sizeof taken, "127.0.0.1:%u", port);
  ck_assert_int_eq(berthd_loop_listen_tcp(other, taken, false, &bound, &err), BERTH_FAILED_PRECONDITION);
  ck_assert_str_eq(err.field, "listen.tcp");
  ck_assert_int_eq(berthd_loop_listen_tls(other, "0.0.0.0:0", &bound, &err), BERTH_OK);
  ck_assert_int_eq(berthd_loop_listen_tls(other, taken, &bound, &err), BERTH_FAILED_PRECONDITION);
  ck_assert_str_eq(err.field, "listen.tls");
  berthd_loop_destroy(other);
  stop();
}
END_TEST

START_TEST(test_sockets_handed_over) {
  struct berth_error err;
  start(INT64_C(5000000000));
  struct berthd_loop *other;
  const struct berthd_loop_config config = {.max_connections = 1, .handshake_ns = 1, .on_connection = keep};
  ck_assert_int_eq(berthd_loop_create(&config, &other, &err), BERTH_OK);
  int pipes[2];
  ck_assert_int_eq(pipe(pipes), 0);
  ck_assert_int_eq(berthd_loop_listen_fd(other, pipes[0], &err), BERTH_FAILED_PRECONDITION);
  int unbound = socket(AF_INET, SOCK_STREAM, 0);
  ck_assert_int_eq(berthd_loop_listen_fd(other, unbound, &err), BERTH_INVALID_ARGUMENT);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  ck_assert_int_eq(bind(unbound, (struct sockaddr *)&address, sizeof address), 0);
  ck_assert_int_eq(listen(unbound, 5), 0);
  ck_assert_int_eq(berthd_loop_listen_fd(other, unbound, &err), BERTH_OK);
  ck_assert(fcntl(unbound, F_GETFD) & FD_CLOEXEC);
  berthd_loop_destroy(other); /* closes it */
  ck_assert_int_eq(fcntl(unbound, F_GETFD), -1);
  close(pipes[0]);
  close(pipes[1]);
  stop();
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/loop/accept",
      (const TTest *const[]){
          test_handed_out_ready, test_silent_connections_are_closed, test_leaving_without_a_word,
          test_too_many, test_one_limit_for_all_listeners, test_without_descriptors, test_beyond_the_loopback,
          test_sockets_handed_over, NULL});
}
