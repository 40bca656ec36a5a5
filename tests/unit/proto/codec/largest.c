/* FindLargestBinding there and back. */
#include "codec/largest.h"

#include <string.h>

#include "berth/v1/plan_service.pb-c.h"
#include "message.h"
#include "suite.h"
#include "symbolic.h"

static enum berth_code there(
    const struct berth_problem *problem, const struct berth_largest_question *question,
    struct berth_codec_largest *out, struct berth_error *err) {
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  struct berth_solve_options options = berth_solve_options_default();
  options.capacity_bytes = 1000;
  ck_assert_int_eq(berth_codec_encode_largest(problem, &options, question, NULL, &sink, err), BERTH_OK);
  enum berth_code code = berth_codec_decode_largest(plain_codec(), message.bytes, message.n, out, err);
  message_finish(&message);
  return code;
}

START_TEST(test_request) {
  struct berth_problem *problem = symbolic_some();
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[0];
  const struct berth_largest_question questions[] = {
      {symbol->name, symbol->lower, symbol->upper, 7}, {symbol->name, 0, 0, 0}};
  for (int i = 0; i < 2; i++) {
    struct berth_codec_largest request;
    struct berth_error err;
    ck_assert_int_eq(there(problem, &questions[i], &request, &err), BERTH_OK);
    ck_assert_uint_eq(request.question.first, symbol->lower); /* 0 and 0: what it is bound to */
    ck_assert_uint_eq(request.question.last, symbol->upper);
    ck_assert_uint_eq(request.question.max_plans, i == 0 ? 7 : 1000);
    ck_assert_uint_eq(request.options.capacity_bytes, 1000);
    ck_assert_mem_eq(request.question.symbol.data, symbol->name.data, symbol->name.size);
    ck_assert_uint_eq(berth_problem_buffers(request.problem)->n, berth_problem_buffers(problem)->n);
    berth_codec_largest_finish(&request);
  }
  berth_problem_unref(problem);
}
END_TEST

START_TEST(test_refusals) {
  struct berth_problem *problem = symbolic_some();
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[0];
  const struct berth_largest_question unknown = {{"nobody", 6}, 1, 2, 7};
  const struct berth_largest_question many = {symbol->name, symbol->lower, symbol->upper, 1001};
  struct berth_codec_largest request;
  struct berth_error err;
  ck_assert_int_eq(there(problem, &unknown, &request, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_SYMBOL);
  ck_assert_str_eq(err.field, "symbol");
  ck_assert_int_eq(there(problem, &many, &request, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "max_plans");
  ck_assert_ptr_null(request.problem);
  berth_problem_unref(problem);
}
END_TEST

/* An earlier plan to keep is refused, and not ignored. */
START_TEST(test_keep) {
  Berth__V1__Keep keep = BERTH__V1__KEEP__INIT;
  Berth__V1__PlanOptions options = BERTH__V1__PLAN_OPTIONS__INIT;
  Berth__V1__FindLargestBindingRequest message = BERTH__V1__FIND_LARGEST_BINDING_REQUEST__INIT;
  options.keep = &keep;
  message.options = &options;
  uint8_t bytes[64];
  ck_assert_uint_le(berth__v1__find_largest_binding_request__get_packed_size(&message), sizeof bytes);
  size_t n_bytes = berth__v1__find_largest_binding_request__pack(&message, bytes);
  struct berth_codec_largest request;
  struct berth_error err;
  ck_assert_int_eq(
      berth_codec_decode_largest(plain_codec(), bytes, n_bytes, &request, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_KEEP);
  ck_assert_str_eq(err.field, "options.keep");
}
END_TEST

START_TEST(test_response) {
  const struct berth_largest sent = {
      .search =
          {.has_largest = true,
           .largest = 9,
           .largest_is_known = true,
           .has_all = true,
           .all = 4,
           .first = 2,
           .last = 20},
      .n_plans = 17,
      .at = {.is_asked = true, .n = 9, .answer = BERTH_FIT_YES, .bytes = 99},
      .above = {.is_asked = true, .n = 10, .answer = BERTH_FIT_NO, .bytes = UINT64_MAX}};
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  struct berth_largest got;
  struct berth_error err;
  ck_assert_int_eq(berth_codec_encode_largest_response(&sent, &sink, &err), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_largest_response(plain_codec(), message.bytes, message.n, &got, &err), BERTH_OK);
  ck_assert(got.search.has_largest && got.search.largest == 9 && got.search.largest_is_known);
  ck_assert(got.search.has_all && got.search.all == 4 && !got.search.all_is_known);
  ck_assert(got.search.first == 2 && got.search.last == 20 && got.n_plans == 17);
  ck_assert_mem_eq(&got.at, &sent.at, sizeof got.at);
  ck_assert(got.above.is_asked && got.above.n == 10 && got.above.answer == BERTH_FIT_NO);
  ck_assert_uint_eq(got.above.bytes, UINT64_MAX);
  message_finish(&message);
  struct message point = {0};
  put_number(&point, 1, 3);
  put_number(&point, 2, 9);
  put_message(&message, 10, &point);
  ck_assert_int_eq(
      berth_codec_decode_largest_response(plain_codec(), message.bytes, message.n, &got, &err),
      BERTH_INTERNAL);
  message_finish(&message);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/largest", (const TTest *const[]){test_request, test_refusals, test_keep, test_response, NULL});
}
