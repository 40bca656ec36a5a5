#include "packing/slices.h"

#include "berth/solve.h"
#include "berth/verify.h"
#include "packing/build.h"
#include "suite.h"

/* Buffer 0 has two slices, of which the second ends early on stream 0; buffer 1 comes after that; buffer 2,
 * on stream 1, is ordered with nobody. In the list all lie apart but for the slices. */
START_TEST(pairs_of_slices_are_steps_and_others_are_pairs) {
  static const uint64_t SIZE[] = {8, 4, 4};
  static const uint64_t ALIGNMENT[] = {1, 1, 1};
  static const int64_t LOWER[] = {0, 3, 5};
  static const int64_t UPPER[] = {3, 4, 6};
  static const uint32_t CLOCK_LOWER[] = {0, 0, 2, 0, 0, 1};
  static const uint32_t CLOCK_UPPER[] = {3, 1, 4, 0, 0, 2};
  static const uint32_t SLICE_BEGIN[] = {0, 2, 2, 2};
  static const struct berth_slice SLICES[] = {{0, 4, 0, 3}, {4, 8, 0, 2}};
  static const uint32_t SLICE_LOWER[] = {0, 0, 0, 0};
  static const uint32_t SLICE_UPPER[] = {3, 1, 2, 0};
  const struct berth_buffers buffers = {
      .n = 3,
      .size_bytes = SIZE,
      .alignment = ALIGNMENT,
      .lower = LOWER,
      .upper = UPPER,
      .n_clocks = 2,
      .clock_lower = CLOCK_LOWER,
      .clock_upper = CLOCK_UPPER,
      .slice_begin = SLICE_BEGIN,
      .slices = SLICES,
      .slice_clock_lower = SLICE_LOWER,
      .slice_clock_upper = SLICE_UPPER};
  static const uint32_t MEMBERS[] = {0, 1, 2};
  struct berth_arena arena;
  struct berth_packing_instance instance;
  struct berth_timeline timeline;
  berth_arena_init(&arena, NULL);
  ck_assert_int_eq(
      berth_packing_build(&buffers, MEMBERS, 3, 1, BERTH_UNLIMITED, &arena, &instance, &timeline), BERTH_OK);
  ck_assert_ptr_null(instance.chains);
  ck_assert_uint_eq(instance.slices->n, 4);
  /* 1 and 2 are whole; 1 meets the first slice of 0, and 2 the second (the first comes before it by stream 1
   * alone, which is not enough: it meets that too). */
  ck_assert_uint_eq(instance.n_conflicts, 1);
  ck_assert_uint_eq(instance.conflicts[0][0], 1);
  ck_assert_uint_eq(instance.conflicts[0][1], 2);
  ck_assert_uint_eq(instance.n_steps, timeline.n_steps + 3);
  ck_assert_uint_eq(instance.piece_begin[1] - instance.piece_begin[0], 2 + 3);
  ck_assert_uint_eq(instance.piece_begin[2] - instance.piece_begin[1], 1 + 1);
  ck_assert_uint_eq(instance.piece_begin[3] - instance.piece_begin[2], 1 + 2);

  ck_assert_int_eq(
      berth_packing_build_slots(&buffers, MEMBERS, 3, 1, BERTH_UNLIMITED, &arena, &instance, &timeline),
      BERTH_OK);
  ck_assert_ptr_null(instance.slices);
  ck_assert_uint_eq(instance.n_conflicts, 3); /* every two, whole */
  ck_assert_uint_eq(instance.n_steps, timeline.n_steps);
  berth_arena_finish(&arena);
}
END_TEST

/* ---- Where pairs are too many: chains ---- */

enum { STREAMS = 8, LENGTH = 420 };

/* On each stream, again and again, 64 bytes and then three times 32, each read by the next operator; of the
 * 64 the first half is read by the last of them, too. */
static struct berth_problem *make_long(bool live_windows) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t k = 0; k < STREAMS * LENGTH; k++) {
    struct berth_value_spec spec = berth_value_spec_default();
    uint32_t whole;
    spec.size_bytes = k / STREAMS % 4 == 0 ? 64 : 32;
    spec.live_windows = live_windows;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &whole, NULL), BERTH_OK);
    spec.view_of = whole;
    spec.size_bytes /= 2;
    spec.live_windows = false;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t k = 0; k < STREAMS * LENGTH; k++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    uint32_t inputs[] = {2 * (k - STREAMS), 2 * (k - 3 * STREAMS) + 1};
    uint32_t output = 2 * k;
    spec.inputs = inputs;
    spec.n_inputs = k < STREAMS ? 0 : k / STREAMS % 4 == 3 ? 2 : 1;
    spec.outputs = &output;
    spec.n_outputs = 1;
    spec.stream = k % STREAMS;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static uint64_t plan(const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation;
  options.budget_ticks = 10000000;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", violation.message);
  uint64_t arena = plan->arena_bytes;
  berth_plan_unref(plan);
  return arena;
}

START_TEST(chains_of_slices_say_who_meets_whom) {
  struct berth_problem *problem = make_long(true);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  struct berth_arena arena;
  struct berth_packing_instance instance;
  berth_arena_init(&arena, NULL);
  uint32_t *members = berth_arena_new(&arena, uint32_t, buffers->n);
  for (uint32_t i = 0; i < buffers->n; i++) {
    members[i] = i;
  }
  ck_assert_int_eq(
      berth_packing_build(buffers, members, buffers->n, 1, BERTH_UNLIMITED, &arena, &instance, NULL),
      BERTH_OK);
  ck_assert_ptr_nonnull(instance.chains);
  ck_assert_uint_eq(instance.chains->n, instance.slices->n);
  ck_assert_uint_gt(instance.slices->n, buffers->n);
  ck_assert_uint_eq(instance.n_conflicts, 0);
  berth_arena_finish(&arena);
  struct berth_problem *whole = make_long(false);
  ck_assert_uint_lt(plan(problem), plan(whole));
  berth_problem_unref(whole);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/slices",
      (const TTest *const[]){
          pairs_of_slices_are_steps_and_others_are_pairs, chains_of_slices_say_who_meets_whom, NULL});
}
