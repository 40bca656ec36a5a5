/* A plan against the earlier one that it was asked to keep: counted anew from the two tables. */
#include <inttypes.h>

#include "verify/findings.h"

struct count {
  uint32_t n_before;
  uint32_t n_kept;
  uint32_t n_must;
  uint64_t before_bytes;
  uint64_t kept_bytes;
};

static bool is_kept(const struct berth_plan *plan, const struct berth_stable *stable, uint32_t i) {
  return plan->offset != NULL && plan->pool != NULL && plan->offset[i] == stable->offset[i] &&
         plan->pool[i] == stable->pool[i];
}

static void blame_moved(
    struct berth_verify_findings *findings, const struct berth_plan *plan, const struct berth_stable *stable,
    uint32_t i) {
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_KEEP);
  violation.buffer_a = i;
  violation.pool = plan->pool[i];
  violation.first_byte = plan->offset[i];
  violation.end_byte = plan->offset[i] + berth_problem_buffers(findings->problem)->size_bytes[i];
  berth_verify_blame(
      findings, &violation,
      "%s must keep its place at %" PRIu64 " in pool %u and lies at %" PRIu64 " in pool %u",
      berth_verify_name(findings, i).text, stable->offset[i], stable->pool[i], plan->offset[i],
      plan->pool[i]);
}

static struct count count_kept(
    struct berth_verify_findings *findings, const struct berth_plan *plan,
    const struct berth_stable *stable) {
  const struct berth_buffers *buffers = berth_problem_buffers(findings->problem);
  struct count count = {0};
  for (uint32_t i = 0; i < buffers->n; i++) {
    if (stable->offset[i] == BERTH_NO_OFFSET) {
      continue;
    }
    bool kept = is_kept(plan, stable, i);
    count.n_before++;
    count.before_bytes += buffers->size_bytes[i];
    count.n_must += stable->must[i] != 0;
    count.n_kept += kept;
    count.kept_bytes += kept ? buffers->size_bytes[i] : 0;
    if (stable->must[i] && !kept && plan->offset != NULL && plan->pool != NULL) {
      blame_moved(findings, plan, stable, i);
    }
  }
  return count;
}

static void
expect(struct berth_verify_findings *findings, const char *what, uint64_t stated, uint64_t found) {
  if (stated != found) {
    struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
    berth_verify_blame(
        findings, &violation, "the plan states %s of %" PRIu64 "; it is %" PRIu64, what, stated, found);
  }
}

static void check_limits(
    struct berth_verify_findings *findings, const struct berth_plan *plan,
    const struct berth_stable *stable) {
  for (uint32_t p = 0; plan->offset != NULL && p < plan->n_pools; p++) {
    if (plan->pools[p].arena_bytes > stable->limit_bytes[p]) {
      struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_KEEP);
      violation.pool = p;
      berth_verify_blame(
          findings, &violation, "the arena of pool %u is %" PRIu64 " bytes, beyond its limit of %" PRIu64, p,
          plan->pools[p].arena_bytes, stable->limit_bytes[p]);
    }
  }
}

static void check(
    struct berth_verify_findings *findings, const struct berth_plan *plan,
    const struct berth_stable *stable) {
  const struct berth_stability *stated = &plan->stability;
  struct count found = {0};
  if (stable != NULL) {
    found = count_kept(findings, plan, stable);
    check_limits(findings, plan, stable);
  }
  bool by_bytes = stable != NULL && stable->keep_by == BERTH_KEEP_BYTES;
  uint64_t kept = by_bytes ? found.kept_bytes : found.n_kept;
  uint64_t before = by_bytes ? found.before_bytes : found.n_before;
  expect(findings, "a question for an earlier plan", stated->is_asked, stable != NULL);
  expect(findings, "a number of buffers that had a place", stated->n_before, found.n_before);
  expect(findings, "a number of buffers that kept their places", stated->n_kept, found.n_kept);
  expect(findings, "a number of buffers that had to keep their places", stated->n_must, found.n_must);
  expect(findings, "a sum of bytes that had a place", stated->before_bytes, found.before_bytes);
  expect(findings, "a sum of bytes that kept their places", stated->kept_bytes, found.kept_bytes);
  if (stated->kept_bound < kept || stated->kept_bound > before) {
    struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
    berth_verify_blame(
        findings, &violation,
        "the plan states that no more than %" PRIu64 " can keep their places; %" PRIu64 " of %" PRIu64 " do",
        stated->kept_bound, kept, before);
  }
}

enum berth_code berth_verify_stability(
    const struct berth_problem *problem, const struct berth_plan *plan, const struct berth_stable *stable,
    struct berth_violation *out_violations, uint32_t n_capacity, struct berth_verdict *out_verdict,
    struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  uint32_t n_pools = berth_problem_pools(problem)->n;
  *out_verdict = (struct berth_verdict){0};
  if (plan->n_buffers != n || plan->n_pools != n_pools || plan->pools == NULL ||
      (stable != NULL && (stable->n_buffers != n || stable->n_pools != n_pools))) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, NULL,
        "the plan, or the earlier one, is of another problem: numbers of buffers or pools differ");
  }
  struct berth_verify_findings findings = {
      .problem = problem,
      .list = out_violations,
      .capacity = out_violations != NULL ? n_capacity : 0,
      .verdict = out_verdict};
  check(&findings, plan, stable);
  return BERTH_OK;
}
