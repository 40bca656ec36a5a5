#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics.h"
#include "suite.h"

static char *expose(const struct berthd_metrics *metrics) {
  size_t n;
  char *text = berthd_metrics_expose(metrics, &n);
  ck_assert_ptr_nonnull(text);
  ck_assert_uint_eq(strlen(text), n);
  ck_assert_int_eq(text[n - 1], '\n');
  return text;
}

static void check_line(const struct berthd_metrics *metrics, const char *line) {
  char *text = expose(metrics);
  char whole[256];
  snprintf(whole, sizeof whole, "\n%s\n", line);
  ck_assert_msg(strstr(text, whole) != NULL, "no line %s", line);
  free(text);
}

START_TEST(known_series_are_there_at_0) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  static const char *const LINES[] = {
      "grpc_server_call_started_total{grpc_method=\"berth.v1.PlanService/ComputePlan\"} 0",
      "berth_cache_requests_total{tier=\"memory\",result=\"hit\"} 0",
      "berth_cache_size_bytes{tier=\"memory\"} 0",
      "berth_cache_limit_bytes{tier=\"memory\"} 0",
      "berth_cache_entries{tier=\"memory\"} 0",
      "berth_cache_evictions_total{reason=\"size\"} 0",
      "berth_cache_saved_seconds_total 0",
      "berth_cache_verify_failures_total{tier=\"memory\"} 0",
      "berth_plan_duration_seconds_count{strategy=\"exact\",outcome=\"optimal\"} 0",
      "berth_plan_gap_ratio_count 0",
      "berth_queue_depth 0",
      "berth_queue_wait_seconds_count 0",
      "berth_workers 0",
      "berth_workers_busy 0",
      "berth_rejected_total{reason=\"queue_full\"} 0",
  };
  for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
    check_line(metrics, LINES[i]);
  }
  check_line(
      metrics, "grpc_server_call_duration_seconds_count{grpc_method=\"berth.v1.PlanService/ComputePlan\","
               "grpc_status=\"OK\"} 0");
  char *text = expose(metrics);
  ck_assert_ptr_nonnull(strstr(text, "\nberth_build_info{version=\""));
  ck_assert_ptr_nonnull(strstr(text, "\nprocess_resident_memory_bytes "));
  ck_assert_ptr_null(strstr(text, "grpc_status=\"INTERNAL\"")); /* has not happened */
  free(text);
  berthd_metrics_destroy(metrics);
}
END_TEST

START_TEST(counters_gauges_and_histograms_count) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  berthd_metrics_add(metrics, BERTHD_METRIC_CACHE_SAVED_SECONDS, 0, 0, 1.25);
  berthd_metrics_add(metrics, BERTHD_METRIC_CACHE_SAVED_SECONDS, 0, 0, 0.5);
  check_line(metrics, "berth_cache_saved_seconds_total 1.75");
  berthd_metrics_set(metrics, BERTHD_METRIC_QUEUE_DEPTH, 0, 0, 12);
  berthd_metrics_set(metrics, BERTHD_METRIC_QUEUE_DEPTH, 0, 0, 7);
  check_line(metrics, "berth_queue_depth 7");
  berthd_metrics_observe(metrics, BERTHD_METRIC_PLAN_GAP, 0, 0, 0);
  berthd_metrics_observe(metrics, BERTHD_METRIC_PLAN_GAP, 0, 0, 0.01); /* on a bound: inside */
  berthd_metrics_observe(metrics, BERTHD_METRIC_PLAN_GAP, 0, 0, 7);
  check_line(metrics, "berth_plan_gap_ratio_bucket{le=\"0\"} 1");
  check_line(metrics, "berth_plan_gap_ratio_bucket{le=\"0.005\"} 1");
  check_line(metrics, "berth_plan_gap_ratio_bucket{le=\"0.01\"} 2");
  check_line(metrics, "berth_plan_gap_ratio_bucket{le=\"1\"} 2");
  check_line(metrics, "berth_plan_gap_ratio_bucket{le=\"+Inf\"} 3");
  check_line(metrics, "berth_plan_gap_ratio_count 3");
  berthd_metrics_observe(
      metrics, BERTHD_METRIC_CALL_DURATION, BERTHD_METHOD_GET_PLAN, BERTHD_STATUS_NOT_FOUND, 0.5);
  check_line(
      metrics,
      "grpc_server_call_duration_seconds_sum{grpc_method=\"berth.v1.PlanService/GetPlan\",grpc_status="
      "\"NOT_FOUND\"} 0.5");
  berthd_metrics_add(metrics, BERTHD_METRIC_REJECTED, 9999, 9999, 1); /* a defect elsewhere: no harm here */
  berthd_metrics_destroy(metrics);
}
END_TEST

static void *count(void *arg) {
  for (int i = 0; i < 10000; i++) {
    berthd_metrics_add(arg, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_LIMIT, 0, 1);
    berthd_metrics_observe(arg, BERTHD_METRIC_QUEUE_WAIT, 0, 0, 0.25);
  }
  return NULL;
}

START_TEST(nothing_is_lost_between_threads) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(pthread_create(&threads[i], NULL, count, metrics), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
  }
  ck_assert(berthd_metrics_get(metrics, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_LIMIT, 0) == 40000);
  check_line(metrics, "berth_queue_wait_seconds_sum 10000");
  check_line(metrics, "berth_queue_wait_seconds_count 40000");
  berthd_metrics_destroy(metrics);
}
END_TEST

START_TEST(no_registry_is_fine) {
  berthd_metrics_add(NULL, BERTHD_METRIC_REJECTED, 0, 0, 1);
  berthd_metrics_set(NULL, BERTHD_METRIC_WORKERS, 0, 0, 1);
  berthd_metrics_observe(NULL, BERTHD_METRIC_PLAN_GAP, 0, 0, 1);
  berthd_metrics_destroy(NULL);
}
END_TEST

/* Every family has one HELP and one TYPE before its series, and no series comes twice. */
START_TEST(the_form_is_right) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  char *text = expose(metrics);
  size_t n_help = 0, n_type = 0;
  for (char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
    n_help += strncmp(line, "# HELP ", 7) == 0;
    n_type += strncmp(line, "# TYPE ", 7) == 0;
    if (line[0] == '#') {
      continue;
    }
    size_t n = strcspn(line, "\n");
    size_t n_name = n;
    while (line[n_name - 1] != ' ') {
      n_name--;
    }
    char series[512] = "\n";
    ck_assert_uint_lt(n_name, sizeof series - 2);
    memcpy(series + 1, line, n_name);
    series[n_name + 1] = '\0';
    ck_assert_msg(strstr(line + n, series) == NULL, "twice: %s", series);
  }
  ck_assert_uint_eq(n_help, n_type);
  ck_assert_uint_eq(n_help, BERTHD_N_METRICS + 8);
  free(text);
  berthd_metrics_destroy(metrics);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "metrics/expose", (const TTest *const[]){
                            known_series_are_there_at_0, counters_gauges_and_histograms_count,
                            nothing_is_lost_between_threads, no_registry_is_fine, the_form_is_right, NULL});
}
