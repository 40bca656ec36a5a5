/* A closed loop of unary calls on several channels, one thread. */
#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "server.h"

enum { MOST_LATENCIES = 1 << 22 };

struct load_call {
  grpc_call *call;
  grpc_byte_buffer *request;
  grpc_byte_buffer *answer;
  grpc_metadata_array initial;
  grpc_metadata_array trailers;
  grpc_status_code status;
  grpc_slice text;
  double begin;
  unsigned channel;
};

struct runner {
  const struct load *load;
  grpc_completion_queue *queue;
  grpc_channel **channels;
  void **methods;
  grpc_slice *slices;
  uint64_t n_started;
};

static void start(struct runner *runner, struct load_call *call) {
  call->call = grpc_channel_create_registered_call(
      runner->channels[call->channel], NULL, GRPC_PROPAGATE_DEFAULTS, runner->queue,
      runner->methods[call->channel], gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  grpc_metadata_array_init(&call->initial);
  grpc_metadata_array_init(&call->trailers);
  call->text = grpc_empty_slice();
  call->answer = NULL;
  call->request =
      grpc_raw_byte_buffer_create(&runner->slices[runner->n_started++ % runner->load->n_requests], 1);
  grpc_op ops[6] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = call->request},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_INITIAL_METADATA,
       .data.recv_initial_metadata.recv_initial_metadata = &call->initial},
      {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->answer},
      {.op = GRPC_OP_RECV_STATUS_ON_CLIENT},
  };
  ops[5].data.recv_status_on_client.trailing_metadata = &call->trailers;
  ops[5].data.recv_status_on_client.status = &call->status;
  ops[5].data.recv_status_on_client.status_details = &call->text;
  call->begin = seconds_now();
  grpc_call_start_batch(call->call, ops, 6, call, NULL);
}

static void finish(struct load_call *call) {
  grpc_metadata_array_destroy(&call->initial);
  grpc_metadata_array_destroy(&call->trailers);
  grpc_byte_buffer_destroy(call->request);
  grpc_byte_buffer_destroy(call->answer);
  grpc_slice_unref(call->text);
  grpc_call_unref(call->call);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static grpc_arg int_arg(const char *name, int value) {
  return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)name, .value.integer = value};
}

static void open_runner(struct runner *runner) {
  const struct load *load = runner->load;
  grpc_init();
  runner->queue = grpc_completion_queue_create_for_next(NULL);
  runner->channels = calloc(load->n_channels, sizeof(grpc_channel *));
  runner->methods = calloc(load->n_channels, sizeof(void *));
  runner->slices = calloc(load->n_requests, sizeof(grpc_slice));
  grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
  for (unsigned i = 0; i < load->n_channels; i++) {
    grpc_arg args[] = {
        int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1),
        int_arg(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 4000000), int_arg(GRPC_ARG_HTTP2_BDP_PROBE, 0),
        int_arg(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1), int_arg(GRPC_ARG_ENABLE_RETRIES, 0)};
    const grpc_channel_args list = {.num_args = sizeof args / sizeof args[0], .args = args};
    runner->channels[i] = grpc_channel_create(load->address, credentials, &list);
    runner->methods[i] = grpc_channel_register_call(runner->channels[i], BENCH_METHOD, NULL, NULL);
  }
  grpc_channel_credentials_release(credentials);
  for (size_t i = 0; i < load->n_requests; i++) {
    runner->slices[i] = grpc_slice_from_static_buffer(load->requests[i].data, load->requests[i].n);
  }
}

static void close_runner(struct runner *runner) {
  for (unsigned i = 0; i < runner->load->n_channels; i++) {
    grpc_channel_destroy(runner->channels[i]);
  }
  grpc_completion_queue_shutdown(runner->queue);
  while (grpc_completion_queue_next(runner->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
         GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(runner->queue);
  free(runner->channels);
  free(runner->methods);
  free(runner->slices);
  grpc_shutdown();
}

void load_run(const struct load *load, struct load_result *out) {
  struct runner runner = {.load = load};
  double *latencies = malloc(MOST_LATENCIES * sizeof *latencies);
  open_runner(&runner);
  struct load_call *calls = calloc(load->n_in_flight, sizeof *calls);
  *out = (struct load_result){0};
  double warm = seconds_now() + 0.3;
  double begin = 0;
  double end = warm + load->seconds;
  for (unsigned i = 0; i < load->n_in_flight; i++) {
    calls[i].channel = i % load->n_channels;
    start(&runner, &calls[i]);
  }
  unsigned n_open = load->n_in_flight;
  while (n_open > 0) {
    grpc_event event = grpc_completion_queue_next(runner.queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    struct load_call *call = event.tag;
    double now = seconds_now();
    begin = begin == 0 && now >= warm ? now : begin;
    if (begin > 0 && now <= end) {
      out->n_failed += call->status != GRPC_STATUS_OK;
      if (out->n_calls < MOST_LATENCIES) {
        latencies[out->n_calls] = now - call->begin;
      }
      out->n_calls++;
    }
    finish(call);
    if (now < end) {
      start(&runner, call);
    } else {
      n_open--;
    }
  }
  size_t n = out->n_calls < MOST_LATENCIES ? out->n_calls : MOST_LATENCIES;
  qsort(latencies, n, sizeof *latencies, by_value);
  out->calls_per_second = (double)out->n_calls / (end - begin);
  out->p50_us = n > 0 ? latencies[n / 2] * 1e6 : 0;
  out->p99_us = n > 0 ? latencies[n * 99 / 100] * 1e6 : 0;
  close_runner(&runner);
  free(calls);
  free(latencies);
}
