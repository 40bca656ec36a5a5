#include "verify/syncs.h"

#include <inttypes.h>

static void blame(struct berth_verify_findings *findings, const struct berth_sync *sync, const char *what) {
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_SYNC);
  violation.first_step = sync->signaller;
  violation.end_step = (int64_t)sync->waiter + 1;
  berth_verify_blame(
      findings, &violation, "the added wait of operator %u for operator %u %s", sync->waiter, sync->signaller,
      what);
}

/* What is wrong with wait `i`, or NULL. */
static const char *fault_of(const struct berth_graph *graph, const struct berth_sync *syncs, uint32_t i) {
  const struct berth_sync *sync = &syncs[i];
  const struct berth_sync *before = i > 0 ? &syncs[i - 1] : NULL;
  if (graph == NULL || sync->waiter >= graph->n_operators || sync->signaller >= graph->n_operators) {
    return "names an operator that there is not";
  }
  if (sync->signaller >= sync->waiter) {
    return "is not for one before it";
  }
  if (graph->operator_stream == NULL ||
      graph->operator_stream[sync->waiter] == graph->operator_stream[sync->signaller]) {
    return "is within one stream";
  }
  bool in_order = before == NULL || before->waiter < sync->waiter ||
                  (before->waiter == sync->waiter && before->signaller < sync->signaller);
  return in_order ? NULL : "is out of order, or there twice";
}

bool berth_verify_syncs(const struct berth_plan *plan, struct berth_verify_findings *findings) {
  const struct berth_graph *graph = berth_problem_graph(findings->problem);
  uint64_t before = findings->verdict->n_violations;
  for (uint32_t i = 0; i < plan->n_syncs; i++) {
    const char *fault = fault_of(graph, plan->syncs, i);
    if (fault != NULL) {
      blame(findings, &plan->syncs[i], fault);
    }
  }
  if (plan->n_syncs > 0 && (!plan->sync.is_asked || plan->offset == NULL)) {
    struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_SYNC);
    berth_verify_blame(
        findings, &violation, "the plan has %u added waits and %s", plan->n_syncs,
        plan->sync.is_asked ? "no offsets that need them" : "does not say that it was asked for any");
  }
  return findings->verdict->n_violations == before;
}

void berth_verify_sync_terms(
    const struct berth_plan *plan, const struct berth_sync_terms *asked,
    struct berth_verify_findings *findings) {
  if (asked == NULL) {
    return;
  }
  bool is_asked = berth_sync_is_asked(asked);
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_SYNC);
  if (is_asked != (plan->sync.is_asked != 0)) {
    berth_verify_blame(
        findings, &violation, "the plan %s for added waits, and it was%s",
        plan->sync.is_asked ? "says that it was asked" : "does not say that it was asked",
        is_asked ? "" : " not");
  } else if (is_asked && plan->sync.cost_bytes != asked->cost_bytes) {
    berth_verify_blame(
        findings, &violation, "an added wait costs %" PRIu64 " bytes, and not %" PRIu64, asked->cost_bytes,
        plan->sync.cost_bytes);
  } else if (is_asked && plan->n_syncs > asked->max_syncs) {
    berth_verify_blame(
        findings, &violation, "the plan has %u added waits, and no more than %u were asked for",
        plan->n_syncs, asked->max_syncs);
  }
}
