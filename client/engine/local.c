#include "engine/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "crew/crew.h"
#include "system/clock.h"
#include "system/interrupt.h"

void berthctl_planned_finish(struct berthctl_planned *planned) {
  berth_plan_unref(planned->plan);
  berth_problem_unref(planned->problem);
  *planned = (struct berthctl_planned){.plan = NULL};
}

static uint32_t threads_to_use;

void berthctl_local_use_threads(uint32_t n_threads) {
  threads_to_use = n_threads;
}

static uint32_t n_helpers(void) {
  long n = threads_to_use != 0 ? (long)threads_to_use : sysconf(_SC_NPROCESSORS_ONLN);
  n = n < BERTH_MAX_WORKERS ? n : BERTH_MAX_WORKERS;
  return n > 1 ? (uint32_t)n - 1 : 0;
}

/* Only the thread that plans draws progress. */
struct local {
  struct berthctl_watch *watch;
  pthread_t planner;
  int64_t started_ns;
  atomic_int_least64_t first_plan_ns; /* what it took; 0: there is none yet */
};

/* To write the plan down and to check it takes about as long as the first plan took, which is the same
 * machine under the same load. Before there is one, to stop early would leave nothing to show. */
static bool is_due(struct local *local) {
  int64_t first_plan_ns = atomic_load(&local->first_plan_ns);
  int64_t reserve_ns = first_plan_ns != 0 ? 3 * first_plan_ns / 2
                                          : (berthctl_clock_ns() - local->started_ns) / BERTH_STOP_RESERVE;
  return berthctl_watch_is_late(local->watch, reserve_ns);
}

static bool should_stop(void *ctx) {
  struct local *local = ctx;
  if (pthread_equal(local->planner, pthread_self())) {
    return berthctl_watch_interrupted(local->watch) || is_due(local);
  }
  return berthctl_interrupted() || is_due(local);
}

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct local *local = ctx;
  if (progress->arena_bytes != BERTH_UNLIMITED && atomic_load(&local->first_plan_ns) == 0) {
    atomic_store(&local->first_plan_ns, berthctl_clock_ns() - local->started_ns);
  }
  berthctl_watch_on_progress(local->watch, progress);
}

static enum berth_code solve(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned, struct berth_error *err) {
  struct local local = {.watch = watch, .planner = pthread_self(), .started_ns = berthctl_clock_ns()};
  atomic_init(&local.first_plan_ns, 0);
  struct berth_solve_hooks hooks = {.ctx = &local, .should_stop = should_stop, .on_progress = on_progress};
  struct berth_solve_options with_helpers = *options;
  struct berth_crew_config config = {.n_helpers = n_helpers()};
  struct berth_crew *crew = NULL; /* without threads it is done alone */
  if (config.n_helpers > 0 && berth_crew_create(&config, &crew, NULL) == BERTH_OK) {
    with_helpers.executor = berth_crew_executor(crew);
  }
  enum berth_code code = berth_solve_levels(
      problem, &with_helpers, &hooks, NULL, &out_planned->problem, &out_planned->plan, err);
  berth_crew_destroy(crew);
  return code;
}

enum berth_code berthctl_local_plan(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned, struct berth_error *err) {
  *out_planned = (struct berthctl_planned){.plan = NULL};
  struct berth_planid id;
  enum berth_code code = berth_planid_compute(problem, options, &id, err);
  if (code != BERTH_OK) {
    return code;
  }
  int64_t started_ns = berthctl_clock_ns();
  code = solve(problem, options, watch, out_planned, err);
  out_planned->solve_seconds = (double)(berthctl_clock_ns() - started_ns) / 1e9;
  memcpy(out_planned->plan_id, id.hex, sizeof out_planned->plan_id);
  if (berthctl_interrupted()) {
    berthctl_planned_finish(out_planned);
    return berth_fail(err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "interrupted");
  }
  if (code == BERTH_CANCELLED) {
    return berth_fail(
        err, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
        "the deadline of %.3g s passed before there was any plan", (double)watch->timeout_ns / 1e9);
  }
  return code;
}

static enum berth_code heed(
    enum berth_code code, const struct berth_verdict *verdict, const struct berth_violation *violation,
    struct berth_error *err) {
  if (code == BERTH_OK && verdict->n_violations != 0) {
    return berth_fail(
        err, BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, violation->buffer_a, NULL,
        "the plan failed the independent check and is not shown: %s", violation->message);
  }
  return code;
}

enum berth_code berthctl_local_check(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, struct berth_error *err) {
  struct berth_violation violation;
  struct berth_verdict verdict;
  enum berth_code code = berth_verify_answer(problem, plan, terms, NULL, &violation, 1, &verdict, err);
  return heed(code, &verdict, &violation, err);
}

enum berth_code berthctl_local_check_stability(
    const struct berth_problem *problem, const struct berth_plan *plan, const struct berth_stable *stable,
    struct berth_error *err) {
  struct berth_violation violation;
  struct berth_verdict verdict;
  enum berth_code code = berth_verify_stability(problem, plan, stable, &violation, 1, &verdict, err);
  return heed(code, &verdict, &violation, err);
}

struct search {
  const struct berth_solve_options *options;
  struct berthctl_watch *watch;
};

enum berth_code berthctl_take_checked(
    enum berth_code code, struct berthctl_planned *planned, struct berth_plan **out_plan,
    struct berth_error *err) {
  code = code != BERTH_OK ? code : berthctl_local_check(planned->problem, planned->plan, NULL, err);
  *out_plan = planned->plan != NULL ? berth_plan_ref(planned->plan) : NULL;
  berthctl_planned_finish(planned);
  return code;
}

static enum berth_code plan_checked(
    void *ctx, struct berth_problem *problem, struct berth_plan **out_plan, struct berth_error *err) {
  const struct search *search = ctx;
  struct berthctl_planned planned;
  enum berth_code code = berthctl_local_plan(problem, search->options, search->watch, &planned, err);
  code = berthctl_take_checked(code, &planned, out_plan, err);
  bool is_settled =
      code == BERTH_OK && ((*out_plan)->offset != NULL || (*out_plan)->status == BERTH_PLAN_INFEASIBLE);
  if (code == BERTH_OK && !is_settled && berthctl_watch_is_late(search->watch, 0)) {
    code = berth_fail(
        err, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
        "the deadline passed before the search had ended");
  }
  return code;
}

enum berth_code berthctl_local_largest(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, struct berthctl_watch *watch, struct berth_largest *out,
    struct berth_error *err) {
  struct search search = {.options = options, .watch = watch};
  return berth_find_largest(problem, question, plan_checked, &search, NULL, out, err);
}
