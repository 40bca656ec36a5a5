/* The judge's own search, where streams order what it looks at. */
#include "berth/solve.h"
#include "berth/verify.h"
#include "suite.h"

enum { X, A, B, N_VALUES };

/* Operator 0 writes A on stream 0, operator 1 writes B on stream 1, after it or not; nobody reads X. */
static struct berth_problem *build(bool waits, bool has_windows) {
  static const struct {
    uint64_t size;
    enum berth_buffer_class class_;
  } VALUES[N_VALUES] = {{8, BERTH_CLASS_INPUT}, {4, BERTH_CLASS_TEMPORARY}, {8, BERTH_CLASS_TEMPORARY}};
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t v = 0; v < N_VALUES; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = VALUES[v].size;
    spec.class_ = VALUES[v].class_;
    spec.live_windows = has_windows;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t op = 0; op < 2; op++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.outputs = op == 0 ? (const uint32_t[]){A} : (const uint32_t[]){B};
    spec.n_outputs = 1;
    spec.stream = op;
    spec.waits = (const uint32_t[]){0};
    spec.n_waits = waits ? op : 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static bool is_good(const struct berth_problem *problem, const uint64_t *offset) {
  struct berth_verdict verdict;
  ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  return verdict.n_violations == 0;
}

/* It is there for the first step, which is operator 0: B may come to lie there only after that. So the bound
 * of 20 bytes holds for every plan that the judge passes. */
START_TEST(what_nobody_reads_is_there_for_the_first_step_on_streams_too) {
  for (int round = 0; round < 4; round++) {
    bool waits = round % 2 != 0;
    struct berth_problem *problem = build(waits, round >= 2);
    ck_assert(is_good(problem, (const uint64_t[]){0, 8, 12}));
    ck_assert(is_good(problem, (const uint64_t[]){0, 8, 0}) == waits);
    ck_assert(!is_good(problem, (const uint64_t[]){0, 4, 12}));
    struct berth_solve_options options = berth_solve_options_default();
    struct berth_plan *plan;
    struct berth_verdict verdict;
    struct berth_verify_terms terms = {.capacity_bytes = BERTH_UNLIMITED};
    ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
    ck_assert_uint_eq(plan->arena_bytes, waits ? 12 : 20);
    ck_assert_uint_eq(plan->lower_bound_bytes, plan->arena_bytes);
    ck_assert_int_eq(berth_verify_answer(problem, plan, &terms, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    ck_assert_uint_eq(verdict.n_violations, 0);
    ck_assert_int_eq(verdict.lower_bound, BERTH_CLAIM_CHECKED); /* searched: beyond the load of the list */
    berth_plan_unref(plan);
    berth_problem_unref(problem);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/search",
      (const TTest *const[]){what_nobody_reads_is_there_for_the_first_step_on_streams_too, NULL});
}
