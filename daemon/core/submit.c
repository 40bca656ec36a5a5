/* The way in: cache, then the flight of the same key, then admission to the queue. Refusals are answered on
 * the caller's thread without making a request. */
#include <stdlib.h>

#include "berth/restate.h"
#include "core/internal.h"

#define MARGIN_BASE_NS 15000000
#define MARGIN_PER_BUFFER_NS 500 /* to verify, map and encode, at least */
#define FIRST_MARGIN_PER_BUFFER_NS 4000
#define LEAST_RETRY_MS 50
#define MOST_RETRY_MS 30000

struct submission {
  struct berthd_core *core;
  struct berth_problem *problem;
  const struct berth_solve_options *options;
  const struct berthd_callbacks *callbacks;
  void (*on_task_done)(void *ctx, const struct berthd_task_answer *answer); /* of a task; else NULL */
  uint32_t n_buffers;
  struct berthd_key key;
  int64_t now_ns;
  int64_t deadline_ns;
  int64_t margin_ns;
  bool has_incumbent; /* the cache has a plan that was cut short */
  enum berthd_label_MISS miss;
};

/* An answer without a request: from the cache, or a refusal. */
static void answer_now(const struct submission *submission, const struct berthd_outcome *outcome) {
  if (submission->on_task_done != NULL) {
    const struct berthd_task_answer answer = {
        .code = outcome->code, .retry_after_ms = outcome->retry_after_ms, .error = outcome->error};
    submission->on_task_done(submission->callbacks->ctx, &answer);
    return;
  }
  struct berthd_answer answer = {
      .code = outcome->code,
      .id = submission->key.id,
      .cached = outcome->from_cache,
      .retry_after_ms = outcome->retry_after_ms,
      .error = outcome->error};
  submission->callbacks->on_done(submission->callbacks->ctx, &answer);
}

static void refuse(
    const struct submission *submission, enum berthd_label_REJECTION why,
    const struct berthd_outcome *outcome) {
  berthd_metrics_add(submission->core->config.metrics, BERTHD_METRIC_REJECTED, why, 0, 1);
  answer_now(submission, outcome);
}

static void count_look_up(const struct submission *submission, enum berthd_label_CACHE_RESULT result) {
  berthd_metrics_add(
      submission->core->config.metrics, BERTHD_METRIC_CACHE_REQUESTS, BERTHD_TIER_MEMORY, result, 1);
}

/* True if the cache has the answer, which is then given. A plan that does not stand the check is dropped and
 * made again. */
static bool answer_from_cache(const struct submission *submission, struct berthd_cached *cached) {
  struct berthd_core *core = submission->core;
  if (cached->plan == NULL) {
    count_look_up(submission, BERTHD_CACHE_RESULT_FAILURE);
    struct berthd_outcome outcome = berthd_outcome_error(&cached->error, 0);
    outcome.from_cache = true;
    answer_now(submission, &outcome);
    return true;
  }
  struct berthd_answer answer = {
      .id = submission->key.id,
      .cached = true,
      .is_final = true,
      .serial = cached->serial,
      .solve_seconds = cached->solve_seconds};
  struct berthd_told told;
  answer.code = berthd_plan_for_caller(
      core, cached, submission->key.order, submission->problem, true, &told, &answer.error);
  if (answer.code == BERTH_INTERNAL) {
    (void)berthd_plans_remove(core->plans, cached, BERTHD_EVICTION_REFUSED);
    return false;
  }
  count_look_up(submission, BERTHD_CACHE_RESULT_HIT);
  berthd_metrics_add(core->config.metrics, BERTHD_METRIC_CACHE_SAVED_SECONDS, 0, 0, cached->solve_seconds);
  answer.plan = told.plan;
  answer.problem = told.problem;
  submission->callbacks->on_done(submission->callbacks->ctx, &answer);
  berthd_told_finish(&told);
  return true;
}

static struct berthd_request *request_create(struct submission *submission) {
  struct berthd_request *request = calloc(1, sizeof *request);
  if (request == NULL || pthread_mutex_init(&request->callback_mutex, NULL) != 0) {
    free(request);
    return NULL;
  }
  atomic_init(&request->n_refs, 2);
  request->core = submission->core;
  request->deadline_ns = submission->deadline_ns;
  request->margin_ns = submission->margin_ns;
  request->callbacks = *submission->callbacks;
  request->on_task_done = submission->on_task_done;
  request->id = submission->key.id;
  return request;
}

/* How long a computation that is queued now will wait, by what the last ones took: until the first worker is
 * free, and then for those before it. */
static double expected_wait_seconds(const struct submission *submission) {
  const struct berthd_core *core = submission->core;
  if (core->running.n < core->config.n_workers) {
    return 0;
  }
  double first = core->mean_seconds;
  for (const struct berthd_flight *flight = core->running.first; flight != NULL; flight = flight->next) {
    double left = core->mean_seconds - (double)(submission->now_ns - flight->started_ns) * 1e-9;
    first = left < first ? left : first;
  }
  return (first > 0 ? first : 0) +
         core->mean_seconds * (double)core->queue.n / (double)core->config.n_workers;
}

static struct berthd_outcome outcome_full(const struct submission *submission, const char *why) {
  double ms = expected_wait_seconds(submission) * 1e3;
  uint32_t retry_ms = ms > MOST_RETRY_MS    ? MOST_RETRY_MS
                      : ms < LEAST_RETRY_MS ? LEAST_RETRY_MS
                                            : (uint32_t)ms;
  struct berth_error error;
  (void)!berth_fail(
      &error, BERTH_UNAVAILABLE, BERTH_REASON_QUEUE_FULL, BERTH_NO_INDEX, NULL, "%s; retry in %u ms", why,
      retry_ms);
  return berthd_outcome_error(&error, retry_ms);
}

/* With the mutex. True if a new computation may be queued. */
static bool admit(
    const struct submission *submission, enum berthd_label_REJECTION *out_why,
    struct berthd_outcome *out_refusal) {
  const struct berthd_core *core = submission->core;
  if (core->is_draining) {
    *out_why = BERTHD_REJECTION_DRAINING;
    *out_refusal = berthd_outcome_draining();
    return false;
  }
  uint64_t n_buffers = core->n_queued_buffers + submission->n_buffers;
  if (core->queue.n >= core->config.max_queue ||
      (core->queue.n > 0 && n_buffers > core->config.max_queued_buffers)) {
    *out_why = BERTHD_REJECTION_QUEUE_FULL;
    *out_refusal = outcome_full(submission, "the queue is full");
    return false;
  }
  if (expected_wait_seconds(submission) * 1e9 > (double)(submission->deadline_ns - submission->now_ns)) {
    *out_why = BERTHD_REJECTION_DEADLINE;
    *out_refusal = outcome_full(submission, "the deadline would pass in the queue");
    return false;
  }
  return true;
}

/* With the mutex: the request waits for `flight`. */
static void
wait_for(struct submission *submission, struct berthd_flight *flight, struct berthd_request *request) {
  struct berthd_order *order = submission->key.order;
  if (order != NULL && flight->key.order != NULL) {
    bool agrees = berthd_order_equals(order, flight->key.order);
    request->order = berthd_order_ref(agrees ? flight->key.order : order);
    request->must_check = !agrees;
    bool may_be_below = berth_problem_uses_inplace(submission->problem);
    request->problem = agrees && !may_be_below ? NULL : berth_problem_ref(submission->problem);
  }
  berthd_flight_add(flight, request);
  berthd_due_insert(submission->core, request, submission->margin_ns);
  atomic_fetch_add(&submission->core->n_open, 1);
  berthd_metrics_add(submission->core->config.metrics, BERTHD_METRIC_REQUESTS_OPEN, 0, 0, 1);
}

/* How long before a deadline the search must be told to stop: to notice it, for which it has no more than a
 * quarter of what is left, and to check the plan and send it, which takes as long as it takes. By what the
 * last jobs took, doubled since that was under their load and not this one; cautious before the first. */
static int64_t margin_ns(struct berthd_core *core, uint32_t n_buffers, int64_t left_ns) {
  pthread_mutex_lock(&core->mutex);
  double stop = core->stop_ns;
  double close = core->close_ns_per_buffer;
  pthread_mutex_unlock(&core->mutex);
  close = close == 0                         ? FIRST_MARGIN_PER_BUFFER_NS
          : 2 * close > MARGIN_PER_BUFFER_NS ? 2 * close
                                             : MARGIN_PER_BUFFER_NS;
  double most_stop = (double)left_ns / 4, most_close = (double)left_ns / 2;
  stop = 2 * stop + MARGIN_BASE_NS;
  close *= (double)n_buffers;
  return (int64_t)((stop < most_stop ? stop : most_stop) + (close < most_close ? close : most_close));
}

static void set_deadline(struct submission *submission, int64_t deadline_ns) {
  int64_t now = submission->core->hooks.now_ns(submission->core->hooks.ctx);
  submission->now_ns = now;
  submission->deadline_ns = berthd_core_deadline(submission->core, deadline_ns);
  int64_t left = submission->deadline_ns - now;
  bool is_plan = submission->on_task_done == NULL && left > 0;
  submission->margin_ns =
      submission->deadline_ns - (is_plan ? margin_ns(submission->core, submission->n_buffers, left) : 0);
}

static bool has_expired(const struct submission *submission) {
  if (submission->deadline_ns > submission->now_ns) {
    return false;
  }
  struct berthd_outcome outcome = berthd_outcome_deadline();
  refuse(submission, BERTHD_REJECTION_DEADLINE, &outcome);
  return true;
}

static void refuse_memory(const struct submission *submission, struct berth_error *error) {
  (void)!berth_fail_memory(error);
  struct berthd_outcome outcome = berthd_outcome_error(error, 0);
  refuse(submission, BERTHD_REJECTION_LIMIT, &outcome);
}

static void wake(struct berthd_core *core, bool has_work, int64_t timer_ns) {
  if (has_work) {
    core->hooks.wake_worker(core->hooks.ctx);
  }
  if (timer_ns != INT64_MAX) {
    core->hooks.wake_timer(core->hooks.ctx, timer_ns);
  }
}

enum entry { ENTERED, REFUSED, LANDED_MEANWHILE };

struct refusal {
  enum berthd_label_REJECTION why;
  struct berthd_outcome outcome;
};

/* With the mutex: a new flight for the request. Takes `fresh` and `incumbent`. */
static void open_flight(
    struct submission *submission, struct berthd_flight *fresh, struct berthd_cached *incumbent,
    struct berthd_request *request) {
  struct berthd_core *core = submission->core;
  if (submission->key.order != NULL) {
    fresh->key = submission->key;
    fresh->job.id = submission->key.id;
    fresh->key.order = berthd_order_ref(submission->key.order);
    submission->key.bytes = NULL; /* moved */
    berthd_flight_list(core, fresh);
  }
  fresh->incumbent = incumbent;
  fresh->queued_ns = submission->now_ns;
  wait_for(submission, fresh, request);
  berthd_flight_enqueue(core, fresh, false);
}

/* Before the mutex: a request that has a plan in the end will not be asked why it had to be made. */
static void look_into_miss(struct submission *submission, struct berthd_request *request) {
  struct berthd_core *core = submission->core;
  struct berthd_key *key = &submission->key;
  if (submission->on_task_done != NULL) {
    return;
  }
  berthd_digests_make(&key->digests, key->bytes);
  submission->miss = berthd_misses_reason(core->misses, &key->id, &key->digests, submission->has_incumbent);
  if (submission->callbacks->explains_miss) {
    request->miss = malloc(sizeof *request->miss); /* without memory it is not explained */
  }
  if (request->miss != NULL) {
    berthd_misses_explain(
        core->misses, core->plans, &key->id, &key->digests, key->bytes, submission->miss, request->miss);
  }
}

/* With the mutex: joins the flight of the same key or opens a new one. *fresh is NULL afterwards if it was
 * used. */
static enum entry enter(
    struct submission *submission, struct berthd_flight **fresh, struct berthd_request *request,
    struct refusal *out_refusal) {
  struct berthd_core *core = submission->core;
  bool is_plan = submission->on_task_done == NULL;
  struct berthd_flight *flight = is_plan ? berthd_flight_find(core, &submission->key) : NULL;
  struct berthd_cached *cached = NULL;
  if (is_plan && flight == NULL) {
    cached = berthd_plans_find(
        core->plans, &submission->key.id, submission->key.bytes, submission->key.n_bytes, submission->now_ns);
  }
  if (cached != NULL && (cached->plan == NULL || cached->is_final)) {
    berthd_cached_unref(cached);
    return LANDED_MEANWHILE;
  }
  if (!berthd_due_reserve(core)) {
    struct berth_error error;
    (void)!berth_fail_memory(&error);
    *out_refusal = (struct refusal){BERTHD_REJECTION_LIMIT, berthd_outcome_error(&error, 0)};
  } else if (atomic_load(&core->n_open) >= core->config.max_open) {
    *out_refusal =
        (struct refusal){BERTHD_REJECTION_QUEUE_FULL, outcome_full(submission, "too many requests wait")};
  } else if (flight != NULL) {
    request->joined = true;
    wait_for(submission, flight, request);
    return ENTERED;
  } else if (admit(submission, &out_refusal->why, &out_refusal->outcome)) {
    open_flight(submission, *fresh, cached, request);
    *fresh = NULL;
    return ENTERED;
  }
  berthd_cached_unref(cached);
  return REFUSED;
}

/* Owns `fresh` and `request`; the latter goes to *out_request if it waits. */
static enum entry enter_or_refuse(
    struct submission *submission, struct berthd_flight *fresh, struct berthd_request *request,
    struct berthd_request **out_request) {
  struct berthd_core *core = submission->core;
  struct refusal refusal = {0};
  pthread_mutex_lock(&core->mutex);
  enum entry entry = enter(submission, &fresh, request, &refusal);
  int64_t timer_ns = berthd_due_wake(core);
  pthread_mutex_unlock(&core->mutex);
  bool has_work = entry == ENTERED && fresh == NULL;
  berthd_flight_destroy(fresh);
  if (entry == ENTERED) {
    *out_request = request;
    if (submission->on_task_done == NULL) {
      count_look_up(submission, has_work ? BERTHD_CACHE_RESULT_MISS : BERTHD_CACHE_RESULT_JOINED);
      berthd_metrics_add(core->config.metrics, BERTHD_METRIC_CACHE_MISSES, submission->miss, 0, has_work);
    }
    wake(core, has_work, timer_ns);
    return entry;
  }
  berthd_request_unref(request);
  berthd_request_unref(request); /* both references: nobody has seen it */
  if (entry == REFUSED) {
    refuse(submission, refusal.why, &refusal.outcome);
  }
  return entry;
}

/* One round: cache, then flight. False if the flight landed in between and the cache has the answer now. */
static bool
try_once(struct submission *submission, struct berthd_flight *fresh, struct berthd_request **out) {
  struct berthd_core *core = submission->core;
  struct berthd_cached *cached = NULL;
  if (submission->on_task_done == NULL) {
    cached = berthd_plans_find(
        core->plans, &submission->key.id, submission->key.bytes, submission->key.n_bytes, submission->now_ns);
  }
  submission->has_incumbent = cached != NULL && cached->plan != NULL && !cached->is_final;
  bool is_answered =
      cached != NULL && (cached->plan == NULL || cached->is_final) && answer_from_cache(submission, cached);
  berthd_cached_unref(cached);
  struct berthd_request *request = NULL;
  if (!is_answered && fresh != NULL) {
    request = request_create(submission);
  }
  if (request != NULL) {
    look_into_miss(submission, request);
    return enter_or_refuse(submission, fresh, request, out) != LANDED_MEANWHILE;
  }
  if (!is_answered) {
    struct berth_error error;
    refuse_memory(submission, &error);
  }
  berthd_flight_destroy(fresh);
  return true;
}

void berthd_core_submit(
    struct berthd_core *core, struct berth_problem *problem, const struct berth_solve_options *options,
    int64_t deadline_ns, const struct berthd_callbacks *callbacks, struct berthd_request **out_request) {
  *out_request = NULL;
  struct submission submission = {
      .core = core,
      .problem = problem,
      .n_buffers = berth_problem_buffers(problem)->n,
      .options = options,
      .callbacks = callbacks};
  set_deadline(&submission, deadline_ns);
  if (has_expired(&submission)) {
    return;
  }
  struct berth_error error;
  if (berthd_key_init(&submission.key, problem, options, &error) != BERTH_OK) {
    refuse_memory(&submission, &error);
    return;
  }
  while (!try_once(&submission, berthd_flight_create(problem, options), out_request)) {
  }
  berthd_key_finish(&submission.key);
}

void berthd_core_submit_task(
    struct berthd_core *core, const struct berthd_task *task, int64_t deadline_ns, void *ctx,
    void (*on_done)(void *ctx, const struct berthd_task_answer *answer),
    struct berthd_request **out_request) {
  *out_request = NULL;
  const struct berthd_callbacks callbacks = {.ctx = ctx};
  struct submission submission = {
      .core = core, .n_buffers = task->n_buffers, .callbacks = &callbacks, .on_task_done = on_done};
  set_deadline(&submission, deadline_ns);
  bool is_late = has_expired(&submission);
  struct berthd_flight *fresh = is_late ? NULL : berthd_flight_create_task(task);
  if (fresh == NULL) {
    task->release(task->ctx);
  }
  if (!is_late) {
    (void)!try_once(&submission, fresh, out_request);
  }
}
