/* The judge stays fast whatever it is shown: a good plan of many buffers, all of them on each other, and
 * offsets chosen to unbalance whatever keeps them in order. */
#include <time.h>

#include "base/rng.h"
#include "judged.h"
#include "suite.h"

enum { N = 300000, FEW = N / 10 };

static struct sample sample;
static uint64_t offset[N];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU seconds to judge the first n. */
static double judge(uint32_t n, struct judged *judged) {
  uint32_t all = sample.n_buffers;
  sample.n_buffers = n;
  struct berth_problem *problem = sample_build(&sample, NULL);
  double began = seconds();
  ck_assert_int_eq(
      berth_verify_offsets(
          problem, NULL, offset, NULL, judged->list, JUDGED_CAPACITY, &judged->verdict, NULL),
      BERTH_OK);
  double took = seconds() - began;
  berth_problem_unref(problem);
  sample.n_buffers = all;
  return took;
}

static double growth_of(struct judged *judged) {
  double few = judge(FEW, judged);
  return judge(N, judged) / (few < 0.002 ? 0.002 : few);
}

/* Ten times the buffers take at most about twenty times as long, not a hundred. The best of some runs: others
 * may use the machine's caches, too. */
static void expect_scales(struct judged *judged) {
  double growth = growth_of(judged);
  for (int run = 1; run < 4 && growth >= 40; run++) {
    growth = growth_of(judged);
  }
  ck_assert_double_lt(growth, 40);
}

static void begin(void) {
  sample_finish(&sample);
}

START_TEST(all_on_each_other) {
  begin();
  for (uint32_t i = 0; i < N; i++) {
    sample_add(&sample, 100, 0, 10);
    offset[i] = i % 7;
  }
  struct judged judged;
  expect_scales(&judged);
  ck_assert_uint_eq(judged.verdict.n_listed, JUDGED_CAPACITY);
  ck_assert_uint_ge(judged.verdict.n_violations, N - 1);
}
END_TEST

START_TEST(a_good_plan_and_one_byte_too_low) {
  begin();
  struct berth_rng rng = {3};
  for (uint32_t i = 0; i < N; i++) {
    uint64_t size = 1 + berth_rng_below(&rng, 1000);
    sample_add(&sample, size, i, i + 64);
    offset[i] = (uint64_t)(i % 64) * 1000;
  }
  struct judged judged;
  expect_scales(&judged);
  judged_expect_good(&judged);
  sample.buffers[N / 2].spec.size_bytes = 1000;
  offset[N / 2 + 1]--;
  judge(N, &judged);
  ck_assert_uint_ge(judged.verdict.n_violations, 1);
  ck_assert_uint_eq(judged.list[0].buffer_b, N / 2 + 1);
}
END_TEST

START_TEST(ascending_offsets_that_nest) {
  begin();
  for (uint32_t i = 0; i < N; i++) {
    sample_add(&sample, 1, i, 2 * (int64_t)N - i);
    offset[i] = i;
  }
  struct judged judged;
  expect_scales(&judged);
  judged_expect_good(&judged);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "verify/scale",
      (const TTest *const[]){
          all_on_each_other, a_good_plan_and_one_byte_too_low, ascending_offsets_that_nest, NULL});
  sample_finish(&sample);
  return status;
}
