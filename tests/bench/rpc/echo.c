/* The floor: one thread, one NEXT queue, 256 requests posted, one batch a call. */
#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"

enum { POSTED = 256 };

struct echo {
  grpc_server *server;
  grpc_completion_queue *queue;
  void *method;
  grpc_slice reply;
};

struct echo_call {
  bool running;
  grpc_call *call;
  gpr_timespec deadline;
  grpc_metadata_array metadata;
  grpc_byte_buffer *payload;
  grpc_byte_buffer *answer;
  int cancelled;
};

static void post(struct echo *echo) {
  struct echo_call *call = calloc(1, sizeof *call);
  grpc_metadata_array_init(&call->metadata);
  grpc_server_request_registered_call(
      echo->server, echo->method, &call->call, &call->deadline, &call->metadata, &call->payload, echo->queue,
      echo->queue, call);
}

static void answer(struct echo *echo, struct echo_call *call) {
  call->running = true;
  call->answer = grpc_raw_byte_buffer_create(&echo->reply, 1);
  grpc_op ops[4] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = call->answer},
      {.op = GRPC_OP_SEND_STATUS_FROM_SERVER},
      {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->cancelled},
  };
  grpc_call_start_batch(call->call, ops, 4, call, NULL);
}

static void finish(struct echo_call *call) {
  grpc_call_unref(call->call);
  grpc_metadata_array_destroy(&call->metadata);
  grpc_byte_buffer_destroy(call->payload);
  grpc_byte_buffer_destroy(call->answer);
  free(call);
}

static int listen_on(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 64) != 0) {
    _exit(1);
  }
  return fd;
}

static grpc_arg int_arg(const char *name, int value) {
  return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)name, .value.integer = value};
}

static void create(struct echo *echo) {
  grpc_arg args[] = {
      int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1),
      int_arg(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 4000000), int_arg(GRPC_ARG_HTTP2_BDP_PROBE, 0)};
  const grpc_channel_args list = {.num_args = sizeof args / sizeof args[0], .args = args};
  grpc_init();
  echo->server = grpc_server_create(&list, NULL);
  echo->queue = grpc_completion_queue_create_for_next(NULL);
  grpc_server_register_completion_queue(echo->server, echo->queue, NULL);
  echo->method = grpc_server_register_method(
      echo->server, BENCH_METHOD, NULL, GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
  grpc_server_start(echo->server);
}

/* gRPC's own listener, so that nothing else runs in this process. */
void echo_serve(const char *path, const uint8_t *reply, size_t n_reply) {
  struct echo echo;
  grpc_server_credentials *credentials;
  create(&echo);
  echo.reply = grpc_slice_from_static_buffer(reply, n_reply);
  credentials = grpc_insecure_server_credentials_create();
  for (int i = 0; i < POSTED; i++) {
    post(&echo);
  }
  int listener = listen_on(path);
  for (;;) {
    if (listener >= 0) { /* the clients connect first, all of them, and then the calls come */
      for (int i = 0; i < 4; i++) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        grpc_server_add_channel_from_fd(echo.server, fd, credentials);
      }
      close(listener);
      listener = -1;
    }
    grpc_event event = grpc_completion_queue_next(echo.queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    struct echo_call *call = event.tag;
    if (event.type != GRPC_OP_COMPLETE) {
      continue;
    }
    if (call->running) {
      finish(call);
    } else if (event.success) {
      post(&echo);
      answer(&echo, call);
    }
  }
}
