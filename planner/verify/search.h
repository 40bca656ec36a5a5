/* A complete search of the judge's own, for few buffers: what a plan says that nobody can do is tried. */
#ifndef VERIFY_SEARCH_H
#define VERIFY_SEARCH_H

#include "verify/pieces.h"

enum { BERTH_VERIFY_MOST_SEARCHED = 10 }; /* buffers */

enum berth_verify_answer {
  BERTH_VERIFY_FITS = 0,
  BERTH_VERIFY_DOES_NOT_FIT,
  BERTH_VERIFY_UNDECIDED, /* too many buffers or steps, or of a kind that is not searched */
};

/* Whether the buffers, alone in the pool, have places that all end at `limit` at the latest. All begin as low
 * as they can; where two clash, one must rise above the other, and both ways are tried. Not searched: members
 * of groups, pools of slots or with a place for what persists. */
enum berth_verify_answer berth_verify_search(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces, uint32_t pool,
    const uint32_t *buffers, uint32_t n, uint64_t limit);

#endif
