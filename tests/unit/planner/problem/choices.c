#include <stdio.h>

#include "problems.h"

/* Four pools: fast spills to slow, slow to far; weights are for constants and state alone. */
enum { FAST, SLOW, FAR, WEIGHTS, N_POOLS };

static struct berth_problem_builder *with_pools(uint64_t base_of_fast) {
  static const uint32_t TO_SLOW[] = {SLOW};
  static const uint32_t TO_FAR[] = {FAR, WEIGHTS};
  static const char *const NAMES[] = {"fast", "slow", "far", "weights"};
  struct berth_problem_builder *builder = start();
  for (uint32_t p = 0; p < N_POOLS; p++) {
    struct berth_pool_spec spec = berth_pool_spec_default();
    spec.name = text(NAMES[p]);
    spec.spill_to = p == FAST ? TO_SLOW : p == SLOW ? TO_FAR : NULL;
    spec.n_spill_to = p == FAST ? 1 : p == SLOW ? 2 : 0;
    spec.base_alignment = p == FAST ? base_of_fast : p == FAR ? 64 : 16;
    spec.persistence = p == WEIGHTS ? BERTH_PERSISTENCE_ONLY : BERTH_PERSISTENCE_MIXED;
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &spec, NULL, NULL), BERTH_OK);
  }
  return builder;
}

static struct berth_buffer_spec
buffer(const uint32_t *pools, uint32_t n_pools, enum berth_buffer_class class_) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = 8;
  spec.upper = 1;
  spec.pools = pools;
  spec.n_pools = n_pools;
  spec.class_ = class_;
  return spec;
}

START_TEST(fallbacks_follow_from_the_pools) {
  const struct {
    uint32_t named[2];
    uint32_t n_named;
    enum berth_buffer_class class_;
    const char *choices;
  } CASES[] = {
      {{FAST}, 1, BERTH_CLASS_TEMPORARY, "012"},
      {{FAST}, 1, BERTH_CLASS_STATE, "0123"},
      {{SLOW}, 1, BERTH_CLASS_TEMPORARY, "12"}, /* and not back */
      {{FAR}, 1, BERTH_CLASS_TEMPORARY, "2"},
      {{FAR, FAST}, 2, BERTH_CLASS_TEMPORARY, "201"}, /* named ones first */
      {{0}, 0, BERTH_CLASS_WORKSPACE, "012"},
      {{0}, 0, BERTH_CLASS_CONSTANT, "3012"},
      {{WEIGHTS}, 1, BERTH_CLASS_CONSTANT, "3"},
  };
  struct berth_problem_builder *builder = with_pools(0);
  size_t n = sizeof CASES / sizeof CASES[0];
  for (size_t i = 0; i < n; i++) {
    struct berth_buffer_spec spec = buffer(CASES[i].named, CASES[i].n_named, CASES[i].class_);
    add(builder, &spec);
  }
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  for (size_t i = 0; i < n; i++) {
    char found[N_POOLS + 1] = {0};
    for (uint32_t k = buffers->choice_begin[i]; k < buffers->choice_begin[i + 1]; k++) {
      found[k - buffers->choice_begin[i]] = (char)('0' + buffers->choices[k]);
    }
    ck_assert_msg(strcmp(found, CASES[i].choices) == 0, "case %zu: %s", i, found);
    ck_assert_uint_eq(buffers->pool_begin[i + 1] - buffers->pool_begin[i], CASES[i].n_named);
  }
  berth_problem_unref(problem);
}
END_TEST

START_TEST(nobody_else_names_a_pool_for_constants_and_state) {
  const uint32_t weights = WEIGHTS;
  struct berth_problem_builder *builder = with_pools(0);
  struct berth_buffer_spec spec = buffer(&weights, 1, BERTH_CLASS_INPUT);
  spec.id = text("image");
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_POOL);
  ck_assert_str_eq(err.field, "pools");
  ck_assert_str_eq(err.message, "buffer 0 (\"image\"): pool 3 is for constants and state alone");
  berth_problem_builder_destroy(builder);
  struct berth_pool_spec only = berth_pool_spec_default();
  only.persistence = BERTH_PERSISTENCE_ONLY;
  builder = start();
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &only, NULL, NULL), BERTH_OK);
  struct berth_operator_spec op = berth_operator_spec_default();
  op.workspace_bytes = 4;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "operator.workspace");
  berth_problem_builder_destroy(builder);
}
END_TEST

START_TEST(an_alignment_beyond_every_base_is_refused) {
  const uint32_t fast = FAST;
  for (int round = 0; round < 2; round++) {
    struct berth_problem_builder *builder = with_pools(32);
    struct berth_buffer_spec spec = buffer(&fast, 1, BERTH_CLASS_TEMPORARY);
    spec.id = text("tensor");
    spec.alignment = round == 0 ? 64 : 128; /* 64 has a home in far */
    add(builder, &spec);
    if (round == 0) {
      berth_problem_unref(finish(builder));
      continue;
    }
    struct berth_error err = finish_fails(builder);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_ALIGNMENT);
    ck_assert_uint_eq(err.index, 0);
    ck_assert_str_eq(err.field, "alignment");
    ck_assert_str_eq(
        err.message,
        "buffer 0 (\"tensor\"): alignment 128 cannot be promised: the base address of every pool it "
        "may live in is aligned to 64 at most");
  }
}
END_TEST

/* a -> b by an operator that may write in place; each names a pool. */
static enum berth_inplace_answer
answer(uint64_t base_of_fast, uint32_t pool_a, uint32_t pool_b, uint64_t alignment_b) {
  struct berth_problem_builder *builder = with_pools(base_of_fast);
  struct berth_value_spec a = berth_value_spec_default();
  a.size_bytes = 8;
  a.pools = &pool_a;
  a.n_pools = 1;
  a.class_ = BERTH_CLASS_INPUT;
  struct berth_value_spec b = a;
  b.class_ = BERTH_CLASS_OUTPUT;
  b.pools = &pool_b;
  b.alignment = alignment_b;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &a, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &b, NULL, NULL), BERTH_OK);
  const uint32_t values[] = {0, 1};
  const struct berth_inplace inplace = {.input = 0, .output = 0};
  struct berth_operator_spec op = berth_operator_spec_default();
  op.inputs = &values[0];
  op.outputs = &values[1];
  op.n_inputs = op.n_outputs = op.n_inplace = 1;
  op.inplace = &inplace;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  struct berth_problem *problem = finish(builder);
  enum berth_inplace_answer found = berth_problem_permissions(problem)->items[0].answer;
  for (uint32_t v = 0; v < 2; v++) { /* each value still names its own */
    struct berth_value_spec value = berth_problem_value(problem, v);
    ck_assert_uint_eq(value.n_pools, 1);
    ck_assert_uint_eq(value.pools[0], v == 0 ? pool_a : pool_b);
  }
  berth_problem_unref(problem);
  return found;
}

START_TEST(in_place_goes_the_way_that_pools_spill) {
  ck_assert_int_eq(answer(0, SLOW, FAST, 1), BERTH_INPLACE_USED); /* where slow may be, fast may be */
  ck_assert_int_eq(answer(0, FAST, SLOW, 1), BERTH_INPLACE_POOLS);
  ck_assert_int_eq(answer(0, FAST, FAST, 1), BERTH_INPLACE_USED);
  ck_assert_int_eq(answer(32, FAST, FAST, 16), BERTH_INPLACE_USED);
  ck_assert_int_eq(
      answer(32, FAST, FAST, 64), BERTH_INPLACE_MISALIGNED); /* a may lie where 64 is not promised */
}
END_TEST

START_TEST(accesses_are_kept_and_added_where_results_lie_in_place) {
  struct berth_problem_builder *builder = start();
  const uint32_t accesses[] = {3, 5, 1};
  for (uint32_t v = 0; v < 3; v++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = 8;
    value.class_ = v == 0 ? BERTH_CLASS_INPUT : BERTH_CLASS_TEMPORARY;
    value.accesses = accesses[v];
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
  }
  const uint32_t values[] = {0, 1, 2};
  const struct berth_inplace inplace = {.input = 0, .output = 0};
  for (uint32_t k = 0; k < 2; k++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.inputs = &values[k];
    op.outputs = &values[k + 1];
    op.n_inputs = op.n_outputs = 1;
    op.inplace = &inplace;
    op.n_inplace = k == 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 2);
  ck_assert_uint_eq(buffers->accesses[0], 8);
  ck_assert_uint_eq(buffers->accesses[1], 1);
  for (uint32_t v = 0; v < 3; v++) {
    ck_assert_uint_eq(berth_problem_value(problem, v).accesses, accesses[v]);
  }
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/problem/choices",
      (const TTest *const[]){
          fallbacks_follow_from_the_pools, nobody_else_names_a_pool_for_constants_and_state,
          an_alignment_beyond_every_base_is_refused, in_place_goes_the_way_that_pools_spill,
          accesses_are_kept_and_added_where_results_lie_in_place, NULL});
}
