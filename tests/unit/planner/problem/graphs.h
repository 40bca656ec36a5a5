/* Small graphs in few words. */
#ifndef TESTS_GRAPHS_H
#define TESTS_GRAPHS_H

#include "berth/solve.h"
#include "berth/verify.h"
#include "problems.h"

#define T BERTH_CLASS_TEMPORARY

/* Values a, b, c, ...; operators with one permission at most (input, output), END for none. */
#define END UINT32_MAX
enum { MAX = 6, LIST = 3 };

struct value {
  uint64_t size;
  enum berth_buffer_class class_;
  unsigned flags;
  uint32_t view_of1; /* plus 1; 0: none */
  uint64_t view_offset;
  uint64_t alignment; /* 0: 1 */
  uint64_t pin1;      /* plus 1; 0: none */
  uint32_t pool1;     /* plus 1; 0: all */
  enum berth_donation donation;
};

struct op {
  uint32_t inputs[LIST];
  uint32_t outputs[LIST];
  uint32_t n_inplace;
  struct berth_inplace inplace[3];
};

static inline uint32_t length(const uint32_t *list) {
  uint32_t n = 0;
  while (n < LIST && list[n] != END) {
    n++;
  }
  return n;
}

static inline void add_value(struct berth_problem_builder *builder, const struct value *value, char id) {
  struct berth_value_spec spec = berth_value_spec_default();
  uint32_t pool = value->pool1 - 1;
  spec.id = (struct berth_text){.data = &id, .size = 1};
  spec.size_bytes = value->size;
  spec.class_ = value->class_;
  spec.held = (value->flags & BERTH_VALUE_HELD) != 0;
  spec.external = (value->flags & BERTH_VALUE_EXTERNAL) != 0;
  spec.accumulated = (value->flags & BERTH_VALUE_ACCUMULATED) != 0;
  spec.live_windows = (value->flags & BERTH_VALUE_LIVE_WINDOWS) != 0;
  spec.view_of = value->view_of1 - 1; /* 0 becomes BERTH_NO_INDEX */
  spec.view_offset = value->view_offset;
  spec.alignment = value->alignment == 0 ? 1 : value->alignment;
  spec.pinned_offset = value->pin1 - 1; /* 0 becomes BERTH_UNPINNED */
  spec.donation = value->donation;
  spec.pools = &pool;
  spec.n_pools = value->pool1 != 0;
  struct berth_error err;
  ck_assert_msg(
      berth_problem_builder_add_value(builder, &spec, NULL, &err) == BERTH_OK, "refused: %s", err.message);
}

static inline struct berth_problem *
build(const struct value *values, uint32_t n_values, const struct op *ops, uint32_t n_ops, bool forbid) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  }
  for (uint32_t i = 0; i < n_values; i++) {
    add_value(builder, &values[i], (char)('a' + i));
  }
  for (uint32_t i = 0; i < n_ops; i++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = ops[i].inputs;
    spec.n_inputs = length(ops[i].inputs);
    spec.outputs = ops[i].outputs;
    spec.n_outputs = length(ops[i].outputs);
    spec.inplace = ops[i].inplace;
    spec.n_inplace = ops[i].n_inplace;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  if (forbid) {
    berth_problem_builder_forbid_inplace(builder);
  }
  return finish(builder);
}

/* Plans and has the plan judged; the arena. */
static inline uint64_t plan(const struct berth_problem *problem) {
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation;
  struct berth_error err;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_msg(
      berth_verify(problem, plan, NULL, &violation, 1, &verdict, &err) == BERTH_OK, "%s", err.message);
  ck_assert_msg(verdict.n_violations == 0, "%s", violation.message);
  uint64_t arena = plan->arena_bytes;
  berth_plan_unref(plan);
  return arena;
}

#endif
