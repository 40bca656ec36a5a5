/* The plans that are kept, by their ids. */
#include <stdlib.h>
#include <string.h>

#include "berth/restate.h"
#include "berth/verify.h"
#include "core/internal.h"

static struct berthd_cached *
find(struct berthd_core *core, const struct berth_planid *id, struct berth_error *err) {
  struct berthd_cached *cached = berthd_plans_find_by_id(core->plans, id);
  if (cached == NULL) {
    (void)!berth_fail(
        err, BERTH_NOT_FOUND, BERTH_REASON_PLAN_NOT_FOUND, BERTH_NO_INDEX, "plan_id", "no plan has the id %s",
        id->hex);
  }
  return cached;
}

enum berth_code berthd_core_get(
    struct berthd_core *core, const struct berth_planid *id, const struct berth_plan **out_plan,
    double *out_solve_seconds, struct berth_error *err) {
  struct berthd_cached *cached = find(core, id, err);
  if (cached == NULL) {
    return BERTH_NOT_FOUND;
  }
  *out_plan = berth_plan_ref(cached->plan);
  *out_solve_seconds = cached->solve_seconds;
  berthd_cached_unref(cached);
  return BERTH_OK;
}

uint64_t berthd_core_serial(struct berthd_core *core, const struct berth_planid *id) {
  struct berthd_cached *cached = berthd_plans_find_by_id(core->plans, id);
  uint64_t serial = cached != NULL ? cached->serial : 0;
  berthd_cached_unref(cached);
  return serial;
}

/* ---- For a problem ---- */

static enum berth_code refuse_foreign(const struct berth_planid *id, struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, BERTH_NO_INDEX, "plan_id",
      "the plan %s is not one of this problem", id->hex);
}

static enum berth_code check(
    const struct berth_planid *id, const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_verdict verdict;
  enum berth_code code = berth_verify(problem, plan, allocator, NULL, 0, &verdict, err);
  return code == BERTH_OK && verdict.n_violations > 0 ? refuse_foreign(id, err) : code;
}

enum berth_code berthd_core_place(
    struct berthd_core *core, const struct berth_planid *id, struct berth_problem **problem,
    const struct berth_allocator *allocator, const struct berth_plan **out_plan, struct berth_error *err) {
  struct berthd_cached *cached = find(core, id, err);
  if (cached == NULL) {
    return BERTH_NOT_FOUND;
  }
  struct berthd_order *order = NULL;
  struct berth_problem *of = NULL;
  const struct berth_plan *plan = NULL;
  enum berth_code code = berth_problem_at_level(*problem, cached->plan->reuse, NULL, &of, err);
  bool is_alike = code == BERTH_OK && cached->plan->n_buffers == berth_problem_buffers(of)->n &&
                  cached->plan->n_pools == berth_problem_pools(of)->n;
  if (code == BERTH_OK) {
    code = is_alike ? berthd_order_create(of, allocator, &order, err) : refuse_foreign(id, err);
  }
  if (code == BERTH_OK) {
    plan = berthd_map_to_caller(cached->plan, order);
    code = plan != NULL ? check(id, of, plan, allocator, err) : berth_fail_memory(err);
  }
  if (code == BERTH_OK) {
    berth_problem_unref(*problem);
    *problem = berth_problem_ref(of);
  }
  berth_problem_unref(of);
  berthd_order_unref(order);
  berthd_cached_unref(cached);
  if (code != BERTH_OK) {
    berth_plan_unref(plan);
    return code;
  }
  *out_plan = plan;
  return BERTH_OK;
}

/* ---- One of them ---- */

enum berth_code
berthd_core_delete(struct berthd_core *core, const struct berth_planid *id, struct berth_error *err) {
  struct berthd_cached *cached = find(core, id, err);
  if (cached == NULL) {
    return BERTH_NOT_FOUND;
  }
  (void)berthd_plans_remove(core->plans, cached, BERTHD_EVICTION_DELETED); /* gone already: as asked for */
  berthd_cached_unref(cached);
  return BERTH_OK;
}

static enum berth_code
plan_bytes(const struct berth_plan *plan, struct berth_measurement *measurement, struct berth_error *err) {
  if (measurement->pool >= plan->n_pools) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_POOL, BERTH_NO_INDEX, "pool",
        "pool is %u, but the plan has %u", measurement->pool, plan->n_pools);
  }
  measurement->planned_bytes = plan->offset != NULL ? plan->pools[measurement->pool].arena_bytes : 0;
  return measurement->planned_bytes > 0
             ? BERTH_OK
             : berth_fail(
                   err, BERTH_FAILED_PRECONDITION, BERTH_REASON_BAD_POOL, BERTH_NO_INDEX, "pool",
                   "the plan puts nothing into pool %u, so that nothing can be held against it",
                   measurement->pool);
}

enum berth_code berthd_core_measure(
    struct berthd_core *core, const struct berth_planid *id, struct berth_measurement *measurement,
    struct berth_measured *out_measured, struct berth_error *err) {
  struct berthd_cached *cached = find(core, id, err);
  if (cached == NULL) {
    return BERTH_NOT_FOUND;
  }
  enum berth_code code = plan_bytes(cached->plan, measurement, err);
  if (code == BERTH_OK && !berthd_plans_note(core->plans, cached, measurement, out_measured)) {
    code = berth_fail_memory(err);
  }
  berthd_cached_unref(cached);
  if (code == BERTH_OK) {
    struct berthd_metrics *metrics = core->config.metrics;
    bool is_over = measurement->measured_bytes > measurement->planned_bytes;
    berthd_metrics_observe(metrics, BERTHD_METRIC_MEASURED_PEAK, 0, 0, out_measured->items[0].ratio);
    berthd_metrics_add(metrics, BERTHD_METRIC_MEASURED_OVER, 0, 0, is_over);
  }
  return code;
}

void berthd_core_measured(
    struct berthd_core *core, const struct berth_planid *id, struct berth_measured *out_measured) {
  struct berthd_cached *cached = berthd_plans_find_by_id(core->plans, id);
  *out_measured = (struct berth_measured){.n = 0};
  if (cached != NULL) {
    berthd_plans_measured(core->plans, cached, out_measured);
  }
  berthd_cached_unref(cached);
}

/* ---- All of them ---- */

static void
describe(struct berthd_core *core, const struct berthd_cached *cached, struct berth_stored_plan *out) {
  const struct berth_plan *plan = cached->plan;
  struct berth_measured measured;
  berthd_plans_measured(core->plans, cached, &measured);
  *out = (struct berth_stored_plan){
      .status = plan->status,
      .n_buffers = plan->n_buffers,
      .arena_bytes = plan->offset != NULL ? plan->arena_bytes : 0,
      .lower_bound_bytes = plan->lower_bound_bytes,
      .peak_bytes = plan->peak_bytes,
      .naive_bytes = plan->naive_bytes,
      .solve_seconds = cached->solve_seconds,
      .stored_bytes = berthd_cached_n_bytes(cached) + (measured.n > 0 ? sizeof measured : 0),
      .n_measurements = measured.n_all,
      .highest_ratio = measured.highest_ratio};
  memcpy(out->plan_id, cached->id.hex, sizeof out->plan_id);
}

enum berth_code berthd_core_list(
    struct berthd_core *core, const uint64_t *after, uint32_t n_most, struct berth_stored_plan *out,
    uint32_t *out_n, uint64_t *out_next, bool *out_has_next, struct berth_error *err) {
  struct berthd_store_entry **found = malloc(((size_t)n_most + 1) * sizeof *found);
  if (found == NULL) {
    return berth_fail_memory(err);
  }
  size_t n =
      berthd_plans_list(core->plans, after, (size_t)n_most + 1, found); /* one more: is there a next? */
  *out_has_next = n > n_most;
  *out_n = n > n_most ? n_most : (uint32_t)n;
  for (size_t i = 0; i < n; i++) {
    struct berthd_cached *cached = (struct berthd_cached *)found[i];
    if (i < n_most) {
      describe(core, cached, &out[i]);
      *out_next = berthd_plans_rank(&cached->id);
    }
    berthd_cached_unref(cached);
  }
  free(found);
  return BERTH_OK;
}
