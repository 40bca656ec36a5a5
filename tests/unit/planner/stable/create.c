/* An earlier plan in terms of a new problem: who is found, who must stay, what is refused; and the judge of
 * what a plan says of it. */
#include "berth/stable.h"

#include "berth/solve.h"
#include "berth/verify.h"
#include "problems.h"

static struct berth_stable_row row(const char *id, uint64_t offset, uint64_t size) {
  return (struct berth_stable_row){.id = text(id), .offset = offset, .size_bytes = size};
}

static void
add_one(struct berth_problem_builder *builder, const char *id, uint64_t size, int64_t lower, int64_t upper) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.id = text(id);
  spec.size_bytes = size;
  spec.lower = lower;
  spec.upper = upper;
  add(builder, &spec);
}

/* a and b are live together, c after both. */
static struct berth_problem *three(uint64_t size_of_a) {
  struct berth_problem_builder *builder = start();
  add_one(builder, "a", size_of_a, 0, 2);
  add_one(builder, "b", 64, 0, 2);
  add_one(builder, "c", 64, 2, 4);
  return finish(builder);
}

static const struct berth_stable_row ROWS[] = {
    {.id = {"c", 1}, .offset = 0, .size_bytes = 64},
    {.id = {"gone", 4}, .offset = 128, .size_bytes = 32},
    {.id = {"a", 1}, .offset = 0, .size_bytes = 64},
    {.id = {"b", 1}, .offset = 64, .size_bytes = 64}};

static const struct berth_stable *
create(const struct berth_problem *problem, const struct berth_stable_spec *spec) {
  const struct berth_stable *stable = NULL;
  struct berth_error err = {0};
  ck_assert_msg(berth_stable_create(problem, spec, NULL, &stable, &err) == BERTH_OK, "%s", err.message);
  return stable;
}

static struct berth_error refuse(const struct berth_problem *problem, const struct berth_stable_spec *spec) {
  const struct berth_stable *stable = NULL;
  struct berth_error err = {0};
  ck_assert_int_eq(berth_stable_create(problem, spec, NULL, &stable, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_null(stable);
  return err;
}

START_TEST(buffers_are_found_by_id) {
  struct berth_problem *problem = three(64);
  const struct berth_stable_spec spec = {.rows = ROWS, .n_rows = 4};
  const struct berth_stable *stable = create(problem, &spec);
  ck_assert_uint_eq(stable->offset[0], 0);
  ck_assert_uint_eq(stable->offset[1], 64);
  ck_assert_uint_eq(stable->offset[2], 0);
  ck_assert(stable->n_gone == 1 && stable->gone[0] == 1);
  ck_assert_uint_eq(stable->arena_bytes[0], 160);
  ck_assert_uint_eq(stable->limit_bytes[0], BERTH_UNLIMITED);
  berth_stable_unref(berth_stable_ref(stable));
  berth_stable_unref(stable);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(limits_by_what_was) {
  struct berth_problem *problem = three(64);
  struct berth_stable_spec spec = {
      .rows = ROWS, .n_rows = 4, .growth = BERTH_GROWTH_BYTES, .growth_amount = 16};
  const struct berth_stable *stable = create(problem, &spec);
  ck_assert_uint_eq(stable->limit_bytes[0], 176);
  berth_stable_unref(stable);
  spec.growth = BERTH_GROWTH_SHARE;
  spec.growth_amount = 55000; /* 5.5 %: 8.8 bytes */
  stable = create(problem, &spec);
  ck_assert_uint_eq(stable->limit_bytes[0], 168);
  berth_stable_unref(stable);
  const uint64_t limit = 165;
  spec.limit_bytes = &limit;
  stable = create(problem, &spec);
  ck_assert_uint_eq(stable->limit_bytes[0], 165);
  berth_stable_unref(stable);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(who_must_and_cannot_is_named) {
  struct berth_problem *problem = three(80); /* a has grown into b */
  const struct berth_text ids[] = {text("a"), text("b")};
  struct berth_stable_spec spec = {.rows = ROWS, .n_rows = 4, .must_ids = ids, .n_must_ids = 2};
  struct berth_error err = refuse(problem, &spec);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_KEEP);
  ck_assert(strstr(err.message, "\"a\"") != NULL && strstr(err.message, "\"b\"") != NULL);
  spec.n_must_ids = 1; /* b can make room */
  const struct berth_stable *stable = create(problem, &spec);
  ck_assert(stable->must[0] == 1 && stable->must[1] == 0 && stable->must[2] == 0);
  berth_stable_unref(stable);
  spec.growth = BERTH_GROWTH_BYTES;
  const uint64_t arena = 70;
  spec.arena_bytes = &arena;
  err = refuse(problem, &spec);
  ck_assert(err.reason == BERTH_REASON_BAD_KEEP && err.index == 0 && strstr(err.message, "limit") != NULL);
  const struct berth_text nobody = text("gone");
  spec = (struct berth_stable_spec){.rows = ROWS, .n_rows = 4, .must_ids = &nobody, .n_must_ids = 1};
  ck_assert_int_eq(refuse(problem, &spec).reason, BERTH_REASON_UNKNOWN_ID);
  const uint32_t pool = 7;
  spec = (struct berth_stable_spec){.rows = ROWS, .n_rows = 4, .must_pools = &pool, .n_must_pools = 1};
  ck_assert_int_eq(refuse(problem, &spec).reason, BERTH_REASON_BAD_POOL);
  const uint32_t buffer = 3;
  spec = (struct berth_stable_spec){.rows = ROWS, .n_rows = 4, .must_buffers = &buffer, .n_must_buffers = 1};
  ck_assert_int_eq(refuse(problem, &spec).reason, BERTH_REASON_UNKNOWN_ID);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(what_cannot_be_asked) {
  struct berth_problem *problem = three(64);
  struct berth_stable_spec spec = {.rows = ROWS, .n_rows = 4, .growth = (enum berth_growth)9};
  ck_assert_int_eq(refuse(problem, &spec).reason, BERTH_REASON_BAD_OPTION);
  spec = (struct berth_stable_spec){.rows = ROWS, .n_rows = 4, .is_in_order = true};
  ck_assert_int_eq(refuse(problem, &spec).reason, BERTH_REASON_COLUMN_LENGTH);
  const struct berth_stable_row far = row("a", UINT64_MAX - 8, 64);
  spec = (struct berth_stable_spec){.rows = &far, .n_rows = 1};
  ck_assert_int_eq(refuse(problem, &spec).reason, BERTH_REASON_SIZE_OVERFLOW);
  berth_problem_unref(problem);
}
END_TEST

static struct berth_plan *solve(const struct berth_problem *problem, const struct berth_stable *stable) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  options.stable = stable;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  return plan;
}

static uint64_t n_wrong(
    const struct berth_problem *problem, const struct berth_plan *plan, const struct berth_stable *stable,
    enum berth_violation_kind *out_kind) {
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  ck_assert_int_eq(berth_verify_stability(problem, plan, stable, &violation, 1, &verdict, NULL), BERTH_OK);
  *out_kind = violation.kind;
  return verdict.n_violations;
}

START_TEST(the_judge_counts_again) {
  struct berth_problem *problem = three(80);
  const struct berth_text id = text("a");
  const struct berth_stable_spec spec = {.rows = ROWS, .n_rows = 4, .must_ids = &id, .n_must_ids = 1};
  const struct berth_stable *stable = create(problem, &spec);
  struct berth_plan *plan = solve(problem, stable);
  enum berth_violation_kind kind;
  ck_assert_uint_eq(n_wrong(problem, plan, stable, &kind), 0);
  ck_assert(plan->stability.n_before == 3 && plan->stability.n_kept == 2 && plan->stability.n_must == 1);
  ck_assert_uint_eq(plan->stability.kept_bound, 2);
  plan->stability.n_kept++;
  ck_assert(n_wrong(problem, plan, stable, &kind) > 0 && kind == BERTH_VIOLATION_FIGURES);
  plan->stability.n_kept--;
  plan->stability.kept_bound = 1;
  ck_assert(n_wrong(problem, plan, stable, &kind) > 0 && kind == BERTH_VIOLATION_FIGURES);
  plan->stability.kept_bound = 2;
  berth_plan_offset_mut(plan)[0] += 512;
  ck_assert(n_wrong(problem, plan, stable, &kind) > 0 && kind == BERTH_VIOLATION_KEEP);
  berth_plan_offset_mut(plan)[0] -= 512;
  ck_assert(n_wrong(problem, plan, NULL, &kind) > 0 && kind == BERTH_VIOLATION_FIGURES);
  berth_plan_unref(plan);
  berth_stable_unref(stable);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(beyond_the_limit_is_seen) {
  struct berth_problem *problem = three(64);
  struct berth_stable_spec spec = {.rows = ROWS, .n_rows = 4, .growth = BERTH_GROWTH_BYTES};
  const struct berth_stable *stable = create(problem, &spec);
  struct berth_plan *plan = solve(problem, stable);
  enum berth_violation_kind kind;
  ck_assert_uint_eq(n_wrong(problem, plan, stable, &kind), 0);
  ck_assert_uint_eq(plan->stability.n_kept, 3);
  berth_plan_pools_mut(plan)[0].arena_bytes = 161;
  ck_assert(n_wrong(problem, plan, stable, &kind) > 0 && kind == BERTH_VIOLATION_KEEP);
  berth_plan_unref(plan);
  berth_stable_unref(stable);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(no_reuse_is_refused) {
  struct berth_problem *problem = three(64);
  const struct berth_stable_spec spec = {.rows = ROWS, .n_rows = 4};
  const struct berth_stable *stable = create(problem, &spec);
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  options.stable = stable;
  options.reuse = BERTH_REUSE_NONE;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
  berth_stable_unref(stable);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/stable",
      (const TTest *const[]){
          buffers_are_found_by_id, limits_by_what_was, who_must_and_cannot_is_named, what_cannot_be_asked,
          the_judge_counts_again, beyond_the_limit_is_seen, no_reuse_is_refused, NULL});
}
