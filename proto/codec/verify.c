/* VerifyPlan, both ways. */
#include <string.h>

#include "codec/places.h"

#define DEFAULT_VIOLATIONS 100
#define MAX_VIOLATIONS 10000

static enum berth_code verify_from_message(
    const struct berth_codec *codec, const Berth__V1__VerifyPlanRequest *m, struct berth_codec_verify *out,
    struct berth_error *err) {
  enum berth_code code = berth_codec_problem_from_message(
      codec, m->problem, berth_codec_reuse_from_message(m->reuse), &out->problem, err);
  if (code != BERTH_OK) {
    return code;
  }
  if (m->max_violations > MAX_VIOLATIONS) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, BERTH_NO_INDEX, "max_violations",
        "max_violations is %u; at most %u are listed", m->max_violations, MAX_VIOLATIONS);
  }
  out->max_violations = m->max_violations != 0 ? m->max_violations : DEFAULT_VIOLATIONS;
  struct berth_codec_places places;
  code = berth_codec_take_places(
      out->allocator, out->problem, m->n_buffer_offset, m->buffer_offset, m->n_buffer_pool, m->buffer_pool,
      false, &places, err);
  out->offset = places.offset;
  out->pool = places.pool;
  return code;
}

enum berth_code berth_codec_decode_verify(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_verify *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_verify){
      .allocator = codec->allocator != NULL ? codec->allocator : berth_allocator_libc()};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__verify_plan_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = verify_from_message(codec, (const Berth__V1__VerifyPlanRequest *)message, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_codec_verify_finish(out);
  }
  return code;
}

void berth_codec_verify_finish(struct berth_codec_verify *request) {
  if (request->problem == NULL) {
    return;
  }
  struct berth_codec_places places = {.offset = request->offset, .pool = request->pool};
  berth_codec_give_back_places(request->allocator, request->problem, &places);
  berth_problem_unref(request->problem);
  *request = (struct berth_codec_verify){0};
}

/* Whether the problem was built without results in place. */
static bool is_restricted(const struct berth_problem *problem) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  return permissions->n > 0 && permissions->items[0].answer == BERTH_INPLACE_RESTRICTED;
}

enum berth_code berth_codec_encode_verify(
    const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    uint32_t max_violations, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  Berth__V1__Problem problem_message = BERTH__V1__PROBLEM__INIT;
  Berth__V1__VerifyPlanRequest request = BERTH__V1__VERIFY_PLAN_REQUEST__INIT;
  struct berth_codec_columns *columns;
  enum berth_code code =
      berth_codec_message_from_problem(problem, allocator, &problem_message, &columns, err);
  if (code != BERTH_OK) {
    return code;
  }
  uint32_t n = berth_problem_buffers(problem)->n;
  request.problem = &problem_message;
  request.n_buffer_offset = n;
  request.buffer_offset = UNCONST(uint64_t, offset);
  request.n_buffer_pool = pool != NULL ? n : 0;
  request.buffer_pool = UNCONST(uint32_t, pool);
  request.max_violations = max_violations;
  request.reuse = is_restricted(problem) ? BERTH__V1__REUSE__REUSE_NO_INPLACE : BERTH__V1__REUSE__REUSE_FULL;
  code = berth_codec_pack(&request.base, sink, err);
  berth_codec_columns_destroy(columns);
  return code;
}

/* ---- The verdict ---- */

static void put_violation(const struct berth_violation *from, Berth__V1__Violation *to) {
  berth__v1__violation__init(to);
  to->kind = (Berth__V1__ViolationKind)(from->kind + 1);
  to->buffer_a = from->buffer_a;
  to->buffer_b = from->buffer_b != BERTH_NO_INDEX ? from->buffer_b : 0;
  to->pool = from->pool;
  to->first_byte = from->first_byte;
  to->end_byte = from->end_byte;
  to->first_step = from->first_step;
  to->end_step = from->end_step;
  to->message = UNCONST(char, from->message);
}

enum berth_code berth_codec_encode_verify_response(
    const struct berth_verdict *verdict, const struct berth_violation *violations,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  Berth__V1__VerifyPlanResponse response = BERTH__V1__VERIFY_PLAN_RESPONSE__INIT;
  size_t n = verdict->n_listed;
  size_t n_bytes = n * (sizeof(Berth__V1__Violation) + sizeof(Berth__V1__Violation *)) + 1;
  Berth__V1__Violation *messages = from->resize(from->ctx, NULL, 0, n_bytes);
  if (messages == NULL) {
    return berth_fail_memory(err);
  }
  Berth__V1__Violation **list = (Berth__V1__Violation **)(void *)(messages + n);
  for (size_t i = 0; i < n; i++) {
    put_violation(&violations[i], &messages[i]);
    list[i] = &messages[i];
  }
  response.valid = verdict->n_violations == 0;
  response.violation_count = verdict->n_violations;
  response.violations = list;
  response.n_violations = n;
  enum berth_code code = berth_codec_pack(&response.base, sink, err);
  from->resize(from->ctx, messages, n_bytes, 0);
  return code;
}

static void take_violation(const Berth__V1__Violation *from, struct berth_violation *to) {
  *to = (struct berth_violation){
      .kind = from->kind > 0 ? (enum berth_violation_kind)(from->kind - 1) : BERTH_VIOLATION_FIGURES,
      .buffer_a = from->buffer_a,
      .buffer_b =
          from->kind == BERTH__V1__VIOLATION_KIND__VIOLATION_KIND_OVERLAP ? from->buffer_b : BERTH_NO_INDEX,
      .pool = from->pool,
      .first_byte = from->first_byte,
      .end_byte = from->end_byte,
      .first_step = from->first_step,
      .end_step = from->end_step,
  };
  size_t n = strlen(from->message);
  n = n < sizeof to->message ? n : sizeof to->message - 1;
  memcpy(to->message, from->message, n);
}

enum berth_code berth_codec_decode_verify_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    struct berth_violation *out_violations, uint32_t n_capacity, struct berth_verdict *out_verdict,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__verify_plan_response__descriptor, true, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__VerifyPlanResponse *response = (const Berth__V1__VerifyPlanResponse *)message;
  if (response->valid != (response->violation_count == 0)) {
    code = berth_fail(
        err, BERTH_INTERNAL, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "violation_count",
        "the server's answer contradicts itself");
  } else {
    out_verdict->n_violations = response->violation_count;
    out_verdict->n_listed =
        response->n_violations < n_capacity ? (uint32_t)response->n_violations : n_capacity;
    for (uint32_t i = 0; i < out_verdict->n_listed; i++) {
      take_violation(response->violations[i], &out_violations[i]);
    }
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}
