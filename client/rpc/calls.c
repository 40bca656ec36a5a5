/* The calls themselves: encode, exchange, decode. */
#include <string.h>

#include "codec/memory.h"
#include "codec/wire.h"
#include "grpc/health/v1/health.pb-c.h"
#include "rpc/internal.h"

#define MAX_MEMORY 4096

enum berth_code need_message(bool came, struct berth_error *err) {
  if (came) {
    return BERTH_OK;
  }
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL, "the server sent no answer");
}

/* ---- Plan ---- */

struct plan_answer {
  struct berthctl_rpc *rpc;
  const struct berthctl_rpc_call *call;
  uint32_t n_buffers;
  bool came;
  struct berth_codec_plan plan;
};

static enum berth_code on_plan(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct plan_answer *answer = ctx;
  answer->came = true;
  if (answer->call != NULL && answer->call->out_miss != NULL) {
    (void)berth_codec_decode_miss(&answer->rpc->codec, bytes, n_bytes, answer->call->out_miss);
  }
  return berth_codec_decode_compute_response(
      &answer->rpc->codec, bytes, n_bytes, answer->n_buffers, &answer->plan, err);
}

static enum berth_code on_event(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct plan_answer *answer = ctx;
  struct berth_codec_event event;
  enum berth_code code =
      berth_codec_decode_stream_response(&answer->rpc->codec, bytes, n_bytes, answer->n_buffers, &event, err);
  if (code != BERTH_OK) {
    return code;
  }
  if (event.is_result && !answer->came) {
    answer->came = true;
    answer->plan = event.result;
  } else if (event.is_result) {
    berth_plan_unref(event.result.plan);
  } else {
    answer->call->on_progress(answer->call->ctx, &event.progress, event.elapsed_seconds);
  }
  return BERTH_OK;
}

static enum berth_code on_got(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct plan_answer *answer = ctx;
  const struct berthctl_rpc_call *call = answer->call;
  answer->came = true;
  if (call != NULL && call->out_measured != NULL) {
    enum berth_code code =
        berth_codec_decode_measured(&answer->rpc->codec, bytes, n_bytes, call->out_measured, err);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return berth_codec_decode_get_response(&answer->rpc->codec, bytes, n_bytes, &answer->plan, err);
}

/* What does not fit comes as an error with the plan's figures in its details; for the caller it is an
 * outcome. */
static enum berth_code
take_infeasible(const struct exchange *exchange, struct plan_answer *answer, enum berth_code code) {
  if (code != BERTH_FAILED_PRECONDITION || !exchange->details.has_plan) {
    return code;
  }
  grpc_slice bytes = exchange->details.plan;
  struct berth_codec_plan plan;
  if (berth_codec_decode_plan(
          &answer->rpc->codec, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), answer->n_buffers,
          &plan, NULL) != BERTH_OK) {
    return code;
  }
  answer->plan = plan;
  answer->came = true;
  return BERTH_OK;
}

static enum berth_code run_for_plan(
    struct exchange *exchange, struct plan_answer *answer, struct berthctl_rpc_plan *out_reply,
    struct berth_error *err) {
  enum berth_code code = exchange_run(answer->rpc, exchange, err);
  code = take_infeasible(exchange, answer, code);
  exchange_finish(exchange);
  if (code == BERTH_OK) {
    code = need_message(answer->came && answer->plan.plan != NULL, err);
  }
  if (code != BERTH_OK) {
    berth_plan_unref(answer->plan.plan);
    return code;
  }
  out_reply->plan = (struct berth_plan *)(uintptr_t)answer->plan.plan; /* the decoder made it for us */
  memcpy(out_reply->plan_id, answer->plan.plan_id, sizeof out_reply->plan_id);
  out_reply->cached = answer->plan.cached;
  out_reply->solve_seconds = answer->plan.solve_seconds;
  return BERTH_OK;
}

enum berth_code berthctl_rpc_plan(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berthctl_rpc_call *call, struct berthctl_rpc_plan *out_reply, struct berth_error *err) {
  struct request_sink sink;
  *out_reply = (struct berthctl_rpc_plan){0};
  request_sink_init(&sink);
  bool explains = call != NULL && call->out_miss != NULL;
  enum berth_code code = explains
                             ? berth_codec_encode_compute_explained(problem, options, NULL, &sink.base, err)
                             : berth_codec_encode_compute(problem, options, false, NULL, &sink.base, err);
  if (code != BERTH_OK) {
    return code;
  }
  bool stream = call != NULL && call->on_progress != NULL;
  struct plan_answer answer = {.rpc = rpc, .call = call, .n_buffers = BERTH_NO_INDEX}; /* see Plan.reuse */
  struct exchange exchange = {
      .path = stream ? "/berth.v1.PlanService/StreamPlan" : "/berth.v1.PlanService/ComputePlan",
      .request = sink.slice,
      .call = call,
      .ctx = &answer,
      .on_message = stream ? on_event : on_plan,
  };
  return run_for_plan(&exchange, &answer, out_reply, err);
}

enum berth_code berthctl_rpc_get(
    struct berthctl_rpc *rpc, const char *plan_id, const struct berthctl_rpc_call *call,
    struct berthctl_rpc_plan *out_reply, struct berth_error *err) {
  struct request_sink sink;
  *out_reply = (struct berthctl_rpc_plan){0};
  request_sink_init(&sink);
  enum berth_code code = berth_codec_encode_get(plan_id, &sink.base, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct plan_answer answer = {.rpc = rpc, .call = call, .n_buffers = BERTH_NO_INDEX};
  struct exchange exchange = {
      .path = "/berth.v1.PlanService/GetPlan",
      .request = sink.slice,
      .call = call,
      .ctx = &answer,
      .on_message = on_got,
  };
  return run_for_plan(&exchange, &answer, out_reply, err);
}

/* ---- Verify ---- */

struct verify_answer {
  struct berthctl_rpc *rpc;
  bool came;
  struct berth_violation *violations;
  uint32_t n_capacity;
  struct berth_verdict *verdict;
};

static enum berth_code on_verdict(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct verify_answer *answer = ctx;
  answer->came = true;
  return berth_codec_decode_verify_response(
      &answer->rpc->codec, bytes, n_bytes, answer->violations, answer->n_capacity, answer->verdict, err);
}

enum berth_code berthctl_rpc_verify(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const uint32_t *pool,
    const uint64_t *offset, const struct berthctl_rpc_call *call, struct berth_violation *out_violations,
    uint32_t n_capacity, struct berth_verdict *out_verdict, struct berth_error *err) {
  struct request_sink sink;
  *out_verdict = (struct berth_verdict){0};
  request_sink_init(&sink);
  enum berth_code code = berth_codec_encode_verify(
      problem, pool, offset, n_capacity > 0 ? n_capacity : 1, NULL, &sink.base, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct verify_answer answer = {
      .rpc = rpc, .violations = out_violations, .n_capacity = n_capacity, .verdict = out_verdict};
  struct exchange exchange = {
      .path = "/berth.v1.PlanService/VerifyPlan",
      .request = sink.slice,
      .call = call,
      .ctx = &answer,
      .on_message = on_verdict,
  };
  code = exchange_run(rpc, &exchange, err);
  exchange_finish(&exchange);
  return code == BERTH_OK ? need_message(answer.came, err) : code;
}

/* ---- Health ---- */

struct health_answer {
  bool came;
  enum berthctl_health health;
};

static enum berth_code on_health(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct health_answer *answer = ctx;
  const struct berth_wire_policy policy = {.max_fields = 16, .allow_unknown = true};
  const ProtobufCMessageDescriptor *descriptor = &grpc__health__v1__health_check_response__descriptor;
  struct berth_codec_memory memory;
  enum berth_code code = berth_wire_scan(descriptor, &policy, bytes, n_bytes, err);
  if (code != BERTH_OK) {
    return code;
  }
  berth_codec_memory_init(&memory, NULL, MAX_MEMORY);
  ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, &memory.base, n_bytes, bytes);
  if (message == NULL) {
    return berth_fail_memory(err);
  }
  switch (((const Grpc__Health__V1__HealthCheckResponse *)message)->status) {
  case GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING:
    answer->health = BERTHCTL_HEALTH_SERVING;
    break;
  case GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING:
    answer->health = BERTHCTL_HEALTH_NOT_SERVING;
    break;
  default:
    answer->health = BERTHCTL_HEALTH_UNKNOWN;
    break;
  }
  answer->came = true;
  protobuf_c_message_free_unpacked(message, &memory.base);
  return BERTH_OK;
}

enum berth_code berthctl_rpc_health(
    struct berthctl_rpc *rpc, const char *service, const struct berthctl_rpc_call *call,
    enum berthctl_health *out_health, struct berth_error *err) {
  Grpc__Health__V1__HealthCheckRequest request = GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
  struct request_sink sink;
  request_sink_init(&sink);
  request.service = (char *)(uintptr_t)service;
  uint8_t *bytes = sink.base.reserve(sink.base.ctx, protobuf_c_message_get_packed_size(&request.base));
  if (bytes == NULL) {
    return berth_fail_memory(err);
  }
  protobuf_c_message_pack(&request.base, bytes);
  struct health_answer answer = {0};
  struct exchange exchange = {
      .path = "/grpc.health.v1.Health/Check",
      .request = sink.slice,
      .call = call,
      .ctx = &answer,
      .on_message = on_health,
  };
  enum berth_code code = exchange_run(rpc, &exchange, err);
  exchange_finish(&exchange);
  if (code == BERTH_OK) {
    code = need_message(answer.came, err);
  }
  *out_health = answer.health;
  return code;
}
