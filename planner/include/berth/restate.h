/* A finished problem, stated once more: with other bindings, without results in place, or with more added
 * waits. */
#ifndef BERTH_RESTATE_H
#define BERTH_RESTATE_H

#include "berth/plan.h"
#include "berth/problem.h"

/* How a problem is to be stated again. */
struct berth_restatement {
  const struct berth_bindings *bindings; /* NULL: as its symbols are bound already */
  bool forbid_inplace;                   /* also if the problem itself is one without results in place */
  const struct berth_sync *syncs;        /* added waits, beside its own; of a graph alone */
  uint32_t n_syncs;
};

/* The same values, operators, buffers, pools and names, with the same indices, as a problem of its own.
 * Errors as of the builder: other bindings may not suit, or leave sizes too large; without results in place a
 * donation that must be used cannot be (BAD_DONATION). */
enum berth_code berth_problem_restate(
    const struct berth_problem *problem, const struct berth_restatement *as,
    const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;
/* The problem of a level of reuse: without results in place for all but BERTH_REUSE_FULL; `problem` itself,
 * with a reference for the caller, where it has none. So a plan's columns are those of
 * berth_problem_at_level(problem, plan->reuse). */
enum berth_code berth_problem_at_level(
    struct berth_problem *problem, enum berth_reuse reuse, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;
bool berth_problem_uses_inplace(const struct berth_problem *problem);
/* Whether it has permissions to write in place, and all are RESTRICTED. */
bool berth_problem_is_without_inplace(const struct berth_problem *problem);

#endif
