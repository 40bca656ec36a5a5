/* Methods that do not exist, and what the handlers share. */
#include <string.h>

#include "rpc/internal.h"

/* Large requests, and compressed ones of any size, are decoded off the queue's threads. True: the call is
 * there now. */
bool to_lane(struct call *call) {
  if (call->heavy || call->payload == NULL) {
    return false;
  }
  if (!payload_is_compressed(call->payload) && grpc_byte_buffer_length(call->payload) < HEAVY_BYTES) {
    return false;
  }
  lane_push(call->rpc->lane, call);
  return true;
}

void count_refusal(struct berthd_rpc *rpc, const struct berth_error *err) {
  unsigned why = err->code == BERTH_RESOURCE_EXHAUSTED ? BERTHD_REJECTION_LIMIT : BERTHD_REJECTION_MALFORMED;
  berthd_metrics_add(rpc->metrics, BERTHD_METRIC_REJECTED, why, 0, 1);
}

void answer_at_once(struct call *call, answer_fn *answer) {
  struct berthd_rpc *rpc = call->rpc;
  grpc_slice bytes;
  struct slice_sink sink;
  struct reply reply;
  struct berth_error err;
  if (to_lane(call)) {
    return;
  }
  slice_sink_init(&sink);
  enum berth_code code = payload_bytes(call->payload, rpc->config.limits.message_bytes, &bytes, &err);
  if (code == BERTH_OK) {
    code = answer(rpc, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), &sink.base, &err);
    grpc_slice_unref(bytes);
  }
  if (code == BERTH_OK) {
    reply_message(&reply, sink.slice);
  } else {
    grpc_slice_unref(sink.slice);
    reply_error(&reply, &err, 0, NULL, 0);
  }
  if (code == BERTH_INVALID_ARGUMENT || code == BERTH_RESOURCE_EXHAUSTED) {
    count_refusal(rpc, &err);
  }
  call_finish(call, &reply);
}

/* ---- Anything else ---- */

void unknown_start(struct call *call) {
  char path[96];
  size_t n = GRPC_SLICE_LENGTH(call->details.method);
  n = n < sizeof path ? n : sizeof path - 1;
  memcpy(path, GRPC_SLICE_START_PTR(call->details.method), n);
  path[n] = '\0';
  struct berth_error err;
  berth_fail(
      &err, BERTH_UNIMPLEMENTED, BERTH_REASON_UNKNOWN_METHOD, BERTH_NO_INDEX, NULL,
      "there is no method %s here", path);
  call_fail(call, &err);
}
