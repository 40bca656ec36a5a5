#include "berth/report.h"
#include "sample.h"
#include "suite.h"

static struct sample sample;

struct peaks {
  struct berth_span *spans;
  uint32_t n;
  uint64_t bytes;
};

static struct peaks ask(void) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct peaks peaks;
  ck_assert_int_eq(berth_report_peaks(problem, NULL, &peaks.spans, &peaks.n, &peaks.bytes, NULL), BERTH_OK);
  berth_problem_unref(problem);
  return peaks;
}

START_TEST(a_buffer_that_takes_over_begins_a_span) {
  sample_clear(&sample);
  sample_add(&sample, 100, 0, 4);
  sample_add(&sample, 100, 4, 6);
  sample_add(&sample, 50, 8, 9);
  sample_add(&sample, 50, 8, 9);
  struct peaks peaks = ask();
  const struct berth_span expected[] = {{0, 4}, {4, 6}, {8, 9}};
  ck_assert_uint_eq(peaks.bytes, 100);
  ck_assert_uint_eq(peaks.n, 3);
  for (uint32_t i = 0; i < 3; i++) {
    ck_assert_int_eq(peaks.spans[i].lower, expected[i].lower);
    ck_assert_int_eq(peaks.spans[i].upper, expected[i].upper);
  }
  berth_report_free(NULL, peaks.spans);
}
END_TEST

START_TEST(nothing_has_no_peak) {
  sample_clear(&sample);
  sample_add(&sample, 0, 0, 4);
  struct peaks peaks = ask();
  ck_assert_uint_eq(peaks.n, 0);
  ck_assert_uint_eq(peaks.bytes, 0);
  berth_report_free(NULL, peaks.spans);
}
END_TEST

/* Every step of a span has the load, its contributions sum to it, and no step outside has it. */
START_TEST(they_are_the_steps_of_the_load) {
  struct berth_rng rng = {5};
  for (int round = 0; round < 60; round++) {
    sample_generate(
        &sample, &rng, (enum sample_family)(round % SAMPLE_N_FAMILIES), 20, SAMPLE_GAPS | SAMPLE_ZEROS);
    struct berth_problem *problem = sample_build(&sample, NULL);
    struct peaks peaks = ask();
    ck_assert_uint_eq(peaks.bytes, sample_load(&sample));
    for (int64_t step = -1; step < 80; step++) {
      bool is_in = false;
      for (uint32_t i = 0; i < peaks.n; i++) {
        is_in = is_in || (peaks.spans[i].lower <= step && step < peaks.spans[i].upper);
      }
      struct berth_contribution *items;
      uint32_t n_items;
      uint64_t sum = 0;
      ck_assert_int_eq(berth_report_contributions(problem, step, NULL, &items, &n_items, NULL), BERTH_OK);
      for (uint32_t k = 0; k < n_items; k++) {
        sum += items[k].live_bytes;
      }
      berth_report_free(NULL, items);
      ck_assert_int_eq(is_in, sum == peaks.bytes && sum > 0);
    }
    berth_report_free(NULL, peaks.spans);
    berth_problem_unref(problem);
  }
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "report/peaks",
      (const TTest *const[]){
          a_buffer_that_takes_over_begins_a_span, nothing_has_no_peak, they_are_the_steps_of_the_load, NULL});
  sample_finish(&sample);
  return status;
}
