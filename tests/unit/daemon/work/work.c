/* The whole below rpc, with its threads and the real clock: plans, single flight, cancellation, deadlines,
 * memory. */
#include "work/work.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "berth/verify.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "suite.h"
#include "work/job.h"

struct service {
  struct berthd_metrics *metrics;
  struct berthd_work *work;
  struct berthd_core *core;
};

static void
begin_with(struct service *service, uint32_t n_workers, uint32_t n_helpers, uint64_t memory_bytes) {
  berthd_log_set_level(BERTHD_LOG_ERROR);
  service->metrics = berthd_metrics_create();
  const struct berthd_work_config config = {
      .n_workers = n_workers,
      .n_helpers = n_helpers,
      .request_memory_bytes = memory_bytes,
      .metrics = service->metrics};
  ck_assert_int_eq(berthd_work_create(&config, &service->work, NULL), BERTH_OK);
  struct berthd_core_config core_config = berthd_core_config_default();
  core_config.n_workers = berthd_work_n_workers(service->work);
  core_config.max_queue = 5000;
  core_config.max_open = 5000;
  core_config.progress_interval_ns = 1000000;
  core_config.metrics = service->metrics;
  const struct berthd_core_hooks hooks = berthd_work_hooks(service->work);
  ck_assert_int_eq(berthd_core_create(&core_config, &hooks, &service->core, NULL), BERTH_OK);
  ck_assert_int_eq(berthd_work_start(service->work, service->core, NULL), BERTH_OK);
}

static void begin(struct service *service, uint32_t n_workers, uint64_t memory_bytes) {
  begin_with(service, n_workers, 0, memory_bytes);
}

static void end(struct service *service) {
  berthd_core_abort(service->core);
  berthd_work_stop(service->work);
  ck_assert_uint_eq(berthd_core_n_open(service->core), 0);
  berthd_core_destroy(service->core);
  berthd_work_destroy(service->work);
  berthd_metrics_destroy(service->metrics);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct waiter {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int n_done;
  int n_progress;
  enum berth_code code;
  enum berth_reason reason;
  enum berth_plan_status status;
  const struct berth_plan *plan;
  struct berthd_request *request;
};

static void on_progress(void *ctx, const struct berth_progress *progress, int64_t elapsed_ns) {
  struct waiter *waiter = ctx;
  (void)progress;
  (void)elapsed_ns;
  pthread_mutex_lock(&waiter->mutex);
  waiter->n_progress++;
  ck_assert_int_eq(waiter->n_done, 0);
  pthread_cond_broadcast(&waiter->changed);
  pthread_mutex_unlock(&waiter->mutex);
}

static void on_done(void *ctx, const struct berthd_answer *answer) {
  struct waiter *waiter = ctx;
  pthread_mutex_lock(&waiter->mutex);
  waiter->n_done++;
  waiter->code = answer->code;
  waiter->reason = answer->code != BERTH_OK ? answer->error.reason : BERTH_REASON_NONE;
  if (answer->plan != NULL) {
    waiter->plan = berth_plan_ref(answer->plan);
    waiter->status = answer->plan->status;
  }
  pthread_cond_broadcast(&waiter->changed);
  pthread_mutex_unlock(&waiter->mutex);
}

static void submit(
    struct waiter *waiter, struct service *service, struct berth_problem *problem, uint32_t strategies,
    uint64_t budget_ticks, int64_t deadline_ns) {
  *waiter = (struct waiter){0};
  pthread_mutex_init(&waiter->mutex, NULL);
  pthread_cond_init(&waiter->changed, NULL);
  struct berth_solve_options options = berth_solve_options_default();
  options.strategies = strategies;
  options.budget_ticks = budget_ticks;
  const struct berthd_callbacks callbacks = {.ctx = waiter, .on_progress = on_progress, .on_done = on_done};
  berthd_core_submit(service->core, problem, &options, deadline_ns, &callbacks, &waiter->request);
}

static void wait_done(struct waiter *waiter) {
  pthread_mutex_lock(&waiter->mutex);
  while (waiter->n_done == 0) {
    pthread_cond_wait(&waiter->changed, &waiter->mutex);
  }
  pthread_mutex_unlock(&waiter->mutex);
}

static void finish(struct waiter *waiter) {
  wait_done(waiter);
  berthd_request_unref(waiter->request);
  pthread_mutex_lock(&waiter->mutex); /* the callback has let go */
  ck_assert_int_eq(waiter->n_done, 1);
  pthread_mutex_unlock(&waiter->mutex);
  berth_plan_unref(waiter->plan);
  pthread_cond_destroy(&waiter->changed);
  pthread_mutex_destroy(&waiter->mutex);
}

static struct berth_problem *make_problem(uint32_t n, uint64_t seed) {
  struct berth_problem_builder *builder;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t i = 0; i < n; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    spec.size_bytes = 1 + (seed >> 33) % 1000;
    spec.lower = (int64_t)((seed >> 20) % (n / 4 + 1));
    spec.upper = spec.lower + 1 + (int64_t)((seed >> 50) % 25);
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

#define QUICK ((1u << BERTH_STRATEGY_COLOURING) | (1u << BERTH_STRATEGY_PLACEMENT))
#define ENDLESS UINT64_C(1000000000000)

START_TEST(plans_come_back_checked) {
  struct service service;
  begin(&service, 2, 0);
  ck_assert(berthd_work_is_alive(service.work, INT64_C(5000000000)));
  enum { N = 40 };
  struct waiter waiters[N];
  struct berth_problem *problems[N];
  for (uint64_t i = 0; i < N; i++) {
    problems[i] = make_problem(50 + (uint32_t)i, i);
    submit(&waiters[i], &service, problems[i], QUICK, 1000000, BERTHD_NO_DEADLINE);
  }
  for (uint64_t i = 0; i < N; i++) {
    wait_done(&waiters[i]);
    ck_assert_int_eq(waiters[i].code, BERTH_OK);
    struct berth_verdict verdict;
    ck_assert_int_eq(berth_verify(problems[i], waiters[i].plan, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    ck_assert_uint_eq(verdict.n_violations, 0);
    finish(&waiters[i]);
    berth_problem_unref(problems[i]);
  }
  ck_assert(berthd_metrics_get(service.metrics, BERTHD_METRIC_QUEUE_WAIT, 0, 0) == N);
  end(&service);
}
END_TEST

struct crowd {
  struct service *service;
  struct berth_problem *problem;
  struct waiter waiters[250];
};

static void *join_crowd(void *arg) {
  struct crowd *crowd = arg;
  for (int i = 0; i < 250; i++) {
    submit(&crowd->waiters[i], crowd->service, crowd->problem, QUICK, 1000000, BERTHD_NO_DEADLINE);
  }
  for (int i = 0; i < 250; i++) {
    wait_done(&crowd->waiters[i]);
    ck_assert_int_eq(crowd->waiters[i].code, BERTH_OK);
    finish(&crowd->waiters[i]);
  }
  return NULL;
}

START_TEST(a_thousand_equal_requests_from_four_threads_are_one_solve) {
  struct service service;
  begin(&service, 2, 0);
  struct crowd *crowds = calloc(4, sizeof *crowds);
  pthread_t threads[4];
  struct berth_problem *problem = make_problem(300, 1);
  for (int i = 0; i < 4; i++) {
    crowds[i].service = &service;
    crowds[i].problem = problem;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, join_crowd, &crowds[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
  }
  ck_assert(berthd_metrics_get(service.metrics, BERTHD_METRIC_QUEUE_WAIT, 0, 0) == 1);
  free(crowds);
  berth_problem_unref(problem);
  end(&service);
}
END_TEST

static bool wait_until_idle(struct service *service, int64_t limit_ns) {
  int64_t begin_ns = now_ns();
  while (berthd_metrics_get(service->metrics, BERTHD_METRIC_WORKERS_BUSY, 0, 0) > 0) {
    if (now_ns() - begin_ns > limit_ns) {
      return false;
    }
    usleep(500);
  }
  return true;
}

static void wait_until_busy(struct service *service) {
  while (berthd_metrics_get(service->metrics, BERTHD_METRIC_WORKERS_BUSY, 0, 0) == 0) {
    usleep(500);
  }
}

/* Large enough that no strategy proves it in the time of the test. */
static struct berth_problem *hard_problem(void) {
  return make_problem(3000, 77);
}

START_TEST(the_worker_is_free_soon_after_the_last_waiter_has_left) {
  struct service service;
  begin(&service, 1, 0);
  struct waiter waiter;
  struct berth_problem *problem = hard_problem();
  submit(&waiter, &service, problem, BERTH_ALL_STRATEGIES, ENDLESS, BERTHD_NO_DEADLINE);
  wait_until_busy(&service);
  usleep(20000);
  berthd_request_cancel(waiter.request);
  ck_assert_int_eq(waiter.code, BERTH_CANCELLED);
  ck_assert(wait_until_idle(&service, INT64_C(2000000000))); /* generous: this machine may be busy */
  finish(&waiter);
  berth_problem_unref(problem);
  end(&service);
}
END_TEST

START_TEST(a_deadline_brings_the_best_plan_so_far_before_it) {
  struct service service;
  begin(&service, 1, 0);
  bool was_in_time = false;
  /* The margin adapts: on a slow and busy machine, or under a sanitizer, the first answers may come too late.
   */
  for (uint64_t round = 0; round < 8 && !was_in_time; round++) {
    struct waiter waiter;
    struct berth_problem *problem = make_problem(3000, 77 + round);
    submit(&waiter, &service, problem, BERTH_ALL_STRATEGIES, ENDLESS, now_ns() + INT64_C(2000000000));
    wait_done(&waiter);
    ck_assert(
        waiter.code == BERTH_OK || waiter.code == BERTH_DEADLINE_EXCEEDED ||
        waiter.code == BERTH_UNAVAILABLE);
    ck_assert(wait_until_idle(&service, INT64_C(10000000000)));
    was_in_time = waiter.code == BERTH_OK;
    if (was_in_time) {
      ck_assert_int_gt(waiter.n_progress, 0);
      struct berth_verdict verdict;
      ck_assert_int_eq(berth_verify(problem, waiter.plan, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
      ck_assert_uint_eq(verdict.n_violations, 0);
    }
    finish(&waiter);
    berth_problem_unref(problem);
  }
  ck_assert(was_in_time);
  end(&service);
}
END_TEST

static void beat_never(void *ctx) {
  (void)ctx;
}

static void on_progress_never(void *ctx, struct berthd_job *job, const struct berth_progress *progress) {
  (void)ctx;
  (void)job;
  (void)progress;
}

/* Told to stop from the beginning. */
static struct berthd_result run_stopped(struct berth_problem *problem, bool is_urgent) {
  const struct berthd_job_hooks hooks = {.beat = beat_never, .on_progress = on_progress_never};
  struct berthd_job job = {
      .kind = BERTHD_JOB_PLAN,
      .n_buffers = berth_problem_buffers(problem)->n,
      .problem = problem,
      .options = berth_solve_options_default()};
  struct berthd_result result;
  atomic_init(&job.stop, true);
  atomic_init(&job.is_urgent, is_urgent);
  atomic_init(&job.is_abandoned, false);
  berthd_job_run(&job, 0, &hooks, &result);
  ck_assert(result.was_stopped);
  return result;
}

START_TEST(told_to_stop_it_ends_with_its_first_plan_and_if_urged_without) {
  struct berth_problem *problem = hard_problem();
  struct berthd_result result = run_stopped(problem, false);
  ck_assert_int_eq(result.code, BERTH_OK);
  ck_assert_int_eq(result.plan->status, BERTH_PLAN_CUT_SHORT);
  berthd_result_finish(&result);
  result = run_stopped(problem, true);
  ck_assert_int_eq(result.code, BERTH_CANCELLED);
  berthd_result_finish(&result);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(a_request_that_takes_too_much_memory_ends_alone) {
  struct service service;
  begin(&service, 1, 4096);
  struct waiter greedy, again;
  struct berth_problem *problem = make_problem(2000, 3);
  submit(&greedy, &service, problem, QUICK, 1000000, BERTHD_NO_DEADLINE);
  wait_done(&greedy);
  ck_assert_int_eq(greedy.code, BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(greedy.reason, BERTH_REASON_OUT_OF_MEMORY);
  submit(&again, &service, problem, QUICK, 1000000, BERTHD_NO_DEADLINE); /* it would come again: remembered */
  ck_assert_int_eq(again.n_done, 1);
  finish(&greedy);
  finish(&again);
  berth_problem_unref(problem);
  end(&service);
}
END_TEST

START_TEST(the_end_cuts_short_what_runs) {
  struct service service;
  begin(&service, 1, 0);
  struct waiter running, queued;
  struct berth_problem *problem = hard_problem();
  struct berth_problem *other = make_problem(3000, 78);
  submit(&running, &service, problem, BERTH_ALL_STRATEGIES, ENDLESS, BERTHD_NO_DEADLINE);
  wait_until_busy(&service);
  submit(&queued, &service, other, BERTH_ALL_STRATEGIES, ENDLESS, BERTHD_NO_DEADLINE);
  berthd_core_abort(service.core);
  wait_done(&running);
  wait_done(&queued);
  ck_assert(running.code == BERTH_OK || running.code == BERTH_UNAVAILABLE);
  ck_assert_int_eq(queued.code, BERTH_UNAVAILABLE);
  finish(&running);
  finish(&queued);
  berth_problem_unref(problem);
  berth_problem_unref(other);
  end(&service);
}
END_TEST

/* The field `key` of a thread of this process, from /proc. */
static bool read_status(const char *thread, const char *key, char out_value[64]) {
  char path[300], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  FILE *file = fopen(path, "r");
  bool found = false;
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
    size_t n = strlen(key);
    found = strncmp(line, key, n) == 0 && sscanf(line + n, ": %63s", out_value) == 1;
  }
  if (file != NULL) {
    fclose(file);
  }
  return found;
}

START_TEST(threads_have_names_and_block_signals) {
  struct service service;
  begin(&service, 2, 0);
  sigset_t mask;
  ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
  ck_assert(!sigismember(&mask, SIGTERM)); /* ours is as before */
  int n_workers = 0, n_timers = 0;
  for (int i = 0; i < 2000 && n_workers + n_timers < 3; i++) { /* a thread names itself once it runs */
    usleep(1000);
    n_workers = n_timers = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
      char name[64], blocked[64];
      if (!read_status(task->d_name, "Name", name) || !read_status(task->d_name, "SigBlk", blocked)) {
        continue;
      }
      bool is_worker = strncmp(name, "berth-plan-", 11) == 0;
      bool is_timer = strcmp(name, "berth-timer") == 0;
      n_workers += is_worker;
      n_timers += is_timer;
      if (is_worker || is_timer) {
        uint64_t bits = strtoull(blocked, NULL, 16);
        ck_assert_uint_ne(bits >> (SIGTERM - 1) & 1, 0);
        ck_assert_uint_ne(bits >> (SIGHUP - 1) & 1, 0);
      }
    }
    closedir(tasks);
  }
  ck_assert_int_eq(n_workers, 2);
  ck_assert_int_eq(n_timers, 1);
  end(&service);
}
END_TEST

static double n_helped(const struct service *service) {
  return berthd_metrics_get(service->metrics, BERTHD_METRIC_HELPED, 0, 0);
}

enum { SHARED_OUT = 1 << BERTH_STRATEGY_PLACEMENT | 1 << BERTH_STRATEGY_IMPROVE };

START_TEST(an_idle_worker_helps_and_the_plan_is_the_same) {
  struct service alone;
  struct service helped;
  struct waiter one;
  struct waiter other;
  struct berth_problem *problem = hard_problem();
  begin(&alone, 2, 0);
  begin_with(&helped, 2, 5, UINT64_C(1) << 30);
  submit(&one, &alone, problem, SHARED_OUT, 400000000, BERTHD_NO_DEADLINE);
  submit(&other, &helped, problem, SHARED_OUT, 400000000, BERTHD_NO_DEADLINE);
  wait_done(&one);
  wait_done(&other);
  ck_assert_int_eq(one.code, BERTH_OK);
  ck_assert_int_eq(other.code, BERTH_OK);
  ck_assert(n_helped(&alone) == 0 && n_helped(&helped) > 0);
  ck_assert_uint_eq(one.plan->ticks, other.plan->ticks);
  ck_assert(
      memcmp(one.plan->offset, other.plan->offset, one.plan->n_buffers * sizeof *one.plan->offset) == 0);
  finish(&one);
  finish(&other);
  berth_problem_unref(problem);
  end(&helped);
  end(&alone);
}
END_TEST

static bool are_both_busy(const struct service *service) {
  return berthd_metrics_get(service->metrics, BERTHD_METRIC_WORKERS_BUSY, 0, 0) == 2;
}

START_TEST(nobody_helps_while_all_workers_plan) {
  struct service service;
  struct waiter waiters[2];
  struct berth_problem *problems[2] = {hard_problem(), make_problem(3000, 78)};
  begin_with(&service, 2, 1, 0);
  for (int i = 0; i < 2; i++) {
    submit(&waiters[i], &service, problems[i], BERTH_ALL_STRATEGIES, ENDLESS, BERTHD_NO_DEADLINE);
  }
  while (!are_both_busy(&service)) {
    usleep(500);
  }
  double before = n_helped(&service);
  usleep(300000);
  ck_assert(!are_both_busy(&service) || n_helped(&service) <= before + 1); /* one had begun */
  for (int i = 0; i < 2; i++) {
    berthd_request_cancel(waiters[i].request);
    finish(&waiters[i]);
    berth_problem_unref(problems[i]);
  }
  end(&service);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "work/work", (const TTest *const[]){
                       plans_come_back_checked, a_thousand_equal_requests_from_four_threads_are_one_solve,
                       the_worker_is_free_soon_after_the_last_waiter_has_left,
                       a_deadline_brings_the_best_plan_so_far_before_it,
                       told_to_stop_it_ends_with_its_first_plan_and_if_urged_without,
                       a_request_that_takes_too_much_memory_ends_alone, the_end_cuts_short_what_runs,
                       threads_have_names_and_block_signals, an_idle_worker_helps_and_the_plan_is_the_same,
                       nobody_helps_while_all_workers_plan, NULL});
}
