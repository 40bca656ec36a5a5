/* Sockets that are handed to gRPC core for TLS: who comes through is tested end to end; here, that none is
 * left open or used when it may not be. */
#include "rpc/acceptor.h"

#include <fcntl.h>
#include <grpc/grpc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "suite.h"

struct served {
  struct acceptor acceptor;
  grpc_completion_queue *queue;
  grpc_server *server;
};

static void create(struct served *served) {
  grpc_init();
  acceptor_init(&served->acceptor);
  grpc_arg args[] = {acceptor_arg(&served->acceptor)};
  const grpc_channel_args list = {.num_args = 1, .args = args};
  served->server = grpc_server_create(&list, NULL);
  served->queue = grpc_completion_queue_create_for_next(NULL);
  grpc_server_register_completion_queue(served->server, served->queue, NULL);
}

static void turn(struct served *served) {
  grpc_completion_queue_next(served->queue, gpr_time_from_millis(10, GPR_TIMESPAN), NULL);
}

static void destroy(struct served *served) {
  acceptor_close(&served->acceptor);
  grpc_server_shutdown_and_notify(served->server, served->queue, NULL);
  ck_assert_int_eq(
      grpc_completion_queue_next(served->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type,
      GRPC_OP_COMPLETE);
  grpc_server_destroy(served->server);
  grpc_completion_queue_shutdown(served->queue);
  while (grpc_completion_queue_next(served->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
         GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(served->queue);
  acceptor_finish(&served->acceptor);
  grpc_shutdown_blocking();
}

/* A pair whose first end is the acceptor's; the second is returned. */
static int offer(struct served *served) {
  int ends[2];
  ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  acceptor_take(&served->acceptor, ends[0]);
  return ends[1];
}

static bool ends_soon(struct served *served, int fd) {
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  char bytes[256];
  for (int i = 0; i < 500; i++) {
    turn(served);
    while (poll(&waiting, 1, 0) == 1) {
      if (recv(fd, bytes, sizeof bytes, 0) <= 0) {
        return true;
      }
    }
  }
  return false;
}

START_TEST(without_credentials_sockets_are_closed) {
  struct served served;
  create(&served);
  ck_assert(!acceptor_open(&served.acceptor, served.server, NULL));
  grpc_server_start(served.server);
  int fd = offer(&served);
  ck_assert(ends_soon(&served, fd));
  close(fd);
  destroy(&served);
}
END_TEST

/* Core asks no more of credentials than that they are there: plain text shows that the socket arrives. */
START_TEST(sockets_arrive_and_go) {
  static const char PREFACE[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
  struct served served;
  create(&served);
  grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
  ck_assert(acceptor_open(&served.acceptor, served.server, credentials));
  grpc_server_credentials_release(credentials);
  grpc_server_start(served.server);
  int speaks = offer(&served);
  ck_assert_int_eq(send(speaks, PREFACE, sizeof PREFACE, MSG_NOSIGNAL), sizeof PREFACE);
  struct pollfd waiting = {.fd = speaks, .events = POLLIN};
  for (int i = 0; i < 500 && poll(&waiting, 1, 0) == 0; i++) {
    turn(&served);
  }
  char header[9];
  ck_assert_int_eq(recv(speaks, header, sizeof header, 0), sizeof header);
  ck_assert_int_eq(header[3], 4); /* settings */
  int babbles = offer(&served);
  ck_assert_int_eq(send(babbles, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
  ck_assert(ends_soon(&served, babbles));
  acceptor_close(&served.acceptor);
  int late = offer(&served);
  ck_assert(ends_soon(&served, late));
  close(late);
  close(babbles);
  close(speaks);
  destroy(&served);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/rpc/acceptor",
      (const TTest *const[]){without_credentials_sockets_are_closed, sockets_arrive_and_go, NULL});
}
