/* GetPlan and VerifyPlan, methods that do not exist, and what the handlers share. */
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

/* ---- GetPlan ---- */

static enum berth_code
get(struct call *call, grpc_slice bytes, grpc_slice *out_message, struct berth_error *err) {
  struct berthd_rpc *rpc = call->rpc;
  struct berth_codec_plan plan = {.cached = true};
  struct berth_planid id;
  enum berth_code code = berth_codec_decode_get(
      &rpc->codec, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), plan.plan_id, err);
  if (code == BERTH_OK) {
    code = berth_planid_parse(plan.plan_id, strlen(plan.plan_id), &id, err);
  }
  if (code == BERTH_OK) {
    code = berthd_core_get(rpc->core, &id, &plan.plan, &plan.solve_seconds, err);
  }
  if (code != BERTH_OK) {
    return code;
  }
  struct slice_sink sink;
  slice_sink_init(&sink);
  code = berth_codec_encode_get_response(&plan, NULL, &sink.base, err);
  *out_message = sink.slice;
  berth_plan_unref(plan.plan);
  return code;
}

void get_start(struct call *call) {
  grpc_slice bytes;
  grpc_slice message;
  struct berth_error err;
  struct reply reply;
  if (to_lane(call)) {
    return;
  }
  enum berth_code code = payload_bytes(call->payload, call->rpc->config.limits.message_bytes, &bytes, &err);
  if (code == BERTH_OK) {
    code = get(call, bytes, &message, &err);
    grpc_slice_unref(bytes);
  }
  if (code == BERTH_OK) {
    reply_message(&reply, message);
  } else {
    reply_error(&reply, &err, 0, NULL, 0);
  }
  call_finish(call, &reply);
}

/* ---- VerifyPlan ---- */

static void on_verified(void *ctx, const struct berthd_verify_answer *answer) {
  struct call *call = ctx;
  struct berth_error err = answer->error;
  struct reply reply;
  struct slice_sink sink;
  enum berth_code code = answer->code;
  slice_sink_init(&sink);
  if (code == BERTH_OK) {
    code = berth_codec_encode_verify_response(&answer->verdict, answer->violations, NULL, &sink.base, &err);
  }
  if (code == BERTH_OK) {
    reply_message(&reply, sink.slice);
  } else {
    reply_error(&reply, &err, answer->retry_after_ms, NULL, 0);
  }
  call_finish(call, &reply);
  call_unref(call);
}

static void submit_verify(struct call *call, const struct berth_codec_verify *request) {
  struct berthd_request *handle = NULL;
  berthd_core_submit_verify(
      call->rpc->core, request->problem, request->pool, request->offset, request->max_violations,
      call_deadline_ns(call), call_ref(call), on_verified, &handle);
  if (handle != NULL) {
    call->request = handle;
    call_watch_close(call);
  }
}

void verify_start(struct call *call) {
  grpc_slice bytes;
  struct berth_codec_verify request;
  struct berth_error err;
  if (to_lane(call)) {
    return;
  }
  enum berth_code code = payload_bytes(call->payload, call->rpc->config.limits.message_bytes, &bytes, &err);
  if (code == BERTH_OK) {
    code = berth_codec_decode_verify(
        &call->rpc->codec, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), &request, &err);
    grpc_slice_unref(bytes);
  }
  grpc_byte_buffer_destroy(call->payload); /* a large upload is not held while the check waits */
  call->payload = NULL;
  if (code != BERTH_OK) {
    count_refusal(call->rpc, &err);
    call_fail(call, &err);
    return;
  }
  call_ref(call); /* a worker may end the call before it is submitted wholly */
  submit_verify(call, &request);
  berth_codec_verify_finish(&request);
  call_unref(call);
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
