/* The independent judge. It shares nothing with the solver: it derives liveness again from what the problem
 * states and trusts neither derived lifetimes nor any number in the plan. O(n log n): a sweep with an ordered
 * set, never all pairs. */
#ifndef BERTH_VERIFY_H
#define BERTH_VERIFY_H

#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/stable.h"

enum berth_violation_kind {
  BERTH_VIOLATION_OVERLAP = 0, /* two buffers that may be live together share bytes */
  BERTH_VIOLATION_UNPLACED,    /* a buffer has no offset */
  BERTH_VIOLATION_POOL,        /* a buffer lies in a pool that it may not use */
  BERTH_VIOLATION_ALIGNMENT,
  BERTH_VIOLATION_PIN,
  BERTH_VIOLATION_CAPACITY, /* beyond the pool's capacity, largest block, or the arena that the plan states */
  BERTH_VIOLATION_FIGURES,  /* a number that the plan reports is wrong (arena, peak, bound, naive, ...) */
  BERTH_VIOLATION_GROUP,    /* a buffer does not lie where its group wants it, beside the other one */
  BERTH_VIOLATION_KEEP,     /* a buffer has moved that must not, or an arena is beyond its limit (stable.h) */
  BERTH_VIOLATION_SYNC,     /* an added wait that cannot be, or that was not asked for */
  BERTH_N_VIOLATION_KINDS
};

struct berth_violation {
  enum berth_violation_kind kind;
  uint32_t buffer_a;
  uint32_t buffer_b; /* BERTH_NO_INDEX unless OVERLAP or GROUP */
  uint32_t pool;
  uint64_t first_byte; /* of the shared bytes, [first, end) */
  uint64_t end_byte;
  int64_t first_step; /* of the shared steps, [first, end) */
  int64_t end_step;
  char message[BERTH_MESSAGE_SIZE];
};

/* What a plan claims beyond its places: that no plan needs less (lower bounds), that some buffers cannot be
 * placed together (culprits). Up to ten buffers are searched completely, by the judge itself. */
enum berth_claim {
  BERTH_CLAIM_NONE = 0, /* there is none */
  BERTH_CLAIM_CHECKED,  /* derived again: a claim that is false is a violation */
  BERTH_CLAIM_TRUSTED,  /* nothing speaks against it, and that is all that is known */
};

struct berth_verdict {
  uint64_t n_violations; /* all that the sweep met; pairs are not listed beyond the capacity below */
  uint32_t n_listed;
  enum berth_claim lower_bound; /* of a plan with offsets */
  enum berth_claim culprits;    /* of an INFEASIBLE one: that they do not fit, and the word for their proof */
};

/* What the plan is an answer to. Not for plans that keep an earlier one: why these do not fit is another
 * question (stable.h). */
struct berth_verify_terms {
  uint64_t capacity_bytes; /* of berth_solve_options; BERTH_UNLIMITED for none */
  /* What was asked of added waits (solve.h), so that a plan has none that nobody asked for. */
  const struct berth_sync_terms *syncs; /* NULL: as the plan says */
};

const char *berth_violation_kind_name(enum berth_violation_kind kind);

/* Taken on trust from every plan: `ticks`; that CUT_SHORT and UNKNOWN are not another status;
 * `short_by_bytes` beyond being more than nothing; bounds of spill costs, of whole slots and of what is kept;
 * bounds and culprits beyond what is searched, or that an earlier plan has a part in (the verdict says so);
 * that the best plan without added waits is as large as it says, and the bound with any. From the problem:
 * the order of a group's pools, and sizes of symbols that are ranges. All else is derived again: every place,
 * arena, peak and sum, slots, spill costs, permissions that are used, groups, clocks and regions, by the
 * waits of the problem and those that the plan adds.
 *
 * Checks `plan` against `problem` and writes up to `n_capacity` violations. BERTH_OK means that the check was
 * made: the plan is good if and only if out_verdict->n_violations is 0. BERTH_RESOURCE_EXHAUSTED if it could
 * not be made. A plan without offsets (INFEASIBLE, UNKNOWN) has only its figures checked. */
enum berth_code berth_verify(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) BERTH_MUST_USE;

/* The same, knowing what was asked: so that arenas keep to the capacity, and refusals can be checked. `terms`
 * NULL is berth_verify. */
enum berth_code berth_verify_answer(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, const struct berth_allocator *allocator,
    struct berth_violation *out_violations, uint32_t n_capacity, struct berth_verdict *out_verdict,
    struct berth_error *err) BERTH_MUST_USE;

/* The same for offsets that another tool made: `pool` may be NULL (everything in pool 0). Figures are not
 * checked. */
enum berth_code berth_verify_offsets(
    const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) BERTH_MUST_USE;

/* The same for buffers of which some have no places yet (BERTH_NO_OFFSET): these are left out. */
enum berth_code berth_verify_some(
    const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    const struct berth_allocator *allocator, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) BERTH_MUST_USE;

/* Beside berth_verify, of a plan that was asked to keep an earlier one: who must keep its place does, no
 * arena is beyond its limit, and what the plan says of those that were kept is so. `stable` NULL: the plan
 * says nothing of any. */
enum berth_code berth_verify_stability(
    const struct berth_problem *problem, const struct berth_plan *plan, const struct berth_stable *stable,
    struct berth_violation *out_violations, uint32_t n_capacity, struct berth_verdict *out_verdict,
    struct berth_error *err) BERTH_MUST_USE;

#endif
