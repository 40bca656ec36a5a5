/* A whole server in this process, on a private unix socket: loop, RPC, core and workers as main.c wires them.
 */
#ifndef TESTS_SERVER_H
#define TESTS_SERVER_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "loop/loop.h"
#include "metrics/metrics.h"
#include "rpc/rpc.h"
#include "work/work.h"

/* As ck_assert, also outside of a test: the benchmark uses this too. */
#define MUST(condition)                                                                                      \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

struct test_server_options {
  struct berthd_rpc_config rpc;
  struct berthd_core_config core;
  uint32_t max_connections;
  int64_t handshake_ns;
  bool no_workers; /* what is queued stays there: nothing depends on how long a search takes */
};

struct test_server {
  struct berthd_metrics *metrics;
  struct berthd_work *work;
  struct berthd_core *core;
  struct berthd_rpc *rpc;
  struct berthd_loop *loop;
  pthread_t thread;
  char folder[64];
  char path[96];     /* of the socket */
  char address[112]; /* for gRPC */
  uint16_t port;     /* the same on the loopback */
};

struct test_server_options test_server_options_default(void);
/* `options` NULL: the defaults. */
void test_server_start(struct test_server *server, const struct test_server_options *options);
void test_server_stop(struct test_server *server);

/* ---- A client that sends what no good client would ---- */

struct raw_call {
  const char *method;
  const void *bytes;
  size_t n_bytes;
  bool gzip;               /* the bytes are a gzip stream, and say so */
  int64_t timeout_ms;      /* 0: ten seconds */
  int64_t cancel_after_ms; /* 0: never */
  unsigned n_messages;     /* 0: one */
};

struct raw_answer {
  int code;
  char text[512];
  char reason[64];     /* of ErrorInfo */
  char field[64];      /* of BadRequest */
  int64_t pushback_ms; /* -1: none */
  unsigned n_messages;
  uint8_t *last; /* message; freed by raw_answer_finish */
  size_t n_last;
  double seconds;
};

struct raw_client;
struct raw_client *raw_client_create(const char *address);
void raw_client_destroy(struct raw_client *client);
void raw_client_call(struct raw_client *client, const struct raw_call *call, struct raw_answer *out);
void raw_answer_finish(struct raw_answer *answer);

/* Connects, calls once, disconnects. */
void raw_call(const char *address, const struct raw_call *call, struct raw_answer *out);

/* ---- Requests ---- */

struct bytes {
  uint8_t *data;
  size_t n;
};
/* A ComputePlanRequest of `n` buffers that differ with `seed`. */
struct bytes make_request(uint32_t n, uint64_t seed, uint64_t budget_ticks);
void bytes_finish(struct bytes *bytes);

double seconds_now(void);
/* Resident memory of this process, in bytes. */
uint64_t resident_bytes(void);

#endif
