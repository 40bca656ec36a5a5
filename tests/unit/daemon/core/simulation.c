/* Random clients, workers and deadlines on a fake clock: whatever happens, everybody is answered exactly
 * once, in time, and with a plan that stands the check. */
#include <stdlib.h>

#include "base/rng.h"
#include "suite.h"
#include "world.h"

enum { N_RUNS = 60, N_STEPS = 400, N_PROBLEMS = 6, N_WORKERS = 2 };

struct simulation {
  struct world world;
  struct berth_rng rng;
  struct client clients[N_STEPS];
  int64_t deadlines[N_STEPS];
  uint32_t n_clients;
  struct berthd_job *jobs[N_WORKERS];
};

static void arrive(struct simulation *simulation) {
  struct client *client = &simulation->clients[simulation->n_clients];
  struct berth_rng *rng = &simulation->rng;
  int64_t deadline = simulation->world.now_ns + (int64_t)(1 + berth_rng_below(rng, 3000)) * MS;
  struct berth_problem *problem =
      world_problem(15, 1 + berth_rng_below(rng, N_PROBLEMS), berth_rng_below(rng, 4), false);
  simulation->deadlines[simulation->n_clients++] = deadline;
  client_submit(client, &simulation->world, problem, deadline);
  berth_problem_unref(problem);
}

static void work(struct simulation *simulation, uint32_t worker) {
  struct berthd_job *job = simulation->jobs[worker];
  if (job == NULL) {
    simulation->jobs[worker] = berthd_core_take(simulation->world.core);
    return;
  }
  simulation->jobs[worker] = NULL;
  enum ending ending = ENDS_WELL;
  if (atomic_load(&job->stop)) {
    ending = berth_rng_below(&simulation->rng, 3) == 0 ? ENDS_WITHOUT_PLAN : ENDS_CUT_SHORT;
  }
  world_finish_job(&simulation->world, job, ending);
}

static void leave(struct simulation *simulation) {
  if (simulation->n_clients > 0) {
    struct client *client = &simulation->clients[berth_rng_below(&simulation->rng, simulation->n_clients)];
    if (client->request != NULL) {
      berthd_request_cancel(client->request);
    }
  }
}

static void step(struct simulation *simulation) {
  switch (berth_rng_below(&simulation->rng, 8)) {
  case 0:
  case 1:
  case 2:
    arrive(simulation);
    break;
  case 3:
  case 4:
  case 5:
    work(simulation, berth_rng_below(&simulation->rng, N_WORKERS));
    break;
  case 6:
    leave(simulation);
    break;
  default:
    world_advance(
        &simulation->world, simulation->world.now_ns + (int64_t)berth_rng_below(&simulation->rng, 1000) * MS);
  }
}

static void end(struct simulation *simulation, bool abort_first) {
  if (abort_first) {
    berthd_core_abort(simulation->world.core);
  }
  for (uint32_t i = 0; i < N_WORKERS; i++) {
    if (simulation->jobs[i] != NULL) {
      work(simulation, i);
    }
  }
  world_advance(&simulation->world, simulation->world.now_ns + 10000 * MS);
  for (uint32_t i = 0; i < N_WORKERS; i++) { /* flights that started again for somebody who has left since */
    while ((simulation->jobs[i] = berthd_core_take(simulation->world.core)) != NULL) {
      work(simulation, i);
    }
  }
}

static void run(uint64_t seed, uint32_t out_seen[BERTH_UNAUTHENTICATED + 1]) {
  struct simulation *simulation = calloc(1, sizeof *simulation);
  ck_assert_ptr_nonnull(simulation);
  struct berthd_core_config config = berthd_core_config_default();
  config.max_queue = 4;
  config.n_workers = N_WORKERS;
  config.cache_bytes = seed % 3 == 0 ? 0 : 20000;
  world_init(&simulation->world, &config);
  simulation->rng.state = seed;
  for (int i = 0; i < N_STEPS; i++) {
    step(simulation);
  }
  end(simulation, seed % 2 == 0);
  for (uint32_t i = 0; i < simulation->n_clients; i++) {
    struct client *client = &simulation->clients[i];
    ck_assert_msg(client->n_done == 1, "seed %u client %u", (unsigned)seed, (unsigned)i);
    ck_assert_int_le(client->done_ns, simulation->deadlines[i]);
    out_seen[client->code]++;
    if (client->code == BERTH_OK) {
      client_check_plan(client);
    }
    client_finish(client);
  }
  world_finish(&simulation->world);
  free(simulation);
}

START_TEST(everybody_is_answered_once_in_time_and_right) {
  uint32_t seen[BERTH_UNAUTHENTICATED + 1] = {0};
  for (uint64_t seed = 1; seed <= N_RUNS; seed++) {
    run(seed, seen);
  }
  ck_assert_uint_gt(seen[BERTH_OK], 0);
  ck_assert_uint_gt(seen[BERTH_CANCELLED], 0);
  ck_assert_uint_gt(seen[BERTH_DEADLINE_EXCEEDED], 0);
  ck_assert_uint_gt(seen[BERTH_UNAVAILABLE], 0);
  ck_assert_uint_eq(seen[BERTH_INTERNAL], 0);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/simulation", (const TTest *const[]){everybody_is_answered_once_in_time_and_right, NULL});
}
