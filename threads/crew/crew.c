#include "crew/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* One call of run, on the stack of its caller. */
struct batch {
  struct batch *next;
  struct batch *before;
  uint32_t n;
  uint32_t n_taken;
  uint32_t n_helpers; /* inside a task of it */
  void (*task)(void *argument, uint32_t index);
  void *argument;
  pthread_cond_t is_left; /* by the last helper */
};

struct berth_crew {
  struct berth_crew_config config;
  struct berth_executor executor;
  pthread_mutex_t mutex;
  pthread_cond_t has_tasks;
  struct batch open; /* a ring, this is no batch */
  uint32_t n_helping;
  bool quit;
  uint32_t n_threads;
  pthread_t threads[];
};

static void link_batch(struct berth_crew *crew, struct batch *batch) {
  batch->next = &crew->open;
  batch->before = crew->open.before;
  batch->before->next = batch->next->before = batch;
}

static void unlink_batch(struct batch *batch) {
  batch->before->next = batch->next;
  batch->next->before = batch->before;
}

/* ---- Who plans ---- */

static void do_own(struct berth_crew *crew, struct batch *batch) {
  while (batch->n_taken < batch->n) {
    uint32_t k = batch->n_taken++;
    pthread_mutex_unlock(&crew->mutex);
    batch->task(batch->argument, k);
    pthread_mutex_lock(&crew->mutex);
  }
}

static void run(void *ctx, uint32_t n, void (*task)(void *argument, uint32_t index), void *argument) {
  struct berth_crew *crew = ctx;
  struct batch batch = {.n = n, .task = task, .argument = argument};
  pthread_cond_init(&batch.is_left, NULL);
  pthread_mutex_lock(&crew->mutex);
  link_batch(crew, &batch);
  for (uint32_t k = 1; k < n && k <= crew->n_threads; k++) {
    pthread_cond_signal(&crew->has_tasks);
  }
  do_own(crew, &batch);
  unlink_batch(&batch);
  while (batch.n_helpers > 0) {
    pthread_cond_wait(&batch.is_left, &crew->mutex);
  }
  pthread_mutex_unlock(&crew->mutex);
  pthread_cond_destroy(&batch.is_left);
}

/* ---- Who helps ---- */

/* The batch that has waited longest since somebody helped with it. */
static struct batch *find_batch(struct berth_crew *crew) {
  if (crew->config.may_help != NULL && !crew->config.may_help(crew->config.ctx, crew->n_helping)) {
    return NULL;
  }
  for (struct batch *batch = crew->open.next; batch != &crew->open; batch = batch->next) {
    if (batch->n_taken < batch->n) {
      return batch;
    }
  }
  return NULL;
}

static void help(struct berth_crew *crew, struct batch *batch) {
  uint32_t k = batch->n_taken++;
  unlink_batch(batch);
  link_batch(crew, batch);
  batch->n_helpers++;
  crew->n_helping++;
  pthread_mutex_unlock(&crew->mutex);
  batch->task(batch->argument, k);
  if (crew->config.on_helped != NULL) {
    crew->config.on_helped(crew->config.ctx);
  }
  pthread_mutex_lock(&crew->mutex);
  crew->n_helping--;
  if (--batch->n_helpers == 0) {
    pthread_cond_signal(&batch->is_left); /* it may be gone once the lock is */
  }
}

static void *helper_main(void *arg) {
  struct berth_crew *crew = arg;
  pthread_setname_np(pthread_self(), "berth-helper");
  (void)setpriority(PRIO_PROCESS, (id_t)gettid(), crew->config.nice); /* of this thread, on Linux */
  pthread_mutex_lock(&crew->mutex);
  while (!crew->quit) {
    struct batch *batch = find_batch(crew);
    if (batch != NULL) {
      help(crew, batch);
    } else {
      pthread_cond_wait(&crew->has_tasks, &crew->mutex);
    }
  }
  pthread_mutex_unlock(&crew->mutex);
  return NULL;
}

void berth_crew_wake(struct berth_crew *crew) {
  pthread_mutex_lock(&crew->mutex);
  if (crew->open.next != &crew->open) {
    pthread_cond_broadcast(&crew->has_tasks);
  }
  pthread_mutex_unlock(&crew->mutex);
}

/* ---- Life ---- */

const struct berth_executor *berth_crew_executor(const struct berth_crew *crew) {
  return &crew->executor;
}

static bool start_threads(struct berth_crew *crew, uint32_t n) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit the mask */
  bool good = true;
  while (good && crew->n_threads < n) {
    good = pthread_create(&crew->threads[crew->n_threads], NULL, helper_main, crew) == 0;
    crew->n_threads += good;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

enum berth_code berth_crew_create(
    const struct berth_crew_config *config, struct berth_crew **out_crew, struct berth_error *err) {
  uint32_t n = config->n_helpers < BERTH_MAX_WORKERS ? config->n_helpers : BERTH_MAX_WORKERS - 1;
  struct berth_crew *crew = calloc(1, sizeof *crew + n * sizeof crew->threads[0]);
  *out_crew = crew;
  if (crew == NULL) {
    return berth_fail_memory(err);
  }
  crew->config = *config;
  crew->executor = (struct berth_executor){.ctx = crew, .n_workers = n + 1, .run = run};
  crew->open.next = crew->open.before = &crew->open;
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_cond_init(&crew->has_tasks, NULL);
  if (!start_threads(crew, n)) {
    berth_crew_destroy(crew);
    *out_crew = NULL;
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_OUT_OF_MEMORY, BERTH_NO_INDEX, NULL,
        "a thread could not be started");
  }
  return BERTH_OK;
}

void berth_crew_destroy(struct berth_crew *crew) {
  if (crew == NULL) {
    return;
  }
  pthread_mutex_lock(&crew->mutex);
  crew->quit = true;
  pthread_cond_broadcast(&crew->has_tasks);
  pthread_mutex_unlock(&crew->mutex);
  for (uint32_t k = 0; k < crew->n_threads; k++) {
    pthread_join(crew->threads[k], NULL);
  }
  pthread_cond_destroy(&crew->has_tasks);
  pthread_mutex_destroy(&crew->mutex);
  free(crew);
}
