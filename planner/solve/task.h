/* One solve: what the phases hand on to each other. Everything lies in the arena. */
#ifndef SOLVE_TASK_H
#define SOLVE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/solve.h"
#include "interference/colouring.h"
#include "packing/assign.h"

/* The level below everything: the same problem without results in place. */
struct berth_solve_below {
  bool is_open; /* it is asked for, and may still be smaller */
  uint64_t budget_ticks;
  uint64_t least_bytes; /* no plan of it needs less */
  struct berth_problem *problem;
  struct berth_plan *plan; /* NULL: not yet, or it cannot be smaller */
};

struct berth_solve_task {
  const struct berth_problem *problem;
  const struct berth_buffers *buffers;
  const struct berth_pools *pools;
  struct berth_solve_options options;
  const struct berth_solve_hooks *hooks; /* may be NULL */
  const struct berth_allocator *allocator;
  struct berth_arena arena;
  struct berth_effort effort;

  uint32_t *order;   /* canonical place to buffer */
  uint32_t homeless; /* a buffer that no pool can hold, or BERTH_NO_INDEX */
  uint64_t peak_bytes;
  struct berth_colouring colouring; /* by canonical place */
  struct berth_assignment assignment;
  uint32_t refused;    /* a pool that has no plan, or BERTH_NO_INDEX */
  bool is_indivisible; /* proven: no division over the pools fits */

  struct berth_solve_below below;

  /* Of options.stable. */
  struct berth_buffers held; /* the problem's, with those pinned who must keep their places */
  bool *is_fixed;            /* of each buffer: its group must */
  uint64_t keep_bound;       /* proven: no plan keeps more weight */
  bool is_kept_once;         /* the bound was made */

  struct berth_plan *plan;    /* made before the search, so that its end is short; NULL: not yet */
  struct berth_progress told; /* what the caller has heard last */
  bool is_settled;            /* pools are final: progress may be told */
};

/* Tells the caller if the sums over the pools have improved. */
void berth_solve_tell(struct berth_solve_task *task);

/* The one way to say that the hook stopped the solve before there was a plan. */
enum berth_code berth_solve_stopped(struct berth_error *err);

/* No search for pools in which pins may meet: it takes pins for what every buffer is. */
bool berth_solve_is_searched(const struct berth_packing_pool *pool);

/* What the pools need by now, together; BERTH_UNLIMITED if there is no plan yet. */
uint64_t berth_solve_present_total(const struct berth_solve_task *task);
/* Goes on from `start` if that needs less than `most_bytes`. */
enum berth_code berth_solve_take(
    struct berth_solve_task *task, const struct berth_start *start, uint64_t most_bytes) BERTH_MUST_USE;
/* What of the budget the level has. */
uint64_t berth_solve_budget(const struct berth_solve_options *options);
/* Goes on from a plan without reuse where that is better than what there is (levels.c). */
enum berth_code berth_solve_take_apart(struct berth_solve_task *task) BERTH_MUST_USE;
/* Plans the level below, if it is asked for and may be smaller (levels.c). */
enum berth_code berth_solve_look_below(struct berth_solve_task *task) BERTH_MUST_USE;
/* The whole of one solve. `task` has the problem, the options, the hooks, the allocator and the level below.
 */
enum berth_code berth_solve_run(
    struct berth_solve_task *task, struct berth_plan **out_plan, struct berth_error *err) BERTH_MUST_USE;
/* Goes on from options.start where that is better than what there is. */
enum berth_code berth_solve_take_start(struct berth_solve_task *task) BERTH_MUST_USE;

/* ---- An earlier plan to keep: nothing happens where there is none ---- */

/* Pins who must keep its place. */
enum berth_code berth_solve_hold(struct berth_solve_task *task, struct berth_error *err) BERTH_MUST_USE;
/* No pool beyond its limit. */
void berth_solve_limit(struct berth_solve_task *task);
/* Sends everybody where it was, if it may be there. */
enum berth_code berth_solve_prefer(struct berth_solve_task *task) BERTH_MUST_USE;
/* Plans that keep as many as can be: in the limits, or in the arenas that there are (is_least). The search
 * for smaller arenas goes on beside those who stay. */
enum berth_code berth_solve_keep(struct berth_solve_task *task) BERTH_MUST_USE;
/* Looks for a plan of a pool that has none, where everybody was. */
enum berth_code berth_solve_recall(struct berth_solve_task *task, uint32_t pool) BERTH_MUST_USE;
/* Whether the places keep all that must be kept. */
bool berth_solve_holds(const struct berth_solve_task *task, const uint32_t *pool, const uint64_t *offset);
/* Counts who has kept its place; buffers without bytes keep theirs where they can. */
void berth_solve_write_stability(const struct berth_solve_task *task, struct berth_plan *plan);
/* Of a composition: its parts, or clusters of them, by themselves and beside each other: a start and a bound.
 */
enum berth_code berth_solve_stack(struct berth_solve_task *task, struct berth_error *err) BERTH_MUST_USE;

/* Makes the plan, with all that is known before the search. */
enum berth_code berth_solve_begin_plan(struct berth_solve_task *task) BERTH_MUST_USE;
/* berth_solve_levels, but that it adds no waits to the graph. */
enum berth_code berth_solve_without_waits(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_solve_hooks *hooks, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_plan **out_plan, struct berth_error *err) BERTH_MUST_USE;

/* Writes the finished task down as a plan. BERTH_CANCELLED if the hook stopped it before there was one. */
enum berth_code berth_solve_outcome(
    struct berth_solve_task *task, struct berth_plan **out_plan, struct berth_error *err) BERTH_MUST_USE;

#endif
