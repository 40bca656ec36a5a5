/* What operators made, and what they need. */
#include "berth/report.h"
#include "graph.h"
#include "suite.h"

static uint32_t add(struct berth_problem_builder *builder, uint64_t size, enum berth_buffer_class class_) {
  struct berth_value_spec spec = berth_value_spec_default();
  uint32_t value;
  spec.size_bytes = size;
  spec.class_ = class_;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &value, NULL), BERTH_OK);
  return value;
}

static void
run(struct berth_problem_builder *builder, const uint32_t *inputs, uint32_t n_inputs, uint32_t output,
    uint64_t workspace) {
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.inputs = inputs;
  spec.n_inputs = n_inputs;
  spec.outputs = &output;
  spec.n_outputs = 1;
  spec.workspace_bytes = workspace;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
}

/* weights 7, x 100 -> [workspace 30] -> y 200 -> z 50, which reads y twice. */
static struct berth_problem *chain(void) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  uint32_t weights = add(builder, 7, BERTH_CLASS_CONSTANT);
  uint32_t x = add(builder, 100, BERTH_CLASS_INPUT);
  uint32_t y = add(builder, 200, BERTH_CLASS_TEMPORARY);
  uint32_t z = add(builder, 50, BERTH_CLASS_OUTPUT);
  run(builder, (const uint32_t[]){weights, x}, 2, y, 30);
  run(builder, (const uint32_t[]){y, y}, 2, z, 0);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static void expect_row(const struct berth_operator_row *row, const uint64_t expected[4]) {
  ck_assert_uint_eq(row->live_bytes, expected[0]);
  ck_assert_uint_eq(row->workspace_bytes, expected[1]);
  ck_assert_uint_eq(row->input_bytes, expected[2]);
  ck_assert_uint_eq(row->output_bytes, expected[3]);
}

START_TEST(what_a_chain_needs) {
  struct berth_problem *problem = chain();
  struct berth_operator_row *rows;
  uint32_t n;
  ck_assert_int_eq(berth_report_operators(problem, NULL, &rows, &n, NULL), BERTH_OK);
  ck_assert_uint_eq(n, 2);
  expect_row(&rows[0], (const uint64_t[]){337, 30, 107, 200});
  expect_row(&rows[1], (const uint64_t[]){257, 0, 200, 50});
  berth_report_free(NULL, rows);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(who_made_the_peak) {
  struct berth_problem *problem = chain();
  struct berth_contribution *items;
  struct berth_breakdown breakdown;
  uint32_t *producers;
  uint32_t n;
  ck_assert_int_eq(berth_report_contributions(problem, 0, NULL, &items, &n, NULL), BERTH_OK);
  ck_assert_int_eq(berth_report_breakdown(problem, items, n, NULL, &breakdown, NULL), BERTH_OK);
  ck_assert_int_eq(berth_report_producers(problem, NULL, &producers, NULL), BERTH_OK);
  ck_assert_uint_eq(breakdown.n_makers, 2);
  ck_assert_uint_eq(breakdown.makers[0].op, 0);
  ck_assert_uint_eq(breakdown.makers[0].bytes, 230);
  ck_assert_uint_eq(breakdown.makers[1].op, BERTH_NO_INDEX);
  ck_assert_uint_eq(breakdown.makers[1].bytes, 107);
  ck_assert_uint_eq(breakdown.class_bytes[BERTH_CLASS_CONSTANT], 7);
  ck_assert_uint_eq(breakdown.class_bytes[BERTH_CLASS_INPUT], 100);
  ck_assert_uint_eq(breakdown.class_bytes[BERTH_CLASS_TEMPORARY], 200);
  ck_assert_uint_eq(breakdown.class_bytes[BERTH_CLASS_WORKSPACE], 30);
  const uint32_t expected[] = {BERTH_NO_INDEX, BERTH_NO_INDEX, 0, 1, 0}; /* the last is the workspace */
  for (uint32_t i = 0; i < 5; i++) {
    ck_assert_uint_eq(producers[i], expected[i]);
  }
  berth_report_free(NULL, producers);
  berth_report_free(NULL, breakdown.makers);
  berth_report_free(NULL, items);
  berth_problem_unref(problem);
}
END_TEST

/* At every step: classes and makers sum to the contributions, and those to the operator's live bytes. */
START_TEST(all_sums_agree) {
  struct berth_rng rng = {9};
  for (int round = 0; round < 60; round++) {
    struct graph graph;
    graph_generate(&graph, &rng, 10, GRAPH_VIEWS | GRAPH_IN_PLACE | (round % 2 == 0 ? GRAPH_REGIONS : 0));
    struct berth_problem *problem = graph_build(&graph);
    struct berth_operator_row *rows;
    uint32_t n_rows;
    ck_assert_int_eq(berth_report_operators(problem, NULL, &rows, &n_rows, NULL), BERTH_OK);
    for (uint32_t op = 0; op < n_rows; op++) {
      struct berth_contribution *items;
      struct berth_breakdown breakdown;
      uint32_t n;
      uint64_t sums[3] = {0};
      ck_assert_int_eq(berth_report_contributions(problem, op, NULL, &items, &n, NULL), BERTH_OK);
      ck_assert_int_eq(berth_report_breakdown(problem, items, n, NULL, &breakdown, NULL), BERTH_OK);
      for (uint32_t k = 0; k < n; k++) {
        sums[0] += items[k].live_bytes;
      }
      for (uint32_t k = 0; k < breakdown.n_makers; k++) {
        sums[1] += breakdown.makers[k].bytes;
      }
      for (uint32_t k = 0; k < BERTH_N_CLASSES; k++) {
        sums[2] += breakdown.class_bytes[k];
      }
      ck_assert(sums[0] == rows[op].live_bytes && sums[1] == sums[0] && sums[2] == sums[0]);
      berth_report_free(NULL, breakdown.makers);
      berth_report_free(NULL, items);
    }
    berth_report_free(NULL, rows);
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(buffers_have_no_operators) {
  struct sample sample;
  sample_init(&sample);
  sample_add(&sample, 10, 0, 2);
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_operator_row *rows;
  uint32_t *producers;
  uint32_t n;
  ck_assert_int_eq(berth_report_operators(problem, NULL, &rows, &n, NULL), BERTH_OK);
  ck_assert_int_eq(berth_report_producers(problem, NULL, &producers, NULL), BERTH_OK);
  ck_assert(rows == NULL && n == 0 && producers == NULL);
  berth_problem_unref(problem);
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "report/operators",
      (const TTest *const[]){
          what_a_chain_needs, who_made_the_peak, all_sums_agree, buffers_have_no_operators, NULL});
}
