/* Constants and state in pools that keep them apart: always live, and at the front if the pool has one. */
#ifndef PACKING_APART_H
#define PACKING_APART_H

#include "packing/pool.h"

/* Whether a buffer is kept apart from all others in the pool. */
bool berth_packing_is_apart(
    const struct berth_packing_pool *pool, const struct berth_buffers *buffers, uint32_t buffer);

/* Changes the instance of a pool whose items have been built in: who is apart is always live. If the pool
 * has a front, they are pinned there, stacked without holes that another could lie in (what is padding
 * belongs to the block below it), and the pool's bound is set: has_front. is_exact no more unless the front
 * is proven to be as small as can be, so that what is proven beside it holds. `reuse` false: nobody shares.
 */
enum berth_code berth_packing_keep_apart(
    struct berth_packing_pool *pool, const struct berth_buffers *buffers, bool reuse,
    struct berth_arena *arena) BERTH_MUST_USE;

#endif
