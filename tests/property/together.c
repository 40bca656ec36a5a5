/* Compositions of random parts against the same problem written out by hand: parts one after another, pairs
 * for those that may run at once, what stays alive throughout. Brute force knows that one's optimum, and the
 * oracle, pair by pair, which offsets are safe. */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/stable.h"
#include "berth/together.h"
#include "berth/verify.h"
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

enum {
  PROBLEMS = 20000,
  LARGER = 1500,
  MAX_PARTS = 4,
  MAX_BUFFERS = 96,
  BUDGET = 200000,
  OF_PARTS = 16,
  GUESSES = 8
};

struct whole {
  uint32_t n_parts;
  struct sample parts[MAX_PARTS];
  struct berth_problem *problems[MAX_PARTS];
  bool at_once[MAX_PARTS][MAX_PARTS];
  uint32_t n_sets;
  uint32_t set_end[MAX_PARTS * MAX_PARTS];
  uint32_t set_parts[2 * MAX_PARTS * MAX_PARTS];
  uint32_t n_shared; /* the first so many buffers of every part */
  struct sample flat;
  bool is_partial; /* some buffer never holds all its bytes; a pair, written out, means all of them */
  uint32_t buffer_of[MAX_PARTS][MAX_BUFFERS]; /* in `flat` */
};

static struct { uint32_t made, refused, proven, unsafe, safe, with_pairs, with_clocks; } seen;

static const char *const NAMES[MAX_PARTS] = {"a", "b", "c", "d"};
static const char *const IDS[2] = {"s0", "s1"};

static struct berth_text text(const char *s) {
  return (struct berth_text){.data = s, .size = (uint32_t)strlen(s)};
}

/* ---- Making one ---- */

static void make_relation(struct whole *whole, struct berth_rng *rng) {
  uint32_t kind = berth_rng_below(rng, 4); /* share, add, pairs at random */
  memset(whole->at_once, 0, sizeof whole->at_once);
  whole->n_sets = 0;
  uint32_t n = 0;
  if (kind == 1) {
    for (uint32_t a = 0; a < whole->n_parts; a++) {
      whole->set_parts[n++] = a;
      for (uint32_t b = 0; b < whole->n_parts; b++) {
        whole->at_once[a][b] = a != b;
      }
    }
    whole->set_end[whole->n_sets++] = n;
  }
  for (uint32_t a = 0; kind > 1 && a < whole->n_parts; a++) {
    for (uint32_t b = a + 1; b < whole->n_parts; b++) {
      if (berth_rng_below(rng, 2) == 0) {
        whole->set_parts[n++] = a;
        whole->set_parts[n++] = b;
        whole->set_end[whole->n_sets++] = n;
        whole->at_once[a][b] = whole->at_once[b][a] = true;
      }
    }
  }
}

static void
make_parts(struct whole *whole, struct berth_rng *rng, uint32_t least, uint32_t most, uint32_t features) {
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    struct sample *part = &whole->parts[p];
    sample_generate_any(part, rng, least, most, features);
    for (uint32_t i = 0; i < part->n_buffers; i++) {
      bool stays = berth_rng_below(rng, 8) == 0;
      part->buffers[i].spec.class_ = stays ? BERTH_CLASS_STATE : BERTH_CLASS_TEMPORARY;
    }
  }
  whole->n_shared = berth_rng_below(rng, 3) == 0 ? 1 + berth_rng_below(rng, 2) : 0;
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    whole->n_shared = whole->parts[p].n_buffers <= whole->n_shared ? 0 : whole->n_shared;
  }
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    for (uint32_t i = 0; i < whole->n_shared; i++) {
      struct berth_buffer_spec *spec = &whole->parts[p].buffers[i].spec;
      const struct berth_buffer_spec *first = &whole->parts[0].buffers[i].spec;
      spec->id = text(IDS[i]);
      spec->size_bytes = first->size_bytes;
      spec->alignment = first->alignment;
      spec->class_ = first->class_;
      spec->pinned_offset = first->pinned_offset;
      spec->n_gaps = 0;
    }
  }
}

static bool stays(const struct whole *whole, uint32_t p, uint32_t i) {
  return i < whole->n_shared || whole->parts[p].buffers[i].spec.class_ == BERTH_CLASS_STATE;
}

/* ---- Written out ---- */

static void span_of(const struct sample *part, int64_t *first, int64_t *end) {
  *first = *end = 0;
  for (uint32_t i = 0; i < part->n_buffers; i++) {
    const struct berth_buffer_spec *spec = &part->buffers[i].spec;
    int64_t upper = spec->upper > spec->lower ? spec->upper : spec->lower + 1;
    *first = i == 0 || spec->lower < *first ? spec->lower : *first;
    *end = i == 0 || upper > *end ? upper : *end;
  }
}

static void flatten_part(struct whole *whole, uint32_t p, int64_t base, int64_t all) {
  const struct sample *part = &whole->parts[p];
  int64_t first;
  int64_t end;
  span_of(part, &first, &end);
  for (uint32_t i = 0; i < part->n_buffers; i++) {
    const struct sample_buffer *from = &part->buffers[i];
    if (i < whole->n_shared && p > 0) {
      whole->buffer_of[p][i] = whole->buffer_of[0][i];
      continue;
    }
    whole->buffer_of[p][i] = whole->flat.n_buffers;
    struct sample_buffer *to = sample_add(&whole->flat, from->spec.size_bytes, 0, all);
    to->spec.alignment = from->spec.alignment;
    to->spec.class_ = from->spec.class_;
    to->spec.pinned_offset = from->spec.pinned_offset;
    if (stays(whole, p, i)) {
      continue;
    }
    to->spec.lower = from->spec.lower - first + base;
    to->spec.upper = from->spec.upper - first + base;
    for (uint32_t g = 0; g < from->spec.n_gaps; g++) {
      const struct berth_gap *gap = &from->gaps[g];
      sample_add_gap(
          to, gap->lower - first + base, gap->upper - first + base, gap->window_lower, gap->window_upper);
    }
  }
  for (uint32_t k = 0; k < part->n_conflicts; k++) {
    sample_add_conflict(
        &whole->flat, whole->buffer_of[p][part->conflicts[k][0]], whole->buffer_of[p][part->conflicts[k][1]]);
  }
}

static void flatten(struct whole *whole) {
  int64_t bases[MAX_PARTS];
  int64_t all = 0;
  sample_clear(&whole->flat);
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    int64_t first;
    int64_t end;
    span_of(&whole->parts[p], &first, &end);
    bases[p] = all;
    all += end - first > 0 ? end - first : 1;
  }
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    flatten_part(whole, p, bases[p], all);
  }
  for (uint32_t a = 0; a < whole->n_parts; a++) {
    for (uint32_t b = a + 1; whole->n_parts > 0 && b < whole->n_parts; b++) {
      for (uint32_t i = 0; whole->at_once[a][b] && i < whole->parts[a].n_buffers; i++) {
        for (uint32_t k = 0; k < whole->parts[b].n_buffers; k++) {
          if (!stays(whole, a, i) && !stays(whole, b, k)) {
            sample_add_conflict(&whole->flat, whole->buffer_of[a][i], whole->buffer_of[b][k]);
          }
        }
      }
    }
  }
}

/* ---- Composed ---- */

static struct berth_problem *compose(struct whole *whole) {
  struct berth_named_problem parts[MAX_PARTS];
  struct berth_text shared[2] = {text(IDS[0]), text(IDS[1])};
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    whole->problems[p] = NULL;
    if (sample_try_build(&whole->parts[p], NULL, NULL, &whole->problems[p], NULL) != BERTH_OK) {
      return NULL; /* a shared pin may meet others now */
    }
    parts[p] = (struct berth_named_problem){.name = text(NAMES[p]), .problem = whole->problems[p]};
  }
  const struct berth_composition composition = {
      .parts = parts,
      .n_parts = whole->n_parts,
      .set_end = whole->set_end,
      .set_parts = whole->set_parts,
      .n_sets = whole->n_sets,
      .shared = shared,
      .n_shared = whole->n_shared};
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_compose(&composition, NULL, &problem, &err);
  bool pins_meet = code != BERTH_OK && err.reason == BERTH_REASON_BAD_PIN;
  ck_assert_msg(code == BERTH_OK || pins_meet, "%s", err.message);
  return problem;
}

static void drop(struct whole *whole, struct berth_problem *problem) {
  berth_problem_unref(problem);
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    berth_problem_unref(whole->problems[p]);
    whole->problems[p] = NULL;
  }
}

/* From the composition's buffers to those written out. */
static void map_places(
    const struct whole *whole, const struct berth_problem *problem, const uint64_t *offset, uint64_t *out) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    for (uint32_t i = 0; i < whole->parts[p].n_buffers; i++) {
      out[whole->buffer_of[p][i]] = offset[parts->buffer[parts->buffer_begin[p] + i]];
    }
  }
}

static const uint32_t NO_POOLS[MAX_PARTS * MAX_BUFFERS];

static struct berth_plan *solve(uint32_t k, const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  options.budget_ticks = berth_problem_composed(problem) != NULL ? OF_PARTS * BUDGET : BUDGET;
  ck_assert_msg(
      berth_solve(problem, &options, NULL, NULL, &plan, &err) == BERTH_OK, "%u: %s", k, err.message);
  enum berth_code code = berth_verify(problem, plan, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, violation.message);
  return plan;
}

/* Offsets at random, and a right plan with one of them spoilt. */
static void guess(
    uint32_t k, const struct whole *whole, const struct berth_problem *problem, const struct berth_plan *plan,
    struct berth_rng *rng) {
  uint64_t offset[MAX_PARTS * MAX_BUFFERS];
  uint64_t flat[MAX_PARTS * MAX_BUFFERS];
  uint32_t n = berth_problem_buffers(problem)->n;
  uint64_t room = plan->offset != NULL ? plan->arena_bytes : plan->naive_bytes;
  for (int i = 0; i < GUESSES && n > 0; i++) {
    bool at_random = i % 2 == 0 || plan->offset == NULL;
    for (uint32_t b = 0; b < n; b++) {
      offset[b] =
          at_random ? berth_rng_below(rng, (uint32_t)(room < 4096 ? room : 4096) + 1) : plan->offset[b];
    }
    uint32_t one = berth_rng_below(rng, n);
    offset[one] += at_random ? 0 : i % 4 == 1 ? 1 : UINT64_MAX; /* a byte up, or down */
    struct berth_verdict verdict;
    struct berth_violation violation = {0};
    struct berth_error err = {0};
    enum berth_code code = berth_verify_offsets(problem, NULL, offset, NULL, &violation, 1, &verdict, &err);
    ck_assert_msg(code == BERTH_OK, "problem %u: %s", k, err.message);
    map_places(whole, problem, offset, flat);
    bool safe = oracle_safe(&whole->flat, NO_POOLS, flat);
    bool passed = verdict.n_violations == 0;
    ck_assert_msg(
        safe == passed || (passed && whole->is_partial), "problem %u: safe %d, judge: %s", k, safe,
        violation.message);
    seen.safe += safe;
    seen.unsafe += !safe;
  }
}

static bool is_never_whole(const struct sample_buffer *buffer) {
  int64_t left = buffer->spec.upper - buffer->spec.lower;
  for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
    left -= buffer->gaps[g].upper - buffer->gaps[g].lower;
  }
  return buffer->spec.n_gaps != 0 && left == 0;
}

static bool
make(struct whole *whole, struct berth_rng *rng, uint32_t least, uint32_t most, uint32_t features) {
  whole->n_parts = 2 + berth_rng_below(rng, MAX_PARTS - 1);
  make_parts(whole, rng, least, most, features);
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    if (whole->parts[p].n_buffers > MAX_BUFFERS) {
      return false;
    }
  }
  make_relation(whole, rng);
  whole->is_partial = false;
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    for (uint32_t i = 0; i < whole->parts[p].n_buffers; i++) {
      whole->is_partial |= whole->n_sets != 0 && is_never_whole(&whole->parts[p].buffers[i]);
    }
  }
  flatten(whole);
  return true;
}

static uint64_t optimum_of(const struct sample *sample) {
  uint32_t members[8];
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    members[i] = i;
  }
  return oracle_optimum(sample, 0, members, sample->n_buffers);
}

/* Share is the largest of the parts, add at most the sum, where nothing stays. */
static void check_forms(uint32_t k, const struct whole *whole, uint64_t optimum) {
  uint64_t largest = 0;
  uint64_t sum = 0;
  bool any_stays = false;
  bool any_pins = false;
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    uint64_t own = optimum_of(&whole->parts[p]);
    uint64_t alignment = 1;
    largest = own > largest ? own : largest;
    for (uint32_t i = 0; i < whole->parts[p].n_buffers; i++) {
      const struct berth_buffer_spec *spec = &whole->parts[p].buffers[i].spec;
      any_stays |= stays(whole, p, i);
      any_pins |= spec->pinned_offset != BERTH_UNPINNED;
      alignment = spec->alignment > alignment ? spec->alignment : alignment;
    }
    sum = (sum + alignment - 1) / alignment * alignment + own;
  }
  ck_assert_msg(optimum >= largest, "problem %u: %llu below a part's", k, (unsigned long long)optimum);
  if (any_stays || any_pins) {
    return;
  }
  ck_assert_msg(whole->n_sets != 0 || optimum == largest, "problem %u: share is not the largest", k);
  ck_assert_msg(optimum <= sum, "problem %u: more than all beside each other", k);
}

START_TEST(small_ones_are_as_written_out) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  static struct whole whole;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = (SAMPLE_ALIGNED | SAMPLE_GAPS | SAMPLE_CONFLICTS | SAMPLE_ZEROS | SAMPLE_PINNED) &
                        berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    uint32_t most = (features & SAMPLE_GAPS) != 0 ? 5 : 7;
    if (!make(&whole, &rng, 1, 2, features) || whole.flat.n_buffers > most) {
      continue;
    }
    struct berth_problem *problem = compose(&whole);
    seen.refused += problem == NULL;
    if (problem != NULL) {
      uint64_t optimum = optimum_of(&whole.flat);
      struct berth_plan *plan = solve(k, problem);
      ck_assert_msg(plan->lower_bound_bytes <= optimum, "problem %u: the bound is no bound", k);
      ck_assert_msg(
          (plan->offset == NULL) == (optimum == BERTH_UNLIMITED), "problem %u: %d", k, plan->status);
      ck_assert_msg(plan->offset == NULL || plan->arena_bytes >= optimum, "problem %u: below the optimum", k);
      if (plan->status == BERTH_PLAN_OPTIMAL) {
        ck_assert_msg(plan->arena_bytes == optimum, "problem %u: not the optimum", k);
        check_forms(k, &whole, optimum);
        seen.proven++;
      }
      seen.made++;
      seen.with_clocks += berth_problem_buffers(problem)->n_clocks != 0;
      seen.with_pairs += berth_problem_buffers(problem)->n_clocks == 0 && whole.n_sets != 0;
      guess(k, &whole, problem, plan, &rng);
      berth_plan_unref(plan);
    }
    drop(&whole, problem);
  }
  printf(
      "%u compositions, %u proven, %u with clocks, %u with pairs, %u with pins that meet; %u offsets safe, "
      "%u unsafe\n",
      seen.made, seen.proven, seen.with_clocks, seen.with_pairs, seen.refused, seen.safe, seen.unsafe);
  if (campaign.end - campaign.first >= 1000) {
    ck_assert_uint_gt(seen.made, (campaign.end - campaign.first) / 4);
    ck_assert_uint_gt(seen.proven, seen.made / 2);
    ck_assert_uint_gt(seen.with_clocks, seen.made / 20);
    ck_assert_uint_gt(seen.with_pairs, seen.made / 50);
    ck_assert_uint_gt(seen.safe, seen.made / 10);
    ck_assert_uint_gt(seen.unsafe, seen.made);
  }
}
END_TEST

/* With some more effort, no larger than the parts' own best plans beside each other; and what each needs is a
 * bound. */
static void check_against_parts(uint32_t k, const struct whole *whole, const struct berth_plan *plan) {
  uint64_t sum = 0;
  uint64_t bound = 0;
  bool pinned = false;
  bool proven = true;
  for (uint32_t p = 0; p < whole->n_parts; p++) {
    struct berth_plan *own = solve(k, whole->problems[p]);
    uint64_t alignment = own->pools[0].base_alignment;
    sum += alignment - 1 + own->arena_bytes; /* in whatever order they lie */
    proven = proven && own->status == BERTH_PLAN_OPTIMAL;
    bound = own->lower_bound_bytes > bound ? own->lower_bound_bytes : bound;
    for (uint32_t i = 0; i < whole->parts[p].n_buffers; i++) {
      pinned |= whole->parts[p].buffers[i].spec.pinned_offset != BERTH_UNPINNED;
      sum += stays(whole, p, i) ? whole->parts[p].buffers[i].spec.size_bytes + alignment : 0;
    }
    berth_plan_unref(own);
  }
  if (!pinned && plan->offset != NULL) {
    ck_assert_msg(
        !proven || plan->arena_bytes <= sum, "problem %u: %llu beside each other, %llu together", k,
        (unsigned long long)sum, (unsigned long long)plan->arena_bytes);
    ck_assert_msg(plan->arena_bytes >= bound, "problem %u: below what a part needs", k);
  }
}

START_TEST(larger_ones_pass_the_judge) {
  struct campaign campaign = campaign_plan(LARGER);
  static struct whole whole;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features = (SAMPLE_ALIGNED | SAMPLE_GAPS | SAMPLE_CONFLICTS | SAMPLE_ZEROS | SAMPLE_PINNED) &
                        berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    struct berth_problem *problem = make(&whole, &rng, 2, 20, features) ? compose(&whole) : NULL;
    if (problem != NULL) {
      struct berth_plan *plan = solve(k, problem);
      check_against_parts(k, &whole, plan);
      guess(k, &whole, problem, plan, &rng);
      berth_plan_unref(plan);
    }
    drop(&whole, problem);
  }
}
END_TEST

/* ---- Mutants: the plan of a spoilt composition, shown as one of the original ---- */

#define MUTATIONS(X)                                                                                         \
  X(SET, "parts that may run at once, forgotten")                                                            \
  X(STATE, "state that is a temporary of its part")                                                          \
  X(LIFE, "a lifetime one step shorter")                                                                     \
  X(BYTE, "a size one byte smaller")                                                                         \
  X(ALIGNMENT, "an alignment forgotten")                                                                     \
  X(GAP, "a step at which it is not there")                                                                  \
  X(PAIR, "a pair that must not share, forgotten")

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

static struct { uint32_t made, unsafe; } mutants[N_MUTATIONS];

static bool spoil(struct whole *whole, struct berth_rng *rng, enum mutation mutation) {
  struct sample *part = &whole->parts[berth_rng_below(rng, whole->n_parts)];
  uint32_t i = berth_rng_below(rng, part->n_buffers);
  struct berth_buffer_spec *spec = &part->buffers[i].spec;
  bool own = i >= whole->n_shared;
  switch (mutation) {
  case SET:
    whole->n_sets -= whole->n_sets != 0;
    return true;
  case STATE:
    own = own && spec->class_ == BERTH_CLASS_STATE;
    spec->class_ = own ? BERTH_CLASS_TEMPORARY : spec->class_;
    return own;
  case LIFE:
    own = own && spec->n_gaps == 0 && spec->upper > spec->lower + 1;
    spec->upper -= own;
    return own;
  case BYTE:
    own = own && spec->n_gaps == 0 && spec->size_bytes > 1;
    spec->size_bytes -= own;
    return own;
  case ALIGNMENT:
    own = own && spec->alignment > 1;
    spec->alignment = own ? 1 : spec->alignment;
    return own;
  case GAP:
    own = own && spec->n_gaps == 0 && spec->upper > spec->lower + 1;
    if (own) {
      sample_add_gap(&part->buffers[i], spec->lower, spec->lower + 1, 0, 0);
    }
    return own;
  default:
    part->n_conflicts -= part->n_conflicts != 0;
    return true;
  }
}

static void try_mutant(
    uint32_t k, const struct whole *whole, const struct berth_problem *problem, struct whole *spoilt,
    enum mutation mutation) {
  struct berth_problem *other = compose(spoilt);
  struct berth_plan *plan = other != NULL ? solve(k, other) : NULL;
  if (plan != NULL && plan->offset != NULL) {
    uint64_t flat[MAX_PARTS * MAX_BUFFERS];
    struct berth_verdict verdict;
    enum berth_code code = berth_verify_offsets(problem, NULL, plan->offset, NULL, NULL, 0, &verdict, NULL);
    ck_assert_int_eq(code, BERTH_OK);
    map_places(whole, problem, plan->offset, flat);
    bool safe = oracle_safe(&whole->flat, NO_POOLS, flat);
    bool passed = verdict.n_violations == 0;
    ck_assert_msg(
        safe == passed || (passed && whole->is_partial), "problem %u: %s: safe %d, passed %d", k,
        TEXTS[mutation], safe, passed);
    mutants[mutation].made++;
    mutants[mutation].unsafe += !safe;
  }
  berth_plan_unref(plan);
  drop(spoilt, other);
}

START_TEST(what_a_spoilt_composition_allows_is_not_passed) {
  struct campaign campaign = campaign_plan(LARGER);
  static struct whole whole;
  static struct whole spoilt;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    uint32_t features = (SAMPLE_ALIGNED | SAMPLE_GAPS | SAMPLE_CONFLICTS) & (k * 5);
    struct berth_rng rng = campaign_seed(k);
    struct berth_problem *problem = make(&whole, &rng, 1, 6, features) ? compose(&whole) : NULL;
    for (enum mutation mutation = 0; problem != NULL && mutation < N_MUTATIONS; mutation++) {
      struct berth_rng again = campaign_seed(k);
      struct berth_rng choice = {rng.state + mutation};
      ck_assert(make(&spoilt, &again, 1, 6, features));
      if (spoil(&spoilt, &choice, mutation)) {
        try_mutant(k, &whole, problem, &spoilt, mutation);
      }
    }
    drop(&whole, problem);
  }
  for (enum mutation mutation = 0; mutation < N_MUTATIONS; mutation++) {
    printf(
        "%-44s %6u made %6u unsafe, all killed\n", TEXTS[mutation], mutants[mutation].made,
        mutants[mutation].unsafe);
    ck_assert_msg(
        campaign.end - campaign.first < 1000 || mutants[mutation].unsafe > 0, "%s: none was unsafe",
        TEXTS[mutation]);
  }
}
END_TEST

/* ---- With an earlier plan ---- */

static struct { uint32_t made, same, kept_all, moved, compared, at_once; } keeping;

/* The most buffers that stay within `limit`, by trying every set; UINT32_MAX if nothing fits at all. */
static uint32_t most_kept(struct sample *flat, const uint64_t *before, uint64_t limit) {
  uint32_t members[8];
  uint64_t pin[8] = {0};
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < flat->n_buffers; i++) {
    members[i] = i;
    pin[i] = flat->buffers[i].spec.pinned_offset;
  }
  for (uint32_t set = 0; set < UINT32_C(1) << flat->n_buffers; set++) {
    uint32_t n = (uint32_t)__builtin_popcount(set);
    bool may = best == UINT32_MAX || n > best;
    for (uint32_t i = 0; i < flat->n_buffers; i++) {
      bool stays_here = (set >> i & 1) != 0;
      may = may && (!stays_here || before[i] % flat->buffers[i].spec.alignment == 0) &&
            (!stays_here || pin[i] == BERTH_UNPINNED || pin[i] == before[i]);
      flat->buffers[i].spec.pinned_offset = stays_here ? before[i] : pin[i];
    }
    uint64_t optimum = may ? oracle_optimum(flat, 0, members, flat->n_buffers) : BERTH_UNLIMITED;
    best = optimum != BERTH_UNLIMITED && optimum <= limit ? n : best;
  }
  for (uint32_t i = 0; i < flat->n_buffers; i++) {
    flat->buffers[i].spec.pinned_offset = pin[i];
  }
  return best;
}

static struct berth_plan *keep(
    uint32_t k, const struct whole *whole, const struct berth_problem *before, const struct berth_plan *first,
    const struct berth_problem *after, struct berth_stable_spec spec, bool *out_is_least) {
  const struct berth_report_side side = {.problem = before, .offset = first->offset, .pool = first->pool};
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_stable_row *rows;
  const struct berth_stable *stable;
  struct berth_plan *plan;
  struct berth_error err = {0};
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  uint64_t flat[MAX_PARTS * MAX_BUFFERS];
  ck_assert_int_eq(berth_stable_rows(&side, after, NULL, &rows, &err), BERTH_OK);
  spec.rows = rows;
  spec.n_rows = first->n_buffers;
  ck_assert_msg(berth_stable_create(after, &spec, NULL, &stable, &err) == BERTH_OK, "%u: %s", k, err.message);
  options.budget_ticks = OF_PARTS * BUDGET;
  options.stable = stable;
  ck_assert_msg(berth_solve(after, &options, NULL, NULL, &plan, &err) == BERTH_OK, "%u: %s", k, err.message);
  ck_assert_int_eq(berth_verify(after, plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, violation.message);
  ck_assert_int_eq(berth_verify_stability(after, plan, stable, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "problem %u: %s", k, violation.message);
  if (plan->offset != NULL) {
    map_places(whole, after, plan->offset, flat);
    ck_assert_msg(whole->is_partial || oracle_safe(&whole->flat, NO_POOLS, flat), "problem %u: unsafe", k);
  }
  *out_is_least = stable->is_least;
  berth_stable_unref(stable);
  berth_report_free(NULL, rows);
  return plan;
}

/* What has not changed stays, whatever may run at once; what has, as far as exhaustive search knows. */
static void
check_keeping(uint32_t k, struct whole *whole, struct berth_problem *problem, struct berth_rng *rng) {
  struct berth_plan *first = solve(k, problem);
  bool is_least;
  if (first->offset == NULL) {
    berth_plan_unref(first);
    return;
  }
  struct berth_stable_spec spec = {.growth = BERTH_GROWTH_BYTES};
  struct berth_plan *same = keep(k, whole, problem, first, problem, spec, &is_least);
  keeping.same += same->stability.n_kept == same->stability.n_before;
  ck_assert_msg(same->offset != NULL, "problem %u: no plan, though there was one", k);
  berth_plan_unref(same);
  uint64_t before[MAX_PARTS * MAX_BUFFERS];
  map_places(whole, problem, first->offset, before);
  struct sample *part = &whole->parts[berth_rng_below(rng, whole->n_parts)];
  for (uint32_t i = whole->n_shared; i < part->n_buffers; i++) {
    part->buffers[i].spec.size_bytes += berth_rng_below(rng, 3) == 0 ? 1 + berth_rng_below(rng, 5) : 0;
  }
  flatten(whole);
  struct whole after_parts = *whole;
  struct berth_problem *after = compose(&after_parts);
  if (after != NULL) {
    spec.growth = (enum berth_growth)berth_rng_below(rng, 4);
    spec.growth_amount = berth_rng_below(rng, 3);
    struct berth_plan *plan = keep(k, whole, problem, first, after, spec, &is_least);
    uint64_t limit = spec.growth == BERTH_GROWTH_ANY     ? BERTH_UNLIMITED - 1
                     : is_least && plan->offset != NULL  ? plan->arena_bytes
                     : spec.growth == BERTH_GROWTH_BYTES ? first->arena_bytes + spec.growth_amount
                                                         : first->arena_bytes;
    bool is_small = whole->flat.n_buffers <= 5 && !whole->is_partial && plan->offset != NULL;
    if (is_small) {
      uint32_t most = most_kept(&whole->flat, before, limit);
      ck_assert_msg(
          most != UINT32_MAX && plan->stability.n_kept <= most && plan->stability.kept_bound >= most,
          "problem %u: %u kept, at most %llu; %u can be", k, plan->stability.n_kept,
          (unsigned long long)plan->stability.kept_bound, most);
      keeping.kept_all += plan->stability.n_kept == most;
      keeping.compared++;
    }
    keeping.moved += plan->stability.n_kept < plan->stability.n_before;
    berth_plan_unref(plan);
  }
  keeping.made++;
  keeping.at_once += whole->n_sets != 0;
  berth_plan_unref(first);
  drop(&after_parts, after);
}

START_TEST(compositions_keep_an_earlier_plan) {
  struct campaign campaign = campaign_plan(LARGER);
  static struct whole whole;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features =
        (SAMPLE_ALIGNED | SAMPLE_GAPS | SAMPLE_CONFLICTS) & berth_rng_below(&rng, 1 << SAMPLE_N_FEATURES);
    bool small = k % 4 != 0;
    struct berth_problem *problem = make(&whole, &rng, 1, small ? 2 : 12, features) ? compose(&whole) : NULL;
    if (problem != NULL) {
      struct berth_problem *parts[MAX_PARTS];
      memcpy(parts, whole.problems, sizeof parts);
      check_keeping(k, &whole, problem, &rng);
      memcpy(whole.problems, parts, sizeof parts);
    }
    drop(&whole, problem);
  }
  printf(
      "%u compositions, %u with parts at once; unchanged, %u stay whole; of %u changed ones %u keep the "
      "most; "
      "%u moved somebody\n",
      keeping.made, keeping.at_once, keeping.same, keeping.compared, keeping.kept_all, keeping.moved);
  if (campaign.end - campaign.first >= 1000) {
    ck_assert_uint_gt(keeping.compared, 100);
    ck_assert_uint_gt(keeping.kept_all, keeping.compared - keeping.compared / 10);
    ck_assert_uint_gt(keeping.same, keeping.made - keeping.made / 20);
    ck_assert_uint_gt(keeping.moved, 10);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/together",
      (const TTest *const[]){
          small_ones_are_as_written_out, larger_ones_pass_the_judge,
          what_a_spoilt_composition_allows_is_not_passed, compositions_keep_an_earlier_plan, NULL});
}
