/* Everything about the plans that the server has. */
#include "codec/stored.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codec/internal.h"
#include "codec/scratch.h"

/* ---- Measured peaks ---- */

static void put_source(char to[BERTH_MEASUREMENT_SOURCE_SIZE], const char *from) {
  size_t n = strlen(from);
  n = n < BERTH_MEASUREMENT_SOURCE_SIZE ? n : BERTH_MEASUREMENT_SOURCE_SIZE - 1;
  memcpy(to, from, n);
  to[n] = '\0';
}

static enum berth_code report_from_message(
    const Berth__V1__ReportMeasurementRequest *m, char out_plan_id[BERTH_PLANID_HEX_SIZE],
    struct berth_measurement *out, struct berth_error *err) {
  if (m->measured_bytes == 0) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, BERTH_NO_INDEX, "measured_bytes",
        "measured_bytes is 0; a measured peak has at least one byte");
  }
  if (strlen(m->source) >= BERTH_MEASUREMENT_SOURCE_SIZE) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "source",
        "source has %zu bytes; the limit is %d", strlen(m->source), BERTH_MEASUREMENT_SOURCE_SIZE - 1);
  }
  *out = (struct berth_measurement){.pool = m->pool, .measured_bytes = m->measured_bytes};
  put_source(out->source, m->source);
  return berth_codec_copy_plan_id(m->plan_id, out_plan_id, err);
}

enum berth_code berth_codec_decode_measurement_report(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    char out_plan_id[BERTH_PLANID_HEX_SIZE], struct berth_measurement *out, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__report_measurement_request__descriptor, false, bytes, n_bytes, &memory, &message,
      err);
  if (code != BERTH_OK) {
    return code;
  }
  code = report_from_message((const Berth__V1__ReportMeasurementRequest *)message, out_plan_id, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code berth_codec_encode_measurement_report(
    const char *plan_id, const struct berth_measurement *measurement, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  Berth__V1__ReportMeasurementRequest request = BERTH__V1__REPORT_MEASUREMENT_REQUEST__INIT;
  request.plan_id = UNCONST(char, plan_id);
  request.pool = measurement->pool;
  request.measured_bytes = measurement->measured_bytes;
  request.source = UNCONST(char, measurement->source);
  return berth_codec_pack(&request.base, sink, err);
}

void berth_codec_put_measurement(const struct berth_measurement *from, Berth__V1__Measurement *to) {
  berth__v1__measurement__init(to);
  to->pool = from->pool;
  to->measured_bytes = from->measured_bytes;
  to->planned_bytes = from->planned_bytes;
  to->ratio = from->ratio;
  to->source = UNCONST(char, from->source);
}

static enum berth_code
take_measurement(const Berth__V1__Measurement *from, struct berth_measurement *to, struct berth_error *err) {
  if (from == NULL || !isfinite(from->ratio)) {
    return berth_codec_refuse_answer(err, "measurement", "is missing, or has a figure that is not a number");
  }
  *to = (struct berth_measurement){
      .pool = from->pool,
      .measured_bytes = from->measured_bytes,
      .planned_bytes = from->planned_bytes,
      .ratio = from->ratio};
  put_source(to->source, from->source);
  return BERTH_OK;
}

enum berth_code berth_codec_encode_measurement_response(
    const struct berth_measurement *measurement, uint64_t n_measurements, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  Berth__V1__ReportMeasurementResponse response = BERTH__V1__REPORT_MEASUREMENT_RESPONSE__INIT;
  Berth__V1__Measurement item;
  berth_codec_put_measurement(measurement, &item);
  response.measurement = &item;
  response.measurement_count = n_measurements;
  return berth_codec_pack(&response.base, sink, err);
}

enum berth_code berth_codec_decode_measurement_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_measurement *out,
    uint64_t *out_n_measurements, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__report_measurement_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__ReportMeasurementResponse *m = (const Berth__V1__ReportMeasurementResponse *)message;
  *out_n_measurements = m->measurement_count;
  code = take_measurement(m->measurement, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code berth_codec_decode_measured(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_measured *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__get_plan_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__GetPlanResponse *m = (const Berth__V1__GetPlanResponse *)message;
  *out = (struct berth_measured){.n_all = m->measurement_count};
  while (code == BERTH_OK && out->n < m->n_measurements && out->n < BERTH_MEASUREMENTS_KEPT) {
    code = take_measurement(m->measurements[out->n], &out->items[out->n], err);
    out->n++;
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

/* ---- Lists ---- */

#define TOKEN_FORMAT "v1-%016" PRIx64
#define TOKEN_LENGTH 19

static enum berth_code read_token(const char *token, struct berth_codec_list *out, struct berth_error *err) {
  if (token[0] == '\0') {
    return BERTH_OK;
  }
  char again[BERTH_PAGE_TOKEN_SIZE];
  out->has_after = strlen(token) == TOKEN_LENGTH && sscanf(token, "v1-%16" SCNx64, &out->after) == 1;
  snprintf(again, sizeof again, TOKEN_FORMAT, out->after);
  if (out->has_after && strcmp(again, token) == 0) {
    return BERTH_OK;
  }
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "page_token",
      "page_token is none that this server gave");
}

static enum berth_code list_from_message(
    const Berth__V1__ListPlansRequest *m, struct berth_codec_list *out, struct berth_error *err) {
  if (m->page_size < 0) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, BERTH_NO_INDEX, "page_size",
        "page_size is %" PRId32 "; it must not be negative", m->page_size);
  }
  out->page_size = m->page_size == 0                     ? BERTH_PAGE_SIZE_DEFAULT
                   : m->page_size > BERTH_PAGE_SIZE_MOST ? BERTH_PAGE_SIZE_MOST
                                                         : (uint32_t)m->page_size;
  return read_token(m->page_token, out, err);
}

enum berth_code berth_codec_decode_list(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_list *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_list){.after = 0};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__list_plans_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = list_from_message((const Berth__V1__ListPlansRequest *)message, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code berth_codec_encode_list(
    uint32_t page_size, const char *page_token, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  Berth__V1__ListPlansRequest request = BERTH__V1__LIST_PLANS_REQUEST__INIT;
  request.page_size = page_size < INT32_MAX ? (int32_t)page_size : INT32_MAX;
  request.page_token = UNCONST(char, page_token);
  return berth_codec_pack(&request.base, sink, err);
}

static void put_summary(const struct berth_stored_plan *from, Berth__V1__PlanSummary *to) {
  berth__v1__plan_summary__init(to);
  to->plan_id = UNCONST(char, from->plan_id);
  to->status = (Berth__V1__PlanStatus)(from->status + 1);
  to->buffer_count = from->n_buffers;
  to->arena_bytes = from->arena_bytes;
  to->lower_bound_bytes = from->lower_bound_bytes;
  to->peak_bytes = from->peak_bytes;
  to->naive_bytes = from->naive_bytes;
  to->solve_seconds = from->solve_seconds;
  to->stored_bytes = from->stored_bytes;
  to->measurement_count = from->n_measurements;
  to->highest_ratio = from->highest_ratio;
}

enum berth_code berth_codec_encode_list_response(
    const struct berth_stored_plan *summaries, uint32_t n_summaries, const uint64_t *next,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__ListPlansResponse response = BERTH__V1__LIST_PLANS_RESPONSE__INIT;
  char token[BERTH_PAGE_TOKEN_SIZE] = "";
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, allocator);
  Berth__V1__PlanSummary *items = berth_codec_scratch_take(&scratch, n_summaries, sizeof *items);
  response.plans = berth_codec_scratch_take(&scratch, n_summaries, sizeof *response.plans);
  bool is_good = items != NULL && response.plans != NULL;
  for (uint32_t i = 0; is_good && i < n_summaries; i++) {
    put_summary(&summaries[i], &items[i]);
    response.plans[i] = &items[i];
  }
  response.n_plans = n_summaries;
  if (next != NULL) {
    snprintf(token, sizeof token, TOKEN_FORMAT, *next);
  }
  response.next_page_token = token;
  enum berth_code code = is_good ? berth_codec_pack(&response.base, sink, err) : berth_fail_memory(err);
  berth_codec_scratch_finish(&scratch);
  return code;
}

static enum berth_code
take_summary(const Berth__V1__PlanSummary *from, struct berth_stored_plan *to, struct berth_error *err) {
  bool is_good = strlen(from->plan_id) == BERTH_PLANID_HEX_SIZE - 1 && isfinite(from->solve_seconds) &&
                 isfinite(from->highest_ratio) && from->status > 0 &&
                 (unsigned)from->status <= BERTH_N_PLAN_STATUSES;
  if (!is_good) {
    return berth_codec_refuse_answer(
        err, "plans", "an entry has no id, no status, or a figure that is no number");
  }
  *to = (struct berth_stored_plan){
      .status = (enum berth_plan_status)(from->status - 1),
      .n_buffers = from->buffer_count,
      .arena_bytes = from->arena_bytes,
      .lower_bound_bytes = from->lower_bound_bytes,
      .peak_bytes = from->peak_bytes,
      .naive_bytes = from->naive_bytes,
      .solve_seconds = from->solve_seconds,
      .stored_bytes = from->stored_bytes,
      .n_measurements = from->measurement_count,
      .highest_ratio = from->highest_ratio};
  memcpy(to->plan_id, from->plan_id, sizeof to->plan_id);
  return BERTH_OK;
}

enum berth_code berth_codec_decode_list_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    struct berth_stored_plan *out_summaries, uint32_t *out_n_summaries,
    char out_next_page_token[BERTH_PAGE_TOKEN_SIZE], struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out_n_summaries = 0;
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__list_plans_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__ListPlansResponse *m = (const Berth__V1__ListPlansResponse *)message;
  if (m->n_plans > BERTH_PAGE_SIZE_MOST || strlen(m->next_page_token) >= BERTH_PAGE_TOKEN_SIZE) {
    code = berth_codec_refuse_answer(err, "plans", "a page or its token is too long");
  } else {
    memcpy(out_next_page_token, m->next_page_token, strlen(m->next_page_token) + 1);
  }
  while (code == BERTH_OK && *out_n_summaries < m->n_plans) {
    code = take_summary(m->plans[*out_n_summaries], &out_summaries[*out_n_summaries], err);
    *out_n_summaries += 1;
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

/* ---- Several, and none ---- */

static enum berth_code batch_from_message(
    const Berth__V1__BatchGetPlansRequest *m, struct berth_codec_batch *out, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; code == BERTH_OK && i < m->n_plan_ids; i++) {
    code = berth_codec_copy_plan_id(m->plan_ids[i], out->plan_ids[i], err);
    if (code != BERTH_OK && err != NULL) {
      err->index = (uint32_t)i;
      snprintf(err->field, sizeof err->field, "plan_ids[%zu]", i);
    }
  }
  return code;
}

enum berth_code berth_codec_decode_batch(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_batch *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  const struct berth_allocator *from = codec->allocator != NULL ? codec->allocator : berth_allocator_libc();
  *out = (struct berth_codec_batch){.allocator = from};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__batch_get_plans_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__BatchGetPlansRequest *m = (const Berth__V1__BatchGetPlansRequest *)message;
  if (m->n_plan_ids == 0) {
    code = berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "plan_ids",
        "the request names no plan");
  } else {
    out->n = (uint32_t)m->n_plan_ids; /* bounded by the limits */
    out->plan_ids = from->resize(from->ctx, NULL, 0, out->n * sizeof *out->plan_ids);
    code = out->plan_ids != NULL ? batch_from_message(m, out, err) : berth_fail_memory(err);
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_codec_batch_finish(out);
  }
  return code;
}

void berth_codec_batch_finish(struct berth_codec_batch *batch) {
  if (batch->plan_ids != NULL) {
    batch->allocator->resize(batch->allocator->ctx, batch->plan_ids, batch->n * sizeof *batch->plan_ids, 0);
  }
  *batch = (struct berth_codec_batch){.n = 0};
}

enum berth_code berth_codec_decode_delete(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    char out_plan_id[BERTH_PLANID_HEX_SIZE], struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__delete_plan_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = berth_codec_copy_plan_id(((const Berth__V1__DeletePlanRequest *)message)->plan_id, out_plan_id, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code
berth_codec_encode_delete(const char *plan_id, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__DeletePlanRequest request = BERTH__V1__DELETE_PLAN_REQUEST__INIT;
  request.plan_id = UNCONST(char, plan_id);
  return berth_codec_pack(&request.base, sink, err);
}

enum berth_code
berth_codec_encode_delete_response(const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__DeletePlanResponse response = BERTH__V1__DELETE_PLAN_RESPONSE__INIT;
  return berth_codec_pack(&response.base, sink, err);
}
