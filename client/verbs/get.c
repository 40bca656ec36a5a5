/* A plan by its id. Ids leave names and order out, so the daemon answers in canonical order; with the problem
 * at hand the plan is mapped back to its buffers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "berth/canonical.h"
#include "berth/restate.h"
#include "text/units.h"
#include "verbs/internal.h"

/* The plan in the problem's order, or NULL if memory ran out. */
static struct berth_plan *map_back(const struct berth_plan *canonical, const uint32_t *order) {
  struct berth_plan *plan = berth_plan_copy(NULL, canonical, canonical->syncs, canonical->n_syncs);
  if (plan == NULL) {
    return NULL;
  }
  for (uint32_t k = 0; k < canonical->n_buffers; k++) {
    if (canonical->offset != NULL) {
      berth_plan_offset_mut(plan)[order[k]] = canonical->offset[k];
      berth_plan_pool_mut(plan)[order[k]] = canonical->pool[k];
    }
    if (canonical->slot != NULL) {
      berth_plan_slot_mut(plan)[order[k]] = canonical->slot[k];
    }
  }
  for (uint32_t i = 0; i < canonical->n_culprits; i++) {
    uint32_t culprit = canonical->culprits[i];
    plan->culprits[i] = culprit < canonical->n_buffers ? order[culprit] : 0;
  }
  return plan;
}

static enum berth_code apply_to_problem(
    const struct berth_problem *problem, struct berthctl_planned *planned, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  if (n != planned->plan->n_buffers || berth_problem_pools(problem)->n != planned->plan->n_pools) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, BERTH_NO_INDEX, NULL,
        "is another problem: it has %u buffers, and the plan has %u", n, planned->plan->n_buffers);
  }
  uint32_t *order = malloc((n + (size_t)1) * sizeof *order);
  if (order == NULL) {
    return berth_fail_memory(err);
  }
  enum berth_code code = berth_problem_canonical_order(problem, NULL, order, err);
  struct berth_plan *mapped = code == BERTH_OK ? map_back(planned->plan, order) : NULL;
  free(order);
  if (code != BERTH_OK || mapped == NULL) {
    return code != BERTH_OK ? code : berth_fail_memory(err);
  }
  berth_plan_unref(planned->plan);
  planned->plan = mapped;
  code = berthctl_local_check(problem, mapped, NULL, err);
  if (code == BERTH_INTERNAL && err->reason == BERTH_REASON_VERIFICATION_FAILED) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL,
        "the plan is not one of this problem");
  }
  return code;
}

/* ---- What was measured against it ---- */

static void write_measured(void *ctx, struct berth_json *json) {
  const struct berth_measured *measured = ctx;
  berth_json_u64(json, "n_measurements", measured->n_all);
  berth_json_open(json, "measurements", '[');
  for (uint32_t i = 0; i < measured->n; i++) {
    const struct berth_measurement *item = &measured->items[i];
    berth_json_open(json, NULL, '{');
    berth_json_u64(json, "pool", item->pool);
    berth_json_u64(json, "measured_bytes", item->measured_bytes);
    berth_json_u64(json, "planned_bytes", item->planned_bytes);
    berth_json_double(json, "ratio", item->ratio);
    berth_json_string(json, "source", item->source);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void print_measured(const struct berth_measured *measured) {
  if (measured->n == 0) {
    return;
  }
  printf("\nmeasured against it, the newest first (%" PRIu64 " in all)\n", measured->n_all);
  for (uint32_t i = 0; i < measured->n; i++) {
    const struct berth_measurement *item = &measured->items[i];
    printf(
        "  pool %" PRIu32 "  %20s bytes, %.4f of what is planned%s%s\n", item->pool,
        berth_units_grouped(item->measured_bytes).text, item->ratio, item->source[0] != '\0' ? "  by " : "",
        item->source);
  }
}

static enum berthctl_exit fetch(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berthctl_planned *out_planned, struct berth_measured *out_measured) {
  const char *server = berthctl_server_of(options);
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code =
      berthctl_remote_get(server, options->arguments[0], &watch, out_planned, out_measured, &err);
  berthctl_watch_finish(&watch);
  return code == BERTH_OK ? BERTHCTL_EXIT_OK
                          : berthctl_say_remote(terminal, server, options->arguments[0], &err);
}

enum berthctl_exit
berthctl_verb_get(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  const char *path = options->n_arguments == 2 ? options->arguments[1] : NULL;
  bool needs_problem = options->is_set[BERTHCTL_OPTION_CSV] || options->is_set[BERTHCTL_OPTION_SVG];
  if (needs_problem && path == NULL) {
    return berthctl_say_usage(terminal, "--csv and --svg need the problem: berthctl get ID FILE");
  }
  struct berth_problem *problem = NULL;
  struct berthctl_planned planned = {.plan = NULL};
  struct berth_measured measured = {.n = 0};
  struct berth_error err;
  enum berthctl_exit status =
      path != NULL ? berthctl_load_problem(options, terminal, path, &problem) : BERTHCTL_EXIT_OK;
  if (status == BERTHCTL_EXIT_OK) {
    status = fetch(options, terminal, &planned, &measured);
  }
  if (status == BERTHCTL_EXIT_OK && problem != NULL) {
    struct berth_problem *given = problem; /* the plan may be of the same without results in place */
    enum berth_code code = berth_problem_at_level(given, planned.plan->reuse, NULL, &problem, &err);
    code = code != BERTH_OK ? code : apply_to_problem(problem, &planned, &err);
    berth_problem_unref(given);
    status = code == BERTH_OK ? status : berthctl_error_say(terminal, path, &err);
  }
  if (status == BERTHCTL_EXIT_OK) {
    struct berth_json_plan what = {
        .problem = problem,
        .plan = planned.plan,
        .name = berthctl_problem_name(options, path),
        .plan_id = planned.plan_id,
        .cached = planned.cached,
        .solve_seconds = planned.solve_seconds,
        .more_ctx = &measured,
        .more = measured.n_all > 0 ? write_measured : NULL};
    status = berthctl_show_plan(options, terminal, &what);
  }
  if (status == BERTHCTL_EXIT_OK && !needs_problem && !options->is_set[BERTHCTL_OPTION_JSON] &&
      !options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_measured(&measured);
  }
  berthctl_planned_finish(&planned);
  berth_problem_unref(problem);
  return status;
}
