/* In a total order: which bytes of each buffer are live when, where that is not the whole buffer for its
 * whole lifetime: because several values share it, or because a value asks for live windows. */
#ifndef VERIFY_STAYS_H
#define VERIFY_STAYS_H

#include "verify/roots.h"

struct berth_verify_stays_input {
  const struct berth_verify_roots *roots;
  const uint64_t *offset;    /* by root: its first byte in its buffer */
  const uint32_t *region_of; /* by operator: the innermost region + 1; 0: none */
  const uint64_t *size;      /* by buffer */
  uint32_t n_buffers;
};

/* The gaps of buffer b are gaps[begin[b] .. begin[b + 1]). Where every buffer is whole there are none. */
struct berth_verify_gaps {
  uint32_t *begin;
  struct berth_gap *items;
};

enum berth_code berth_verify_stays(
    const struct berth_verify_stays_input *input, struct berth_arena *arena, struct berth_verify_gaps *out,
    struct berth_error *err) BERTH_MUST_USE;

#endif
