/* What the files of the core share. Everything in a request or a flight that can change is under core->mutex,
 * but for the reference counts and what says otherwise. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache/plans.h"
#include "core/core.h"
#include "core/job.h"
#include "core/misses.h"
#include "metrics/metrics.h"

struct berthd_flight;

/* ---- States (states.c has the tables of allowed transitions) ---- */

enum berthd_request_state {
  BERTHD_REQUEST_NEW,
  BERTHD_REQUEST_WAITING,  /* for its flight */
  BERTHD_REQUEST_EXPIRING, /* its margin has come: gets what the search has, as soon as it stops */
  BERTHD_REQUEST_ANSWERED,
  BERTHD_N_REQUEST_STATES
};

enum berthd_flight_state {
  BERTHD_FLIGHT_NEW,
  BERTHD_FLIGHT_QUEUED,
  BERTHD_FLIGHT_RUNNING,
  BERTHD_FLIGHT_STOPPING, /* a worker has it and was told to stop */
  BERTHD_FLIGHT_LANDED,
  BERTHD_N_FLIGHT_STATES
};

bool berthd_request_may_move(enum berthd_request_state from, enum berthd_request_state to);
bool berthd_flight_may_move(enum berthd_flight_state from, enum berthd_flight_state to);
/* Abort the process if the table forbids it: a defect that would answer twice or never. */
void berthd_request_move(struct berthd_request *request, enum berthd_request_state to);
void berthd_flight_move(struct berthd_flight *flight, enum berthd_flight_state to);

/* ---- Keys and orders ---- */

/* Where the caller's buffers lie in the canonical order; immutable, shared by requests that agree. */
struct berthd_order {
  atomic_uint_least32_t n_refs;
  uint32_t n;
  bool is_identity;
  uint32_t items[]; /* items[k] is the caller's buffer at canonical place k */
};

struct berthd_key {
  struct berth_planid id;
  uint8_t *bytes;
  size_t n_bytes;
  struct berthd_order *order;
  struct berthd_digests digests; /* only the map, until it is known that it is a miss */
};

enum berth_code berthd_key_init(
    struct berthd_key *key, const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berth_error *err) BERTH_MUST_USE;
void berthd_key_finish(struct berthd_key *key);
/* *out_order may be there on failure too: unref it. `allocator` is for the work, not for the order. */
enum berth_code berthd_order_create(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berthd_order **out_order, struct berth_error *err) BERTH_MUST_USE;
void berthd_order_unref(struct berthd_order *order);
struct berthd_order *berthd_order_ref(struct berthd_order *order);
bool berthd_order_equals(const struct berthd_order *a, const struct berthd_order *b);

/* New plans in the other order, or the same plan where the orders agree. NULL if memory ran out. */
const struct berth_plan *
berthd_map_to_canonical(const struct berth_plan *plan, const struct berthd_order *order);
const struct berth_plan *
berthd_map_to_caller(const struct berth_plan *plan, const struct berthd_order *order);

struct berthd_cached *berthd_entry_of_plan(
    const struct berthd_key *key, const struct berth_problem *of, const struct berth_plan *plan,
    bool plan_is_final, double solve_seconds);

/* ---- Requests and flights ---- */

/* What an answered request is told; made under the mutex, delivered without it. */
struct berthd_outcome {
  enum berth_code code;
  struct berthd_cached *cached; /* owned; with code OK of a plan */
  bool from_cache;
  uint32_t retry_after_ms;
  struct berth_error error;
};

struct berthd_request {
  atomic_uint_least32_t n_refs; /* the caller's and the core's */
  struct berthd_core *core;
  enum berthd_request_state state;
  struct berthd_flight *flight; /* while WAITING or EXPIRING */
  struct berthd_request *previous;
  struct berthd_request *next; /* in the flight, then in the list of those to deliver */
  int64_t deadline_ns;
  int64_t margin_ns; /* wants an answer from here on */
  int64_t due_ns;
  size_t due_place; /* in the heap */
  bool joined;
  struct berthd_order *order;
  struct berth_problem *problem; /* where the plan must be checked again in this order, or may be of the same
                                    without results in place; else NULL */
  bool must_check;
  struct berth_planid id;
  struct berthd_callbacks callbacks;
  void (*on_task_done)(void *ctx, const struct berthd_task_answer *answer); /* of a task; else NULL */
  uint32_t progress_round;
  struct berthd_outcome outcome;
  pthread_mutex_t callback_mutex; /* keeps on_done last */
  bool is_done;                   /* under callback_mutex */
  struct berthd_miss *miss;       /* where it was asked why there is one; else NULL */
};

struct berthd_flight {
  struct berthd_job job; /* first: a job is its flight */
  enum berthd_flight_state state;
  struct berthd_key key; /* of a plan; the order is that of the problem that is planned */
  bool is_listed;        /* found by key */
  struct berthd_flight *next_listed;
  struct berthd_flight *next; /* in the queue, or among those that run */
  struct berthd_flight *previous;
  struct berthd_request *waiters;
  uint32_t n_waiters;
  struct berthd_cached *incumbent; /* the best verified plan so far, not final; or NULL */
  bool was_in_vain;                /* it was stopped before there was any plan, and started again */
  int64_t queued_ns;
  int64_t started_ns;
  int64_t next_progress_ns;
  struct berth_progress told; /* the best of all its searches; the worker's that has it */
  uint32_t progress_round;
};

struct berthd_flight_list {
  struct berthd_flight *first;
  struct berthd_flight *last;
  uint32_t n;
};

#define BERTHD_N_CHAINS 1024 /* of the table of flights */

struct berthd_core {
  struct berthd_core_config config;
  struct berthd_core_hooks hooks;
  struct berthd_plans *plans;
  struct berthd_misses *misses;
  pthread_mutex_t mutex;
  struct berthd_flight *chains[BERTHD_N_CHAINS];
  struct berthd_flight_list queue;
  uint64_t n_queued_buffers;
  struct berthd_flight_list running;
  struct berthd_request **due; /* heap by due_ns */
  size_t n_due;
  size_t due_capacity;
  int64_t timer_ns;           /* what wake_timer was last told */
  double close_ns_per_buffer; /* what a search took after its end, lately; for margins */
  double stop_ns;             /* what it took to notice that it should end, lately */
  double mean_seconds;        /* of a job, smoothed */
  bool is_draining;
  bool is_aborting;
  atomic_uint_least32_t n_open;
};

/* due.c: the heap. Reserve before insert, so that insert cannot fail. */
bool berthd_due_reserve(struct berthd_core *core);
void berthd_due_insert(struct berthd_core *core, struct berthd_request *request, int64_t due_ns);
void berthd_due_remove(struct berthd_core *core, struct berthd_request *request);
void berthd_due_change(struct berthd_core *core, struct berthd_request *request, int64_t due_ns);
/* The time to tell to wake_timer, or INT64_MAX if it knows already. */
int64_t berthd_due_wake(struct berthd_core *core);

/* flight.c */
struct berthd_flight *
berthd_flight_create(struct berth_problem *problem, const struct berth_solve_options *options);
struct berthd_flight *berthd_flight_create_task(const struct berthd_task *task);
void berthd_flight_destroy(struct berthd_flight *flight);
void berthd_flight_list(struct berthd_core *core, struct berthd_flight *flight);
void berthd_flight_unlist(struct berthd_core *core, struct berthd_flight *flight);
struct berthd_flight *berthd_flight_find(struct berthd_core *core, const struct berthd_key *key);
/* NEW or STOPPING -> QUEUED; one that starts again goes to the head. */
void berthd_flight_enqueue(struct berthd_core *core, struct berthd_flight *flight, bool at_head);
/* QUEUED -> RUNNING, or NULL. */
struct berthd_flight *berthd_flight_start(struct berthd_core *core, int64_t now_ns);
/* RUNNING -> STOPPING. */
void berthd_flight_stop(struct berthd_flight *flight);
void berthd_flight_add(struct berthd_flight *flight, struct berthd_request *request);
/* Takes the request out of its flight and of the heap. */
void berthd_flight_leave(struct berthd_core *core, struct berthd_request *request);
/* When nobody waits any more: a queued flight has landed and is returned for destruction without the mutex;
 * one that runs is told to stop, is found no more, and ends when its worker brings it back. */
struct berthd_flight *berthd_flight_abandon(struct berthd_core *core, struct berthd_flight *flight);
/* Out of every list. */
void berthd_flight_land(struct berthd_core *core, struct berthd_flight *flight);

/* answer.c */
struct berthd_done_list {
  struct berthd_request *first;
};
/* Takes the request out of its flight and the heap and puts it on the list with its outcome. */
void berthd_request_answer(
    struct berthd_request *request, const struct berthd_outcome *outcome, struct berthd_done_list *done);
void berthd_deliver(struct berthd_done_list *done);
struct berthd_outcome berthd_outcome_plan(struct berthd_cached *cached, bool from_cache);
struct berthd_outcome berthd_outcome_error(const struct berth_error *error, uint32_t retry_after_ms);
struct berthd_outcome berthd_outcome_deadline(void);
struct berthd_outcome berthd_outcome_draining(void);

/* A plan as the caller is told it: in the caller's order, with a reference each. */
struct berthd_told {
  const struct berth_plan *plan;
  struct berth_problem *problem; /* what it is of, if the caller's is known */
};
/* Whether the plan is of the problem without results in place, and the problem has some. */
bool berthd_is_below(const struct berthd_cached *cached, const struct berth_problem *problem);
/* The plan of `cached` for `problem` (NULL: not known), checked if the caller wants it so, and always where
 * the problem had to be stated again. */
enum berth_code berthd_plan_for_caller(
    struct berthd_core *core, const struct berthd_cached *cached, const struct berthd_order *order,
    struct berth_problem *problem, bool must_check, struct berthd_told *out, struct berth_error *err);
void berthd_told_finish(struct berthd_told *told);

#endif
