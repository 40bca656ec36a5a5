/* Operands that lie inside a result, beside one whose size is an expression. */
#include "berth/verify.h"
#include "suite.h"

enum { FIXED, SIZED, RESULT, N_VALUES };

/* n is 1 to `most`; the operator copies FIXED, of 2 bytes, to `at`, and SIZED, of n bytes, to byte 0 of 8. */
static struct berth_problem *build(uint64_t most, uint64_t at, uint64_t bound) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  const struct berth_symbol symbol = {.name = {"n", 1}, .lower = 1, .upper = most};
  const struct berth_binding binding = {.symbol = {"n", 1}, .lower = bound, .upper = bound};
  const struct berth_bindings bindings = {.n = bound != 0, .items = &binding};
  const struct berth_expression expression = {.operation = BERTH_OPERATION_SYMBOL};
  const struct berth_shape shape = {
      .dimensions = (const uint32_t[]){0}, .n_dimensions = 1, .element_bits = 8};
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_bind(builder, &bindings, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_symbol(builder, &symbol, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_expression(builder, &expression, NULL, NULL), BERTH_OK);
  for (uint32_t v = 0; v < N_VALUES; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = v == FIXED ? 2 : v == RESULT ? 8 : 0;
    spec.shape = v == SIZED ? &shape : NULL;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t v = 0; v < N_VALUES; v++) {
    const struct berth_inplace inside[] = {
        {.input = 0, .kind = BERTH_INPLACE_INSIDE, .bytes = at}, {.input = 1, .kind = BERTH_INPLACE_INSIDE}};
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = (const uint32_t[]){FIXED, SIZED};
    spec.n_inputs = v == RESULT ? 2 : 0;
    spec.outputs = &v;
    spec.n_outputs = 1;
    spec.inplace = inside;
    spec.n_inplace = v == RESULT ? 2 : 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

/* The operator copies the other one too, as much of it as there may be, in its own place or not. */
START_TEST(where_an_operand_of_any_size_is_copied_nobody_lies) {
  static const struct {
    uint64_t most;
    uint64_t at;
    uint64_t bound;
    enum berth_inplace_answer answer;
  } CASES[] = {
      {4, 0, 0, BERTH_INPLACE_PLACES_MEET},
      {4, 3, 0, BERTH_INPLACE_PLACES_MEET},
      {4, 3, 1, BERTH_INPLACE_PLACES_MEET}, /* as at every other binding */
      {4, 4, 0, BERTH_INPLACE_USED},
      {BERTH_UNBOUNDED, 6, 0, BERTH_INPLACE_PLACES_MEET},
      {BERTH_UNBOUNDED, 6, 2, BERTH_INPLACE_PLACES_MEET}};
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
    struct berth_problem *problem = build(CASES[k].most, CASES[k].at, CASES[k].bound);
    const struct berth_permission *answers = berth_problem_permissions(problem)->items;
    ck_assert_int_eq(answers[0].answer, CASES[k].answer);
    ck_assert_int_ne(answers[1].answer, BERTH_INPLACE_USED);
    uint64_t offset[N_VALUES] = {0, 64, 128};
    struct berth_verdict verdict;
    enum berth_code code = berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL);
    ck_assert_int_eq(code, BERTH_OK);
    berth_problem_unref(problem);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/inplace_sizes",
      (const TTest *const[]){where_an_operand_of_any_size_is_copied_nobody_lies, NULL});
}
