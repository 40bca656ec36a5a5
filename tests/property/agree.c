/* What a problem says of its buffers, and what the judge works out by itself, from graphs with everything:
 * for every two buffers and ways in which they can overlap, the one says that the bytes may be shared if and
 * only if the other does. If the planner took less, plans would be wrong; if it took more, its bounds would
 * be. */
#include <stdio.h>
#include <stdlib.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"

enum { PROBLEMS = 6000, BUDGET = 30000, APART = 4096, LOOKS = 3 };

static struct { uint32_t graphs, regions, streams, slices, pairs, may, may_not, checked, trusted; } seen;

/* ---- What the problem says ---- */

/* Bytes that a buffer holds for a time. */
struct held {
  uint64_t begin;
  uint64_t end;
  int64_t lower;
  int64_t upper;
  const uint32_t *clock_lower; /* NULL: a total order */
  const uint32_t *clock_upper;
};

static bool is_within(const uint32_t *a, const uint32_t *b, uint32_t n) {
  for (uint32_t c = 0; c < n; c++) {
    if (a[c] > b[c]) {
      return false;
    }
  }
  return true;
}

static bool is_held_at_once(const struct held *a, const struct held *b, uint32_t n_clocks) {
  bool bytes = a->begin < b->end && b->begin < a->end;
  if (n_clocks == 0) {
    return bytes && a->lower < b->upper && b->lower < a->upper;
  }
  return bytes && !is_within(a->clock_upper, b->clock_lower, n_clocks) &&
         !is_within(b->clock_upper, a->clock_lower, n_clocks);
}

/* All that buffer b holds, by its slices, or between and in its gaps. */
static uint32_t list_held(const struct berth_buffers *buffers, uint32_t b, struct held *out) {
  uint32_t n_clocks = buffers->n_clocks;
  uint32_t n = 0;
  bool sliced = buffers->slice_begin != NULL && buffers->slice_begin[b] < buffers->slice_begin[b + 1];
  for (uint32_t k = sliced ? buffers->slice_begin[b] : 0; sliced && k < buffers->slice_begin[b + 1]; k++) {
    const struct berth_slice *slice = &buffers->slices[k];
    out[n++] = (struct held){
        .begin = slice->window_lower,
        .end = slice->window_upper,
        .clock_lower = buffers->slice_clock_lower + (size_t)k * n_clocks,
        .clock_upper = buffers->slice_clock_upper + (size_t)k * n_clocks};
  }
  if (sliced) {
    return n;
  }
  struct held whole = {.end = buffers->size_bytes[b], .lower = buffers->lower[b], .upper = buffers->upper[b]};
  if (n_clocks != 0) {
    whole.clock_lower = buffers->clock_lower + (size_t)b * n_clocks;
    whole.clock_upper = buffers->clock_upper + (size_t)b * n_clocks;
  }
  uint32_t g = buffers->gap_begin != NULL ? buffers->gap_begin[b] : 0;
  for (; buffers->gap_begin != NULL && g < buffers->gap_begin[b + 1]; g++) {
    const struct berth_gap *gap = &buffers->gaps[g];
    out[n] = whole;
    out[n++].upper = gap->lower;
    out[n++] = (struct held){
        .begin = gap->window_lower, .end = gap->window_upper, .lower = gap->lower, .upper = gap->upper};
    whole.lower = gap->upper;
  }
  out[n++] = whole;
  return n;
}

enum { MOST_HELD = 256 };

static bool
says_apart(const struct berth_buffers *buffers, uint32_t a, uint64_t at_a, uint32_t b, uint64_t at_b) {
  static struct held of_a[MOST_HELD];
  static struct held of_b[MOST_HELD];
  uint32_t n_a = list_held(buffers, a, of_a);
  uint32_t n_b = list_held(buffers, b, of_b);
  bool apart = true;
  for (uint32_t i = 0; i < n_a; i++) {
    for (uint32_t j = 0; j < n_b; j++) {
      struct held x = of_a[i];
      struct held y = of_b[j];
      x.begin += at_a;
      x.end += at_a;
      y.begin += at_b;
      y.end += at_b;
      bool empty = x.begin >= x.end || y.begin >= y.end;
      empty = empty || (buffers->n_clocks == 0 && (x.lower >= x.upper || y.lower >= y.upper));
      apart = apart && (empty || !is_held_at_once(&x, &y, buffers->n_clocks));
    }
  }
  return apart;
}

/* ---- Both asked ---- */

static void
compare(uint32_t k, const struct berth_problem *problem, uint32_t a, uint32_t b, struct berth_rng *rng) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  uint64_t *offset = malloc(sizeof *offset * buffers->n);
  ck_assert_ptr_nonnull(offset);
  for (uint32_t i = 0; i < buffers->n; i++) {
    offset[i] = (uint64_t)(i + 1) * APART;
  }
  offset[a] = APART / 2;
  uint64_t step =
      buffers->alignment[a] > buffers->alignment[b] ? buffers->alignment[a] : buffers->alignment[b];
  uint64_t reach = (buffers->size_bytes[a] + buffers->size_bytes[b]) / step + 1;
  uint64_t first = APART / 2 - buffers->size_bytes[b] / step * step;
  offset[b] = first + step * berth_rng_below(rng, (uint32_t)reach);
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  struct berth_error err = {0};
  enum berth_code code = berth_verify_offsets(problem, NULL, offset, NULL, &violation, 1, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "graph %u: %s", k, err.message);
  bool says = says_apart(buffers, a, offset[a], b, offset[b]);
  ck_assert_msg(
      says == (verdict.n_violations == 0),
      "graph %u: buffers %u at %llu and %u at %llu: the problem says %d: %s", k, a,
      (unsigned long long)offset[a], b, (unsigned long long)offset[b], says, violation.message);
  seen.pairs++;
  seen.may += says;
  seen.may_not += !says;
  free(offset);
}

static void check_plan(uint32_t k, const struct berth_problem *problem) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan;
  struct berth_verdict verdict;
  struct berth_violation violation = {0};
  const struct berth_verify_terms terms = {.capacity_bytes = BERTH_UNLIMITED};
  options.budget_ticks = BUDGET;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(berth_verify_answer(problem, plan, &terms, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "graph %u: %s", k, violation.message);
  seen.checked += verdict.lower_bound == BERTH_CLAIM_CHECKED;
  seen.trusted += verdict.lower_bound == BERTH_CLAIM_TRUSTED;
  berth_plan_unref(plan);
}

START_TEST(the_problem_and_the_judge_say_the_same_of_every_byte) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct graph graph;
    uint32_t features = GRAPH_VIEWS | GRAPH_IN_PLACE | GRAPH_KINDS;
    features |= k % 2 == 0 ? GRAPH_STREAMS : 0;
    features |= k % 3 != 0 ? GRAPH_REGIONS : 0;
    graph_generate(&graph, &rng, 2 + berth_rng_below(&rng, 10), features);
    struct berth_problem *problem = graph_build(&graph);
    uint32_t n = berth_problem_buffers(problem)->n;
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t b = a + 1; b < n; b++) {
        bool sized = berth_problem_buffers(problem)->size_bytes[a] != 0 &&
                     berth_problem_buffers(problem)->size_bytes[b] != 0;
        for (int i = 0; i < LOOKS && sized; i++) {
          compare(k, problem, a, b, &rng);
        }
      }
    }
    check_plan(k, problem);
    seen.graphs++;
    seen.regions += graph.n_regions != 0;
    seen.streams += berth_problem_buffers(problem)->n_clocks != 0;
    seen.slices += berth_problem_buffers(problem)->slice_begin != NULL;
    berth_problem_unref(problem);
  }
  printf(
      "%u graphs, %u with regions, %u with streams, %u with slices; %u pairs of buffers, %u may share and %u "
      "may "
      "not; bounds of %u derived again, of %u on trust\n",
      seen.graphs, seen.regions, seen.streams, seen.slices, seen.pairs, seen.may, seen.may_not, seen.checked,
      seen.trusted);
  if (campaign.end - campaign.first >= 1000) {
    ck_assert_uint_gt(seen.regions, seen.graphs / 10);
    ck_assert_uint_gt(seen.slices, seen.graphs / 10);
    ck_assert_uint_gt(seen.may, seen.pairs / 20);
    ck_assert_uint_gt(seen.may_not, seen.pairs / 20);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/agree", (const TTest *const[]){the_problem_and_the_judge_say_the_same_of_every_byte, NULL});
}
