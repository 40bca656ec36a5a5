/* Parts of a search in an order, run by whoever the caller has for them, with one answer: the first part in
 * the order that decides ends them all, and what came after it counts for nothing, as if each had begun when
 * the one before it had ended.
 *
 * So a part must not see what the others do: it has an effort of its own, and a lane, which is the index of
 * scratch that nobody else uses meanwhile. What a lane holds of earlier parts must not change the answer. */
#ifndef BASE_TASKS_H
#define BASE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/effort.h"
#include "berth/executor.h"

enum { BERTH_MOST_TASKS = 256, BERTH_MOST_LANES = BERTH_MAX_WORKERS + 1 };

struct berth_task {
  uint32_t index;
  uint32_t lane;
  struct berth_effort effort; /* from 0 ticks */
  bool may_leave;             /* it is not the last who is asked to do it */
  bool is_left;               /* out: it could not begin, for want of memory; as if it had not been asked */
};

struct berth_tasks_result {
  uint32_t n_counted; /* parts that count: all, or up to the one that decided, or that effort sufficed for */
  bool is_decided;    /* by the last that counts */
  uint32_t lane;      /* of that one, as it left it */
};

/* How many may run at once. */
uint32_t berth_tasks_n_workers(const struct berth_executor *executor);

/* Lanes that may be needed: one more than run at once, since the one that decided is kept. */
uint32_t berth_tasks_n_lanes(const struct berth_executor *executor);

/* Runs n parts (at most BERTH_MOST_TASKS). `run` says whether its part decides; what it says when its effort
 * has ended does not count. The ticks of those that count are spent from `effort`; if they do not suffice,
 * all that is left is. NULL for the executor: in order, here. The effort's hook may be called from several
 * threads at once. */
struct berth_tasks_result berth_tasks_run(
    const struct berth_executor *executor, struct berth_effort *effort, uint32_t n,
    bool (*run)(void *ctx, struct berth_task *task), void *ctx);

#endif
