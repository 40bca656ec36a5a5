#define _DEFAULT_SOURCE /* clock_gettime */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

struct watch {
  double begin;
  double deadline;
  double last; /* asked whether to stop, or told to */
  bool is_stopped;
  double longest_wait;
  double first;
  double best;
  uint64_t arena_bytes;
};

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_cpu_seconds(void) {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall_seconds(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

/* What the library says that it needs after a stop. */
static double reserve(const struct watch *watch, double now) {
  return (watch->first > 0 ? watch->first : now - watch->begin) / BERTH_STOP_RESERVE;
}

static bool should_stop(void *ctx) {
  struct watch *watch = ctx;
  double now = bench_cpu_seconds();
  if (watch->is_stopped) {
    return true; /* the wait is for the return */
  }
  watch->longest_wait = now - watch->last > watch->longest_wait ? now - watch->last : watch->longest_wait;
  watch->last = now;
  watch->is_stopped = watch->deadline > 0 && now + reserve(watch, now) >= watch->deadline;
  return watch->is_stopped;
}

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct watch *watch = ctx;
  if (progress->arena_bytes >= watch->arena_bytes) {
    return;
  }
  double now = bench_cpu_seconds() - watch->begin;
  watch->first = watch->arena_bytes == BERTH_UNLIMITED ? now : watch->first;
  watch->best = now;
  watch->arena_bytes = progress->arena_bytes;
}

/* libc's allocator with an account of the most held at once. */
struct account {
  uint64_t now;
  uint64_t most;
};

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct account *account = ctx;
  account->now += new_size - old_size;
  account->most = account->now > account->most ? account->now : account->most;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, new_size);
}

static bool judge(const char *name, const struct berth_problem *problem, const struct berth_plan *plan) {
  struct berth_violation violation;
  struct berth_verdict verdict;
  struct berth_error err;
  if (berth_verify(problem, plan, NULL, &violation, 1, &verdict, &err) != BERTH_OK) {
    fprintf(stderr, "%s: cannot be judged: %s\n", name, err.message);
    return false;
  }
  if (verdict.n_violations > 0) {
    fprintf(stderr, "%s: %" PRIu64 " violations: %s\n", name, verdict.n_violations, violation.message);
  }
  return verdict.n_violations == 0;
}

bool bench_solve(
    const char *name, const struct berth_problem *problem, const struct bench_options *options,
    struct bench_row *out_row) {
  struct berth_solve_options solve = berth_solve_options_default();
  solve.budget_ticks = options->budget_ticks;
  solve.strategies = options->strategies;
  solve.capacity_bytes = options->capacity_bytes;
  struct account account = {0};
  struct berth_allocator allocator = {.ctx = &account, .resize = resize};
  struct watch watch = {.begin = bench_cpu_seconds(), .arena_bytes = BERTH_UNLIMITED};
  watch.last = watch.begin;
  watch.deadline = options->seconds > 0 ? watch.begin + options->seconds : 0;
  struct berth_solve_hooks hooks = {.ctx = &watch, .should_stop = should_stop, .on_progress = on_progress};
  struct berth_plan *plan = NULL;
  struct berth_error err;
  double wall = bench_wall_seconds();
  enum berth_code code = berth_solve(problem, &solve, &hooks, &allocator, &plan, &err);
  double end = bench_cpu_seconds();
  wall = bench_wall_seconds() - wall;
  bool is_last = end - watch.last > watch.longest_wait;
  double longest_wait = is_last ? end - watch.last : watch.longest_wait;
  if (code != BERTH_OK) {
    *out_row = (struct bench_row){
        .name = name,
        .total_seconds = end - watch.begin,
        .longest_wait = longest_wait,
        .stopped = code == BERTH_CANCELLED};
    if (!out_row->stopped) {
      fprintf(stderr, "%s: %s\n", name, err.message);
    }
    return false;
  }
  bool good = plan->offset != NULL && judge(name, problem, plan);
  *out_row = (struct bench_row){
      .name = name,
      .n_buffers = plan->n_buffers,
      .load_bytes = plan->peak_bytes,
      .bound_bytes = plan->lower_bound_bytes,
      .arena_bytes = plan->arena_bytes,
      .status = plan->status,
      .ticks = plan->ticks,
      .first_seconds = watch.first,
      .best_seconds = watch.best,
      .total_seconds = end - watch.begin,
      .wall_seconds = wall,
      .longest_wait = longest_wait,
      .verify_seconds = bench_cpu_seconds() - end,
      .memory_bytes = account.most,
      .good = good};
  berth_plan_unref(plan);
  return good;
}

void bench_print_head(void) {
  printf(
      "%-34s %8s %14s %14s %14s %8s %-9s %9s %9s %9s %9s %6s\n", "instance", "buffers", "load", "bound",
      "arena", "gap %", "status", "Mticks", "first ms", "best ms", "total ms", "B/buf");
}

void bench_print(const struct bench_row *row) {
  double gap = row->bound_bytes > 0 ? 100.0 * ((double)row->arena_bytes / (double)row->bound_bytes - 1) : 0;
  printf(
      "%-34s %8" PRIu32 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64
      " %8.4f %-9s %9.1f %9.2f %9.2f %9.2f %6.0f%s\n",
      row->name, row->n_buffers, row->load_bytes, row->bound_bytes, row->arena_bytes, gap,
      berth_plan_status_name(row->status), (double)row->ticks * 1e-6, row->first_seconds * 1e3,
      row->best_seconds * 1e3, row->total_seconds * 1e3,
      row->n_buffers > 0 ? (double)row->memory_bytes / row->n_buffers : 0.0, row->good ? "" : "  REFUSED");
  fflush(stdout);
}

void bench_bar(const char *name, double value, const char *unit, bool is_most, double target) {
  bool is_met = is_most ? value <= target : value >= target;
  printf(
      "%-74s %10.2f %-6s %s %8.2f  %s\n", name, value, unit, is_most ? "<=" : ">=", target,
      is_met ? "met" : "MISSED");
  fflush(stdout);
}
