/* With streams: which bytes of each buffer are live on their own, because several values share the buffer, or
 * because a value asks for live windows. */
#ifndef VERIFY_SLICES_H
#define VERIFY_SLICES_H

#include "verify/order.h"
#include "verify/stays.h"

/* The slices of buffer b are items[begin[b] .. begin[b + 1]), by rising bytes, each with rows of `last` and
 * `sure` as buffers have in berth_verify_order. Where there are none, the buffer is whole. */
struct berth_verify_slices {
  uint32_t n;
  uint32_t *begin;
  struct berth_slice *items;
  uint32_t *last;
  uint32_t *sure;
};

enum berth_code berth_verify_slices(
    const struct berth_verify_stays_input *input, const struct berth_verify_order *order,
    struct berth_arena *arena, struct berth_verify_slices *out, struct berth_error *err) BERTH_MUST_USE;

static inline uint32_t berth_verify_n_slices(const struct berth_verify_slices *slices, uint32_t buffer) {
  return slices != NULL ? slices->begin[buffer + 1] - slices->begin[buffer] : 0;
}

#endif
