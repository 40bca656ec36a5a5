/* Whole requests, and what all messages share: scan, unpack, pack. */
#include <string.h>

#include "codec/internal.h"
#include "codec/wire.h"

enum berth_code berth_codec_unpack(
    const struct berth_codec *codec, const ProtobufCMessageDescriptor *descriptor, bool allow_unknown,
    const uint8_t *bytes, size_t n_bytes, struct berth_codec_memory *memory, ProtobufCMessage **out_message,
    struct berth_error *err) {
  const struct berth_codec_limits *limits = &codec->limits;
  struct berth_wire_rule rules[BERTH_CODEC_MOST_RULES];
  const struct berth_wire_policy policy = {
      .max_fields = limits->fields,
      .allow_unknown = allow_unknown,
      .rules = rules,
      .n_rules = berth_codec_rules(limits, rules),
  };
  *out_message = NULL;
  if (n_bytes > limits->message_bytes) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, NULL,
        "the message has %zu bytes; the limit is %llu", n_bytes, (unsigned long long)limits->message_bytes);
  }
  enum berth_code code = berth_wire_scan(descriptor, &policy, bytes, n_bytes, err);
  if (code != BERTH_OK) {
    return code;
  }
  berth_codec_memory_init(memory, codec->allocator, limits->decode_bytes);
  *out_message = protobuf_c_message_unpack(descriptor, &memory->base, n_bytes, bytes);
  if (*out_message != NULL) {
    return BERTH_OK;
  }
  if (memory->refused) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, NULL,
        "decoding the message takes more than the limit of %llu bytes of memory",
        (unsigned long long)limits->decode_bytes);
  }
  return berth_fail_memory(err); /* the scan has let through nothing that protobuf-c refuses for its form */
}

enum berth_code berth_codec_pack(
    const ProtobufCMessage *message, const struct berth_codec_sink *sink, struct berth_error *err) {
  size_t n_bytes = protobuf_c_message_get_packed_size(message);
  uint8_t *bytes = sink->reserve(sink->ctx, n_bytes);
  if (bytes == NULL) {
    return berth_fail_memory(err);
  }
  protobuf_c_message_pack(message, bytes);
  return BERTH_OK;
}

static enum berth_code compute_from_message(
    const struct berth_codec *codec, const Berth__V1__Problem *problem, const Berth__V1__PlanOptions *options,
    const Berth__V1__EarlierPlan *earlier, struct berth_codec_compute *out, struct berth_error *err) {
  enum berth_code code = berth_codec_options_from_message(options, &out->options, err);
  if (code == BERTH_OK) {
    code = berth_codec_problem_from_message(codec, problem, out->options.reuse, &out->problem, err);
  }
  if (code == BERTH_OK) {
    code = berth_codec_stable_from_message(
        codec, out->problem, earlier, options != NULL ? options->keep : NULL, &out->options.stable, err);
  }
  if (code == BERTH_OK && out->options.stable != NULL && out->options.reuse == BERTH_REUSE_NONE) {
    code = berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "options.reuse",
        "without reuse no place of an earlier plan can be kept");
  }
  if (code == BERTH_OK && out->options.stable != NULL && berth_sync_is_asked(&out->options.sync)) {
    code = berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "options.add_syncs",
        "no waits can be added while an earlier plan is kept");
  }
  if (code != BERTH_OK) {
    berth_codec_compute_finish(out);
  }
  return code;
}

enum berth_code berth_codec_decode_compute(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_compute *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_compute){0};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__compute_plan_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__ComputePlanRequest *request = (const Berth__V1__ComputePlanRequest *)message;
  out->validate_only = request->validate_only;
  out->explain_miss = request->explain_miss;
  code = compute_from_message(codec, request->problem, request->options, request->earlier, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code berth_codec_decode_stream(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_compute *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_compute){0};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__stream_plan_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__StreamPlanRequest *request = (const Berth__V1__StreamPlanRequest *)message;
  code = compute_from_message(codec, request->problem, request->options, request->earlier, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

void berth_codec_compute_finish(struct berth_codec_compute *request) {
  berth_problem_unref(request->problem);
  berth_stable_unref(request->options.stable);
  request->problem = NULL;
  request->options.stable = NULL;
}

static enum berth_code encode_compute(
    const struct berth_problem *problem, const struct berth_solve_options *options, bool validate_only,
    bool explain_miss, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  Berth__V1__Problem problem_message = BERTH__V1__PROBLEM__INIT;
  Berth__V1__PlanOptions options_message = BERTH__V1__PLAN_OPTIONS__INIT;
  Berth__V1__ComputePlanRequest request = BERTH__V1__COMPUTE_PLAN_REQUEST__INIT;
  struct berth_codec_columns *columns = NULL;
  enum berth_code code =
      berth_codec_message_from_problem(problem, allocator, &problem_message, &columns, err);
  if (code != BERTH_OK) {
    return code;
  }
  const char *off[32];
  berth_codec_options_to_message(options, &options_message, off);
  request.problem = &problem_message;
  request.options = &options_message;
  request.validate_only = validate_only;
  request.explain_miss = explain_miss;
  Berth__V1__Keep keep = BERTH__V1__KEEP__INIT;
  Berth__V1__EarlierPlan earlier = BERTH__V1__EARLIER_PLAN__INIT;
  bool is_good = true;
  if (options->stable != NULL) {
    is_good = berth_codec_put_stable(columns, options->stable, &earlier, &keep);
    options_message.keep = &keep;
    request.earlier = &earlier;
  }
  code = is_good ? berth_codec_pack(&request.base, sink, err) : berth_fail_memory(err);
  berth_codec_columns_destroy(columns);
  return code;
}

enum berth_code berth_codec_encode_compute(
    const struct berth_problem *problem, const struct berth_solve_options *options, bool validate_only,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  return encode_compute(problem, options, validate_only, false, allocator, sink, err);
}

enum berth_code berth_codec_encode_compute_explained(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  return encode_compute(problem, options, false, true, allocator, sink, err);
}

enum berth_code
berth_codec_copy_plan_id(const char *id, char out[BERTH_PLANID_HEX_SIZE], struct berth_error *err) {
  size_t n = strlen(id);
  if (n == 0) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "plan_id",
        "plan_id is empty");
  }
  if (n != BERTH_PLANID_HEX_SIZE - 1 || strspn(id, "0123456789abcdef") != n) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "plan_id",
        "plan_id must be 64 hexadecimal digits in lower case");
  }
  memcpy(out, id, BERTH_PLANID_HEX_SIZE);
  return BERTH_OK;
}

enum berth_code berth_codec_decode_get(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    char out_plan_id[BERTH_PLANID_HEX_SIZE], struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__get_plan_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = berth_codec_copy_plan_id(((const Berth__V1__GetPlanRequest *)message)->plan_id, out_plan_id, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code
berth_codec_encode_get(const char *plan_id, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__GetPlanRequest request = BERTH__V1__GET_PLAN_REQUEST__INIT;
  request.plan_id = UNCONST(char, plan_id);
  return berth_codec_pack(&request.base, sink, err);
}
