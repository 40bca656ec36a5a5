/* The colouring behind M_reuse. */
#ifndef VERIFY_COLOURING_H
#define VERIFY_COLOURING_H

#include "verify/findings.h"
#include "verify/pieces.h"

/* Blames buffers that share a slot while both are live, or although they must not share; *out_bytes is the
 * sum over the slots of the largest buffer in each. */
enum berth_code berth_verify_colouring(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces, const uint32_t *slot,
    struct berth_verify_findings *findings, struct berth_arena *arena, uint64_t *out_bytes,
    struct berth_error *err) BERTH_MUST_USE;

#endif
