/* The figures of a plan, computed from the problem and the places alone. */
#ifndef VERIFY_MEASURE_H
#define VERIFY_MEASURE_H

#include "verify/pieces.h"
#include "verify/placement.h"

struct berth_verify_pool_measure {
  uint64_t arena_bytes;     /* where the last buffer of at least one byte ends */
  uint64_t least_alignment; /* that the base needs for the buffers of at least one byte */
  uint64_t most_alignment;  /* that any buffer, or the pool, could ask for */
  uint64_t base_alignment;  /* what the pool promises; 0: whatever is needed */
  uint64_t peak_bytes;
  uint64_t live_bytes; /* scratch of the sweep */
  int64_t peak_step;   /* the first, if there is a peak at all */
  uint64_t class_bytes[BERTH_N_CLASSES];
  uint64_t persistent_bytes; /* where constants and state that are kept apart end */
};

struct berth_verify_measure {
  uint64_t naive_bytes;
  uint64_t peak_bytes;
  uint64_t class_bytes[BERTH_N_CLASSES];
  struct berth_verify_pool_measure *pools; /* facts' n_pools */
};

/* `places` without offsets: what does not depend on them. */
enum berth_code berth_verify_measure(
    struct berth_verify_measure *measure, const struct berth_verify_facts *facts,
    const struct berth_verify_pieces *pieces, const struct berth_verify_places *places,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

#endif
