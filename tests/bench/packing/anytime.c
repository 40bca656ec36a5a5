/* How soon there is a plan, how well a deadline is held, and how soon a stop is heard, in processor time. */
#include <stdio.h>

#include "bench.h"
#include "sample.h"

static const char *const FAMILIES[SAMPLE_N_FAMILIES] = {
    [SAMPLE_UNIFORM] = "uniform",
    [SAMPLE_FORWARD] = "forward",
    [SAMPLE_FORWARD_BACKWARD] = "forward-backward",
    [SAMPLE_EQUAL] = "equal",
    [SAMPLE_POWERS] = "powers",
    [SAMPLE_GUILLOTINE] = "guillotine",
    [SAMPLE_PINWHEEL] = "pinwheel",
    [SAMPLE_TRAP] = "trap",
    [SAMPLE_STREAMS] = "streams",
};
enum { MOST_OF_STREAMS = 1000 }; /* there are n^2 pairs of them */

/* The first families that have so many buffers. */
static int n_families(uint32_t n) {
  return n <= MOST_OF_STREAMS ? SAMPLE_N_FAMILIES : SAMPLE_STREAMS;
}

static struct berth_problem *make(enum sample_family family, uint32_t n) {
  struct sample sample;
  struct berth_rng rng = {.state = n};
  sample_init(&sample);
  sample_generate(&sample, &rng, family, n, 0);
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  return problem;
}

/* The longest time to a first plan over the families; the least of three runs each. */
static int first_plans(const struct bench_options *options, uint32_t n, double target_ms) {
  struct bench_options quick = *options;
  double longest = 0;
  const char *slowest = "none";
  quick.budget_ticks = 1;
  for (int family = 0; family < n_families(n); family++) {
    struct berth_problem *problem = make((enum sample_family)family, n);
    double least = 0;
    for (int run = 0; run < 3; run++) {
      struct bench_row row;
      if (!bench_solve(FAMILIES[family], problem, &quick, &row)) {
        berth_problem_unref(problem);
        return 1;
      }
      least = run == 0 || row.first_seconds < least ? row.first_seconds : least;
    }
    berth_problem_unref(problem);
    slowest = least > longest ? FAMILIES[family] : slowest;
    longest = least > longest ? least : longest;
  }
  char name[128];
  snprintf(name, sizeof name, "%u buffers: first plan, the slowest family (%s)", n, slowest);
  bench_bar(name, 1e3 * longest, "ms", true, target_ms);
  return 0;
}

/* By how much the worst family is late, and the longest wait for a question, at one size. */
static int deadlines(const struct bench_options *options, uint32_t n) {
  static const double SECONDS[] = {0.03, 0.1, 0.5};
  int n_failed = 0;
  for (size_t d = 0; d < sizeof SECONDS / sizeof SECONDS[0]; d++) {
    struct bench_options timed = *options;
    double latest = 0;
    double longest_wait = 0;
    const char *slowest = "none";
    timed.seconds = SECONDS[d];
    for (int family = -1; family < n_families(n); family++) {
      const char *of = family < 0 ? "synthetic" : FAMILIES[family];
      struct berth_problem *problem = family < 0 ? bench_synthetic(n) : make((enum sample_family)family, n);
      struct bench_row row;
      bool good = bench_solve(of, problem, &timed, &row);
      berth_problem_unref(problem);
      n_failed += !good && !row.stopped;
      double late = row.total_seconds - SECONDS[d];
      slowest = late > latest ? of : slowest;
      latest = late > latest ? late : latest;
      longest_wait = row.longest_wait > longest_wait ? row.longest_wait : longest_wait;
    }
    char name[128];
    snprintf(
        name, sizeof name, "%u buffers, %g s: late (%s); longest wait %.1f ms", n, SECONDS[d], slowest,
        1e3 * longest_wait);
    bench_bar(name, 1e3 * latest, "ms", true, 10);
  }
  return n_failed;
}

int bench_anytime(const struct bench_options *options) {
  int n_failed = first_plans(options, 1000, 1) + first_plans(options, 30000, 100);
  static const uint32_t SIZES[] = {1000, 10000, 100000, 1000000};
  for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
    n_failed += deadlines(options, SIZES[k]);
  }
  return n_failed;
}
