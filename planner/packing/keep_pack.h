/* Some items of a plan, lifted out of it and packed again beside all others, which stay. Between two moments
 * at which one of the lifted begins or ends, all others are one thing: bytes that are taken. So the problem
 * is as small as its answer, however large the plan. Gaps are not used. */
#ifndef PACKING_KEEP_PACK_H
#define PACKING_KEEP_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/status.h"
#include "interference/pairs.h"
#include "packing/instance.h"

struct berth_keep_lift {
  const struct berth_packing_instance *instance; /* without chains and pieces */
  const struct berth_pairs *pairs;
  const uint64_t *want; /* of each item: who can, goes back there; BERTH_UNPINNED: nowhere */
  uint64_t *offset;     /* of each item, BERTH_NO_PLACE: it is not there; of the lifted, written */
  const uint8_t *is_lifted;
  uint32_t n_lifted; /* at least one */
  const uint32_t *lifted;
  uint32_t n_near; /* all with a place that are live at steps at which one of the lifted is */
  const uint32_t *near;
  struct berth_arena *arena;
  struct berth_effort *effort;
};

/* By passes, by climbing, and by complete search, within the capacity. *out_fits: they have places;
 * *out_is_too_large: they are too many to try. */
enum berth_code
berth_keep_pack(const struct berth_keep_lift *lift, bool *out_fits, bool *out_is_too_large) BERTH_MUST_USE;

#endif
