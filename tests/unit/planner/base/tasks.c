#include "base/tasks.h"

#include <stdatomic.h>
#include <string.h>

#include "base/rng.h"
#include "executors.h"
#include "suite.h"

enum { MOST = 64 };

/* Parts that spend what they are told, in small steps, and leave a mark in their lane at the end. */
struct parts {
  uint32_t n;
  uint32_t ticks[MOST];
  bool decides[MOST];
  _Atomic uint32_t in_lane[BERTH_MOST_LANES]; /* who is there, + 1 */
  uint32_t mark[BERTH_MOST_LANES];
  atomic_bool has_met;
  uint32_t stop_at; /* the hook says so once so many parts have begun; 0: never */
  atomic_uint n_begun;
};

static bool run_part(void *ctx, struct berth_task *task) {
  struct parts *parts = ctx;
  uint32_t nobody = 0;
  atomic_fetch_add(&parts->n_begun, 1);
  if (!atomic_compare_exchange_strong(&parts->in_lane[task->lane], &nobody, task->index + 1)) {
    atomic_store(&parts->has_met, true);
  }
  for (uint32_t spent = 0; spent < parts->ticks[task->index]; spent += 16) {
    if (!berth_effort_spend(&task->effort, 16)) {
      break;
    }
  }
  parts->mark[task->lane] = task->index;
  atomic_store(&parts->in_lane[task->lane], 0);
  return parts->decides[task->index];
}

static bool should_stop(void *ctx) {
  struct parts *parts = ctx;
  return parts->stop_at != 0 && atomic_load(&parts->n_begun) >= parts->stop_at;
}

static struct berth_tasks_result
run(struct parts *parts, const struct berth_executor *executor, uint64_t limit, struct berth_effort *effort) {
  atomic_store(&parts->has_met, false);
  atomic_store(&parts->n_begun, 0);
  memset(parts->mark, 0xff, sizeof parts->mark);
  berth_effort_init(effort, limit, should_stop, parts);
  effort->ticks = 1000;
  struct berth_tasks_result result = berth_tasks_run(executor, effort, parts->n, run_part, parts);
  ck_assert_msg(!atomic_load(&parts->has_met), "two in one lane");
  return result;
}

static const struct berth_executor *const EXECUTORS[] = {
    &EXECUTOR_IN_ORDER, &EXECUTOR_REVERSED, &EXECUTOR_IDLE, &EXECUTOR_TWO, &EXECUTOR_FOUR};
enum { N_EXECUTORS = sizeof EXECUTORS / sizeof EXECUTORS[0] };

static void draw(struct parts *parts, struct berth_rng *rng) {
  parts->n = 1 + berth_rng_below(rng, MOST);
  parts->stop_at = 0;
  for (uint32_t k = 0; k < parts->n; k++) {
    parts->ticks[k] = 16 * (1 + berth_rng_below(rng, 1000));
    parts->decides[k] = berth_rng_below(rng, parts->n) < 2;
  }
}

/* By the rule itself. */
static struct berth_tasks_result
expect(const struct parts *parts, uint64_t limit, uint64_t *out_ticks, enum berth_effort_state *out_state) {
  struct berth_tasks_result result = {0};
  *out_ticks = 1000;
  *out_state = BERTH_EFFORT_RUNNING;
  for (uint32_t k = 0; k < parts->n && !result.is_decided; k++) {
    if (*out_ticks + parts->ticks[k] >= limit) {
      *out_ticks = limit;
      *out_state = BERTH_EFFORT_BUDGET_SPENT;
      break;
    }
    *out_ticks += parts->ticks[k];
    result.n_counted++;
    result.is_decided = parts->decides[k];
  }
  return result;
}

START_TEST(who_runs_them_does_not_matter) {
  struct berth_rng rng = {.state = 11};
  struct parts parts = {0};
  uint32_t n_decided = 0, n_cut = 0;
  for (uint32_t round = 0; round < 600; round++) {
    draw(&parts, &rng);
    uint64_t limit = 1001 + berth_rng_below(&rng, 500000);
    uint64_t ticks;
    enum berth_effort_state state;
    struct berth_tasks_result right = expect(&parts, limit, &ticks, &state);
    n_decided += right.is_decided;
    n_cut += state == BERTH_EFFORT_BUDGET_SPENT;
    for (uint32_t e = 0; e <= N_EXECUTORS; e++) {
      struct berth_effort effort;
      const struct berth_executor *executor = e < N_EXECUTORS ? EXECUTORS[e] : NULL;
      struct berth_tasks_result got = run(&parts, executor, limit, &effort);
      ck_assert_uint_eq(got.n_counted, right.n_counted);
      ck_assert_int_eq(got.is_decided, right.is_decided);
      ck_assert_uint_eq(effort.ticks, ticks);
      ck_assert_int_eq(effort.state, state);
      if (got.is_decided) {
        ck_assert_uint_eq(parts.mark[got.lane], got.n_counted - 1);
      }
    }
  }
  ck_assert_uint_gt(n_decided, 100);
  ck_assert_uint_gt(n_cut, 100);
}
END_TEST

START_TEST(in_order_nothing_is_done_in_vain) {
  struct parts parts = {.n = 40};
  for (uint32_t k = 0; k < parts.n; k++) {
    parts.ticks[k] = 160;
  }
  parts.decides[7] = parts.decides[9] = true;
  struct berth_effort effort;
  run(&parts, NULL, UINT64_MAX, &effort);
  ck_assert_uint_eq(atomic_load(&parts.n_begun), 8);
  run(&parts, &EXECUTOR_IN_ORDER, UINT64_MAX, &effort);
  ck_assert_uint_eq(atomic_load(&parts.n_begun), 8);
  run(&parts, NULL, 1000 + 3 * 160, &effort);
  ck_assert_uint_eq(atomic_load(&parts.n_begun), 3);
}
END_TEST

START_TEST(a_hook_stops_all_and_for_good) {
  struct parts parts = {.n = 50, .stop_at = 5};
  for (uint32_t k = 0; k < parts.n; k++) {
    parts.ticks[k] = 16 << 16;
  }
  for (uint32_t e = 0; e <= N_EXECUTORS; e++) {
    struct berth_effort effort;
    struct berth_tasks_result got = run(&parts, e < N_EXECUTORS ? EXECUTORS[e] : NULL, UINT64_MAX, &effort);
    ck_assert_int_eq(effort.state, BERTH_EFFORT_STOPPED);
    ck_assert(!berth_effort_spend(&effort, 1));
    ck_assert_uint_lt(got.n_counted, 9);
    ck_assert(!got.is_decided);
    ck_assert_uint_le(atomic_load(&parts.n_begun), 9);
  }
}
END_TEST

START_TEST(without_budget_nothing_begins) {
  struct parts parts = {.n = 3, .ticks = {16, 16, 16}, .decides = {true}};
  for (uint32_t e = 0; e <= N_EXECUTORS; e++) {
    struct berth_effort effort;
    struct berth_tasks_result got = run(&parts, e < N_EXECUTORS ? EXECUTORS[e] : NULL, 1000, &effort);
    ck_assert_uint_eq(atomic_load(&parts.n_begun), 0);
    ck_assert_uint_eq(got.n_counted, 0);
    ck_assert(!got.is_decided);
    ck_assert_int_eq(effort.state, BERTH_EFFORT_BUDGET_SPENT);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/tasks", (const TTest *const[]){
                        who_runs_them_does_not_matter, in_order_nothing_is_done_in_vain,
                        a_hook_stops_all_and_for_good, without_budget_nothing_begins, NULL});
}
