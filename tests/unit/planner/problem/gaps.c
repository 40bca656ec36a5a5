#include "problems.h"

enum { LOWER = 10, UPPER = 30, SIZE = 100 };

static enum berth_code build(
    const struct berth_gap *gaps, uint32_t n_gaps, struct berth_problem **out_problem,
    struct berth_error *err) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.id = text("g");
  spec.size_bytes = SIZE;
  spec.lower = LOWER;
  spec.upper = UPPER;
  spec.gaps = gaps;
  spec.n_gaps = n_gaps;
  enum berth_code code = berth_problem_builder_add_buffer(builder, &spec, NULL, err);
  if (code == BERTH_OK) {
    ck_assert_int_eq(berth_problem_builder_finish(builder, out_problem, err), BERTH_OK);
  }
  berth_problem_builder_destroy(builder);
  return code;
}

enum { MAX = 4 };

START_TEST(gaps_come_in_normal_form) {
  static const struct {
    uint32_t n_given;
    struct berth_gap given[MAX];
    uint32_t n_right;
    struct berth_gap right[MAX];
  } CASES[] = {
      {1, {{12, 14, 0, 0}}, 1, {{12, 14, 0, 0}}},
      {1, {{10, 30, 0, 0}}, 1, {{10, 30, 0, 0}}},                                 /* absent all its life */
      {1, {{12, 14, 40, 40}}, 1, {{12, 14, 0, 0}}},                               /* absent is absent */
      {1, {{12, 12, 1, 2}}, 0, {{0}}},                                            /* no step */
      {1, {{12, 14, 0, SIZE}}, 0, {{0}}},                                         /* the whole buffer */
      {2, {{20, 22, 1, 2}, {12, 14, 3, 4}}, 2, {{12, 14, 3, 4}, {20, 22, 1, 2}}}, /* by time */
      {2, {{14, 16, 3, 4}, {12, 14, 3, 4}}, 1, {{12, 16, 3, 4}}},                 /* they touch: one */
      {2, {{14, 16, 3, 5}, {12, 14, 3, 4}}, 2, {{12, 14, 3, 4}, {14, 16, 3, 5}}},
      {3, {{20, 22, 0, 0}, {16, 18, 0, SIZE}, {12, 14, 0, 0}}, 2, {{12, 14, 0, 0}, {20, 22, 0, 0}}},
      {3, {{16, 18, 0, 0}, {14, 16, 7, 7}, {12, 14, 0, 0}}, 1, {{12, 18, 0, 0}}},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem *problem;
    struct berth_error err;
    ck_assert_msg(
        build(CASES[i].given, CASES[i].n_given, &problem, &err) == BERTH_OK, "case %zu: %s", i, err.message);
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    if (CASES[i].n_right == 0) {
      ck_assert_ptr_null(buffers->gap_begin);
    } else {
      ck_assert_uint_eq(buffers->gap_begin[0], 0);
      ck_assert_uint_eq(buffers->gap_begin[1], CASES[i].n_right);
      ck_assert_mem_eq(buffers->gaps, CASES[i].right, CASES[i].n_right * sizeof(struct berth_gap));
    }
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(bad_gaps_are_blamed) {
  static const struct {
    uint32_t n;
    struct berth_gap gaps[MAX];
    const char *message;
  } CASES[] = {
      {1, {{14, 12, 0, 0}}, "buffer 0 (\"g\"): a gap ends at 12, before it begins at 14"},
      {1, {{9, 12, 0, 0}}, "buffer 0 (\"g\"): gap [9, 12) lies outside the lifetime [10, 30)"},
      {1, {{12, 31, 0, 0}}, "buffer 0 (\"g\"): gap [12, 31) lies outside the lifetime [10, 30)"},
      {1, {{40, 40, 0, 0}}, "buffer 0 (\"g\"): gap [40, 40) lies outside the lifetime [10, 30)"},
      {1,
       {{12, 14, 0, 101}},
       "buffer 0 (\"g\"): window [0, 101) of gap [12, 14) is not within its 100 bytes"},
      {1, {{12, 14, 9, 8}}, "buffer 0 (\"g\"): window [9, 8) of gap [12, 14) is not within its 100 bytes"},
      {1,
       {{12, 14, 101, 101}},
       "buffer 0 (\"g\"): window [101, 101) of gap [12, 14) is not within its 100 bytes"},
      {2, {{15, 18, 0, 0}, {12, 16, 0, 0}}, "buffer 0 (\"g\"): gaps [12, 16) and [15, 18) overlap"},
      {2, {{12, 16, 0, SIZE}, {15, 18, 0, 0}}, "buffer 0 (\"g\"): gaps [12, 16) and [15, 18) overlap"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem *problem;
    struct berth_error err;
    ck_assert_int_eq(build(CASES[i].gaps, CASES[i].n, &problem, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_GAP);
    ck_assert_str_eq(err.field, "gaps");
    ck_assert_uint_eq(err.index, 0);
    ck_assert_str_eq(err.message, CASES[i].message);
  }
}
END_TEST

/* Many gaps given backwards stay cheap and come out in order. */
START_TEST(many_gaps_are_sorted) {
  enum { N = 200000 };
  struct berth_problem_builder *builder = start();
  struct berth_gap *gaps = calloc(N, sizeof *gaps);
  for (int i = 0; i < N; i++) {
    gaps[i] = (struct berth_gap){.lower = 2 * (N - 1 - i), .upper = 2 * (N - 1 - i) + 1};
  }
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = 1;
  spec.upper = 2 * N;
  spec.gaps = gaps;
  spec.n_gaps = N;
  add(builder, &spec);
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->gap_begin[1], N);
  for (int i = 0; i < N; i++) {
    ck_assert_int_eq(buffers->gaps[i].lower, 2 * i);
  }
  free(gaps);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/gaps",
      (const TTest *const[]){gaps_come_in_normal_form, bad_gaps_are_blamed, many_gaps_are_sorted, NULL});
}
