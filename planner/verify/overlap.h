/* No two buffers hold the same byte of the same pool at the same step. */
#ifndef VERIFY_OVERLAP_H
#define VERIFY_OVERLAP_H

#include "verify/pieces.h"
#include "verify/placement.h"

/* Every piece that meets another is counted at least once; pairs are listed while there is room. */
enum berth_code berth_verify_overlaps(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_verify_places *places, struct berth_verify_findings *findings,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

/* Pairs that must not share a byte whatever their lifetimes. */
void berth_verify_conflicts(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings);

/* In pools of whole slots: two buffers share a slot whole, or not at all. */
enum berth_code berth_verify_slots(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
