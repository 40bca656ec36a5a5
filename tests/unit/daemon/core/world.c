#include "world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/verify.h"

static int64_t now_ns(void *ctx) {
  return ((struct world *)ctx)->now_ns;
}

static void wake_worker(void *ctx) {
  ((struct world *)ctx)->n_wakes++;
}

static void wake_timer(void *ctx, int64_t at_ns) {
  struct world *world = ctx;
  world->timer_ns = at_ns < world->timer_ns ? at_ns : world->timer_ns;
}

void world_init(struct world *world, const struct berthd_core_config *config) {
  *world = (struct world){.now_ns = 1000 * MS, .timer_ns = INT64_MAX};
  world->metrics = berthd_metrics_create();
  struct berthd_core_config mine = config != NULL ? *config : berthd_core_config_default();
  mine.metrics = world->metrics;
  const struct berthd_core_hooks hooks = {
      .ctx = world, .now_ns = now_ns, .wake_worker = wake_worker, .wake_timer = wake_timer};
  ck_assert_int_eq(berthd_core_create(&mine, &hooks, &world->core, NULL), BERTH_OK);
}

void world_finish(struct world *world) {
  ck_assert_uint_eq(berthd_core_n_open(world->core), 0);
  berthd_core_destroy(world->core);
  berthd_metrics_destroy(world->metrics);
}

void world_advance(struct world *world, int64_t to_ns) {
  while (world->timer_ns <= to_ns) {
    world->now_ns = world->timer_ns > world->now_ns ? world->timer_ns : world->now_ns;
    world->timer_ns = INT64_MAX;
    wake_timer(world, berthd_core_tick(world->core));
  }
  world->now_ns = to_ns;
}

/* ---- Clients ---- */

static void on_progress(void *ctx, const struct berth_progress *progress, int64_t elapsed_ns) {
  struct client *client = ctx;
  ck_assert_int_ge(elapsed_ns, 0);
  ck_assert_uint_ge(progress->arena_bytes, progress->lower_bound_bytes);
  if (client->n_progress > 0) { /* monotone */
    ck_assert_uint_le(progress->arena_bytes, client->progress.arena_bytes);
    ck_assert_uint_ge(progress->lower_bound_bytes, client->progress.lower_bound_bytes);
  }
  client->progress = *progress;
  client->n_progress++;
  client->late_progress = client->late_progress || client->n_done > 0;
}

static void on_done(void *ctx, const struct berthd_answer *answer) {
  struct client *client = ctx;
  client->n_done++;
  client->code = answer->code;
  client->reason = answer->code != BERTH_OK ? answer->error.reason : BERTH_REASON_NONE;
  client->cached = answer->cached;
  client->joined = answer->joined;
  client->is_final = answer->is_final;
  client->retry_after_ms = answer->retry_after_ms;
  client->id = answer->id;
  client->has_miss = answer->miss != NULL;
  if (client->has_miss) {
    client->miss = *answer->miss;
  }
  client->done_ns = client->world->now_ns;
  ck_assert_int_eq(answer->code == BERTH_OK, answer->plan != NULL);
  if (answer->plan != NULL) {
    client->plan = berth_plan_ref(answer->plan);
    client->status = answer->plan->status;
    client->arena_bytes = answer->plan->arena_bytes;
  }
}

void client_submit_with(
    struct client *client, struct world *world, struct berth_problem *problem,
    const struct berth_solve_options *options, int64_t deadline_ns) {
  *client = (struct client){
      .world = world,
      .problem = problem != NULL ? berth_problem_ref(problem) : world_problem(40, 1, 0, false)};
  const struct berthd_callbacks callbacks = {
      .ctx = client, .explains_miss = world->explains_misses, .on_progress = on_progress, .on_done = on_done};
  berthd_core_submit(world->core, client->problem, options, deadline_ns, &callbacks, &client->request);
  ck_assert_int_eq(client->request == NULL, client->n_done == 1);
}

void client_submit(
    struct client *client, struct world *world, struct berth_problem *problem, int64_t deadline_ns) {
  const struct berth_solve_options options = world_options();
  client_submit_with(client, world, problem, &options, deadline_ns);
}

void client_finish(struct client *client) {
  ck_assert_int_eq(client->n_done, 1);
  ck_assert(!client->late_progress);
  berthd_request_unref(client->request);
  berth_plan_unref(client->plan);
  berth_problem_unref(client->problem);
}

void client_check_plan(const struct client *client) {
  ck_assert_int_eq(client->code, BERTH_OK);
  struct berth_violation violation;
  struct berth_verdict verdict;
  ck_assert_int_eq(
      berth_verify(client->problem, client->plan, NULL, &violation, 1, &verdict, NULL), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0, "%s", verdict.n_listed > 0 ? violation.message : "");
}

/* ---- Problems ---- */

struct berth_solve_options world_options(void) {
  struct berth_solve_options options = berth_solve_options_default();
  options.strategies = (1u << BERTH_STRATEGY_COLOURING) | (1u << BERTH_STRATEGY_PLACEMENT);
  return options;
}

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void shuffle(uint32_t *items, uint32_t n, uint64_t seed) {
  for (uint32_t i = n; seed != 0 && i > 1; i--) {
    uint32_t k = (uint32_t)(next(&seed) % i);
    uint32_t held = items[i - 1];
    items[i - 1] = items[k];
    items[k] = held;
  }
}

struct berth_problem *world_problem(uint32_t n, uint64_t seed, uint64_t order_seed, bool named) {
  struct berth_problem_builder *builder;
  struct berth_buffer_spec *specs = calloc(n, sizeof *specs);
  uint32_t *rows = calloc(n, sizeof *rows);
  ck_assert(specs != NULL && rows != NULL);
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t i = 0; i < n; i++) {
    rows[i] = i;
    specs[i] = berth_buffer_spec_default();
    specs[i].size_bytes = 1 + next(&seed) % 50 * 16;
    specs[i].alignment = UINT64_C(1) << next(&seed) % 5;
    specs[i].lower = (int64_t)(next(&seed) % n);
    specs[i].upper = specs[i].lower + 1 + (int64_t)(next(&seed) % 12);
  }
  shuffle(rows, n, order_seed);
  for (uint32_t i = 0; i < n; i++) {
    char name[16];
    struct berth_buffer_spec spec = specs[rows[i]];
    if (named) {
      spec.id = (struct berth_text){name, (uint32_t)snprintf(name, sizeof name, "row%u", i % 1000000)};
    }
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  free(specs);
  free(rows);
  return problem;
}

/* ---- Workers ---- */

static enum berth_code
make_plan(const struct berthd_job *job, struct berth_plan **out_plan, struct berth_error *err) {
  struct berth_plan *plan;
  enum berth_code code = berth_solve(job->problem, &job->options, NULL, NULL, &plan, err);
  ck_assert_int_eq(code, BERTH_OK);
  *out_plan = plan;
  return code;
}

void world_finish_job(struct world *world, struct berthd_job *job, enum ending ending) {
  struct berthd_result result = {.code = BERTH_OK, .solve_seconds = 0.25, .check_seconds = 1e-5};
  struct berth_plan *plan = NULL;
  const struct berth_progress progress = {.arena_bytes = 100, .lower_bound_bytes = 50, .ticks = 1};
  berthd_core_progress(world->core, job, &progress);
  if (ending == ENDS_WITHOUT_PLAN) {
    result.code =
        berth_fail(&result.error, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "stopped");
    result.was_stopped = true;
  } else if (ending == ENDS_BAD) {
    result.code = berth_fail(
        &result.error, BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL, "refused");
    result.is_deterministic = true;
  } else {
    result.code = make_plan(job, &plan, &result.error);
  }
  if (ending == ENDS_CUT_SHORT) {
    plan->status = BERTH_PLAN_CUT_SHORT;
    result.was_stopped = true;
  }
  result.plan = plan;
  berthd_core_finish(world->core, job, &result);
  berth_plan_unref(plan);
}

void world_work(struct world *world, enum ending ending) {
  struct berthd_job *job = berthd_core_take(world->core);
  ck_assert_ptr_nonnull(job);
  world_finish_job(world, job, ending);
}
