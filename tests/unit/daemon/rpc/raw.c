/* A client on bare gRPC core. */
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <stdlib.h>
#include <string.h>

#include "google/rpc/error_details.pb-c.h"
#include "google/rpc/status.pb-c.h"
#include "server.h"

struct raw_client {
  grpc_channel *channel;
  grpc_completion_queue *queue;
};

struct raw_client *raw_client_create(const char *address) {
  struct raw_client *client = calloc(1, sizeof *client);
  grpc_arg args[] = {
      {.type = GRPC_ARG_INTEGER,
       .key = (char *)(uintptr_t)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH,
       .value.integer = -1},
      {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_ENABLE_RETRIES, .value.integer = 0},
      {.type = GRPC_ARG_INTEGER,
       .key = (char *)(uintptr_t)GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL,
       .value.integer = 1},
      {.type = GRPC_ARG_INTEGER,
       .key = (char *)(uintptr_t)GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
       .value.integer = 100},
      {.type = GRPC_ARG_INTEGER,
       .key = (char *)(uintptr_t)GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
       .value.integer = 5000},
      {.type = GRPC_ARG_INTEGER,
       .key = (char *)(uintptr_t)GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
       .value.integer = 100},
  };
  const grpc_channel_args list = {.num_args = sizeof args / sizeof args[0], .args = args};
  grpc_init();
  client->queue = grpc_completion_queue_create_for_next(NULL);
  grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
  client->channel = grpc_channel_create(address, credentials, &list);
  grpc_channel_credentials_release(credentials);
  return client;
}

void raw_client_destroy(struct raw_client *client) {
  grpc_channel_destroy(client->channel);
  grpc_completion_queue_shutdown(client->queue);
  while (grpc_completion_queue_next(client->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
         GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(client->queue);
  grpc_shutdown();
  free(client);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text);
  size_t m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void read_details(grpc_slice bytes, struct raw_answer *out) {
  Google__Rpc__Status *status =
      google__rpc__status__unpack(NULL, GRPC_SLICE_LENGTH(bytes), GRPC_SLICE_START_PTR(bytes));
  MUST(NULL != status);
  MUST(status->code == out->code);
  for (size_t i = 0; i < status->n_details; i++) {
    const Google__Protobuf__Any *any = status->details[i];
    if (ends_with(any->type_url, "/google.rpc.ErrorInfo")) {
      Google__Rpc__ErrorInfo *info = google__rpc__error_info__unpack(NULL, any->value.len, any->value.data);
      MUST(NULL != info);
      MUST(strcmp(info->domain, "berth") == 0);
      strncpy(out->reason, info->reason, sizeof out->reason - 1);
      google__rpc__error_info__free_unpacked(info, NULL);
    } else if (ends_with(any->type_url, "/google.rpc.BadRequest")) {
      Google__Rpc__BadRequest *bad = google__rpc__bad_request__unpack(NULL, any->value.len, any->value.data);
      MUST(NULL != bad);
      MUST(bad->n_field_violations == 1);
      strncpy(out->field, bad->field_violations[0]->field, sizeof out->field - 1);
      google__rpc__bad_request__free_unpacked(bad, NULL);
    }
  }
  google__rpc__status__free_unpacked(status, NULL);
}

static void read_trailers(const grpc_metadata_array *trailers, struct raw_answer *out) {
  for (size_t i = 0; i < trailers->count; i++) {
    const grpc_metadata *trailer = &trailers->metadata[i];
    if (grpc_slice_str_cmp(trailer->key, "grpc-status-details-bin") == 0) {
      read_details(trailer->value, out);
    } else if (grpc_slice_str_cmp(trailer->key, "grpc-retry-pushback-ms") == 0) {
      char *text = grpc_slice_to_c_string(trailer->value);
      out->pushback_ms = atoll(text);
      free(text);
    }
  }
}

enum tag { SENT = 1, RECEIVED, ENDED };

struct exchange {
  grpc_call *call;
  grpc_byte_buffer *message;
  int n_open;
};

static void start(struct exchange *exchange, const grpc_op *ops, size_t n, enum tag tag) {
  MUST(grpc_call_start_batch(exchange->call, ops, n, (void *)(uintptr_t)tag, NULL) == GRPC_CALL_OK);
  exchange->n_open++;
}

static void start_receive(struct exchange *exchange) {
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
  op.data.recv_message.recv_message = &exchange->message;
  start(exchange, &op, 1, RECEIVED);
}

static void take_message(struct exchange *exchange, struct raw_answer *out) {
  grpc_byte_buffer *message = exchange->message;
  exchange->message = NULL;
  if (message == NULL) {
    return;
  }
  grpc_byte_buffer_reader reader;
  MUST(grpc_byte_buffer_reader_init(&reader, message));
  grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);
  free(out->last);
  out->n_last = GRPC_SLICE_LENGTH(bytes);
  out->last = malloc(out->n_last + 1);
  memcpy(out->last, GRPC_SLICE_START_PTR(bytes), out->n_last);
  out->n_messages++;
  grpc_slice_unref(bytes);
  grpc_byte_buffer_reader_destroy(&reader);
  grpc_byte_buffer_destroy(message);
  start_receive(exchange);
}

static gpr_timespec from_now(int64_t ms) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(ms, GPR_TIMESPAN));
}

static void wait_for_end(
    struct raw_client *client, struct exchange *exchange, const struct raw_call *call,
    struct raw_answer *out) {
  double begin = seconds_now();
  bool cancelled = call->cancel_after_ms == 0;
  while (exchange->n_open > 0) {
    if (!cancelled && (seconds_now() - begin) * 1e3 >= (double)call->cancel_after_ms) {
      cancelled = true;
      grpc_call_cancel(exchange->call, NULL);
    }
    grpc_event event = grpc_completion_queue_next(client->queue, from_now(10), NULL);
    if (event.type != GRPC_OP_COMPLETE) {
      continue;
    }
    exchange->n_open--;
    if ((enum tag)(uintptr_t)event.tag == RECEIVED) {
      take_message(exchange, out);
    }
  }
  out->seconds = seconds_now() - begin;
}

void raw_client_call(struct raw_client *client, const struct raw_call *call, struct raw_answer *out) {
  struct exchange exchange = {0};
  grpc_metadata_array initial;
  grpc_metadata_array trailers;
  grpc_status_code status = GRPC_STATUS_UNKNOWN;
  grpc_slice text = grpc_empty_slice();
  memset(out, 0, sizeof *out);
  out->pushback_ms = -1;
  grpc_metadata_array_init(&initial);
  grpc_metadata_array_init(&trailers);
  grpc_slice method = grpc_slice_from_copied_string(call->method);
  exchange.call = grpc_channel_create_call(
      client->channel, NULL, GRPC_PROPAGATE_DEFAULTS, client->queue, method, NULL,
      from_now(call->timeout_ms > 0 ? call->timeout_ms : 10000), NULL);
  grpc_slice_unref(method);
  grpc_slice bytes = grpc_slice_from_copied_buffer(call->bytes, call->n_bytes);
  grpc_byte_buffer *request = call->gzip
                                  ? grpc_raw_compressed_byte_buffer_create(&bytes, 1, GRPC_COMPRESS_GZIP)
                                  : grpc_raw_byte_buffer_create(&bytes, 1);
  grpc_slice_unref(bytes);
  grpc_metadata encoding = {
      .key = grpc_slice_from_static_string("grpc-internal-encoding-request"),
      .value = grpc_slice_from_static_string("gzip")};
  grpc_op send[4] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA,
       .data.send_initial_metadata = {.count = call->gzip, .metadata = &encoding}},
      {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &initial},
  };
  grpc_op end = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};
  end.data.recv_status_on_client.trailing_metadata = &trailers;
  end.data.recv_status_on_client.status = &status;
  end.data.recv_status_on_client.status_details = &text;
  start(&exchange, &end, 1, ENDED);
  start(&exchange, send, 4, SENT);
  start_receive(&exchange);
  wait_for_end(client, &exchange, call, out);
  out->code = (int)status;
  size_t n = GRPC_SLICE_LENGTH(text);
  n = n < sizeof out->text ? n : sizeof out->text - 1;
  memcpy(out->text, GRPC_SLICE_START_PTR(text), n);
  read_trailers(&trailers, out);
  grpc_byte_buffer_destroy(request);
  grpc_byte_buffer_destroy(exchange.message);
  grpc_metadata_array_destroy(&initial);
  grpc_metadata_array_destroy(&trailers);
  grpc_slice_unref(text);
  grpc_call_unref(exchange.call);
}

void raw_answer_finish(struct raw_answer *answer) {
  free(answer->last);
  answer->last = NULL;
}

void raw_call(const char *address, const struct raw_call *call, struct raw_answer *out) {
  struct raw_client *client = raw_client_create(address);
  raw_client_call(client, call, out);
  raw_client_destroy(client);
}
