#include "berth/report.h"

#include "honest.h"
#include "suite.h"

static struct sample sample;

struct series {
  uint32_t n;
  struct berth_timeline_point *points;
};

static struct series draw(const struct berth_plan *plan, uint32_t pool) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct series series;
  struct berth_error err = {0};
  enum berth_code code = berth_report_timeline(problem, plan, pool, NULL, &series.points, &series.n, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_unref(problem);
  return series;
}

static void
expect(const struct berth_plan *plan, uint32_t pool, const struct berth_timeline_point *points, uint32_t n) {
  struct series series = draw(plan, pool);
  ck_assert_uint_eq(series.n, n);
  for (uint32_t k = 0; k < n; k++) {
    ck_assert_int_eq(series.points[k].step, points[k].step);
    ck_assert_uint_eq(series.points[k].live_bytes, points[k].live_bytes);
  }
  berth_report_free(NULL, series.points);
}

#define EXPECT(plan, pool, ...)                                                                              \
  expect(                                                                                                    \
      plan, pool, (const struct berth_timeline_point[]){__VA_ARGS__},                                        \
      sizeof((const struct berth_timeline_point[]){__VA_ARGS__}) / sizeof(struct berth_timeline_point))

/* Report 56: A(300) [1,3], B(200) [2,4], C(100) [3,4], D(50) [4,5]: 300, 500, 600, 350, 50. */
START_TEST(every_step_of_report_56) {
  sample_finish(&sample);
  sample_add(&sample, 300, 1, 4);
  sample_add(&sample, 200, 2, 5);
  sample_add(&sample, 100, 3, 5);
  sample_add(&sample, 50, 4, 6);
  EXPECT(NULL, BERTH_NO_INDEX, {1, 300}, {2, 500}, {3, 600}, {4, 350}, {5, 50}, {6, 0});
}
END_TEST

/* Report 51: outputs are there before inputs go: the peak is 200, not the net change's 100. */
START_TEST(outputs_come_before_inputs_go) {
  sample_finish(&sample);
  sample_add(&sample, 100, 1, 3);
  sample_add(&sample, 100, 2, 4);
  sample_add(&sample, 100, 3, 4);
  EXPECT(NULL, BERTH_NO_INDEX, {1, 100}, {2, 200}, {4, 0});
}
END_TEST

START_TEST(gaps_count_their_windows_and_nothing_is_zero) {
  sample_finish(&sample);
  struct sample_buffer *buffer = sample_add(&sample, 100, -3, 6);
  sample_add_gap(buffer, 0, 2, 10, 40);
  sample_add_gap(buffer, 3, 5, 0, 0);
  sample_add(&sample, 0, -9, 9);
  EXPECT(NULL, BERTH_NO_INDEX, {-3, 100}, {0, 30}, {2, 100}, {3, 0}, {5, 100}, {6, 0});
}
END_TEST

START_TEST(no_buffers_no_points) {
  sample_finish(&sample);
  struct series series = draw(NULL, BERTH_NO_INDEX);
  ck_assert_uint_eq(series.n, 0);
  berth_report_free(NULL, series.points);
}
END_TEST

START_TEST(one_pool_at_a_time) {
  sample_finish(&sample);
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].name = (struct berth_text){"a", 1};
  sample.pools[1].name = (struct berth_text){"b", 1};
  sample_add(&sample, 10, 0, 2);
  sample_add(&sample, 20, 1, 3);
  struct berth_plan *plan = honest_plan(&sample, (const uint32_t[]){1, 0}, (const uint64_t[]){0, 0});
  EXPECT(plan, 0, {1, 20}, {3, 0});
  EXPECT(plan, 1, {0, 10}, {2, 0});
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct series series;
  struct berth_error err;
  ck_assert_int_eq(
      berth_report_timeline(problem, plan, 2, NULL, &series.points, &series.n, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(
      berth_report_timeline(problem, NULL, 0, NULL, &series.points, &series.n, &err), BERTH_INVALID_ARGUMENT);
  berth_problem_unref(problem);
  berth_plan_unref(plan);
}
END_TEST

/* Fewer points: the peak is kept, nothing is shown as less than it is, and the end stays. */
START_TEST(thinned_it_covers_what_it_was) {
  struct berth_rng rng = {7};
  for (uint32_t most = 0; most < 40; most++) {
    sample_generate(&sample, &rng, SAMPLE_UNIFORM, 30, 0);
    struct series whole = draw(NULL, BERTH_NO_INDEX);
    struct series thin = draw(NULL, BERTH_NO_INDEX);
    thin.n = berth_report_thin(thin.points, thin.n, most);
    ck_assert_uint_le(thin.n, most < 2 ? 2 : most);
    ck_assert_int_eq(thin.points[0].step, whole.points[0].step);
    ck_assert_int_eq(thin.points[thin.n - 1].step, whole.points[whole.n - 1].step);
    uint64_t peak = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < whole.n; i++) {
      while (at + 1 < thin.n && thin.points[at + 1].step <= whole.points[i].step) {
        at++;
      }
      ck_assert_uint_ge(thin.points[at].live_bytes, whole.points[i].live_bytes);
      peak = thin.points[at].live_bytes > peak ? thin.points[at].live_bytes : peak;
    }
    ck_assert_uint_eq(peak, sample_load(&sample));
    berth_report_free(NULL, whole.points);
    berth_report_free(NULL, thin.points);
  }
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "report/timeline", (const TTest *const[]){
                             every_step_of_report_56, outputs_come_before_inputs_go,
                             gaps_count_their_windows_and_nothing_is_zero, no_buffers_no_points,
                             one_pool_at_a_time, thinned_it_covers_what_it_was, NULL});
  sample_finish(&sample);
  return status;
}
