/* Room for those who found none: some of those around one are lifted out, and packed again with it beside all
 * others, which stay where they are. */
#ifndef PACKING_KEEP_MEND_H
#define PACKING_KEEP_MEND_H

#include "packing/keep_place.h"

/* Of a pass that ended with some who are lost: *out_offset, with the pass's places for the others, has places
 * for all, and *out_top their end; or *out_is_mended is false. The fewest are lifted out at first, by weight,
 * of as many bytes as who is lost has; then of twice as many, and so on, and soon of more steps. */
enum berth_code berth_keep_mend(
    const struct berth_keep_pass *pass, uint64_t *out_offset, uint64_t *out_top,
    bool *out_is_mended) BERTH_MUST_USE;

/* Partial orders have no steps to look around in, and pieces steps of their own. */
static inline bool berth_keep_may_mend(const struct berth_packing_instance *instance) {
  return instance->chains == NULL && instance->piece_begin == NULL && !instance->pins_may_meet;
}

#endif
