/* Several bindings of a problem, planned here one after another. */
#include "berth/variants.h"

#include "engine/engine.h"

void berthctl_variants_finish(struct berthctl_variants *variants) {
  for (uint32_t i = 0; i < variants->n; i++) {
    berthctl_planned_finish(&variants->items[i].planned);
  }
  berthctl_planned_finish(&variants->bounds.planned);
}

static enum berth_code plan_one(
    struct berth_problem *problem, const struct berth_solve_options *options, struct berthctl_watch *watch,
    struct berthctl_variant *out) {
  const struct berth_verify_terms terms = {.capacity_bytes = options->capacity_bytes};
  struct berthctl_planned *planned = &out->planned;
  enum berth_code code = berthctl_local_plan(problem, options, watch, planned, &out->error);
  code = code != BERTH_OK ? code : berthctl_local_check(planned->problem, planned->plan, &terms, &out->error);
  if (code != BERTH_OK) {
    berthctl_planned_finish(planned);
  }
  return code;
}

static enum berth_code plan_within(
    struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_plan *at_bounds, struct berthctl_watch *watch, struct berthctl_variant *out) {
  enum berth_code code = plan_one(problem, options, watch, out);
  return code == BERTH_OK ? berthctl_hold(problem, at_bounds, options, out, &out->error) : code;
}

/* In seconds or less, and only where it is worth it: nothing stops it. */
enum berth_code berthctl_hold(
    struct berth_problem *problem, const struct berth_plan *at_bounds,
    const struct berth_solve_options *options, struct berthctl_variant *variant, struct berth_error *err) {
  const struct berth_verify_terms terms = {.capacity_bytes = options->capacity_bytes};
  struct berthctl_planned *planned = &variant->planned;
  const struct berth_plan *plan = planned->plan;
  enum berth_code code = berth_variant_hold(
      problem, at_bounds, options, NULL, NULL, &planned->problem, &plan, &variant->from_bounds, err);
  planned->plan = (struct berth_plan *)(uintptr_t)plan; /* one reference, as before */
  if (code == BERTH_OK && variant->from_bounds) {
    code = berthctl_local_check(planned->problem, planned->plan, &terms, err);
  }
  if (code != BERTH_OK) {
    berthctl_planned_finish(planned);
  }
  return code;
}

enum berth_code berthctl_local_variants(
    struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, struct berthctl_watch *watch,
    struct berthctl_variants *out, struct berth_error *err) {
  struct berth_solve_options at_bounds = *options;
  struct berth_problem *stated = NULL;
  at_bounds.capacity_bytes = BERTH_UNLIMITED;
  *out = (struct berthctl_variants){.n = n_variants};
  enum berth_code code =
      berth_variant_bounds(problem, variants, n_variants, NULL, &stated, &out->bounds.error);
  if (code == BERTH_OK) {
    code = plan_one(stated, &at_bounds, watch, &out->bounds);
  }
  berth_problem_unref(stated);
  for (uint32_t i = 0; i < n_variants && code != BERTH_CANCELLED; i++) {
    struct berthctl_variant *item = &out->items[i];
    code = berth_variant_state(problem, &variants[i], NULL, &stated, &item->error);
    if (code == BERTH_OK) {
      code = plan_within(stated, options, out->bounds.planned.plan, watch, item);
    }
    berth_problem_unref(stated);
  }
  if (code == BERTH_CANCELLED) {
    berthctl_variants_finish(out);
    return berth_fail(err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "interrupted");
  }
  return BERTH_OK;
}
