#include "base/tasks.h"

#include <stdatomic.h>
#include <stddef.h>

/* Which part has decided, first in the order, and its lane: one word. */
enum { LANE_BITS = 8 };
#define NOBODY UINT64_MAX

struct record {
  _Atomic uint64_t ticks; /* 0 until it has ended */
  enum berth_effort_state state;
  bool has_run;
  bool decides;
};

struct shared {
  struct berth_effort *effort;
  bool (*run)(void *ctx, struct berth_task *task);
  void *ctx;
  uint64_t left; /* of ticks, when the first part began */
  _Atomic uint64_t free_lanes;
  _Atomic uint64_t first;
  atomic_bool is_stopped; /* by the hook */
  bool is_last;           /* nobody else is asked any more */
  struct record records[BERTH_MOST_TASKS];
};

struct asked {
  struct shared *shared;
  uint32_t index;
};

uint32_t berth_tasks_n_workers(const struct berth_executor *executor) {
  uint32_t n = executor != NULL ? executor->n_workers : 1;
  n = n > BERTH_MAX_WORKERS ? BERTH_MAX_WORKERS : n;
  return n > 0 ? n : 1;
}

uint32_t berth_tasks_n_lanes(const struct berth_executor *executor) {
  return executor != NULL ? berth_tasks_n_workers(executor) + 1 : 1;
}

/* ---- Lanes ---- */

static void release(struct shared *shared, uint64_t lane) {
  atomic_fetch_or(&shared->free_lanes, UINT64_C(1) << lane);
}

/* BERTH_MOST_LANES if there is none. */
static uint32_t claim(struct shared *shared) {
  uint64_t lanes = atomic_load(&shared->free_lanes);
  while (lanes != 0) {
    if (atomic_compare_exchange_weak(&shared->free_lanes, &lanes, lanes & (lanes - 1))) {
      return (uint32_t)__builtin_ctzll(lanes);
    }
  }
  return BERTH_MOST_LANES;
}

/* The lane stays with the first that decides. */
static void decide(struct shared *shared, const struct berth_task *task) {
  uint64_t mine = (uint64_t)task->index << LANE_BITS | task->lane;
  uint64_t first = atomic_load(&shared->first);
  while (mine < first) {
    if (atomic_compare_exchange_weak(&shared->first, &first, mine)) {
      if (first != NOBODY) {
        release(shared, first & ((1 << LANE_BITS) - 1));
      }
      return;
    }
  }
  release(shared, task->lane);
}

/* ---- Parts ---- */

static bool is_of_use(const struct shared *shared, uint32_t index) {
  return atomic_load_explicit(&shared->first, memory_order_relaxed) >> LANE_BITS >= index &&
         !atomic_load_explicit(&shared->is_stopped, memory_order_relaxed);
}

static bool should_stop(void *ctx) {
  const struct asked *asked = ctx;
  struct shared *shared = asked->shared;
  const struct berth_effort *effort = shared->effort;
  if (effort->should_stop != NULL && !atomic_load_explicit(&shared->is_stopped, memory_order_relaxed) &&
      effort->should_stop(effort->ctx)) {
    atomic_store(&shared->is_stopped, true);
  }
  return !is_of_use(shared, asked->index);
}

/* What is left for a part, as far as is known of those before it. */
static uint64_t limit_of(const struct shared *shared, uint32_t index) {
  uint64_t left = shared->left;
  for (uint32_t k = 0; k < index; k++) {
    uint64_t ticks = atomic_load_explicit(&shared->records[k].ticks, memory_order_relaxed);
    left = left > ticks ? left - ticks : 0;
  }
  return left;
}

static void run_one(void *argument, uint32_t index) {
  struct shared *shared = argument;
  uint64_t left = is_of_use(shared, index) ? limit_of(shared, index) : 0;
  uint32_t lane = left > 0 ? claim(shared) : BERTH_MOST_LANES;
  if (lane == BERTH_MOST_LANES) {
    return;
  }
  struct asked asked = {.shared = shared, .index = index};
  struct berth_task task = {.index = index, .lane = lane, .may_leave = !shared->is_last};
  berth_effort_init(&task.effort, left, should_stop, &asked);
  bool decides = shared->run(shared->ctx, &task) && task.effort.state == BERTH_EFFORT_RUNNING;
  if (task.is_left) {
    release(shared, lane);
    return;
  }
  struct record *record = &shared->records[index];
  record->has_run = true;
  record->decides = decides;
  record->state = task.effort.state;
  atomic_store_explicit(&record->ticks, task.effort.ticks, memory_order_relaxed);
  if (decides) {
    decide(shared, &task);
  } else {
    release(shared, lane);
  }
}

/* ---- The answer ---- */

static void stop(struct berth_effort *effort) {
  effort->state = BERTH_EFFORT_STOPPED;
  effort->next_check = 0;
}

/* Spends all: the part at hand would not have ended. */
static void end(struct berth_effort *effort) {
  effort->ticks = effort->limit > effort->ticks ? effort->limit : effort->ticks;
  if (effort->state == BERTH_EFFORT_RUNNING) {
    effort->state = BERTH_EFFORT_BUDGET_SPENT;
    effort->next_check = 0;
  }
}

static struct berth_tasks_result count(struct shared *shared, uint32_t n) {
  struct berth_effort *effort = shared->effort;
  struct berth_tasks_result result = {0};
  uint64_t left = shared->left;
  for (uint32_t k = 0; k < n && !result.is_decided; k++) {
    const struct record *record = &shared->records[k];
    uint64_t ticks = atomic_load_explicit(&record->ticks, memory_order_relaxed);
    if (left == 0 || (record->has_run && ticks >= left)) {
      end(effort);
      return result;
    }
    if (!record->has_run || record->state == BERTH_EFFORT_STOPPED) {
      stop(effort);
      return result;
    }
    left -= ticks;
    effort->ticks += ticks;
    result.n_counted++;
    result.is_decided = record->decides;
    result.lane = (uint32_t)(atomic_load(&shared->first) & ((1 << LANE_BITS) - 1));
  }
  return result;
}

/* In order, what has not been done and is of use. */
static void run_rest(struct shared *shared, uint32_t n) {
  for (uint32_t k = 0; k < n && is_of_use(shared, k); k++) {
    if (!shared->records[k].has_run) {
      run_one(shared, k);
    }
    if (shared->records[k].state != BERTH_EFFORT_RUNNING || !shared->records[k].has_run) {
      return; /* those after it do not count */
    }
  }
}

struct berth_tasks_result berth_tasks_run(
    const struct berth_executor *executor, struct berth_effort *effort, uint32_t n,
    bool (*run)(void *ctx, struct berth_task *task), void *ctx) {
  struct shared shared; /* not cleared beyond what is used */
  shared.effort = effort;
  shared.run = run;
  shared.ctx = ctx;
  shared.left = effort->limit > effort->ticks ? effort->limit - effort->ticks : 0;
  atomic_init(&shared.free_lanes, (UINT64_C(1) << berth_tasks_n_lanes(executor)) - 1);
  atomic_init(&shared.first, NOBODY);
  atomic_init(&shared.is_stopped, effort->state == BERTH_EFFORT_STOPPED);
  n = n < BERTH_MOST_TASKS ? n : BERTH_MOST_TASKS;
  for (uint32_t k = 0; k < n; k++) {
    atomic_init(&shared.records[k].ticks, 0);
    shared.records[k].state = BERTH_EFFORT_RUNNING;
    shared.records[k].has_run = shared.records[k].decides = false;
  }
  shared.is_last = false;
  if (executor != NULL && n > 1 && effort->state == BERTH_EFFORT_RUNNING) {
    executor->run(executor->ctx, n, run_one, &shared);
  }
  shared.is_last = true;
  if (effort->state == BERTH_EFFORT_RUNNING) {
    run_rest(&shared, n);
  }
  struct berth_tasks_result result = count(&shared, n);
  if (atomic_load(&shared.is_stopped)) {
    stop(effort);
  }
  berth_effort_spend(effort, 0);
  return result;
}
