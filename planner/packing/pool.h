/* One pool of a problem as a packing task, from its members to its best plan. */
#ifndef PACKING_POOL_H
#define PACKING_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/problem.h"
#include "packing/instance.h"

struct berth_packing_pool {
  enum berth_pool_kind kind;
  uint64_t alignment;
  uint64_t capacity;
  uint64_t
      stated_capacity; /* where a limit (stable.h) made the capacity less; else 0. Binds who has no bytes */
  uint64_t max_block;
  uint64_t base_alignment; /* what the base address promises; 0: whatever is needed */
  uint32_t cost_per_byte;
  enum berth_persistence persistence;
  uint32_t n_members;
  uint32_t *members;                      /* buffers with a size, in canonical order */
  struct berth_packing_instance instance; /* of items: groups, and members without one */
  uint32_t *item_of;                      /* of each member; NULL: it is an item itself */
  uint32_t *lead;                         /* of each item: its first member, a buffer */
  uint64_t peak_bytes; /* the most live bytes of the members, and the first step at which they are */
  int64_t peak_step;
  uint64_t lower_bound;
  uint64_t arena_bytes; /* of the plan; BERTH_UNLIMITED while there is none */
  uint64_t *offset;     /* of each item */
  bool infeasible;      /* proven for these members */
  bool has_front;       /* constants and state are pinned below all others, and the bound knows */
  bool is_exact; /* what searches prove holds: constants and state at the front take no byte too many, and
                    groups are what they are */
  bool is_held;  /* its instance pins what keeps its place for an earlier plan's sake; what is proven then */
  uint64_t held_bound;        /* holds of such plans only */
  const uint64_t *stated_pin; /* the instance's own pins, then */
};

/* Everyone is live at the one step that there is; only pins may meet. False if memory ran out. */
bool berth_packing_forbid_reuse(struct berth_packing_instance *instance, struct berth_arena *arena);

/* Instance and bound for the pool's members. `reuse` false: no two buffers share bytes, whatever their lives.
 */
enum berth_code berth_packing_pool_prepare(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena) BERTH_MUST_USE;

/* A plan for a pool of whole slots: its members are coloured, and the slots stacked. The bound is that of
 * slots, too. */
enum berth_code berth_packing_pool_slots(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena, struct berth_effort *effort) BERTH_MUST_USE;

/* The slots that take least, or the best until effort is spent, for a pool that has a plan of slots that may
 * be shared. */
enum berth_code berth_packing_pool_search_slots(
    struct berth_packing_pool *pool, struct berth_arena *arena, struct berth_effort *effort) BERTH_MUST_USE;

#endif
