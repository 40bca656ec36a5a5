/* The plan of a graph is run on a toy memory and compared with a run in which every root has memory of its
 * own: whatever the judge passes must run without a difference, for plans of the solver and for offsets at
 * random alike. The graph is run three times in a row: constants and state must survive; with regions, for
 * none to three trips and every choice; with streams, in every order that they allow (up to a number). */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "toy.h"

enum { GRAPHS = 100000, GUESSES = 5 };

static struct {
  uint32_t graphs, in_place, in_place_with_streams, inside, behind, windows, views, streams, regions,
      regions_with_streams, inside_with_streams, behind_with_streams, slices, slices_in_regions,
      unsafe_by_order, unsafe_by_size, unsafe_by_place, unsafe_with_groups, guesses_safe, groups_safe,
      pools_safe, guesses_unsafe, refused_with_streams, refused_and_right, refusals, bounds_checked,
      bounds_trusted, groups, pools, symbols;
} seen;

struct table {
  uint32_t pool[TOY_MAX_BUFFERS];
  uint64_t offset[TOY_MAX_BUFFERS];
};

/* False if nothing fits. */
static bool
check_plan(uint32_t k, const struct toy *toy, const struct berth_problem *problem, struct table *out_table) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 20000;
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  struct berth_error err = {0};
  const struct berth_verify_terms terms = {.capacity_bytes = BERTH_UNLIMITED};
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  enum berth_code code = berth_verify_answer(problem, plan, &terms, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, violation.message);
  seen.bounds_checked += verdict.lower_bound == BERTH_CLAIM_CHECKED;
  seen.bounds_trusted += verdict.lower_bound == BERTH_CLAIM_TRUSTED;
  bool fits = plan->offset != NULL;
  if (fits) {
    const struct toy_places places = {plan->pool, plan->offset};
    enum toy_outcome outcome = toy_run(toy, problem, places);
    ck_assert_msg(outcome == TOY_RIGHT, "graph %u: the plan corrupts memory (%d)", k, (int)outcome);
    memcpy(out_table->pool, plan->pool, plan->n_buffers * sizeof *plan->pool);
    memcpy(out_table->offset, plan->offset, plan->n_buffers * sizeof *plan->offset);
  }
  seen.refusals += !fits;
  berth_plan_unref(plan);
  return fits;
}

static void count_outcome(const struct toy *toy, enum toy_outcome outcome) {
  bool wrong = outcome != TOY_RIGHT;
  seen.unsafe_by_order += outcome == TOY_WRONG_IN_ANOTHER_ORDER;
  seen.unsafe_by_size += outcome == TOY_WRONG_AT_ANOTHER_SIZE;
  seen.unsafe_by_place += outcome == TOY_LIES_WRONG;
  seen.unsafe_with_groups += wrong && toy->n_groups != 0 && outcome != TOY_LIES_WRONG;
}

static void check_table(
    uint32_t k, const struct toy *toy, const struct berth_problem *problem, const struct table *table) {
  struct berth_verdict verdict;
  enum berth_code code =
      berth_verify_offsets(problem, table->pool, table->offset, NULL, NULL, 0, &verdict, NULL);
  ck_assert_int_eq(code, BERTH_OK);
  enum toy_outcome outcome = toy_run(toy, problem, (struct toy_places){table->pool, table->offset});
  bool right = outcome == TOY_RIGHT;
  count_outcome(toy, outcome);
  ck_assert_msg(
      verdict.n_violations != 0 || right, "graph %u: the judge passed what corrupts memory (%d)", k,
      (int)outcome);
  seen.guesses_safe += verdict.n_violations == 0;
  seen.groups_safe += verdict.n_violations == 0 && toy->n_groups != 0;
  seen.pools_safe += verdict.n_violations == 0 && toy->n_pools > 1;
  seen.guesses_unsafe += !right;
  if (berth_problem_graph(problem)->operator_stream != NULL && verdict.n_violations != 0) {
    seen.refused_with_streams++;
    seen.refused_and_right += right;
  }
}

static uint32_t random_pool(const struct toy *toy, struct berth_rng *rng) {
  return toy->n_pools != 0 ? berth_rng_below(rng, toy->n_pools) : 0;
}

/* Everything anywhere. */
static void
check_guess(uint32_t k, const struct toy *toy, const struct berth_problem *problem, struct berth_rng *rng) {
  struct table table;
  for (uint32_t b = 0; b < berth_problem_buffers(problem)->n; b++) {
    table.offset[b] = berth_rng_below(rng, 24);
    table.pool[b] = random_pool(toy, rng);
  }
  check_table(k, toy, problem, &table);
}

/* One buffer of the plan elsewhere: so close to a right plan, order and slices decide. A group moves whole,
 * else only its own distances would be wrong. */
static void check_spoilt(
    uint32_t k, const struct toy *toy, const struct berth_problem *problem, const struct table *plan,
    struct berth_rng *rng) {
  struct table table = *plan;
  uint32_t n = berth_problem_buffers(problem)->n;
  if (n == 0) {
    return;
  }
  uint32_t moved = berth_rng_below(rng, n);
  uint64_t offset = berth_rng_below(rng, 24);
  uint32_t pool = random_pool(toy, rng);
  const struct berth_rigid *rigid = &berth_problem_buffers(problem)->rigid;
  uint32_t group = rigid->n != 0 ? rigid->group[moved] : BERTH_NO_INDEX;
  for (uint32_t b = 0; b < n; b++) {
    bool moves = b == moved || (group != BERTH_NO_INDEX && rigid->group[b] == group);
    table.offset[b] += moves ? offset - plan->offset[moved] : 0;
    table.pool[b] = moves ? pool : table.pool[b];
    if (table.offset[b] >= 64) { /* below the first byte */
      return;
    }
  }
  check_table(k, toy, problem, &table);
}

static bool has_live_window(const struct toy *toy, const struct berth_problem *problem) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  for (uint32_t v = 0; v < toy->n_values; v++) {
    uint32_t buffer = berth_problem_graph(problem)->value_buffer[v];
    bool asks = toy->values[v].spec.live_windows && buffers->gap_begin != NULL;
    if (asks && buffers->gap_begin[buffer] < buffers->gap_begin[buffer + 1]) {
      return true;
    }
  }
  return false;
}

START_TEST(what_the_judge_passes_runs) {
  static struct toy toy;
  struct campaign campaign = campaign_plan(GRAPHS);
  uint32_t n = campaign.end - campaign.first;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = {.state = k};
    toy.terms = k % 3 == 0 ? 0 : berth_rng_below(&rng, 8);
    struct berth_problem *problem = toy_make(&toy, &rng);
    if (problem == NULL) {
      continue;
    }
    const struct berth_permissions *permissions = berth_problem_permissions(problem);
    for (uint32_t i = 0; i < permissions->n; i++) {
      bool used = permissions->items[i].answer == BERTH_INPLACE_USED;
      seen.in_place += used;
      seen.inside += used && permissions->items[i].kind == BERTH_INPLACE_INSIDE;
      seen.behind += used && permissions->items[i].kind == BERTH_INPLACE_BEHIND;
      bool streams = used && berth_problem_graph(problem)->operator_stream != NULL;
      seen.in_place_with_streams += streams;
      seen.inside_with_streams += streams && permissions->items[i].kind == BERTH_INPLACE_INSIDE;
      seen.behind_with_streams += streams && permissions->items[i].kind == BERTH_INPLACE_BEHIND;
    }
    seen.slices += berth_problem_buffers(problem)->slice_begin != NULL;
    seen.slices_in_regions += berth_problem_buffers(problem)->slice_begin != NULL && toy.n_regions != 0;
    seen.graphs++;
    seen.views += berth_problem_graph(problem)->value_root != NULL;
    seen.windows += has_live_window(&toy, problem);
    seen.streams += berth_problem_graph(problem)->operator_stream != NULL;
    seen.regions += toy.n_regions != 0;
    seen.regions_with_streams += toy.n_regions != 0 && berth_problem_graph(problem)->operator_stream != NULL;
    seen.groups += toy.n_groups != 0;
    seen.pools += toy.n_pools != 0;
    seen.symbols += toy.has_symbol;
    struct table plan;
    bool fits = check_plan(k, &toy, problem, &plan);
    for (int i = 0; i < GUESSES && fits; i++) {
      check_guess(k, &toy, problem, &rng);
      check_spoilt(k, &toy, problem, &plan, &rng);
    }
    berth_problem_unref(problem);
  }
  printf(
      "%u graphs with streams, %u of them with slices of buffers (%u with regions too); %u operands inside "
      "results there, %u results behind operands; of %u plans there that the judge refused %u ran right\n",
      seen.streams, seen.slices, seen.slices_in_regions, seen.inside_with_streams, seen.behind_with_streams,
      seen.refused_with_streams, seen.refused_and_right);
  printf(
      "%u graphs; %u results over operands or behind, %u of them behind; %u operands inside results; %u "
      "graphs "
      "with live windows\n",
      seen.graphs, seen.in_place - seen.inside, seen.behind, seen.inside, seen.windows);
  printf(
      "%u with groups, %u with pools, %u with a symbol; wrong: %u at another size, %u by where they lie, %u "
      "with "
      "groups; right: %u with groups, %u with two pools; %u do not fit; bounds of %u derived again, of %u on "
      "trust\n",
      seen.groups, seen.pools, seen.symbols, seen.unsafe_by_size, seen.unsafe_by_place,
      seen.unsafe_with_groups, seen.groups_safe, seen.pools_safe, seen.refusals, seen.bounds_checked,
      seen.bounds_trusted);
  if (n < 2000) {
    return; /* too few to have met everything */
  }
  ck_assert_uint_gt(seen.graphs, n / 2);
  ck_assert_uint_gt(seen.views, n / 10);
  ck_assert_uint_gt(seen.regions, n / 10);
  ck_assert_uint_gt(seen.streams, n / 20);
  ck_assert_uint_gt(seen.regions_with_streams, n / 50);
  ck_assert_uint_gt(seen.unsafe_by_order, n / 1000);
  ck_assert_uint_gt(seen.in_place, n / 100);
  ck_assert_uint_gt(seen.inside, n / 200);
  ck_assert_uint_gt(seen.behind, n / 200);
  ck_assert_uint_gt(seen.windows, n / 100);
  ck_assert_uint_gt(seen.in_place_with_streams, n / 1000);
  ck_assert_uint_gt(seen.inside_with_streams, n / 1000);
  ck_assert_uint_gt(seen.behind_with_streams, n / 1000);
  ck_assert_uint_gt(seen.slices, n / 50);
  ck_assert_uint_gt(seen.slices_in_regions, n / 500);
  ck_assert_uint_gt(seen.groups, n / 50);
  ck_assert_uint_gt(seen.pools, n / 20);
  ck_assert_uint_gt(seen.symbols, n / 20);
  ck_assert_uint_gt(seen.unsafe_by_size, n / 5000);
  ck_assert_uint_gt(seen.unsafe_by_place, n / 20);
  ck_assert_uint_gt(seen.unsafe_with_groups, n / 50);
  ck_assert_uint_gt(seen.groups_safe, n / 100);
  ck_assert_uint_gt(seen.pools_safe, n / 100);
  ck_assert_uint_gt(seen.refusals, n / 200);
  ck_assert_uint_gt(seen.guesses_safe, n / 50);
  ck_assert_uint_gt(seen.guesses_unsafe, n);
}
END_TEST

int main(void) {
  return berth_suite_run("property/interpreter", (const TTest *const[]){what_the_judge_passes_runs, NULL});
}
