/* What does not change a problem's optimum: time run backwards, every buffer turned upside down, other places
 * in the list, and another unit of bytes, by which it scales. And a plan turned upside down within its arena
 * is a plan of the problem turned upside down, where nothing is pinned; of what is aligned, where sizes are
 * multiples of the alignment, within the arena rounded up to the strictest. */
#include <stdio.h>
#include <stdlib.h>

#include "berth/solve.h"
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

enum { PROBLEMS = 1500, BUDGET = 3000000, MOST_BUFFERS = 14, LAST_STEP = 1 << 20 };

static struct sample sample;
static struct sample other;
static struct { uint32_t pairs, proved, gaps, flipped, aligned; } seen;

static struct berth_plan *solve(const struct sample *which, const uint32_t *order) {
  struct berth_problem *problem = sample_build(which, order);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  struct berth_plan *plan = NULL;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  berth_problem_unref(problem);
  return plan;
}

static uint64_t round_up(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/* The bounds of each hold for the other, within `room`, and proofs agree. */
static void expect_near(uint32_t k, const char *what, const uint32_t *order, uint64_t scale, uint64_t room) {
  struct berth_plan *a = solve(&sample, NULL), *b = solve(&other, order);
  bool ok = b->lower_bound_bytes <= round_up(a->arena_bytes * scale, room) &&
            a->lower_bound_bytes * scale <= round_up(b->arena_bytes, room);
  ck_assert_msg(
      ok, "problem %u, %s: [%llu, %llu] and [%llu, %llu]", k, what, (unsigned long long)a->lower_bound_bytes,
      (unsigned long long)a->arena_bytes, (unsigned long long)b->lower_bound_bytes,
      (unsigned long long)b->arena_bytes);
  seen.pairs++;
  seen.proved += a->status == BERTH_PLAN_OPTIMAL && b->status == BERTH_PLAN_OPTIMAL;
  berth_plan_unref(a);
  berth_plan_unref(b);
}

static void expect_same(uint32_t k, const char *what, const uint32_t *order, uint64_t scale) {
  expect_near(k, what, order, scale, 1);
}

/* Sizes become multiples of the alignments; the strictest of these. */
static uint64_t round_sizes(struct sample *it) {
  uint64_t strictest = 1;
  for (uint32_t i = 0; i < it->n_buffers; i++) {
    struct berth_buffer_spec *spec = &it->buffers[i].spec;
    spec->size_bytes = round_up(spec->size_bytes, spec->alignment);
    strictest = spec->alignment > strictest ? spec->alignment : strictest;
  }
  return strictest;
}

static void reverse_time(struct sample *it) {
  for (uint32_t i = 0; i < it->n_buffers; i++) {
    struct sample_buffer *buffer = &it->buffers[i];
    int64_t lower = buffer->spec.lower;
    buffer->spec.lower = LAST_STEP - buffer->spec.upper;
    buffer->spec.upper = LAST_STEP - lower;
    uint32_t n = buffer->spec.n_gaps;
    struct berth_gap gaps[SAMPLE_MAX_GAPS];
    for (uint32_t g = 0; g < n; g++) {
      gaps[g] = buffer->gaps[n - 1 - g];
      lower = gaps[g].lower;
      gaps[g].lower = LAST_STEP - gaps[g].upper;
      gaps[g].upper = LAST_STEP - lower;
    }
    for (uint32_t g = 0; g < n; g++) {
      buffer->gaps[g] = gaps[g];
    }
    seen.gaps += n;
  }
}

static bool is_absent(const struct berth_gap *gap) {
  return gap->window_lower >= gap->window_upper;
}

static void flip(struct sample *it) {
  for (uint32_t i = 0; i < it->n_buffers; i++) {
    struct sample_buffer *buffer = &it->buffers[i];
    for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
      struct berth_gap *gap = &buffer->gaps[g];
      if (!is_absent(gap)) {
        uint64_t lower = gap->window_lower;
        gap->window_lower = buffer->spec.size_bytes - gap->window_upper;
        gap->window_upper = buffer->spec.size_bytes - lower;
      }
    }
  }
}

static void scale_bytes(struct sample *it, uint64_t scale) {
  for (uint32_t i = 0; i < it->n_buffers; i++) {
    struct sample_buffer *buffer = &it->buffers[i];
    buffer->spec.size_bytes *= scale;
    buffer->spec.alignment *= scale;
    buffer->spec.pinned_offset *= buffer->spec.pinned_offset != BERTH_UNPINNED ? scale : 1;
    for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
      buffer->gaps[g].window_lower *= scale;
      buffer->gaps[g].window_upper *= scale;
    }
  }
}

static void flip_plan(uint32_t k, uint64_t strictest) {
  struct berth_plan *plan = solve(&sample, NULL);
  uint64_t *offset = malloc(sizeof *offset * (sample.n_buffers + 1));
  ck_assert_ptr_nonnull(offset);
  for (uint32_t i = 0; i < sample.n_buffers; i++) {
    uint64_t height = round_up(plan->arena_bytes, strictest);
    offset[i] = height - plan->offset[i] - sample.buffers[i].spec.size_bytes;
  }
  ck_assert_msg(oracle_safe(&other, plan->pool, offset), "problem %u: upside down it is no plan", k);
  seen.flipped++;
  free(offset);
  berth_plan_unref(plan);
}

static void draw(uint32_t k, uint32_t features) {
  struct berth_rng rng = campaign_seed(k);
  sample_generate_any(&sample, &rng, 3, MOST_BUFFERS, features);
  sample_copy(&other, &sample);
}

START_TEST(mirrors) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    uint32_t features = (k & 1 ? SAMPLE_ALIGNED : 0) | (k & 2 ? SAMPLE_PINNED : 0) |
                        (k & 4 ? SAMPLE_GAPS : 0) | (k & 8 ? SAMPLE_CONFLICTS : 0);
    draw(k, features);
    reverse_time(&other);
    expect_same(k, "time backwards", NULL, 1);
    draw(k, features & ~(uint32_t)SAMPLE_PINNED);
    uint64_t strictest = round_sizes(&sample);
    sample_copy(&other, &sample);
    flip(&other);
    expect_near(k, "upside down", NULL, 1, strictest);
    flip_plan(k, strictest);
    seen.aligned += strictest > 1;
    draw(k, features);
    scale_bytes(&other, 16);
    expect_same(k, "scaled", NULL, 16);
    draw(k, features);
    struct berth_rng rng = campaign_seed(k);
    uint32_t *order = malloc(sizeof *order * (sample.n_buffers + 1));
    ck_assert_ptr_nonnull(order);
    sample_shuffle(&rng, order, sample.n_buffers);
    expect_same(k, "permuted", order, 1);
    free(order);
  }
  printf(
      "%u pairs, %u proved twice; %u gaps run backwards, %u plans turned upside down, %u with alignment\n",
      seen.pairs, seen.proved, seen.gaps, seen.flipped, seen.aligned);
  if (campaign.end - campaign.first > 100) {
    ck_assert_uint_gt(seen.proved, seen.pairs / 10 * 9);
    ck_assert_uint_gt(seen.gaps, 0);
    ck_assert_uint_gt(seen.aligned, seen.flipped / 4);
  }
}
END_TEST

int main(void) {
  sample_init(&sample);
  sample_init(&other);
  int status = berth_suite_run("property/mirrors", (const TTest *const[]){mirrors, NULL});
  sample_finish(&sample);
  sample_finish(&other);
  return status;
}
