/* VerifyPlan there and back. */
#include <string.h>

#include "message.h"
#include "sample.h"
#include "suite.h"

static struct berth_problem *three_buffers(void) {
  struct sample sample;
  sample_init(&sample);
  sample_add(&sample, 64, 0, 2);
  sample_add(&sample, 32, 1, 3);
  sample_add(&sample, 16, 2, 4);
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  return problem;
}

START_TEST(test_request) {
  static const uint64_t OFFSETS[] = {0, 64, UINT64_MAX};
  static const uint32_t POOLS[] = {0, 0, 0};
  struct berth_problem *problem = three_buffers();
  for (int with_pools = 0; with_pools < 2; with_pools++) {
    struct message message = {0};
    struct berth_codec_verify request;
    struct berth_error err;
    const struct berth_codec_sink sink = sink_of(&message);
    ck_assert_int_eq(
        berth_codec_encode_verify(problem, with_pools ? POOLS : NULL, OFFSETS, 7, NULL, &sink, &err),
        BERTH_OK);
    ck_assert_int_eq(
        berth_codec_decode_verify(plain_codec(), message.bytes, message.n, &request, &err), BERTH_OK);
    ck_assert_mem_eq(request.offset, OFFSETS, sizeof OFFSETS);
    ck_assert_int_eq(request.pool != NULL, with_pools);
    ck_assert_uint_eq(request.max_violations, 7);
    ck_assert_uint_eq(berth_problem_buffers(request.problem)->n, 3);
    berth_codec_verify_finish(&request);
    message_finish(&message);
  }
  berth_problem_unref(problem);
}
END_TEST

static void expect(struct message *extra, enum berth_reason reason, const char *field) {
  struct message whole = {0};
  struct message problem = {0};
  struct berth_codec_verify request;
  struct berth_error err;
  put_buffers(&problem, 3);
  put_message(&whole, REQUEST_PROBLEM, &problem);
  put_bytes(&whole, extra->bytes, extra->n);
  enum berth_code code = berth_codec_decode_verify(plain_codec(), whole.bytes, whole.n, &request, &err);
  ck_assert_int_eq(code, BERTH_INVALID_ARGUMENT);
  ck_assert_msg(err.reason == reason, "%s: %s", berth_reason_name(err.reason), err.message);
  ck_assert_str_eq(err.field, field);
  berth_codec_verify_finish(&request); /* as good as a no-op */
  message_finish(&whole);
  message_finish(extra);
}

START_TEST(test_bad_requests) {
  static const uint64_t OFFSETS[] = {0, 64, 128, 192};
  struct message extra = {0};
  expect(&extra, BERTH_REASON_COLUMN_LENGTH, "buffer_offset");
  put_64(&extra, 2, 4, OFFSETS);
  expect(&extra, BERTH_REASON_COLUMN_LENGTH, "buffer_offset");
  put_64(&extra, 2, 3, OFFSETS);
  put_varints(&extra, 3, 2, (const uint64_t[]){0, 0});
  expect(&extra, BERTH_REASON_COLUMN_LENGTH, "buffer_pool");
  put_64(&extra, 2, 3, OFFSETS);
  put_varints(&extra, 3, 3, (const uint64_t[]){0, 1, 0});
  expect(&extra, BERTH_REASON_BAD_POOL, "buffer_pool");
  put_64(&extra, 2, 3, OFFSETS);
  put_number(&extra, 4, 10001);
  expect(&extra, BERTH_REASON_BAD_NUMBER, "max_violations");
}
END_TEST

START_TEST(test_verdict) {
  struct berth_violation violations[2] = {
      {.kind = BERTH_VIOLATION_OVERLAP,
       .buffer_a = 1,
       .buffer_b = 2,
       .pool = 3,
       .first_byte = 4,
       .end_byte = UINT64_MAX,
       .first_step = -6,
       .end_step = 7,
       .message = "they overlap"},
      {.kind = BERTH_VIOLATION_FIGURES, .buffer_a = 9, .buffer_b = BERTH_NO_INDEX, .message = "wrong arena"},
  };
  const struct berth_verdict verdict = {.n_violations = 17, .n_listed = 2};
  for (uint32_t capacity = 0; capacity <= 3; capacity++) {
    struct berth_violation got[3];
    struct berth_verdict said;
    struct berth_error err;
    struct message message = {0};
    const struct berth_codec_sink sink = sink_of(&message);
    ck_assert_int_eq(berth_codec_encode_verify_response(&verdict, violations, NULL, &sink, &err), BERTH_OK);
    ck_assert_int_eq(
        berth_codec_decode_verify_response(
            plain_codec(), message.bytes, message.n, got, capacity, &said, &err),
        BERTH_OK);
    ck_assert_uint_eq(said.n_violations, 17);
    ck_assert_uint_eq(said.n_listed, capacity < 2 ? capacity : 2);
    for (uint32_t i = 0; i < said.n_listed; i++) {
      ck_assert_int_eq(got[i].kind, violations[i].kind);
      ck_assert_uint_eq(got[i].buffer_a, violations[i].buffer_a);
      ck_assert_uint_eq(got[i].buffer_b, violations[i].buffer_b);
      ck_assert_uint_eq(got[i].pool, violations[i].pool);
      ck_assert_uint_eq(got[i].first_byte, violations[i].first_byte);
      ck_assert_uint_eq(got[i].end_byte, violations[i].end_byte);
      ck_assert_int_eq(got[i].first_step, violations[i].first_step);
      ck_assert_int_eq(got[i].end_step, violations[i].end_step);
      ck_assert_str_eq(got[i].message, violations[i].message);
    }
    message_finish(&message);
  }
}
END_TEST

START_TEST(test_a_verdict_that_contradicts_itself) {
  struct message message = {0};
  struct berth_verdict verdict;
  struct berth_error err;
  put_number(&message, 1, 1); /* valid */
  put_number(&message, 2, 5); /* with five violations */
  ck_assert_int_eq(
      berth_codec_decode_verify_response(plain_codec(), message.bytes, message.n, NULL, 0, &verdict, &err),
      BERTH_INTERNAL);
  message_finish(&message);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/verify",
      (const TTest *const[]){
          test_request, test_bad_requests, test_verdict, test_a_verdict_that_contradicts_itself, NULL});
}
