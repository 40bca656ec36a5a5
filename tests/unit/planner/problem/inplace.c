#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "graphs.h"

static const struct {
  const char *what;
  enum berth_inplace_answer answer;
  uint32_t n_values;
  struct value values[MAX];
  uint32_t n_ops;
  struct op ops[MAX];
} CASES[] = {
    {"the plain case",
     BERTH_INPLACE_USED,
     2,
     {{8}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a smaller result",
     BERTH_INPLACE_USED,
     2,
     {{8}, {3}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"an output in the place of a temporary",
     BERTH_INPLACE_USED,
     2,
     {{8}, {8, BERTH_CLASS_OUTPUT}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"an input that the planner places may be overwritten",
     BERTH_INPLACE_USED,
     2,
     {{8, BERTH_CLASS_INPUT}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"the second operand",
     BERTH_INPLACE_USED,
     3,
     {{8, BERTH_CLASS_CONSTANT}, {8}, {8}},
     2,
     {{{END}, {1, END}}, {{0, 1, END}, {2, END}, 1, {{1, 0}}}}},
    {"a caller's operand (report 9)",
     BERTH_INPLACE_FOREIGN,
     2,
     {{8, BERTH_CLASS_CONSTANT, BERTH_VALUE_EXTERNAL}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a caller's result",
     BERTH_INPLACE_FOREIGN,
     2,
     {{8}, {8, BERTH_CLASS_OUTPUT, BERTH_VALUE_EXTERNAL}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a constant",
     BERTH_INPLACE_KEPT,
     2,
     {{8, BERTH_CLASS_CONSTANT}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"state", BERTH_INPLACE_KEPT, 2, {{8, BERTH_CLASS_STATE}, {8}}, 1, {{{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"an output that is read by the last operator",
     BERTH_INPLACE_KEPT,
     2,
     {{8, BERTH_CLASS_OUTPUT}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a held operand",
     BERTH_INPLACE_KEPT,
     2,
     {{8, T, BERTH_VALUE_HELD}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"an operand of which a view is held",
     BERTH_INPLACE_KEPT,
     3,
     {{8}, {8}, {4, T, BERTH_VALUE_HELD, 1}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"read later",
     BERTH_INPLACE_READ_LATER,
     3,
     {{8}, {8}, {8}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}, {{0, END}, {2, END}}}},
    {"a view read later",
     BERTH_INPLACE_READ_LATER,
     4,
     {{8}, {8}, {8}, {4, T, 0, 1}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}, {{3, END}, {2, END}}}},
    {"the same operand twice",
     BERTH_INPLACE_SAME_ROOT,
     2,
     {{8}, {8}},
     2,
     {{{END}, {0, END}}, {{0, 0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a view of the operand beside it",
     BERTH_INPLACE_SAME_ROOT,
     3,
     {{8}, {8}, {4, T, 0, 1}},
     2,
     {{{END}, {0, END}}, {{0, 2, END}, {1, END}, 1, {{0, 0}}}}},
    {"a view of the result beside it",
     BERTH_INPLACE_SAME_ROOT,
     3,
     {{8}, {8}, {4, T, 0, 2}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, 2, END}, 1, {{0, 0}}}}},
    {"a larger result (report 11)",
     BERTH_INPLACE_TOO_LARGE,
     2,
     {{8}, {9}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"larger than the view that is the operand",
     BERTH_INPLACE_TOO_LARGE,
     3,
     {{8}, {5}, {4, T, 0, 1}},
     2,
     {{{END}, {0, END}}, {{2, END}, {1, END}, 1, {{0, 0}}}}},
    {"a result that is state",
     BERTH_INPLACE_NOT_NEW,
     2,
     {{8}, {8, BERTH_CLASS_STATE}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a result written before",
     BERTH_INPLACE_NOT_NEW,
     2,
     {{8}, {8, T, BERTH_VALUE_ACCUMULATED}},
     2,
     {{{END}, {0, 1, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a result that is a view",
     BERTH_INPLACE_NOT_NEW,
     3,
     {{8}, {8}, {4, T, 0, 2}},
     2,
     {{{END}, {0, END}}, {{0, END}, {2, END}, 1, {{0, 0}}}}},
    {"a pinned operand",
     BERTH_INPLACE_PINNED,
     2,
     {{8, T, 0, 0, 0, 0, 1}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a pinned result",
     BERTH_INPLACE_PINNED,
     2,
     {{8}, {8, T, 0, 0, 0, 0, 1}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"other pools",
     BERTH_INPLACE_POOLS,
     2,
     {{8}, {8, T, 0, 0, 0, 0, 0, 2}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"the same pools",
     BERTH_INPLACE_USED,
     2,
     {{8, T, 0, 0, 0, 0, 0, 2}, {8, T, 0, 0, 0, 0, 0, 2}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a view that begins askew",
     BERTH_INPLACE_MISALIGNED,
     3,
     {{64}, {16, T, 0, 0, 0, 16}, {32, T, 0, 1, 8}},
     2,
     {{{END}, {0, END}}, {{2, END}, {1, END}, 1, {{0, 0}}}}},
    {"a donation of which the caller promises too little",
     BERTH_INPLACE_MISALIGNED,
     2,
     {{8, BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL, 0, 0, 4, 0, 0, BERTH_DONATION_MAY_USE},
      {8, T, 0, 0, 0, 8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0}}}}},
    {"a view that suits",
     BERTH_INPLACE_USED,
     3,
     {{64}, {16, T, 0, 0, 0, 16}, {32, T, 0, 1, 32}},
     2,
     {{{END}, {0, END}}, {{2, END}, {1, END}, 1, {{0, 0}}}}},
};

START_TEST(each_permission_is_answered) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem *problem =
        build(CASES[i].values, CASES[i].n_values, CASES[i].ops, CASES[i].n_ops, false);
    const struct berth_permissions *permissions = berth_problem_permissions(problem);
    ck_assert_uint_eq(permissions->n, 1);
    enum berth_inplace_answer answer = permissions->items[0].answer;
    ck_assert_msg(answer == CASES[i].answer, "%s: %s", CASES[i].what, berth_inplace_answer_name(answer));
    const struct berth_graph *graph = berth_problem_graph(problem);
    uint32_t operand = permissions->items[0].operand;
    uint32_t result = permissions->items[0].result;
    bool together = graph->value_buffer[operand] == graph->value_buffer[result] &&
                    graph->value_buffer[result] != BERTH_NO_INDEX;
    ck_assert_msg(together == (answer == BERTH_INPLACE_USED), "%s", CASES[i].what);
    if (together) {
      ck_assert_uint_eq(graph->value_offset[operand], graph->value_offset[result]);
    }
    plan(problem);
    berth_problem_unref(problem);
    problem = build(CASES[i].values, CASES[i].n_values, CASES[i].ops, CASES[i].n_ops, true);
    ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_RESTRICTED);
    plan(problem);
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(one_place_for_one_result) {
  static const struct value VALUES[] = {{8}, {8}, {8}, {8}};
  static const struct op OPS[] = {
      {{END}, {0, 1, END}},
      {{0, 1, END}, {2, 3, END}, 2, {{0, 0}, {0, 1}}},
  };
  struct berth_problem *problem = build(VALUES, 4, OPS, 2, false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_OPERAND_TAKEN);
  ck_assert_uint_eq(plan(problem), 24);
  berth_problem_unref(problem);
  static const struct op OTHER[] = {
      {{END}, {0, 1, END}},
      {{0, 1, END}, {2, 3, END}, 2, {{0, 0}, {1, 0}}},
  };
  problem = build(VALUES, 4, OTHER, 2, false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_RESULT_PLACED);
  berth_problem_unref(problem);
}
END_TEST

/* Report 27: a is 4096, b takes its first 1024, and n may have the tail while b lives on. */
START_TEST(the_tail_of_a_larger_operand_is_free_again) {
  static const struct value VALUES[] = {{4096}, {1024}, {3072}};
  static const struct op OPS[] = {
      {{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}, {{END}, {2, END}}, {{1, 2, END}, {END}}};
  struct berth_problem *problem = build(VALUES, 3, OPS, 4, false);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 2);
  ck_assert_int_eq(buffers->lower[0], 0);
  ck_assert_int_eq(buffers->upper[0], 4);
  ck_assert_uint_eq(buffers->gap_begin[1], 1);
  ck_assert_int_eq(buffers->gaps[0].lower, 2);
  ck_assert_int_eq(buffers->gaps[0].upper, 4);
  ck_assert_uint_eq(buffers->gaps[0].window_lower, 0);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 1024);
  ck_assert_uint_eq(plan(problem), 4096);
  for (uint64_t n = 0; n <= 4096; n += 512) { /* beside b, and it may reach beyond a */
    struct berth_verdict verdict;
    uint64_t offset[] = {0, n == 512 ? 1023 : n};
    ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    ck_assert_int_eq(verdict.n_violations == 0, n >= 1024);
  }
  berth_problem_unref(problem);
  problem = build(VALUES, 3, OPS, 4, true);
  ck_assert_uint_eq(plan(problem), 5120);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(a_chain_is_one_buffer) {
  static const struct value VALUES[] = {
      {64, T, 0, 0, 0, 4}, {64}, {32, T, 0, 0, 0, 32}, {32}, {8, BERTH_CLASS_OUTPUT}};
  static const struct op OPS[] = {
      {{END}, {0, END}},
      {{0, END}, {1, END}, 1, {{0, 0}}},
      {{1, END}, {2, END}, 1, {{0, 0}}},
      {{2, END}, {3, END}, 1, {{0, 0}}},
      {{3, END}, {4, END}, 1, {{0, 0}}},
      {{END}, {END}}};
  struct berth_problem *problem = build(VALUES, 5, OPS, 6, false);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 1);
  ck_assert_int_eq(buffers->upper[0], 6);
  ck_assert_uint_eq(buffers->alignment[0], 32);
  ck_assert_uint_eq(buffers->size_bytes[0], 64);
  ck_assert_uint_eq(buffers->gap_begin[1], 2); /* 32 bytes, twice the same window; then 8 */
  ck_assert_int_eq(buffers->gaps[0].lower, 3);
  ck_assert_int_eq(buffers->gaps[0].upper, 5);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 32);
  ck_assert_int_eq(buffers->gaps[1].upper, 6);
  ck_assert_uint_eq(buffers->gaps[1].window_upper, 8);
  ck_assert_uint_eq(plan(problem), 64);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(a_restricted_solve_wants_a_restricted_problem) {
  struct berth_solve_options options = berth_solve_options_default();
  options.reuse = BERTH_REUSE_NO_INPLACE;
  struct berth_plan *plan = NULL;
  struct berth_error err;
  struct berth_problem *problem =
      build(CASES[0].values, CASES[0].n_values, CASES[0].ops, CASES[0].n_ops, false);
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
  berth_problem_unref(problem);
  problem = build(CASES[0].values, CASES[0].n_values, CASES[0].ops, CASES[0].n_ops, true);
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, &err), BERTH_OK);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(a_permission_for_nobody_is_an_error) {
  for (uint32_t i = 0; i < 2; i++) {
    struct berth_problem_builder *builder = start();
    add_value(builder, &(struct value){8, BERTH_CLASS_STATE}, 'a');
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = spec.outputs = &(uint32_t){0};
    spec.n_inputs = spec.n_outputs = 1;
    spec.inplace = &(struct berth_inplace){.input = i, .output = 1 - i};
    spec.n_inplace = 1;
    struct berth_error err;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_UNKNOWN_ID);
    ck_assert_str_eq(err.field, "operator.inplace");
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

#define DONATED(size, must)                                                                                  \
  {                                                                                                          \
    size, BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL, 0, 0, 0, 0, 0,                                            \
        must ? BERTH_DONATION_MUST_USE : BERTH_DONATION_MAY_USE                                              \
  }

/* Report 20: t = a + b with a donated needs no new bytes; without the donation it needs 8. */
START_TEST(a_donation_takes_the_result) {
  static const struct value VALUES[] = {
      DONATED(8, false), {8, BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL}, {8}, {8, BERTH_CLASS_OUTPUT}};
  static const struct op OPS[] = {{{0, 1, END}, {2, END}, 1, {{0, 0}}}, {{2, END}, {3, END}, 1, {{0, 0}}}};
  struct berth_problem *problem = build(VALUES, 4, OPS, 2, false);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 0);
  ck_assert_uint_eq(berth_problem_graph(problem)->value_buffer[3], BERTH_NO_INDEX);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_USED);
  ck_assert_int_eq(berth_problem_value(problem, 0).donation, BERTH_DONATION_MAY_USE);
  ck_assert_uint_eq(plan(problem), 0);
  berth_problem_unref(problem);
  problem = build(VALUES, 4, OPS, 2, true);
  ck_assert_uint_eq(plan(problem), 16);
  berth_problem_unref(problem);
  struct value kept[4]; /* the same without the donation */
  memcpy(kept, VALUES, sizeof kept);
  kept[0].donation = BERTH_DONATION_NONE;
  problem = build(kept, 4, OPS, 2, false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_FOREIGN);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_USED);
  ck_assert_uint_eq(plan(problem), 8);
  berth_problem_unref(problem);
}
END_TEST

/* Report 18: it is consumed once. */
START_TEST(a_donation_is_used_once) {
  static const struct value VALUES[] = {DONATED(8, true), {8}, {8}};
  static const struct op OPS[] = {{{0, END}, {1, 2, END}, 2, {{0, 0}, {0, 1}}}};
  struct berth_problem *problem = build(VALUES, 3, OPS, 1, false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_OPERAND_TAKEN);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 1);
  ck_assert_uint_eq(plan(problem), 8);
  berth_problem_unref(problem);
}
END_TEST

static struct berth_error refuse_value(const struct value *value) {
  struct berth_problem_builder *builder = start();
  struct berth_value_spec spec = berth_value_spec_default();
  struct berth_error err = {0};
  spec.id = text("w");
  spec.class_ = value->class_;
  spec.held = (value->flags & BERTH_VALUE_HELD) != 0;
  spec.external = (value->flags & BERTH_VALUE_EXTERNAL) != 0;
  spec.donation = value->donation;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "value.donation");
  berth_problem_builder_destroy(builder);
  return err;
}

START_TEST(only_the_callers_inputs_can_be_donated) {
  struct value value = DONATED(8, false);
  value.class_ = BERTH_CLASS_CONSTANT;
  ck_assert_str_eq(
      refuse_value(&value).message, "value 0 (\"w\"): it is donated, but a constant must never be written");
  value.class_ = BERTH_CLASS_STATE;
  ck_assert_int_eq(refuse_value(&value).reason, BERTH_REASON_BAD_DONATION);
  value.class_ = BERTH_CLASS_TEMPORARY;
  ck_assert_int_eq(refuse_value(&value).reason, BERTH_REASON_BAD_DONATION);
  value.class_ = BERTH_CLASS_INPUT;
  value.flags = 0;
  ck_assert_int_eq(refuse_value(&value).reason, BERTH_REASON_BAD_DONATION);
  value.flags = BERTH_VALUE_EXTERNAL | BERTH_VALUE_HELD;
  ck_assert_int_eq(refuse_value(&value).reason, BERTH_REASON_BAD_DONATION);
  value.flags = BERTH_VALUE_EXTERNAL;
  value.donation = 9;
  ck_assert_int_eq(refuse_value(&value).reason, BERTH_REASON_BAD_NUMBER);
}
END_TEST

START_TEST(a_donation_that_must_be_used_is) {
  for (int round = 0; round < 3; round++) {
    struct berth_problem_builder *builder = start();
    add_value(builder, &(struct value)DONATED(8, true), 'a');
    add_value(builder, &(struct value){round == 1 ? 9 : 8}, 'b');
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = &(uint32_t){0};
    spec.outputs = &(uint32_t){1};
    spec.n_inputs = spec.n_outputs = 1;
    spec.inplace = &(struct berth_inplace){0, 0};
    spec.n_inplace = round > 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
    if (round == 2) {
      berth_problem_builder_forbid_inplace(builder);
    }
    struct berth_error err = finish_fails(builder);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_DONATION);
    static const char *const WHY[] = {
        "no operator has a permission to write over it", "the result is larger than the operand",
        "the problem was built without results in place"};
    ck_assert_ptr_nonnull(strstr(err.message, WHY[round]));
  }
}
END_TEST

START_TEST(answers_have_names) {
  for (unsigned i = 0; i < BERTH_N_INPLACE_ANSWERS; i++) {
    ck_assert_uint_gt(strlen(berth_inplace_answer_name((enum berth_inplace_answer)i)), 3);
    ck_assert_uint_gt(strlen(berth_inplace_answer_text((enum berth_inplace_answer)i)), 10);
  }
  ck_assert_str_eq(berth_inplace_answer_name(BERTH_N_INPLACE_ANSWERS), "?");
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/inplace",
      (const TTest *const[]){
          each_permission_is_answered, one_place_for_one_result, the_tail_of_a_larger_operand_is_free_again,
          a_chain_is_one_buffer, a_restricted_solve_wants_a_restricted_problem,
          a_permission_for_nobody_is_an_error, a_donation_takes_the_result, a_donation_is_used_once,
          only_the_callers_inputs_can_be_donated, a_donation_that_must_be_used_is, answers_have_names, NULL});
}
