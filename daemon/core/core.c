#include "core/core.h"

#include <stdlib.h>

#include "core/internal.h"

#define FIRST_STOP_NS 40e6 /* cautious, until searches have shown how soon they stop */

struct berthd_core_config berthd_core_config_default(void) {
  return (struct berthd_core_config){
      .n_workers = 1,
      .max_queue = 256,
      .max_queued_buffers = 16000000,
      .max_open = 4096,
      .cache_bytes = UINT64_C(256) << 20,
      .default_deadline_ns = INT64_C(60000000000),
      .max_deadline_ns = INT64_C(600000000000),
      .failure_ttl_ns = INT64_C(10000000000),
      .progress_interval_ns = 100000000,
  };
}

enum berth_code berthd_core_create(
    const struct berthd_core_config *config, const struct berthd_core_hooks *hooks,
    struct berthd_core **out_core, struct berth_error *err) {
  *out_core = NULL;
  struct berthd_core *core = calloc(1, sizeof *core);
  if (core == NULL) {
    return berth_fail_memory(err);
  }
  core->plans = berthd_plans_create(config->cache_bytes, config->metrics);
  core->misses = berthd_misses_create();
  if (core->plans == NULL || core->misses == NULL || pthread_mutex_init(&core->mutex, NULL) != 0) {
    berthd_plans_destroy(core->plans);
    berthd_misses_destroy(core->misses);
    free(core);
    return berth_fail_memory(err);
  }
  berthd_plans_watch(core->plans, core->misses, berthd_misses_left);
  core->config = *config;
  core->hooks = *hooks;
  core->timer_ns = INT64_MAX;
  core->stop_ns = FIRST_STOP_NS;
  atomic_init(&core->n_open, 0);
  *out_core = core;
  return BERTH_OK;
}

void berthd_core_destroy(struct berthd_core *core) {
  if (core == NULL) {
    return;
  }
  berthd_plans_destroy(core->plans);
  berthd_misses_destroy(core->misses);
  pthread_mutex_destroy(&core->mutex);
  free(core->due);
  free(core);
}

/* ---- Deadlines ---- */

/* A search that was stopped in vain once is not stopped again for one that others outlast: or a line of hasty
 * requests would start it again and again, and nobody would ever get a plan. */
static bool may_stop(const struct berthd_flight *flight, const struct berthd_request *request) {
  bool may = true;
  for (const struct berthd_request *other = flight->waiters; may && flight->was_in_vain && other != NULL;
       other = other->next) {
    may = other->deadline_ns <= request->deadline_ns;
  }
  return may;
}

/* First the search is told to end once it has a plan: the first is on its way, and it would be in vain to end
 * before it. Where there is none at two thirds of what is left, it ends all the same: what it knows by then
 * may be an answer, too. */
static void stop_for(struct berthd_core *core, struct berthd_flight *flight, struct berthd_request *request) {
  int64_t due_ns = request->deadline_ns;
  if (request->state == BERTHD_REQUEST_EXPIRING) {
    atomic_store(&flight->job.is_urgent, true);
  } else if (flight->state != BERTHD_FLIGHT_QUEUED && may_stop(flight, request)) {
    berthd_flight_stop(flight);
    berthd_request_move(request, BERTHD_REQUEST_EXPIRING);
    due_ns -= (request->deadline_ns - request->due_ns) / 3;
  }
  berthd_due_change(core, request, due_ns);
}

/* With the mutex: what is to be done for the request whose time has come. Returns a flight to destroy, or
 * NULL. */
static struct berthd_flight *
expire(struct berthd_core *core, struct berthd_request *request, struct berthd_done_list *done) {
  struct berthd_flight *flight = request->flight;
  if (flight->incumbent == NULL && request->due_ns < request->deadline_ns) {
    stop_for(core, flight, request);
    return NULL;
  }
  struct berthd_outcome outcome =
      flight->incumbent != NULL ? berthd_outcome_plan(flight->incumbent, false) : berthd_outcome_deadline();
  berthd_request_answer(request, &outcome, done);
  return berthd_flight_abandon(core, flight);
}

int64_t berthd_core_tick(struct berthd_core *core) {
  struct berthd_done_list done = {NULL};
  struct berthd_flight *empty = NULL;
  int64_t now = core->hooks.now_ns(core->hooks.ctx);
  pthread_mutex_lock(&core->mutex);
  while (core->n_due > 0 && core->due[0]->due_ns <= now) {
    struct berthd_flight *flight = expire(core, core->due[0], &done);
    if (flight != NULL) {
      flight->next = empty;
      empty = flight;
    }
  }
  core->timer_ns = core->n_due > 0 ? core->due[0]->due_ns : INT64_MAX;
  int64_t next_ns = core->timer_ns;
  pthread_mutex_unlock(&core->mutex);
  while (empty != NULL) {
    struct berthd_flight *next = empty->next;
    berthd_flight_destroy(empty);
    empty = next;
  }
  berthd_deliver(&done);
  return next_ns;
}

/* ---- The end ---- */

void berthd_core_drain(struct berthd_core *core) {
  pthread_mutex_lock(&core->mutex);
  core->is_draining = true;
  pthread_mutex_unlock(&core->mutex);
}

void berthd_core_abort(struct berthd_core *core) {
  struct berthd_done_list done = {NULL};
  struct berthd_flight *empty = NULL;
  pthread_mutex_lock(&core->mutex);
  core->is_draining = true;
  core->is_aborting = true;
  for (struct berthd_flight *flight = core->running.first; flight != NULL; flight = flight->next) {
    berthd_flight_stop(flight);
    atomic_store(&flight->job.is_urgent, true);
  }
  while (core->queue.first != NULL) {
    struct berthd_flight *flight = core->queue.first;
    while (flight->waiters != NULL) {
      struct berthd_outcome outcome = flight->incumbent != NULL
                                          ? berthd_outcome_plan(flight->incumbent, false)
                                          : berthd_outcome_draining();
      berthd_request_answer(flight->waiters, &outcome, &done);
    }
    berthd_flight_land(core, flight);
    flight->next = empty;
    empty = flight;
  }
  pthread_mutex_unlock(&core->mutex);
  while (empty != NULL) {
    struct berthd_flight *next = empty->next;
    berthd_flight_destroy(empty);
    empty = next;
  }
  berthd_deliver(&done);
}

bool berthd_core_is_draining(struct berthd_core *core) {
  pthread_mutex_lock(&core->mutex);
  bool is_draining = core->is_draining;
  pthread_mutex_unlock(&core->mutex);
  return is_draining;
}

int64_t berthd_core_deadline(const struct berthd_core *core, int64_t deadline_ns) {
  int64_t now = core->hooks.now_ns(core->hooks.ctx);
  int64_t wanted = deadline_ns == BERTHD_NO_DEADLINE ? now + core->config.default_deadline_ns : deadline_ns;
  int64_t limit = now + core->config.max_deadline_ns;
  return wanted < limit ? wanted : limit;
}

uint32_t berthd_core_n_workers(const struct berthd_core *core) {
  return core->config.n_workers;
}

uint32_t berthd_core_n_open(const struct berthd_core *core) {
  return atomic_load(&core->n_open);
}
