/* What protobuf-c would take and must not get. */
#include "codec/wire.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "berth/v1/plan_service.pb-c.h"
#include "message.h"
#include "suite.h"

static enum berth_code
scan_with(const struct message *message, uint64_t max_fields, bool allow_unknown, struct berth_error *err) {
  const struct berth_wire_rule rules[] = {{&berth__v1__problem__descriptor, BUFFER_SIZE, 4}};
  const struct berth_wire_policy policy = {
      .max_fields = max_fields, .allow_unknown = allow_unknown, .rules = rules, .n_rules = 1};
  uint8_t *copy = malloc(message->n + 1); /* exactly as long, for a sanitizer */
  uint8_t *exact = realloc(copy, message->n > 0 ? message->n : 1);
  if (message->n > 0) {
    memcpy(exact, message->bytes, message->n);
  }
  memset(err, 0, sizeof *err);
  enum berth_code code =
      berth_wire_scan(&berth__v1__compute_plan_request__descriptor, &policy, exact, message->n, err);
  free(exact);
  return code;
}

static enum berth_code scan(const struct message *message, struct berth_error *err) {
  return scan_with(message, 1000, false, err);
}

static void
expect(struct message *message, enum berth_code code, enum berth_reason reason, const char *field) {
  struct berth_error err;
  enum berth_code got = scan(message, &err);
  ck_assert_msg(
      got == code && err.reason == reason && strcmp(err.field, field) == 0, "got %s %s \"%s\": %s",
      berth_code_name(got), berth_reason_name(err.reason), err.field, err.message);
  message_finish(message);
}

#define MALFORMED BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED

/* A request whose problem is `inner`. */
static struct message with_problem(struct message *inner) {
  struct message whole = {0};
  put_message(&whole, REQUEST_PROBLEM, inner);
  return whole;
}

START_TEST(test_good) {
  struct message problem = {0};
  struct berth_error err;
  put_text(
      &problem, PROBLEM_NAME,
      "h\xc3\xa4"
      "fen");
  put_buffers(&problem, 3);
  struct message whole = with_problem(&problem);
  ck_assert_int_eq(scan(&whole, &err), BERTH_OK);
  message_finish(&whole);
  ck_assert_int_eq(scan(&whole, &err), BERTH_OK); /* empty */
}
END_TEST

START_TEST(test_every_cut) {
  struct message problem = {0};
  struct berth_error err;
  struct message pool = {0};
  put_text(&pool, POOL_NAME, "sram");
  put_message(&problem, PROBLEM_POOLS, &pool);
  put_buffers(&problem, 2);
  struct message whole = with_problem(&problem);
  put_number(&whole, 3, 1);
  size_t n_fine = 0;
  size_t n = whole.n;
  for (size_t cut = 0; cut < n; cut++) {
    whole.n = cut;
    n_fine += scan(&whole, &err) == BERTH_OK;
  }
  ck_assert_uint_eq(n_fine, 2); /* nothing, and all but the last field */
  whole.n = n;
  message_finish(&whole);
}
END_TEST

START_TEST(test_repeated_singular_submessage) {
  struct message whole = {0};
  struct message problem = {0};
  put_message(&whole, REQUEST_PROBLEM, &problem);
  put_message(&whole, REQUEST_PROBLEM, &problem);
  expect(&whole, MALFORMED, "problem");
  put_field(&whole, REQUEST_OPTIONS, "", 0);
  put_field(&whole, REQUEST_OPTIONS, "", 0);
  expect(&whole, MALFORMED, "options");
}
END_TEST

/* The trap: two megabytes of them keep protobuf-c busy for more than a minute. */
START_TEST(test_repeated_singular_is_refused_fast) {
  struct message whole = {0};
  while (whole.n < (size_t)2 << 20) {
    put_field(&whole, REQUEST_PROBLEM, "\x0a\x01x", 3);
  }
  clock_t begin = clock();
  expect(&whole, MALFORMED, "problem");
  ck_assert_double_lt((double)(clock() - begin) / CLOCKS_PER_SEC, 5); /* a millisecond or two */
}
END_TEST

START_TEST(test_nesting) {
  /* 60 KB of nesting: no message here holds itself, so the first step that the descriptors do not know ends
   * it. */
  struct message inner = {0};
  for (int i = 0; i < 15000; i++) {
    struct message outer = {0};
    put_message(&outer, 1, &inner);
    inner = outer;
    if (inner.n > 60000) {
      break;
    }
  }
  struct berth_error err;
  ck_assert_int_eq(scan(&inner, &err), BERTH_INVALID_ARGUMENT);
  message_finish(&inner);
}
END_TEST

START_TEST(test_text) {
  struct message problem = {0};
  put_field(&problem, PROBLEM_NAME, "a\xff", 2);
  struct message whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_TEXT, "problem.name");
  put_field(&problem, PROBLEM_NAME, "a\0b", 3);
  whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_TEXT, "problem.name");
  struct message pool = {0};
  put_message(&problem, PROBLEM_POOLS, &pool);
  put_field(&pool, POOL_NAME, "\xc0\x80", 2);
  put_message(&problem, PROBLEM_POOLS, &pool);
  whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_TEXT, "problem.pools[1].name");
}
END_TEST

START_TEST(test_wire_types) {
  struct message whole = {0};
  put_number(&whole, REQUEST_PROBLEM, 5);
  expect(&whole, MALFORMED, "problem");
  put_tag(&whole, REQUEST_PROBLEM, WIRE_GROUP);
  expect(&whole, MALFORMED, "problem");
  put_tag(&whole, 3, 7);
  expect(&whole, MALFORMED, "validate_only");
  put_field(&whole, 3, "\1", 1); /* a packed bool that is not repeated */
  expect(&whole, MALFORMED, "validate_only");
  struct message problem = {0};
  put_tag(&problem, BUFFER_SIZE, WIRE_32);
  put_bytes(&problem, "1234", 4);
  whole = with_problem(&problem);
  expect(&whole, MALFORMED, "problem.buffer_size_bytes");
  put_number(&problem, BUFFER_ID_TEXT, 1);
  whole = with_problem(&problem);
  expect(&whole, MALFORMED, "problem.buffer_id_text");
}
END_TEST

START_TEST(test_lengths) {
  struct message whole = {0};
  put_tag(&whole, REQUEST_PROBLEM, WIRE_LENGTH);
  put_varint(&whole, 1000000000);
  expect(&whole, MALFORMED, "problem");
  put_tag(&whole, REQUEST_PROBLEM, WIRE_LENGTH);
  put_varint(&whole, UINT64_MAX); /* would wrap a pointer */
  expect(&whole, MALFORMED, "problem");
  /* 10^9 claimed entries inside a problem of a few bytes */
  struct message problem = {0};
  put_tag(&problem, BUFFER_SIZE, WIRE_LENGTH);
  put_varint(&problem, UINT64_C(8000000000));
  whole = with_problem(&problem);
  expect(&whole, MALFORMED, "problem.buffer_size_bytes");
  put_field(&problem, BUFFER_SIZE, "123456789", 9);
  whole = with_problem(&problem);
  expect(&whole, MALFORMED, "problem.buffer_size_bytes");
  put_field(&problem, BUFFER_ALIGNMENT, "\x80", 1);
  whole = with_problem(&problem);
  expect(&whole, MALFORMED, "problem.buffer_alignment");
}
END_TEST

START_TEST(test_varints) {
  static const uint8_t LONG[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
  static const uint8_t BEYOND[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  struct message whole = {0};
  put_bytes(&whole, LONG, sizeof LONG);
  expect(&whole, MALFORMED, "");
  put_tag(&whole, 3, WIRE_VARINT);
  put_bytes(&whole, BEYOND, sizeof BEYOND);
  expect(&whole, MALFORMED, "validate_only");
  put_number(&whole, 0, 1); /* no field has number 0 */
  expect(&whole, MALFORMED, "");
  put_varint(&whole, UINT64_C(1) << 33);
  put_varint(&whole, 1);
  expect(&whole, MALFORMED, "");
}
END_TEST

/* Zeros in front: protobuf-c takes five bytes of a tag or a length and fails for more, as it does when memory
 * runs out. */
START_TEST(test_padded_tags_and_lengths) {
  static const uint8_t TAG_OF_5[] = {0x98, 0x80, 0x80, 0x80, 0x00, 0x01};
  static const uint8_t TAG_OF_6[] = {0x98, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01};
  static const uint8_t LENGTH_OF_5[] = {0x0a, 0x80, 0x80, 0x80, 0x80, 0x00};
  static const uint8_t LENGTH_OF_6[] = {0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
  struct message whole = {0};
  struct berth_error err;
  put_bytes(&whole, TAG_OF_5, sizeof TAG_OF_5);
  put_bytes(&whole, LENGTH_OF_5, sizeof LENGTH_OF_5);
  ck_assert_int_eq(scan(&whole, &err), BERTH_OK);
  ProtobufCMessage *taken =
      protobuf_c_message_unpack(&berth__v1__compute_plan_request__descriptor, NULL, whole.n, whole.bytes);
  ck_assert_ptr_nonnull(taken);
  protobuf_c_message_free_unpacked(taken, NULL);
  message_finish(&whole);
  put_bytes(&whole, TAG_OF_6, sizeof TAG_OF_6);
  ck_assert_ptr_null(
      protobuf_c_message_unpack(&berth__v1__compute_plan_request__descriptor, NULL, whole.n, whole.bytes));
  expect(&whole, MALFORMED, "");
  put_bytes(&whole, LENGTH_OF_6, sizeof LENGTH_OF_6);
  ck_assert_ptr_null(
      protobuf_c_message_unpack(&berth__v1__compute_plan_request__descriptor, NULL, whole.n, whole.bytes));
  expect(&whole, MALFORMED, "problem");
}
END_TEST

/* protobuf-c cuts these to 32 bits: 2^32 + 5 would name buffer 5. */
START_TEST(test_numbers_that_would_be_cut) {
  struct message problem = {0};
  struct message whole;
  put_varints(&problem, BUFFER_POOL, 2, (const uint64_t[]){0, (UINT64_C(1) << 32) + 5});
  whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, "problem.buffer_pool");
  put_varints(&problem, BUFFER_CLASS, 2, (const uint64_t[]){1, 7});
  whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, "problem.buffer_class");
  put_varints(&problem, BUFFER_CLASS, 1, (const uint64_t[]){UINT64_MAX});
  whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, "problem.buffer_class");
  put_number(&whole, 3, 2);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, "validate_only");
}
END_TEST

START_TEST(test_unknown_fields) {
  struct message whole = {0};
  struct berth_error err;
  put_text(&whole, 4000, "from the future");
  ck_assert_int_eq(scan_with(&whole, 1000, true, &err), BERTH_OK);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_FIELD, "");
  struct message problem = {0};
  put_number(&problem, 500, 1);
  whole = with_problem(&problem);
  expect(&whole, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_FIELD, "problem");
}
END_TEST

START_TEST(test_limits) {
  struct message problem = {0};
  struct berth_error err;
  uint64_t sizes[5] = {1, 2, 3, 4, 5};
  put_64(&problem, BUFFER_SIZE, 4, sizes);
  struct message whole = with_problem(&problem);
  ck_assert_int_eq(scan(&whole, &err), BERTH_OK);
  message_finish(&whole);
  put_64(&problem, BUFFER_SIZE, 5, sizes);
  whole = with_problem(&problem);
  expect(&whole, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, "problem.buffer_size_bytes");
  put_64(&problem, BUFFER_SIZE, 3, sizes); /* in pieces */
  put_64(&problem, BUFFER_SIZE, 2, sizes);
  whole = with_problem(&problem);
  expect(&whole, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, "problem.buffer_size_bytes");
  for (int i = 0; i < 1000; i++) {
    put_number(&whole, 3, 1);
  }
  ck_assert_int_eq(scan(&whole, &err), BERTH_OK);
  put_number(&whole, 3, 1);
  expect(&whole, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, "");
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/wire", (const TTest *const[]){
                        test_good, test_every_cut, test_repeated_singular_submessage,
                        test_repeated_singular_is_refused_fast, test_nesting, test_text, test_wire_types,
                        test_lengths, test_varints, test_padded_tags_and_lengths,
                        test_numbers_that_would_be_cut, test_unknown_fields, test_limits, NULL});
}
