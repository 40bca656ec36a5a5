/* The heart of the daemon: admission, single flight, the request's states. It knows neither libuv nor gRPC,
 * starts no thread and reads no clock: time comes through a hook, workers come to it (work/), and a
 * simulation can take the place of both.
 *
 *   submit: the cache answers at once, on the calling thread
 *           else the request joins the flight of the same key, or a new flight is queued
 *   take:   a worker takes the oldest flight, plans it, and brings the result back with `finish`
 *   tick:   deadlines; called when the time that `wake_timer` named has come
 *
 * Deadlines. Each request has its own. A little before it passes ("margin", enough to stop, verify and send),
 * the request gets the best verified plan so far, marked CUT_SHORT: the flight's incumbent if there is one,
 * else the search is stopped, as soon as it has a plan, which becomes the incumbent; where others still wait,
 * the search then starts again, and is not stopped a second time as long as anybody can wait longer. Only
 * where there is no plan at all is the answer DEADLINE_EXCEEDED. When the last request leaves a flight, its
 * search is stopped.
 *
 * Threads: every function may be called from any thread. Callbacks are made without a lock held, from the
 * submitting thread (before submit returns), a worker, or the thread that calls tick; `on_done` comes exactly
 * once and last. They must not block.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/solve.h"
#include "berth/status.h"
#include "planid/stored.h"

struct berthd_core;
struct berthd_metrics;
struct berthd_miss;    /* core/misses.h */
struct berthd_request; /* ref-counted handle */

#define BERTHD_NO_DEADLINE INT64_MAX /* the server's default deadline is used */

/* What a request ends with. Valid during the callback; take a reference of the plan to keep it. */
struct berthd_answer {
  /* OK: `plan` is there, in the order of the caller's buffers, checked by berth_verify, and its status may be
   * any, also INFEASIBLE and UNKNOWN, which have no offsets. Otherwise `error` says why. */
  enum berth_code code;
  const struct berth_plan *plan;
  struct berth_problem *problem; /* that the plan is of: the caller's, or, where plan->reuse says so, the same
                                    without results in place; NULL without a plan */
  struct berth_planid id;        /* hex is "" if it was refused before the id was known */
  bool cached;                   /* answered from the cache */
  bool is_final;                 /* the same request will always get this answer: it may be kept */
  uint64_t serial;               /* if cached: of the very plan, for berthd_core_serial */
  bool joined;                   /* another request's computation was shared */
  double solve_seconds;          /* what planning took when the plan was made */
  const struct berthd_miss *miss; /* where it was asked for, and there was one; else NULL */
  uint32_t retry_after_ms;        /* with UNAVAILABLE: when to try again; else 0 */
  struct berth_error error;
};

struct berthd_callbacks {
  void *ctx;
  bool explains_miss; /* the answer says why the cache had none */
  /* Optional. Monotone, at most every `progress_interval` of the core; elapsed_ns since planning began, 0
   * while queued. */
  void (*on_progress)(void *ctx, const struct berth_progress *progress, int64_t elapsed_ns);
  void (*on_done)(void *ctx, const struct berthd_answer *answer);
};

/* Plans `problem` (the core takes a reference) with `options` (and one of what they keep of an earlier plan).
 * `deadline_ns` is on the clock of the hook (CLOCK_MONOTONIC); BERTHD_NO_DEADLINE means the default, and what
 * is beyond the server's limit is cut to it. Everything, refusals too, is answered through `on_done`.
 * *out_request is a handle that the caller unrefs, or NULL if `on_done` was called already. */
void berthd_core_submit(
    struct berthd_core *core, struct berth_problem *problem, const struct berth_solve_options *options,
    int64_t deadline_ns, const struct berthd_callbacks *callbacks, struct berthd_request **out_request);

/* Leaves the flight. If `on_done` was not called yet it is called now, with CANCELLED. Later calls do
 * nothing. */
void berthd_request_cancel(struct berthd_request *request);
void berthd_request_unref(struct berthd_request *request); /* NULL is fine */

/* A plan from the cache by its id, in canonical order, with a reference for the caller.
 * NOT_FOUND/PLAN_NOT_FOUND. */
enum berth_code berthd_core_get(
    struct berthd_core *core, const struct berth_planid *id, const struct berth_plan **out_plan,
    double *out_solve_seconds, struct berth_error *err) BERTH_MUST_USE;

/* The number of the very plan that the cache has under this id, 0 if it has none. Two plans never have the
 * same. Counts as a look-up. */
uint64_t berthd_core_serial(struct berthd_core *core, const struct berth_planid *id);

/* The plan of this id in the order of the problem's buffers, checked against the problem: NOT_FOUND, or
 * INVALID_ARGUMENT with field "plan_id" if it is one of another problem. Where the plan is one without
 * results in place, *problem is replaced by that problem. */
enum berth_code berthd_core_place(
    struct berthd_core *core, const struct berth_planid *id, struct berth_problem **problem,
    const struct berth_allocator *allocator, const struct berth_plan **out_plan,
    struct berth_error *err) BERTH_MUST_USE;

/* Forgets a plan. NOT_FOUND/PLAN_NOT_FOUND. */
enum berth_code berthd_core_delete(
    struct berthd_core *core, const struct berth_planid *id, struct berth_error *err) BERTH_MUST_USE;

/* Takes a plan of `of`, which is `problem` or the same without results in place, for the one that this
 * problem and these options have, if it is better. It was checked. What cannot be kept is not. */
void berthd_core_offer(
    struct berthd_core *core, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_problem *of, const struct berth_plan *plan, double solve_seconds);

/* Keeps a measured peak with the plan, which gives planned_bytes. NOT_FOUND; INVALID_ARGUMENT for a pool that
 * it does not have; FAILED_PRECONDITION where it plans no bytes. */
enum berth_code berthd_core_measure(
    struct berthd_core *core, const struct berth_planid *id, struct berth_measurement *measurement,
    struct berth_measured *out_measured, struct berth_error *err) BERTH_MUST_USE;
/* What was measured against a plan that is kept; nothing of one that is not. */
void berthd_core_measured(
    struct berthd_core *core, const struct berth_planid *id, struct berth_measured *out_measured);

/* Plans that are kept, in the order of their ids, after those whose ids begin with `after` (NULL: from the
 * first). Returns how many; *out_next is for the next page, and *out_has_next whether there is one. */
enum berth_code berthd_core_list(
    struct berthd_core *core, const uint64_t *after, uint32_t n_most, struct berth_stored_plan *out,
    uint32_t *out_n, uint64_t *out_next, bool *out_has_next, struct berth_error *err) BERTH_MUST_USE;

/* ---- Other work: in the same queue, on the same workers. ---- */

/* A check or a report. Most end by themselves and soon; what may take long asks `should_stop` (of `ctx`), and
 * ends with CANCELLED once nobody waits any more. */
struct berthd_task_stop {
  void *ctx;
  bool (*should_stop)(void *ctx);
};

struct berthd_task {
  void *ctx;
  uint32_t n_buffers; /* how large it is, for the limits of the queue */
  /* On a worker, once at most. What is taken from `allocator` must be given back before it returns. */
  enum berth_code (*run)(
      void *ctx, const struct berthd_task_stop *stop, const struct berth_allocator *allocator,
      struct berth_error *err);
  void (*release)(void *ctx); /* once, whatever happens; it may come before `on_done` or after it */
};

struct berthd_task_answer {
  enum berth_code code; /* OK: `run` has come to its end, and said so */
  uint32_t retry_after_ms;
  struct berth_error error;
};

/* As submit otherwise. */
void berthd_core_submit_task(
    struct berthd_core *core, const struct berthd_task *task, int64_t deadline_ns, void *ctx,
    void (*on_done)(void *ctx, const struct berthd_task_answer *answer), struct berthd_request **out_request);

/* ---- Life ---- */

struct berthd_core_config {
  uint32_t n_workers;          /* for estimates of the wait */
  uint32_t max_queue;          /* flights that wait for a worker */
  uint64_t max_queued_buffers; /* of all flights that wait, together; one may always wait */
  uint32_t max_open;           /* requests that wait for an answer */
  uint64_t cache_bytes;
  int64_t default_deadline_ns; /* from the submission */
  int64_t max_deadline_ns;
  int64_t failure_ttl_ns; /* how long deterministic failures are remembered; 0: not */
  int64_t progress_interval_ns;
  struct berthd_metrics *metrics; /* may be NULL */
};

struct berthd_core_hooks {
  void *ctx;
  int64_t (*now_ns)(void *ctx);
  void (*wake_worker)(void *ctx); /* a flight was queued */
  void (*wake_timer)(
      void *ctx, int64_t at_ns); /* call berthd_core_tick at this time; sooner than told before */
};

struct berthd_core_config berthd_core_config_default(void);
enum berth_code berthd_core_create(
    const struct berthd_core_config *config, const struct berthd_core_hooks *hooks,
    struct berthd_core **out_core, struct berth_error *err) BERTH_MUST_USE;
/* No request may be open and no worker inside. */
void berthd_core_destroy(struct berthd_core *core);

/* Deadlines that have come. Returns when to call again at the latest, INT64_MAX for never. */
int64_t berthd_core_tick(struct berthd_core *core);

/* From now on new work is refused with UNAVAILABLE/DRAINING; what runs or waits goes on, hits are still
 * answered. */
void berthd_core_drain(struct berthd_core *core);
/* Ends everything that is left: running searches are cut short, and whoever waits gets what there is. */
void berthd_core_abort(struct berthd_core *core);
bool berthd_core_is_draining(struct berthd_core *core);
/* When a request with this deadline must be answered: the default, where it has none, and within the limit.
 */
int64_t berthd_core_deadline(const struct berthd_core *core, int64_t deadline_ns);
uint32_t berthd_core_n_workers(const struct berthd_core *core);
/* Requests that were not answered yet. */
uint32_t berthd_core_n_open(const struct berthd_core *core);

#endif
