/* Graphs on streams with waits that may be added: what an arena is worth in waits, at several prices. */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "berth/verify.h"

/* Of the peak of the list, which no plan goes below: what one wait costs. */
static const uint32_t PRICES[] = {100, 1000, 100000};

static bool is_good(const struct berth_problem *problem, const struct berth_plan *plan) {
  struct berth_violation violation;
  struct berth_verdict verdict;
  bool good = berth_verify(problem, plan, NULL, &violation, 1, &verdict, NULL) == BERTH_OK &&
              verdict.n_violations == 0;
  if (!good) {
    fprintf(stderr, "refused by the judge: %s\n", violation.message);
  }
  return good;
}

static void print_row(const char *name, uint32_t price, const struct berth_plan *plan, double seconds) {
  uint64_t saved = plan->sync.without_bytes - plan->arena_bytes;
  uint64_t most = plan->sync.without_bytes - plan->peak_bytes;
  printf(
      "%-28s 1/%-7u %12" PRIu64 " %12" PRIu64 " %7.2f %% %6u %12.0f %7.1f %% %8.2f\n", name, price,
      plan->sync.without_bytes, plan->arena_bytes, 100 * (double)saved / (double)plan->sync.without_bytes,
      plan->n_syncs, plan->n_syncs != 0 ? (double)saved / plan->n_syncs : 0,
      most != 0 ? 100 * (double)saved / (double)most : 100, seconds);
}

/* The peak is of the problem: a plan with an impossible price says it. */
int bench_syncs(const char *name, const struct berth_problem *problem, const struct bench_options *options) {
  uint64_t peak = 0;
  for (size_t k = 0; k < sizeof PRICES / sizeof PRICES[0]; k++) {
    struct berth_solve_options solve = berth_solve_options_default();
    struct berth_problem *of = NULL;
    struct berth_plan *plan = NULL;
    solve.budget_ticks = options->budget_ticks;
    solve.strategies = options->strategies;
    if (k == 0) {
      struct berth_solve_options quick = solve;
      quick.budget_ticks = 1;
      if (berth_solve_levels(problem, &quick, NULL, NULL, &of, &plan, NULL) != BERTH_OK) {
        return 1;
      }
      peak = plan->peak_bytes;
      berth_plan_unref(plan);
      berth_problem_unref(of);
    }
    solve.sync.cost_bytes = peak / PRICES[k];
    double begin = bench_cpu_seconds();
    if (berth_solve_levels(problem, &solve, NULL, NULL, &of, &plan, NULL) != BERTH_OK) {
      return 1;
    }
    double seconds = bench_cpu_seconds() - begin;
    bool good = is_good(of, plan);
    print_row(name, PRICES[k], plan, seconds);
    berth_plan_unref(plan);
    berth_problem_unref(of);
    if (!good) {
      return 1;
    }
  }
  return 0;
}

void bench_syncs_head(void) {
  printf(
      "%-28s %-9s %12s %12s %9s %6s %12s %9s %8s\n", "instance", "price", "without", "arena", "saved",
      "waits", "bytes a wait", "of most", "s");
}
