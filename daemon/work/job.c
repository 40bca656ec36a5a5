/* Plan, then let the independent judge look at it: a plan that it refuses never leaves, is logged and
 * counted, and the request ends with INTERNAL. */
#include "work/job.h"

#include <time.h>

#include "berth/restate.h"
#include "berth/verify.h"
#include "log/log.h"
#include "work/memory.h"

#define N_LOGGED_VIOLATIONS 4

struct run {
  struct berthd_job *job;
  const struct berthd_job_hooks *hooks;
  atomic_bool was_stopped;
  atomic_bool has_plan;           /* or is no search for one */
  atomic_int_least64_t polled_ns; /* when it last asked */
  atomic_int_least64_t longest_poll_ns;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double seconds_since(int64_t begin_ns) {
  return (double)(now_ns() - begin_ns) * 1e-9;
}

static void begin_run(struct run *run, struct berthd_job *job, const struct berthd_job_hooks *hooks) {
  run->job = job;
  run->hooks = hooks;
  atomic_init(&run->was_stopped, false);
  atomic_init(&run->has_plan, job->kind != BERTHD_JOB_PLAN);
  atomic_init(&run->polled_ns, now_ns());
  atomic_init(&run->longest_poll_ns, 0);
}

static void note_poll(struct run *run) {
  int64_t now = now_ns();
  int64_t waited = now - atomic_exchange(&run->polled_ns, now);
  int64_t longest = atomic_load(&run->longest_poll_ns);
  while (waited > longest && !atomic_compare_exchange_weak(&run->longest_poll_ns, &longest, waited)) {
  }
}

static bool is_told(const struct run *run) {
  const struct berthd_job *job = run->job;
  return atomic_load_explicit(&job->stop, memory_order_relaxed) &&
         (atomic_load(&run->has_plan) || atomic_load(&job->is_urgent) || atomic_load(&job->is_abandoned));
}

/* On the worker's thread, and on those of its helpers. */
static bool should_stop(void *ctx) {
  struct run *run = ctx;
  run->hooks->beat(run->hooks->ctx);
  note_poll(run);
  if (is_told(run)) {
    atomic_store(&run->was_stopped, true);
  }
  return atomic_load(&run->was_stopped);
}

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct run *run = ctx;
  if (progress->arena_bytes != BERTH_UNLIMITED) {
    atomic_store(&run->has_plan, true);
  }
  run->hooks->on_progress(run->hooks->ctx, run->job, progress);
}

static enum berth_code check(
    const struct berthd_job *job, const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_violation violations[N_LOGGED_VIOLATIONS];
  struct berth_verdict verdict;
  const struct berth_verify_terms terms = {
      .capacity_bytes = job->options.capacity_bytes, .syncs = &job->options.sync};
  enum berth_code code = berth_verify_answer(
      problem, plan, job->options.stable == NULL ? &terms : NULL, allocator, violations, N_LOGGED_VIOLATIONS,
      &verdict, err);
  if (code == BERTH_OK && verdict.n_violations == 0) {
    code = berth_verify_stability(
        problem, plan, job->options.stable, violations, N_LOGGED_VIOLATIONS, &verdict, err);
  }
  if (code != BERTH_OK || verdict.n_violations == 0) {
    return code;
  }
  for (uint32_t i = 0; i < verdict.n_listed; i++) {
    BERTHD_LOG(
        ERROR, "plan.refused", BERTHD_STR("plan_id", job->id.hex),
        BERTHD_STR("kind", berth_violation_kind_name(violations[i].kind)),
        BERTHD_U64("buffer_a", violations[i].buffer_a), BERTHD_U64("buffer_b", violations[i].buffer_b),
        BERTHD_STR("message", violations[i].message));
  }
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL,
      "the independent check refused the plan (%s); it was not returned",
      verdict.n_listed > 0 ? violations[0].message : "no detail");
}

static bool would_come_again(const struct berthd_result *result, const struct berthd_memory *memory) {
  switch (result->code) {
  case BERTH_INVALID_ARGUMENT:
  case BERTH_FAILED_PRECONDITION:
  case BERTH_OUT_OF_RANGE:
  case BERTH_UNIMPLEMENTED:
  case BERTH_INTERNAL:
    return !result->was_stopped;
  case BERTH_RESOURCE_EXHAUSTED:
    return atomic_load(&memory->was_refused) && !result->was_stopped;
  default:
    return false;
  }
}

static void
log_result(const struct berthd_job *job, const struct berthd_result *result, uint64_t peak_bytes) {
  if (result->plan == NULL) {
    BERTHD_LOG(
        INFO, "plan.failed", BERTHD_STR("plan_id", job->id.hex),
        BERTHD_STR("code", berth_code_name(result->code)),
        BERTHD_STR("reason", berth_reason_name(result->error.reason)),
        BERTHD_STR("message", result->error.message), BERTHD_F64("seconds", result->solve_seconds),
        BERTHD_U64("memory_bytes", peak_bytes));
    return;
  }
  BERTHD_LOG(
      INFO, "plan.done", BERTHD_STR("plan_id", job->id.hex),
      BERTHD_STR("status", berth_plan_status_name(result->plan->status)),
      BERTHD_U64("n_buffers", result->plan->n_buffers), BERTHD_U64("arena_bytes", result->plan->arena_bytes),
      BERTHD_U64("lower_bound_bytes", result->plan->lower_bound_bytes),
      BERTHD_U64("ticks", result->plan->ticks), BERTHD_F64("seconds", result->solve_seconds),
      BERTHD_U64("memory_bytes", peak_bytes));
}

static void run_plan(
    struct berthd_job *job, struct berthd_memory *memory, const struct berthd_job_hooks *hooks,
    struct berthd_result *result) {
  struct run run;
  begin_run(&run, job, hooks);
  const struct berth_solve_hooks solve_hooks = {
      .ctx = &run, .should_stop = should_stop, .on_progress = on_progress};
  struct berth_plan *plan = NULL;
  struct berth_problem *problem = NULL; /* in the memory that ends here, unless it is the job's */
  struct berth_solve_options options = job->options;
  options.executor = hooks->executor;
  result->code = berth_solve_levels(
      job->problem, &options, &solve_hooks, &memory->allocator, &problem, &plan, &result->error);
  bool was_stopped = atomic_load(&run.was_stopped);
  result->was_stopped = was_stopped;
  note_poll(&run);
  result->poll_seconds = (double)atomic_load(&run.longest_poll_ns) * 1e-9;
  if (result->code == BERTH_OK && was_stopped && plan->status == BERTH_PLAN_FEASIBLE) {
    plan->status =
        BERTH_PLAN_CUT_SHORT; /* told to stop at its very end: it may still have left something out */
  }
  if (result->code == BERTH_OK && was_stopped && atomic_load(&job->is_abandoned)) {
    result->code = berth_fail(
        &result->error, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL,
        "nobody waits any more");
  }
  if (result->code == BERTH_OK) {
    result->code = check(job, problem, plan, &memory->allocator, &result->error);
  }
  if (result->code == BERTH_OK) {
    result->plan = berthd_plan_copy(plan); /* out of the memory that ends here */
    result->code = result->plan != NULL ? BERTH_OK : berth_fail_memory(&result->error);
  }
  if (result->code == BERTH_OK) {
    result->code = berth_problem_at_level(job->problem, plan->reuse, NULL, &result->problem, &result->error);
  }
  if (result->code != BERTH_OK) {
    berth_plan_unref(result->plan);
    result->plan = NULL;
  }
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  result->check_seconds = seconds_since(atomic_load(&run.polled_ns));
  result->is_deterministic = would_come_again(result, memory);
}

void berthd_job_run(
    struct berthd_job *job, uint64_t memory_bytes, const struct berthd_job_hooks *hooks,
    struct berthd_result *out_result) {
  *out_result = (struct berthd_result){0};
  struct berthd_memory memory;
  berthd_memory_init(&memory, memory_bytes);
  int64_t begin_ns = now_ns();
  if (job->kind == BERTHD_JOB_PLAN) {
    run_plan(job, &memory, hooks, out_result);
  } else {
    struct run run;
    begin_run(&run, job, hooks);
    const struct berthd_task_stop stop = {.ctx = &run, .should_stop = should_stop};
    out_result->code = job->task.run(job->task.ctx, &stop, &memory.allocator, &out_result->error);
  }
  out_result->solve_seconds = seconds_since(begin_ns);
  if (job->kind == BERTHD_JOB_PLAN) {
    log_result(job, out_result, atomic_load(&memory.peak_bytes));
  }
}

void berthd_result_finish(struct berthd_result *result) {
  berth_plan_unref(result->plan);
  berth_problem_unref(result->problem);
}
