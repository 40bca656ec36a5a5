/* Which of the items stay that meet each other: of every pair one moves. */
#ifndef PACKING_KEEP_CHOOSE_H
#define PACKING_KEEP_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "interference/pairs.h"

/* `stays` says who may stay at all, and afterwards who does: no two of a pair. *out_moved: the least weight
 * that any such choice moves, or a bound of it. Components of the graph of up to 32 items are solved exactly;
 * in larger ones items go by what their neighbours weigh, and the bound is by local ratios (Bar-Yehuda and
 * Even 1985). False if memory ran out. */
bool berth_keep_choose(
    uint32_t n_items, const uint64_t *weight, const struct berth_pairs *pairs, struct berth_arena *arena,
    uint8_t *stays, uint64_t *out_moved);

/* Sets of up to 64 items as bits, of each of which one must move: the least weight that hits all of them.
 * False if `*most_steps`, which is counted down, was not enough. */
bool berth_keep_hit(
    const uint64_t *sets, uint32_t n_sets, const uint64_t *weight, uint64_t *most_steps, uint64_t *out_moved,
    uint64_t *out_weight);

#endif
