/* Why it does not fit: a set of buffers that cannot be placed together, as small as effort allows.
 *
 * It begins with the fewest buffers that exceed the capacity at one step, or, where every step has room, with
 * all buffers. What lies outside a stretch of time is left out first, then ever smaller shares of the rest,
 * as long as complete search refutes what stays; that gives a minimal set (in the manner of QuickXplain,
 * Junker 2004). Among few buffers the smallest is then sought through sets that fit: whatever cannot be
 * placed has a buffer outside each of them (Ignatiev, Previti, Liffiton and Marques-Silva 2015). */
#ifndef PACKING_CULPRITS_H
#define PACKING_CULPRITS_H

#include "base/arena.h"
#include "base/effort.h"
#include "berth/plan.h"
#include "packing/instance.h"

struct berth_culprits {
  uint32_t n;
  uint32_t *items; /* in the arena; the largest first */
  enum berth_culprits_proof proof;
};

/* For an instance that is known not to fit in its capacity. `may_search` false: by the load alone. All effort
 * that `effort` has left may go into it; when it is spent, the smallest set so far comes out. */
enum berth_code berth_culprits_find(
    const struct berth_packing_instance *instance, bool may_search, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_culprits *out) BERTH_MUST_USE;

#endif
