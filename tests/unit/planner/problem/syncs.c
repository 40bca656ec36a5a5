/* Added waits: what the builder refuses, what they order, and what they leave alone. */
#include "problems.h"

#include "berth/restate.h"

/* Stream 0 makes and reads a, stream 1 makes and reads b; the last operator of stream 1 may write over what
 * it reads. */
static struct berth_problem_builder *two_towers(void) {
  struct berth_problem_builder *builder = start();
  static const uint32_t IN[] = {0, 0, 1, 1};
  static const uint32_t OUT[] = {0, 2, 1, 3};
  static const struct berth_inplace OVER = {.kind = BERTH_INPLACE_OVER};
  for (uint32_t v = 0; v < 4; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = v < 2 ? 100 : 10;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t op = 0; op < 4; op++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = &IN[op];
    spec.n_inputs = op % 2;
    spec.outputs = &OUT[op];
    spec.n_outputs = 1;
    spec.stream = op / 2;
    spec.inplace = &OVER;
    spec.n_inplace = op == 3;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  return builder;
}

static enum berth_code add_sync(
    struct berth_problem_builder *builder, uint32_t waiter, uint32_t signaller, struct berth_error *err) {
  const struct berth_sync sync = {.waiter = waiter, .signaller = signaller};
  return berth_problem_builder_add_sync(builder, &sync, err);
}

START_TEST(what_cannot_be_is_blamed) {
  static const struct {
    uint32_t waiter;
    uint32_t signaller;
    enum berth_reason reason;
    const char *field;
    const char *message;
  } CASES[] = {
      {4, 0, BERTH_REASON_UNKNOWN_ID, "sync.waiter", "names operator 4; there are 4"},
      {2, 9, BERTH_REASON_UNKNOWN_ID, "sync.signaller", "names operator 9; there are 4"},
      {1, 2, BERTH_REASON_BAD_ORDER, "sync.signaller", "does not come before it"},
      {2, 2, BERTH_REASON_BAD_ORDER, "sync.signaller", "does not come before it"},
      {3, 2, BERTH_REASON_BAD_ORDER, "sync.signaller", "one stream"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem_builder *builder = two_towers();
    struct berth_error err;
    ck_assert_int_eq(add_sync(builder, 2, 0, &err), BERTH_OK);
    ck_assert_int_eq(add_sync(builder, CASES[i].waiter, CASES[i].signaller, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, CASES[i].reason);
    ck_assert_uint_eq(err.index, 1);
    ck_assert_str_eq(err.field, CASES[i].field);
    ck_assert_msg(strstr(err.message, CASES[i].message) != NULL, "%s", err.message);
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

START_TEST(they_are_sorted_and_there_once) {
  struct berth_problem_builder *builder = two_towers();
  ck_assert_int_eq(add_sync(builder, 3, 1, NULL), BERTH_OK);
  ck_assert_int_eq(add_sync(builder, 2, 1, NULL), BERTH_OK);
  ck_assert_int_eq(add_sync(builder, 3, 1, NULL), BERTH_OK);
  ck_assert_int_eq(add_sync(builder, 2, 0, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);
  const struct berth_graph *graph = berth_problem_graph(problem);
  static const struct berth_sync RIGHT[] = {{2, 0}, {2, 1}, {3, 1}};
  ck_assert_uint_eq(graph->n_syncs, 3);
  ck_assert_mem_eq(graph->syncs, RIGHT, sizeof RIGHT);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(they_order_buffers_and_not_permissions) {
  struct berth_problem *plain = finish(two_towers());
  struct berth_problem_builder *builder = two_towers();
  ck_assert_int_eq(add_sync(builder, 2, 1, NULL), BERTH_OK);
  struct berth_problem *with = finish(builder);
  ck_assert(!berth_buffers_before(berth_problem_buffers(plain), 0, 1));
  ck_assert(berth_buffers_before(berth_problem_buffers(with), 0, 1));
  ck_assert(!berth_buffers_before(berth_problem_buffers(with), 1, 0));
  const struct berth_permissions *a = berth_problem_permissions(plain);
  const struct berth_permissions *b = berth_problem_permissions(with);
  ck_assert_uint_eq(a->n, 1);
  ck_assert_int_eq(a->items[0].answer, b->items[0].answer);
  ck_assert_uint_eq(berth_problem_buffers(plain)->n, berth_problem_buffers(with)->n);
  berth_problem_unref(with);
  berth_problem_unref(plain);
}
END_TEST

START_TEST(restating_adds_to_those_that_there_are) {
  struct berth_problem_builder *builder = two_towers();
  ck_assert_int_eq(add_sync(builder, 3, 0, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);
  const struct berth_sync more[] = {{3, 1}, {2, 0}};
  const struct berth_restatement as = {.syncs = more, .n_syncs = 2};
  struct berth_problem *again;
  ck_assert_int_eq(berth_problem_restate(problem, &as, NULL, &again, NULL), BERTH_OK);
  ck_assert_uint_eq(berth_problem_graph(again)->n_syncs, 3);
  ck_assert_uint_eq(berth_problem_graph(problem)->n_syncs, 1);
  berth_problem_unref(again);
  const struct berth_sync wrong = {3, 2};
  const struct berth_restatement badly = {.syncs = &wrong, .n_syncs = 1};
  struct berth_error err;
  ck_assert_int_eq(berth_problem_restate(problem, &badly, NULL, &again, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "sync.signaller");
  berth_problem_unref(problem);
}
END_TEST

START_TEST(a_problem_of_buffers_has_none) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  struct berth_error err;
  spec.upper = 1;
  add(builder, &spec);
  ck_assert_int_eq(add_sync(builder, 1, 0, &err), BERTH_INVALID_ARGUMENT);
  berth_problem_builder_destroy(builder);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/syncs",
      (const TTest *const[]){
          what_cannot_be_is_blamed, they_are_sorted_and_there_once, they_order_buffers_and_not_permissions,
          restating_adds_to_those_that_there_are, a_problem_of_buffers_has_none, NULL});
}
