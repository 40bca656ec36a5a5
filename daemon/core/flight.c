#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

static struct berthd_flight *create(enum berthd_job_kind kind, uint32_t n_buffers) {
  struct berthd_flight *flight = calloc(1, sizeof *flight);
  if (flight == NULL) {
    return NULL;
  }
  flight->job.kind = kind;
  flight->job.n_buffers = n_buffers;
  flight->told.arena_bytes = BERTH_UNLIMITED;
  atomic_init(&flight->job.stop, false);
  atomic_init(&flight->job.is_urgent, false);
  atomic_init(&flight->job.is_abandoned, false);
  return flight;
}

struct berthd_flight *
berthd_flight_create(struct berth_problem *problem, const struct berth_solve_options *options) {
  struct berthd_flight *flight = create(BERTHD_JOB_PLAN, berth_problem_buffers(problem)->n);
  if (flight != NULL) {
    flight->job.problem = berth_problem_ref(problem);
    flight->job.options = *options;
    if (options->stable != NULL) {
      flight->job.options.stable = berth_stable_ref(options->stable);
    }
  }
  return flight;
}

struct berthd_flight *berthd_flight_create_task(const struct berthd_task *task) {
  struct berthd_flight *flight = create(BERTHD_JOB_TASK, task->n_buffers);
  if (flight != NULL) {
    flight->job.task = *task;
  }
  return flight;
}

void berthd_flight_destroy(struct berthd_flight *flight) {
  if (flight == NULL) {
    return;
  }
  berth_problem_unref(flight->job.problem);
  berth_stable_unref(flight->job.options.stable);
  if (flight->job.kind == BERTHD_JOB_TASK) {
    flight->job.task.release(flight->job.task.ctx);
  }
  berthd_key_finish(&flight->key);
  berthd_cached_unref(flight->incumbent);
  free(flight);
}

/* ---- The table by key ---- */

static struct berthd_flight **chain_of(struct berthd_core *core, const struct berth_planid *id) {
  return &core->chains[(id->bytes[0] | (unsigned)id->bytes[1] << 8) % BERTHD_N_CHAINS];
}

void berthd_flight_list(struct berthd_core *core, struct berthd_flight *flight) {
  struct berthd_flight **chain = chain_of(core, &flight->key.id);
  flight->next_listed = *chain;
  *chain = flight;
  flight->is_listed = true;
}

void berthd_flight_unlist(struct berthd_core *core, struct berthd_flight *flight) {
  if (!flight->is_listed) {
    return;
  }
  struct berthd_flight **link = chain_of(core, &flight->key.id);
  while (*link != flight) {
    link = &(*link)->next_listed;
  }
  *link = flight->next_listed;
  flight->is_listed = false;
}

struct berthd_flight *berthd_flight_find(struct berthd_core *core, const struct berthd_key *key) {
  struct berthd_flight *flight = *chain_of(core, &key->id);
  while (flight != NULL &&
         (memcmp(flight->key.id.bytes, key->id.bytes, sizeof key->id.bytes) != 0 ||
          flight->key.n_bytes != key->n_bytes || memcmp(flight->key.bytes, key->bytes, key->n_bytes) != 0)) {
    flight = flight->next_listed;
  }
  return flight;
}

/* ---- The queue, and those that run ---- */

static void link_in(struct berthd_flight_list *list, struct berthd_flight *flight, bool at_head) {
  flight->previous = at_head ? NULL : list->last;
  flight->next = at_head ? list->first : NULL;
  *(flight->previous != NULL ? &flight->previous->next : &list->first) = flight;
  *(flight->next != NULL ? &flight->next->previous : &list->last) = flight;
  list->n++;
}

static void link_out(struct berthd_flight_list *list, struct berthd_flight *flight) {
  *(flight->previous != NULL ? &flight->previous->next : &list->first) = flight->next;
  *(flight->next != NULL ? &flight->next->previous : &list->last) = flight->previous;
  flight->previous = NULL;
  flight->next = NULL;
  list->n--;
}

static void queue_in(struct berthd_core *core, struct berthd_flight *flight, bool at_head) {
  link_in(&core->queue, flight, at_head);
  core->n_queued_buffers += flight->job.n_buffers;
  berthd_metrics_set(core->config.metrics, BERTHD_METRIC_QUEUE_DEPTH, 0, 0, (double)core->queue.n);
}

static void queue_out(struct berthd_core *core, struct berthd_flight *flight) {
  link_out(&core->queue, flight);
  core->n_queued_buffers -= flight->job.n_buffers;
  berthd_metrics_set(core->config.metrics, BERTHD_METRIC_QUEUE_DEPTH, 0, 0, (double)core->queue.n);
}

void berthd_flight_enqueue(struct berthd_core *core, struct berthd_flight *flight, bool at_head) {
  if (flight->state != BERTHD_FLIGHT_NEW) {
    link_out(&core->running, flight);
  }
  berthd_flight_move(flight, BERTHD_FLIGHT_QUEUED);
  atomic_store(&flight->job.stop, false);
  atomic_store(&flight->job.is_urgent, false);
  flight->started_ns = 0;
  queue_in(core, flight, at_head);
}

struct berthd_flight *berthd_flight_start(struct berthd_core *core, int64_t now_ns) {
  struct berthd_flight *flight = core->queue.first;
  if (flight == NULL) {
    return NULL;
  }
  queue_out(core, flight);
  berthd_flight_move(flight, BERTHD_FLIGHT_RUNNING);
  link_in(&core->running, flight, false);
  flight->started_ns = now_ns;
  flight->next_progress_ns = INT64_MIN;
  return flight;
}

void berthd_flight_stop(struct berthd_flight *flight) {
  if (flight->state == BERTHD_FLIGHT_RUNNING) {
    berthd_flight_move(flight, BERTHD_FLIGHT_STOPPING);
    atomic_store(&flight->job.stop, true);
  }
}

void berthd_flight_land(struct berthd_core *core, struct berthd_flight *flight) {
  if (flight->state == BERTHD_FLIGHT_QUEUED) {
    queue_out(core, flight);
  } else {
    link_out(&core->running, flight);
  }
  berthd_flight_unlist(core, flight);
  berthd_flight_move(flight, BERTHD_FLIGHT_LANDED);
}

/* ---- Who waits ---- */

void berthd_flight_add(struct berthd_flight *flight, struct berthd_request *request) {
  berthd_request_move(request, BERTHD_REQUEST_WAITING);
  request->flight = flight;
  request->previous = NULL;
  request->next = flight->waiters;
  if (flight->waiters != NULL) {
    flight->waiters->previous = request;
  }
  flight->waiters = request;
  flight->n_waiters++;
}

void berthd_flight_leave(struct berthd_core *core, struct berthd_request *request) {
  struct berthd_flight *flight = request->flight;
  *(request->previous != NULL ? &request->previous->next : &flight->waiters) = request->next;
  if (request->next != NULL) {
    request->next->previous = request->previous;
  }
  request->previous = NULL;
  request->next = NULL;
  request->flight = NULL;
  flight->n_waiters--;
  berthd_due_remove(core, request);
}

struct berthd_flight *berthd_flight_abandon(struct berthd_core *core, struct berthd_flight *flight) {
  if (flight->n_waiters > 0) {
    return NULL;
  }
  if (flight->state == BERTHD_FLIGHT_QUEUED) {
    berthd_flight_land(core, flight);
    return flight;
  }
  berthd_flight_unlist(core, flight);
  berthd_flight_stop(flight);
  atomic_store(&flight->job.is_abandoned, true);
  return NULL;
}
