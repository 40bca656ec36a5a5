#include "verify/figures.h"

#include <inttypes.h>

#include "verify/claims.h"
#include "verify/homes.h"

static void blame_plan(struct berth_verify_findings *findings, const char *what) {
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
  berth_verify_blame(findings, &violation, "%s", what);
}

static void expect_equal(
    struct berth_verify_findings *findings, uint32_t pool, const char *what, uint64_t stated,
    uint64_t found) {
  if (stated == found) {
    return;
  }
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
  violation.pool = pool;
  berth_verify_blame(
      findings, &violation, "the plan states %s of %" PRIu64 "; it is %" PRIu64, what, stated, found);
}

static void expect_at_most(
    struct berth_verify_findings *findings, uint32_t pool, const char *what, uint64_t lesser,
    uint64_t greater) {
  if (lesser <= greater) {
    return;
  }
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
  violation.pool = pool;
  berth_verify_blame(
      findings, &violation, "the plan states %s: %" PRIu64 " and %" PRIu64, what, lesser, greater);
}

static bool has_table(const struct berth_plan *plan) {
  return plan->status != BERTH_PLAN_INFEASIBLE && plan->status != BERTH_PLAN_UNKNOWN;
}

bool berth_verify_shape(
    const struct berth_verify_facts *facts, const struct berth_plan *plan,
    struct berth_verify_findings *findings) {
  uint64_t before = findings->verdict->n_violations;
  if (plan->n_buffers != facts->n || plan->n_pools != facts->n_pools) {
    blame_plan(findings, "the plan is of another problem: its numbers of buffers or pools differ");
  }
  if ((unsigned)plan->status >= BERTH_N_PLAN_STATUSES) {
    blame_plan(findings, "the plan's status is none of those defined");
  }
  if ((unsigned)plan->reuse >= BERTH_N_REUSES) {
    blame_plan(findings, "the plan's level of reuse is none of those defined");
  }
  if (plan->pools == NULL) {
    blame_plan(findings, "the plan has no results of its pools");
  }
  bool placed = plan->offset != NULL && plan->pool != NULL;
  if (has_table(plan) && facts->n > 0 && !placed) {
    blame_plan(findings, "the plan claims to be one and has no offsets");
  }
  if (!has_table(plan) && (plan->offset != NULL || plan->pool != NULL)) {
    blame_plan(findings, "the plan has offsets and claims that there is none");
  }
  return findings->verdict->n_violations == before;
}

static const char *const CLASSES[] = {"a temporary total", "a constant total", "an input total",
                                      "an output total",   "a state total",    "a workspace total"};

static void check_totals(
    const struct berth_verify_measure *measure, const struct berth_plan *plan,
    struct berth_verify_findings *findings) {
  expect_equal(findings, BERTH_NO_INDEX, "a sum without reuse", plan->naive_bytes, measure->naive_bytes);
  expect_equal(findings, BERTH_NO_INDEX, "a peak", plan->peak_bytes, measure->peak_bytes);
  for (int c = 0; c < BERTH_N_CLASSES; c++) {
    expect_equal(findings, BERTH_NO_INDEX, CLASSES[c], plan->class_bytes[c], measure->class_bytes[c]);
  }
  expect_at_most(
      findings, BERTH_NO_INDEX, "a peak above the slot total", plan->peak_bytes, plan->reuse_bytes);
  expect_at_most(
      findings, BERTH_NO_INDEX, "a slot total above the sum without reuse", plan->reuse_bytes,
      plan->naive_bytes);
}

static void check_base_alignment(
    struct berth_verify_findings *findings, uint32_t pool, const struct berth_verify_pool_measure *found,
    uint64_t stated) {
  uint64_t base = found->base_alignment;
  bool power_of_two = (base == 0 || stated <= base) && stated != 0 && (stated & (stated - 1)) == 0;
  if (power_of_two && found->least_alignment <= stated && stated <= found->most_alignment) {
    return;
  }
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
  violation.pool = pool;
  berth_verify_blame(
      findings, &violation, "pool %u states a base alignment of %" PRIu64 "; its buffers need %" PRIu64, pool,
      stated, found->least_alignment);
}

static void check_pool(
    struct berth_verify_findings *findings, uint32_t pool, const struct berth_verify_pool_measure *found,
    const struct berth_pool_result *stated) {
  expect_equal(findings, pool, "an arena of a pool", stated->arena_bytes, found->arena_bytes);
  expect_equal(findings, pool, "a peak of a pool", stated->peak_bytes, found->peak_bytes);
  expect_at_most(
      findings, pool, "a pool's lower bound above its arena", stated->lower_bound_bytes, stated->arena_bytes);
  expect_at_most(findings, pool, "a pool's peak above its arena", stated->peak_bytes, stated->arena_bytes);
  check_base_alignment(findings, pool, found, stated->base_alignment);
  for (int c = 0; c < BERTH_N_CLASSES; c++) {
    expect_equal(findings, pool, CLASSES[c], stated->class_bytes[c], found->class_bytes[c]);
  }
  expect_equal(
      findings, pool, "an end of constants and state", stated->persistent_bytes, found->persistent_bytes);
  if (found->peak_bytes > 0 && stated->peak_step != found->peak_step) {
    struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
    violation.pool = pool;
    berth_verify_blame(
        findings, &violation, "pool %u states its first peak at step %" PRId64 "; it is at %" PRId64, pool,
        stated->peak_step, found->peak_step);
  }
}

static void
check_cost(const struct berth_plan *plan, uint64_t found, struct berth_verify_findings *findings) {
  expect_equal(findings, BERTH_NO_INDEX, "a spill cost", plan->spill_cost, found);
  expect_at_most(
      findings, BERTH_NO_INDEX, "a bound of the spill cost above it", plan->spill_cost_bound,
      plan->spill_cost);
  if (plan->status == BERTH_PLAN_OPTIMAL && plan->spill_cost_bound != plan->spill_cost) {
    blame_plan(
        findings, "the plan claims to be optimal and the bound of its spill cost is not its spill cost");
  }
}

static void check_pools(
    const struct berth_verify_facts *facts, const struct berth_verify_measure *measure,
    const struct berth_plan *plan, struct berth_verify_findings *findings) {
  uint64_t arena_bytes = 0;
  uint64_t bound_bytes = 0;
  for (uint32_t p = 0; p < facts->n_pools; p++) {
    check_pool(findings, p, &measure->pools[p], &plan->pools[p]);
    arena_bytes = berth_verify_byte(arena_bytes, plan->pools[p].arena_bytes);
    bound_bytes = berth_verify_byte(bound_bytes, plan->pools[p].lower_bound_bytes);
  }
  expect_equal(findings, BERTH_NO_INDEX, "an arena", plan->arena_bytes, arena_bytes);
  expect_equal(findings, BERTH_NO_INDEX, "a lower bound", plan->lower_bound_bytes, bound_bytes);
  expect_at_most(
      findings, BERTH_NO_INDEX, "a lower bound above the arena", plan->lower_bound_bytes, plan->arena_bytes);
  expect_at_most(findings, BERTH_NO_INDEX, "a peak above the arena", plan->peak_bytes, plan->arena_bytes);
  if (plan->status == BERTH_PLAN_OPTIMAL && plan->lower_bound_bytes != plan->arena_bytes) {
    blame_plan(findings, "the plan claims to be optimal and its lower bound is not its arena");
  }
}

static void check_culprits(
    const struct berth_verify_facts *facts, const struct berth_plan *plan,
    struct berth_verify_findings *findings) {
  if (plan->n_culprits > BERTH_MAX_CULPRITS) {
    blame_plan(findings, "the plan names more culprits than it has room for");
    return;
  }
  for (uint32_t i = 0; i < plan->n_culprits; i++) {
    bool known = plan->culprits[i] < facts->n;
    for (uint32_t k = 0; k < i && known; k++) {
      known = plan->culprits[k] != plan->culprits[i];
    }
    if (!known) {
      blame_plan(findings, "the plan names a culprit that does not exist, or names one twice");
    }
  }
}

/* Only a refusal is short of bytes and has someone to blame, and it always is and has. */
static void check_refusal(
    const struct berth_verify_facts *facts, const struct berth_plan *plan,
    struct berth_verify_findings *findings) {
  bool infeasible = plan->status == BERTH_PLAN_INFEASIBLE;
  if (infeasible && plan->short_by_bytes == 0) {
    blame_plan(findings, "the plan says that nothing fits and is short by 0 bytes");
  }
  if (infeasible && plan->n_culprits == 0) {
    blame_plan(findings, "the plan says that nothing fits and blames no buffer");
  }
  if ((unsigned)plan->culprits_proof >= BERTH_N_CULPRITS_PROOFS ||
      (plan->n_culprits == 0 && plan->culprits_proof != BERTH_CULPRITS_UNPROVEN)) {
    blame_plan(findings, "the plan says what is proven of its culprits, and there is no such proof");
  }
  if (!infeasible && (plan->short_by_bytes != 0 || plan->n_culprits != 0)) {
    blame_plan(findings, "the plan blames buffers and does not say that nothing fits");
  }
  check_culprits(facts, plan, findings);
}

/* What is proven of arena and waits together is proven of one plan: this one. That the best plan without
 * waits is as large as it says, nobody but who looked for it knows. */
static void check_syncs(const struct berth_plan *plan, struct berth_verify_findings *findings) {
  const struct berth_sync_result *sync = &plan->sync;
  if (!sync->is_asked) {
    expect_equal(findings, BERTH_NO_INDEX, "a cost of added waits", sync->cost_bytes, 0);
    expect_equal(findings, BERTH_NO_INDEX, "an arena without added waits", sync->without_bytes, 0);
    expect_equal(findings, BERTH_NO_INDEX, "a bound with added waits", sync->bound_bytes, 0);
    return;
  }
  if (!has_table(plan)) {
    return;
  }
  uint64_t total = berth_verify_byte(plan->arena_bytes, berth_plan_sync_cost(plan));
  expect_at_most(
      findings, BERTH_NO_INDEX, "a bound with added waits above what it needs", sync->bound_bytes, total);
  expect_at_most(
      findings, BERTH_NO_INDEX, "added waits that cost more than they save", total, sync->without_bytes);
  if (plan->n_syncs == 0) {
    expect_equal(
        findings, BERTH_NO_INDEX, "an arena without added waits", sync->without_bytes, plan->arena_bytes);
  }
  if (plan->status == BERTH_PLAN_OPTIMAL && sync->bound_bytes != total) {
    blame_plan(findings, "the plan claims to be optimal and is above its bound with added waits");
  }
}

static enum berth_code check_slots(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_plan *plan, struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) {
  if (plan->slot == NULL) {
    if (has_table(plan) && facts->n > 0) {
      blame_plan(findings, "the plan states a slot total and has no slots");
    }
    return BERTH_OK;
  }
  uint64_t slot_bytes;
  enum berth_code code = berth_verify_colouring(facts, pieces, plan->slot, findings, arena, &slot_bytes, err);
  if (code == BERTH_OK) {
    expect_equal(findings, BERTH_NO_INDEX, "a slot total", plan->reuse_bytes, slot_bytes);
  }
  return code;
}

enum berth_code berth_verify_figures(
    struct berth_verify_homes *homes, const struct berth_verify_pieces *pieces, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) {
  const struct berth_verify_facts *facts = homes->facts;
  const struct berth_verify_places places = {.pool = plan->pool, .offset = plan->offset};
  struct berth_verify_measure measure;
  enum berth_code code = berth_verify_measure(&measure, facts, pieces, &places, arena, err);
  if (code != BERTH_OK) {
    return code;
  }
  check_totals(&measure, plan, findings);
  check_refusal(facts, plan, findings);
  check_syncs(plan, findings);
  if (has_table(plan)) {
    check_pools(facts, &measure, plan, findings);
    check_cost(plan, berth_verify_spill_cost(homes, &places), findings);
  }
  code = check_slots(facts, pieces, plan, findings, arena, err);
  return code == BERTH_OK ? berth_verify_claims(homes, pieces, &measure, plan, terms, findings, arena, err)
                          : code;
}
