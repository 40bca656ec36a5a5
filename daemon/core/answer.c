/* A request is answered in two steps: under the mutex it leaves its flight and gets its outcome, and later,
 * without the mutex, the outcome is made into an answer and delivered. */
#include <stdlib.h>

#include "berth/restate.h"
#include "berth/verify.h"
#include "core/internal.h"

struct berthd_outcome berthd_outcome_plan(struct berthd_cached *cached, bool from_cache) {
  berthd_store_entry_ref(&cached->head);
  return (struct berthd_outcome){.code = BERTH_OK, .cached = cached, .from_cache = from_cache};
}

struct berthd_outcome berthd_outcome_error(const struct berth_error *error, uint32_t retry_after_ms) {
  return (struct berthd_outcome){.code = error->code, .error = *error, .retry_after_ms = retry_after_ms};
}

struct berthd_outcome berthd_outcome_deadline(void) {
  struct berth_error error;
  (void)!berth_fail(
      &error, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
      "the deadline passed before there was any plan");
  return berthd_outcome_error(&error, 0);
}

struct berthd_outcome berthd_outcome_draining(void) {
  struct berth_error error;
  (void)!berth_fail(
      &error, BERTH_UNAVAILABLE, BERTH_REASON_DRAINING, BERTH_NO_INDEX, NULL,
      "the server is shutting down; retry elsewhere");
  return berthd_outcome_error(&error, 1000);
}

void berthd_request_answer(
    struct berthd_request *request, const struct berthd_outcome *outcome, struct berthd_done_list *done) {
  berthd_flight_leave(request->core, request);
  berthd_request_move(request, BERTHD_REQUEST_ANSWERED);
  request->outcome = *outcome;
  request->next = done->first;
  done->first = request;
}

static enum berth_code check_again(
    struct berthd_core *core, const struct berth_plan *plan, const struct berth_problem *problem,
    struct berth_error *err) {
  struct berth_verdict verdict;
  enum berth_code code = berth_verify(problem, plan, NULL, NULL, 0, &verdict, err);
  if (code == BERTH_OK && verdict.n_violations > 0) {
    berthd_metrics_add(core->config.metrics, BERTHD_METRIC_CACHE_VERIFY_FAILURES, BERTHD_TIER_MEMORY, 0, 1);
    return berth_fail(
        err, BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL,
        "the independent check refused a shared plan; it was not returned");
  }
  return code;
}

bool berthd_is_below(const struct berthd_cached *cached, const struct berth_problem *problem) {
  return cached->plan->reuse == BERTH_REUSE_NO_INPLACE && problem != NULL &&
         berth_problem_uses_inplace(problem);
}

void berthd_told_finish(struct berthd_told *told) {
  berth_plan_unref(told->plan);
  berth_problem_unref(told->problem);
  *told = (struct berthd_told){NULL, NULL};
}

static enum berth_code map_below(
    const struct berthd_cached *cached, struct berth_problem *problem, struct berthd_told *out,
    struct berth_error *err) {
  struct berthd_order *order = NULL;
  enum berth_code code = berth_problem_at_level(problem, cached->plan->reuse, NULL, &out->problem, err);
  code = code != BERTH_OK ? code : berthd_order_create(out->problem, NULL, &order, err);
  if (code == BERTH_OK && order->n != cached->plan->n_buffers) {
    code = berth_fail(
        err, BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL,
        "a shared plan is of another problem; it was not returned");
  }
  if (code == BERTH_OK) {
    out->plan = berthd_map_to_caller(cached->plan, order);
    code = out->plan != NULL ? BERTH_OK : berth_fail_memory(err);
  }
  berthd_order_unref(order);
  return code;
}

enum berth_code berthd_plan_for_caller(
    struct berthd_core *core, const struct berthd_cached *cached, const struct berthd_order *order,
    struct berth_problem *problem, bool must_check, struct berthd_told *out, struct berth_error *err) {
  bool is_below = berthd_is_below(cached, problem);
  enum berth_code code = BERTH_OK;
  *out = (struct berthd_told){NULL, NULL};
  if (is_below) {
    code = map_below(cached, problem, out, err);
  } else {
    out->plan = berthd_map_to_caller(cached->plan, order);
    out->problem = problem != NULL ? berth_problem_ref(problem) : NULL;
    code = out->plan != NULL ? BERTH_OK : berth_fail_memory(err);
  }
  if (code == BERTH_OK && (must_check || is_below)) {
    code = check_again(core, out->plan, out->problem, err);
  }
  if (code != BERTH_OK) {
    berthd_told_finish(out);
  }
  return code;
}

/* The last plan that was mapped: waiters of one flight mostly agree on the order of rows, and then share it.
 */
struct mapped {
  struct berthd_cached *cached;
  struct berthd_order *order;
  const struct berth_plan *plan;
};

static void mapped_drop(struct mapped *mapped) {
  berthd_cached_unref(mapped->cached);
  berthd_order_unref(mapped->order);
  berth_plan_unref(mapped->plan);
  *mapped = (struct mapped){0};
}

static enum berth_code mapped_plan(
    struct mapped *mapped, struct berthd_request *request, struct berthd_cached *cached,
    struct berthd_told *out, struct berth_error *err) {
  bool is_plain = !request->must_check && !berthd_is_below(cached, request->problem);
  if (is_plain && mapped->cached == cached && mapped->order == request->order) {
    *out = (struct berthd_told){.plan = berth_plan_ref(mapped->plan)};
    return BERTH_OK;
  }
  enum berth_code code = berthd_plan_for_caller(
      request->core, cached, request->order, request->problem, request->must_check, out, err);
  if (code == BERTH_OK && is_plain) {
    mapped_drop(mapped);
    berthd_store_entry_ref(&cached->head);
    *mapped = (struct mapped){cached, berthd_order_ref(request->order), berth_plan_ref(out->plan)};
  }
  return code;
}

static void
deliver_plan(struct berthd_request *request, struct berthd_outcome *outcome, struct mapped *mapped) {
  struct berthd_answer answer = {
      .code = outcome->code,
      .id = request->id,
      .cached = outcome->from_cache,
      .joined = request->joined,
      .retry_after_ms = outcome->retry_after_ms,
      .miss = request->miss,
      .error = outcome->error,
  };
  struct berthd_told told = {NULL, NULL};
  if (outcome->cached != NULL) {
    answer.code = mapped_plan(mapped, request, outcome->cached, &told, &answer.error);
    answer.plan = told.plan;
    answer.problem = told.problem;
    answer.is_final = answer.code == BERTH_OK && outcome->cached->is_final;
    answer.solve_seconds = outcome->cached->solve_seconds;
  }
  request->callbacks.on_done(request->callbacks.ctx, &answer);
  berthd_told_finish(&told);
  berthd_cached_unref(outcome->cached);
}

static void deliver_task(struct berthd_request *request, const struct berthd_outcome *outcome) {
  const struct berthd_task_answer answer = {
      .code = outcome->code, .retry_after_ms = outcome->retry_after_ms, .error = outcome->error};
  request->on_task_done(request->callbacks.ctx, &answer);
}

void berthd_deliver(struct berthd_done_list *done) {
  struct mapped mapped = {0};
  while (done->first != NULL) {
    struct berthd_request *request = done->first;
    done->first = request->next;
    request->next = NULL;
    pthread_mutex_lock(&request->callback_mutex);
    request->is_done = true;
    if (request->on_task_done != NULL) {
      deliver_task(request, &request->outcome);
    } else {
      deliver_plan(request, &request->outcome, &mapped);
    }
    pthread_mutex_unlock(&request->callback_mutex);
    struct berthd_core *core = request->core;
    atomic_fetch_sub(&core->n_open, 1);
    berthd_metrics_add(core->config.metrics, BERTHD_METRIC_REQUESTS_OPEN, 0, 0, -1);
    berthd_request_unref(request);
  }
  mapped_drop(&mapped);
}

void berthd_request_unref(struct berthd_request *request) {
  if (request == NULL || atomic_fetch_sub_explicit(&request->n_refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  berthd_order_unref(request->order);
  berth_problem_unref(request->problem);
  free(request->miss);
  pthread_mutex_destroy(&request->callback_mutex);
  free(request);
}

void berthd_request_cancel(struct berthd_request *request) {
  struct berthd_core *core = request->core;
  struct berthd_done_list done = {NULL};
  struct berthd_flight *empty = NULL;
  pthread_mutex_lock(&core->mutex);
  if (request->flight != NULL) {
    struct berth_error error;
    (void)!berth_fail(
        &error, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "the caller cancelled");
    struct berthd_outcome outcome = berthd_outcome_error(&error, 0);
    struct berthd_flight *flight = request->flight;
    berthd_request_answer(request, &outcome, &done);
    empty = berthd_flight_abandon(core, flight);
  }
  pthread_mutex_unlock(&core->mutex);
  berthd_flight_destroy(empty);
  berthd_deliver(&done);
}
