#include "work/work.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/job.h"
#include "crew/crew.h"
#include "metrics/metrics.h"
#include "work/job.h"

#define WORKER_NICE 2
#define HELPER_NICE 10 /* a job that comes meanwhile goes first */
#define IDLE INT64_MAX /* as a sign of life: nothing to do */

struct worker {
  struct berthd_work *work;
  pthread_t thread;
  uint32_t index;
  atomic_int_least64_t beat_ns; /* last sign of life, or IDLE */
};

struct berthd_work {
  struct berthd_work_config config;
  struct berthd_core *core;
  pthread_mutex_t mutex;
  pthread_cond_t has_job;
  pthread_cond_t has_due; /* on the monotonic clock */
  uint64_t n_wakes;
  int64_t due_ns;
  bool quit;
  pthread_t timer;
  bool has_timer;
  atomic_int_least64_t timer_beat_ns; /* when the timer must be back at the latest, or IDLE */
  struct berth_crew *crew;            /* NULL: no helpers */
  atomic_uint n_busy;
  uint32_t n_started;
  struct worker workers[];
};

static int64_t now_ns(void *ctx) {
  (void)ctx;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wake_worker(void *ctx) {
  struct berthd_work *work = ctx;
  pthread_mutex_lock(&work->mutex);
  work->n_wakes++;
  pthread_cond_signal(&work->has_job);
  pthread_mutex_unlock(&work->mutex);
}

static void wake_timer(void *ctx, int64_t at_ns) {
  struct berthd_work *work = ctx;
  pthread_mutex_lock(&work->mutex);
  if (at_ns < work->due_ns) {
    work->due_ns = at_ns;
    pthread_cond_signal(&work->has_due);
  }
  pthread_mutex_unlock(&work->mutex);
}

struct berthd_core_hooks berthd_work_hooks(struct berthd_work *work) {
  return (struct berthd_core_hooks){
      .ctx = work, .now_ns = now_ns, .wake_worker = wake_worker, .wake_timer = wake_timer};
}

static uint32_t n_processors(void) {
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n > 0 ? (uint32_t)n : 1;
}

enum berth_code berthd_work_create(
    const struct berthd_work_config *config, struct berthd_work **out_work, struct berth_error *err) {
  uint32_t n_workers = config->n_workers != 0 ? config->n_workers : n_processors();
  struct berthd_work *work = calloc(1, sizeof *work + n_workers * sizeof work->workers[0]);
  *out_work = work;
  if (work == NULL) {
    return berth_fail_memory(err);
  }
  work->config = *config;
  work->config.n_workers = n_workers;
  work->due_ns = INT64_MAX;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&work->mutex, NULL);
  pthread_cond_init(&work->has_job, NULL);
  pthread_cond_init(&work->has_due, &monotonic);
  pthread_condattr_destroy(&monotonic);
  atomic_init(&work->timer_beat_ns, IDLE);
  atomic_init(&work->n_busy, 0);
  for (uint32_t i = 0; i < n_workers; i++) {
    work->workers[i].work = work;
    work->workers[i].index = i;
    atomic_init(&work->workers[i].beat_ns, IDLE);
  }
  berthd_metrics_set(config->metrics, BERTHD_METRIC_WORKERS, 0, 0, (double)n_workers);
  return BERTH_OK;
}

uint32_t berthd_work_n_workers(const struct berthd_work *work) {
  return work->config.n_workers;
}

/* ---- Workers ---- */

static void beat(void *ctx) {
  struct worker *worker = ctx;
  atomic_store_explicit(&worker->beat_ns, now_ns(NULL), memory_order_relaxed);
}

static void on_progress(void *ctx, struct berthd_job *job, const struct berth_progress *progress) {
  struct worker *worker = ctx;
  berthd_core_progress(worker->work->core, job, progress);
}

static void count_busy(struct berthd_work *work, int n) {
  atomic_fetch_add(&work->n_busy, (unsigned)n);
  berthd_metrics_add(work->config.metrics, BERTHD_METRIC_WORKERS_BUSY, 0, 0, n);
}

static void run_job(struct worker *worker, struct berthd_job *job) {
  struct berthd_work *work = worker->work;
  const struct berthd_job_hooks hooks = {
      .ctx = worker,
      .executor = work->crew != NULL ? berth_crew_executor(work->crew) : NULL,
      .beat = beat,
      .on_progress = on_progress};
  beat(worker);
  count_busy(work, 1);
  struct berthd_result result;
  berthd_job_run(job, work->config.request_memory_bytes, &hooks, &result);
  beat(worker);
  /* Before the answers go out: who has one sees the worker free. */
  count_busy(work, -1);
  if (work->crew != NULL) {
    berth_crew_wake(work->crew);
  }
  berthd_core_finish(work->core, job, &result);
  berthd_result_finish(&result);
  atomic_store(&worker->beat_ns, IDLE);
}

/* True when there may be a job, false when it is time to go. */
static bool wait_for_job(struct berthd_work *work, uint64_t n_seen) {
  pthread_mutex_lock(&work->mutex);
  while (!work->quit && work->n_wakes == n_seen) {
    pthread_cond_wait(&work->has_job, &work->mutex);
  }
  bool quit = work->quit;
  pthread_mutex_unlock(&work->mutex);
  return !quit;
}

static uint64_t n_wakes(struct berthd_work *work) {
  pthread_mutex_lock(&work->mutex);
  uint64_t n = work->n_wakes;
  pthread_mutex_unlock(&work->mutex);
  return n;
}

static void *worker_main(void *arg) {
  struct worker *worker = arg;
  char name[16];
  snprintf(name, sizeof name, "berth-plan-%u", (unsigned)(worker->index % 1000));
  pthread_setname_np(pthread_self(), name);
  (void)setpriority(PRIO_PROCESS, (id_t)gettid(), WORKER_NICE); /* of this thread, on Linux */
  uint64_t n_seen;
  do {
    n_seen = n_wakes(worker->work);
    struct berthd_job *job;
    while ((job = berthd_core_take(worker->work->core)) != NULL) {
      run_job(worker, job);
    }
  } while (wait_for_job(worker->work, n_seen));
  return NULL;
}

/* ---- Deadlines ---- */

static void wait_until_due(struct berthd_work *work) {
  pthread_mutex_lock(&work->mutex);
  while (!work->quit && now_ns(NULL) < work->due_ns) {
    atomic_store(&work->timer_beat_ns, work->due_ns);
    if (work->due_ns == INT64_MAX) {
      pthread_cond_wait(&work->has_due, &work->mutex);
    } else {
      struct timespec until = {.tv_sec = work->due_ns / 1000000000, .tv_nsec = work->due_ns % 1000000000};
      pthread_cond_timedwait(&work->has_due, &work->mutex, &until);
    }
  }
  work->due_ns = INT64_MAX;
  pthread_mutex_unlock(&work->mutex);
}

static bool has_quit(struct berthd_work *work) {
  pthread_mutex_lock(&work->mutex);
  bool quit = work->quit;
  pthread_mutex_unlock(&work->mutex);
  return quit;
}

static void *timer_main(void *arg) {
  struct berthd_work *work = arg;
  pthread_setname_np(pthread_self(), "berth-timer");
  while (!has_quit(work)) {
    int64_t next_ns = berthd_core_tick(work->core);
    wake_timer(work, next_ns);
    wait_until_due(work);
  }
  return NULL;
}

/* ---- Helpers ---- */

/* Each in the place of a worker that has nothing to do: what waits in the queue finds none. */
static bool may_help(void *ctx, uint32_t n_helping) {
  struct berthd_work *work = ctx;
  return atomic_load(&work->n_busy) + n_helping < work->config.n_workers;
}

static void on_helped(void *ctx) {
  struct berthd_work *work = ctx;
  berthd_metrics_add(work->config.metrics, BERTHD_METRIC_HELPED, 0, 0, 1);
}

static bool start_helpers(struct berthd_work *work) {
  uint32_t n_others = work->config.n_workers - 1;
  struct berth_crew_config config = {
      .n_helpers = work->config.n_helpers < n_others ? work->config.n_helpers : n_others,
      .nice = HELPER_NICE,
      .ctx = work,
      .may_help = may_help,
      .on_helped = on_helped};
  return config.n_helpers == 0 || berth_crew_create(&config, &work->crew, NULL) == BERTH_OK;
}

/* ---- Life ---- */

static enum berth_code fail_thread(struct berth_error *err) {
  return berth_fail(
      err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_OUT_OF_MEMORY, BERTH_NO_INDEX, NULL,
      "a thread could not be started");
}

enum berth_code
berthd_work_start(struct berthd_work *work, struct berthd_core *core, struct berth_error *err) {
  work->core = core;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit the mask */
  bool good = start_helpers(work) && pthread_create(&work->timer, NULL, timer_main, work) == 0;
  work->has_timer = good;
  for (uint32_t i = 0; good && i < work->config.n_workers; i++) {
    good = pthread_create(&work->workers[i].thread, NULL, worker_main, &work->workers[i]) == 0;
    work->n_started += good;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!good) {
    berthd_work_stop(work);
    return fail_thread(err);
  }
  return BERTH_OK;
}

bool berthd_work_is_alive(const struct berthd_work *work, int64_t limit_ns) {
  int64_t now = now_ns(NULL);
  bool alive = true;
  for (uint32_t i = 0; i < work->n_started; i++) {
    int64_t beat_ns = atomic_load_explicit(&work->workers[i].beat_ns, memory_order_relaxed);
    alive = alive && (beat_ns == IDLE || now - beat_ns < limit_ns);
  }
  int64_t due_ns = atomic_load(&work->timer_beat_ns);
  return alive && (due_ns == IDLE || now - due_ns < limit_ns);
}

void berthd_work_stop(struct berthd_work *work) {
  pthread_mutex_lock(&work->mutex);
  work->quit = true;
  pthread_cond_broadcast(&work->has_job);
  pthread_cond_broadcast(&work->has_due);
  pthread_mutex_unlock(&work->mutex);
  for (uint32_t i = 0; i < work->n_started; i++) {
    pthread_join(work->workers[i].thread, NULL);
  }
  work->n_started = 0;
  berth_crew_destroy(work->crew);
  work->crew = NULL;
  if (work->has_timer) {
    pthread_join(work->timer, NULL);
    work->has_timer = false;
  }
}

void berthd_work_destroy(struct berthd_work *work) {
  if (work == NULL) {
    return;
  }
  pthread_cond_destroy(&work->has_due);
  pthread_cond_destroy(&work->has_job);
  pthread_mutex_destroy(&work->mutex);
  free(work);
}
