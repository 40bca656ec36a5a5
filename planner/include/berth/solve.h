/* Planning: liveness is in the problem already; here are colouring, bounds, heuristics and exact search, in
 * the order that solve.c shows. Same problem, same options: same plan, byte for byte, on every machine and
 * with any number of threads, unless the hooks stop it, and then the plan says CUT_SHORT. */
#ifndef BERTH_SOLVE_H
#define BERTH_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/executor.h"
#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/stable.h"

/* Effort is counted in ticks: about one a memory access of an inner loop, so that 10^9 are some seconds. */
#define BERTH_DEFAULT_BUDGET_TICKS UINT64_C(2000000000)

/* Part of every plan's id: one more whenever the same problem and options may give another plan than before.
 */
#define BERTH_ENGINE_VERSION 4

/* Each phase and strategy can be switched off; tests show that each is sound and worth having. One table
 * gives the enum and the names that the command line and the protocol use. */
#define BERTH_STRATEGIES(X)                                                                                  \
  X(COLOURING, "colouring", "slots by colouring")                                                            \
  X(PLACEMENT, "placement", "one-pass placement orders and fits")                                            \
  X(IMPROVE, "improve", "local search over placements")                                                      \
  X(EXACT, "exact", "complete search")                                                                       \
  X(CORE, "core", "complete search near the peak, the rest around it")                                       \
  X(ANTICHAIN, "antichain", "bound of partial orders: the heaviest antichain")                               \
  X(JUSTIFY, "justify", "windows of partial orders placed again, upside down and back")                      \
  X(SEPARATE, "separate", "plans pressed below their height, and moved apart")

enum berth_strategy {
#define X(name, word, text) BERTH_STRATEGY_##name,
  BERTH_STRATEGIES(X)
#undef X
      BERTH_N_STRATEGIES
};
#define BERTH_ALL_STRATEGIES ((UINT32_C(1) << BERTH_N_STRATEGIES) - 1)

/* A plan to start from: pool (NULL: all in the first) and offset of each buffer, in the problem's order. It
 * must be valid (berth_verify_offsets): the solver does not check it. No plan that comes out needs more
 * bytes, summed over the pools. Not part of a plan's id. */
struct berth_start {
  const uint32_t *pool;
  const uint64_t *offset;
};

struct berth_solve_options {
  uint64_t budget_ticks; /* BERTH_DEFAULT_BUDGET_TICKS unless set */
  uint64_t
      capacity_bytes; /* "does it fit": a cap on the first pool beside its own; BERTH_UNLIMITED to minimise */
  uint32_t strategies; /* bit set of enum berth_strategy */
  enum berth_reuse reuse;
  const struct berth_start *start; /* or NULL */
  /* Who helps, or NULL: all is done on the calling thread. Not part of a plan's id, since the plan is the
   * same. The allocator is called from several threads at once then. */
  const struct berth_executor *executor;
  /* An earlier plan to keep, made for this very problem; or NULL. Part of a plan's id. Not with
   * BERTH_REUSE_NONE, for which nothing of another plan can be told. Who must keep its place counts as
   * pinned, also for the bounds; all other bounds are of the problem alone, so that an arena that is larger
   * for what it keeps is not optimal. */
  const struct berth_stable *stable;
  /* Waits that may be added to a graph on several streams, where they make its arenas so much smaller that it
   * pays (berth_solve_levels alone; berth_solve adds none). Part of a plan's id. The objective is the sum of
   * arenas and costs; no plan is worse by it, or by what spilling costs, than the one without added waits,
   * and one that fits in no capacity without may fit with some. Not with an earlier plan to keep. */
  struct berth_sync_terms sync;
};

struct berth_progress {
  uint64_t arena_bytes;       /* of the best plan so far, BERTH_UNLIMITED if there is none */
  uint64_t lower_bound_bytes; /* proven so far */
  uint64_t ticks;
};

/* After a stop the plan is written down and memory is given back, which takes up to one part in so many of
 * the time to the first plan, or of all the time up to the stop if there was none: 10 to 20 ms for a million
 * buffers. Who has a deadline says stop so much before it. */
#define BERTH_STOP_RESERVE 24

/* All optional; must not call back into the library. */
struct berth_solve_hooks {
  void *ctx;
  /* Polled at least every 2^16 ticks and in every other long step (some milliseconds apart at most): true
   * stops the search soon after. Once on_progress has told of a plan, a stop never loses it. With an executor
   * on any of its threads, several at once; else on the solving thread. */
  bool (*should_stop)(void *ctx);
  /* The incumbent or the bound improved. Monotone: arenas fall, bounds rise. On the solving thread, between
   * tasks. */
  void (*on_progress)(void *ctx, const struct berth_progress *progress);
};

struct berth_solve_options berth_solve_options_default(void);

/* The search's own plan, before the independent check: callers run berth_verify on it before it leaves. It is
 * a plan of this very problem, with results in place where the problem has them. Stopped by a hook before any
 * plan exists: BERTH_CANCELLED. */
enum berth_code berth_solve(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_plan **out_plan, struct berth_error *err) BERTH_MUST_USE;

/* The same, with the levels of enum berth_reuse held to each other: of a problem and a budget, each level
 * needs no more (spill cost first, then bytes) than the one before. *out_problem, with a reference for the
 * caller, is what the plan is of: `problem`, or the same without results in place (berth_problem_restate)
 * where those would have made it larger; its permissions say which are used. Proofs and bounds are of that
 * problem. */
enum berth_code berth_solve_levels(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_plan **out_plan, struct berth_error *err) BERTH_MUST_USE;

#endif
