/* Problems that have changed a little, and the plans that they had: as many buffers as can be keep their
 * places, by exhaustive search over all sets of them, and what a plan says of it is so. */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/stable.h"
#include "berth/verify.h"
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

enum {
  PROBLEMS = 3000,
  LARGER_PROBLEMS = 1500,
  MANY_PROBLEMS = 20,
  BUDGET = 4000000,
  MOST_BRUTE = 7,
  MOST_BRUTE_GAPS = 4,
  MOST_NAMES = 64
};

static char names[MOST_NAMES][16];

/* Ids outlive changes. */
static void name_all(struct sample *sample) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    snprintf(names[i], sizeof names[i], "b%u", i);
    sample->buffers[i].spec.id = (struct berth_text){.data = names[i], .size = (uint32_t)strlen(names[i])};
  }
}

static struct berth_plan *solve(
    uint32_t k, const struct sample *sample, const struct berth_problem *problem,
    const struct berth_stable *stable) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  options.budget_ticks = BUDGET;
  options.stable = stable;
  ck_assert_msg(
      berth_solve(problem, &options, NULL, NULL, &plan, &err) == BERTH_OK, "problem %u: %s", k, err.message);
  ck_assert_int_eq(berth_verify(problem, plan, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, first.message);
  ck_assert_int_eq(berth_verify_stability(problem, plan, stable, &first, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, first.message);
  ck_assert_msg(
      plan->offset == NULL || oracle_safe(sample, plan->pool, plan->offset), "problem %u: unsafe", k);
  return plan;
}

/* ---- Changes ---- */

static void forget_groups(struct sample *sample, uint32_t gone) {
  uint32_t n_kept = 0;
  for (uint32_t g = 0; g < sample->n_groups; g++) {
    struct sample_group group = sample->groups[g];
    bool has_it = false;
    for (uint32_t m = 0; m < group.n_members; m++) {
      has_it = has_it || group.members[m] == gone;
      group.members[m] -= group.members[m] > gone;
    }
    sample->groups[n_kept] = group;
    n_kept += !has_it;
  }
  sample->n_groups = n_kept;
}

static void forget(struct sample *sample, uint32_t gone) {
  forget_groups(sample, gone);
  uint32_t n_kept = 0;
  for (uint32_t c = 0; c < sample->n_conflicts; c++) {
    const uint32_t *pair = sample->conflicts[c];
    if (pair[0] != gone && pair[1] != gone) {
      sample->conflicts[n_kept][0] = pair[0] - (pair[0] > gone);
      sample->conflicts[n_kept++][1] = pair[1] - (pair[1] > gone);
    }
  }
  sample->n_conflicts = n_kept;
  memmove(
      &sample->buffers[gone], &sample->buffers[gone + 1],
      (sample->n_buffers - gone - 1) * sizeof sample->buffers[0]);
  sample->n_buffers--;
}

/* Sizes grow, lifetimes grow at their ends, one goes, one comes. */
static void change(struct sample *sample, struct berth_rng *rng) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    struct berth_buffer_spec *spec = &sample->buffers[i].spec;
    uint32_t what = berth_rng_below(rng, 6);
    if (what == 0 && spec->size_bytes > 0) {
      spec->size_bytes += 1 + berth_rng_below(rng, 6);
    } else if (what == 1) {
      spec->upper += 1 + berth_rng_below(rng, 2);
    }
  }
  if (sample->n_buffers > 2 && berth_rng_below(rng, 2) == 0) {
    forget(sample, berth_rng_below(rng, sample->n_buffers));
  }
  if (berth_rng_below(rng, 2) == 0) {
    int64_t lower = sample->buffers[0].spec.lower;
    sample_add(sample, 1 + berth_rng_below(rng, 9), lower, lower + 1 + berth_rng_below(rng, 4));
  }
}

static enum berth_code make_stable(
    const struct berth_problem *before, const struct berth_plan *plan, const struct berth_problem *after,
    struct berth_stable_spec spec, const struct berth_stable **out, struct berth_error *err) {
  const struct berth_report_side side = {.problem = before, .offset = plan->offset, .pool = plan->pool};
  struct berth_stable_row *rows;
  ck_assert_int_eq(berth_stable_rows(&side, after, NULL, &rows, err), BERTH_OK);
  spec.rows = rows;
  spec.n_rows = berth_problem_buffers(before)->n;
  enum berth_code code = berth_stable_create(after, &spec, NULL, out, err);
  berth_report_free(NULL, rows);
  return code;
}

/* ---- The truth ---- */

static uint64_t weight_of(const struct sample *sample, const struct berth_stable *stable, uint32_t i) {
  return stable->keep_by == BERTH_KEEP_BYTES ? sample->buffers[i].spec.size_bytes : 1;
}

/* The most that stays in an arena of at most `limit`; UINT64_MAX if nothing fits. */
static uint64_t
most_kept(struct sample *sample, const struct berth_stable *stable, const uint8_t *must, uint64_t limit) {
  uint32_t n = sample->n_buffers;
  uint64_t best = UINT64_MAX;
  uint64_t pin[MOST_BRUTE + 4];
  uint32_t members[MOST_BRUTE + 4];
  for (uint32_t i = 0; i < n; i++) {
    pin[i] = sample->buffers[i].spec.pinned_offset;
    members[i] = i;
  }
  for (uint32_t set = 0; set < UINT32_C(1) << n; set++) {
    uint64_t weight = 0;
    bool is_possible = true;
    for (uint32_t i = 0; i < n; i++) {
      struct berth_buffer_spec *spec = &sample->buffers[i].spec;
      bool stays = set >> i & 1;
      uint64_t offset = stable->offset[i];
      is_possible = is_possible &&
                    (!stays || (offset != BERTH_NO_OFFSET && (pin[i] == BERTH_UNPINNED || pin[i] == offset) &&
                                offset % sample_alignment(sample, i, 0) == 0));
      is_possible = is_possible && (stays || !must[i]);
      weight += stays ? weight_of(sample, stable, i) : 0;
      spec->pinned_offset = stays ? offset : pin[i];
    }
    if (is_possible && (best == UINT64_MAX || weight > best)) {
      uint64_t optimum = oracle_optimum(sample, 0, members, n);
      best = optimum != BERTH_UNLIMITED && optimum <= limit ? weight : best;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    sample->buffers[i].spec.pinned_offset = pin[i];
  }
  return best;
}

static uint32_t n_proven;
static uint32_t n_moved;
static uint32_t n_refused;
static uint32_t n_compared;

static void
compare(uint32_t k, struct sample *sample, const struct berth_stable *stable, const struct berth_plan *plan) {
  uint64_t limit = stable->is_least && plan->offset != NULL ? plan->arena_bytes : stable->limit_bytes[0];
  uint64_t most = most_kept(sample, stable, stable->must, limit);
  const struct berth_stability *found = &plan->stability;
  uint64_t kept = stable->keep_by == BERTH_KEEP_BYTES ? found->kept_bytes : found->n_kept;
  if (plan->offset == NULL) {
    ck_assert_msg(
        most == UINT64_MAX || plan->status == BERTH_PLAN_UNKNOWN, "problem %u: refused, and fits", k);
    n_refused++;
    return;
  }
  ck_assert_msg(
      most != UINT64_MAX && kept == most, "problem %u: kept %llu, possible %llu", k, (unsigned long long)kept,
      (unsigned long long)most);
  ck_assert_msg(found->kept_bound >= most, "problem %u: bound", k);
  n_proven += found->kept_bound == kept;
  n_moved += found->n_kept < found->n_before;
  n_compared++;
}

static struct berth_stable_spec random_spec(struct berth_rng *rng) {
  return (struct berth_stable_spec){
      .keep_by = (enum berth_keep_by)berth_rng_below(rng, 2),
      .growth = (enum berth_growth)berth_rng_below(rng, 4),
      .growth_amount = berth_rng_below(rng, 3)};
}

/* A problem, its plan, and the problem that it has become; false if that is none. */
struct trial {
  uint32_t k;
  struct sample sample;
  struct berth_problem *before;
  struct berth_plan *first;
  struct berth_problem *after;
};

static bool begin(struct trial *trial, struct berth_rng *rng, uint32_t most, uint32_t features) {
  trial->before = trial->after = NULL;
  trial->first = NULL;
  sample_generate_any(&trial->sample, rng, 3, most - 1, features);
  if (trial->sample.n_buffers >= most) {
    return false;
  }
  name_all(&trial->sample);
  trial->before = sample_build(&trial->sample, NULL);
  trial->first = solve(trial->k, &trial->sample, trial->before, NULL);
  change(&trial->sample, rng);
  struct berth_error err;
  return trial->first->offset != NULL &&
         sample_try_build(&trial->sample, NULL, NULL, &trial->after, &err) == BERTH_OK;
}

static void end(struct trial *trial) {
  berth_plan_unref(trial->first);
  berth_problem_unref(trial->after);
  berth_problem_unref(trial->before);
}

START_TEST(as_many_as_can_be_are_kept) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct trial trial;
  struct berth_error err = {0};
  sample_init(&trial.sample);
  n_compared = n_moved = n_proven = n_refused = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    bool gaps = berth_rng_below(&rng, 4) == 0;
    uint32_t features =
        (uint32_t)berth_rng_below(&rng, 16) & (SAMPLE_ALIGNED | SAMPLE_CONFLICTS | SAMPLE_PINNED);
    trial.k = k;
    if (begin(&trial, &rng, gaps ? MOST_BRUTE_GAPS : MOST_BRUTE, features | (gaps ? SAMPLE_GAPS : 0))) {
      const struct berth_stable *stable;
      enum berth_code code =
          make_stable(trial.before, trial.first, trial.after, random_spec(&rng), &stable, &err);
      ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
      struct berth_plan *plan = solve(k, &trial.sample, trial.after, stable);
      compare(k, &trial.sample, stable, plan);
      berth_plan_unref(plan);
      berth_stable_unref(stable);
    }
    end(&trial);
  }
  sample_finish(&trial.sample);
  if (campaign.end - campaign.first > 1000) {
    ck_assert_uint_gt(n_compared, 500);
    ck_assert_uint_gt(n_moved, n_compared / 8);
    ck_assert_uint_gt(n_proven, n_compared - n_compared / 20);
    ck_assert_uint_gt(n_refused, 0);
  }
}
END_TEST

/* Whoever must stay does, or is refused, and then could not have stayed. */
START_TEST(whoever_must_stay_does) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct trial trial;
  uint32_t n_impossible = 0;
  sample_init(&trial.sample);
  n_compared = n_moved = n_proven = n_refused = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = (uint32_t)berth_rng_below(&rng, 16) & (SAMPLE_ALIGNED | SAMPLE_PINNED);
    trial.k = k;
    if (begin(&trial, &rng, MOST_BRUTE, features)) {
      struct berth_stable_spec spec = random_spec(&rng);
      struct berth_error err = {0};
      const struct berth_stable *free;
      const struct berth_stable *held;
      ck_assert_int_eq(make_stable(trial.before, trial.first, trial.after, spec, &free, &err), BERTH_OK);
      uint8_t must[MOST_BRUTE + 4] = {0};
      struct berth_text ids[MOST_BRUTE + 4];
      spec.must_ids = ids;
      for (uint32_t i = 0; i < trial.sample.n_buffers; i++) {
        if (free->offset[i] != BERTH_NO_OFFSET && berth_rng_below(&rng, 3) == 0) {
          must[i] = 1;
          ids[spec.n_must_ids++] = trial.sample.buffers[i].spec.id;
        }
      }
      if (make_stable(trial.before, trial.first, trial.after, spec, &held, &err) == BERTH_OK) {
        struct berth_plan *plan = solve(k, &trial.sample, trial.after, held);
        compare(k, &trial.sample, held, plan);
        berth_plan_unref(plan);
        berth_stable_unref(held);
      } else {
        ck_assert_int_eq(err.reason, BERTH_REASON_BAD_KEEP);
        ck_assert_msg(
            most_kept(&trial.sample, free, must, free->limit_bytes[0]) == UINT64_MAX, "problem %u: %s", k,
            err.message);
        n_impossible++;
      }
      berth_stable_unref(free);
    }
    end(&trial);
  }
  sample_finish(&trial.sample);
  if (campaign.end - campaign.first > 1000) {
    ck_assert_uint_gt(n_compared, 500);
    ck_assert_uint_gt(n_impossible, 50);
  }
}
END_TEST

/* All that a problem can have, also what is too large for exhaustive search: plans are right, no arena is
 * beyond its limit, and what has not changed does not move. */
START_TEST(all_features) {
  struct campaign campaign = campaign_plan(LARGER_PROBLEMS);
  struct trial trial;
  sample_init(&trial.sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = (uint32_t)berth_rng_below(&rng, 1u << SAMPLE_N_FEATURES);
    features &= (features & SAMPLE_GROUPS) != 0 ? ~(uint32_t)(SAMPLE_TERMS | SAMPLE_FRONT) : UINT32_MAX;
    trial.k = k;
    if (begin(&trial, &rng, 24, features)) {
      const struct berth_stable *same;
      const struct berth_stable *stable;
      struct berth_error err = {0};
      struct berth_stable_spec spec = random_spec(&rng);
      ck_assert_int_eq(make_stable(trial.before, trial.first, trial.after, spec, &stable, &err), BERTH_OK);
      struct berth_plan *plan = solve(k, &trial.sample, trial.after, stable);
      if (plan->offset != NULL) {
        spec = (struct berth_stable_spec){.growth = BERTH_GROWTH_BYTES};
        ck_assert_int_eq(make_stable(trial.after, plan, trial.after, spec, &same, &err), BERTH_OK);
        struct berth_plan *again = solve(k, &trial.sample, trial.after, same);
        ck_assert_msg(
            again->stability.n_kept == again->stability.n_before, "problem %u (%x) status %d: %u of %u stay",
            k, features, (int)again->status, again->stability.n_kept, again->stability.n_before);
        berth_plan_unref(again);
        berth_stable_unref(same);
      }
      berth_plan_unref(plan);
      berth_stable_unref(stable);
    }
    end(&trial);
  }
  sample_finish(&trial.sample);
}
END_TEST

/* ---- Many, of which one in a hundred changed, where there is no room to grow ---- */

static void draw_many(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  sample_clear(sample);
  for (uint32_t i = 0; i < n; i++) {
    int64_t lower = (int64_t)berth_rng_below(rng, n);
    int64_t life = berth_rng_below(rng, 100) == 0 ? 100 + (int64_t)berth_rng_below(rng, n / 20)
                                                  : 1 + (int64_t)berth_rng_below(rng, 20);
    sample_add(sample, 64 * (1 + berth_rng_below(rng, 64)), lower, lower + life);
  }
}

static void change_some(struct sample *sample, struct berth_rng *rng) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    struct berth_buffer_spec *spec = &sample->buffers[i].spec;
    if (berth_rng_below(rng, 100) == 0) {
      bool grows = berth_rng_below(rng, 2) == 0;
      spec->size_bytes += grows ? 64 * (1 + berth_rng_below(rng, 32)) : 0;
      spec->upper += grows ? 0 : 1 + (int64_t)berth_rng_below(rng, 4);
    }
  }
}

static struct berth_plan *plan_many(const struct berth_problem *problem, const struct berth_stable *stable) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 20000000;
  options.stable = stable;
  struct berth_plan *plan;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  return plan;
}

START_TEST(most_of_many_are_kept_where_nothing_may_grow) {
  struct campaign campaign = campaign_plan(MANY_PROBLEMS);
  struct sample sample;
  uint32_t n_kept_most = 0;
  uint32_t n = 0;
  sample_init(&sample);
  uint32_t end =
      campaign.end - campaign.first < MANY_PROBLEMS ? campaign.end : campaign.first + MANY_PROBLEMS;
  for (uint32_t k = campaign.first; k < end; k++) { /* they are large */
    struct berth_rng rng = campaign_seed(k);
    draw_many(&sample, &rng, 5000);
    struct berth_problem *before = sample_build(&sample, NULL);
    struct berth_plan *first = plan_many(before, NULL);
    change_some(&sample, &rng);
    struct berth_problem *after = sample_build(&sample, NULL);
    const struct berth_stable *stable;
    struct berth_stable_spec spec = {.growth = BERTH_GROWTH_BYTES};
    struct berth_error err;
    ck_assert_int_eq(make_stable(before, first, after, spec, &stable, &err), BERTH_OK);
    struct berth_plan *plan = plan_many(after, stable);
    struct berth_verdict verdict;
    struct berth_violation violation = {0};
    ck_assert_int_eq(berth_verify(after, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
    ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, violation.message);
    if (plan->offset != NULL) {
      ck_assert_uint_le(plan->arena_bytes, first->arena_bytes);
      n_kept_most += plan->stability.n_kept >= plan->stability.kept_bound / 100 * 97;
      n++;
    }
    berth_plan_unref(plan);
    berth_stable_unref(stable);
    berth_plan_unref(first);
    berth_problem_unref(after);
    berth_problem_unref(before);
  }
  sample_finish(&sample);
  printf("%u problems of 5000 buffers, nearly all kept in %u\n", n, n_kept_most);
  ck_assert_uint_ge(n_kept_most, n - n / 10);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/stable", (const TTest *const[]){
                             as_many_as_can_be_are_kept, whoever_must_stay_does, all_features,
                             most_of_many_are_kept_where_nothing_may_grow, NULL});
}
