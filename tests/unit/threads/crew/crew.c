#include "crew/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

enum { N_HELPERS = 3, MOST_TASKS = 500, N_PLANNERS = 4, N_ROUNDS = 200 };

static struct berth_crew *make_crew(struct berth_crew_config config) {
  struct berth_crew *crew;
  ck_assert_int_eq(berth_crew_create(&config, &crew, NULL), BERTH_OK);
  return crew;
}

struct tally {
  atomic_uint n_runs[MOST_TASKS];
  atomic_uint n_inside;
  atomic_uint most_inside;
};

static void count_run(void *argument, uint32_t index) {
  struct tally *tally = argument;
  unsigned n = atomic_fetch_add(&tally->n_inside, 1) + 1;
  unsigned most = atomic_load(&tally->most_inside);
  while (n > most && !atomic_compare_exchange_weak(&tally->most_inside, &most, n)) {
  }
  atomic_fetch_add(&tally->n_runs[index], 1);
  atomic_fetch_sub(&tally->n_inside, 1);
}

/* Any number of threads plan with one crew, and each finds all of its own tasks done once. */
static void *plan(void *ctx) {
  struct berth_crew *crew = ctx;
  const struct berth_executor *executor = berth_crew_executor(crew);
  static _Thread_local struct tally tally;
  for (uint32_t round = 0; round < N_ROUNDS; round++) {
    memset(&tally, 0, sizeof tally);
    uint32_t n = round * 37 % MOST_TASKS;
    executor->run(executor->ctx, n, count_run, &tally);
    for (uint32_t k = 0; k < MOST_TASKS; k++) {
      ck_assert_uint_eq(atomic_load(&tally.n_runs[k]), k < n);
    }
    ck_assert_uint_le(atomic_load(&tally.most_inside), executor->n_workers);
  }
  return NULL;
}

START_TEST(every_task_is_done_once_for_every_planner) {
  struct berth_crew *crew = make_crew((struct berth_crew_config){.n_helpers = N_HELPERS});
  ck_assert_uint_eq(berth_crew_executor(crew)->n_workers, N_HELPERS + 1);
  pthread_t planners[N_PLANNERS];
  for (int i = 0; i < N_PLANNERS; i++) {
    ck_assert_int_eq(pthread_create(&planners[i], NULL, plan, crew), 0);
  }
  for (int i = 0; i < N_PLANNERS; i++) {
    pthread_join(planners[i], NULL);
  }
  berth_crew_destroy(crew);
}
END_TEST

/* Two tasks that end only when both have begun need two threads. */
static void meet(void *argument, uint32_t index) {
  (void)index;
  atomic_uint *n_begun = argument;
  atomic_fetch_add(n_begun, 1);
  while (atomic_load(n_begun) < 2) {
    usleep(100);
  }
}

static void count(void *ctx) {
  atomic_fetch_add((atomic_uint *)ctx, 1);
}

START_TEST(helpers_help) {
  atomic_uint n_helped = 0;
  struct berth_crew *crew =
      make_crew((struct berth_crew_config){.n_helpers = 1, .ctx = &n_helped, .on_helped = count});
  const struct berth_executor *executor = berth_crew_executor(crew);
  for (uint32_t round = 0; round < 50; round++) {
    atomic_uint n_begun = 0;
    executor->run(executor->ctx, 2, meet, &n_begun);
  }
  berth_crew_destroy(crew);
  ck_assert_uint_eq(atomic_load(&n_helped), 50);
}
END_TEST

struct gate {
  atomic_uint n_allowed;
  atomic_uint n_helped;
};

static bool may_help(void *ctx, uint32_t n_helping) {
  struct gate *gate = ctx;
  return n_helping < atomic_load(&gate->n_allowed);
}

static void note_help(void *ctx) {
  struct gate *gate = ctx;
  atomic_fetch_add(&gate->n_helped, 1);
}

struct opening {
  struct berth_crew *crew;
  struct gate *gate;
  atomic_uint n_begun;
};

/* The first task opens the gate and waits for the helper that comes then. */
static void open_gate(void *argument, uint32_t index) {
  struct opening *opening = argument;
  atomic_fetch_add(&opening->n_begun, 1);
  if (index == 0) {
    usleep(2000);
    ck_assert_uint_eq(atomic_load(&opening->n_begun), 1); /* nobody helps yet */
    atomic_store(&opening->gate->n_allowed, 1);
    berth_crew_wake(opening->crew);
    while (atomic_load(&opening->n_begun) < 2) {
      usleep(100);
    }
  }
}

START_TEST(nobody_helps_before_it_is_allowed) {
  struct gate gate = {0};
  struct berth_crew *crew = make_crew((struct berth_crew_config){
      .n_helpers = N_HELPERS, .nice = 5, .ctx = &gate, .may_help = may_help, .on_helped = note_help});
  const struct berth_executor *executor = berth_crew_executor(crew);
  struct tally tally = {0};
  executor->run(executor->ctx, 100, count_run, &tally);
  ck_assert_uint_eq(atomic_load(&gate.n_helped), 0);
  ck_assert_uint_eq(atomic_load(&tally.most_inside), 1);
  struct opening opening = {.crew = crew, .gate = &gate};
  executor->run(executor->ctx, 2, open_gate, &opening);
  berth_crew_destroy(crew);
  ck_assert_uint_eq(atomic_load(&gate.n_helped), 1);
}
END_TEST

START_TEST(a_crew_of_nobody_is_fine) {
  struct berth_crew *crew = make_crew((struct berth_crew_config){.n_helpers = 0});
  struct tally tally = {0};
  const struct berth_executor *executor = berth_crew_executor(crew);
  executor->run(executor->ctx, MOST_TASKS, count_run, &tally);
  ck_assert_uint_eq(atomic_load(&tally.n_runs[MOST_TASKS - 1]), 1);
  berth_crew_wake(crew);
  berth_crew_destroy(crew);
  berth_crew_destroy(NULL);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "threads/crew", (const TTest *const[]){
                          every_task_is_done_once_for_every_planner, helpers_help,
                          nobody_helps_before_it_is_allowed, a_crew_of_nobody_is_fine, NULL});
}
