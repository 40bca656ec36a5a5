/* With several streams: which bytes of a buffer are live on their own, who may have them meanwhile, and
 * permissions there. */
#include <string.h>

#include "graph.h"
#include "problems.h"

#include "berth/canonical.h"
#include "berth/solve.h"
#include "berth/verify.h"

static void add_value(
    struct berth_problem_builder *builder, uint64_t size, enum berth_buffer_class class_, bool live_windows,
    uint32_t view_of, uint64_t view_offset) {
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = size;
  spec.class_ = class_;
  spec.live_windows = live_windows;
  spec.view_of = view_of;
  spec.view_offset = view_offset;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
}

static void add_temporary(struct berth_problem_builder *builder, uint64_t size) {
  add_value(builder, size, BERTH_CLASS_TEMPORARY, false, BERTH_NO_INDEX, 0);
}

static struct berth_problem *
finish_with(struct berth_problem_builder *builder, const struct graph_operator *ops, uint32_t n_ops) {
  for (uint32_t i = 0; i < n_ops; i++) {
    ck_assert_int_eq(graph_add_operator(builder, &ops[i], NULL), BERTH_OK);
  }
  return finish(builder);
}

static uint64_t n_violations(const struct berth_problem *problem, const uint64_t *offset) {
  struct berth_verdict verdict;
  ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  return verdict.n_violations;
}

/* The arena of a plan that the judge passes. */
static uint64_t plan(const struct berth_problem *problem) {
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", violation.message);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  uint64_t arena = plan->arena_bytes;
  berth_plan_unref(plan);
  return arena;
}

/* A root of 12 bytes is read in halves: the first by stream 1, the second by stream 0, which then makes 6
 * bytes more. Those may lie in the second half, and only there. */
static struct berth_problem *make_halves(bool live_windows) {
  static const struct graph_operator OPS[] = {
      {.n_outputs = 1, .outputs = {0}},
      {.n_inputs = 1, .inputs = {1}, .stream = 1, .n_waits = 1, .waits = {0}},
      {.n_inputs = 1, .inputs = {2}},
      {.n_outputs = 1, .outputs = {3}},
  };
  struct berth_problem_builder *builder = start();
  add_value(builder, 12, BERTH_CLASS_TEMPORARY, live_windows, BERTH_NO_INDEX, 0);
  add_value(builder, 6, BERTH_CLASS_TEMPORARY, false, 0, 0);
  add_value(builder, 6, BERTH_CLASS_TEMPORARY, false, 0, 6);
  add_temporary(builder, 6);
  return finish_with(builder, OPS, 4);
}

START_TEST(halves_end_by_their_own_accesses) {
  struct berth_problem *problem = make_halves(true);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_ptr_nonnull(buffers->slice_begin);
  ck_assert_ptr_null(buffers->gap_begin);
  ck_assert_uint_eq(buffers->slice_begin[1], 2);
  ck_assert_uint_eq(buffers->slice_begin[2], 2); /* the other buffer is whole */
  const struct berth_slice *slices = buffers->slices;
  ck_assert_uint_eq(slices[0].window_lower, 0);
  ck_assert_uint_eq(slices[0].window_upper, 6);
  ck_assert_int_eq(slices[0].lower, 0);
  ck_assert_int_eq(slices[0].upper, 2);
  ck_assert_uint_eq(slices[1].window_lower, 6);
  ck_assert_uint_eq(slices[1].window_upper, 12);
  ck_assert_int_eq(slices[1].upper, 3);
  static const uint32_t LOWER[] = {0, 0, 0, 0};
  static const uint32_t UPPER[] = {1, 1, 2, 0}; /* operator 1 of stream 0 and 1 of stream 1; 2 of stream 0 */
  ck_assert_mem_eq(buffers->slice_clock_lower, LOWER, sizeof LOWER);
  ck_assert_mem_eq(buffers->slice_clock_upper, UPPER, sizeof UPPER);
  ck_assert_uint_eq(plan(problem), 12);
  ck_assert_uint_eq(n_violations(problem, (uint64_t[]){0, 6}), 0);
  ck_assert_uint_gt(n_violations(problem, (uint64_t[]){0, 5}), 0);
  ck_assert_uint_gt(n_violations(problem, (uint64_t[]){0, 0}), 0);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(without_live_windows_the_root_is_whole) {
  struct berth_problem *problem = make_halves(false);
  ck_assert_ptr_null(berth_problem_buffers(problem)->slice_begin);
  ck_assert_uint_eq(plan(problem), 18);
  ck_assert_uint_gt(n_violations(problem, (uint64_t[]){0, 6}), 0);
  berth_problem_unref(problem);
}
END_TEST

static enum berth_inplace_answer answer(const struct berth_problem *problem, uint32_t permission) {
  return berth_problem_permissions(problem)->items[permission].answer;
}

/* Two streams make one half each of what a third joins; the second half waits for the first one's other
 * temporary of 8 bytes, which may lie in the place of the second half before that is made. */
static struct berth_problem *make_concat(bool waits) {
  const struct graph_operator ops[] = {
      {.n_outputs = 1, .outputs = {0}},
      {.n_inputs = 1, .inputs = {0}, .n_outputs = 1, .outputs = {1}},
      {.n_outputs = 1, .outputs = {2}, .stream = 1, .n_waits = waits, .waits = {1}},
      {.n_inputs = 2,
       .inputs = {1, 2},
       .n_outputs = 1,
       .outputs = {3},
       .n_waits = 1,
       .waits = {2},
       .n_inplace = 2,
       .inplace = {{0, 0, BERTH_INPLACE_INSIDE, 0}, {1, 0, BERTH_INPLACE_INSIDE, 8}}},
  };
  struct berth_problem_builder *builder = start();
  add_temporary(builder, 8);
  add_temporary(builder, 8);
  add_temporary(builder, 8);
  add_value(builder, 16, BERTH_CLASS_OUTPUT, false, BERTH_NO_INDEX, 0);
  return finish_with(builder, ops, 4);
}

START_TEST(operands_inside_leave_their_bytes_to_others_until_they_are_made) {
  for (int waits = 0; waits < 2; waits++) {
    struct berth_problem *problem = make_concat(waits != 0);
    const struct berth_graph *graph = berth_problem_graph(problem);
    ck_assert_int_eq(answer(problem, 0), BERTH_INPLACE_USED);
    ck_assert_int_eq(answer(problem, 1), BERTH_INPLACE_USED);
    ck_assert_uint_eq(graph->value_buffer[1], graph->value_buffer[3]);
    ck_assert_uint_eq(graph->value_offset[2], 8);
    ck_assert_uint_eq(plan(problem), waits != 0 ? 16 : 24);
    berth_problem_unref(problem);
  }
}
END_TEST

/* The operand is read by another stream, whenever that likes; or that writes, before or whenever it likes. */
START_TEST(an_operand_inside_may_be_read_but_not_written_meanwhile) {
  struct graph_operator ops[] = {
      {.n_outputs = 1, .outputs = {0}},
      {.n_inputs = 1, .inputs = {0}, .stream = 1, .n_waits = 1, .waits = {0}},
      {.n_inputs = 1,
       .inputs = {0},
       .n_outputs = 1,
       .outputs = {1},
       .n_inplace = 1,
       .inplace = {{0, 0, BERTH_INPLACE_INSIDE, 0}}},
  };
  struct berth_problem_builder *builder = start();
  add_temporary(builder, 4);
  add_value(builder, 8, BERTH_CLASS_OUTPUT, false, BERTH_NO_INDEX, 0);
  struct berth_problem *problem = finish_with(builder, ops, 3);
  ck_assert_int_eq(answer(problem, 0), BERTH_INPLACE_USED);
  ck_assert_uint_eq(plan(problem), 8);
  berth_problem_unref(problem);

  ops[2].inplace[0].kind = BERTH_INPLACE_OVER; /* then the reader must be done */
  ops[2].inplace[0].bytes = 0;
  for (uint32_t waits = 0; waits < 2; waits++) {
    ops[2].n_waits = waits;
    ops[2].waits[0] = 1;
    builder = start();
    add_temporary(builder, 8);
    add_temporary(builder, 8);
    problem = finish_with(builder, ops, 3);
    ck_assert_int_eq(answer(problem, 0), waits != 0 ? BERTH_INPLACE_USED : BERTH_INPLACE_NOT_ORDERED);
    berth_problem_unref(problem);
  }
}
END_TEST

/* What reads an operand inside reads the result: nothing may lie over that before it is done. */
START_TEST(a_reader_of_what_lies_inside_keeps_the_result) {
  for (uint32_t waits = 0; waits < 2; waits++) {
    const struct graph_operator ops[] = {
        {.n_outputs = 1, .outputs = {0}},
        {.n_inputs = 1, .inputs = {0}, .stream = 1, .n_waits = 1, .waits = {0}},
        {.n_inputs = 1,
         .inputs = {0},
         .n_outputs = 1,
         .outputs = {1},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_INSIDE, 0}}},
        {.n_inputs = 1,
         .inputs = {1},
         .n_outputs = 1,
         .outputs = {2},
         .n_waits = waits,
         .waits = {1},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_OVER, 0}}},
    };
    struct berth_problem_builder *builder = start();
    add_temporary(builder, 4);
    add_temporary(builder, 8);
    add_temporary(builder, 8);
    struct berth_problem *problem = finish_with(builder, ops, 4);
    ck_assert_int_eq(answer(problem, 0), BERTH_INPLACE_USED);
    ck_assert_int_eq(answer(problem, 1), waits != 0 ? BERTH_INPLACE_USED : BERTH_INPLACE_NOT_ORDERED);
    ck_assert_uint_eq(plan(problem), waits != 0 ? 8 : 16);
    berth_problem_unref(problem);
  }
}
END_TEST

/* A result that begins 4 bytes before its operand of 8, read by another stream too. */
START_TEST(behind_needs_the_operand_alone) {
  for (uint32_t waits = 0; waits < 2; waits++) {
    const struct graph_operator ops[] = {
        {.n_outputs = 1, .outputs = {0}},
        {.n_inputs = 1, .inputs = {0}, .stream = 1, .n_waits = 1, .waits = {0}},
        {.n_inputs = 1,
         .inputs = {0},
         .n_outputs = 1,
         .outputs = {1},
         .n_waits = waits,
         .waits = {1},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_BEHIND, 4}}},
    };
    struct berth_problem_builder *builder = start();
    add_temporary(builder, 8);
    add_value(builder, 8, BERTH_CLASS_OUTPUT, false, BERTH_NO_INDEX, 0);
    struct berth_problem *problem = finish_with(builder, ops, 3);
    ck_assert_int_eq(answer(problem, 0), waits != 0 ? BERTH_INPLACE_USED : BERTH_INPLACE_NOT_ORDERED);
    ck_assert_uint_eq(plan(problem), waits != 0 ? 12 : 16);
    berth_problem_unref(problem);
  }
}
END_TEST

/* What a smaller result leaves of its operand is free from then on, for those that are ordered after it. */
START_TEST(the_tail_of_an_operand_is_free) {
  for (uint32_t stream = 0; stream < 2; stream++) {
    const struct graph_operator ops[] = {
        {.n_outputs = 1, .outputs = {0}},
        {.n_inputs = 1,
         .inputs = {0},
         .n_outputs = 1,
         .outputs = {1},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_OVER, 0}}},
        {.n_outputs = 1, .outputs = {2}, .stream = stream},
        {.stream = 1},
    };
    struct berth_problem_builder *builder = start();
    add_temporary(builder, 12);
    add_value(builder, 4, BERTH_CLASS_OUTPUT, false, BERTH_NO_INDEX, 0);
    add_value(builder, 8, BERTH_CLASS_OUTPUT, false, BERTH_NO_INDEX, 0);
    struct berth_problem *problem = finish_with(builder, ops, 4);
    ck_assert_int_eq(answer(problem, 0), BERTH_INPLACE_USED);
    ck_assert_uint_eq(plan(problem), stream == 0 ? 12 : 20);
    berth_problem_unref(problem);
  }
}
END_TEST

static void gather(void *ctx, const void *bytes, size_t n) {
  uint64_t *hash = ctx;
  for (size_t i = 0; i < n; i++) {
    *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
  }
}

static uint64_t key_of(const struct berth_problem *problem) {
  uint64_t hash = UINT64_C(14695981039346656037);
  uint32_t order[8];
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_canonical_encode(problem, order, NULL, &hash, gather, NULL), BERTH_OK);
  return hash;
}

START_TEST(slices_are_in_the_key) {
  struct berth_problem *with = make_halves(true);
  struct berth_problem *without = make_halves(false);
  struct berth_problem *again = make_halves(true);
  ck_assert_uint_ne(key_of(with), key_of(without));
  ck_assert_uint_eq(key_of(with), key_of(again));
  berth_problem_unref(with);
  berth_problem_unref(without);
  berth_problem_unref(again);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/problem/slices",
      (const TTest *const[]){
          halves_end_by_their_own_accesses, without_live_windows_the_root_is_whole,
          operands_inside_leave_their_bytes_to_others_until_they_are_made,
          an_operand_inside_may_be_read_but_not_written_meanwhile,
          a_reader_of_what_lies_inside_keeps_the_result, behind_needs_the_operand_alone,
          the_tail_of_an_operand_is_free, slices_are_in_the_key, NULL});
}
