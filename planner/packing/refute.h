/* Whether some buffers of an instance can be placed in its capacity without the others. */
#ifndef PACKING_REFUTE_H
#define PACKING_REFUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/status.h"
#include "packing/instance.h"

enum berth_refutation {
  BERTH_REFUTED = 0,
  BERTH_REFUTE_FITS,
  BERTH_REFUTE_UNKNOWN, /* not within the effort of one question, or of all */
};

struct berth_refuter {
  const struct berth_packing_instance *instance;
  struct berth_arena *arena;
  struct berth_effort *effort;
  uint64_t most_ticks; /* of one question */
  uint32_t *members;
  uint64_t *offset;
};

/* False if memory ran out. A question may take a share of the effort that is left now. */
bool berth_refuter_init(
    struct berth_refuter *refuter, const struct berth_packing_instance *instance, struct berth_arena *arena,
    struct berth_effort *effort);

enum berth_code
berth_refute(struct berth_refuter *refuter, const uint8_t *is_in, enum berth_refutation *out) BERTH_MUST_USE;

#endif
