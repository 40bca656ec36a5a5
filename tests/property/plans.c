/* Every plan of a random problem is right, honest, bounded from both sides, and the same every time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

enum { PROBLEMS = 100000, BUDGET = 60000, MAX_BRUTE = 7, MAX_BRUTE_HARD = 5 };

static struct {
  uint32_t bounds_checked, bounds_trusted, problems, optimal, brute, brute_optimal, permuted, exact_tables;
} seen;

struct trial {
  uint32_t number; /* for messages */
  struct sample *sample;
  struct berth_solve_options options;
  struct berth_plan *plan;
};

#define CHECK(trial, condition) ck_assert_msg(condition, "problem %u: %s", (trial)->number, #condition)

static struct berth_plan *solve(const struct trial *trial, const uint32_t *order, bool verified) {
  struct berth_problem *problem = sample_build(trial->sample, order);
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve(problem, &trial->options, NULL, NULL, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", trial->number, err.message);
  if (verified) {
    struct berth_verdict verdict;
    struct berth_violation violation = {0};
    const struct berth_verify_terms terms = {.capacity_bytes = BERTH_UNLIMITED};
    code = berth_verify_answer(problem, plan, &terms, NULL, &violation, 1, &verdict, &err);
    seen.bounds_checked += verdict.lower_bound == BERTH_CLAIM_CHECKED;
    seen.bounds_trusted += verdict.lower_bound == BERTH_CLAIM_TRUSTED;
    ck_assert_msg(code == BERTH_OK, "problem %u: %s", trial->number, err.message);
    ck_assert_msg(
        verdict.n_violations == 0, "problem %u: %s: %s", trial->number,
        berth_violation_kind_name(violation.kind), violation.message);
  }
  berth_problem_unref(problem);
  return plan;
}

static void check_bounds(const struct trial *trial) {
  const struct berth_plan *plan = trial->plan;
  const struct sample *sample = trial->sample;
  bool plain = sample->n_groups == 0; /* nothing that can cost more than the sum of the sizes */
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    const struct berth_buffer_spec *spec = &sample->buffers[i].spec;
    plain = plain && sample_alignment(sample, i, plan->pool[i]) == 1 && spec->pinned_offset == BERTH_UNPINNED;
  }
  CHECK(trial, plan->lower_bound_bytes <= plan->arena_bytes);
  CHECK(trial, !plain || plan->arena_bytes <= plan->naive_bytes);
  CHECK(trial, plan->naive_bytes == sample_naive(sample));
  CHECK(trial, plan->spill_cost == oracle_cost(sample, plan->pool));
  CHECK(trial, plan->spill_cost_bound <= plan->spill_cost);
  CHECK(trial, plan->peak_bytes == sample_load(sample));
  CHECK(trial, plan->peak_bytes <= plan->reuse_bytes && plan->reuse_bytes <= plan->naive_bytes);
  if (sample->optimum != BERTH_UNLIMITED) {
    CHECK(trial, plan->lower_bound_bytes == sample->optimum);
    CHECK(trial, plan->arena_bytes >= sample->optimum);
  }
}

/* The bound and the arena of each pool enclose the optimum of what lies in it. */
static void check_against_brute_force(const struct trial *trial) {
  const struct sample *sample = trial->sample;
  for (uint32_t p = 0; p < trial->plan->n_pools; p++) {
    uint32_t members[64];
    uint32_t n = 0;
    uint32_t n_sized = 0;
    bool hard = sample->n_groups > 0 || (sample->n_pools > 0 && sample->pools[p].kind == BERTH_POOL_SLOTS);
    for (uint32_t i = 0; i < sample->n_buffers; i++) {
      if (trial->plan->pool[i] == p) {
        members[n++] = i;
        n_sized += sample->buffers[i].spec.size_bytes > 0;
        hard = hard || sample->buffers[i].spec.n_gaps > 0;
      }
    }
    bool grouped_slots =
        sample->n_groups > 0 && sample->n_pools > 0 && sample->pools[p].kind == BERTH_POOL_SLOTS;
    if (grouped_slots || n_sized > (hard ? MAX_BRUTE_HARD : MAX_BRUTE)) {
      continue;
    }
    uint64_t optimum = oracle_optimum(sample, p, members, n);
    const struct berth_pool_result *pool = &trial->plan->pools[p];
    CHECK(trial, pool->lower_bound_bytes <= optimum);
    CHECK(trial, pool->arena_bytes >= optimum);
    seen.brute++;
    if (trial->plan->status == BERTH_PLAN_OPTIMAL) {
      CHECK(trial, pool->arena_bytes == optimum);
      seen.brute_optimal++;
    }
  }
}

static void check_same(const struct trial *trial, const struct berth_plan *other) {
  const struct berth_plan *plan = trial->plan;
  CHECK(trial, other->status == plan->status);
  CHECK(trial, other->arena_bytes == plan->arena_bytes);
  CHECK(trial, other->lower_bound_bytes == plan->lower_bound_bytes);
  CHECK(trial, other->peak_bytes == plan->peak_bytes);
  CHECK(trial, other->reuse_bytes == plan->reuse_bytes);
  CHECK(trial, other->naive_bytes == plan->naive_bytes);
  CHECK(trial, other->ticks == plan->ticks);
}

static void check_repeats(const struct trial *trial) {
  struct berth_plan *again = solve(trial, NULL, false);
  check_same(trial, again);
  size_t n = trial->sample->n_buffers;
  CHECK(trial, n == 0 || memcmp(again->offset, trial->plan->offset, n * sizeof *again->offset) == 0);
  CHECK(trial, n == 0 || memcmp(again->pool, trial->plan->pool, n * sizeof *again->pool) == 0);
  CHECK(trial, n == 0 || memcmp(again->slot, trial->plan->slot, n * sizeof *again->slot) == 0);
  berth_plan_unref(again);
}

/* With ids no two buffers are alike, and each must come out the same wherever its row stands. Without them,
 * and with pairs, only the figures must. */
static void check_permuted(const struct trial *trial, struct berth_rng *rng, bool ids) {
  uint32_t n = trial->sample->n_buffers;
  uint32_t *order = malloc(sizeof *order * (n + 1));
  ck_assert_ptr_nonnull(order);
  sample_shuffle(rng, order, n);
  struct berth_plan *other = solve(trial, order, true);
  if (ids || trial->sample->n_conflicts + trial->sample->n_groups == 0) {
    check_same(trial, other);
    seen.permuted++;
  }
  for (uint32_t k = 0; k < n && ids; k++) {
    CHECK(trial, other->offset[k] == trial->plan->offset[order[k]]);
    CHECK(trial, other->pool[k] == trial->plan->pool[order[k]]);
    CHECK(trial, other->slot[k] == trial->plan->slot[order[k]]);
  }
  seen.exact_tables += ids;
  berth_plan_unref(other);
  free(order);
}

static uint32_t random_features(struct berth_rng *rng) {
  uint32_t features = 0;
  for (uint32_t bit = 0; bit < SAMPLE_N_FEATURES; bit++) {
    features |= berth_rng_below(rng, 4) == 0 ? UINT32_C(1) << bit : 0;
  }
  return berth_rng_below(rng, 3) == 0 ? 0 : features;
}

static void name_buffers(struct sample *sample, char (*names)[8]) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    int n = snprintf(names[i], sizeof names[i], "b%u", i);
    sample->buffers[i].spec.id = (struct berth_text){names[i], (uint32_t)n};
  }
}

static void try_problem(uint32_t k, struct sample *sample) {
  struct berth_rng rng = campaign_seed(k);
  static char names[256][8];
  bool large = k % 8 == 0;
  uint32_t features = random_features(&rng);
  sample_generate_any(sample, &rng, large ? 8 : 1, large ? 47 : 7, features);
  bool ids = k % 2 == 0 && sample->n_buffers <= 256;
  if (ids) {
    name_buffers(sample, names);
  }
  struct trial trial = {.number = k, .sample = sample, .options = berth_solve_options_default()};
  trial.options.budget_ticks = BUDGET;
  trial.plan = solve(&trial, NULL, true);
  CHECK(&trial, trial.plan->status == BERTH_PLAN_OPTIMAL || trial.plan->status == BERTH_PLAN_FEASIBLE);
  CHECK(&trial, oracle_safe(sample, trial.plan->pool, trial.plan->offset));
  check_bounds(&trial);
  if (sample->n_buffers <= 64) {
    check_against_brute_force(&trial);
  }
  check_repeats(&trial);
  check_permuted(&trial, &rng, ids);
  seen.problems++;
  seen.optimal += trial.plan->status == BERTH_PLAN_OPTIMAL;
  berth_plan_unref(trial.plan);
}

START_TEST(plans_are_right_honest_and_the_same) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    try_problem(k, &sample);
  }
  sample_finish(&sample);
  printf(
      "%u problems, %u proved optimal; %u pools against brute force, %u of them proved; %u permuted, %u with "
      "ids\n",
      seen.problems, seen.optimal, seen.brute, seen.brute_optimal, seen.permuted, seen.exact_tables);
  printf("bounds of %u plans derived again, of %u on trust\n", seen.bounds_checked, seen.bounds_trusted);
  ck_assert_uint_gt(seen.brute_optimal, 0);
}
END_TEST

int main(void) {
  return berth_suite_run("property/plans", (const TTest *const[]){plans_are_right_honest_and_the_same, NULL});
}
