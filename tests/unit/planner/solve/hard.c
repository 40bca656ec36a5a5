/* Inputs that are small to write and could be slow or wrong to plan. */
#include <time.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "sample.h"
#include "suite.h"

static struct sample sample;

static void two_pools(uint64_t capacity_a, uint64_t capacity_b) {
  sample_finish(&sample);
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].name = (struct berth_text){"a", 1};
  sample.pools[1].name = (struct berth_text){"b", 1};
  sample.pools[0].capacity_bytes = capacity_a;
  sample.pools[1].capacity_bytes = capacity_b;
}

static struct berth_plan *solve_hooked(const struct berth_solve_hooks *hooks, uint64_t budget) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget;
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve(problem, &options, hooks, NULL, &plan, &err);
  if (code == BERTH_CANCELLED) {
    berth_problem_unref(problem);
    return NULL;
  }
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", first.message);
  berth_problem_unref(problem);
  return plan;
}

static struct berth_plan *solve(uint64_t budget) {
  return solve_hooked(NULL, budget);
}

/* Both are pinned to the same bytes, and either may be in either pool. */
START_TEST(pins_that_meet_part_by_pool) {
  two_pools(BERTH_UNLIMITED, BERTH_UNLIMITED);
  for (int k = 0; k < 2; k++) {
    sample_add(&sample, 10, 0, 4)->spec.pinned_offset = 4;
  }
  struct berth_plan *plan = solve(100000);
  ck_assert_ptr_nonnull(plan->offset);
  ck_assert_uint_ne(plan->pool[0], plan->pool[1]);
  berth_plan_unref(plan);
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_solve_options options = berth_solve_options_default();
  options.reuse = BERTH_REUSE_NONE; /* pins may share bytes even so, but not these */
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_ptr_nonnull(plan->offset);
  ck_assert_uint_ne(plan->pool[0], plan->pool[1]);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

/* Pool a holds one of two, and b both: "nothing fits" would be wrong whenever the search was stopped. */
static bool stop_after(void *ctx) {
  int *left = ctx;
  return (*left)-- <= 0;
}

START_TEST(a_stopped_or_spent_search_proves_nothing) {
  for (int polls = 0; polls < 40; polls++) {
    for (uint64_t budget = 1; budget < 2000; budget *= 4) {
      two_pools(100, 1000);
      for (int k = 0; k < 8; k++) {
        sample_add(&sample, 60, 0, 4);
      }
      int left = polls;
      struct berth_solve_hooks hooks = {.ctx = &left, .should_stop = stop_after};
      struct berth_plan *plan = solve_hooked(polls == 39 ? NULL : &hooks, budget);
      ck_assert(plan == NULL || plan->status != BERTH_PLAN_INFEASIBLE);
      ck_assert(polls != 39 || (plan != NULL && plan->offset != NULL));
      berth_plan_unref(plan);
    }
  }
}
END_TEST

/* Report 38, Q1: greedy by size needs 14 and 9 are enough: the complete search fits what placement refused,
 * also where a pool that is empty or full of its own comes after. */
START_TEST(what_placement_refuses_may_still_fit) {
  for (int n_pools = 1; n_pools <= 2; n_pools++) {
    two_pools(9, BERTH_UNLIMITED);
    sample.n_pools = (uint32_t)n_pools;
    static const int Q1[5][3] = {{3, 5, 7}, {4, 6, 7}, {2, 5, 7}, {4, 2, 5}, {5, 3, 4}};
    for (int k = 0; k < 5; k++) {
      struct sample_buffer *buffer = sample_add(&sample, (uint64_t)Q1[k][0], Q1[k][1], Q1[k][2] + 1);
      buffer->spec.n_pools = 1;
    }
    struct berth_problem *problem = sample_build(&sample, NULL);
    struct berth_solve_options options = berth_solve_options_default();
    options.strategies = UINT32_C(1) << BERTH_STRATEGY_EXACT;
    struct berth_plan *plan = NULL;
    ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
    ck_assert_str_eq(berth_plan_status_name(plan->status), "optimal");
    ck_assert_uint_eq(plan->arena_bytes, 9);
    berth_plan_unref(plan);
    berth_problem_unref(problem);
  }
}
END_TEST

/* Slots hold pins, too: blocks that would meet are apart, or nothing is. */
START_TEST(pins_in_slots) {
  sample_finish(&sample);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].kind = BERTH_POOL_SLOTS;
  sample_add(&sample, 40, 0, 2)->spec.pinned_offset = 10;
  sample_add(&sample, 30, 2, 4)->spec.pinned_offset = 10;
  sample_add(&sample, 20, 0, 4);
  struct berth_plan *plan = solve(100000);
  ck_assert_ptr_nonnull(plan->offset);
  ck_assert_uint_eq(plan->arena_bytes, 70);
  berth_plan_unref(plan);
}
END_TEST

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU time of the first plan, for n and 8 n, as a ratio. */
static double growth_of(void (*make)(uint32_t n), uint32_t n) {
  double took[2];
  for (int k = 0; k < 2; k++) {
    make(k == 0 ? n : 8 * n);
    struct berth_problem *problem = sample_build(&sample, NULL);
    struct berth_solve_options options = berth_solve_options_default();
    options.budget_ticks = 1;
    struct berth_plan *plan = NULL;
    double began = cpu_seconds();
    ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
    took[k] = cpu_seconds() - began;
    berth_plan_unref(plan);
    berth_problem_unref(problem);
  }
  return took[1] / (took[0] > 0.002 ? took[0] : 0.002);
}

/* Near linear growth is 8, quadratic 64. The best of some runs: others may use the machine's caches, too. */
static void expect_near_linear(void (*make)(uint32_t n), uint32_t n) {
  double growth = growth_of(make, n);
  for (int run = 1; run < 4 && growth >= 24; run++) {
    growth = growth_of(make, n);
  }
  ck_assert_msg(growth < 24, "%f times as long for 8 times as many", growth);
}

static void make_scattered_pins(uint32_t n) {
  sample_finish(&sample);
  for (uint32_t i = 0; i < n; i++) {
    sample_add(&sample, 1 + i % 9, 0, 4)->spec.pinned_offset = UINT64_C(10) * ((i * UINT64_C(7919)) % n);
  }
}

static void make_odd_sizes_aligned(uint32_t n) {
  sample_finish(&sample);
  for (uint32_t i = 0; i < n; i++) {
    sample_add(&sample, 1 + i % 50, 0, 4)->spec.alignment = 64;
  }
}

/* One that must share with nobody, after all others had their slots. */
static void make_star(uint32_t n) {
  sample_finish(&sample);
  for (uint32_t i = 0; i < n; i++) {
    sample_add(&sample, 8, 0, 4);
  }
  sample_add(&sample, 8, 5, 6);
  for (uint32_t i = 0; i < n; i++) {
    sample_add_conflict(&sample, i, n);
  }
}

START_TEST(near_linear_where_it_could_be_quadratic) {
  expect_near_linear(make_scattered_pins, 8000);
  expect_near_linear(make_odd_sizes_aligned, 8000);
  expect_near_linear(make_star, 8000);
}
END_TEST

int main(void) {
  sample_init(&sample);
  return berth_suite_run(
      "solve/hard", (const TTest *const[]){
                        pins_that_meet_part_by_pool, a_stopped_or_spent_search_proves_nothing,
                        what_placement_refuses_may_still_fit, pins_in_slots,
                        near_linear_where_it_could_be_quadratic, NULL});
}
