#include "berth/report.h"
#include "sample.h"
#include "suite.h"

static struct sample sample;

struct shares {
  uint32_t n;
  struct berth_contribution *items;
};

static struct shares ask(int64_t step) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct shares shares;
  ck_assert_int_eq(berth_report_contributions(problem, step, NULL, &shares.items, &shares.n, NULL), BERTH_OK);
  berth_problem_unref(problem);
  return shares;
}

/* Report 56: the peak of 600 is A 300, B 200 and C 100, and of nothing else. */
START_TEST(the_peak_of_report_56) {
  sample_finish(&sample);
  sample_add(&sample, 100, 3, 5);
  sample_add(&sample, 300, 1, 4);
  sample_add(&sample, 50, 4, 6);
  sample_add(&sample, 200, 2, 5);
  struct shares shares = ask(3);
  const uint32_t buffers[] = {1, 3, 0};
  const uint64_t bytes[] = {300, 200, 100};
  ck_assert_uint_eq(shares.n, 3);
  for (uint32_t k = 0; k < 3; k++) {
    ck_assert_uint_eq(shares.items[k].buffer, buffers[k]);
    ck_assert_uint_eq(shares.items[k].live_bytes, bytes[k]);
  }
  berth_report_free(NULL, shares.items);
}
END_TEST

START_TEST(ties_go_by_index_and_gaps_by_window) {
  sample_finish(&sample);
  sample_add(&sample, 10, 0, 9);
  sample_add_gap(sample_add(&sample, 100, 0, 9), 3, 5, 20, 30);
  sample_add(&sample, 10, 4, 5);
  sample_add_gap(sample_add(&sample, 100, 0, 9), 3, 5, 0, 0);
  struct shares shares = ask(4);
  ck_assert_uint_eq(shares.n, 3);
  for (uint32_t k = 0; k < 3; k++) {
    ck_assert_uint_eq(shares.items[k].buffer, k);
    ck_assert_uint_eq(shares.items[k].live_bytes, 10);
  }
  berth_report_free(NULL, shares.items);
}
END_TEST

START_TEST(nobody_is_live_outside_every_life) {
  sample_finish(&sample);
  sample_add(&sample, 10, 2, 4);
  for (int64_t step = 0; step < 6; step++) {
    struct shares shares = ask(step);
    ck_assert_uint_eq(shares.n, step == 2 || step == 3);
    berth_report_free(NULL, shares.items);
  }
}
END_TEST

START_TEST(they_sum_to_the_load_at_every_step) {
  struct berth_rng rng = {11};
  for (int round = 0; round < 50; round++) {
    sample_generate(&sample, &rng, (enum sample_family)(round % SAMPLE_N_FAMILIES), 20, SAMPLE_GAPS);
    uint64_t most = 0;
    for (int64_t step = -1; step < 60; step++) {
      struct shares shares = ask(step);
      uint64_t sum = 0;
      for (uint32_t k = 0; k < shares.n; k++) {
        sum += shares.items[k].live_bytes;
        ck_assert(k == 0 || shares.items[k - 1].live_bytes >= shares.items[k].live_bytes);
      }
      most = sum > most ? sum : most;
      berth_report_free(NULL, shares.items);
    }
    ck_assert_uint_eq(most, sample_load(&sample));
  }
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "report/contributions",
      (const TTest *const[]){
          the_peak_of_report_56, ties_go_by_index_and_gaps_by_window, nobody_is_live_outside_every_life,
          they_sum_to_the_load_at_every_step, NULL});
  sample_finish(&sample);
  return status;
}
