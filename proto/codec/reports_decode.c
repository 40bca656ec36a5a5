/* Requests for reports. */
#include <stdio.h>
#include <string.h>

#include "codec/places.h"
#include "codec/reports.h"

#define DEFAULT_PEAKS 10
#define MAX_PEAKS 100
#define DEFAULT_CONTRIBUTIONS 100
#define DEFAULT_DIFFERENCES 1000
#define MAX_ROWS 1000000

/* 0 stands for the default. */
static enum berth_code take_count(
    const char *field, uint32_t n, uint32_t usual, uint32_t most, uint32_t *out, struct berth_error *err) {
  *out = n != 0 ? n : usual;
  return n <= most ? BERTH_OK
                   : berth_fail(
                         err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, BERTH_NO_INDEX, field,
                         "%s is %u; at most %u are listed", field, n, most);
}

/* What is wrong inside is blamed from the root of the request. */
enum berth_code berth_codec_blame_in(const char *field, enum berth_code code, struct berth_error *err) {
  if (code != BERTH_OK && err != NULL && err->field[0] != '\0') {
    char inner[BERTH_FIELD_SIZE];
    memcpy(inner, err->field, sizeof inner);
    snprintf(err->field, sizeof err->field, "%s.%.40s", field, inner);
  }
  return code;
}

enum berth_code berth_codec_placed_from_message(
    const struct berth_codec *codec, const Berth__V1__PlacedProblem *m, struct berth_codec_placed *out,
    struct berth_error *err) {
  static const Berth__V1__PlacedProblem NONE = BERTH__V1__PLACED_PROBLEM__INIT;
  m = m != NULL ? m : &NONE; /* without a problem, which is said */
  *out = (struct berth_codec_placed){
      .allocator = codec->allocator != NULL ? codec->allocator : berth_allocator_libc()};
  enum berth_code code = berth_codec_problem_from_message(
      codec, m->problem, berth_codec_reuse_from_message(m->reuse), &out->problem, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct berth_codec_places places;
  code = berth_codec_take_places(
      out->allocator, out->problem, m->n_buffer_offset, m->buffer_offset, m->n_buffer_pool, m->buffer_pool,
      true, &places, err);
  out->offset = places.offset;
  out->pool = places.pool;
  if (code == BERTH_OK && m->plan_id[0] != '\0') {
    code = out->offset == NULL
               ? berth_codec_copy_plan_id(m->plan_id, out->plan_id, err)
               : berth_fail(
                     err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "plan_id",
                     "there are both a plan's id and offsets; one of them says where the buffers are");
  }
  return code;
}

void berth_codec_placed_finish(struct berth_codec_placed *placed) {
  if (placed->problem == NULL) {
    return;
  }
  struct berth_codec_places places = {.offset = placed->offset, .pool = placed->pool};
  berth_codec_give_back_places(placed->allocator, placed->problem, &places);
  berth_problem_unref(placed->problem);
  *placed = (struct berth_codec_placed){.problem = NULL};
}

static enum berth_code explain_from_message(
    const struct berth_codec *codec, const Berth__V1__ExplainPlanRequest *m, struct berth_codec_explain *out,
    struct berth_error *err) {
  enum berth_code code =
      take_count("max_peaks", m->max_peaks, DEFAULT_PEAKS, MAX_PEAKS, &out->max_peaks, err);
  if (code == BERTH_OK) {
    code = take_count(
        "max_contributions", m->max_contributions, DEFAULT_CONTRIBUTIONS, MAX_ROWS, &out->max_contributions,
        err);
  }
  if (code == BERTH_OK) {
    code = take_count(
        "max_timeline_points", m->max_timeline_points, 0, MAX_ROWS, &out->max_timeline_points, err);
  }
  if (code == BERTH_OK && out->max_timeline_points == 1) {
    code = berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, BERTH_NO_INDEX, "max_timeline_points",
        "max_timeline_points is 1; a timeline has at least 2 points");
  }
  out->operators = m->operators;
  return code == BERTH_OK
             ? berth_codec_blame_in(
                   "subject", berth_codec_placed_from_message(codec, m->subject, &out->subject, err), err)
             : code;
}

enum berth_code berth_codec_decode_explain(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_explain *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_explain){.max_peaks = 0};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__explain_plan_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = explain_from_message(codec, (const Berth__V1__ExplainPlanRequest *)message, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_codec_placed_finish(&out->subject);
  }
  return code;
}

static enum berth_code diff_from_message(
    const struct berth_codec *codec, const Berth__V1__DiffPlansRequest *m, struct berth_codec_diff *out,
    struct berth_error *err) {
  enum berth_code code = take_count(
      "max_differences", m->max_differences, DEFAULT_DIFFERENCES, MAX_ROWS, &out->max_differences, err);
  if (code == BERTH_OK) {
    code = berth_codec_blame_in(
        "before", berth_codec_placed_from_message(codec, m->before, &out->sides[0], err), err);
  }
  return code == BERTH_OK
             ? berth_codec_blame_in(
                   "after", berth_codec_placed_from_message(codec, m->after, &out->sides[1], err), err)
             : code;
}

enum berth_code berth_codec_decode_diff(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_diff *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_diff){.max_differences = 0};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__diff_plans_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = diff_from_message(codec, (const Berth__V1__DiffPlansRequest *)message, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_codec_placed_finish(&out->sides[0]);
    berth_codec_placed_finish(&out->sides[1]);
  }
  return code;
}
