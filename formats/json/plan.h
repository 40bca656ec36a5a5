/* A plan as one JSON object:
 *
 *   name, status, arena_bytes, lower_bound_bytes, gap, naive_bytes, peak_bytes, reuse_bytes, rho, plan_id,
 *   spill_cost, spill_cost_bound, cached, effort, solve_seconds, class_bytes {class: bytes},
 *   short_by_bytes, culprits_proof and culprits [{index, id}] (only of a problem that does not fit),
 *   pools   [{name, arena_bytes, lower_bound_bytes, alignment, capacity_bytes, base_alignment, peak_bytes,
 *             peak_step, class_bytes, persistent_bytes}]
 *   stability {before, kept, moved, must, before_bytes, kept_bytes, kept_bound, kept_by, arena_bytes_before,
 *             gone, moved_buffers [{index, id, size, pool_before, offset_before, pool, offset}],
 *             new_buffers [{index, id, size, pool, offset}], gone_buffers [{index_before, id}]}
 *             (only where an earlier plan was to be kept)
 *   sync {cost_bytes, total_cost_bytes, bound_bytes, without_bytes, saved_bytes, saved_bytes_per_wait,
 *             waits [{waiter, waiter_id, signaller, signaller_id}]} (only where waits might be added)
 *   buffers [{id, pool, offset, size, lower, upper, alignment, class, gaps, slot}]
 *
 * Lifetimes are half-open. Whole numbers are exact to 64 bits. What there is not is null: the arena, pool and
 * offset where nothing fits, the capacity of an unlimited pool, the id of a buffer without one. */
#ifndef JSON_PLAN_H
#define JSON_PLAN_H

#include <stdbool.h>

#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/stable.h"
#include "text/writer.h"

struct berth_json;

struct berth_json_plan {
  const struct berth_problem *problem; /* NULL: only what the plan itself says is written */
  const struct berth_plan *plan;
  const char *name;    /* of the problem, for people; NULL for none */
  const char *plan_id; /* NULL for none */
  bool cached;
  double solve_seconds;
  uint64_t bounds_bytes;             /* arena of the plan for the symbols' bounds, or 0 */
  const struct berth_stable *stable; /* what it was asked to keep; NULL: the figures alone are written */
  const struct berth_text *gone_ids; /* of each that is gone, or NULL */
  /* Further members of the object, or NULL. */
  void *more_ctx;
  void (*more)(void *ctx, struct berth_json *json);
};

enum berth_code berth_json_write_plan(
    const struct berth_json_plan *input, struct berth_sink sink, struct berth_error *err) BERTH_MUST_USE;

/* The same object as a member, or an element, of another. */
enum berth_code berth_json_put_plan(
    struct berth_json *json, const char *key, const struct berth_json_plan *input,
    struct berth_error *err) BERTH_MUST_USE;
/* The member "stability" of a plan that was asked to keep another one. */
void berth_json_write_stability(struct berth_json *json, const struct berth_json_plan *input);
/* The member "sync" of a plan for which waits might be added. */
void berth_json_write_sync(struct berth_json *json, const struct berth_json_plan *input);
/* A pool by its name, or the digits of its index. */
void berth_json_write_pool_name(
    struct berth_json *json, const char *key, const struct berth_problem *problem, uint32_t pool);
/* The member "gaps" of a buffer that has some. */
void berth_json_write_gaps(struct berth_json *json, const struct berth_buffers *buffers, uint32_t buffer);

/* "temporary", "constant", "input", "output", "state", "workspace". */
const char *berth_json_class_name(unsigned class_);

#endif
