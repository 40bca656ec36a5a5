#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "problems.h"

/* Values in few words: size, class, what they are a view of (ROOT: nothing), where in it. */
#define ROOT UINT32_MAX
#define END UINT32_MAX
enum { MAX = 6 };

struct value {
  uint64_t size;
  enum berth_buffer_class class_;
  uint32_t view_of;
  uint64_t offset;
  uint64_t alignment; /* 0: 1 */
  bool held;
};

struct op {
  uint32_t input; /* END: none */
  uint32_t output;
};

static void add_value(struct berth_problem_builder *builder, const struct value *value, char id) {
  struct berth_value_spec spec = berth_value_spec_default();
  spec.id = (struct berth_text){.data = &id, .size = 1};
  spec.size_bytes = value->size;
  spec.class_ = value->class_;
  spec.view_of = value->view_of;
  spec.view_offset = value->offset;
  spec.alignment = value->alignment == 0 ? 1 : value->alignment;
  spec.held = value->held;
  struct berth_error err;
  ck_assert_msg(
      berth_problem_builder_add_value(builder, &spec, NULL, &err) == BERTH_OK, "refused: %s", err.message);
}

static struct berth_problem_builder *
state(const struct value *values, uint32_t n_values, const struct op *ops, uint32_t n_ops) {
  struct berth_problem_builder *builder = start();
  for (uint32_t i = 0; i < n_values; i++) {
    add_value(builder, &values[i], (char)('a' + i));
  }
  for (uint32_t i = 0; i < n_ops; i++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = &ops[i].input;
    spec.n_inputs = ops[i].input != END;
    spec.outputs = &ops[i].output;
    spec.n_outputs = ops[i].output != END;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  return builder;
}

/* Roots' buffers, in order. */
static const struct {
  const char *what;
  uint32_t n_values;
  struct value values[MAX];
  uint32_t n_ops;
  struct op ops[MAX];
  uint32_t n_buffers;
  int64_t lower[MAX];
  int64_t upper[MAX];
} CASES[] = {
    {"a root lives as long as its view is read (report 4)",
     4,
     {{400, 0, ROOT}, {100, 0, 0, 100}, {400, 0, ROOT}, {8, BERTH_CLASS_OUTPUT, ROOT}},
     4,
     {{END, 0}, {END, END}, {END, 2}, {1, 3}},
     3,
     {0, 2, 3},
     {4, 3, 4}},
    {"a view that is an output keeps its root to the end (report 6)",
     4,
     {{256, 0, ROOT}, {64, BERTH_CLASS_OUTPUT, 0, 0}, {256, 0, ROOT}, {256, 0, ROOT}},
     3,
     {{END, 0}, {0, 2}, {2, 3}},
     3,
     {0, 1, 2},
     {3, 3, 3}},
    {"so does a view that is held, also through a view of a view",
     4,
     {{256, 0, ROOT}, {64, 0, 0, 64}, {32, 0, 1, 32, 0, true}, {1, 0, ROOT}},
     3,
     {{END, 0}, {1, 3}, {END, END}},
     2,
     {0, 1},
     {3, 2}},
    {"views may come before what they view",
     4,
     {{8, 0, 1, 8}, {16, 0, 2, 16}, {64, 0, ROOT}, {1, 0, ROOT}},
     3,
     {{END, 2}, {END, END}, {0, 3}},
     2,
     {0, 2},
     {3, 3}},
    {"parts may be written one by one, and the whole read (concat)",
     4,
     {{64, 0, ROOT}, {32, 0, 0, 0}, {32, 0, 0, 32}, {1, 0, ROOT}},
     4,
     {{END, END}, {END, 1}, {END, 2}, {0, 3}},
     2,
     {1, 3},
     {4, 4}},
    {"a view of state is there always",
     3,
     {{64, BERTH_CLASS_STATE, ROOT}, {32, 0, 0, 32}, {1, 0, ROOT}},
     3,
     {{END, END}, {1, 2}, {END, 1}},
     2,
     {0, 1},
     {3, 2}},
    {"a constant part keeps the whole",
     3,
     {{64, 0, ROOT}, {32, BERTH_CLASS_CONSTANT, 0, 32}, {1, 0, ROOT}},
     2,
     {{END, END}, {1, 2}},
     2,
     {0, 1},
     {2, 2}},
    {"a view that nobody uses says nothing",
     2,
     {{64, 0, ROOT}, {32, 0, 0, 32}},
     2,
     {{END, END}, {END, 0}},
     1,
     {1},
     {2}},
};

START_TEST(liveness_belongs_to_the_root) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem *problem =
        finish(state(CASES[i].values, CASES[i].n_values, CASES[i].ops, CASES[i].n_ops));
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    ck_assert_msg(buffers->n == CASES[i].n_buffers, "%s", CASES[i].what);
    for (uint32_t b = 0; b < buffers->n; b++) {
      ck_assert_msg(
          buffers->lower[b] == CASES[i].lower[b] && buffers->upper[b] == CASES[i].upper[b],
          "%s: buffer %u has [%d, %d)", CASES[i].what, b, (int)buffers->lower[b], (int)buffers->upper[b]);
    }
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(views_are_bytes_of_their_root) {
  static const struct value VALUES[] = {
      {8, 0, 1, 8}, {16, 0, 3, 16, 16}, {5, 0, ROOT}, {64, BERTH_CLASS_STATE, ROOT, 0, 4}, {64, 0, 3, 0}};
  static const struct op OPS[] = {{END, 2}};
  struct berth_problem *problem = finish(state(VALUES, 5, OPS, 1));
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_mem_eq(graph->value_root, ((uint32_t[]){3, 3, 2, 3, 3}), 20);
  ck_assert_mem_eq(graph->value_view_offset, ((uint64_t[]){24, 16, 0, 0, 0}), 40);
  ck_assert_mem_eq(graph->value_buffer, ((uint32_t[]){1, 1, 0, 1, 1}), 20);
  ck_assert_mem_eq(graph->value_size_bytes, ((uint64_t[]){8, 16, 5, 64, 64}), 40);
  ck_assert_uint_eq(buffers->n, 2);
  ck_assert_uint_eq(buffers->alignment[1], 16); /* what the views ask for */
  ck_assert_uint_eq(graph->value_alignment[3], 4);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 1).data, "d", 1);
  struct berth_value_spec value = berth_problem_value(problem, 0);
  ck_assert_uint_eq(value.view_of, 3);
  ck_assert_uint_eq(value.view_offset, 24);
  ck_assert_uint_eq(berth_problem_value(problem, 3).view_of, BERTH_NO_INDEX);
  berth_problem_unref(problem);
}
END_TEST

static const struct {
  uint32_t n_values;
  struct value values[MAX];
  uint32_t n_ops;
  struct op ops[MAX];
  enum berth_reason reason;
  const char *field;
  uint32_t index;
  const char *message;
} BAD[] = {
    {2,
     {{64, 0, ROOT}, {32, 0, 0, 33}},
     0,
     {{0}},
     BERTH_REASON_BAD_VIEW,
     "value.view_offset",
     1,
     "value 1 (\"b\"): 32 bytes from 33 are not within the 64 bytes of value 0 (\"a\")"},
    {2,
     {{64, 0, ROOT}, {32, 0, 0, UINT64_MAX}},
     0,
     {{0}},
     BERTH_REASON_BAD_VIEW,
     "value.view_offset",
     1,
     NULL},
    {3,
     {{64, 0, ROOT}, {32, 0, 0, 32}, {16, 0, 1, 17}},
     0,
     {{0}},
     BERTH_REASON_BAD_VIEW,
     "value.view_offset",
     2,
     "value 2 (\"c\"): 16 bytes from 17 are not within the 32 bytes of value 1 (\"b\")"},
    {2,
     {{8, 0, 1, 0}, {8, 0, 0, 0}},
     0,
     {{0}},
     BERTH_REASON_BAD_VIEW,
     "value.view_of",
     0,
     "value 0 (\"a\"): it is a view of itself, by way of value 1"},
    {4,
     {{8, 0, 1, 0}, {8, 0, 2, 0}, {8, 0, 3, 0}, {8, 0, 1, 0}},
     0,
     {{0}},
     BERTH_REASON_BAD_VIEW,
     "value.view_of",
     1,
     NULL},
    {1,
     {{8, 0, 7, 0}},
     0,
     {{0}},
     BERTH_REASON_UNKNOWN_ID,
     "value.view_of",
     0,
     "value 0 (\"a\"): it is a view of value 7; there are 1"},
    {2,
     {{64, 0, ROOT}, {32, 0, 0, 8, 16}},
     0,
     {{0}},
     BERTH_REASON_BAD_ALIGNMENT,
     "value.alignment",
     1,
     "value 1 (\"b\"): it begins 8 bytes into its root, which is not a multiple of its alignment 16"},
    {2,
     {{64, 0, ROOT}, {32, 0, 0, 0}},
     1,
     {{1, END}},
     BERTH_REASON_BAD_ORDER,
     "operator.inputs",
     0,
     "operator 0: it reads value 1 (\"b\"), which nobody writes"},
    {3,
     {{64, 0, ROOT}, {32, 0, 0, 0}, {32, 0, 0, 32}},
     2,
     {{END, 1}, {2, END}},
     BERTH_REASON_BAD_ORDER,
     "operator.inputs",
     1,
     NULL}, /* other bytes were written */
    {2,
     {{64, BERTH_CLASS_CONSTANT, ROOT}, {32, 0, 0, 0}},
     1,
     {{END, 1}},
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     0,
     "operator 0: it writes value 1 (\"b\"), which is a constant"},
    {2,
     {{64, BERTH_CLASS_INPUT, ROOT}, {32, 0, 0, 0}},
     1,
     {{END, 1}},
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     0,
     NULL},
    {2,
     {{64, 0, ROOT}, {32, 0, 0, 0}},
     2,
     {{END, 1}, {END, 1}},
     BERTH_REASON_BAD_ORDER,
     "operator.outputs",
     1,
     NULL},
    {2, {{64, 0, ROOT}, {32, 0, 0, 0}}, 0, {{0}}, BERTH_REASON_BAD_ORDER, "value.class", 0, NULL},
};

START_TEST(bad_views_are_blamed) {
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berth_error err = finish_fails(state(BAD[i].values, BAD[i].n_values, BAD[i].ops, BAD[i].n_ops));
    ck_assert_int_eq(err.code, BERTH_INVALID_ARGUMENT);
    ck_assert_msg(err.reason == BAD[i].reason, "case %zu: %s", i, err.message);
    ck_assert_msg(strcmp(err.field, BAD[i].field) == 0, "case %zu: %s", i, err.field);
    ck_assert_uint_eq(err.index, BAD[i].index);
    if (BAD[i].message != NULL) {
      ck_assert_str_eq(err.message, BAD[i].message);
    }
  }
}
END_TEST

START_TEST(what_is_the_roots_is_not_given_for_a_view) {
  struct berth_error err;
  struct berth_value_spec good = berth_value_spec_default();
  good.view_of = 1;
  for (int i = 0; i < 4; i++) {
    struct berth_problem_builder *builder = start();
    struct berth_value_spec spec = good;
    spec.external = i == 0;
    spec.pinned_offset = i == 1 ? 0 : BERTH_UNPINNED;
    spec.n_pools = i == 2;
    spec.pools = &(uint32_t){0};
    spec.view_of = i == 3 ? 0 : 1; /* itself */
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_VIEW);
    berth_problem_builder_destroy(builder);
  }
  struct berth_problem_builder *builder = start(); /* the root's pin must suit the view's alignment */
  struct berth_value_spec spec = berth_value_spec_default();
  spec.class_ = BERTH_CLASS_STATE;
  spec.size_bytes = 64;
  spec.pinned_offset = 8;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  good.view_of = 0;
  good.alignment = 16;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &good, NULL, NULL), BERTH_OK);
  err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_PIN);
  ck_assert_uint_eq(err.index, 1);
}
END_TEST

/* A chain of a million views, in the worst order, takes no deep recursion and no long time. */
START_TEST(a_long_chain_is_followed_once) {
  enum { N = 1000000 };
  struct berth_problem_builder *builder = start();
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = 8;
  for (uint32_t i = 0; i < N; i++) {
    spec.view_of = i + 1;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  spec.view_of = BERTH_NO_INDEX;
  spec.class_ = BERTH_CLASS_STATE;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 1);
  ck_assert_uint_eq(berth_problem_graph(problem)->value_root[0], N);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/views", (const TTest *const[]){
                           liveness_belongs_to_the_root, views_are_bytes_of_their_root, bad_views_are_blamed,
                           what_is_the_roots_is_not_given_for_a_view, a_long_chain_is_followed_once, NULL});
}
