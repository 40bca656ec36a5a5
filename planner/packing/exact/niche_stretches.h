/* In which steps each buffer holds which of its bytes, one window a step. */
#ifndef PACKING_EXACT_NICHE_STRETCHES_H
#define PACKING_EXACT_NICHE_STRETCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/status.h"
#include "packing/instance.h"

struct berth_niche_stretches {
  uint32_t *begin;           /* n_buffers + 1 */
  struct berth_piece *items; /* of each buffer in the order of time, apart or with different windows */
  bool has_windows;          /* some are not all bytes */
  bool has_holes;            /* some span bytes that are not held */
};

/* Where a buffer holds several ranges at a step, the window spans them all. False in out_usable if there are
 * too many pieces. Polls the arena's effort. */
enum berth_code berth_niche_list_stretches(
    const struct berth_packing_instance *instance, struct berth_arena *arena,
    struct berth_niche_stretches *out, bool *out_usable) BERTH_MUST_USE;

#endif
