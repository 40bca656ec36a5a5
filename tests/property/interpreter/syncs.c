/* Plans with added waits on the toy memory: with the waits written into the graph they run in every order
 * that it then allows. Without one of them the judge refuses the plan, as it must wherever that corrupts
 * memory. */
#include <stdio.h>

#include "berth/restate.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "toy.h"

enum { PROBLEMS = 20000, BUDGET = 100000 };

static struct {
  uint32_t graphs, with_waits, waits, with_regions, with_slices, with_inplace, unsafe_without,
      judged_needless;
} seen;

/* Into the operators' own lists, where there is room. */
static bool write_waits(struct toy *toy, const struct berth_sync *syncs, uint32_t n, uint32_t but) {
  for (uint32_t i = 0; i < n; i++) {
    struct toy_op *op = &toy->ops[syncs[i].waiter];
    if (i == but) {
      continue;
    }
    if (op->n_waits == TOY_MAX_OPERATORS) {
      return false;
    }
    op->waits[op->n_waits++] = syncs[i].signaller;
  }
  return true;
}

static uint64_t
violations_without(const struct berth_problem *of, const struct berth_plan *plan, uint32_t but) {
  struct berth_plan *spoilt = berth_plan_copy(NULL, plan, plan->syncs, plan->n_syncs);
  struct berth_sync *syncs = berth_plan_syncs_mut(spoilt);
  struct berth_verdict verdict;
  for (uint32_t i = but; i + 1 < plan->n_syncs; i++) {
    syncs[i] = syncs[i + 1];
  }
  spoilt->n_syncs--;
  ck_assert_int_eq(berth_verify(of, spoilt, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  berth_plan_unref(spoilt);
  return verdict.n_violations;
}

static void
check_each(uint32_t k, const struct toy *toy, const struct berth_problem *of, const struct berth_plan *plan) {
  for (uint32_t i = 0; i < plan->n_syncs; i++) {
    struct toy fewer = *toy;
    uint64_t n = violations_without(of, plan, i);
    if (!write_waits(&fewer, plan->syncs, plan->n_syncs, i)) {
      continue;
    }
    bool right = toy_run(&fewer, of, (struct toy_places){plan->pool, plan->offset}) == TOY_RIGHT;
    ck_assert_msg(n > 0 || right, "graph %u: without wait %u it corrupts memory, and is not seen", k, i);
    seen.unsafe_without += !right;
    seen.judged_needless += n == 0;
  }
}

static void check(uint32_t k, const struct toy *toy, struct berth_problem *problem, struct berth_rng *rng) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_violation violation = {0};
  struct berth_problem *of;
  struct berth_plan *plan;
  struct berth_verdict verdict;
  options.budget_ticks = BUDGET;
  options.sync.cost_bytes = berth_rng_below(rng, 3);
  const struct berth_verify_terms terms = {.capacity_bytes = BERTH_UNLIMITED, .syncs = &options.sync};
  ck_assert_int_eq(berth_solve_levels(problem, &options, NULL, NULL, &of, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify_answer(of, plan, &terms, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, violation.message);
  struct toy more = *toy;
  if (plan->offset != NULL && write_waits(&more, plan->syncs, plan->n_syncs, BERTH_NO_INDEX)) {
    const struct toy_places places = {plan->pool, plan->offset};
    ck_assert_msg(toy_run(&more, of, places) == TOY_RIGHT, "graph %u: the plan corrupts memory", k);
    check_each(k, toy, of, plan);
  }
  seen.graphs++;
  seen.waits += plan->n_syncs;
  if (plan->n_syncs != 0) {
    seen.with_waits++;
    seen.with_regions += toy->n_regions != 0;
    seen.with_slices += berth_problem_buffers(of)->slice_begin != NULL;
    seen.with_inplace += berth_problem_uses_inplace(of);
  }
  berth_plan_unref(plan);
  berth_problem_unref(of);
}

START_TEST(plans_with_added_waits_run) {
  static struct toy toy;
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct berth_problem *problem = toy_make(&toy, &rng);
    if (problem != NULL && berth_problem_graph(problem)->operator_stream != NULL) {
      check(k, &toy, problem, &rng);
    }
    berth_problem_unref(problem);
  }
  printf(
      "%u graphs on streams, %u with added waits (%u of them with regions, %u with slices, %u with results "
      "in "
      "place); %u waits, %u of which corrupt memory where they are left out, and %u the judge can do "
      "without\n",
      seen.graphs, seen.with_waits, seen.with_regions, seen.with_slices, seen.with_inplace, seen.waits,
      seen.unsafe_without, seen.judged_needless);
  ck_assert_uint_eq(seen.judged_needless, 0);
  if (campaign.end - campaign.first >= 10000) {
    ck_assert_uint_gt(seen.with_waits, 100);
    ck_assert_uint_gt(seen.with_regions, 10);
    ck_assert_uint_gt(seen.with_slices, 10);
    ck_assert_uint_gt(seen.unsafe_without, 20);
  }
}
END_TEST

int main(void) {
  return berth_suite_run("property/synced", (const TTest *const[]){plans_with_added_waits_run, NULL});
}
