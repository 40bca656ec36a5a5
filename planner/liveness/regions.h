/* Regions over a total order of operators: loops, exclusive branches, calls.
 *
 * Loop: what is touched in it and is not confined to one iteration (it is there before, or needed after, or
 * carried, or written by several operators) lives around the whole loop. Branches of one choice run one or
 * the other: they follow each other in the list, so that their temporaries may share. Call: its operators are
 * the callee's, in place; what it carries (its formal parameters) lives for the whole call. */
#ifndef LIVENESS_REGIONS_H
#define LIVENESS_REGIONS_H

#include "base/arena.h"
#include "berth/problem.h"

/* The innermost region of every operator, BERTH_NO_INDEX where there is none. Regions must be nested. */
uint32_t *berth_regions_innermost(const struct berth_graph *graph, struct berth_arena *arena);

/* Widens the lifetimes of roots. O(list entries x depth). False if memory ran out. */
bool berth_regions_widen(
    const struct berth_graph *graph, const uint32_t *innermost, struct berth_arena *arena,
    const uint8_t *family, int64_t *lower, int64_t *upper);

/* Whether a lifetime spans a loop around the operator, so that the next trip may want what this one has. */
bool berth_regions_go_round(
    const struct berth_graph *graph, const uint32_t *innermost, uint32_t op, int64_t lower, int64_t upper);

/* The region for which operator `reader` may not see what only operator `writer` writes: a branch that the
 * reader is not in, or a loop that may not run at all; BERTH_NO_INDEX if all is well. */
uint32_t berth_regions_hiding(
    const struct berth_graph *graph, const uint32_t *innermost, uint32_t writer, uint32_t reader);

#endif
