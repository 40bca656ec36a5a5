/* One call on the wire: three kinds of batches, and a wait that looks up twenty times a second. */
#include <stdlib.h>
#include <string.h>

#include "rpc/internal.h"

#define POLL_MS 40

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct request_sink *sink = ctx;
  uint8_t *bytes = malloc(n_bytes > 0 ? n_bytes : 1);
  if (bytes != NULL) {
    sink->slice = grpc_slice_new_with_user_data(bytes, n_bytes, free, bytes);
  }
  return bytes;
}

void request_sink_init(struct request_sink *sink) {
  sink->base = (struct berth_codec_sink){.ctx = sink, .reserve = reserve};
  sink->slice = grpc_empty_slice();
}

enum tag { SENT = 1, RECEIVED, ENDED };

struct state {
  struct berthctl_rpc *rpc;
  struct exchange *exchange;
  grpc_call *call;
  int n_open; /* batches */
  bool cancelled;
  bool stopped_by_caller;
  enum berth_code local_code; /* of on_message */
  struct berth_error local_error;
  grpc_metadata_array initial;
  grpc_metadata_array trailers;
  grpc_byte_buffer *message;
  grpc_status_code status;
  grpc_slice text;
};

static void cancel(struct state *state) {
  if (!state->cancelled) {
    state->cancelled = true;
    grpc_call_cancel(state->call, NULL);
  }
}

static void start(struct state *state, const grpc_op *ops, size_t n_ops, enum tag tag) {
  if (grpc_call_start_batch(state->call, ops, n_ops, (void *)(uintptr_t)tag, NULL) == GRPC_CALL_OK) {
    state->n_open++;
  } else {
    cancel(state);
  }
}

static void start_receive(struct state *state) {
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
  op.data.recv_message.recv_message = &state->message;
  start(state, &op, 1, RECEIVED);
}

static void start_all(struct state *state, grpc_byte_buffer *request) {
  grpc_op send[4] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_INITIAL_METADATA,
       .data.recv_initial_metadata.recv_initial_metadata = &state->initial},
  };
  grpc_op end = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};
  end.data.recv_status_on_client.trailing_metadata = &state->trailers;
  end.data.recv_status_on_client.status = &state->status;
  end.data.recv_status_on_client.status_details = &state->text;
  start(state, &end, 1, ENDED);
  start(state, send, 4, SENT);
  start_receive(state);
}

static void take_message(struct state *state) {
  grpc_byte_buffer *message = state->message;
  state->message = NULL;
  if (message == NULL) { /* no more */
    return;
  }
  grpc_byte_buffer_reader reader;
  if (state->local_code == BERTH_OK && grpc_byte_buffer_reader_init(&reader, message)) {
    grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);
    state->local_code = state->exchange->on_message(
        state->exchange->ctx, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), &state->local_error);
    grpc_slice_unref(bytes);
    grpc_byte_buffer_reader_destroy(&reader);
  }
  grpc_byte_buffer_destroy(message);
  if (state->local_code != BERTH_OK) {
    cancel(state);
  }
  start_receive(state);
}

static void look_up(struct state *state) {
  const struct berthctl_rpc_call *call = state->exchange->call;
  if (call != NULL && call->should_stop != NULL && !state->cancelled && call->should_stop(call->ctx)) {
    state->stopped_by_caller = true;
    cancel(state);
  }
}

static void wait_for_end(struct state *state) {
  while (state->n_open > 0) {
    look_up(state);
    gpr_timespec until =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(POLL_MS, GPR_TIMESPAN));
    grpc_event event = grpc_completion_queue_next(state->rpc->queue, until, NULL);
    if (event.type != GRPC_OP_COMPLETE) {
      continue;
    }
    state->n_open--;
    if ((enum tag)(uintptr_t)event.tag == RECEIVED) {
      take_message(state);
    }
  }
}

static enum berth_code settle(struct state *state, struct berth_error *err) {
  if (state->stopped_by_caller) {
    return berth_fail(
        err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "the call was cancelled");
  }
  if (state->local_code != BERTH_OK) {
    if (err != NULL) {
      *err = state->local_error;
    }
    return state->local_code;
  }
  return state->status == GRPC_STATUS_OK
             ? BERTH_OK
             : error_from_status(
                   state->rpc, state->status, state->text, &state->trailers, &state->exchange->details, err);
}

static gpr_timespec deadline_of(const struct berthctl_rpc_call *call) {
  if (call == NULL || call->timeout_ns <= 0) {
    return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  }
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(call->timeout_ns, GPR_TIMESPAN));
}

enum berth_code exchange_run(struct berthctl_rpc *rpc, struct exchange *exchange, struct berth_error *err) {
  struct state state = {.rpc = rpc, .exchange = exchange, .text = grpc_empty_slice()};
  grpc_metadata_array_init(&state.initial);
  grpc_metadata_array_init(&state.trailers);
  exchange->details = (struct status_details){.plan = grpc_empty_slice()};
  state.call = grpc_channel_create_call(
      rpc->channel, NULL, GRPC_PROPAGATE_DEFAULTS, rpc->queue, grpc_slice_from_static_string(exchange->path),
      NULL, deadline_of(exchange->call), NULL);
  grpc_byte_buffer *request = grpc_raw_byte_buffer_create(&exchange->request, 1);
  start_all(&state, request);
  wait_for_end(&state);
  enum berth_code code = settle(&state, err);
  grpc_byte_buffer_destroy(request);
  grpc_byte_buffer_destroy(state.message);
  grpc_metadata_array_destroy(&state.initial);
  grpc_metadata_array_destroy(&state.trailers);
  grpc_slice_unref(state.text);
  grpc_call_unref(state.call);
  grpc_slice_unref(exchange->request);
  exchange->request = grpc_empty_slice();
  return code;
}

void exchange_finish(struct exchange *exchange) {
  grpc_slice_unref(exchange->details.plan);
  exchange->details = (struct status_details){.plan = grpc_empty_slice()};
}
