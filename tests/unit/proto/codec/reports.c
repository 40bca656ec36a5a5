/* ExplainPlan and DiffPlans: requests in, reports out. */
#include "codec/reports.h"

#include <string.h>

#include "berth/v1/report.pb-c.h"
#include "message.h"
#include "suite.h"

enum {
  SUBJECT = 1,
  BEFORE = 1,
  AFTER = 2,
  PLACED_PROBLEM = 1,
  PLACED_ID = 3,
  PLACED_OFFSET = 4,
  PLACED_POOL = 5
};

static void put_placed(struct message *placed, size_t n) {
  struct message problem = {0};
  put_buffers(&problem, n);
  put_message(placed, PLACED_PROBLEM, &problem);
}

static enum berth_code
decode_explain(struct message *request, struct berth_codec_explain *out, struct berth_error *err) {
  enum berth_code code = berth_codec_decode_explain(plain_codec(), request->bytes, request->n, out, err);
  message_finish(request);
  return code;
}

START_TEST(defaults_and_places) {
  static const uint64_t OFFSETS[] = {0, 64};
  static const uint64_t POOLS[] = {0, 0};
  struct message request = {0};
  struct message placed = {0};
  struct berth_codec_explain explain;
  struct berth_error err;
  put_placed(&placed, 2);
  put_64(&placed, PLACED_OFFSET, 2, OFFSETS);
  put_varints(&placed, PLACED_POOL, 2, POOLS);
  put_message(&request, SUBJECT, &placed);
  ck_assert_int_eq(decode_explain(&request, &explain, &err), BERTH_OK);
  ck_assert(explain.max_peaks == 10 && explain.max_contributions == 100);
  ck_assert(explain.max_timeline_points == 0 && !explain.operators);
  ck_assert_mem_eq(explain.subject.offset, OFFSETS, sizeof OFFSETS);
  ck_assert(explain.subject.pool[0] == 0 && explain.subject.pool[1] == 0);
  ck_assert_str_eq(explain.subject.plan_id, "");
  berth_codec_placed_finish(&explain.subject);
}
END_TEST

static void expect_explain(
    struct message *placed, uint32_t field, uint64_t value, enum berth_reason reason, const char *blamed) {
  struct message request = {0};
  struct berth_codec_explain explain;
  struct berth_error err;
  put_message(&request, SUBJECT, placed);
  if (field != 0) {
    put_number(&request, field, value);
  }
  ck_assert_int_eq(decode_explain(&request, &explain, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_msg(err.reason == reason, "%s: %s", berth_reason_name(err.reason), err.message);
  ck_assert_str_eq(err.field, blamed);
  ck_assert_ptr_null(explain.subject.problem);
}

START_TEST(what_is_wrong_is_named) {
  static const uint64_t OFFSETS[] = {0, 64, 0};
  static const uint64_t POOLS[] = {0, 1};
  static const char ID[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  struct message placed = {0};
  expect_explain(&placed, 0, 0, BERTH_REASON_MISSING_FIELD, "subject.problem");
  put_placed(&placed, 2);
  put_64(&placed, PLACED_OFFSET, 3, OFFSETS);
  expect_explain(&placed, 0, 0, BERTH_REASON_COLUMN_LENGTH, "subject.buffer_offset");
  put_placed(&placed, 2);
  put_varints(&placed, PLACED_POOL, 2, POOLS);
  expect_explain(&placed, 0, 0, BERTH_REASON_COLUMN_LENGTH, "subject.buffer_offset");
  put_placed(&placed, 2);
  put_64(&placed, PLACED_OFFSET, 2, OFFSETS);
  put_varints(&placed, PLACED_POOL, 2, POOLS);
  expect_explain(&placed, 0, 0, BERTH_REASON_BAD_POOL, "subject.buffer_pool");
  put_placed(&placed, 2);
  put_text(&placed, PLACED_ID, "abc");
  expect_explain(&placed, 0, 0, BERTH_REASON_MALFORMED, "subject.plan_id");
  put_placed(&placed, 2);
  put_text(&placed, PLACED_ID, ID);
  put_64(&placed, PLACED_OFFSET, 2, OFFSETS);
  expect_explain(&placed, 0, 0, BERTH_REASON_BAD_OPTION, "subject.plan_id");
  const uint64_t beyond[] = {101, 1000001, 1000001};
  const char *const fields[] = {"max_peaks", "max_contributions", "max_timeline_points"};
  for (uint32_t i = 0; i < 3; i++) {
    put_placed(&placed, 2);
    expect_explain(&placed, 2 + i, beyond[i], BERTH_REASON_BAD_NUMBER, fields[i]);
  }
  put_placed(&placed, 2);
  expect_explain(&placed, 4, 1, BERTH_REASON_BAD_NUMBER, "max_timeline_points");
}
END_TEST

START_TEST(both_sides_of_a_diff) {
  struct berth_codec_diff diff;
  struct berth_error err;
  for (uint64_t most = 0; most < 2; most++) {
    struct message request = {0};
    struct message sides[2] = {{0}, {0}};
    put_placed(&sides[0], 2);
    put_placed(&sides[1], 3);
    put_message(&request, BEFORE, &sides[0]);
    put_message(&request, AFTER, &sides[1]);
    put_number(&request, 3, most);
    ck_assert_int_eq(berth_codec_decode_diff(plain_codec(), request.bytes, request.n, &diff, &err), BERTH_OK);
    ck_assert_uint_eq(diff.max_differences, most == 0 ? 1000 : 1);
    ck_assert_uint_eq(berth_problem_buffers(diff.sides[0].problem)->n, 2);
    ck_assert_uint_eq(berth_problem_buffers(diff.sides[1].problem)->n, 3);
    berth_codec_placed_finish(&diff.sides[0]);
    berth_codec_placed_finish(&diff.sides[1]);
    message_finish(&request);
  }
  struct message half = {0};
  struct message side = {0};
  put_placed(&side, 2);
  put_message(&half, BEFORE, &side);
  ck_assert_int_eq(
      berth_codec_decode_diff(plain_codec(), half.bytes, half.n, &diff, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "after.problem");
  ck_assert(diff.sides[0].problem == NULL && diff.sides[1].problem == NULL);
  message_finish(&half);
}
END_TEST

START_TEST(what_is_not_listed_is_summed) {
  const struct berth_contribution items[] = {{3, 50}, {1, 30}, {0, 20}};
  struct berth_maker makers[] = {{7, 60}, {BERTH_NO_INDEX, 40}};
  const struct berth_codec_peak peak = {
      .span = {4, 6}, .items = items, .n_items = 3, .breakdown = {.makers = makers, .n_makers = 2}};
  const struct berth_codec_pool_use pool = {
      .name = {"fast", 4}, .arena_bytes = 120, .peak_bytes = 100, .peak_step = 4};
  const struct berth_timeline_point points[] = {{-2, 100}, {6, 0}};
  const struct berth_operator_row row = {1, 2, 3, 4};
  const struct berth_codec_explained explained = {
      .peak_bytes = 100,
      .peaks = &peak,
      .n_peaks = 1,
      .n_all_peaks = 9,
      .max_contributions = 1,
      .pools = &pool,
      .n_pools = 1,
      .points = points,
      .n_points = 2,
      .n_all_points = 5,
      .operators = &row,
      .n_operators = 1};
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_explained(&explained, NULL, &sink, NULL), BERTH_OK);
  Berth__V1__ExplainPlanResponse *m =
      berth__v1__explain_plan_response__unpack(NULL, message.n, message.bytes);
  ck_assert(m->peak_bytes == 100 && m->peak_count == 9 && m->n_peaks == 1);
  const Berth__V1__Peak *told = m->peaks[0];
  ck_assert(told->first_step == 4 && told->end_step == 6 && told->live_bytes == 100);
  ck_assert(told->n_contribution_buffer == 1 && told->contribution_buffer[0] == 3);
  ck_assert(told->contribution_bytes[0] == 50 && told->other_contribution_bytes == 50);
  ck_assert(told->n_maker_operator == 1 && told->maker_operator[0] == 7);
  ck_assert(told->maker_bytes[0] == 60 && told->other_maker_bytes == 40);
  ck_assert_str_eq(m->pools[0]->name, "fast");
  ck_assert_uint_eq(m->pools[0]->fragmentation_bytes, 20);
  ck_assert(m->n_timeline_step == 2 && m->timeline_step[0] == -2 && m->timeline_live_bytes[0] == 100);
  ck_assert_uint_eq(m->timeline_point_count, 5);
  ck_assert(m->operator_live_bytes[0] == 1 && m->operator_workspace_bytes[0] == 2);
  ck_assert(m->operator_input_bytes[0] == 3 && m->operator_output_bytes[0] == 4);
  berth__v1__explain_plan_response__free_unpacked(m, NULL);
  message_finish(&message);
}
END_TEST

START_TEST(differences_that_are_not_listed_are_summed) {
  struct berth_difference rows[] = {
      {1, 2, 1U << BERTH_CHANGE_RESIZED, 50},
      {BERTH_NO_INDEX, 0, 1U << BERTH_CHANGE_ADDED, -9},
      {3, BERTH_NO_INDEX, 1U << BERTH_CHANGE_REMOVED, 4}};
  const struct berth_comparison comparison = {
      .peak_bytes = {100, 145},
      .peak_step = {-1, 2},
      .rows = rows,
      .n_rows = 3,
      .n_changed = {1, 1, 1, 0, 0}};
  const uint64_t arenas[] = {110, 150};
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_comparison(&comparison, arenas, 1, NULL, &sink, NULL), BERTH_OK);
  Berth__V1__DiffPlansResponse *m = berth__v1__diff_plans_response__unpack(NULL, message.n, message.bytes);
  ck_assert(m->before_arena_bytes == 110 && m->after_arena_bytes == 150);
  ck_assert(m->before_peak_bytes == 100 && m->after_peak_bytes == 145);
  ck_assert(m->before_peak_step == -1 && m->after_peak_step == 2);
  ck_assert(m->added_count == 1 && m->removed_count == 1 && m->resized_count == 1 && m->moved_count == 0);
  ck_assert(m->difference_count == 3 && m->n_difference_before == 1 && m->other_peak_bytes == -5);
  ck_assert(m->difference_before[0] == 1 && m->difference_after[0] == 2);
  ck_assert(m->difference_changes[0] == 4 && m->difference_peak_bytes[0] == 50);
  berth__v1__diff_plans_response__free_unpacked(m, NULL);
  message_finish(&message);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/reports", (const TTest *const[]){
                           defaults_and_places, what_is_wrong_is_named, both_sides_of_a_diff,
                           what_is_not_listed_is_summed, differences_that_are_not_listed_are_summed, NULL});
}
