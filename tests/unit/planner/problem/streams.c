#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "problems.h"

#include "base/rng.h"
#include "berth/solve.h"
#include "berth/verify.h"

#define END UINT32_MAX
enum { LIST = 3, MAX_OPS = 12, MAX_VALUES = 12 };

struct op {
  uint32_t inputs[LIST];
  uint32_t outputs[LIST];
  uint32_t stream;
  uint32_t waits[LIST];
  uint64_t workspace;
  uint32_t n_inplace; /* of the first input for the first output */
};

static uint32_t length(const uint32_t *list) {
  uint32_t n = 0;
  while (n < LIST && list[n] != END) {
    n++;
  }
  return n;
}

static void add_value(
    struct berth_problem_builder *builder, uint64_t size, enum berth_buffer_class class_, bool external) {
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = size;
  spec.class_ = class_;
  spec.external = external;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
}

static enum berth_code
add_op(struct berth_problem_builder *builder, const struct op *op, struct berth_error *err) {
  static const struct berth_inplace FIRST = {0, 0};
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.inputs = op->inputs;
  spec.n_inputs = length(op->inputs);
  spec.outputs = op->outputs;
  spec.n_outputs = length(op->outputs);
  spec.stream = op->stream;
  spec.waits = op->waits;
  spec.n_waits = length(op->waits);
  spec.workspace_bytes = op->workspace;
  spec.inplace = &FIRST;
  spec.n_inplace = op->n_inplace;
  return berth_problem_builder_add_operator(builder, &spec, NULL, err);
}

static uint64_t plan(const struct berth_problem *problem) {
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", violation.message);
  uint64_t arena = plan->arena_bytes;
  berth_plan_unref(plan);
  return arena;
}

/* Report 3: C is made on stream 0 while stream 1 may still read A. */
static struct berth_problem *two_streams(bool waits) {
  const struct op ops[] = {
      {{END}, {0, END}, 0, {END}, 0, 0},
      {{0, END}, {1, END}, 1, {0, END}, 0, 0},
      {{END}, {2, END}, 0, {waits ? 1 : END, END}, 0, 0},
      {{1, 2, END}, {3, END}, 0, {1, END}, 0, 0},
  };
  struct berth_problem_builder *builder = start();
  for (int i = 0; i < 4; i++) {
    add_value(builder, 256, i == 3 ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY, i == 3);
  }
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(add_op(builder, &ops[i], NULL), BERTH_OK);
  }
  return finish(builder);
}

START_TEST(what_is_not_ordered_does_not_share) {
  struct berth_problem *problem = two_streams(false);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n_clocks, 2);
  ck_assert(!berth_buffers_before(buffers, 0, 2) && !berth_buffers_before(buffers, 2, 0));
  ck_assert_uint_eq(plan(problem), 768);
  struct berth_verdict verdict;
  ck_assert_int_eq(
      berth_verify_offsets(problem, NULL, (const uint64_t[]){0, 256, 0}, NULL, NULL, 0, &verdict, NULL),
      BERTH_OK);
  ck_assert_uint_gt(verdict.n_violations, 0);
  berth_problem_unref(problem);
  problem = two_streams(true);
  ck_assert(berth_buffers_before(berth_problem_buffers(problem), 0, 2));
  ck_assert_uint_eq(plan(problem), 512);
  berth_problem_unref(problem);
}
END_TEST

/* Report 2: C = f(A) and B = g(A) in place, on two streams or one after the other. */
static struct berth_problem *last_reader(bool parallel) {
  const struct op ops[] = {
      {{END}, {0, END}, 0, {END}, 0, 0},
      {{0, END}, {2, END}, 0, {END}, 0, 0},
      {{0, END}, {1, END}, parallel ? 1 : 0, {0, END}, 0, 1},
  };
  struct berth_problem_builder *builder = start();
  for (int i = 0; i < 3; i++) {
    add_value(builder, 100, i == 0 ? BERTH_CLASS_TEMPORARY : BERTH_CLASS_OUTPUT, false);
  }
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(add_op(builder, &ops[i], NULL), BERTH_OK);
  }
  return finish(builder);
}

/* The result has a view, and is added to later: whoever touches it comes after the operator. */
START_TEST(in_place_with_views_and_later_writers) {
  for (uint32_t waits = 0; waits < 2; waits++) {
    struct berth_problem_builder *builder = start();
    add_value(builder, 100, BERTH_CLASS_TEMPORARY, false);
    struct berth_value_spec result = berth_value_spec_default();
    result.size_bytes = 100;
    result.class_ = BERTH_CLASS_OUTPUT;
    result.accumulated = true;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &result, NULL, NULL), BERTH_OK);
    struct berth_value_spec view = berth_value_spec_default();
    view.size_bytes = 10;
    view.view_of = 1;
    view.accumulated = true;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &view, NULL, NULL), BERTH_OK);
    const struct op ops[] = {
        {{END}, {0, END}, 0, {END}, 0, 0},
        {{0, END}, {1, END}, 0, {END}, 0, 1},
        {{END}, {2, END}, 1, {waits != 0 ? 1 : END, END}, 0, 0}, /* writes a part on another stream */
    };
    for (int i = 0; i < 3; i++) {
      ck_assert_int_eq(add_op(builder, &ops[i], NULL), BERTH_OK);
    }
    struct berth_problem *problem = finish(builder);
    ck_assert_int_eq(
        berth_problem_permissions(problem)->items[0].answer,
        waits != 0 ? BERTH_INPLACE_USED : BERTH_INPLACE_NOT_ORDERED);
    ck_assert_uint_eq(plan(problem), waits != 0 ? 100 : 200);
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(in_place_wants_an_order_that_is_enforced) {
  struct berth_problem *problem = last_reader(false);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_USED);
  ck_assert_uint_eq(plan(problem), 200);
  berth_problem_unref(problem);
  problem = last_reader(true);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_NOT_ORDERED);
  ck_assert_uint_eq(plan(problem), 300);
  berth_problem_unref(problem);
}
END_TEST

static const struct {
  struct op ops[3];
  uint32_t n_ops;
  const char *field;
  uint32_t index;
  const char *message;
} BAD[] = {
    {{{{END}, {END}, 0, {0, END}, 0, 0}},
     1,
     "operator.waits",
     0,
     "operator 0: it waits for operator 0, which does not come before it"},
    {{{{END}, {END}, 0, {END}, 0, 0}, {{END}, {END}, 1, {2, END}, 0, 0}},
     2,
     "operator.waits",
     1,
     "operator 1: it waits for operator 2, which does not come before it"},
    {{{{END}, {1, END}, 0, {END}, 0, 0}, {{1, END}, {END}, 1, {END}, 0, 0}},
     2,
     "operator.waits",
     1,
     "operator 1: it reads value 1 without waiting for operator 0, which writes it on another stream"},
    {{{{END}, {1, END}, 0, {END}, 0, 0},
      {{END}, {END}, 1, {0, END}, 0, 0},
      {{1, END}, {END}, 2, {1, END}, 0, 0}},
     3,
     NULL,
     0,
     NULL}, /* by way of another */
    {{{{END}, {END}, BERTH_MAX_STREAMS, {END}, 0, 0}}, 1, "operator.stream", 0, NULL},
};

START_TEST(bad_orders_are_blamed) {
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berth_problem_builder *builder = start();
    struct berth_error err = {0};
    struct berth_problem *problem = NULL;
    add_value(builder, 8, BERTH_CLASS_STATE, false);
    add_value(builder, 8, BERTH_CLASS_TEMPORARY, true);
    enum berth_code code = BERTH_OK;
    for (uint32_t k = 0; k < BAD[i].n_ops && code == BERTH_OK; k++) {
      code = add_op(builder, &BAD[i].ops[k], &err);
    }
    code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, &problem, &err);
    ck_assert_msg((code == BERTH_OK) == (BAD[i].field == NULL), "case %zu: %s", i, err.message);
    if (BAD[i].field != NULL) {
      ck_assert_str_eq(err.field, BAD[i].field);
      ck_assert_uint_eq(err.index, BAD[i].index);
    }
    if (BAD[i].message != NULL) {
      ck_assert_str_eq(err.message, BAD[i].message);
    }
    berth_problem_unref(problem);
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

/* ---- Against reachability, worked out the plain way ---- */

struct random_graph {
  uint32_t n_values;
  uint32_t n_ops;
  struct op ops[MAX_OPS];
  bool before[MAX_OPS][MAX_OPS];
};

static void make(struct random_graph *graph, struct berth_rng *rng) {
  *graph = (struct random_graph){.n_values = MAX_VALUES, .n_ops = 2 + berth_rng_below(rng, MAX_OPS - 1)};
  for (uint32_t o = 0; o < graph->n_ops; o++) {
    struct op *op = &graph->ops[o];
    op->stream = berth_rng_below(rng, 4);
    op->workspace = berth_rng_below(rng, 2);
    uint32_t n_waits = 0;
    for (uint32_t k = 0; k < o; k++) {
      bool waits = n_waits < LIST && berth_rng_below(rng, 5) == 0;
      if (waits) {
        op->waits[n_waits++] = k;
      }
      if (waits || graph->ops[k].stream == op->stream) {
        graph->before[k][o] = true;
        for (uint32_t j = 0; j < k; j++) {
          graph->before[j][o] = graph->before[j][o] || graph->before[j][k];
        }
      }
    }
    for (uint32_t i = n_waits; i < LIST; i++) {
      op->waits[i] = END;
    }
    for (uint32_t i = 0; i < LIST; i++) {
      op->inputs[i] = END;
      op->outputs[i] = END;
    }
    op->outputs[0] = o; /* value o */
    for (uint32_t i = 0, k = berth_rng_below(rng, o + 1); i < 2 && k < o; i++, k++) {
      if (graph->before[k][o]) {
        op->inputs[i] = k;
      } else {
        break;
      }
    }
  }
  graph->n_values = graph->n_ops;
}

static bool touches(const struct random_graph *graph, uint32_t op, uint32_t buffer, uint32_t workspace_op) {
  if (workspace_op != END) {
    return op == workspace_op;
  }
  const struct op *lists = &graph->ops[op];
  for (uint32_t i = 0; i < LIST; i++) {
    if (lists->inputs[i] == buffer || lists->outputs[i] == buffer) {
      return true;
    }
  }
  return false;
}

static bool
all_before(const struct random_graph *graph, uint32_t a, uint32_t op_a, uint32_t b, uint32_t op_b) {
  for (uint32_t x = 0; x < graph->n_ops; x++) {
    for (uint32_t y = 0; y < graph->n_ops; y++) {
      if (touches(graph, x, a, op_a) && touches(graph, y, b, op_b) && !graph->before[x][y]) {
        return false;
      }
    }
  }
  return true;
}

static bool is_touched(const struct random_graph *graph, uint32_t a, uint32_t op_a) {
  for (uint32_t x = 0; x < graph->n_ops; x++) {
    if (touches(graph, x, a, op_a)) {
      return true;
    }
  }
  return false;
}

START_TEST(conflict_means_not_ordered) {
  static struct random_graph graph;
  struct berth_rng rng = {.state = 11};
  int n_conflicts = 0;
  int n_free = 0;
  for (int round = 0; round < 3000; round++) {
    make(&graph, &rng);
    struct berth_problem_builder *builder = start();
    for (uint32_t v = 0; v < graph.n_values; v++) {
      add_value(builder, 8, BERTH_CLASS_TEMPORARY, false);
    }
    for (uint32_t o = 0; o < graph.n_ops; o++) {
      ck_assert_int_eq(add_op(builder, &graph.ops[o], NULL), BERTH_OK);
    }
    struct berth_problem *problem = finish(builder);
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    uint32_t op_of[MAX_VALUES + MAX_OPS];
    for (uint32_t b = 0; b < buffers->n; b++) {
      op_of[b] = END;
    }
    for (uint32_t o = 0; o < graph.n_ops; o++) {
      uint32_t workspace = berth_problem_graph(problem)->operator_workspace[o];
      if (workspace != BERTH_NO_INDEX) {
        op_of[workspace] = o;
      }
    }
    for (uint32_t a = 0; a < buffers->n; a++) {
      for (uint32_t b = a + 1; b < buffers->n; b++) {
        bool a_first = all_before(&graph, a, op_of[a], b, op_of[b]);
        bool b_first = all_before(&graph, b, op_of[b], a, op_of[a]);
        bool ordered = a_first || b_first;
        bool overlap = buffers->lower[a] < buffers->upper[b] && buffers->lower[b] < buffers->upper[a];
        ck_assert(!(ordered && overlap));
        if (is_touched(&graph, a, op_of[a]) && is_touched(&graph, b, op_of[b])) {
          ck_assert_int_eq(a_first, berth_buffers_before(buffers, a, b));
          ck_assert_int_eq(b_first, berth_buffers_before(buffers, b, a));
        }
        n_conflicts += !ordered && !overlap;
        n_free += ordered;
      }
    }
    berth_problem_unref(problem);
  }
  ck_assert_int_gt(n_conflicts, 10000);
  ck_assert_int_gt(n_free, 10000);
}
END_TEST

/* 10^4 operators on 8 streams that meet now and then. */
START_TEST(many_operators_on_eight_streams) {
  enum { N = 10000, STREAMS = 8, MEETING = 64 };
  struct berth_problem_builder *builder = start();
  for (uint32_t o = 0; o < N; o++) {
    add_value(builder, 64, BERTH_CLASS_TEMPORARY, false);
  }
  for (uint32_t o = 0; o < N; o++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    uint32_t waits[STREAMS];
    uint32_t inputs[1] = {o >= STREAMS ? o - STREAMS : 0};
    spec.inputs = inputs;
    spec.n_inputs = o >= STREAMS;
    spec.outputs = &o;
    spec.n_outputs = 1;
    spec.stream = o % STREAMS;
    bool meets = o % MEETING < STREAMS && o >= STREAMS;
    for (uint32_t s = 0; s < STREAMS && meets; s++) {
      waits[s] = o / STREAMS * STREAMS - 1 - s;
    }
    spec.waits = waits;
    spec.n_waits = meets ? STREAMS : 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem = finish(builder);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n_clocks, STREAMS);
  ck_assert_uint_lt(plan(problem), N * 64 / 10);
  berth_problem_unref(problem);
}
END_TEST

/* Streams that never meet: more pairs than can be listed, and nothing to share between streams. */
START_TEST(streams_that_never_meet) {
  enum { N = 8000, STREAMS = 4 };
  struct berth_problem_builder *builder = start();
  for (uint32_t o = 0; o < N; o++) {
    add_value(builder, 64 + o % STREAMS, BERTH_CLASS_TEMPORARY, false);
  }
  for (uint32_t o = 0; o < N; o++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.outputs = &o;
    spec.n_outputs = 1;
    spec.stream = o % STREAMS;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem = finish(builder);
  ck_assert_uint_eq(plan(problem), 64 + 65 + 66 + 67);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(one_stream_says_nothing) {
  struct berth_problem_builder *builder = start();
  add_value(builder, 8, BERTH_CLASS_TEMPORARY, false);
  ck_assert_int_eq(add_op(builder, &(struct op){{END}, {0, END}, 0, {END}, 0, 0}, NULL), BERTH_OK);
  ck_assert_int_eq(add_op(builder, &(struct op){{0, END}, {END}, 0, {0, END}, 0, 0}, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);
  ck_assert_ptr_null(berth_problem_graph(problem)->operator_stream);
  ck_assert_ptr_null(berth_problem_graph(problem)->wait_begin);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/streams",
      (const TTest *const[]){
          what_is_not_ordered_does_not_share, in_place_wants_an_order_that_is_enforced,
          in_place_with_views_and_later_writers, bad_orders_are_blamed, conflict_means_not_ordered,
          many_operators_on_eight_streams, streams_that_never_meet, one_stream_says_nothing, NULL});
}
