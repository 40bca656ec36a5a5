/* With streams: which bytes of each buffer are live on their own, because several values share the buffer, or
 * because a value asks for live windows. */
#ifndef VERIFY_PARTS_H
#define VERIFY_PARTS_H

#include "verify/order.h"
#include "verify/stays.h"

/* The parts of buffer b are items[begin[b] .. begin[b + 1]), by rising bytes, each with rows of `last` and
 * `sure` as buffers have in berth_verify_order. Where there are none, the buffer is whole. */
struct berth_verify_parts {
  uint32_t n;
  uint32_t *begin;
  struct berth_part *items;
  uint32_t *last;
  uint32_t *sure;
};

enum berth_code berth_verify_parts(
    const struct berth_verify_stays_input *input, const struct berth_verify_order *order,
    struct berth_arena *arena, struct berth_verify_parts *out, struct berth_error *err) BERTH_MUST_USE;

static inline uint32_t berth_verify_n_parts(const struct berth_verify_parts *parts, uint32_t buffer) {
  return parts != NULL ? parts->begin[buffer + 1] - parts->begin[buffer] : 0;
}

#endif
