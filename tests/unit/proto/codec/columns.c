/* Problems whose columns disagree, and what is said about them. */
#include <string.h>

#include "berth/v1/problem.pb-c.h"
#include "message.h"
#include "suite.h"

#define INVALID BERTH_INVALID_ARGUMENT
#define U32(...)                                                                                             \
  (sizeof((const uint32_t[]){__VA_ARGS__}) / 4), (const uint32_t[]) {                                        \
    __VA_ARGS__                                                                                              \
  }
#define U64(...)                                                                                             \
  (sizeof((const uint64_t[]){__VA_ARGS__}) / 8), (const uint64_t[]) {                                        \
    __VA_ARGS__                                                                                              \
  }

START_TEST(test_no_problem) {
  const struct berth_codec codec = {.limits = berth_codec_limits_default()};
  struct berth_codec_compute request;
  struct berth_error err;
  ck_assert_int_eq(berth_codec_decode_compute(&codec, NULL, 0, &request, &err), INVALID);
  ck_assert_int_eq(err.reason, BERTH_REASON_MISSING_FIELD);
  ck_assert_str_eq(err.field, "problem");
}
END_TEST

START_TEST(test_lengths_of_columns) {
  static const uint32_t NEEDED[] = {BUFFER_SIZE, BUFFER_LOWER, BUFFER_UPPER};
  static const char *const NAMES[] = {"problem.buffer_lower", "problem.buffer_lower", "problem.buffer_upper"};
  struct message m = {0};
  for (int missing = 0; missing < 3; missing++) {
    for (int i = 0; i < 3; i++) {
      if (i != missing) {
        put_64(&m, NEEDED[i], U64(8, 9));
      }
    }
    expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, NAMES[missing]);
  }
  put_buffers(&m, 3);
  put_varints(&m, BUFFER_ALIGNMENT, U64(1, 2));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.buffer_alignment");
  put_buffers(&m, 3);
  put_varints(&m, BUFFER_CLASS, U64(1, 1, 1, 1));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.buffer_class");
  put_buffers(&m, 3);
  put_32(&m, PIN_BUFFER, U32(1));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.pin_offset");
  put_buffers(&m, 3);
  put_32(&m, GAP_BUFFER, U32(1));
  put_64(&m, GAP_LOWER, U64(1));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.gap_upper");
  put_buffers(&m, 3);
  put_32(&m, CONFLICT_A, U32(1));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.conflict_b");
}
END_TEST

START_TEST(test_ends) {
  struct message m = {0};
  put_buffers(&m, 3);
  put_field(&m, BUFFER_ID_TEXT, "abc", 3);
  put_32(&m, BUFFER_ID_END, U32(1, 3, 2));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_NUMBER, "problem.buffer_id_end[2]");
  put_buffers(&m, 3);
  put_field(&m, BUFFER_ID_TEXT, "abc", 3);
  put_32(&m, BUFFER_ID_END, U32(1, 2, 1000000000));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.buffer_id_end");
  put_buffers(&m, 3);
  put_field(&m, BUFFER_ID_TEXT, "abc", 3); /* text, and nothing that cuts it */
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.buffer_id_end");
  put_buffers(&m, 3);
  put_varints(&m, BUFFER_POOL_END, U64(1, 1, 2));
  put_varints(&m, BUFFER_POOL, U64(0));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.buffer_pool_end");
}
END_TEST

/* No bytes arrive as no array, into which no end may point. */
START_TEST(test_text_without_bytes) {
  const struct berth_codec_limits limits = berth_codec_limits_default();
  struct message m = {0};
  struct berth_error err;
  put_buffers(&m, 3);
  put_32(&m, BUFFER_ID_END, U32(0, 0, 0));
  ck_assert_int_eq(decode_problem(&m, &limits, &err), BERTH_OK);
}
END_TEST

START_TEST(test_indices) {
  struct message m = {0};
  put_buffers(&m, 3);
  put_32(&m, PIN_BUFFER, U32(0, 3));
  put_64(&m, PIN_OFFSET, U64(0, 0));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.pin_buffer[1]");
  put_buffers(&m, 3);
  put_32(&m, PIN_BUFFER, U32(2, 2));
  put_64(&m, PIN_OFFSET, U64(0, 0));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_PIN, "problem.pin_buffer[1]");
  put_buffers(&m, 3);
  put_32(&m, PIN_BUFFER, U32(2));
  put_64(&m, PIN_OFFSET, U64(UINT64_MAX));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_PIN, "problem.pin_offset[0]");
  put_buffers(&m, 3);
  put_32(&m, GAP_BUFFER, U32(UINT32_MAX));
  put_64(&m, GAP_LOWER, U64(0));
  put_64(&m, GAP_UPPER, U64(1));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.gap_buffer[0]");
  put_buffers(&m, 3);
  put_32(&m, GAP_BUFFER, U32(2, 1));
  put_64(&m, GAP_LOWER, U64(2, 1));
  put_64(&m, GAP_UPPER, U64(3, 2));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_GAP, "problem.gap_buffer[1]");
  put_buffers(&m, 3);
  put_32(&m, CONFLICT_A, U32(0));
  put_32(&m, CONFLICT_B, U32(3));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.conflict_b[0]");
}
END_TEST

/* What the builder refuses is named by its column. */
START_TEST(test_builder_blames_columns) {
  struct message m = {0};
  put_64(&m, BUFFER_SIZE, U64(1, 2, 3));
  put_64(&m, BUFFER_LOWER, U64(0, 5, 0));
  put_64(&m, BUFFER_UPPER, U64(1, 4, 1));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_LIFETIME, "problem.buffer_upper[1]");
  put_64(&m, BUFFER_SIZE, U64(1, UINT64_MAX));
  put_64(&m, BUFFER_LOWER, U64(0, 0));
  put_64(&m, BUFFER_UPPER, U64(1, 1));
  expect_refused(&m, INVALID, BERTH_REASON_SIZE_OVERFLOW, "problem.buffer_size_bytes[1]");
  put_buffers(&m, 3);
  put_varints(&m, BUFFER_ALIGNMENT, U64(1, 1, 3));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_ALIGNMENT, "problem.buffer_alignment[2]");
  put_buffers(&m, 3);
  put_field(&m, BUFFER_ID_TEXT, "aba", 3);
  put_32(&m, BUFFER_ID_END, U32(1, 2, 3));
  expect_refused(&m, INVALID, BERTH_REASON_DUPLICATE_ID, "problem.buffer_id_end[2]");
  put_buffers(&m, 3);
  put_field(
      &m, BUFFER_ID_TEXT,
      "a\xff"
      "c",
      3);
  put_32(&m, BUFFER_ID_END, U32(1, 2, 3));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_TEXT, "problem.buffer_id_end[1]");
  put_buffers(&m, 3);
  put_field(&m, BUFFER_ID_TEXT, "a\0c", 3);
  put_32(&m, BUFFER_ID_END, U32(1, 2, 3));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_TEXT, "problem.buffer_id_end[1]");
  put_buffers(&m, 3);
  put_32(&m, GAP_BUFFER, U32(0, 2));
  put_64(&m, GAP_LOWER, U64(0, 0));
  put_64(&m, GAP_UPPER, U64(1, 1));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_GAP, "problem.gap_lower[1]");
  put_buffers(&m, 3);
  put_varints(&m, BUFFER_POOL_END, U64(0, 1, 1));
  put_varints(&m, BUFFER_POOL, U64(9));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.buffer_pool_end[1]");
}
END_TEST

START_TEST(test_pools) {
  struct message m = {0};
  struct message pool = {0};
  put_text(&pool, POOL_NAME, "a");
  put_message(&m, PROBLEM_POOLS, &pool);
  put_text(&pool, POOL_NAME, "a");
  put_message(&m, PROBLEM_POOLS, &pool);
  put_buffers(&m, 1);
  expect_refused(&m, INVALID, BERTH_REASON_DUPLICATE_ID, "problem.pools[1].name");
  put_text(&pool, POOL_NAME, "a");
  put_number(&pool, 3, 12);
  put_message(&m, PROBLEM_POOLS, &pool);
  put_buffers(&m, 1);
  expect_refused(&m, INVALID, BERTH_REASON_BAD_ALIGNMENT, "problem.pools[0].alignment");
}
END_TEST

START_TEST(test_graphs) {
  struct message m = {0};
  put_buffers(&m, 1);
  put_64(&m, VALUE_SIZE, U64(1));
  expect_refused(&m, INVALID, BERTH_REASON_MALFORMED, "problem");
  put_64(&m, VALUE_SIZE, U64(1, 1));
  put_varints(&m, VALUE_CLASS, U64(3));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.value_class");
  put_64(&m, VALUE_SIZE, U64(1, 1));
  put_varints(&m, OPERATOR_INPUT_END, U64(1));
  put_varints(&m, OPERATOR_INPUT, U64(0));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.operator_output_end");
  put_64(&m, VALUE_SIZE, U64(1, 1));
  put_varints(&m, OPERATOR_INPUT_END, U64(1));
  put_varints(&m, OPERATOR_INPUT, U64(2));
  put_varints(&m, OPERATOR_OUTPUT_END, U64(1));
  put_varints(&m, OPERATOR_OUTPUT, U64(1));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.operator_input[0]");
  put_64(&m, VALUE_SIZE, U64(1, 1));
  put_varints(&m, OPERATOR_INPUT_END, U64(2, 1));
  put_varints(&m, OPERATOR_INPUT, U64(0));
  put_varints(&m, OPERATOR_OUTPUT_END, U64(1, 1));
  put_varints(&m, OPERATOR_OUTPUT, U64(1));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_NUMBER, "problem.operator_input_end[1]");
  put_64(&m, VALUE_SIZE, U64(1, 1)); /* value 0 is read and nobody writes it */
  put_varints(&m, OPERATOR_INPUT_END, U64(1));
  put_varints(&m, OPERATOR_INPUT, U64(0));
  put_varints(&m, OPERATOR_OUTPUT_END, U64(1));
  put_varints(&m, OPERATOR_OUTPUT, U64(1));
  expect_refused(&m, INVALID, BERTH_REASON_BAD_ORDER, "problem.operator_input_end[0]");
  put_64(&m, VALUE_SIZE, U64(1, 1)); /* a permission of operator 1, and there is one */
  put_varints(&m, VALUE_CLASS, U64(3, 1));
  put_varints(&m, OPERATOR_INPUT_END, U64(1));
  put_varints(&m, OPERATOR_INPUT, U64(0));
  put_varints(&m, OPERATOR_OUTPUT_END, U64(1));
  put_varints(&m, OPERATOR_OUTPUT, U64(1));
  put_32(&m, INPLACE_OPERATOR, U32(1));
  put_varints(&m, INPLACE_INPUT, U64(0));
  put_varints(&m, INPLACE_OUTPUT, U64(0));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.inplace_operator[0]");
  put_64(&m, VALUE_SIZE, U64(1, 1)); /* of its input 1, and there is one */
  put_varints(&m, VALUE_CLASS, U64(3, 1));
  put_varints(&m, OPERATOR_INPUT_END, U64(1));
  put_varints(&m, OPERATOR_INPUT, U64(0));
  put_varints(&m, OPERATOR_OUTPUT_END, U64(1));
  put_varints(&m, OPERATOR_OUTPUT, U64(1));
  put_32(&m, INPLACE_OPERATOR, U32(0));
  put_varints(&m, INPLACE_INPUT, U64(1));
  put_varints(&m, INPLACE_OUTPUT, U64(0));
  expect_refused(&m, INVALID, BERTH_REASON_UNKNOWN_ID, "problem.inplace_operator[0]");
  put_64(&m, VALUE_SIZE, U64(1, 1));
  put_32(&m, INPLACE_OPERATOR, U32(0));
  expect_refused(&m, INVALID, BERTH_REASON_COLUMN_LENGTH, "problem.inplace_input");
  put_64(&m, VALUE_SIZE, U64(1));
  put_varints(&m, VALUE_CLASS, U64(6)); /* a value cannot be a workspace */
  expect_refused(&m, INVALID, BERTH_REASON_BAD_NUMBER, "problem.value_class[0]");
}
END_TEST

/* Every column has a limit: a new one without is found here. */
START_TEST(test_every_column_is_limited) {
  const ProtobufCMessageDescriptor *descriptor = &berth__v1__problem__descriptor;
  struct berth_codec_limits limits = berth_codec_limits_default();
  limits.buffers = limits.operators = limits.edges = limits.symbols = limits.expressions = 3;
  limits.pools = limits.parts = 3;
  int n_columns = 0;
  for (unsigned i = 0; i < descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
      continue;
    }
    struct message m = {0};
    struct berth_error err;
    static const uint8_t ZEROS[4 * 8] = {0};
    bool wide = field->type == PROTOBUF_C_TYPE_FIXED64 || field->type == PROTOBUF_C_TYPE_SFIXED64;
    bool narrow = field->type == PROTOBUF_C_TYPE_FIXED32;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING) {
      for (int k = 0; k < 4; k++) {
        put_field(&m, field->id, "", 0);
      }
    } else {
      put_field(&m, field->id, ZEROS, wide ? 32 : narrow ? 16 : 4);
    }
    enum berth_code code = decode_problem(&m, &limits, &err);
    ck_assert_msg(
        code == BERTH_RESOURCE_EXHAUSTED && err.reason == BERTH_REASON_LIMIT_EXCEEDED, "%s: %s %s",
        field->name, berth_code_name(code), err.message);
    ck_assert_msg(strstr(err.field, field->name) != NULL, "%s", err.field);
    n_columns++;
  }
  ck_assert_int_gt(n_columns, 30);
}
END_TEST

START_TEST(test_limits) {
  struct berth_codec_limits limits = berth_codec_limits_default();
  struct berth_error err;
  struct message m = {0};
  limits.buffers = 3;
  put_buffers(&m, 3);
  ck_assert_int_eq(decode_problem(&m, &limits, &err), BERTH_OK);
  put_buffers(&m, 4);
  ck_assert_int_eq(decode_problem(&m, &limits, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_str_eq(err.field, "problem.buffer_size_bytes");
  limits.text_bytes = 4;
  put_buffers(&m, 1);
  put_text(&m, PROBLEM_NAME, "abcde");
  ck_assert_int_eq(decode_problem(&m, &limits, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_str_eq(err.field, "problem.name");
  put_buffers(&m, 1);
  put_field(&m, BUFFER_ID_TEXT, "abcde", 5);
  put_32(&m, BUFFER_ID_END, U32(5));
  ck_assert_int_eq(decode_problem(&m, &limits, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_str_eq(err.field, "problem.buffer_id_end[0]");
  limits.message_bytes = 20;
  put_buffers(&m, 3);
  ck_assert_int_eq(decode_problem(&m, &limits, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_LIMIT_EXCEEDED);
}
END_TEST

static enum berth_code
decode_options(struct message *options, struct berth_solve_options *out, struct berth_error *err) {
  const struct berth_codec codec = {.limits = berth_codec_limits_default()};
  struct berth_codec_compute request;
  struct message whole = {0};
  struct message problem = {0};
  put_buffers(&problem, 1);
  put_message(&whole, REQUEST_PROBLEM, &problem);
  put_message(&whole, REQUEST_OPTIONS, options);
  enum berth_code code = berth_codec_decode_compute(&codec, whole.bytes, whole.n, &request, err);
  *out = request.options;
  berth_codec_compute_finish(&request);
  message_finish(&whole);
  return code;
}

START_TEST(test_options) {
  struct message m = {0};
  struct berth_solve_options options;
  struct berth_error err;
  ck_assert_int_eq(decode_options(&m, &options, &err), BERTH_OK);
  ck_assert_uint_eq(options.budget_ticks, 0);
  ck_assert_uint_eq(options.capacity_bytes, BERTH_UNLIMITED);
  ck_assert_uint_eq(options.strategies, BERTH_ALL_STRATEGIES);
  ck_assert_int_eq(options.reuse, BERTH_REUSE_FULL);
  put_number(&m, 1, 77);
  put_number(&m, 2, 4096);
  put_number(&m, 3, 3);
  put_text(&m, 4, "exact");
  put_text(&m, 4, "improve");
  ck_assert_int_eq(decode_options(&m, &options, &err), BERTH_OK);
  ck_assert_uint_eq(options.budget_ticks, 77);
  ck_assert_uint_eq(options.capacity_bytes, 4096);
  ck_assert_int_eq(options.reuse, BERTH_REUSE_NONE);
  ck_assert_uint_eq(
      options.strategies,
      BERTH_ALL_STRATEGIES & ~((1u << BERTH_STRATEGY_EXACT) | (1u << BERTH_STRATEGY_IMPROVE)));
  put_text(&m, 4, "magic");
  ck_assert_int_eq(decode_options(&m, &options, &err), INVALID);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
  ck_assert_ptr_nonnull(strstr(err.message, "placement")); /* what would be right */
  put_number(&m, 3, 9);
  ck_assert_int_eq(decode_options(&m, &options, &err), INVALID);
  ck_assert_str_eq(err.field, "options.reuse");
}
END_TEST

START_TEST(test_added_waits_as_asked) {
  struct message m = {0};
  struct berth_solve_options options;
  struct berth_error err;
  ck_assert_int_eq(decode_options(&m, &options, &err), BERTH_OK);
  ck_assert(!berth_sync_is_asked(&options.sync));
  put_number(&m, 20, 1);
  put_number(&m, 21, 512);
  ck_assert_int_eq(decode_options(&m, &options, &err), BERTH_OK);
  ck_assert_uint_eq(options.sync.cost_bytes, 512);
  ck_assert_uint_eq(options.sync.max_syncs, UINT32_MAX);
  put_number(&m, 20, 1);
  put_number(&m, 22, 3);
  ck_assert_int_eq(decode_options(&m, &options, &err), BERTH_OK);
  ck_assert_uint_eq(options.sync.cost_bytes, 0);
  ck_assert_uint_eq(options.sync.max_syncs, 3);
  put_number(&m, 21, 512);
  ck_assert_int_eq(decode_options(&m, &options, &err), INVALID);
  ck_assert_str_eq(err.field, "options.sync_cost_bytes");
  put_number(&m, 22, 3);
  ck_assert_int_eq(decode_options(&m, &options, &err), INVALID);
  ck_assert_str_eq(err.field, "options.max_syncs");
  put_number(&m, 20, 1);
  put_number(&m, 21, (UINT64_C(1) << 62) + 1);
  ck_assert_int_eq(decode_options(&m, &options, &err), INVALID);
  ck_assert_str_eq(err.field, "options.sync_cost_bytes");
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/columns",
      (const TTest *const[]){
          test_no_problem, test_lengths_of_columns, test_ends, test_text_without_bytes, test_indices,
          test_builder_blames_columns, test_pools, test_graphs, test_every_column_is_limited, test_limits,
          test_options, test_added_waits_as_asked, NULL});
}
