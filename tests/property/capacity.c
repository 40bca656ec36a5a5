/* "Does it fit?": a plan that is given fits; a refusal is true, and is short by no more than is missing. And
 * the switches: every set of strategies, and every level of reuse, gives plans that are right. */
#include <stdio.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

enum { PROBLEMS = 20000, BUDGET = 40000, MAX_BRUTE = 7, MAX_BRUTE_GAPS = 5 };

static uint32_t n_by_status[BERTH_N_PLAN_STATUSES];

static struct berth_plan *
solve(uint32_t k, const struct sample *sample, const struct berth_solve_options *options) {
  struct berth_problem *problem = sample_build(sample, NULL);
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve(problem, options, NULL, NULL, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  struct berth_verify_terms terms = {.capacity_bytes = options->capacity_bytes};
  ck_assert_int_eq(berth_verify_answer(problem, plan, &terms, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, first.message);
  ck_assert_msg(
      plan->offset == NULL || oracle_safe(sample, plan->pool, plan->offset), "problem %u: unsafe", k);
  berth_problem_unref(problem);
  return plan;
}

static uint64_t optimum_of(const struct sample *sample) {
  uint32_t members[MAX_BRUTE + 3];
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    members[i] = i;
  }
  return oracle_optimum(sample, 0, members, sample->n_buffers);
}

static struct { uint32_t checked, trusted, lies; } refusals;

/* Without its last culprit, the others are blamed: the judge must see through it where they fit. */
static void lie(uint32_t k, const struct sample *sample, struct berth_plan *plan, uint64_t capacity) {
  struct berth_problem *problem = sample_build(sample, NULL);
  struct berth_verdict verdict;
  const struct berth_verify_terms terms = {.capacity_bytes = capacity};
  ck_assert_int_eq(berth_verify_answer(problem, plan, &terms, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  refusals.checked += verdict.culprits == BERTH_CLAIM_CHECKED;
  refusals.trusted += verdict.culprits == BERTH_CLAIM_TRUSTED;
  if (plan->n_culprits > 1 && sample->n_groups == 0) {
    plan->n_culprits--;
    plan->culprits_proof = BERTH_CULPRITS_UNPROVEN;
    bool fits = oracle_optimum(sample, 0, plan->culprits, plan->n_culprits) <= capacity;
    ck_assert_int_eq(berth_verify_answer(problem, plan, &terms, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    ck_assert_msg(
        verdict.culprits == BERTH_CLAIM_TRUSTED || fits == (verdict.n_violations > 0),
        "problem %u: culprits that fit: %d", k, fits);
    refusals.lies += verdict.n_violations > 0;
  }
  berth_problem_unref(problem);
}

static void check_answer(uint32_t k, const struct berth_plan *plan, uint64_t capacity, uint64_t optimum) {
  switch (plan->status) {
  case BERTH_PLAN_OPTIMAL:
  case BERTH_PLAN_FEASIBLE:
    ck_assert_msg(plan->arena_bytes <= capacity, "problem %u: a plan beyond the capacity", k);
    break;
  case BERTH_PLAN_INFEASIBLE:
    ck_assert_msg(optimum > capacity, "problem %u: refused, and fits", k);
    ck_assert_msg(
        plan->short_by_bytes <= optimum - capacity, "problem %u: short by %llu, and %llu are enough", k,
        (unsigned long long)plan->short_by_bytes, (unsigned long long)(optimum - capacity));
    break;
  case BERTH_PLAN_UNKNOWN:
    break;
  default:
    ck_abort_msg("problem %u: status %d without a hook", k, (int)plan->status);
  }
  n_by_status[plan->status]++;
}

START_TEST(answers_about_a_capacity_are_true) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = berth_rng_below(&rng, 16);
    bool gaps = (features & SAMPLE_GAPS) != 0;
    sample_generate_any(&sample, &rng, gaps ? 4 : 6, gaps ? 4 : 6, features);
    if (sample.n_buffers > (gaps ? MAX_BRUTE_GAPS : MAX_BRUTE)) {
      continue;
    }
    uint64_t optimum = optimum_of(&sample);
    struct berth_solve_options options = berth_solve_options_default();
    options.budget_ticks = BUDGET;
    uint64_t less = berth_rng_below(&rng, 6);
    options.capacity_bytes = optimum + 3 - (less < optimum + 3 ? less : 0);
    struct berth_plan *plan = solve(k, &sample, &options);
    check_answer(k, plan, options.capacity_bytes, optimum);
    if (plan->status == BERTH_PLAN_INFEASIBLE) {
      lie(k, &sample, plan, options.capacity_bytes);
    }
    berth_plan_unref(plan);
  }
  sample_finish(&sample);
  for (int status = 0; status < BERTH_N_PLAN_STATUSES; status++) {
    printf("%-10s %u\n", berth_plan_status_name((enum berth_plan_status)status), n_by_status[status]);
  }
  printf(
      "culprits of %u refusals checked, of %u on trust; %u lies seen\n", refusals.checked, refusals.trusted,
      refusals.lies);
  ck_assert(campaign.end - campaign.first < 1000 || n_by_status[BERTH_PLAN_INFEASIBLE] > 0);
  ck_assert(campaign.end - campaign.first < 1000 || refusals.lies > 0);
}
END_TEST

static bool fits(const struct sample *sample, const uint32_t *pool_of) {
  for (uint32_t p = 0; p < sample->n_pools; p++) {
    uint32_t members[MAX_BRUTE];
    uint32_t n = 0;
    for (uint32_t k = 0; k < sample->n_buffers; k++) {
      const struct berth_buffer_spec *spec = &sample->buffers[k].spec;
      uint64_t base = sample->pools[p].base_alignment;
      if (pool_of[k] == p && base != 0 && spec->alignment > base) {
        return false;
      }
      if (pool_of[k] == p) {
        members[n++] = k;
      }
    }
    if (oracle_optimum(sample, p, members, n) > sample->pools[p].capacity_bytes) {
      return false;
    }
  }
  return true;
}

/* The least cost of all choices of pools that have a plan in every pool's capacity; UINT64_MAX if none has.
 */
static uint64_t least_cost(const struct sample *sample, uint32_t *pool_of, uint32_t i) {
  if (i == sample->n_buffers) {
    return fits(sample, pool_of) ? oracle_cost(sample, pool_of) : UINT64_MAX;
  }
  uint64_t least = UINT64_MAX;
  for (uint32_t p = 0; p < sample->n_pools; p++) {
    pool_of[i] = p;
    uint64_t cost =
        oracle_home(sample, i, p) != BERTH_NO_INDEX ? least_cost(sample, pool_of, i + 1) : UINT64_MAX;
    least = cost < least ? cost : least;
  }
  return least;
}

START_TEST(answers_about_several_pools_are_true) {
  struct campaign campaign = campaign_plan(PROBLEMS / 2);
  struct sample sample;
  sample_init(&sample);
  uint32_t n_fit = 0;
  uint32_t n_found = 0;
  uint32_t n_refused = 0;
  uint32_t n_spilled = 0;
  uint32_t n_cheapest = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = SAMPLE_POOLS | (k % 2 ? SAMPLE_ALIGNED : 0) | (k % 3 ? 0 : SAMPLE_CONFLICTS) |
                        (k % 4 ? 0 : SAMPLE_TERMS);
    sample_generate_any(&sample, &rng, 2, 4, features);
    if (sample.n_buffers > 5) {
      continue;
    }
    uint64_t load = sample_load(&sample);
    for (uint32_t p = 0; p < sample.n_pools; p++) {
      sample.pools[p].capacity_bytes = load / 3 + berth_rng_below(&rng, (uint32_t)load);
    }
    struct berth_problem *problem = NULL;
    if (sample_try_build(&sample, NULL, NULL, &problem, NULL) != BERTH_OK) {
      continue; /* a buffer that no pool can hold is refused when it is added */
    }
    berth_problem_unref(problem);
    struct berth_solve_options options = berth_solve_options_default();
    options.budget_ticks = BUDGET;
    struct berth_plan *plan = solve(k, &sample, &options);
    uint32_t pool_of[MAX_BRUTE];
    uint64_t least = least_cost(&sample, pool_of, 0);
    bool fits = least != UINT64_MAX;
    ck_assert_msg(!fits || plan->offset == NULL || plan->spill_cost_bound <= least, "problem %u: bound", k);
    ck_assert_msg(plan->offset == NULL || plan->spill_cost >= least, "problem %u: cheaper than can be", k);
    ck_assert_msg(
        plan->status != BERTH_PLAN_OPTIMAL || plan->spill_cost == least, "problem %u: not the cheapest", k);
    n_spilled += fits && least > 0;
    n_cheapest += fits && least > 0 && plan->offset != NULL && plan->spill_cost == least;
    ck_assert_msg(plan->offset == NULL || fits, "problem %u: what cannot fit does", k);
    ck_assert_msg(plan->status != BERTH_PLAN_INFEASIBLE || !fits, "problem %u: refused, and fits", k);
    n_fit += fits;
    n_found += plan->offset != NULL;
    n_refused += plan->status == BERTH_PLAN_INFEASIBLE;
    berth_plan_unref(plan);
  }
  sample_finish(&sample);
  printf("several pools: %u fit, %u of them found; %u refused\n", n_fit, n_found, n_refused);
  printf("%u must spill, %u of them cost the least\n", n_spilled, n_cheapest);
}
END_TEST

START_TEST(every_set_of_strategies_is_sound) {
  struct campaign campaign = campaign_plan(PROBLEMS / 4);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    sample_generate_any(&sample, &rng, 3, 22, features);
    uint32_t strategies = k % 2 == 0 ? BERTH_ALL_STRATEGIES : k / 2 % BERTH_ALL_STRATEGIES;
    uint64_t arena[3];
    struct berth_plan *before = NULL;
    struct berth_start start;
    for (int reuse = BERTH_REUSE_NONE; reuse >= 0; reuse--) { /* as levels are made: from one to the next */
      struct berth_solve_options options = berth_solve_options_default();
      options.budget_ticks = BUDGET;
      options.strategies = strategies;
      options.reuse = (enum berth_reuse)reuse;
      options.start = before != NULL ? &start : NULL;
      struct berth_plan *plan = solve(k, &sample, &options);
      ck_assert_msg(plan->offset != NULL || sample.n_buffers == 0, "problem %u: no plan", k);
      arena[reuse] = plan->arena_bytes;
      berth_plan_unref(before);
      before = plan;
      start = (struct berth_start){.pool = plan->pool, .offset = plan->offset};
    }
    berth_plan_unref(before);
    ck_assert_msg(arena[BERTH_REUSE_FULL] <= arena[BERTH_REUSE_NO_INPLACE], "problem %u", k);
    ck_assert_msg(arena[BERTH_REUSE_NO_INPLACE] <= arena[BERTH_REUSE_NONE], "problem %u", k);
  }
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/capacity", (const TTest *const[]){
                               answers_about_a_capacity_are_true, answers_about_several_pools_are_true,
                               every_set_of_strategies_is_sound, NULL});
}
