#include <string.h>

#include "berth/problem.h"

#include "suite.h"

static struct berth_text text(const char *s) {
  return (struct berth_text){.data = s, .size = (uint32_t)strlen(s)};
}

static struct berth_problem_builder *start(void) {
  struct berth_problem_builder *builder;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  return builder;
}

START_TEST(buffers_come_back_as_given) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  struct berth_problem *problem;
  uint32_t index;
  spec.id = text("a");
  spec.size_bytes = 1024;
  spec.lower = 0;
  spec.upper = 3;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &index, NULL), BERTH_OK);
  ck_assert_uint_eq(index, 0);
  spec = berth_buffer_spec_default();
  spec.size_bytes = 100;
  spec.alignment = 64;
  spec.lower = spec.upper = -5;
  spec.class_ = BERTH_CLASS_STATE;
  spec.pinned_offset = 128;
  spec.gaps = &(struct berth_gap){.lower = -5, .upper = -4, .window_lower = 10, .window_upper = 20};
  spec.n_gaps = 1;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &index, NULL), BERTH_OK);
  ck_assert_uint_eq(index, 1);
  ck_assert_int_eq(berth_problem_builder_add_conflict(builder, 1, 0, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_conflict(builder, 0, 1, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);

  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 2);
  ck_assert_uint_eq(buffers->size_bytes[0], 1024);
  ck_assert_uint_eq(buffers->size_bytes[1], 100);
  ck_assert_uint_eq(buffers->alignment[0], 1);
  ck_assert_uint_eq(buffers->alignment[1], 64);
  ck_assert_int_eq(buffers->lower[1], -5);
  ck_assert_int_eq(buffers->upper[1], -4);
  ck_assert_int_eq(buffers->class_[1], BERTH_CLASS_STATE);
  ck_assert_uint_eq(buffers->pinned_offset[0], BERTH_UNPINNED);
  ck_assert_uint_eq(buffers->pinned_offset[1], 128);
  ck_assert_uint_eq(buffers->gap_begin[0], 0);
  ck_assert_uint_eq(buffers->gap_begin[1], 0);
  ck_assert_uint_eq(buffers->gap_begin[2], 1);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 20);
  ck_assert_ptr_null(buffers->pool_begin);
  ck_assert_uint_eq(buffers->n_conflicts, 1);
  ck_assert_uint_eq(buffers->conflicts[0][0], 0);
  ck_assert_uint_eq(buffers->conflicts[0][1], 1);
  ck_assert_uint_eq(berth_problem_buffer_id(problem, 0).size, 1);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 0).data, "a", 1);
  ck_assert_uint_eq(berth_problem_buffer_id(problem, 1).size, 0);
  const struct berth_pools *pools = berth_problem_pools(problem);
  ck_assert_uint_eq(pools->n, 1);
  ck_assert_mem_eq(pools->items[0].name.data, "arena", 5);
  ck_assert_uint_eq(pools->items[0].capacity_bytes, BERTH_UNLIMITED);
  ck_assert_ptr_null(berth_problem_graph(problem));
  uint32_t order[2];
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_uint_eq(order[0], 1);
  ck_assert_uint_eq(order[1], 0);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run("problem/builder", (const TTest *const[]){buffers_come_back_as_given, NULL});
}
