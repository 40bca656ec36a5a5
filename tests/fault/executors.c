/* A search on several threads with each of its requests for memory refused: the same plan, or
 * RESOURCE_EXHAUSTED, and nothing is left behind. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/solve.h"
#include "executors.h"
#include "minimalloc/minimalloc.h"
#include "sample.h"
#include "suite.h"

struct refusing {
  struct berth_allocator allocator;
  uint32_t at; /* this request, from 1 */
  bool on;     /* and all after it */
  atomic_uint n_requests;
  atomic_uint n_refused;
  atomic_int n_blocks;
};

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct refusing *refusing = ctx;
  (void)old_size;
  if (new_size == 0) {
    atomic_fetch_sub(&refusing->n_blocks, ptr != NULL);
    free(ptr);
    return NULL;
  }
  uint32_t n = atomic_fetch_add(&refusing->n_requests, 1) + 1;
  if (refusing->at != 0 && (n == refusing->at || (refusing->on && n > refusing->at))) {
    atomic_fetch_add(&refusing->n_refused, 1);
    return NULL;
  }
  atomic_fetch_add(&refusing->n_blocks, ptr == NULL);
  return realloc(ptr, new_size);
}

struct outcome {
  enum berth_code code;
  uint32_t n_requests;
  struct berth_plan *plan; /* in libc's memory */
};

static struct outcome solve(
    const struct berth_problem *problem, uint64_t budget, const struct berth_executor *executor, uint32_t at,
    bool on, const struct berth_plan *right) {
  struct refusing refusing = {.at = at, .on = on};
  refusing.allocator = (struct berth_allocator){.ctx = &refusing, .resize = resize};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget;
  options.executor = executor;
  struct berth_plan *plan = NULL;
  struct outcome outcome = {
      .code = berth_solve(problem, &options, NULL, &refusing.allocator, &plan, NULL),
      .n_requests = atomic_load(&refusing.n_requests)};
  ck_assert(outcome.code == BERTH_OK || outcome.code == BERTH_RESOURCE_EXHAUSTED);
  ck_assert(outcome.code != BERTH_RESOURCE_EXHAUSTED || atomic_load(&refusing.n_refused) > 0);
  if (outcome.code == BERTH_OK && right != NULL) {
    ck_assert_uint_eq(plan->ticks, right->ticks);
    ck_assert_int_eq(plan->status, right->status);
    ck_assert(memcmp(plan->offset, right->offset, right->n_buffers * sizeof *right->offset) == 0);
  }
  berth_plan_unref(plan);
  ck_assert_int_eq(atomic_load(&refusing.n_blocks), 0);
  return outcome;
}

static void refuse_each(const char *name, const struct berth_problem *problem, uint64_t budget) {
  static const struct berth_executor *const EXECUTORS[] = {
      &EXECUTOR_IN_ORDER, &EXECUTOR_REVERSED, &EXECUTOR_FOUR};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget;
  struct berth_plan *right = NULL;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &right, NULL), BERTH_OK);
  for (size_t e = 0; e < sizeof EXECUTORS / sizeof EXECUTORS[0]; e++) {
    uint32_t n = solve(problem, budget, EXECUTORS[e], 0, false, right).n_requests;
    uint32_t n_failed = 0, n_good = 0;
    for (uint32_t at = 1; at <= n; at++) {
      bool good = solve(problem, budget, EXECUTORS[e], at, false, right).code == BERTH_OK;
      n_good += good;
      n_failed += !good;
      solve(problem, budget, EXECUTORS[e], at, true, right);
    }
    printf("%s: %u requests, %u that matter\n", name, n, n_failed);
    ck_assert_uint_gt(n_failed, 0);
    ck_assert_uint_gt(n_failed + n_good, 8);
  }
  berth_plan_unref(right);
}

START_TEST(a_complete_search) {
  static char text[1 << 16];
  FILE *file = fopen("tests/data/intervals/minimalloc/D.1048576.csv", "rb");
  ck_assert(file != NULL);
  size_t n = fread(text, 1, sizeof text, file);
  fclose(file);
  struct berth_problem *problem = NULL;
  ck_assert_int_eq(berth_minimalloc_read(text, n, NULL, &problem, NULL), BERTH_OK);
  refuse_each("complete search", problem, 75000000);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(improvement) {
  struct berth_rng rng = {.state = 5};
  struct sample sample;
  sample_init(&sample);
  for (uint32_t i = 0; i < 4200; i++) {
    int64_t lower = berth_rng_below(&rng, 1000);
    sample_add(&sample, 1 + berth_rng_below(&rng, 1000), lower, lower + 1 + berth_rng_below(&rng, 300));
  }
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  refuse_each("improvement", problem, 6000000);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run("fault/executors", (const TTest *const[]){a_complete_search, improvement, NULL});
}
