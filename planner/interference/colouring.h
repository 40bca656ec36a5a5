/* Colouring: buffers share whole slots, and a slot is as large as its largest buffer. This is what a runtime
 * without byte offsets can reuse; its total is M_reuse. Gaps are not used: a slot is taken for a whole life.
 */
#ifndef INTERFERENCE_COLOURING_H
#define INTERFERENCE_COLOURING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/status.h"
#include "interference/precedence.h"
#include "interference/timeline.h"

/* What is to be coloured. Buffers of size 0 get slot 0 and count for nothing. */
struct berth_colouring_input {
  const struct berth_timeline *timeline;
  const uint64_t *size;
  uint32_t n_conflicts; /* pairs of members that may not share a slot, sorted */
  const uint32_t (*conflicts)[2];
  const struct berth_precedence *order; /* a partial order of which the pairs are not listed; else NULL */
};

struct berth_colouring {
  uint64_t naive_bytes; /* sum of the sizes */
  uint64_t reuse_bytes; /* sum of the slots */
  uint32_t n_slots;
  uint32_t n_slots_needed; /* the least possible: the most buffers live at one step (pairs left out) */
  uint32_t *slot;          /* of each buffer, numbered by first use in the order of the buffers */
};

/* Greedy in several orders (by start, largest first, by degree), the one with the least total; above
 * BERTH_COLOURING_MANY buffers by start alone. When the effort is spent it keeps what it has: one order is
 * always finished. With `order` the first slot of which the last buffer comes before, by start. `reuse`
 * false: a slot for each buffer. O(n log n). */
#define BERTH_COLOURING_MANY (UINT32_C(1) << 17)
enum berth_code berth_colour(
    const struct berth_colouring_input *input, struct berth_arena *arena, struct berth_effort *effort,
    bool reuse, struct berth_colouring *out) BERTH_MUST_USE;

#endif
