/* What workers do to the core. A result that is final lands the flight for everybody. One that was cut short
 * becomes the incumbent: those whose margin has come get it, and if others can wait longer the search starts
 * again at the head of the queue, once, because from then on there is an incumbent to answer with. */
#include <stdlib.h>

#include "core/internal.h"

#define MEAN_WEIGHT 0.1 /* of the newest job in the smoothed mean */
#define N_BATCH 64
#define LEAST_BUFFERS 1000
#define LEAST_LEFT_NS 5000000

struct berthd_job *berthd_core_take(struct berthd_core *core) {
  int64_t now = core->hooks.now_ns(core->hooks.ctx);
  pthread_mutex_lock(&core->mutex);
  struct berthd_flight *flight = berthd_flight_start(core, now);
  /* A margin that came in the queue counts anew: half of what is left, so that the search has a chance. */
  for (struct berthd_request *waiter = flight != NULL ? flight->waiters : NULL; waiter != NULL;
       waiter = waiter->next) {
    int64_t left = waiter->deadline_ns - now;
    if (waiter->on_task_done == NULL && waiter->due_ns == waiter->deadline_ns && left > LEAST_LEFT_NS) {
      berthd_due_change(core, waiter, now + left / 2);
    }
  }
  int64_t timer_ns = berthd_due_wake(core);
  pthread_mutex_unlock(&core->mutex);
  if (timer_ns != INT64_MAX) {
    core->hooks.wake_timer(core->hooks.ctx, timer_ns);
  }
  if (flight == NULL) {
    return NULL;
  }
  berthd_metrics_observe(
      core->config.metrics, BERTHD_METRIC_QUEUE_WAIT, 0, 0, (double)(now - flight->queued_ns) * 1e-9);
  return &flight->job;
}

/* ---- Progress ---- */

static uint32_t
collect_batch(struct berthd_core *core, struct berthd_flight *flight, struct berthd_request *batch[N_BATCH]) {
  uint32_t n = 0;
  pthread_mutex_lock(&core->mutex);
  for (struct berthd_request *waiter = flight->waiters; waiter != NULL && n < N_BATCH;
       waiter = waiter->next) {
    if (waiter->callbacks.on_progress != NULL && waiter->progress_round != flight->progress_round) {
      waiter->progress_round = flight->progress_round;
      atomic_fetch_add(&waiter->n_refs, 1);
      batch[n++] = waiter;
    }
  }
  pthread_mutex_unlock(&core->mutex);
  return n;
}

/* A search that starts again begins with less than those who wait were told. */
static void note_progress(struct berth_progress *told, const struct berth_progress *fresh) {
  told->arena_bytes = fresh->arena_bytes < told->arena_bytes ? fresh->arena_bytes : told->arena_bytes;
  told->lower_bound_bytes =
      fresh->lower_bound_bytes > told->lower_bound_bytes ? fresh->lower_bound_bytes : told->lower_bound_bytes;
  told->ticks = fresh->ticks > told->ticks ? fresh->ticks : told->ticks;
}

void berthd_core_progress(
    struct berthd_core *core, struct berthd_job *job, const struct berth_progress *progress) {
  struct berthd_flight *flight = (struct berthd_flight *)job;
  int64_t now = core->hooks.now_ns(core->hooks.ctx);
  note_progress(&flight->told, progress);
  if (now < flight->next_progress_ns) {
    return; /* only this worker reads and writes it while the flight runs */
  }
  flight->next_progress_ns = now + core->config.progress_interval_ns;
  flight->progress_round++;
  struct berthd_request *batch[N_BATCH];
  uint32_t n;
  do {
    n = collect_batch(core, flight, batch);
    for (uint32_t i = 0; i < n; i++) {
      pthread_mutex_lock(&batch[i]->callback_mutex);
      if (!batch[i]->is_done) {
        batch[i]->callbacks.on_progress(batch[i]->callbacks.ctx, &flight->told, now - flight->started_ns);
      }
      pthread_mutex_unlock(&batch[i]->callback_mutex);
      berthd_request_unref(batch[i]);
    }
  } while (n == N_BATCH);
}

/* ---- The result ---- */

static unsigned strategy_label(const struct berth_solve_options *options) {
  for (unsigned i = BERTH_N_STRATEGIES; i > 0; i--) {
    if ((options->strategies & (UINT32_C(1) << (i - 1))) != 0) {
      return i - 1;
    }
  }
  return BERTHD_STRATEGY_NO_STRATEGY;
}

static void
count_result(struct berthd_core *core, const struct berthd_job *job, const struct berthd_result *result) {
  struct berthd_metrics *metrics = core->config.metrics;
  if (job->kind != BERTHD_JOB_PLAN) {
    return;
  }
  unsigned outcome = result->plan != NULL              ? (unsigned)result->plan->status
                     : result->code == BERTH_CANCELLED ? BERTHD_OUTCOME_CANCELLED
                                                       : BERTHD_OUTCOME_FAILED;
  berthd_metrics_observe(
      metrics, BERTHD_METRIC_PLAN_DURATION, strategy_label(&job->options), outcome, result->solve_seconds);
  if (result->plan != NULL && result->plan->offset != NULL) {
    berthd_metrics_observe(metrics, BERTHD_METRIC_PLAN_GAP, 0, 0, berth_plan_gap(result->plan));
  }
  if (result->code == BERTH_INTERNAL && result->error.reason == BERTH_REASON_VERIFICATION_FAILED) {
    berthd_metrics_add(metrics, BERTHD_METRIC_VERIFY_FAILURES, 0, 0, 1);
  }
}

static bool is_final(const struct berthd_result *result) {
  enum berth_plan_status status = result->plan->status;
  return status != BERTH_PLAN_CUT_SHORT && !(status == BERTH_PLAN_UNKNOWN && result->was_stopped);
}

/* A plan of `of` (NULL: of the key's problem) as a cache entry, in canonical order. NULL if memory ran out.
 */
struct berthd_cached *berthd_entry_of_plan(
    const struct berthd_key *key, const struct berth_problem *of, const struct berth_plan *plan,
    bool plan_is_final, double solve_seconds) {
  struct berthd_order *order = NULL; /* of the very problem that the plan is of */
  struct berthd_cached *cached = NULL;
  if (of != NULL && berthd_order_create(of, NULL, &order, NULL) != BERTH_OK) {
    berthd_order_unref(order);
    return NULL;
  }
  const struct berth_plan *canonical = berthd_map_to_canonical(plan, order != NULL ? order : key->order);
  if (canonical != NULL) {
    cached =
        berthd_cached_create(&key->id, key->bytes, key->n_bytes, canonical, plan_is_final, solve_seconds);
  }
  berth_plan_unref(canonical);
  berthd_order_unref(order);
  return cached;
}

/* The result as a cache entry: a plan, or a failure that would come again; else NULL. */
static struct berthd_cached *
make_entry(struct berthd_core *core, const struct berthd_flight *flight, const struct berthd_result *result) {
  const struct berthd_key *key = &flight->key;
  if (result->plan == NULL) {
    int64_t ttl = core->config.failure_ttl_ns;
    if (!result->is_deterministic || ttl <= 0) {
      return NULL;
    }
    return berthd_cached_create_failure(
        &key->id, key->bytes, key->n_bytes, &result->error, core->hooks.now_ns(core->hooks.ctx) + ttl);
  }
  const struct berth_problem *of = result->problem != flight->job.problem ? result->problem : NULL;
  return berthd_entry_of_plan(key, of, result->plan, is_final(result), result->solve_seconds);
}

void berthd_core_offer(
    struct berthd_core *core, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_problem *of, const struct berth_plan *plan, double solve_seconds) {
  struct berthd_key key;
  if (berthd_key_init(&key, problem, options, NULL) != BERTH_OK) {
    return;
  }
  struct berthd_cached *cached = berthd_entry_of_plan(
      &key, of != problem ? of : NULL, plan, plan->status != BERTH_PLAN_CUT_SHORT, solve_seconds);
  if (cached != NULL) {
    berthd_digests_make(&key.digests, key.bytes);
    berthd_misses_note(core->misses, &key.id, &key.digests);
    berthd_plans_put(core->plans, cached);
  }
  berthd_cached_unref(cached);
  berthd_key_finish(&key);
}

static void answer_all(
    struct berthd_flight *flight, const struct berthd_outcome *outcome, bool only_expiring,
    struct berthd_done_list *done) {
  struct berthd_request *next;
  for (struct berthd_request *waiter = flight->waiters; waiter != NULL; waiter = next) {
    next = waiter->next;
    if (only_expiring && waiter->state != BERTHD_REQUEST_EXPIRING) {
      continue;
    }
    if (outcome->cached != NULL) {
      berthd_store_entry_ref(&outcome->cached->head); /* one a request */
    }
    berthd_request_answer(waiter, outcome, done);
  }
}

/* A plan that is not final: keep the better one as the incumbent. */
static void keep_incumbent(struct berthd_flight *flight, struct berthd_cached *cached) {
  if (cached == NULL || (flight->incumbent != NULL && !berthd_cached_is_better(cached, flight->incumbent))) {
    return;
  }
  berthd_cached_unref(flight->incumbent);
  berthd_store_entry_ref(&cached->head);
  flight->incumbent = cached;
}

static struct berthd_outcome outcome_of_incumbent(const struct berthd_flight *flight, bool is_aborting) {
  if (flight->incumbent != NULL) {
    return (struct berthd_outcome){.code = BERTH_OK, .cached = flight->incumbent};
  }
  return is_aborting ? berthd_outcome_draining() : berthd_outcome_deadline();
}

/* With the mutex. True if the flight has landed and is the caller's to destroy. */
static bool settle(
    struct berthd_core *core, struct berthd_flight *flight, const struct berthd_result *result,
    struct berthd_cached *cached, struct berthd_done_list *done) {
  bool was_told = flight->state == BERTHD_FLIGHT_STOPPING;
  bool is_unfinished =
      was_told && (result->plan != NULL ? !is_final(result) : result->code == BERTH_CANCELLED);
  if (flight->job.kind == BERTHD_JOB_PLAN && is_unfinished) {
    keep_incumbent(flight, cached);
    struct berthd_outcome outcome = outcome_of_incumbent(flight, core->is_aborting);
    answer_all(flight, &outcome, !core->is_aborting, done);
    if (flight->n_waiters > 0) {
      flight->was_in_vain = flight->incumbent == NULL;
      berthd_flight_enqueue(core, flight, true);
      return false;
    }
  } else if (flight->job.kind == BERTHD_JOB_TASK && result->code == BERTH_OK) {
    struct berthd_outcome outcome = {.code = BERTH_OK};
    answer_all(flight, &outcome, false, done);
  } else if (result->plan != NULL && cached != NULL) {
    struct berthd_outcome outcome = {.code = BERTH_OK, .cached = cached};
    answer_all(flight, &outcome, false, done);
  } else {
    struct berth_error error = result->error;
    if (result->code == BERTH_OK) {
      (void)!berth_fail_memory(&error); /* for the entry */
    }
    struct berthd_outcome outcome = berthd_outcome_error(&error, 0);
    answer_all(flight, &outcome, false, done);
  }
  berthd_flight_land(core, flight);
  return true;
}

/* The largest of late, which fades. */
static double fade(double old, double fresh) {
  return fresh > 0.9 * old ? fresh : 0.9 * old;
}

/* What came after the search: the check, keeping the plan, and giving it to those who wait. Of few buffers it
 * says little about the cost of one. */
static void note_close(
    struct berthd_core *core, uint32_t n_buffers, const struct berthd_result *result, int64_t answered_ns) {
  if (result->plan != NULL && n_buffers >= LEAST_BUFFERS) {
    double close_ns = result->check_seconds * 1e9 + (double)answered_ns;
    pthread_mutex_lock(&core->mutex);
    core->close_ns_per_buffer = fade(core->close_ns_per_buffer, close_ns / n_buffers);
    pthread_mutex_unlock(&core->mutex);
  }
}

void berthd_core_finish(
    struct berthd_core *core, struct berthd_job *job, const struct berthd_result *result) {
  struct berthd_flight *flight = (struct berthd_flight *)job;
  struct berthd_done_list done = {NULL};
  uint32_t n_buffers = job->n_buffers;
  int64_t begin_ns = core->hooks.now_ns(core->hooks.ctx);
  count_result(core, job, result);
  struct berthd_cached *cached = job->kind == BERTHD_JOB_PLAN ? make_entry(core, flight, result) : NULL;
  if (cached != NULL) {
    berthd_misses_note(core->misses, &flight->key.id, &flight->key.digests);
    berthd_plans_put(core->plans, cached);
  }
  pthread_mutex_lock(&core->mutex);
  core->stop_ns = fade(core->stop_ns, result->poll_seconds * 1e9);
  double weight = core->mean_seconds > 0 ? MEAN_WEIGHT : 1;
  core->mean_seconds += weight * (result->solve_seconds - core->mean_seconds);
  bool has_landed = settle(core, flight, result, cached, &done);
  pthread_mutex_unlock(&core->mutex);
  if (has_landed) {
    berthd_flight_destroy(flight);
  } else {
    core->hooks.wake_worker(core->hooks.ctx);
  }
  berthd_deliver(&done);
  berthd_cached_unref(cached);
  note_close(core, n_buffers, result, core->hooks.now_ns(core->hooks.ctx) - begin_ns);
}
