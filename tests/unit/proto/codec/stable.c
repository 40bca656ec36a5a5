/* An earlier plan in requests: what is taken, what is refused and where, and back again. */
#include "berth/stable.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "suite.h"

enum {
  REQUEST_EARLIER = 40,
  OPTIONS_KEEP = 10,
  EARLIER_PLACED = 1,
  EARLIER_OFFSET = 2,
  EARLIER_POOL = 3,
  EARLIER_ARENA = 4,
  PLACED_PROBLEM = 1,
  PLACED_ID = 3,
  PLACED_OFFSET = 4,
  KEEP_BY = 1,
  KEEP_GROWTH = 2,
  KEEP_AMOUNT = 3,
  KEEP_ALL = 4,
  KEEP_CLASS = 5,
  KEEP_POOL = 6,
  KEEP_BUFFER = 7,
  KEEP_LIMIT = 8
};

static const char ID[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static struct berth_codec codec_without_plans(void) {
  return (struct berth_codec){.limits = berth_codec_limits_default()};
}

/* Takes both parts. */
static enum berth_code decode(
    const struct berth_codec *codec, struct message *earlier, struct message *keep,
    struct berth_codec_compute *out, struct berth_error *err) {
  struct message request = {0};
  struct message problem = {0};
  struct message options = {0};
  put_buffers(&problem, 2);
  put_message(&request, REQUEST_PROBLEM, &problem);
  if (keep != NULL) {
    put_message(&options, OPTIONS_KEEP, keep);
    put_message(&request, REQUEST_OPTIONS, &options);
  }
  if (earlier != NULL) {
    put_message(&request, REQUEST_EARLIER, earlier);
  }
  enum berth_code code = berth_codec_decode_compute(codec, request.bytes, request.n, out, err);
  message_finish(&request);
  return code;
}

static void put_places(struct message *earlier) {
  static const uint64_t OFFSETS[] = {0, 4096};
  put_64(earlier, EARLIER_OFFSET, 2, OFFSETS);
}

START_TEST(places_and_what_is_asked) {
  static const uint64_t LIMIT[] = {1 << 20};
  static const uint32_t MUST[] = {1};
  const struct berth_codec codec = codec_without_plans();
  struct message earlier = {0};
  struct message keep = {0};
  struct berth_codec_compute request;
  struct berth_error err = {0};
  put_places(&earlier);
  put_number(&keep, KEEP_BY, 2);
  put_number(&keep, KEEP_GROWTH, 4);
  put_32(&keep, KEEP_BUFFER, 1, MUST);
  put_varints(&keep, KEEP_LIMIT, 1, LIMIT);
  ck_assert_msg(decode(&codec, &earlier, &keep, &request, &err) == BERTH_OK, "%s", err.message);
  const struct berth_stable *stable = request.options.stable;
  ck_assert(stable->keep_by == BERTH_KEEP_BYTES && stable->is_least);
  ck_assert(stable->offset[1] == 4096 && stable->pool[1] == 0);
  ck_assert(stable->must[0] == 0 && stable->must[1] == 1 && stable->limit_bytes[0] == 1 << 20);
  berth_codec_compute_finish(&request);
}
END_TEST

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct message *message = ctx;
  message->bytes = malloc(n_bytes + 1);
  message->n = message->capacity = n_bytes;
  return message->bytes;
}

START_TEST(there_and_back) {
  const struct berth_codec codec = codec_without_plans();
  struct message earlier = {0};
  struct message keep = {0};
  struct message bytes = {0};
  struct berth_codec_compute request;
  struct berth_codec_compute again;
  struct berth_error err = {0};
  put_places(&earlier);
  put_number(&keep, KEEP_ALL, 1);
  put_number(&keep, KEEP_GROWTH, 2);
  put_number(&keep, KEEP_AMOUNT, 77);
  ck_assert_int_eq(decode(&codec, &earlier, &keep, &request, &err), BERTH_OK);
  const struct berth_codec_sink sink = {.ctx = &bytes, .reserve = reserve};
  ck_assert_int_eq(
      berth_codec_encode_compute(request.problem, &request.options, false, NULL, &sink, &err), BERTH_OK);
  ck_assert_int_eq(berth_codec_decode_compute(&codec, bytes.bytes, bytes.n, &again, &err), BERTH_OK);
  const struct berth_stable *a = request.options.stable;
  const struct berth_stable *b = again.options.stable;
  ck_assert(a->limit_bytes[0] == b->limit_bytes[0] && a->arena_bytes[0] == b->arena_bytes[0]);
  ck_assert_mem_eq(a->offset, b->offset, 2 * sizeof a->offset[0]);
  ck_assert_mem_eq(a->pool, b->pool, 2 * sizeof a->pool[0]);
  ck_assert_mem_eq(a->must, b->must, 2);
  berth_codec_compute_finish(&again);
  berth_codec_compute_finish(&request);
  message_finish(&bytes);
}
END_TEST

static void expect(
    const struct berth_codec *codec, struct message *earlier, struct message *keep, enum berth_code code,
    enum berth_reason reason, const char *field) {
  struct berth_codec_compute request;
  struct berth_error err = {0};
  ck_assert_int_eq(decode(codec, earlier, keep, &request, &err), code);
  ck_assert_msg(err.reason == reason, "%s: %s", berth_reason_name(err.reason), err.message);
  ck_assert_str_eq(err.field, field);
  ck_assert(request.problem == NULL && request.options.stable == NULL);
}

START_TEST(blamed_on_fields) {
  static const uint64_t THREE[] = {0, 1, 2};
  static const uint64_t FAR[] = {0, INT64_MAX};
  static const uint32_t NOBODY[] = {9};
  const struct berth_codec codec = codec_without_plans();
  struct message earlier = {0};
  struct message keep = {0};
#define REFUSED(reason, field)                                                                               \
  expect(&codec, &earlier, &keep, BERTH_INVALID_ARGUMENT, BERTH_REASON_##reason, field)
  put_number(&keep, KEEP_ALL, 1);
  expect(&codec, NULL, &keep, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, "earlier");
  put_64(&earlier, EARLIER_OFFSET, 3, THREE);
  REFUSED(COLUMN_LENGTH, "earlier.buffer_offset");
  put_places(&earlier);
  put_varints(&earlier, EARLIER_POOL, 3, THREE);
  REFUSED(COLUMN_LENGTH, "earlier.buffer_pool");
  put_places(&earlier);
  put_varints(&earlier, EARLIER_POOL, 2, THREE);
  REFUSED(BAD_POOL, "earlier.buffer_pool");
  put_places(&earlier);
  put_varints(&earlier, EARLIER_ARENA, 3, THREE);
  REFUSED(COLUMN_LENGTH, "earlier.arena_bytes");
  put_64(&earlier, EARLIER_OFFSET, 2, FAR);
  REFUSED(SIZE_OVERFLOW, "earlier.buffer_offset");
  put_places(&earlier);
  put_number(&keep, KEEP_GROWTH, 9);
  REFUSED(BAD_NUMBER, "options.keep.growth");
  put_places(&earlier);
  put_varints(&keep, KEEP_CLASS, 1, (const uint64_t[]){40});
  REFUSED(BAD_NUMBER, "options.keep.must_class");
  put_places(&earlier);
  put_varints(&keep, KEEP_POOL, 1, (const uint64_t[]){4});
  REFUSED(BAD_POOL, "options.keep.must_pool");
  put_places(&earlier);
  put_32(&keep, KEEP_BUFFER, 1, NOBODY);
  REFUSED(UNKNOWN_ID, "options.keep.must_buffer");
  put_places(&earlier);
  put_varints(&keep, KEEP_LIMIT, 2, THREE);
  REFUSED(COLUMN_LENGTH, "options.keep.limit_bytes");
#undef REFUSED
}
END_TEST

START_TEST(an_earlier_problem) {
  static const uint64_t OFFSETS[] = {0, 4096};
  const struct berth_codec codec = codec_without_plans();
  struct message earlier = {0};
  struct message placed = {0};
  struct message problem = {0};
  struct berth_codec_compute request;
  struct berth_error err = {0};
  put_buffers(&problem, 2);
  put_message(&placed, PLACED_PROBLEM, &problem);
  put_64(&placed, PLACED_OFFSET, 2, OFFSETS);
  put_message(&earlier, EARLIER_PLACED, &placed);
  ck_assert_msg(decode(&codec, &earlier, NULL, &request, &err) == BERTH_OK, "%s", err.message);
  ck_assert(request.options.stable->offset[1] == 4096 && request.options.stable->n_gone == 0);
  berth_codec_compute_finish(&request);
  put_buffers(&problem, 2);
  put_message(&placed, PLACED_PROBLEM, &problem);
  put_message(&earlier, EARLIER_PLACED, &placed);
  expect(
      &codec, &earlier, NULL, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD,
      "earlier.placed.buffer_offset");
  put_buffers(&problem, 2);
  put_message(&placed, PLACED_PROBLEM, &problem);
  put_text(&placed, PLACED_ID, ID);
  put_message(&earlier, EARLIER_PLACED, &placed);
  expect(&codec, &earlier, NULL, BERTH_NOT_FOUND, BERTH_REASON_PLAN_NOT_FOUND, "earlier.placed.plan_id");
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/stable",
      (const TTest *const[]){
          places_and_what_is_asked, there_and_back, blamed_on_fields, an_earlier_problem, NULL});
}
