/* One problem at several bindings of its symbols. Each binding, a *variant*, is a problem and has a plan of
 * its own; none of them needs more than the plan for the bounds, since that one holds at every binding.
 *
 *   berth_variant_bounds   the problem that every variant is within
 *   berth_variant_state    a variant's problem
 *   (plan both, in any order)
 *   berth_variant_hold     a variant's plan held to that of the bounds
 *   berth_variants_need    what all of them need together
 */
#ifndef BERTH_VARIANTS_H
#define BERTH_VARIANTS_H

#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/solve.h"

#define BERTH_MAX_VARIANTS 64 /* in one request */

/* The problem at the bounds: each symbol with an upper bound ranges over its bounds; one without, which may
 * be bounded in no other way, over all that the variants (or, where one leaves it, the problem) bind it to.
 * Of a composition, the symbols of all parts. Errors as of berth_problem_restate. */
enum berth_code berth_variant_bounds(
    const struct berth_problem *problem, const struct berth_bindings *variants, uint32_t n_variants,
    const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;

/* The problem with the variant's bindings. What it does not bind stays as the problem has it, and so do sizes
 * and strictness. INVALID_ARGUMENT (BAD_SYMBOL) where a symbol is not there or does not allow the number. */
enum berth_code berth_variant_state(
    const struct berth_problem *problem, const struct berth_bindings *variant,
    const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;

/* Whether some symbol is bound to less than its bounds. */
bool berth_problem_is_bound(const struct berth_problem *problem);

/* *plan, of *of, is a plan of `problem` (or of the same without results in place), made with `options`. Where
 * the places of `at_bounds`, with the sizes that buffers have now, are better (spill cost first, then bytes),
 * both are replaced by the plan that starts there, and *out_is_replaced is set. Callers check that plan as
 * any other. Nothing happens where `at_bounds` has no places, or they do not hold: then it is of another
 * problem.
 */
enum berth_code berth_variant_hold(
    struct berth_problem *problem, const struct berth_plan *at_bounds,
    const struct berth_solve_options *options, const struct berth_solve_hooks *hooks,
    const struct berth_allocator *allocator, struct berth_problem **of, const struct berth_plan **plan,
    bool *out_is_replaced, struct berth_error *err) BERTH_MUST_USE;
/* Whether it may do anything: in one pass over the buffers. */
bool berth_variant_may_hold(
    const struct berth_problem *problem, const struct berth_plan *at_bounds, const struct berth_plan *plan);

/* What plans of the same pools need of one of them. */
struct berth_variants_need {
  uint64_t largest_bytes; /* in one arena, one after another */
  uint64_t sum_bytes;     /* side by side, each begins where its base alignment lets it */
  bool is_rewritten;      /* constants or state lie in it: who takes the arena next overwrites them */
};
/* Plans without places, and NULL, are left out. */
struct berth_variants_need
berth_variants_need(const struct berth_plan *const *plans, uint32_t n_plans, uint32_t pool);

#endif
