/* Towers: on each stream one operator makes a large value, and the next reads it and makes a small one. */
#ifndef TESTS_TOWERS_H
#define TESTS_TOWERS_H

#include "berth/problem.h"
#include "suite.h"

enum { TOWER_SIZE = 1000, TOWER_LESS = 100, TOWER_TOP = 10 };

/* Tower t is of TOWER_SIZE - t x TOWER_LESS bytes. With `region` the operators of each lie in a region. */
static inline struct berth_problem *towers(uint32_t n, bool region) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem = NULL;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t t = 0; t < n; t++) {
    uint32_t values[2];
    for (uint32_t k = 0; k < 2; k++) {
      struct berth_value_spec value = berth_value_spec_default();
      value.size_bytes = k == 0 ? TOWER_SIZE - t * TOWER_LESS : TOWER_TOP;
      ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, &values[k], NULL), BERTH_OK);
    }
    for (uint32_t k = 0; k < 2; k++) {
      struct berth_operator_spec op = berth_operator_spec_default();
      op.inputs = &values[0];
      op.n_inputs = k;
      op.outputs = &values[k];
      op.n_outputs = 1;
      op.stream = t;
      ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
    }
  }
  for (uint32_t t = 0; t < n && region; t++) {
    struct berth_region_spec spec = berth_region_spec_default();
    spec.kind = BERTH_REGION_LOOP;
    spec.first_operator = 2 * t;
    spec.n_operators = 2;
    ck_assert_int_eq(berth_problem_builder_add_region(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

#endif
