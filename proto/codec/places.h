/* Where a plan puts a problem's buffers, as requests state it. */
#ifndef CODEC_PLACES_H
#define CODEC_PLACES_H

#include "codec/internal.h"

struct berth_codec_places {
  uint64_t *offset; /* one a buffer; NULL: none were stated */
  uint32_t *pool;   /* one a buffer, or NULL: all in the first */
};

/* Copies that outlive the message, checked against the problem. `may_be_empty`: no offsets at all are fine.
 */
enum berth_code berth_codec_take_places(
    const struct berth_allocator *allocator, const struct berth_problem *problem, size_t n_offsets,
    const uint64_t *offset, size_t n_pools, const uint32_t *pool, bool may_be_empty,
    struct berth_codec_places *out, struct berth_error *err) BERTH_MUST_USE;
void berth_codec_give_back_places(
    const struct berth_allocator *allocator, const struct berth_problem *problem,
    struct berth_codec_places *places);

#endif
