/* Mutation tests of the judge. A right plan is spoilt in one place, or a right plan of a spoilt problem is
 * shown as one of the original. The oracle, pair by pair, says whether the result is unsafe; the judge must
 * say the same of every one of them. */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

enum { PROBLEMS = 30000, BUDGET = 20000, MAX_BUFFERS = 64 };

/* Spoils of a place, then of a problem. */
#define MUTATIONS(X)                                                                                         \
  X(BYTE_UP, "an offset one byte up")                                                                        \
  X(BYTE_DOWN, "an offset one byte down")                                                                    \
  X(ALIGNED_DOWN, "an offset one alignment down")                                                            \
  X(ON_ANOTHER, "one buffer onto another")                                                                   \
  X(SWAPPED, "two offsets swapped")                                                                          \
  X(POOL, "another pool")                                                                                    \
  X(UNPLACED, "an offset taken away")                                                                        \
  X(WRAPPED, "an offset whose end wraps")                                                                    \
  X(LATER, "a lifetime that begins later")                                                                   \
  X(EARLIER, "a lifetime that ends earlier")                                                                 \
  X(CLOCK_LATER, "a clock that begins later")                                                                \
  X(CLOCK_EARLIER, "a clock that ends earlier")                                                              \
  X(SMALLER, "a smaller size")                                                                               \
  X(LOOSER, "a smaller alignment")                                                                           \
  X(UNPINNED, "a pin dropped")                                                                               \
  X(CONFLICT, "a conflict dropped")                                                                          \
  X(GAP, "a gap that is not there")                                                                          \
  X(WINDOW, "a window that is too small")                                                                    \
  X(BYTES, "a pool of slots taken for bytes")                                                                \
  X(FREED_POOL, "an allowed pool that is none")                                                              \
  X(SPILL, "a spill that is not there")                                                                      \
  X(MIXED, "constants and state among the others")                                                           \
  X(BASE, "a base aligned to anything")                                                                      \
  X(GROUP, "a group dropped")                                                                                \
  X(GROUP_KIND, "a group of the other kind")                                                                 \
  X(GROUP_ORDER, "a group in another order")

enum mutation {
#define X(name, text) name,
  MUTATIONS(X)
#undef X
      N_MUTATIONS
};

static const char *const TEXTS[N_MUTATIONS] = {
#define X(name, text) text,
    MUTATIONS(X)
#undef X
};

static struct { uint32_t made, unsafe, killed; } seen[N_MUTATIONS];

struct places {
  uint32_t pool[MAX_BUFFERS];
  uint64_t offset[MAX_BUFFERS];
};

static bool solve(const struct sample *sample, struct places *places) {
  struct berth_problem *problem = NULL;
  if (sample_try_build(sample, NULL, NULL, &problem, NULL) != BERTH_OK) {
    return false; /* a spoilt problem need not be one */
  }
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve(problem, &options, NULL, NULL, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  bool placed = plan->offset != NULL;
  if (placed) {
    memcpy(places->pool, plan->pool, sample->n_buffers * sizeof *plan->pool);
    memcpy(places->offset, plan->offset, sample->n_buffers * sizeof *plan->offset);
  }
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  return placed;
}

static bool spoil_places(
    const struct sample *sample, struct berth_rng *rng, enum mutation mutation, struct places *places) {
  uint32_t i = berth_rng_below(rng, sample->n_buffers);
  uint32_t other = berth_rng_below(rng, sample->n_buffers);
  uint64_t alignment = sample_alignment(sample, i, places->pool[i]);
  uint64_t swap = places->offset[i];
  switch (mutation) {
  case BYTE_UP:
    places->offset[i]++;
    return true;
  case BYTE_DOWN:
    places->offset[i]--;
    return swap > 0;
  case ALIGNED_DOWN:
    places->offset[i] -= alignment;
    return swap >= alignment;
  case ON_ANOTHER:
    places->offset[i] = places->offset[other];
    places->pool[i] = places->pool[other];
    return i != other;
  case SWAPPED:
    places->offset[i] = places->offset[other];
    places->offset[other] = swap;
    return i != other;
  case POOL:
    places->pool[i] = berth_rng_below(rng, SAMPLE_MAX_POOLS + 1);
    return true;
  case UNPLACED:
    places->offset[i] = BERTH_NO_OFFSET;
    return true;
  case WRAPPED:
    places->offset[i] = UINT64_MAX - berth_rng_below(rng, 8) - 1;
    return true;
  default:
    return false;
  }
}

static bool spoil_problem(struct sample *sample, struct berth_rng *rng, enum mutation mutation) {
  struct sample_buffer *buffer = &sample->buffers[berth_rng_below(rng, sample->n_buffers)];
  struct berth_buffer_spec *spec = &buffer->spec;
  switch (mutation) {
  case LATER:
    spec->lower++;
    return spec->n_gaps == 0 && spec->n_clocks == 0 && spec->lower < spec->upper;
  case EARLIER:
    spec->upper--;
    return spec->n_gaps == 0 && spec->n_clocks == 0 && spec->lower < spec->upper;
  case CLOCK_LATER:
  case CLOCK_EARLIER: {
    uint32_t c = spec->n_clocks > 0 ? berth_rng_below(rng, spec->n_clocks) : 0;
    bool possible = spec->n_clocks > 0 && buffer->clock_lower[c] < buffer->clock_upper[c];
    buffer->clock_lower[c] += possible && mutation == CLOCK_LATER;
    buffer->clock_upper[c] -= possible && mutation == CLOCK_EARLIER;
    sample_sum_clocks(buffer);
    return possible && spec->lower < spec->upper;
  }
  case SMALLER:
    spec->size_bytes--;
    return spec->n_gaps == 0 && spec->size_bytes != UINT64_MAX;
  case LOOSER:
    spec->alignment /= 2;
    return spec->alignment > 0;
  case UNPINNED: {
    bool pinned = spec->pinned_offset != BERTH_UNPINNED;
    spec->pinned_offset = BERTH_UNPINNED;
    return pinned;
  }
  case CONFLICT:
    sample->n_conflicts -= sample->n_conflicts > 0;
    return true;
  case GAP:
    if (spec->n_gaps > 0 || spec->n_clocks > 0 || spec->size_bytes == 0 || spec->upper - spec->lower < 2) {
      return false;
    }
    sample_add_gap(buffer, spec->lower, spec->upper - 1, 0, 0);
    return true;
  case WINDOW:
    if (spec->n_gaps == 0 || buffer->gaps[0].window_lower >= buffer->gaps[0].window_upper) {
      return false;
    }
    buffer->gaps[0].window_upper--;
    return true;
  case BYTES:
    for (uint32_t p = 0; p < sample->n_pools; p++) {
      sample->pools[p].kind = BERTH_POOL_BYTES;
    }
    return true;
  case FREED_POOL: {
    bool bound = spec->n_pools > 0;
    spec->n_pools = 0;
    return bound;
  }
  case SPILL: {
    uint32_t from = sample->n_pools > 0 ? berth_rng_below(rng, sample->n_pools) : 0;
    bool none = sample->n_pools > 1 && sample->pools[from].n_spill_to == 0;
    if (none) {
      sample->spills[from][0] = from > 0 ? 0 : 1;
      sample->pools[from].n_spill_to = 1;
      sample->pools[from].capacity_bytes = 1 + spec->size_bytes;
    }
    return none;
  }
  case MIXED:
  case BASE: {
    bool changed = false;
    for (uint32_t p = 0; p < sample->n_pools; p++) {
      struct berth_pool_spec *pool = &sample->pools[p];
      changed = changed ||
                (mutation == BASE ? pool->base_alignment != 0 : pool->persistence != BERTH_PERSISTENCE_MIXED);
      pool->base_alignment = mutation == BASE ? 0 : pool->base_alignment;
      pool->persistence = mutation == MIXED ? BERTH_PERSISTENCE_MIXED : pool->persistence;
    }
    return changed;
  }
  case GROUP:
    sample->n_groups -= sample->n_groups > 0;
    return true;
  case GROUP_KIND:
    sample->groups[0].kind = (enum berth_group_kind)(1 - (int)sample->groups[0].kind);
    return sample->n_groups > 0;
  case GROUP_ORDER: {
    uint32_t first = sample->groups[0].members[0];
    sample->groups[0].members[0] = sample->groups[0].members[1];
    sample->groups[0].members[1] = first;
    return sample->n_groups > 0;
  }
  default:
    return false;
  }
}

static uint64_t
judge(const struct sample *sample, const struct places *places, struct berth_violation *first) {
  struct berth_problem *problem = sample_build(sample, NULL);
  struct berth_verdict verdict;
  struct berth_error err = {0};
  enum berth_code code =
      berth_verify_offsets(problem, places->pool, places->offset, NULL, first, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_unref(problem);
  return verdict.n_violations;
}

static void
compare(uint32_t k, const struct sample *sample, const struct places *places, enum mutation mutation) {
  struct berth_violation first = {0};
  bool safe = oracle_safe(sample, places->pool, places->offset);
  uint64_t n_violations = judge(sample, places, &first);
  seen[mutation].made++;
  seen[mutation].unsafe += !safe;
  seen[mutation].killed += !safe && n_violations > 0;
  ck_assert_msg(safe || n_violations > 0, "problem %u: %s: unsafe, and not seen", k, TEXTS[mutation]);
  ck_assert_msg(
      !safe || n_violations == 0, "problem %u: %s: safe, and refused: %s", k, TEXTS[mutation], first.message);
}

static void try_problem(uint32_t k, struct sample *sample, struct sample *spoilt) {
  struct berth_rng rng = campaign_seed(k);
  uint32_t features = berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
  sample_generate_any(sample, &rng, 2, 15, features);
  struct places right;
  if (sample->n_buffers > MAX_BUFFERS || !solve(sample, &right)) {
    return;
  }
  for (enum mutation mutation = 0; mutation < N_MUTATIONS; mutation++) {
    struct places places = right;
    bool made = mutation < LATER && spoil_places(sample, &rng, mutation, &places);
    if (mutation >= LATER) {
      sample_copy(spoilt, sample);
      made = spoil_problem(spoilt, &rng, mutation) && solve(spoilt, &places);
    }
    if (made) {
      compare(k, sample, &places, mutation);
    }
  }
}

START_TEST(every_unsafe_mutant_is_killed_and_no_safe_one) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample sample;
  struct sample spoilt;
  sample_init(&sample);
  sample_init(&spoilt);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    try_problem(k, &sample, &spoilt);
  }
  sample_finish(&spoilt);
  sample_finish(&sample);
  uint32_t made = 0;
  uint32_t unsafe = 0;
  for (enum mutation mutation = 0; mutation < N_MUTATIONS; mutation++) {
    printf(
        "%-34s %7u made %7u unsafe %7u killed\n", TEXTS[mutation], seen[mutation].made, seen[mutation].unsafe,
        seen[mutation].killed);
    ck_assert_msg(
        campaign.end - campaign.first < 1000 || seen[mutation].unsafe > 0, "%s: none was unsafe",
        TEXTS[mutation]);
    made += seen[mutation].made;
    unsafe += seen[mutation].unsafe;
  }
  printf("%u mutants, %u unsafe, all killed\n", made, unsafe);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/mutants", (const TTest *const[]){every_unsafe_mutant_is_killed_and_no_safe_one, NULL});
}
