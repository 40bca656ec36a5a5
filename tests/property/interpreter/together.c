/* Two graphs in one arena are run on one toy memory: after each other in any order, or interleaved step by
 * step. Whatever the judge passes must run without a difference. */
#include <stdio.h>

#include "berth/solve.h"
#include "berth/together.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "toy.h"

enum { PAIRS = 30000, ORDERS = 6, GUESSES = 4, MOST = 2 * (TOY_MAX_VALUES + TOY_MAX_OPERATORS) };

static struct { uint32_t pairs, at_once, shares, groups, safe, unsafe; } seen;

static bool runs(
    struct toy_pair *pair, const struct berth_composed *parts, const uint64_t *offset,
    struct berth_rng *rng) {
  uint64_t own[2][MOST];
  for (uint32_t p = 0; p < 2; p++) {
    for (uint32_t k = parts->buffer_begin[p]; k < parts->buffer_begin[p + 1]; k++) {
      own[p][k - parts->buffer_begin[p]] = offset[parts->buffer[k]];
    }
    pair->offset[p] = own[p];
  }
  bool right = true;
  for (int i = 0; i < ORDERS && right; i++) {
    right = toy_runs_together(pair, rng);
  }
  return right;
}

static void
check_plan(uint32_t k, struct toy_pair *pair, const struct berth_problem *problem, struct berth_rng *rng) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 20000;
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  struct berth_error err = {0};
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  enum berth_code code = berth_verify(problem, plan, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "pair %u: %s", k, err.message);
  ck_assert_msg(verdict.n_violations == 0, "pair %u: %s", k, violation.message);
  ck_assert_msg(
      runs(pair, berth_problem_composed(problem), plan->offset, rng), "pair %u: the plan corrupts memory", k);
  berth_plan_unref(plan);
}

static void
check_guess(uint32_t k, struct toy_pair *pair, const struct berth_problem *problem, struct berth_rng *rng) {
  uint64_t offset[MOST];
  struct berth_verdict verdict;
  for (uint32_t b = 0; b < berth_problem_buffers(problem)->n; b++) {
    offset[b] = berth_rng_below(rng, 40);
  }
  ck_assert_int_eq(berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  bool right = runs(pair, berth_problem_composed(problem), offset, rng);
  ck_assert_msg(verdict.n_violations != 0 || right, "pair %u: the judge passed what corrupts memory", k);
  seen.safe += verdict.n_violations == 0;
  seen.unsafe += !right;
}

static void check_pair(uint32_t k, struct toy_pair *pair, struct berth_rng *rng) {
  struct berth_named_problem parts[2];
  const struct berth_text shared = {"s", 1};
  for (uint32_t p = 0; p < 2; p++) {
    parts[p].name = (struct berth_text){p == 0 ? "a" : "b", 1};
    parts[p].problem = berth_problem_ref((struct berth_problem *)(uintptr_t)pair->part[p]);
  }
  const struct berth_composition composition = {
      .parts = parts,
      .n_parts = 2,
      .set_end = (const uint32_t[]){2},
      .set_parts = (const uint32_t[]){0, 1},
      .n_sets = pair->at_once,
      .shared = &shared,
      .n_shared = pair->shares};
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_compose(&composition, NULL, &problem, &err);
  bool groups =
      pair->toy[0]->n_groups + pair->toy[1]->n_groups != 0; /* what stays is nobody's storage else */
  ck_assert_msg(code == BERTH_OK || groups, "pair %u: %s", k, err.message);
  if (code == BERTH_OK) {
    check_plan(k, pair, problem, rng);
  }
  for (int i = 0; i < GUESSES && code == BERTH_OK; i++) {
    check_guess(k, pair, problem, rng);
  }
  seen.pairs++;
  seen.groups += groups && code == BERTH_OK;
  seen.at_once += pair->at_once;
  seen.shares += pair->shares;
  berth_problem_unref(problem);
  berth_problem_unref(parts[0].problem);
  berth_problem_unref(parts[1].problem);
}

/* The state's alignment follows its views', and must be the same in both. */
static bool agree(const struct berth_problem *a, const struct berth_problem *b) {
  uint32_t in_a = berth_problem_graph(a)->value_buffer[0];
  uint32_t in_b = berth_problem_graph(b)->value_buffer[0];
  const struct berth_buffers *buffers_a = berth_problem_buffers(a);
  const struct berth_buffers *buffers_b = berth_problem_buffers(b);
  return buffers_a->size_bytes[in_a] == buffers_b->size_bytes[in_b] &&
         buffers_a->alignment[in_a] == buffers_b->alignment[in_b];
}

START_TEST(what_the_judge_passes_runs_together) {
  static struct toy toys[2];
  struct campaign campaign = campaign_plan(PAIRS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = {.state = k};
    struct toy_pair pair = {.at_once = k % 2 != 0, .shares = k % 3 == 0};
    struct berth_problem *parts[2] = {NULL, NULL};
    bool good = true;
    for (uint32_t p = 0; p < 2; p++) {
      toys[p].has_state = pair.shares;
      toys[p].terms = k % 4 == 1 ? TOY_GROUPS : 0;
      parts[p] = toy_make(&toys[p], &rng);
      pair.part[p] = parts[p];
      pair.toy[p] = &toys[p];
      good = good && parts[p] != NULL && toys[p].n_regions == 0;
    }
    if (good && (!pair.shares || agree(parts[0], parts[1]))) {
      check_pair(k, &pair, &rng);
    }
    berth_problem_unref(parts[0]);
    berth_problem_unref(parts[1]);
  }
  printf(
      "%u pairs, %u at once, %u with state in common, %u with groups; %u offsets safe, %u that corrupt "
      "memory\n",
      seen.pairs, seen.at_once, seen.shares, seen.groups, seen.safe, seen.unsafe);
  uint32_t n = campaign.end - campaign.first;
  if (n >= 2000) {
    ck_assert_uint_gt(seen.pairs, n / 4);
    ck_assert_uint_gt(seen.at_once, seen.pairs / 4);
    ck_assert_uint_gt(seen.shares, seen.pairs / 8);
    ck_assert_uint_gt(seen.groups, seen.pairs / 50);
    ck_assert_uint_gt(seen.safe, seen.pairs / 200);
    ck_assert_uint_gt(seen.unsafe, seen.pairs);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/interpreter_together", (const TTest *const[]){what_the_judge_passes_runs_together, NULL});
}
