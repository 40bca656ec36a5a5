/* Live windows: the gaps of one root, a, as they come out of what touches it and its views. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "graphs.h"

#define W BERTH_VALUE_LIVE_WINDOWS
#define VIEW(size, offset)                                                                                   \
  { size, T, 0, 1, offset }
enum { MAX_GAPS = 4 };

static const struct {
  const char *what;
  uint32_t n_values;
  struct value values[MAX];
  uint32_t n_ops;
  struct op ops[MAX];
  uint32_t loop_first; /* a loop of this many operators, if any */
  uint32_t loop_operators;
  uint32_t n_gaps;
  struct berth_gap gaps[MAX_GAPS];
} CASES[] = {
    {"whole, then a view (report 4)",
     3,
     {{400, T, W}, VIEW(100, 100), {400}},
     4,
     {{{END}, {0, END}}, {{0, END}, {END}}, {{END}, {2, END}}, {{1, 2, END}, {END}}},
     0,
     0,
     1,
     {{2, 4, 100, 200}}},
    {"parts that are written one after the other",
     4,
     {{100, T, W}, VIEW(40, 0), VIEW(60, 40), {8}},
     4,
     {{{END}, {1, END}}, {{END}, {3, END}}, {{END}, {2, END}}, {{0, END}, {END}}},
     0,
     0,
     1,
     {{0, 2, 0, 40}}},
    {"parts that are read one after the other",
     3,
     {{100, T, W}, VIEW(40, 0), VIEW(60, 40)},
     3,
     {{{END}, {0, END}}, {{1, END}, {END}}, {{2, END}, {END}}},
     0,
     0,
     1,
     {{2, 3, 40, 100}}},
    {"parts that have nothing to do with each other",
     4,
     {{100, T, W}, VIEW(10, 0), VIEW(10, 90), {8}},
     5,
     {{{END}, {1, END}}, {{1, END}, {END}}, {{END}, {3, END}}, {{END}, {2, END}}, {{2, END}, {END}}},
     0,
     0,
     3,
     {{0, 2, 0, 10}, {2, 3, 0, 0}, {3, 5, 90, 100}}},
    {"the hull of two views",
     3,
     {{100, T, W}, VIEW(10, 20), VIEW(10, 60)},
     4,
     {{{END}, {0, END}}, {{END}, {END}}, {{1, END}, {END}}, {{2, END}, {END}}},
     0,
     0,
     2,
     {{1, 3, 20, 70}, {3, 4, 60, 70}}},
    {"a view that is an output",
     2,
     {{100, T, W}, {30, BERTH_CLASS_OUTPUT, 0, 1, 10}},
     3,
     {{{END}, {0, END}}, {{END}, {END}}, {{END}, {END}}},
     0,
     0,
     1,
     {{1, 3, 10, 40}}},
    {"a root that is an output",
     2,
     {{100, BERTH_CLASS_OUTPUT, W}, VIEW(10, 0)},
     3,
     {{{END}, {0, END}}, {{END}, {END}}, {{1, END}, {END}}},
     0,
     0,
     0},
    {"an input of which a part is read",
     2,
     {{100, BERTH_CLASS_INPUT, W}, VIEW(10, 0)},
     3,
     {{{END}, {END}}, {{END}, {END}}, {{1, END}, {END}}},
     0,
     0,
     1,
     {{1, 3, 0, 10}}},
    {"a write does not end the need for what it may not write",
     2,
     {{100, T, W | BERTH_VALUE_ACCUMULATED}, VIEW(10, 0)},
     4,
     {{{END}, {0, END}}, {{END}, {END}}, {{END}, {0, END}}, {{1, END}, {END}}},
     0,
     0,
     1,
     {{3, 4, 0, 10}}},
    {"what a loop reads is wanted in every trip",
     3,
     {{100, T, W}, VIEW(10, 0), VIEW(10, 90)},
     5,
     {{{END}, {0, END}}, {{1, END}, {END}}, {{END}, {END}}, {{END}, {END}}, {{2, END}, {END}}},
     1,
     3,
     1,
     {{4, 5, 90, 100}}},
    {"what a loop makes anew in every trip is not",
     2,
     {{100, T, W}, VIEW(10, 0)},
     5,
     {{{END}, {END}}, {{END}, {0, END}}, {{1, END}, {END}}, {{END}, {END}}, {{END}, {END}}},
     0,
     5,
     1,
     {{2, 3, 0, 10}}},
};

static struct berth_problem *build_case(size_t i) {
  struct berth_problem_builder *builder = start();
  for (uint32_t v = 0; v < CASES[i].n_values; v++) {
    add_value(builder, &CASES[i].values[v], (char)('a' + v));
  }
  for (uint32_t o = 0; o < CASES[i].n_ops; o++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = CASES[i].ops[o].inputs;
    spec.n_inputs = length(spec.inputs);
    spec.outputs = CASES[i].ops[o].outputs;
    spec.n_outputs = length(spec.outputs);
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_region_spec loop = berth_region_spec_default();
  loop.first_operator = CASES[i].loop_first;
  loop.n_operators = CASES[i].loop_operators;
  if (loop.n_operators != 0) {
    ck_assert_int_eq(berth_problem_builder_add_region(builder, &loop, NULL, NULL), BERTH_OK);
  }
  return finish(builder);
}

START_TEST(windows_are_those_of_the_definition) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem *problem = build_case(i);
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    uint32_t n = buffers->gap_begin != NULL ? buffers->gap_begin[1] : 0;
    ck_assert_msg(n == CASES[i].n_gaps, "%s: %u gaps", CASES[i].what, n);
    for (uint32_t g = 0; g < n; g++) {
      const struct berth_gap *gap = &buffers->gaps[g];
      const struct berth_gap *right = &CASES[i].gaps[g];
      ck_assert_msg(
          gap->lower == right->lower && gap->upper == right->upper &&
              gap->window_lower == right->window_lower && gap->window_upper == right->window_upper,
          "%s: gap %u is [%lld, %lld) with [%llu, %llu)", CASES[i].what, g, (long long)gap->lower,
          (long long)gap->upper, (unsigned long long)gap->window_lower,
          (unsigned long long)gap->window_upper);
    }
    ck_assert(berth_problem_value(problem, 0).live_windows);
    plan(problem);
    berth_problem_unref(problem);
  }
}
END_TEST

/* Report 4: 600 instead of 800. The judge passes what lies beside the view, and nothing on it. */
START_TEST(the_rest_of_a_root_is_free) {
  struct berth_problem *problem = build_case(0);
  ck_assert_uint_eq(plan(problem), 600);
  for (uint64_t q = 0; q <= 400; q += 50) {
    struct berth_verdict verdict;
    uint64_t offset[] = {400, 200 + q};
    ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    bool apart = 200 + q + 400 <= 500 || 200 + q >= 600;
    ck_assert_int_eq(verdict.n_violations == 0, apart);
  }
  berth_problem_unref(problem);
}
END_TEST

START_TEST(windows_are_of_roots_that_are_placed) {
  for (int i = 0; i < 2; i++) {
    struct berth_problem_builder *builder = start();
    struct berth_value_spec spec = berth_value_spec_default();
    struct berth_error err;
    add_value(builder, &(struct value){8}, 'a');
    spec.size_bytes = 4;
    spec.live_windows = true;
    spec.view_of = i == 0 ? 0 : BERTH_NO_INDEX;
    spec.external = i == 1;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_VIEW);
    ck_assert_str_eq(err.field, "value.live_windows");
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

/* A view of a root with windows is an operand to be written over: the windows of the two follow each other.
 */
START_TEST(windows_and_results_in_place) {
  static const struct value VALUES[] = {{100, T, W}, VIEW(40, 20), {30}, {70}};
  static const struct op OPS[] = {
      {{END}, {0, END}}, {{END}, {END}}, {{1, END}, {2, END}, 1, {{0, 0}}}, {{2, END}, {3, END}}};
  struct berth_problem *problem = build(VALUES, 4, OPS, 4, false);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_uint_eq(buffers->gap_begin[1], 2);
  ck_assert_uint_eq(buffers->gaps[0].window_lower, 20);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 60);
  ck_assert_int_eq(buffers->gaps[1].lower, 3);
  ck_assert_uint_eq(buffers->gaps[1].window_upper, 50);
  plan(problem);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/graph_gaps", (const TTest *const[]){
                                windows_are_those_of_the_definition, the_rest_of_a_root_is_free,
                                windows_are_of_roots_that_are_placed, windows_and_results_in_place, NULL});
}
