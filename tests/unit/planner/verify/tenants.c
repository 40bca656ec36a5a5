/* Mutation tests of the judge of permissions: a problem in which all are used rightly is spoilt in one place
 * of what it states, and the judge must refuse it. */
#include <stdio.h>

#include "berth/verify.h"
#include "problem/problem.h"
#include "suite.h"

enum { D, S, C, K, X, Y, O, N_VALUES };
enum { MAKE_D, MAKE_S, MAKE_C, CONCAT, OVER, BEHIND, LAST, N_OPERATORS };
enum { N_PERMISSIONS = 4 };

static const struct {
  uint64_t size;
  enum berth_buffer_class class_;
} VALUES[N_VALUES] = {{4, BERTH_CLASS_TEMPORARY}, {4, BERTH_CLASS_TEMPORARY}, {4, BERTH_CLASS_TEMPORARY},
                      {8, BERTH_CLASS_TEMPORARY}, {8, BERTH_CLASS_TEMPORARY}, {8, BERTH_CLASS_TEMPORARY},
                      {8, BERTH_CLASS_OUTPUT}};

static const struct {
  uint32_t n_inputs;
  uint32_t inputs[3];
  uint32_t output;
  uint32_t n_inplace;
  struct berth_inplace inplace[2];
} OPERATORS[N_OPERATORS] = {
    {0, {0}, D, 0, {{0, 0, BERTH_INPLACE_OVER, 0}}},
    {0, {0}, S, 0, {{0, 0, BERTH_INPLACE_OVER, 0}}},
    {0, {0}, C, 0, {{0, 0, BERTH_INPLACE_OVER, 0}}},
    {3, {S, C, D}, K, 2, {{0, 0, BERTH_INPLACE_INSIDE, 4}, {1, 0, BERTH_INPLACE_INSIDE, 0}}},
    {2, {K, D}, X, 1, {{0, 0, BERTH_INPLACE_OVER, 0}}},
    {2, {X, D}, Y, 1, {{0, 0, BERTH_INPLACE_BEHIND, 2}}},
    {2, {Y, D}, O, 0, {{0, 0, BERTH_INPLACE_OVER, 0}}},
};

/* Two pools, and a list of pools that says nothing, so that there are columns to spoil. */
static struct berth_problem *build(void) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_pool_spec pool = berth_pool_spec_default();
  static const uint32_t FIRST = 0;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (int p = 0; p < 2; p++) {
    pool.name = (struct berth_text){p == 0 ? "a" : "b", 1};
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  }
  for (uint32_t v = 0; v < N_VALUES; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = VALUES[v].size;
    spec.class_ = VALUES[v].class_;
    spec.pools = &FIRST;
    spec.n_pools = 1;
    spec.pinned_offset = v == O ? 64 : BERTH_UNPINNED;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t op = 0; op < N_OPERATORS; op++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = OPERATORS[op].inputs;
    spec.n_inputs = OPERATORS[op].n_inputs;
    spec.outputs = &OPERATORS[op].output;
    spec.n_outputs = 1;
    spec.inplace = OPERATORS[op].inplace;
    spec.n_inplace = OPERATORS[op].n_inplace;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  ck_assert_uint_eq(permissions->n, N_PERMISSIONS);
  for (uint32_t i = 0; i < permissions->n; i++) {
    ck_assert_int_eq(permissions->items[i].answer, BERTH_INPLACE_USED);
  }
  return problem;
}

/* The buffers are d, the one of all that share, and o. */
static bool is_refused(const struct berth_problem *problem, struct berth_error *err) {
  static const uint64_t OFFSETS[] = {32, 0, 64};
  struct berth_verdict verdict;
  enum berth_code code = berth_verify_offsets(problem, NULL, OFFSETS, NULL, NULL, 0, &verdict, err);
  return code != BERTH_OK || verdict.n_violations != 0;
}

/* Operator `op` reads `value` instead of the `entry`th of its inputs. */
static void reads(struct berth_problem *problem, uint32_t op, uint32_t entry, uint32_t value) {
  problem->columns.inputs.items[problem->columns.input_begin.items[op] + entry] = value;
}

static void writes(struct berth_problem *problem, uint32_t op, uint32_t value) {
  problem->columns.outputs.items[problem->columns.output_begin.items[op]] = value;
}

static void flag(struct berth_problem *problem, uint32_t value, enum berth_value_flag flag) {
  problem->columns.value_flags.items[value] |= (uint8_t)flag;
}

static void restrict_pools(struct berth_problem *problem, uint32_t value) {
  struct berth_graph_columns *columns = &problem->columns;
  columns->value_pools.items[columns->value_pool_begin.items[value]] = 1;
}

static struct berth_permission *permission(struct berth_problem *problem, uint32_t i) {
  return &problem->columns.permissions.items[i];
}

#define MUTATIONS(M)                                                                                         \
  M(PIN_RESULT, "a result that is pinned")                                                                   \
  M(PIN_OPERAND, "an operand that is pinned")                                                                \
  M(PIN_INSIDE, "an operand inside that is pinned")                                                          \
  M(PIN_BEHIND, "a result behind that is pinned")                                                            \
  M(POOL_RESULT, "a result for another pool")                                                                \
  M(POOL_INSIDE, "an operand inside for another pool")                                                       \
  M(POOL_HOST, "a host for another pool")                                                                    \
  M(POOL_BEHIND, "a result behind for another pool")                                                         \
  M(READ_LATER, "an operand that is read later")                                                             \
  M(INSIDE_LATER, "what lies inside is read when its host is dead")                                          \
  M(INSIDE_BESIDE, "what lies inside is read beside its host")                                               \
  M(BEHIND_LATER, "what was written behind is read later")                                                   \
  M(TWICE, "an operand that is named twice")                                                                 \
  M(TWICE_INSIDE, "an operand inside that is named twice")                                                   \
  M(WRITTEN_AGAIN, "an operand inside that is written later")                                                \
  M(HOST_AGAIN, "a host that another operator writes")                                                       \
  M(HOST_BEFORE, "a host that is there before")                                                              \
  M(KEPT, "an operand that is held")                                                                         \
  M(KEPT_INSIDE, "an operand inside that is held")                                                           \
  M(OUTPUT, "an operand that is an output")                                                                  \
  M(CONSTANT, "an operand that is a constant")                                                               \
  M(STATE, "a result that is state")                                                                         \
  M(GIVEN, "a host that is an input")                                                                        \
  M(EXTERNAL, "a caller's operand")                                                                          \
  M(LARGER, "a result that is larger")                                                                       \
  M(LARGER_INSIDE, "an operand that does not fit inside")                                                    \
  M(MEETS, "two operands in the same bytes")                                                                 \
  M(ELSEWHERE, "an operand that lies elsewhere in its host")                                                 \
  M(SHIFTED, "a result that lies beside its operand")                                                        \
  M(TOO_NEAR, "a result behind that is too near")                                                            \
  M(TOO_FAR, "a distance that is larger")                                                                    \
  M(AS_OVER, "behind taken for over")                                                                        \
  M(OTHER_BYTE, "an operand that belongs elsewhere")                                                         \
  M(INSIDE_AS_OVER, "inside taken for over")                                                                 \
  M(NOT_USED, "a permission that is not used")                                                               \
  M(NOT_INSIDE, "a place that is not used")                                                                  \
  M(OTHER_BUFFER, "a result in another buffer")                                                              \
  M(ASKEW, "a result that must be aligned")

enum mutation {
#define M(name, text) name,
  MUTATIONS(M)
#undef M
      N_MUTATIONS
};

static const char *const TEXTS[N_MUTATIONS] = {
#define M(name, text) text,
    MUTATIONS(M)
#undef M
};

/* Sizes, places and answers. */
static void spoil_places(struct berth_problem *problem, enum mutation mutation) {
  switch (mutation) {
  case LARGER:
    problem->columns.value_size.items[X] = 9;
    break;
  case LARGER_INSIDE:
    problem->columns.value_size.items[S] = 5;
    break;
  case MEETS:
    permission(problem, 1)->bytes = 1;
    break;
  case ELSEWHERE:
    problem->columns.value_offset.items[S]--;
    break;
  case SHIFTED:
    problem->columns.value_offset.items[X]++;
    break;
  case TOO_NEAR:
    problem->columns.value_offset.items[Y]++;
    break;
  case TOO_FAR:
    permission(problem, 3)->bytes = 3;
    break;
  case AS_OVER:
    permission(problem, 3)->kind = BERTH_INPLACE_OVER;
    break;
  case OTHER_BYTE:
    permission(problem, 0)->bytes = 3;
    break;
  case INSIDE_AS_OVER:
    permission(problem, 0)->kind = BERTH_INPLACE_OVER;
    break;
  case NOT_USED:
    permission(problem, 2)->answer = BERTH_INPLACE_RESTRICTED;
    break;
  case NOT_INSIDE:
    permission(problem, 0)->answer = BERTH_INPLACE_BEYOND;
    break;
  case OTHER_BUFFER:
    problem->columns.value_buffer.items[X] = 0;
    break;
  case ASKEW:
    problem->columns.value_alignment.items[X] = 4;
    break;
  default:
    break;
  }
}

/* Who reads and writes what, and what for. */
static void spoil_graph(struct berth_problem *problem, enum mutation mutation) {
  switch (mutation) {
  case READ_LATER:
    reads(problem, BEHIND, 1, K);
    break;
  case INSIDE_LATER:
    reads(problem, BEHIND, 1, S);
    break;
  case INSIDE_BESIDE:
    reads(problem, OVER, 1, S);
    break;
  case BEHIND_LATER:
    reads(problem, LAST, 1, X);
    break;
  case TWICE:
    reads(problem, OVER, 1, K);
    break;
  case TWICE_INSIDE:
    reads(problem, CONCAT, 2, S);
    break;
  case WRITTEN_AGAIN:
    writes(problem, LAST, S);
    break;
  case HOST_AGAIN:
    writes(problem, LAST, K);
    break;
  case HOST_BEFORE:
    writes(problem, MAKE_D, K);
    break;
  case KEPT:
    flag(problem, K, BERTH_VALUE_HELD);
    break;
  case KEPT_INSIDE:
    flag(problem, S, BERTH_VALUE_HELD);
    break;
  case OUTPUT:
    problem->columns.value_class.items[X] = BERTH_CLASS_OUTPUT;
    break;
  case CONSTANT:
    problem->columns.value_class.items[C] = BERTH_CLASS_CONSTANT;
    break;
  case STATE:
    problem->columns.value_class.items[X] = BERTH_CLASS_STATE;
    break;
  case GIVEN:
    problem->columns.value_class.items[K] = BERTH_CLASS_INPUT;
    break;
  case EXTERNAL:
    flag(problem, K, BERTH_VALUE_EXTERNAL);
    break;
  default:
    spoil_places(problem, mutation);
    break;
  }
}

static void spoil(struct berth_problem *problem, enum mutation mutation) {
  switch (mutation) {
  case PIN_RESULT:
    problem->columns.value_pin.items[X] = 7;
    break;
  case PIN_OPERAND:
    problem->columns.value_pin.items[K] = 7;
    break;
  case PIN_INSIDE:
    problem->columns.value_pin.items[S] = 7;
    break;
  case PIN_BEHIND:
    problem->columns.value_pin.items[Y] = 7;
    break;
  case POOL_RESULT:
    restrict_pools(problem, X);
    break;
  case POOL_INSIDE:
    restrict_pools(problem, S);
    break;
  case POOL_HOST:
    restrict_pools(problem, K);
    break;
  case POOL_BEHIND:
    restrict_pools(problem, Y);
    break;
  default:
    spoil_graph(problem, mutation);
    break;
  }
}

START_TEST(every_spoilt_permission_is_refused) {
  struct berth_error err = {0};
  struct berth_problem *problem = build();
  ck_assert_msg(!is_refused(problem, &err), "%s", err.message);
  berth_problem_unref(problem);
  for (enum mutation mutation = 0; mutation < N_MUTATIONS; mutation++) {
    problem = build();
    spoil(problem, mutation);
    ck_assert_msg(is_refused(problem, &err), "%s: not seen", TEXTS[mutation]);
    berth_problem_unref(problem);
  }
  printf("%d mutants, all killed\n", N_MUTATIONS);
}
END_TEST

/* A place is not a crime: the same permissions with another beginning of the buffer are as good. */
START_TEST(what_is_not_spoilt_is_passed) {
  struct berth_problem *problem = build();
  static const uint64_t OFFSETS[] = {0, 4, 64};
  struct berth_verdict verdict;
  ck_assert_int_eq(berth_verify_offsets(problem, NULL, OFFSETS, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  ck_assert_uint_eq(verdict.n_violations, 0);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/tenants",
      (const TTest *const[]){every_spoilt_permission_is_refused, what_is_not_spoilt_is_passed, NULL});
}
