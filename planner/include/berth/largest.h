/* The largest number of a symbol at which a problem fits, by real plans (fit.h has the search). The problem
 * is stated again for each question; who plans is up to the caller. */
#ifndef BERTH_LARGEST_H
#define BERTH_LARGEST_H

#include "berth/fit.h"
#include "berth/plan.h"
#include "berth/problem.h"

#define BERTH_LARGEST_RANGE                                                                                  \
  (UINT64_C(1) << 20) /* of a symbol without an upper bound, unless asked otherwise */
#define BERTH_LARGEST_MOST_PLANS 1000

/* Other symbols stay as the problem has bound them. */
struct berth_largest_question {
  struct berth_text symbol;
  uint64_t first; /* the range that is searched, which lies within the symbol's bounds */
  uint64_t last;
  uint32_t max_plans; /* of the search; two more may be made to show what was found */
};

/* Where the problem was planned by itself. */
struct berth_largest_point {
  bool is_asked;
  uint64_t n;
  enum berth_fit_answer answer;
  uint64_t bytes; /* of the arena, or what is proven to be needed; UINT64_MAX: more than there can be */
};

struct berth_largest {
  struct berth_fit_search search;   /* what was found */
  bool is_stopped;                  /* it ended early with CANCELLED or DEADLINE_EXCEEDED */
  uint32_t n_plans;                 /* all that were made */
  struct berth_largest_point at;    /* the largest that fits */
  struct berth_largest_point above; /* the next number */
};

/* Plans within the capacity. The plan must be checked, since one that is placed counts as the proof that the
 * problem fits; the caller of the hook drops it. */
typedef enum berth_code berth_largest_plan_fn(
    void *ctx, struct berth_problem *problem, struct berth_plan **out_plan, struct berth_error *err);

/* INVALID_ARGUMENT (BAD_SYMBOL, field "symbol") if the problem has no such symbol, or (field "first") for a
 * range that is upside down or outside its bounds. What the hook fails with ends the search; *out then has
 * what was found until then. Of a composition the symbol is that of all parts that have it. */
enum berth_code berth_find_largest(
    const struct berth_problem *problem, const struct berth_largest_question *question,
    berth_largest_plan_fn *plan, void *ctx, const struct berth_allocator *allocator,
    struct berth_largest *out, struct berth_error *err) BERTH_MUST_USE;

/* Index of the symbol of this name, BERTH_NO_INDEX if there is none; not of a composition, whose parts have
 * the symbols. */
uint32_t berth_problem_find_symbol(const struct berth_problem *problem, struct berth_text name);
/* What the symbol may be and what it is bound to: of a composition, in every part that has it. False if
 * nobody has. */
bool berth_problem_symbol_range(
    const struct berth_problem *problem, struct berth_text name, struct berth_symbol *out_bounds,
    struct berth_binding *out_range);

#endif
