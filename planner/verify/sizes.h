/* Sizes that are expressions: worked out again from what the problem states. */
#ifndef VERIFY_SIZES_H
#define VERIFY_SIZES_H

#include "base/arena.h"
#include "berth/problem.h"

/* Where symbols are bound to numbers, every size, view and workspace that depends on these alone must be what
 * its shape says. INTERNAL if one is not: the problem itself is wrong then. */
enum berth_code berth_verify_sizes(
    const struct berth_problem *problem, struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

#endif
