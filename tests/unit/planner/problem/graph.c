#include "problems.h"

/* A graph in few words: values by class, operators by lists that end at NONE. */
#define NONE UINT32_MAX
enum { MAX_VALUES = 6, MAX_OPERATORS = 5, MAX_LIST = 4 };

struct value {
  enum berth_buffer_class class_;
  unsigned flags;
};

struct op {
  uint32_t inputs[MAX_LIST];
  uint32_t outputs[MAX_LIST];
};

static uint32_t length(const uint32_t *list) {
  uint32_t n = 0;
  while (n < MAX_LIST && list[n] != NONE) {
    n++;
  }
  return n;
}

static enum berth_code
add_op(struct berth_problem_builder *builder, const struct op *op, struct berth_error *err) {
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.inputs = op->inputs;
  spec.n_inputs = length(op->inputs);
  spec.outputs = op->outputs;
  spec.n_outputs = length(op->outputs);
  return berth_problem_builder_add_operator(builder, &spec, NULL, err);
}

static void add_values(struct berth_problem_builder *builder, const struct value *values, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct berth_value_spec spec = berth_value_spec_default();
    char id[2] = {(char)('a' + i), 0};
    spec.id = text(id);
    spec.size_bytes = 100 + i;
    spec.class_ = values[i].class_;
    spec.held = (values[i].flags & BERTH_VALUE_HELD) != 0;
    spec.external = (values[i].flags & BERTH_VALUE_EXTERNAL) != 0;
    spec.accumulated = (values[i].flags & BERTH_VALUE_ACCUMULATED) != 0;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
}

START_TEST(values_come_first_then_workspaces) {
  struct berth_problem_builder *builder = start();
  static const struct value VALUES[] = {
      {BERTH_CLASS_INPUT, BERTH_VALUE_EXTERNAL},
      {BERTH_CLASS_TEMPORARY, 0},
      {BERTH_CLASS_CONSTANT, BERTH_VALUE_EXTERNAL},
      {BERTH_CLASS_OUTPUT, BERTH_VALUE_HELD},
  };
  add_values(builder, VALUES, 4);
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.id = text("first");
  spec.inputs = (uint32_t[]){0, 2};
  spec.n_inputs = 2;
  spec.outputs = (uint32_t[]){1};
  spec.n_outputs = 1;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  spec.id = text("second");
  spec.inputs = (uint32_t[]){1};
  spec.n_inputs = 1;
  spec.outputs = (uint32_t[]){3};
  spec.workspace_bytes = 64;
  spec.workspace_alignment = 32;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);

  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(graph->n_values, 4);
  ck_assert_uint_eq(graph->n_operators, 2);
  ck_assert_mem_eq(graph->value_buffer, ((uint32_t[]){NONE, 0, NONE, 1}), 16);
  ck_assert_mem_eq(graph->operator_workspace, ((uint32_t[]){NONE, 2}), 8);
  ck_assert_mem_eq(graph->value_size_bytes, ((uint64_t[]){100, 101, 102, 103}), 32);
  ck_assert_mem_eq(graph->input_begin, ((uint32_t[]){0, 2, 3}), 12);
  ck_assert_mem_eq(graph->inputs, ((uint32_t[]){0, 2, 1}), 12);
  ck_assert_mem_eq(graph->output_begin, ((uint32_t[]){0, 1, 2}), 12);
  ck_assert_mem_eq(graph->outputs, ((uint32_t[]){1, 3}), 8);
  ck_assert_uint_eq(buffers->n, 3);
  ck_assert_mem_eq(buffers->size_bytes, ((uint64_t[]){101, 103, 64}), 24);
  ck_assert_mem_eq(buffers->alignment, ((uint64_t[]){1, 1, 32}), 24);
  ck_assert_mem_eq(buffers->lower, ((int64_t[]){0, 1, 1}), 24);
  ck_assert_mem_eq(buffers->upper, ((int64_t[]){2, 2, 2}), 24);
  ck_assert_mem_eq(
      buffers->class_, ((uint8_t[]){BERTH_CLASS_TEMPORARY, BERTH_CLASS_OUTPUT, BERTH_CLASS_WORKSPACE}), 3);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 0).data, "b", 1);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 1).data, "d", 1);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 2).data, "second", 6);
  ck_assert_mem_eq(berth_problem_operator_id(problem, 0).data, "first", 5);
  ck_assert_mem_eq(berth_problem_value_id(problem, 0).data, "a", 1);
  struct berth_value_spec value = berth_problem_value(problem, 0);
  ck_assert(value.external && !value.held && value.class_ == BERTH_CLASS_INPUT && value.size_bytes == 100);
  value = berth_problem_value(problem, 3);
  ck_assert(!value.external && value.held && !value.accumulated);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(pins_and_pools_of_values_move_with_them) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  static const uint32_t LISTS[][2] = {{1, 0}, {1, 0}, {0, 1}, {1, 0}};
  static const uint32_t N[] = {2, 1, 0, 2};
  for (uint32_t i = 0; i < 4; i++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.class_ = BERTH_CLASS_STATE;
    spec.external = i == 0;
    spec.pools = LISTS[i];
    spec.n_pools = N[i];
    spec.pinned_offset = i == 3 ? 512 : BERTH_UNPINNED;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_operator_spec op = berth_operator_spec_default();
  op.workspace_bytes = 1;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 4);
  ck_assert_mem_eq(buffers->pool_begin, ((uint32_t[]){0, 1, 1, 3, 3}), 20);
  ck_assert_mem_eq(buffers->pools, ((uint32_t[]){1, 1, 0}), 12);
  ck_assert_mem_eq(
      buffers->pinned_offset, ((uint64_t[]){BERTH_UNPINNED, BERTH_UNPINNED, 512, BERTH_UNPINNED}), 32);
  ck_assert_uint_eq(berth_problem_value(problem, 3).pinned_offset, 512);
  ck_assert_uint_eq(berth_problem_value(problem, 3).n_pools, 2);
  ck_assert_uint_eq(berth_problem_value(problem, 2).n_pools, 0);
  berth_problem_unref(problem);
}
END_TEST

enum stage { AT_OPERATOR, AT_FINISH };

/* Values a, b, c, ... of the given classes; each case has one thing wrong. */
static const struct {
  struct value values[MAX_VALUES];
  size_t n_values;
  struct op ops[MAX_OPERATORS];
  size_t n_ops;
  enum stage stage;
  enum berth_reason reason;
  const char *field;
  uint32_t index;
  const char *message;
} BAD[] = {
    {{{0}},
     1,
     {{{9, NONE}, {NONE}}},
     1,
     AT_OPERATOR,
     BERTH_REASON_UNKNOWN_ID,
     "operator.inputs",
     0,
     "operator 0: entry 0 of its inputs names value 9; there are 1"},
    {{{0}},
     1,
     {{{NONE}, {0, 1, NONE}}},
     1,
     AT_OPERATOR,
     BERTH_REASON_UNKNOWN_ID,
     "operator.outputs",
     0,
     "operator 0: entry 1 of its outputs names value 1; there are 1"},
    {{{0}, {0}},
     2,
     {{{0, NONE}, {1, NONE}}, {{NONE}, {0, NONE}}},
     2,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.inputs",
     0,
     "operator 0: it reads value 0 (\"a\") before operator 1, its first producer, has written it"},
    {{{0}},
     1,
     {{{0, NONE}, {0, NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.inputs",
     0,
     "operator 0: it reads value 0 (\"a\") before operator 0, its first producer, has written it"},
    {{{0, BERTH_VALUE_ACCUMULATED}},
     1,
     {{{0, NONE}, {0, NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.inputs",
     0,
     NULL},
    {{{BERTH_CLASS_OUTPUT, 0}},
     1,
     {{{0, NONE}, {NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.inputs",
     0,
     "operator 0: it reads value 0 (\"a\"), which nobody writes"},
    {{{0}},
     1,
     {{{NONE}, {0, NONE}}, {{NONE}, {0, NONE}}},
     2,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     1,
     "operator 1: it writes value 0 (\"a\"), which operator 0 writes already; declare the value accumulated "
     "if that is "
     "meant"},
    {{{0}},
     1,
     {{{NONE}, {0, 0, NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     0,
     "operator 0: it lists value 0 (\"a\") twice among its outputs"},
    {{{0, BERTH_VALUE_ACCUMULATED}},
     1,
     {{{NONE}, {0, 0, NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     0,
     NULL},
    {{{BERTH_CLASS_CONSTANT, BERTH_VALUE_ACCUMULATED}},
     1,
     {{{NONE}, {0, NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     0,
     "operator 0: it writes value 0 (\"a\"), which is a constant"},
    {{{BERTH_CLASS_INPUT, 0}},
     1,
     {{{NONE}, {0, NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     0,
     "operator 0: it writes value 0 (\"a\"), which is an input; declare the value accumulated if that is "
     "meant"},
    {{{BERTH_CLASS_INPUT, 0}, {BERTH_CLASS_TEMPORARY, 0}},
     2,
     {{{0, NONE}, {NONE}}},
     1,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "value.class",
     1,
     "value 1 (\"b\"): no operator writes it, and it is neither an input, a constant, state nor external"},
    {{{BERTH_CLASS_OUTPUT, BERTH_VALUE_HELD}},
     1,
     {{{0}, {0}}},
     0,
     AT_FINISH,
     BERTH_REASON_BAD_ORDER,
     "value.class",
     0,
     NULL},
};

START_TEST(a_bad_graph_is_blamed) {
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berth_problem_builder *builder = start();
    struct berth_error err = {0};
    add_values(builder, BAD[i].values, BAD[i].n_values);
    enum berth_code code = BERTH_OK;
    for (size_t k = 0; k < BAD[i].n_ops && code == BERTH_OK; k++) {
      code = add_op(builder, &BAD[i].ops[k], &err);
    }
    ck_assert_msg((code != BERTH_OK) == (BAD[i].stage == AT_OPERATOR), "case %zu: %s", i, err.message);
    struct berth_error last = finish_fails(builder);
    ck_assert_msg(code == BERTH_OK || strcmp(last.message, err.message) == 0, "case %zu", i);
    ck_assert_int_eq(last.code, BERTH_INVALID_ARGUMENT);
    ck_assert_msg(last.reason == BAD[i].reason, "case %zu: %s", i, last.message);
    ck_assert_str_eq(last.field, BAD[i].field);
    ck_assert_uint_eq(last.index, BAD[i].index);
    if (BAD[i].message != NULL) {
      ck_assert_str_eq(last.message, BAD[i].message);
    }
  }
}
END_TEST

START_TEST(bad_values_and_operators_are_blamed_at_once) {
  struct berth_error err;
  struct berth_problem_builder *builder = start();
  struct berth_value_spec value = berth_value_spec_default();
  value.class_ = BERTH_CLASS_WORKSPACE;
  value.id = text("w");
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(
      err.message, "value 0 (\"w\"): a value cannot be a workspace; state it as its operator's workspace");
  berth_problem_builder_destroy(builder);

  builder = start();
  value = berth_value_spec_default();
  value.external = true;
  value.pinned_offset = 0;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_PIN);
  berth_problem_builder_destroy(builder);

  builder = start();
  struct berth_operator_spec op = berth_operator_spec_default();
  op.workspace_alignment = 3;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_ALIGNMENT);
  ck_assert_str_eq(err.field, "operator.workspace_alignment");
  berth_problem_builder_destroy(builder);

  builder = start();
  op = berth_operator_spec_default();
  op.workspace_bytes = UINT64_C(1) << 63;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_SIZE_OVERFLOW);
  ck_assert_str_eq(err.field, "operator.workspace");
  berth_problem_builder_destroy(builder);

  builder = start();
  op = berth_operator_spec_default();
  op.id = text("relu");
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_OK);
  err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_DUPLICATE_ID);
  ck_assert_str_eq(err.message, "operator 1 (\"relu\"): operator 0 has the same id");
}
END_TEST

/* External values take no room: their sizes are in no sum. */
START_TEST(external_values_may_be_huge) {
  struct berth_problem_builder *builder = start();
  struct berth_value_spec value = berth_value_spec_default();
  value.class_ = BERTH_CLASS_CONSTANT;
  value.external = true;
  value.size_bytes = UINT64_C(1) << 62;
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem = finish(builder);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 0);
  ck_assert_uint_eq(berth_problem_graph(problem)->value_size_bytes[2], UINT64_C(1) << 62);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/graph",
      (const TTest *const[]){
          values_come_first_then_workspaces, pins_and_pools_of_values_move_with_them, a_bad_graph_is_blamed,
          bad_values_and_operators_are_blamed_at_once, external_values_may_be_huge, NULL});
}
