#include "berth/verify.h"

#include "verify/figures.h"
#include "verify/groups.h"
#include "verify/homes.h"
#include "verify/order.h"
#include "verify/overlap.h"
#include "verify/sizes.h"
#include "verify/syncs.h"
#include "verify/together.h"

static const char *const KIND_NAMES[] = {
    [BERTH_VIOLATION_OVERLAP] = "overlap", [BERTH_VIOLATION_UNPLACED] = "unplaced",
    [BERTH_VIOLATION_POOL] = "pool",       [BERTH_VIOLATION_ALIGNMENT] = "alignment",
    [BERTH_VIOLATION_PIN] = "pin",         [BERTH_VIOLATION_CAPACITY] = "capacity",
    [BERTH_VIOLATION_FIGURES] = "figures", [BERTH_VIOLATION_GROUP] = "group",
    [BERTH_VIOLATION_KEEP] = "keep",       [BERTH_VIOLATION_SYNC] = "sync",
};

const char *berth_violation_kind_name(enum berth_violation_kind kind) {
  return (unsigned)kind < BERTH_N_VIOLATION_KINDS ? KIND_NAMES[kind] : "?";
}

static const struct berth_verify_added NOTHING_ADDED = {.n = 0};

struct trial {
  struct berth_arena arena;
  struct berth_verify_facts facts;
  struct berth_verify_pieces pieces;
  struct berth_verify_homes homes;
  struct berth_verify_findings findings;
};

static enum berth_code begin(
    struct trial *trial, const struct berth_problem *problem, struct berth_verify_added added,
    struct berth_error *err) {
  enum berth_code code = berth_verify_sizes(problem, &trial->arena, err);
  code = code != BERTH_OK ? code : berth_verify_gather(&trial->facts, problem, added, &trial->arena, err);
  if (code == BERTH_OK && !berth_verify_homes_init(&trial->homes, &trial->facts, &trial->arena)) {
    code = berth_fail_memory(err);
  }
  return code == BERTH_OK ? berth_verify_cut(&trial->pieces, &trial->facts, &trial->arena, err) : code;
}

/* One problem that is no composition. */
static enum berth_code check_single(
    struct trial *trial, const struct berth_verify_places *places, const uint64_t *arena_bytes,
    struct berth_error *err) {
  berth_verify_placements(&trial->homes, places, arena_bytes, &trial->findings);
  berth_verify_tenants_at_home(&trial->homes, places, &trial->findings);
  enum berth_code code =
      berth_verify_overlaps(&trial->facts, &trial->pieces, places, &trial->findings, &trial->arena, err);
  if (code == BERTH_OK) {
    berth_verify_conflicts(&trial->facts, places, &trial->findings);
    berth_verify_groups(&trial->facts, places, &trial->findings);
    code = berth_verify_sequence(&trial->facts, places, &trial->findings, &trial->arena, err);
  }
  if (code == BERTH_OK) {
    code = berth_verify_slots(&trial->facts, places, &trial->findings, &trial->arena, err);
  }
  if (code == BERTH_OK) {
    code = berth_verify_apart(&trial->facts, &trial->pieces, places, &trial->findings, &trial->arena, err);
  }
  return code;
}

/* A part by itself, where the plan of the whole puts its buffers. */
static enum berth_code check_part(
    struct trial *whole, const struct berth_composed *parts, uint32_t part,
    const struct berth_verify_places *places, const uint64_t *arena_bytes,
    struct berth_verify_extents *extents, struct berth_error *err) {
  const uint32_t *whole_of = parts->buffer + parts->buffer_begin[part];
  struct trial trial = {.findings = whole->findings};
  trial.findings.whole_of = whole_of;
  berth_arena_init(&trial.arena, whole->arena.allocator);
  enum berth_code code = begin(&trial, parts->items[part].problem, NOTHING_ADDED, err);
  code = code != BERTH_OK ? code : berth_verify_frame(&whole->facts, &trial.facts, parts, part, err);
  struct berth_verify_places own;
  if (code == BERTH_OK && !berth_verify_part_places(places, whole_of, trial.facts.n, &trial.arena, &own)) {
    code = berth_fail_memory(err);
  }
  code = code != BERTH_OK ? code : check_single(&trial, &own, arena_bytes, err);
  if (code == BERTH_OK &&
      !berth_verify_add_extents(
          extents, &whole->facts, &trial.facts, &trial.pieces, parts, part, &own, &whole->arena)) {
    code = berth_fail_memory(err);
  }
  berth_arena_finish(&trial.arena);
  return code;
}

/* Each part by itself, then what parts are to each other. */
static enum berth_code check_together(
    struct trial *trial, const struct berth_composed *parts, const struct berth_verify_places *places,
    const uint64_t *arena_bytes, struct berth_error *err) {
  struct berth_verify_extents extents = {.n = 0};
  enum berth_code code = BERTH_OK;
  for (uint32_t part = 0; part < parts->n && code == BERTH_OK; part++) {
    code = check_part(trial, parts, part, places, arena_bytes, &extents, err);
  }
  if (code == BERTH_OK) {
    code = berth_verify_together(&trial->facts, parts, &extents, &trial->findings, &trial->arena, err);
  }
  if (code == BERTH_OK) {
    code = berth_verify_slots(&trial->facts, places, &trial->findings, &trial->arena, err);
  }
  if (code == BERTH_OK) {
    code = berth_verify_apart(&trial->facts, &trial->pieces, places, &trial->findings, &trial->arena, err);
  }
  return code;
}

static enum berth_code check_table(
    struct trial *trial, const struct berth_verify_places *places, const uint64_t *arena_bytes,
    struct berth_error *err) {
  const struct berth_composed *parts = berth_problem_composed(trial->findings.problem);
  return parts != NULL ? check_together(trial, parts, places, arena_bytes, err)
                       : check_single(trial, places, arena_bytes, err);
}

/* The first pool is the one that a capacity is asked of. */
static void
check_capacity(struct trial *trial, const struct berth_plan *plan, const struct berth_verify_terms *terms) {
  if (terms != NULL && plan->n_pools > 0 && plan->pools[0].arena_bytes > terms->capacity_bytes) {
    struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_CAPACITY);
    violation.pool = 0;
    berth_verify_blame(
        &trial->findings, &violation,
        "the arena of pool 0 has %llu bytes, and no more than %llu were asked for",
        (unsigned long long)plan->pools[0].arena_bytes, (unsigned long long)terms->capacity_bytes);
  }
}

static enum berth_code check_plan(
    struct trial *trial, const struct berth_plan *plan, const struct berth_verify_terms *terms,
    struct berth_error *err) {
  if (!berth_verify_shape(&trial->facts, plan, &trial->findings)) {
    return BERTH_OK;
  }
  if (plan->offset != NULL) {
    uint64_t *arena_bytes = berth_arena_new(&trial->arena, uint64_t, plan->n_pools);
    if (arena_bytes == NULL) {
      return berth_fail_memory(err);
    }
    for (uint32_t p = 0; p < plan->n_pools; p++) {
      arena_bytes[p] = plan->pools[p].arena_bytes;
    }
    const struct berth_verify_places places = {.pool = plan->pool, .offset = plan->offset};
    enum berth_code code = check_table(trial, &places, arena_bytes, err);
    if (code != BERTH_OK) {
      return code;
    }
    check_capacity(trial, plan, terms);
  }
  berth_verify_sync_terms(plan, terms != NULL ? terms->syncs : NULL, &trial->findings);
  return berth_verify_figures(
      &trial->homes, &trial->pieces, plan, terms, &trial->findings, &trial->arena, err);
}

static void init(
    struct trial *trial, const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_violation *list, uint32_t capacity, struct berth_verdict *verdict) {
  *verdict = (struct berth_verdict){0};
  *trial = (struct trial){
      .findings = {
          .problem = problem, .list = list, .capacity = list != NULL ? capacity : 0, .verdict = verdict}};
  berth_arena_init(&trial->arena, allocator);
}

enum berth_code berth_verify_answer(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, const struct berth_allocator *allocator,
    struct berth_violation *out_violations, uint32_t n_capacity, struct berth_verdict *out_verdict,
    struct berth_error *err) {
  struct trial trial;
  init(&trial, problem, allocator, out_violations, n_capacity, out_verdict);
  const struct berth_verify_added added = {.n = plan->n_syncs, .items = plan->syncs};
  enum berth_code code = BERTH_OK;
  if (berth_verify_syncs(plan, &trial.findings)) { /* else there is no order to judge by */
    code = begin(&trial, problem, added, err);
    code = code != BERTH_OK ? code : check_plan(&trial, plan, terms, err);
  }
  berth_arena_finish(&trial.arena);
  return code;
}

enum berth_code berth_verify(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) {
  return berth_verify_answer(problem, plan, NULL, allocator, out_violations, n_capacity, out_verdict, err);
}

static enum berth_code verify_table(
    const struct berth_problem *problem, const struct berth_verify_places *places, bool may_be_unplaced,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) {
  struct trial trial;
  init(&trial, problem, allocator, out_violations, n_capacity, out_verdict);
  trial.findings.may_be_unplaced = may_be_unplaced;
  enum berth_code code = begin(&trial, problem, NOTHING_ADDED, err);
  if (code == BERTH_OK) {
    code = check_table(&trial, places, NULL, err);
  }
  berth_arena_finish(&trial.arena);
  return code;
}

enum berth_code berth_verify_offsets(
    const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) {
  const struct berth_verify_places places = {.pool = pool, .offset = offset};
  return verify_table(problem, &places, false, allocator, out_violations, n_capacity, out_verdict, err);
}

enum berth_code berth_verify_some(
    const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) {
  const struct berth_verify_places places = {.pool = pool, .offset = offset};
  return verify_table(problem, &places, true, allocator, out_violations, n_capacity, out_verdict, err);
}
