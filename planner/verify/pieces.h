/* Lifetimes cut into pieces: in each, a buffer holds one unchanging range of its bytes. And the order in
 * which pieces begin and end, which every sweep follows. Buffers of size 0 have no pieces. With streams the
 * pieces of one buffer may be live together, with bytes apart. */
#ifndef VERIFY_PIECES_H
#define VERIFY_PIECES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/sort.h"
#include "verify/facts.h"

struct berth_verify_piece {
  int64_t lower; /* steps, half-open, never empty */
  int64_t upper;
  uint64_t window_lower; /* bytes relative to the offset, half-open, never empty */
  uint64_t window_upper;
  uint32_t buffer;
};

struct berth_verify_pieces {
  uint32_t n;
  struct berth_verify_piece *items;    /* by buffer, then by time; of slices by bytes */
  const struct berth_sort_item *turns; /* 2n; index 2 * piece for its beginning, 2 * piece + 1 for its end */
};

/* At one step all that ends comes before all that begins. */
static inline uint32_t berth_verify_turn_piece(struct berth_sort_item turn) {
  return turn.index / 2;
}
static inline bool berth_verify_turn_ends(struct berth_sort_item turn) {
  return turn.index % 2 != 0;
}

enum berth_code berth_verify_cut(
    struct berth_verify_pieces *pieces, const struct berth_verify_facts *facts, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
