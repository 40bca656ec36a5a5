#define _DEFAULT_SOURCE /* getrusage */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "bench.h"
#include "crew/crew.h"

/* The same problem without helpers and with them, in turns: the best time of each, and what all threads spend
 * together. On a machine that does other things, too, only the second says much. */

enum { ROUNDS = 3, N_POOLS = 4, A_POOL = 4000 };

struct run {
  double wall_seconds; /* the least */
  double cpu_seconds;
  struct berth_plan *plan;
};

static double cpu_of_all(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static bool run_once(
    const struct berth_problem *problem, const struct bench_options *options,
    const struct berth_executor *executor, struct run *run) {
  struct berth_solve_options solve = berth_solve_options_default();
  solve.budget_ticks = options->budget_ticks;
  solve.strategies = options->strategies;
  solve.executor = executor;
  berth_plan_unref(run->plan);
  run->plan = NULL;
  double wall = bench_wall_seconds(), cpu = cpu_of_all();
  bool good = berth_solve(problem, &solve, NULL, NULL, &run->plan, NULL) == BERTH_OK;
  wall = bench_wall_seconds() - wall;
  cpu = cpu_of_all() - cpu;
  run->wall_seconds = run->wall_seconds == 0 || wall < run->wall_seconds ? wall : run->wall_seconds;
  run->cpu_seconds = run->cpu_seconds == 0 || cpu < run->cpu_seconds ? cpu : run->cpu_seconds;
  return good;
}

static bool is_same(const struct berth_plan *a, const struct berth_plan *b) {
  return a->ticks == b->ticks && a->status == b->status && a->lower_bound_bytes == b->lower_bound_bytes &&
         a->arena_bytes == b->arena_bytes && (a->offset == NULL) == (b->offset == NULL) &&
         (a->offset == NULL || (memcmp(a->offset, b->offset, a->n_buffers * sizeof *a->offset) == 0 &&
                                memcmp(a->pool, b->pool, a->n_buffers * sizeof *a->pool) == 0));
}

static bool compare(
    const char *name, const struct berth_problem *problem, const struct bench_options *options,
    const struct berth_executor *executor) {
  struct run alone = {0}, helped = {0};
  bool good = problem != NULL;
  for (int round = 0; round < ROUNDS && good; round++) {
    good = run_once(problem, options, NULL, &alone) && run_once(problem, options, executor, &helped);
    good = good && is_same(alone.plan, helped.plan);
  }
  if (good) {
    printf(
        "%-44s %9.2f %9.2f %8.2f %8.2f\n", name, 1e3 * alone.wall_seconds, 1e3 * helped.wall_seconds,
        alone.wall_seconds / helped.wall_seconds, helped.cpu_seconds / alone.cpu_seconds);
    fflush(stdout);
  } else {
    fprintf(stderr, "%s: no plan, or another one with helpers\n", name);
  }
  berth_plan_unref(alone.plan);
  berth_plan_unref(helped.plan);
  return good;
}

/* Pools that have nothing to do with each other. */
static struct berth_problem *make_pools(void) {
  struct berth_problem_builder *builder = NULL;
  struct berth_problem *problem = NULL;
  struct berth_rng rng = {.state = 3};
  bool ok = berth_problem_builder_create(NULL, &builder, NULL) == BERTH_OK;
  for (uint32_t p = 0; p < N_POOLS && ok; p++) {
    struct berth_pool_spec pool = berth_pool_spec_default();
    ok = berth_problem_builder_add_pool(builder, &pool, NULL, NULL) == BERTH_OK;
  }
  for (uint32_t i = 0; i < N_POOLS * A_POOL && ok; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    uint32_t pool = i % N_POOLS;
    spec.size_bytes = 64 * (UINT64_C(1) + berth_rng_below(&rng, 1u << berth_rng_below(&rng, 12)));
    spec.lower = i;
    spec.upper = i + 1 + berth_rng_below(&rng, 400);
    spec.pools = &pool;
    spec.n_pools = 1;
    ok = berth_problem_builder_add_buffer(builder, &spec, NULL, NULL) == BERTH_OK;
  }
  if (!ok || berth_problem_builder_finish(builder, &problem, NULL) != BERTH_OK) {
    problem = NULL;
  }
  berth_problem_builder_destroy(builder);
  return problem;
}

static int compare_all(const struct bench_options *options, const struct berth_executor *executor) {
  static const char *const FILES[] = {
      "minimalloc/D.1048576.csv",
      "minimalloc/J.1048576.csv",
      "minimalloc/K.1048576.csv",
      "minimalloc/A.1048576.csv",
      "somas/pangu_2.6B.csv",
      "somas/resnet50.csv",
      "iopddl/S_1.csv"};
  int n_failed = 0;
  for (size_t k = 0; k < sizeof FILES / sizeof FILES[0]; k++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", options->corpus, FILES[k]);
    struct berth_problem *problem = bench_read(path);
    n_failed += !compare(FILES[k], problem, options, executor);
    berth_problem_unref(problem);
  }
  struct berth_problem *synthetic = bench_synthetic(30000);
  struct berth_problem *pools = make_pools();
  n_failed += !compare("synthetic/forward-backward-30000", synthetic, options, executor);
  n_failed += !compare("synthetic/four-pools", pools, options, executor);
  berth_problem_unref(synthetic);
  berth_problem_unref(pools);
  return n_failed;
}

int bench_parallel(const struct bench_options *options, uint32_t n_threads, char *const *files, int n_files) {
  struct berth_crew_config config = {.n_helpers = n_threads - 1};
  struct berth_crew *crew;
  if (berth_crew_create(&config, &crew, NULL) != BERTH_OK) {
    return 1;
  }
  const struct berth_executor *executor = berth_crew_executor(crew);
  printf("%-44s %9s %9s %8s %8s\n", "wall time, ms", "alone", "helped", "faster", "cpu");
  int n_failed = n_files == 0 ? compare_all(options, executor) : 0;
  for (int k = 0; k < n_files; k++) {
    struct berth_problem *problem = bench_read(files[k]);
    n_failed += !compare(files[k], problem, options, executor);
    berth_problem_unref(problem);
  }
  berth_crew_destroy(crew);
  return n_failed;
}
