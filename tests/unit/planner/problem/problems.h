/* Problems for these tests, in few words. */
#ifndef TESTS_PROBLEMS_H
#define TESTS_PROBLEMS_H

#include <stdlib.h>
#include <string.h>

#include "berth/problem.h"

#include "suite.h"

static inline struct berth_text text(const char *s) {
  return (struct berth_text){.data = s, .size = s != NULL ? (uint32_t)strlen(s) : 0};
}

static inline struct berth_problem_builder *start(void) {
  struct berth_problem_builder *builder;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  return builder;
}

static inline void add(struct berth_problem_builder *builder, const struct berth_buffer_spec *spec) {
  struct berth_error err;
  ck_assert_msg(
      berth_problem_builder_add_buffer(builder, spec, NULL, &err) == BERTH_OK, "refused: %s", err.message);
}

/* Finishes and destroys the builder. */
static inline struct berth_problem *finish(struct berth_problem_builder *builder) {
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_msg(
      berth_problem_builder_finish(builder, &problem, &err) == BERTH_OK, "refused: %s", err.message);
  berth_problem_builder_destroy(builder);
  return problem;
}

/* Finishes, expects it to fail, and destroys the builder. */
static inline struct berth_error finish_fails(struct berth_problem_builder *builder) {
  struct berth_problem *problem = NULL;
  struct berth_error err;
  ck_assert_int_ne(berth_problem_builder_finish(builder, &problem, &err), BERTH_OK);
  ck_assert_ptr_null(problem);
  berth_problem_builder_destroy(builder);
  return err;
}

#endif
