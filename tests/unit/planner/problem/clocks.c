/* Buffers of a partial order, stated by vector clocks: who comes before whom, plans, and the judge, against
 * all pairs. */
#include "berth/canonical.h"
#include "berth/solve.h"
#include "berth/verify.h"

#include "base/rng.h"
#include "problems.h"
#include "suite.h"

enum { MOST = 12, CLOCKS = 3 };

struct stated {
  uint32_t n;
  uint64_t size[MOST];
  uint32_t lower[MOST][CLOCKS];
  uint32_t upper[MOST][CLOCKS];
};

static enum berth_code state(
    struct berth_problem_builder *builder, uint64_t size, uint32_t n_clocks, const uint32_t *lower,
    const uint32_t *upper, struct berth_error *err) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = size;
  spec.n_clocks = n_clocks;
  spec.clock_lower = lower;
  spec.clock_upper = upper;
  return berth_problem_builder_add_buffer(builder, &spec, NULL, err);
}

static struct berth_problem *build(const struct stated *stated) {
  struct berth_problem_builder *builder = start();
  for (uint32_t i = 0; i < stated->n; i++) {
    ck_assert_int_eq(
        state(builder, stated->size[i], CLOCKS, stated->lower[i], stated->upper[i], NULL), BERTH_OK);
  }
  return finish(builder);
}

static void make(struct stated *stated, struct berth_rng *rng) {
  stated->n = 1 + berth_rng_below(rng, MOST);
  for (uint32_t i = 0; i < stated->n; i++) {
    stated->size[i] = berth_rng_below(rng, 9);
    for (uint32_t c = 0; c < CLOCKS; c++) {
      stated->lower[i][c] = berth_rng_below(rng, 5);
      stated->upper[i][c] = stated->lower[i][c] + berth_rng_below(rng, 3);
    }
  }
}

static bool comes_before(const struct stated *stated, uint32_t a, uint32_t b) {
  bool is_empty = true;
  for (uint32_t c = 0; c < CLOCKS; c++) {
    is_empty = is_empty && stated->lower[a][c] == stated->upper[a][c];
  }
  for (uint32_t c = 0; c < CLOCKS; c++) {
    if (stated->upper[a][c] + is_empty > stated->lower[b][c]) {
      return false;
    }
  }
  return true;
}

static bool is_safe(const struct stated *stated, const uint64_t *offset) {
  for (uint32_t a = 0; a < stated->n; a++) {
    for (uint32_t b = 0; b < a; b++) {
      bool meet = offset[a] < offset[b] + stated->size[b] && offset[b] < offset[a] + stated->size[a] &&
                  stated->size[a] != 0 && stated->size[b] != 0;
      if (meet && !comes_before(stated, a, b) && !comes_before(stated, b, a)) {
        return false;
      }
    }
  }
  return true;
}

static uint64_t heaviest(const struct stated *stated) {
  uint64_t best = 0;
  for (uint32_t set = 0; set < UINT32_C(1) << stated->n; set++) {
    uint64_t sum = 0;
    bool apart = true;
    for (uint32_t a = 0; a < stated->n && apart; a++) {
      sum += (set >> a & 1) != 0 ? stated->size[a] : 0;
      for (uint32_t b = 0; b < stated->n && apart && (set >> a & 1) != 0; b++) {
        apart = a == b || (set >> b & 1) == 0 || !comes_before(stated, a, b);
      }
    }
    best = apart && sum > best ? sum : best;
  }
  return best;
}

static void
check_plan(const struct stated *stated, const struct berth_problem *problem, uint32_t *n_optimal) {
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", violation.message);
  ck_assert(is_safe(stated, plan->offset));
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  ck_assert_uint_ge(plan->lower_bound_bytes, heaviest(stated));
  ck_assert_uint_le(plan->peak_bytes, heaviest(stated));
  *n_optimal += plan->arena_bytes == heaviest(stated);
  berth_plan_unref(plan);
}

static uint32_t
check_guess(const struct stated *stated, const struct berth_problem *problem, struct berth_rng *rng) {
  uint64_t offset[MOST];
  struct berth_verdict verdict;
  for (uint32_t i = 0; i < stated->n; i++) {
    offset[i] = berth_rng_below(rng, 40);
  }
  ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  ck_assert_int_eq(is_safe(stated, offset), verdict.n_violations == 0);
  return verdict.n_violations == 0;
}

START_TEST(plans_and_judge_agree_with_all_pairs) {
  struct berth_rng rng = {.state = 31};
  struct stated stated;
  uint32_t n_optimal = 0;
  uint32_t n_safe = 0;
  for (int round = 0; round < 300; round++) {
    make(&stated, &rng);
    struct berth_problem *problem = build(&stated);
    for (uint32_t a = 0; a < stated.n; a++) {
      for (uint32_t b = 0; b < stated.n; b++) {
        ck_assert_int_eq(
            berth_buffers_before(berth_problem_buffers(problem), a, b), comes_before(&stated, a, b));
      }
    }
    check_plan(&stated, problem, &n_optimal);
    for (int i = 0; i < 20; i++) {
      n_safe += check_guess(&stated, problem, &rng);
    }
    berth_problem_unref(problem);
  }
  ck_assert_uint_gt(n_optimal, 200);
  ck_assert_uint_gt(n_safe, 100);
}
END_TEST

static void mix(void *ctx, const void *bytes, size_t n) {
  uint64_t *hash = ctx;
  for (size_t i = 0; i < n; i++) { /* FNV-1a */
    *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
  }
}

static uint64_t key_of(const struct stated *stated) {
  struct berth_problem *problem = build(stated);
  uint32_t order[MOST];
  uint64_t hash = UINT64_C(14695981039346656037);
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_canonical_encode(problem, order, NULL, &hash, mix, NULL), BERTH_OK);
  berth_problem_unref(problem);
  return hash;
}

/* Clocks of equal sums are other problems; rows in another order are the same one. */
START_TEST(clocks_are_in_the_key) {
  const struct stated first = {2, {8, 8}, {{0, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, {2, 0, 0}}};
  const struct stated other = {2, {8, 8}, {{0, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {0, 2, 0}}};
  const struct stated swapped = {2, {8, 8}, {{1, 0, 0}, {0, 0, 0}}, {{2, 0, 0}, {1, 0, 0}}};
  ck_assert(key_of(&first) != key_of(&other));
  ck_assert_uint_eq(key_of(&first), key_of(&swapped));
}
END_TEST

/* No step is too heavy, but the two that are not ordered are; the third is not to blame. */
START_TEST(what_is_not_ordered_is_blamed) {
  const struct stated stated = {
      3, {50, 100, 100}, {{1, 2, 0}, {0, 0, 0}, {0, 1, 0}}, {{2, 2, 0}, {1, 0, 0}, {0, 2, 0}}};
  struct berth_problem *problem = build(&stated);
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan;
  options.capacity_bytes = 150;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  ck_assert_uint_eq(plan->short_by_bytes, 50);
  ck_assert_uint_eq(plan->n_culprits, 2);
  ck_assert_uint_eq(plan->culprits[0] + plan->culprits[1], 3);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(bad_clocks_are_blamed) {
  static const uint32_t ZERO[2] = {0, 0};
  static const uint32_t ONE[2] = {1, 1};
  static const uint32_t HUGE[2] = {1, BERTH_MAX_CLOCK + 1};
  const struct {
    uint32_t n_clocks;
    const uint32_t *lower;
    const uint32_t *upper;
    const char *field;
  } CASES[] = {
      {0, NULL, NULL, "lower"}, {1, ZERO, ONE, "lower"}, {2, ONE, ZERO, "upper"}, {2, ZERO, HUGE, "upper"}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem_builder *builder = start();
    struct berth_error err;
    ck_assert_int_eq(state(builder, 8, 2, ZERO, ONE, &err), BERTH_OK);
    ck_assert_int_eq(
        state(builder, 8, CASES[i].n_clocks, CASES[i].lower, CASES[i].upper, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_LIFETIME);
    ck_assert_uint_eq(err.index, 1);
    ck_assert_str_eq(err.field, CASES[i].field);
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

START_TEST(pins_that_are_not_ordered_are_blamed) {
  static const uint32_t LOWER[2][2] = {{0, 0}, {0, 1}};
  static const uint32_t UPPER[2][2] = {{1, 0}, {0, 2}};
  struct berth_problem_builder *builder = start();
  for (uint32_t i = 0; i < 2; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = 8;
    spec.pinned_offset = 4 * i;
    spec.n_clocks = 2;
    spec.clock_lower = LOWER[i];
    spec.clock_upper = UPPER[i];
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_PIN);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/clocks",
      (const TTest *const[]){
          plans_and_judge_agree_with_all_pairs, what_is_not_ordered_is_blamed, clocks_are_in_the_key,
          bad_clocks_are_blamed, pins_that_are_not_ordered_are_blamed, NULL});
}
