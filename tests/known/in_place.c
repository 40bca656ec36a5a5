/* The cases in which a result may take its operand's place, stated as graphs: reports 2, 9, 11 and 27. */
#include "berth/solve.h"
#include "berth/verify.h"
#include "suite.h"

static struct berth_problem_builder *builder;

static void begin(void) {
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
}

static uint32_t value(uint64_t size, enum berth_buffer_class class_) {
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = size;
  spec.class_ = class_;
  spec.external = class_ == BERTH_CLASS_CONSTANT;
  uint32_t index;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &index, NULL), BERTH_OK);
  return index;
}

/* Reads and writes one value each, or none where that is BERTH_NO_INDEX; may do so in place. */
static void op(uint32_t input, uint32_t output, bool in_place) {
  static const struct berth_inplace FIRST = {0, 0};
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.inputs = &input;
  spec.n_inputs = input != BERTH_NO_INDEX;
  spec.outputs = &output;
  spec.n_outputs = output != BERTH_NO_INDEX;
  spec.inplace = &FIRST;
  spec.n_inplace = in_place;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_builder_add_operator(builder, &spec, NULL, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
}

static void expect(uint64_t bound, uint64_t arena, bool used) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_builder_finish(builder, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_builder_destroy(builder);
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  ck_assert_uint_eq(permissions->n, 1);
  ck_assert((permissions->items[0].answer == BERTH_INPLACE_USED) == used);
  struct berth_plan *plan = NULL;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_uint_eq(plan->peak_bytes, bound);
  ck_assert_uint_eq(plan->arena_bytes, arena);
  ck_assert_str_eq(berth_plan_status_name(plan->status), "optimal");
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", first.message);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}

/* Report 2, in the order op1, op3, op2: A is read for the last time where B takes its place. */
START_TEST(parallel_seq) {
  begin();
  uint32_t a = value(100, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(100, BERTH_CLASS_OUTPUT);
  uint32_t c = value(100, BERTH_CLASS_OUTPUT);
  op(BERTH_NO_INDEX, a, false);
  op(a, c, false);
  op(a, b, true);
  expect(200, 200, true);
}
END_TEST

/* The same with op2 before op3: A is read later, and all three are apart. */
START_TEST(read_later) {
  begin();
  uint32_t a = value(100, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(100, BERTH_CLASS_OUTPUT);
  uint32_t c = value(100, BERTH_CLASS_OUTPUT);
  op(BERTH_NO_INDEX, a, false);
  op(a, b, true);
  op(a, c, false);
  expect(300, 300, false);
}
END_TEST

/* Report 9: never over the caller's weights. */
START_TEST(over_a_constant) {
  begin();
  uint32_t w = value(64, BERTH_CLASS_CONSTANT);
  uint32_t y = value(64, BERTH_CLASS_OUTPUT);
  op(w, y, true);
  expect(64, 64, false);
}
END_TEST

/* Report 11, nothing pinned: b on a, and k beside b. */
START_TEST(touch_free) {
  begin();
  uint32_t a = value(4096, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(4096, BERTH_CLASS_OUTPUT);
  uint32_t k = value(1024, BERTH_CLASS_TEMPORARY);
  op(BERTH_NO_INDEX, a, false);
  op(a, b, true);
  op(BERTH_NO_INDEX, k, false);
  op(k, BERTH_NO_INDEX, false);
  expect(5120, 5120, true);
}
END_TEST

/* Report 27: b takes the first quarter of a, and the rest is free again once a is dead. */
START_TEST(big_tail) {
  begin();
  uint32_t a = value(4096, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(1024, BERTH_CLASS_OUTPUT);
  uint32_t n = value(3072, BERTH_CLASS_OUTPUT);
  op(BERTH_NO_INDEX, a, false);
  op(a, b, true);
  op(BERTH_NO_INDEX, n, false);
  expect(4096, 4096, true);
}
END_TEST

/* A result that is larger than its operand has a place of its own. */
START_TEST(larger_result) {
  begin();
  uint32_t a = value(100, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(101, BERTH_CLASS_OUTPUT);
  op(BERTH_NO_INDEX, a, false);
  op(a, b, true);
  expect(201, 201, false);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "known/in_place",
      (const TTest *const[]){
          parallel_seq, read_later, over_a_constant, touch_free, big_tail, larger_result, NULL});
}
