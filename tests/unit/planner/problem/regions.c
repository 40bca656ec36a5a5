#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "problems.h"

#include "berth/solve.h"
#include "berth/verify.h"

#define END UINT32_MAX
enum { LIST = 4, MAX = 8 };

struct op {
  uint32_t inputs[LIST];
  uint32_t outputs[LIST];
};

struct region {
  enum berth_region_kind kind;
  uint32_t parent;
  uint32_t first;
  uint32_t n;
  uint32_t min_trips;
  uint32_t carried; /* END: nothing */
};

struct value {
  uint64_t size;
  enum berth_buffer_class class_;
  unsigned flags;
  uint32_t root; /* 1 + what it is a view of, from its first byte; 0: nothing */
};

static enum berth_code build(
    const struct value *values, uint32_t n_values, const struct op *ops, uint32_t n_ops,
    const struct region *regions, uint32_t n_regions, struct berth_problem **out, struct berth_error *err) {
  struct berth_problem_builder *builder = start();
  for (uint32_t v = 0; v < n_values; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = values[v].size;
    spec.class_ = values[v].class_;
    spec.accumulated = (values[v].flags & BERTH_VALUE_ACCUMULATED) != 0;
    spec.view_of = values[v].root != 0 ? values[v].root - 1 : BERTH_NO_INDEX;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t o = 0; o < n_ops; o++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = ops[o].inputs;
    spec.outputs = ops[o].outputs;
    while (spec.n_inputs < LIST && spec.inputs[spec.n_inputs] != END) {
      spec.n_inputs++;
    }
    while (spec.n_outputs < LIST && spec.outputs[spec.n_outputs] != END) {
      spec.n_outputs++;
    }
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t r = 0; r < n_regions && code == BERTH_OK; r++) {
    struct berth_region_spec spec = berth_region_spec_default();
    uint32_t carried = regions[r].carried;
    spec.kind = regions[r].kind;
    spec.parent = regions[r].parent;
    spec.first_operator = regions[r].first;
    spec.n_operators = regions[r].n;
    spec.min_trips = regions[r].min_trips;
    spec.carries = &carried;
    spec.n_carries = carried != END;
    code = berth_problem_builder_add_region(builder, &spec, NULL, err);
  }
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, out, err);
  berth_problem_builder_destroy(builder);
  return code;
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

#define T BERTH_CLASS_TEMPORARY
#define I BERTH_CLASS_INPUT
#define O BERTH_CLASS_OUTPUT
#define ACC BERTH_VALUE_ACCUMULATED
#define LOOP BERTH_REGION_LOOP
#define CHOICE BERTH_REGION_CHOICE
#define BRANCH BERTH_REGION_BRANCH
#define CALL BERTH_REGION_CALL

static const struct {
  const char *what;
  uint32_t n_values;
  struct value values[MAX];
  uint32_t n_ops;
  struct op ops[MAX];
  uint32_t n_regions;
  struct region regions[4];
  int64_t lower[MAX];
  int64_t upper[MAX];
} CASES[] = {
    {"what is made before a loop and read in it lives to its end",
     2,
     {{8, T}, {8, T}},
     4,
     {{{END}, {0, END}}, {{0, END}, {1, END}}, {{1, END}, {END}}, {{END}, {END}}},
     1,
     {{LOOP, END, 1, 2, 1, END}},
     {0, 1},
     {3, 3}},
    {"what is made and read in one trip does not",
     2,
     {{8, T}, {8, T}},
     4,
     {{{END}, {END}}, {{END}, {0, END}}, {{0, END}, {1, END}}, {{END}, {END}}},
     1,
     {{LOOP, END, 0, 4, 1, END}},
     {1, 2},
     {3, 3}},
    {"what is read after a loop lives all around it",
     2,
     {{8, T}, {8, O}},
     4,
     {{{END}, {END}}, {{END}, {0, END}}, {{END}, {END}}, {{0, END}, {1, END}}},
     1,
     {{LOOP, END, 0, 3, 1, END}},
     {0, 3},
     {4, 4}},
    {"an output made in the last trip too, even where the loop is the end",
     1,
     {{8, O}},
     3,
     {{{END}, {END}}, {{END}, {0, END}}, {{END}, {END}}},
     1,
     {{LOOP, END, 0, 3, 1, END}},
     {0},
     {3}},
    {"an input that a loop reads from the first operator on",
     1,
     {{8, I}},
     3,
     {{{0, END}, {END}}, {{END}, {END}}, {{END}, {END}}},
     1,
     {{LOOP, END, 0, 3, 1, END}},
     {0},
     {3}},
    {"what several operators write is carried from trip to trip",
     1,
     {{8, T, ACC}},
     4,
     {{{END}, {END}}, {{END}, {0, END}}, {{END}, {0, END}}, {{END}, {END}}},
     1,
     {{LOOP, END, 0, 4, 1, END}},
     {0},
     {4}},
    {"what is carried and not read (report 13)",
     2,
     {{8, I}, {8, T}},
     3,
     {{{END}, {END}}, {{END}, {1, END}}, {{END}, {END}}},
     1,
     {{LOOP, END, 1, 2, 1, 0}},
     {0, 1},
     {3, 2}},
    {"the parameter of a call, also unread",
     1,
     {{8, I}},
     4,
     {{{0, END}, {END}}, {{END}, {END}}, {{END}, {END}}, {{END}, {END}}},
     1,
     {{CALL, END, 1, 2, 1, 0}},
     {0},
     {3}},
    {"loops in loops: each for what goes around it",
     2,
     {{8, T}, {8, T}},
     6,
     {{{END}, {END}},
      {{END}, {0, END}},
      {{0, END}, {1, END}},
      {{1, END}, {END}},
      {{END}, {END}},
      {{END}, {END}}},
     2,
     {{LOOP, END, 0, 6, 1, END}, {LOOP, 0, 2, 3, 1, END}},
     {1, 2},
     {5, 4}},
    {"what one branch writes as a view and the other reads goes from trip to trip",
     2,
     {{8, T}, {8, T, 0, 1}},
     5,
     {{{END}, {1, END}}, {{0, END}, {END}}, {{END}, {END}}, {{END}, {END}}, {{END}, {END}}},
     4,
     {{LOOP, END, 0, 4, 1, END},
      {CHOICE, 0, 0, 4, 1, END},
      {BRANCH, 1, 0, 1, 1, END},
      {BRANCH, 1, 1, 3, 1, END}},
     {0},
     {4}},
    {"exclusive branches",
     3,
     {{8, T}, {8, T}, {8, T, ACC}},
     4,
     {{{END}, {0, END}}, {{0, END}, {2, END}}, {{END}, {1, END}}, {{1, END}, {2, END}}},
     3,
     {{CHOICE, END, 0, 4, 1, END}, {BRANCH, 0, 0, 2, 1, END}, {BRANCH, 0, 2, 2, 1, END}},
     {0, 2, 1},
     {2, 4, 4}},
};

START_TEST(lifetimes_in_regions) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem *problem = NULL;
    struct berth_error err = {0};
    enum berth_code code = build(
        CASES[i].values, CASES[i].n_values, CASES[i].ops, CASES[i].n_ops, CASES[i].regions,
        CASES[i].n_regions, &problem, &err);
    ck_assert_msg(code == BERTH_OK, "%s: %s", CASES[i].what, err.message);
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    for (uint32_t b = 0; b < buffers->n; b++) {
      ck_assert_msg(
          buffers->lower[b] == CASES[i].lower[b] && buffers->upper[b] == CASES[i].upper[b],
          "%s: buffer %u has [%d, %d)", CASES[i].what, b, (int)buffers->lower[b], (int)buffers->upper[b]);
    }
    plan(problem);
    berth_problem_unref(problem);
  }
}
END_TEST

/* Report 13: L is carried, K passes by, I is carried and unread, T and R are the body's. */
START_TEST(a_loop_beside_what_lives_across_it) {
  static const struct value VALUES[] = {{60, T, ACC}, {100, T}, {4, I}, {80, T}, {60, T}};
  static const struct op OPS[] = {
      {{END}, {0, 1, END}}, {{0, END}, {3, 4, END}}, {{3, 4, END}, {0, END}}, {{0, 1, END}, {END}}};
  static const struct region REGIONS[] = {{LOOP, END, 1, 2, 0, 2}};
  struct berth_problem *problem;
  ck_assert_int_eq(build(VALUES, 5, OPS, 4, REGIONS, 1, &problem, NULL), BERTH_OK);
  ck_assert_uint_eq(plan(problem), 304);
  berth_problem_unref(problem);
}
END_TEST

/* Report 15: o1 is handed on across the choice; t and e are of its two branches. */
START_TEST(branches_share_with_each_other) {
  static const struct value VALUES[] = {{128, T}, {128, T, ACC}, {128, T}, {64, T}};
  static const struct op OPS[] = {
      {{END}, {0, END}}, {{END}, {1, 2, END}}, {{END}, {1, 3, END}}, {{0, 1, END}, {END}}};
  static const struct region REGIONS[] = {
      {CHOICE, END, 1, 2, 1, END}, {BRANCH, 0, 1, 1, 1, END}, {BRANCH, 0, 2, 1, 1, END}};
  struct berth_problem *problem;
  ck_assert_int_eq(build(VALUES, 4, OPS, 4, REGIONS, 3, &problem, NULL), BERTH_OK);
  ck_assert_uint_eq(plan(problem), 384);
  berth_problem_unref(problem);
}
END_TEST

static const struct {
  uint32_t n_regions;
  struct region regions[3];
  enum berth_reason reason;
  const char *field;
  uint32_t index;
} BAD[] = {
    {1, {{LOOP, END, 0, 0, 1, END}}, BERTH_REASON_BAD_REGION, "region.first_operator", 0},
    {1, {{LOOP, END, 2, 3, 1, END}}, BERTH_REASON_BAD_REGION, "region.first_operator", 0},
    {1, {{LOOP, END, UINT32_MAX, 2, 1, END}}, BERTH_REASON_BAD_REGION, "region.first_operator", 0},
    {2,
     {{LOOP, END, 0, 2, 1, END}, {LOOP, 0, 1, 2, 1, END}},
     BERTH_REASON_BAD_REGION,
     "region.first_operator",
     1},
    {2,
     {{LOOP, END, 0, 2, 1, END}, {LOOP, END, 1, 2, 1, END}},
     BERTH_REASON_BAD_REGION,
     "region.first_operator",
     1},
    {1, {{LOOP, 0, 0, 2, 1, END}}, BERTH_REASON_UNKNOWN_ID, "region.parent", 0},
    {1, {{BRANCH, END, 0, 2, 1, END}}, BERTH_REASON_BAD_REGION, "region.parent", 0},
    {2, {{CHOICE, END, 0, 2, 1, END}, {LOOP, 0, 0, 1, 1, END}}, BERTH_REASON_BAD_REGION, "region.parent", 1},
    {1, {{CALL, END, 0, 2, 1, 7}}, BERTH_REASON_UNKNOWN_ID, "region.carries", 0},
    {1, {{(enum berth_region_kind)9, END, 0, 2, 1, END}}, BERTH_REASON_BAD_NUMBER, "region.kind", 0},
    /* operator 2 reads what operator 0 writes: */
    {1, {{LOOP, END, 0, 2, 0, END}}, BERTH_REASON_BAD_REGION, "operator.inputs", 2},
    {3,
     {{CHOICE, END, 0, 3, 1, END}, {BRANCH, 0, 0, 2, 1, END}, {BRANCH, 0, 2, 1, 1, END}},
     BERTH_REASON_BAD_REGION,
     "operator.inputs",
     2},
    {2,
     {{CHOICE, END, 0, 2, 1, END}, {BRANCH, 0, 0, 2, 1, END}},
     BERTH_REASON_BAD_REGION,
     "operator.inputs",
     2},
};

START_TEST(bad_regions_are_blamed) {
  static const struct value VALUES[] = {{8, T}, {8, T}};
  static const struct op OPS[] = {{{END}, {0, END}}, {{0, END}, {1, END}}, {{0, END}, {END}}};
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    enum berth_code code = build(VALUES, 2, OPS, 3, BAD[i].regions, BAD[i].n_regions, &problem, &err);
    ck_assert_msg(code == BERTH_INVALID_ARGUMENT, "case %zu", i);
    ck_assert_msg(err.reason == BAD[i].reason, "case %zu: %s", i, err.message);
    ck_assert_msg(strcmp(err.field, BAD[i].field) == 0, "case %zu: %s", i, err.field);
    ck_assert_uint_eq(err.index, BAD[i].index);
  }
  static const struct region GOOD = {LOOP, END, 0, 2, 1, END}; /* runs once at least */
  ck_assert_int_eq(build(VALUES, 2, OPS, 3, &GOOD, 1, &problem, NULL), BERTH_OK);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(nesting_has_a_limit) {
  struct region regions[BERTH_MAX_REGION_DEPTH + 1];
  static const struct value VALUES[] = {{8, T}};
  static const struct op OPS[] = {{{END}, {0, END}}};
  struct berth_problem *problem = NULL;
  struct berth_error err;
  for (uint32_t r = 0; r <= BERTH_MAX_REGION_DEPTH; r++) {
    regions[r] = (struct region){LOOP, r == 0 ? END : r - 1, 0, 1, 1, END};
  }
  ck_assert_int_eq(
      build(VALUES, 1, OPS, 1, regions, BERTH_MAX_REGION_DEPTH + 1, &problem, &err),
      BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(build(VALUES, 1, OPS, 1, regions, BERTH_MAX_REGION_DEPTH, &problem, &err), BERTH_OK);
  berth_problem_unref(problem);
}
END_TEST

/* Two streams and a region of two operators, one on each: [0] before, [1 .. 2] the region, [3] after on
 * stream 0, [4] after on stream 1. Value k is written by operator k. */
static struct berth_problem *
around(const struct berth_region_spec *regions, uint32_t n_regions, uint32_t region_wait) {
  static const uint32_t STREAMS[] = {0, 0, 1, 0, 1};
  struct berth_problem_builder *builder = start();
  for (uint32_t k = 0; k < 5; k++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = 8;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
  }
  for (uint32_t k = 0; k < 5; k++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.outputs = &k;
    op.n_outputs = 1;
    op.stream = STREAMS[k];
    op.waits = &region_wait;
    op.n_waits = k == 2 && region_wait != END;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  }
  for (uint32_t r = 0; r < n_regions; r++) {
    ck_assert_int_eq(berth_problem_builder_add_region(builder, &regions[r], NULL, NULL), BERTH_OK);
  }
  return finish(builder);
}

START_TEST(with_streams_a_region_runs_as_one) {
  struct berth_region_spec loop = berth_region_spec_default();
  loop.first_operator = 1;
  loop.n_operators = 2;
  struct berth_problem *problem = around(NULL, 0, END);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert(!berth_buffers_before(buffers, 0, 2)); /* streams alone say nothing */
  ck_assert(!berth_buffers_before(buffers, 2, 3));
  berth_problem_unref(problem);
  problem = around(&loop, 1, END);
  buffers = berth_problem_buffers(problem);
  ck_assert(berth_buffers_before(buffers, 0, 2)); /* [0] comes before [1], so before the region */
  ck_assert(berth_buffers_before(buffers, 2, 3)); /* [3] comes after [1], so after the region */
  ck_assert(berth_buffers_before(buffers, 1, 4));
  ck_assert(!berth_buffers_before(buffers, 1, 2)); /* within it streams are what they are */
  ck_assert(!berth_buffers_before(buffers, 2, 1));
  ck_assert(!berth_buffers_before(buffers, 3, 4));
  berth_problem_unref(problem);
}
END_TEST

START_TEST(branches_on_two_streams_share) {
  struct berth_region_spec regions[3];
  for (uint32_t r = 0; r < 3; r++) {
    regions[r] = berth_region_spec_default();
    regions[r].kind = r == 0 ? BERTH_REGION_CHOICE : BERTH_REGION_BRANCH;
    regions[r].parent = r == 0 ? BERTH_NO_INDEX : 0;
    regions[r].first_operator = r == 2 ? 2 : 1;
    regions[r].n_operators = r == 0 ? 2 : 1;
  }
  struct berth_problem *problem = around(regions, 3, END);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert(berth_buffers_before(buffers, 1, 2)); /* never in one run */
  ck_assert(berth_buffers_before(buffers, 0, 2));
  ck_assert(berth_buffers_before(buffers, 1, 4));
  berth_problem_unref(problem);
}
END_TEST

/* What is carried holds its bytes against everything in the loop, on every stream, and in no other region. */
START_TEST(what_a_loop_carries_meets_all_of_it) {
  struct berth_region_spec loop = berth_region_spec_default();
  uint32_t carried = 0;
  loop.first_operator = 1;
  loop.n_operators = 2;
  loop.carries = &carried;
  loop.n_carries = 1;
  struct berth_problem *problem = around(&loop, 1, END);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  for (uint32_t k = 1; k < 3; k++) {
    ck_assert(!berth_buffers_before(buffers, 0, k) && !berth_buffers_before(buffers, k, 0));
  }
  ck_assert(berth_buffers_before(buffers, 0, 3) && berth_buffers_before(buffers, 0, 4));
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/regions",
      (const TTest *const[]){
          lifetimes_in_regions, a_loop_beside_what_lives_across_it, branches_share_with_each_other,
          bad_regions_are_blamed, nesting_has_a_limit, with_streams_a_region_runs_as_one,
          branches_on_two_streams_share, what_a_loop_carries_meets_all_of_it, NULL});
}
