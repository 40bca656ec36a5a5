/* The member "sync" of a plan. */
#include "json/emit.h"
#include "json/plan.h"

static void write_operator(
    struct berth_json *json, const struct berth_problem *problem, const char *key, const char *id_key,
    uint32_t op) {
  berth_json_u64(json, key, op);
  struct berth_text id = {.size = 0};
  if (problem != NULL && berth_problem_graph(problem) != NULL) {
    id = berth_problem_operator_id(problem, op);
  }
  if (id.size != 0) {
    berth_json_text(json, id_key, id);
  } else {
    berth_json_null(json, id_key);
  }
}

static void write_waits(struct berth_json *json, const struct berth_json_plan *input) {
  const struct berth_plan *plan = input->plan;
  berth_json_open(json, "waits", '[');
  for (uint32_t i = 0; i < plan->n_syncs && !json->writer->failed; i++) {
    berth_json_open(json, NULL, '{');
    write_operator(json, input->problem, "waiter", "waiter_id", plan->syncs[i].waiter);
    write_operator(json, input->problem, "signaller", "signaller_id", plan->syncs[i].signaller);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

void berth_json_write_sync(struct berth_json *json, const struct berth_json_plan *input) {
  const struct berth_plan *plan = input->plan;
  const struct berth_sync_result *sync = &plan->sync;
  bool is_known = sync->without_bytes != BERTH_UNLIMITED;
  if (!sync->is_asked) {
    return;
  }
  berth_json_open(json, "sync", '{');
  berth_json_u64(json, "cost_bytes", sync->cost_bytes);
  berth_json_u64(json, "total_cost_bytes", berth_plan_sync_cost(plan));
  berth_json_u64(json, "bound_bytes", sync->bound_bytes);
  if (is_known) {
    berth_json_u64(json, "without_bytes", sync->without_bytes);
  } else {
    berth_json_null(json, "without_bytes");
  }
  if (is_known && plan->offset != NULL) {
    uint64_t saved = sync->without_bytes - plan->arena_bytes;
    berth_json_u64(json, "saved_bytes", saved);
    berth_json_u64(json, "saved_bytes_per_wait", plan->n_syncs != 0 ? saved / plan->n_syncs : 0);
  } else {
    berth_json_null(json, "saved_bytes");
    berth_json_null(json, "saved_bytes_per_wait");
  }
  write_waits(json, input);
  berth_json_close(json, '}');
}
