/* Live byte windows: which bytes of a root are still wanted at each step, for roots that ask for it.
 *
 * A byte is wanted at step t if somebody touches it at t or before, and at t or later. Windows are hulls: of
 * all bytes touched up to t, met with the hull of all that will be. Given bytes are touched at the first
 * step, kept ones at the last. What a loop does not confine to one trip is touched at the loop's ends, too:
 * then it is wanted for the whole loop, in this trip or in the next. A write does not end what it overwrites.
 */
#ifndef LIVENESS_WINDOWS_H
#define LIVENESS_WINDOWS_H

#include "base/arena.h"
#include "berth/problem.h"

struct berth_windows_input {
  const struct berth_graph *graph;
  const uint32_t *innermost; /* region of each operator; NULL if there are no regions */
  const uint8_t *family;     /* of roots: set of enum berth_liveness_family */
  const int64_t *lower;      /* of roots: with their views', widened by loops */
  const int64_t *upper;
};

/* From `lower` on and before `upper`, the root holds its bytes [begin, end). */
struct berth_window {
  int64_t lower;
  int64_t upper;
  uint64_t begin;
  uint64_t end;
  uint32_t root;
};

struct berth_windows {
  size_t n;
  struct berth_window *items; /* by root, then by time; never empty, never equal to the one before */
};

enum berth_windows_outcome {
  BERTH_WINDOWS_OK = 0,
  BERTH_WINDOWS_OUT_OF_MEMORY,
  BERTH_WINDOWS_TOO_MANY, /* accesses: more than 2^31 */
};

/* Linear in the lists of operators, times the depth of loops. */
enum berth_windows_outcome berth_windows_derive(
    const struct berth_windows_input *input, struct berth_arena *arena, struct berth_windows *out);

#endif
