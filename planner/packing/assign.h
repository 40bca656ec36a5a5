/* Which pool each buffer goes to: the first of its list that can hold it, and on from there when a pool is
 * full. */
#ifndef PACKING_ASSIGN_H
#define PACKING_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/problem.h"
#include "packing/pool.h"
#include "packing/strategy.h"

struct berth_assignment {
  const struct berth_buffers *buffers;
  uint32_t n_pools;
  struct berth_packing_pool *pools;
  uint32_t *choice; /* of each buffer: its place in the list of its pools; of a group: its first member's */
  bool spilled;     /* someone had to go on from the first pool that could hold it */
  bool has_costs;   /* a pool states what a byte costs */
  const uint64_t
      *known_offset;   /* by buffer: of a plan that is known, BERTH_NO_PLACE where not; NULL for none */
  const bool *fixed;   /* by buffer: it may not leave its pool; NULL: all may */
  uint64_t cost_bound; /* proven: no division of the buffers over the pools costs less */
};

/* Sets every choice, and what that costs as the bound of the cost. The first buffer, in the order given, that
 * no pool can hold is *out_homeless, or BERTH_NO_INDEX. False if the effort was stopped. */
bool berth_assign_first(
    struct berth_assignment *assignment, const uint32_t *order, struct berth_effort *effort,
    uint32_t *out_homeless);

/* What it costs that the buffer lives in this pool of its list, and that all live where they are (buffer.h).
 */
uint64_t berth_assign_cost(const struct berth_assignment *assignment, uint32_t buffer, uint32_t choice);
uint64_t berth_assign_total_cost(const struct berth_assignment *assignment);

/* A group goes where its first member goes. */
uint32_t berth_assign_leader(const struct berth_assignment *assignment, uint32_t buffer);

uint32_t berth_assigned_pool(const struct berth_assignment *assignment, uint32_t buffer);

/* Whether no more than one pool can hold the buffer. */
bool berth_assign_is_bound(const struct berth_assignment *assignment, uint32_t buffer);

/* Whether the buffer's list has the pool. */
bool berth_may_be_in(const struct berth_assignment *assignment, uint32_t buffer, uint32_t pool);

/* Sends the buffer to the pool; false if its list does not have it. */
bool berth_assign_to(struct berth_assignment *assignment, uint32_t buffer, uint32_t pool);

/* Whether the pool that it goes to can hold it. */
bool berth_assign_suits(const struct berth_assignment *assignment, uint32_t buffer);

/* A group goes where its first member goes: that one, or the buffer itself. */
uint32_t berth_assign_leader(const struct berth_assignment *assignment, uint32_t buffer);

/* Goes to the first pool of its list that can hold it, which there must be. */
void berth_assign_to_first(struct berth_assignment *assignment, uint32_t buffer);

/* Whether another pool after the present one could hold the buffer; goes there if `move`. */
bool berth_assign_next(struct berth_assignment *assignment, uint32_t buffer, bool move);

/* Lists the members of each pool in the given order; buffers without size are in no list. False if memory ran
 * out or the effort was stopped. */
bool berth_assign_members(
    struct berth_assignment *assignment, const uint32_t *order, struct berth_arena *arena);

/* Gives a pool that has been prepared the plan that is known of its members, if that is so of all. */
void berth_assign_recall(struct berth_assignment *assignment, uint32_t pool);

/* Places what fits in a full pool, those first who can go nowhere else, and moves the others on to the next
 * pools of their lists, which *out_moved counts. */
enum berth_code berth_assign_spill(
    struct berth_assignment *assignment, uint32_t pool, struct berth_arena *arena,
    struct berth_effort *effort, uint32_t *out_moved) BERTH_MUST_USE;

#endif
