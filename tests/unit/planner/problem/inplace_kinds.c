#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "graphs.h"

#define INSIDE BERTH_INPLACE_INSIDE
#define BEHIND BERTH_INPLACE_BEHIND

static const struct {
  const char *what;
  enum berth_inplace_answer answer;
  uint64_t arena;
  uint32_t n_values;
  struct value values[MAX];
  uint32_t n_ops;
  struct op ops[MAX];
  uint32_t which;
} KINDS[] = {
    {"concat (report 40)",
     BERTH_INPLACE_USED,
     512,
     4,
     {{256}, {256}, {512}, {512, BERTH_CLASS_OUTPUT}},
     4,
     {{{END}, {0, END}},
      {{END}, {1, END}},
      {{0, 1, END}, {2, END}, 2, {{0, 0, INSIDE, 256}, {1, 0, INSIDE, 0}}},
      {{2, END}, {3, END}, 1, {{0, 0}}}}},
    {"an operand that is read while the result lives",
     BERTH_INPLACE_USED,
     12,
     3,
     {{4}, {8}, {4}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 4}}}, {{0, 1, END}, {2, END}}}},
    {"an input of the run",
     BERTH_INPLACE_USED,
     8,
     2,
     {{4, BERTH_CLASS_INPUT}, {8, BERTH_CLASS_OUTPUT}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0, INSIDE, 4}}}}},
    {"inside what is inside",
     BERTH_INPLACE_USED,
     16,
     3,
     {{4}, {8}, {16}},
     3,
     {{{END}, {0, END}},
      {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 4}}},
      {{1, END}, {2, END}, 1, {{0, 0, INSIDE, 8}}}}},
    {"inside, behind what came before",
     BERTH_INPLACE_USED,
     16,
     3,
     {{8}, {8}, {16}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}, {{1, END}, {2, END}, 1, {{0, 0, INSIDE, 8}}}}},
    {"a caller's operand inside",
     BERTH_INPLACE_FOREIGN,
     8,
     2,
     {{4, BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"a donated operand inside",
     BERTH_INPLACE_FOREIGN,
     8,
     2,
     {{4, BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL, 0, 0, 0, 0, 0, BERTH_DONATION_MAY_USE}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"an output inside",
     BERTH_INPLACE_KEPT,
     12,
     2,
     {{4, BERTH_CLASS_OUTPUT}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"weights inside",
     BERTH_INPLACE_KEPT,
     12,
     2,
     {{4, BERTH_CLASS_CONSTANT}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"a view inside",
     BERTH_INPLACE_IS_VIEW,
     16,
     3,
     {{8}, {8}, {4, T, 0, 1}},
     2,
     {{{END}, {0, END}}, {{2, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"the same operand twice",
     BERTH_INPLACE_SAME_ROOT,
     12,
     2,
     {{4}, {8}},
     2,
     {{{END}, {0, END}}, {{0, 0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"an operand that is written again",
     BERTH_INPLACE_REWRITTEN,
     12,
     2,
     {{4, T, BERTH_VALUE_ACCUMULATED}, {8}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}, {{END}, {0, END}}}},
    {"a result that is written again",
     BERTH_INPLACE_REWRITTEN,
     12,
     2,
     {{4}, {8, T, BERTH_VALUE_ACCUMULATED}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}, {{END}, {1, END}}}},
    {"a result that is there before",
     BERTH_INPLACE_NOT_NEW,
     12,
     2,
     {{4}, {8, T, BERTH_VALUE_ACCUMULATED}},
     2,
     {{{END}, {0, 1, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"beyond the result",
     BERTH_INPLACE_BEYOND,
     12,
     2,
     {{4}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 5}}}}},
    {"far beyond the result",
     BERTH_INPLACE_BEYOND,
     12,
     2,
     {{4}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, UINT64_MAX}}}}},
    {"two operands in the same bytes",
     BERTH_INPLACE_PLACES_MEET,
     16,
     3,
     {{4}, {4}, {8}},
     3,
     {{{END}, {0, END}},
      {{END}, {1, END}},
      {{0, 1, END}, {2, END}, 2, {{0, 0, INSIDE, 0}, {1, 0, INSIDE, 3}}}}},
    {"an operand in the same bytes twice",
     BERTH_INPLACE_USED,
     8,
     2,
     {{4}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 2, {{0, 0, INSIDE, 4}, {0, 0, INSIDE, 4}}}}},
    {"an operand in the same bytes twice, the second time",
     BERTH_INPLACE_OPERAND_TAKEN,
     8,
     2,
     {{4}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 2, {{0, 0, INSIDE, 4}, {0, 0, INSIDE, 4}}}},
     1},
    {"an operand in the same bytes twice, and another in them too",
     BERTH_INPLACE_PLACES_MEET,
     16,
     3,
     {{4}, {4}, {8}},
     3,
     {{{END}, {0, END}},
      {{END}, {1, END}},
      {{0, 1, END}, {2, END}, 3, {{0, 0, INSIDE, 2}, {1, 0, INSIDE, 2}, {0, 0, INSIDE, 2}}}},
     2},
    {"an operand over something larger",
     BERTH_INPLACE_WIDER,
     12,
     3,
     {{8}, {4}, {8}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0}}}, {{1, END}, {2, END}, 1, {{0, 0, INSIDE, 0}}}},
     1},
    {"a place that is askew",
     BERTH_INPLACE_MISALIGNED,
     12,
     2,
     {{4, T, 0, 0, 0, 4}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 2}}}}},
    {"a pinned operand inside",
     BERTH_INPLACE_PINNED,
     12,
     2,
     {{4, T, 0, 0, 0, 0, 1}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"another pool inside",
     BERTH_INPLACE_POOLS,
     12,
     2,
     {{4, T, 0, 0, 0, 0, 0, 1}, {8, T, 0, 0, 0, 0, 0, 2}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"inside, where the operand may be in every pool",
     BERTH_INPLACE_USED,
     8,
     2,
     {{4}, {8, T, 0, 0, 0, 0, 0, 2}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}}}},
    {"behind",
     BERTH_INPLACE_USED,
     12,
     2,
     {{8}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, BEHIND, 4}}}}},
    {"behind by nothing, and larger",
     BERTH_INPLACE_USED,
     12,
     2,
     {{8}, {12}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, BEHIND, 0}}}}},
    {"behind, aligned down",
     BERTH_INPLACE_USED,
     24,
     2,
     {{16, T, 0, 0, 0, 8}, {16, T, 0, 0, 0, 8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, BEHIND, 3}}}}},
    {"behind, and read later",
     BERTH_INPLACE_READ_LATER,
     24,
     3,
     {{8}, {8}, {8}},
     3,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, BEHIND, 4}}}, {{0, 1, END}, {2, END}}}},
    {"behind by all of it",
     BERTH_INPLACE_APART,
     16,
     2,
     {{8}, {8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, BEHIND, 8}}}}},
    {"behind, but apart once aligned",
     BERTH_INPLACE_APART,
     24,
     2,
     {{16}, {8, T, 0, 0, 0, 8}},
     2,
     {{{END}, {0, END}}, {{0, END}, {1, END}, 1, {{0, 0, BEHIND, 3}}}}},
    {"behind a donated operand",
     BERTH_INPLACE_FOREIGN,
     8,
     2,
     {{8, BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL, 0, 0, 0, 0, 0, BERTH_DONATION_MAY_USE}, {8}},
     1,
     {{{0, END}, {1, END}, 1, {{0, 0, BEHIND, 0}}}}},
    {"over a second result of which an operand lies inside",
     BERTH_INPLACE_USED,
     16,
     4,
     {{4}, {8}, {8}, {8}},
     3,
     {{{END}, {0, END}},
      {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 4}}},
      {{1, END}, {2, 3, END}, 2, {{0, 0, BEHIND, 0}, {0, 1}}}}},
};

START_TEST(each_kind_of_permission_is_answered) {
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
    struct berth_problem *problem =
        build(KINDS[i].values, KINDS[i].n_values, KINDS[i].ops, KINDS[i].n_ops, false);
    const struct berth_permission *asked = &berth_problem_permissions(problem)->items[KINDS[i].which];
    const struct berth_graph *graph = berth_problem_graph(problem);
    ck_assert_msg(
        asked->answer == KINDS[i].answer, "%s: %s", KINDS[i].what, berth_inplace_answer_name(asked->answer));
    if (asked->answer == BERTH_INPLACE_USED) {
      ck_assert_uint_eq(graph->value_buffer[asked->operand], graph->value_buffer[asked->result]);
    }
    uint64_t arena = plan(problem);
    ck_assert_msg(arena == KINDS[i].arena, "%s: %llu", KINDS[i].what, (unsigned long long)arena);
    berth_problem_unref(problem);
    plan(problem = build(KINDS[i].values, KINDS[i].n_values, KINDS[i].ops, KINDS[i].n_ops, true));
    berth_problem_unref(problem);
  }
}
END_TEST

/* The host's bytes are dead before the operator but where operands lie. */
START_TEST(a_host_begins_with_its_operands) {
  struct berth_problem *problem = build(KINDS[0].values, 4, KINDS[0].ops, 4, false);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 1);
  ck_assert_uint_eq(buffers->size_bytes[0], 512);
  ck_assert_int_eq(buffers->lower[0], 0);
  ck_assert_int_eq(buffers->upper[0], 4);
  ck_assert_uint_eq(buffers->gap_begin[1], 1);
  ck_assert_int_eq(buffers->gaps[0].lower, 0);
  ck_assert_int_eq(buffers->gaps[0].upper, 1);
  ck_assert_uint_eq(buffers->gaps[0].window_lower, 256);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 512);
  static const uint64_t OFFSETS[] = {256, 0, 0, 0};
  for (uint32_t v = 0; v < 4; v++) {
    ck_assert_uint_eq(berth_problem_graph(problem)->value_offset[v], OFFSETS[v]);
  }
  berth_problem_unref(problem);
}
END_TEST

/* Who is inside is read with the host: nothing may be written over the host for it. */
START_TEST(who_reads_what_is_inside_reads_the_host) {
  static const struct value VALUES[] = {{4}, {8}, {8}, {8}};
  static const struct op OPS[] = {
      {{END}, {0, END}},
      {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}},
      {{1, 0, END}, {2, END}, 1, {{0, 0}}},
      {{2, END}, {3, END}}};
  struct berth_problem *problem = build(VALUES, 4, OPS, 4, false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_SAME_ROOT);
  plan(problem);
  berth_problem_unref(problem);
  static const struct op LATER[] = {
      {{END}, {0, END}},
      {{0, END}, {1, END}, 1, {{0, 0, INSIDE, 0}}},
      {{1, END}, {2, END}, 1, {{0, 0}}},
      {{0, 2, END}, {3, END}}};
  problem = build(VALUES, 4, LATER, 4, false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[1].answer, BERTH_INPLACE_READ_LATER);
  plan(problem);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(kinds_are_checked) {
  static const struct berth_inplace WRONG[] = {
      {0, 0, BERTH_N_INPLACE_KINDS, 0}, {0, 0, BERTH_INPLACE_OVER, 1}};
  for (int i = 0; i < 2; i++) {
    struct berth_problem_builder *builder = start();
    add_value(builder, &(struct value){8}, 'a');
    add_value(builder, &(struct value){8}, 'b');
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = &(uint32_t){0};
    spec.outputs = &(uint32_t){1};
    spec.n_inputs = spec.n_outputs = 1;
    spec.inplace = &WRONG[i];
    spec.n_inplace = 1;
    struct berth_error err;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_NUMBER);
    ck_assert_str_eq(err.field, "operator.inplace");
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/inplace_kinds", (const TTest *const[]){
                                   each_kind_of_permission_is_answered, a_host_begins_with_its_operands,
                                   who_reads_what_is_inside_reads_the_host, kinds_are_checked, NULL});
}
