/* Waits that the planner adds, as its callers see them. */
#include "berth/solve.h"

#include <string.h>

#include "berth/stable.h"
#include "berth/verify.h"
#include "towers.h"

static struct berth_solve_options asking(uint64_t cost, uint32_t most) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 1000000;
  options.sync = (struct berth_sync_terms){.cost_bytes = cost, .max_syncs = most};
  return options;
}

static struct berth_plan *
solve(const struct berth_problem *problem, const struct berth_solve_options *options) {
  struct berth_problem *of;
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  const struct berth_verify_terms terms = {
      .capacity_bytes = options->capacity_bytes, .syncs = &options->sync};
  ck_assert_int_eq(berth_solve_levels(problem, options, NULL, NULL, &of, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify_answer(of, plan, &terms, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", first.message);
  berth_problem_unref(of);
  return plan;
}

START_TEST(none_are_added_unless_asked) {
  struct berth_problem *problem = towers(2, false);
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = solve(problem, &options);
  ck_assert_uint_eq(plan->n_syncs, 0);
  ck_assert_uint_eq(plan->sync.is_asked, 0);
  ck_assert_uint_eq(plan->arena_bytes, 1920);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(one_wait_for_two_towers) {
  struct berth_problem *problem = towers(2, false);
  struct berth_solve_options options = asking(100, UINT32_MAX);
  struct berth_plan *plan = solve(problem, &options);
  ck_assert_uint_eq(plan->n_syncs, 1);
  ck_assert_uint_eq(plan->syncs[0].waiter, 2);
  ck_assert_uint_eq(plan->syncs[0].signaller, 1);
  ck_assert_uint_eq(plan->arena_bytes, 1010);
  ck_assert_uint_eq(plan->sync.without_bytes, 1920);
  ck_assert_uint_eq(plan->sync.bound_bytes, 1110);
  ck_assert_uint_eq(berth_plan_sync_cost(plan), 100);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(no_wait_that_costs_what_it_saves) {
  struct berth_problem *problem = towers(2, false);
  struct berth_solve_options options = asking(910, UINT32_MAX);
  struct berth_plan *plan = solve(problem, &options);
  ck_assert_uint_eq(plan->n_syncs, 0);
  ck_assert_uint_eq(plan->arena_bytes, 1920);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL); /* no wait can pay: proven */
  berth_plan_unref(plan);
  options = asking(909, UINT32_MAX);
  plan = solve(problem, &options);
  ck_assert_uint_eq(plan->n_syncs, 1);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(no_more_than_are_allowed) {
  static const uint64_t ARENAS[] = {5700, 4790, 3890, 3000, 2120, 1250};
  struct berth_problem *problem = towers(6, false);
  for (uint32_t most = 1; most <= 5; most++) {
    struct berth_solve_options options = asking(1, most);
    struct berth_plan *plan = solve(problem, &options);
    ck_assert_uint_le(plan->n_syncs, most);
    ck_assert_uint_lt(plan->arena_bytes, plan->sync.without_bytes);
    ck_assert_msg(
        plan->arena_bytes <= ARENAS[most - 1], "%u: %llu", most, (unsigned long long)plan->arena_bytes);
    berth_plan_unref(plan);
  }
  berth_problem_unref(problem);
}
END_TEST

/* A region waits, and is waited for, as a whole. */
START_TEST(regions_run_as_one) {
  struct berth_problem *problem = towers(3, true);
  struct berth_solve_options options = asking(10, UINT32_MAX);
  struct berth_plan *plan = solve(problem, &options);
  ck_assert_uint_eq(plan->n_syncs, 2);
  for (uint32_t i = 0; i < plan->n_syncs; i++) {
    ck_assert_uint_eq(plan->syncs[i].waiter % 2, 0); /* the first of its region */
  }
  ck_assert_uint_eq(plan->arena_bytes, 1010);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(a_capacity_is_met_by_waits) {
  struct berth_problem *problem = towers(3, false);
  struct berth_solve_options options = asking(10, UINT32_MAX);
  struct berth_solve_options plain = berth_solve_options_default();
  plain.capacity_bytes = options.capacity_bytes = 1500;
  struct berth_plan *plan = solve(problem, &plain);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  berth_plan_unref(plan);
  plan = solve(problem, &options);
  ck_assert_ptr_nonnull(plan->offset);
  ck_assert_uint_gt(plan->n_syncs, 0);
  ck_assert_uint_eq(plan->sync.without_bytes, BERTH_UNLIMITED);
  berth_plan_unref(plan);
  options.capacity_bytes = 1009; /* one byte below the peak: no wait helps */
  plan = solve(problem, &options);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  berth_plan_unref(plan);
  options.capacity_bytes = 1100; /* with one wait at most it may or may not be proven */
  options.sync.max_syncs = 1;
  plan = solve(problem, &options);
  ck_assert_int_eq(plan->status, BERTH_PLAN_UNKNOWN);
  ck_assert_uint_eq(plan->n_culprits, 0);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(one_stream_needs_none) {
  struct berth_problem *problem = towers(1, false);
  struct berth_solve_options options = asking(0, UINT32_MAX);
  struct berth_plan *plan = solve(problem, &options);
  ck_assert_uint_eq(plan->sync.is_asked, 1);
  ck_assert_uint_eq(plan->n_syncs, 0);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(an_earlier_plan_is_not_kept_beside) {
  struct berth_problem *problem = towers(2, false);
  const struct berth_stable *stable = NULL;
  struct berth_stable_spec spec = {.n_rows = 0};
  struct berth_solve_options options = asking(1, 1);
  struct berth_problem *of;
  struct berth_plan *plan;
  struct berth_error err;
  ck_assert_int_eq(berth_stable_create(problem, &spec, NULL, &stable, &err), BERTH_OK);
  options.stable = stable;
  ck_assert_int_eq(
      berth_solve_levels(problem, &options, NULL, NULL, &of, &plan, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
  berth_stable_unref(stable);
  berth_problem_unref(problem);
}
END_TEST

/* Stopped at whichever question, the plan is right for what it says, or there is none. */
struct countdown {
  uint32_t left;
};

static bool count_down(void *ctx) {
  struct countdown *countdown = ctx;
  countdown->left -= countdown->left != 0;
  return countdown->left == 0;
}

START_TEST(stopped_at_any_time_the_plan_is_right) {
  struct berth_problem *problem = towers(6, false);
  struct berth_solve_options options = asking(1, UINT32_MAX);
  uint32_t n_with_waits = 0;
  bool was_stopped = true;
  for (uint32_t k = 1; was_stopped; k += 1 + k / 16) {
    struct countdown countdown = {.left = k};
    const struct berth_solve_hooks hooks = {.ctx = &countdown, .should_stop = count_down};
    struct berth_problem *of = NULL;
    struct berth_plan *plan = NULL;
    struct berth_verdict verdict;
    struct berth_violation first = {0};
    enum berth_code code = berth_solve_levels(problem, &options, &hooks, NULL, &of, &plan, NULL);
    was_stopped = countdown.left == 0;
    ck_assert(code == BERTH_OK || code == BERTH_CANCELLED);
    if (code == BERTH_OK) {
      ck_assert_int_eq(berth_verify(of, plan, NULL, &first, 1, &verdict, NULL), BERTH_OK);
      ck_assert_msg(verdict.n_violations == 0, "%u: %s", k, first.message);
      n_with_waits += plan->n_syncs != 0;
    }
    berth_plan_unref(plan);
    berth_problem_unref(of);
  }
  ck_assert_uint_gt(n_with_waits, 0);
  berth_problem_unref(problem);
}
END_TEST

/* What is told falls, and no bound that added waits could break is. */
static void hear(void *ctx, const struct berth_progress *progress) {
  uint64_t *least = ctx;
  ck_assert_uint_lt(progress->arena_bytes, *least);
  ck_assert_uint_eq(progress->lower_bound_bytes, 0);
  *least = progress->arena_bytes;
}

START_TEST(progress_is_monotone) {
  struct berth_problem *problem = towers(4, false);
  struct berth_solve_options options = asking(1, UINT32_MAX);
  uint64_t least = UINT64_MAX;
  const struct berth_solve_hooks hooks = {.ctx = &least, .on_progress = hear};
  struct berth_problem *of;
  struct berth_plan *plan;
  ck_assert_int_eq(berth_solve_levels(problem, &options, &hooks, NULL, &of, &plan, NULL), BERTH_OK);
  ck_assert_uint_ge(least, plan->arena_bytes);
  berth_plan_unref(plan);
  berth_problem_unref(of);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "syncs/syncs",
      (const TTest *const[]){
          none_are_added_unless_asked, one_wait_for_two_towers, no_wait_that_costs_what_it_saves,
          no_more_than_are_allowed, regions_run_as_one, a_capacity_is_met_by_waits, one_stream_needs_none,
          an_earlier_plan_is_not_kept_beside, stopped_at_any_time_the_plan_is_right, progress_is_monotone,
          NULL});
}
