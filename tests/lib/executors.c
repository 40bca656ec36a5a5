#include "executors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static void
run_in_order(void *ctx, uint32_t n, void (*task)(void *argument, uint32_t index), void *argument) {
  (void)ctx;
  for (uint32_t k = 0; k < n; k++) {
    task(argument, k);
  }
}

static void
run_reversed(void *ctx, uint32_t n, void (*task)(void *argument, uint32_t index), void *argument) {
  (void)ctx;
  for (uint32_t k = n; k-- > 0;) {
    task(argument, k);
  }
}

static void run_nothing(void *ctx, uint32_t n, void (*task)(void *argument, uint32_t index), void *argument) {
  (void)ctx;
  (void)n;
  (void)task;
  (void)argument;
}

struct team {
  uint32_t n;
  atomic_uint next;
  void (*task)(void *argument, uint32_t index);
  void *argument;
};

static void *work(void *ctx) {
  struct team *team = ctx;
  for (;;) {
    uint32_t k = atomic_fetch_add(&team->next, 1);
    if (k >= team->n) {
      return NULL;
    }
    team->task(team->argument, k);
  }
}

enum { MOST_THREADS = 8 };

static void
run_on_threads(void *ctx, uint32_t n, void (*task)(void *argument, uint32_t index), void *argument) {
  uint32_t n_threads = *(const uint32_t *)ctx;
  struct team team = {.n = n, .task = task, .argument = argument};
  pthread_t threads[MOST_THREADS];
  uint32_t n_started = 0;
  while (n_started + 1 < n_threads && pthread_create(&threads[n_started], NULL, work, &team) == 0) {
    n_started++;
  }
  work(&team);
  for (uint32_t t = 0; t < n_started; t++) {
    pthread_join(threads[t], NULL);
  }
}

static uint32_t two = 2;
static uint32_t four = 4;

const struct berth_executor EXECUTOR_IN_ORDER = {.n_workers = 1, .run = run_in_order};
const struct berth_executor EXECUTOR_REVERSED = {.n_workers = 1, .run = run_reversed};
const struct berth_executor EXECUTOR_IDLE = {.n_workers = 3, .run = run_nothing};
const struct berth_executor EXECUTOR_TWO = {.ctx = &two, .n_workers = 2, .run = run_on_threads};
const struct berth_executor EXECUTOR_FOUR = {.ctx = &four, .n_workers = 4, .run = run_on_threads};
