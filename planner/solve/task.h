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

  struct berth_progress told; /* what the caller has heard last */
  bool is_settled;            /* pools are final: progress may be told */
};

/* Tells the caller if the sums over the pools have improved. */
void berth_solve_tell(struct berth_solve_task *task);

/* The one way to say that the hook stopped the solve before there was a plan. */
enum berth_code berth_solve_stopped(struct berth_error *err);

/* No search for pools in which pins may meet: it takes pins for what every buffer is. */
bool berth_solve_is_searched(const struct berth_packing_pool *pool);

/* Goes on from options.start where that is better than what there is. */
enum berth_code berth_solve_take_start(struct berth_solve_task *task) BERTH_MUST_USE;

/* Writes the finished task down as a plan. BERTH_CANCELLED if the hook stopped it before there was one. */
enum berth_code berth_solve_outcome(
    struct berth_solve_task *task, struct berth_plan **out_plan, struct berth_error *err) BERTH_MUST_USE;

#endif
