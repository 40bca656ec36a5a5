/* Groups as buffers: what lies at fixed distances is placed as one, whose pieces are its members'. */
#ifndef PACKING_FOLD_H
#define PACKING_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/problem.h"
#include "packing/instance.h"

/* From the instance of `members` to that of their groups and of those without one: `out_item_of` gives the
 * buffer of `out` that each member is in, and `out_lead` the first member of each, in terms of the problem.
 * Members of a group that hold all the same bytes at the same time come out as one plain buffer. A pair that
 * must not share and has a member of a group is a step of its own at the end of time, at which both hold
 * their bytes: so it binds that member and not its group; that goes for the pairs that a partial order makes,
 * too. Where these are too many to be listed, a group is one block from the first of its members to the last:
 * safe, but what is proven of `out` holds for the members no more, and *out_is_exact is false. */
enum berth_code berth_packing_fold(
    const struct berth_packing_instance *members, const struct berth_buffers *buffers,
    const uint32_t *member_ids, struct berth_arena *arena, struct berth_packing_instance *out,
    uint32_t **out_item_of, uint32_t **out_lead, bool *out_is_exact) BERTH_MUST_USE;

#endif
