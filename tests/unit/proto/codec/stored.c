/* Lists, batches and measured peaks there and back. */
#include "codec/stored.h"

#include <string.h>

#include "message.h"
#include "suite.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

START_TEST(measurements_there_and_back) {
  const struct berth_measurement sent = {
      .pool = 3, .measured_bytes = 700, .planned_bytes = 350, .ratio = 2, .source = "trace"};
  struct berth_measurement came;
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  char id[BERTH_PLANID_HEX_SIZE];
  uint64_t n = 0;
  ck_assert_int_eq(berth_codec_encode_measurement_report(ID, &sent, &sink, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_measurement_report(plain_codec(), message.bytes, message.n, id, &came, NULL),
      BERTH_OK);
  ck_assert_str_eq(id, ID);
  ck_assert(came.pool == 3 && came.measured_bytes == 700 && strcmp(came.source, "trace") == 0);
  message_finish(&message);
  ck_assert_int_eq(berth_codec_encode_measurement_response(&sent, 5, &sink, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_measurement_response(plain_codec(), message.bytes, message.n, &came, &n, NULL),
      BERTH_OK);
  ck_assert(n == 5 && came.planned_bytes == 350 && came.ratio == 2 && strcmp(came.source, "trace") == 0);
  message_finish(&message);
}
END_TEST

static void expect_no_report(uint64_t measured, const char *id, const char *source, const char *field) {
  struct message message = {0};
  struct berth_measurement came;
  struct berth_error err;
  char out[BERTH_PLANID_HEX_SIZE];
  put_text(&message, 1, id);
  put_number(&message, 3, measured);
  put_text(&message, 4, source);
  ck_assert_int_eq(
      berth_codec_decode_measurement_report(plain_codec(), message.bytes, message.n, out, &came, &err),
      BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, field);
  message_finish(&message);
}

START_TEST(bad_measurements) {
  expect_no_report(0, ID, "", "measured_bytes");
  expect_no_report(1, "", "", "plan_id");
  expect_no_report(1, "ABC", "", "plan_id");
  expect_no_report(1, ID, "0123456789012345678901234567890123456789012345678901234567890123", "source");
}
END_TEST

START_TEST(pages_there_and_back) {
  struct berth_codec_list list;
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  struct berth_stored_plan sent[2] = {
      {.plan_id = ID, .status = BERTH_PLAN_INFEASIBLE, .n_buffers = 4, .lower_bound_bytes = 9},
      {.plan_id = ID,
       .status = BERTH_PLAN_OPTIMAL,
       .arena_bytes = 8,
       .n_measurements = 2,
       .highest_ratio = 1.5}};
  static struct berth_stored_plan came[BERTH_PAGE_SIZE_MOST];
  const uint64_t next = UINT64_C(0xfedcba9876543210);
  char token[BERTH_PAGE_TOKEN_SIZE];
  uint32_t n;
  ck_assert_int_eq(berth_codec_encode_list_response(sent, 2, &next, NULL, &sink, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_list_response(plain_codec(), message.bytes, message.n, came, &n, token, NULL),
      BERTH_OK);
  ck_assert_uint_eq(n, 2);
  ck_assert(came[0].status == BERTH_PLAN_INFEASIBLE && came[0].n_buffers == 4);
  ck_assert(came[1].arena_bytes == 8 && came[1].n_measurements == 2 && came[1].highest_ratio == 1.5);
  message_finish(&message);
  ck_assert_int_eq(berth_codec_encode_list(7, token, &sink, NULL), BERTH_OK);
  ck_assert_int_eq(berth_codec_decode_list(plain_codec(), message.bytes, message.n, &list, NULL), BERTH_OK);
  ck_assert(list.page_size == 7 && list.has_after && list.after == next);
  message_finish(&message);
}
END_TEST

START_TEST(sizes_of_pages) {
  const uint64_t sizes[] = {0, 1, 1000, 1001, 2147483647};
  const uint32_t expected[] = {50, 1, 1000, 1000, 1000};
  struct berth_codec_list list;
  struct berth_error err;
  for (size_t i = 0; i < 5; i++) {
    struct message message = {0};
    put_number(&message, 1, sizes[i]);
    ck_assert_int_eq(berth_codec_decode_list(plain_codec(), message.bytes, message.n, &list, NULL), BERTH_OK);
    ck_assert(list.page_size == expected[i] && !list.has_after);
    message_finish(&message);
  }
  struct message negative = {0};
  put_number(&negative, 1, (uint64_t)-1);
  ck_assert_int_eq(
      berth_codec_decode_list(plain_codec(), negative.bytes, negative.n, &list, &err),
      BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "page_size");
  message_finish(&negative);
}
END_TEST

START_TEST(batches_keep_their_order) {
  struct berth_codec_batch batch;
  struct berth_error err;
  struct message message = {0};
  char other[] = ID;
  other[0] = 'f';
  put_text(&message, 1, ID);
  put_text(&message, 1, other);
  ck_assert_int_eq(berth_codec_decode_batch(plain_codec(), message.bytes, message.n, &batch, &err), BERTH_OK);
  ck_assert_uint_eq(batch.n, 2);
  ck_assert_str_eq(batch.plan_ids[0], ID);
  ck_assert_str_eq(batch.plan_ids[1], other);
  berth_codec_batch_finish(&batch);
  put_text(&message, 1, "nothing");
  ck_assert_int_eq(
      berth_codec_decode_batch(plain_codec(), message.bytes, message.n, &batch, &err),
      BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "plan_ids[2]");
  message_finish(&message);
  ck_assert_int_eq(berth_codec_decode_batch(plain_codec(), NULL, 0, &batch, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "plan_ids");
  for (int i = 0; i < 1001; i++) {
    put_text(&message, 1, ID);
  }
  ck_assert_int_eq(
      berth_codec_decode_batch(plain_codec(), message.bytes, message.n, &batch, &err),
      BERTH_RESOURCE_EXHAUSTED);
  message_finish(&message);
}
END_TEST

START_TEST(plans_with_what_was_measured) {
  struct berth_plan *plan = berth_plan_create(NULL, 1, 1);
  struct berth_codec_plan sent = {.plan = plan, .plan_id = ID};
  struct berth_measured measured = {.n_all = 12, .n = 2};
  struct berth_measured came;
  struct berth_codec_plan got;
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  plan->slot = NULL;
  berth_plan_offset_mut(plan)[0] = 0;
  measured.items[0] = (struct berth_measurement){.measured_bytes = 5, .planned_bytes = 4, .ratio = 1.25};
  measured.items[1] = (struct berth_measurement){.measured_bytes = 4, .planned_bytes = 4, .ratio = 1};
  ck_assert_int_eq(berth_codec_encode_got(&sent, &measured, NULL, &sink, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_measured(plain_codec(), message.bytes, message.n, &came, NULL), BERTH_OK);
  ck_assert(
      came.n_all == 12 && came.n == 2 && came.items[0].ratio == 1.25 && came.items[1].measured_bytes == 4);
  ck_assert_int_eq(
      berth_codec_decode_get_response(plain_codec(), message.bytes, message.n, &got, NULL), BERTH_OK);
  ck_assert_str_eq(got.plan_id, ID);
  berth_plan_unref(got.plan);
  message_finish(&message);
  ck_assert_int_eq(
      berth_codec_encode_batch_response((struct berth_codec_plan[]){sent, sent}, 2, NULL, &sink, NULL),
      BERTH_OK);
  ck_assert_uint_gt(message.n, 2 * sizeof ID);
  message_finish(&message);
  berth_plan_unref(plan);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/stored", (const TTest *const[]){
                          measurements_there_and_back, bad_measurements, pages_there_and_back, sizes_of_pages,
                          batches_keep_their_order, plans_with_what_was_measured, NULL});
}
