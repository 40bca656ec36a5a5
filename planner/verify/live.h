/* The bytes that are live: those of one storage, however many buffers hold them, count once. */
#ifndef VERIFY_LIVE_H
#define VERIFY_LIVE_H

#include "base/cover.h"
#include "verify/pieces.h"

struct berth_verify_live {
  const struct berth_verify_facts *facts;
  struct berth_cover cover; /* of all storages that are shared, side by side */
  uint32_t *edge_begin;     /* of each storage: its ends of windows, ascending; NULL if nothing is shared */
  uint64_t *edges;
};

/* Nothing is live yet. */
enum berth_code berth_verify_live_init(
    struct berth_verify_live *live, const struct berth_verify_facts *facts,
    const struct berth_verify_pieces *pieces, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

/* By how many bytes the sum grows with the piece, or falls without it. */
uint64_t berth_verify_live_put(struct berth_verify_live *live, const struct berth_verify_piece *piece);
uint64_t berth_verify_live_drop(struct berth_verify_live *live, const struct berth_verify_piece *piece);

#endif
