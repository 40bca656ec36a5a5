/* How buffers of one problem are found in another. */
#ifndef REPORT_MATCH_H
#define REPORT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/report.h"

/* What a buffer is found by. */
struct berth_match_key {
  struct berth_text id;
  bool is_workspace;
  uint32_t number; /* of one without an id, among those: set by berth_match */
};

/* For each of the n_a keys the one of the n_b that is equal, or BERTH_NO_INDEX. False if memory ran out. */
bool berth_match(
    struct berth_match_key *a, uint32_t n_a, struct berth_match_key *b, uint32_t n_b,
    struct berth_arena *arena, uint32_t *out_matches);

/* The keys of a problem's buffers, in the arena; NULL if memory ran out. */
struct berth_match_key *berth_match_keys(const struct berth_report_side *side, struct berth_arena *arena);

#endif
