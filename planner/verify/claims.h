/* What a plan says that its places do not show: lower bounds, and that nothing fits. */
#ifndef VERIFY_CLAIMS_H
#define VERIFY_CLAIMS_H

#include "verify/homes.h"
#include "verify/measure.h"

/* `terms` NULL: nobody knows what was asked. Fills in the verdict's claims. */
enum berth_code berth_verify_claims(
    struct berth_verify_homes *homes, const struct berth_verify_pieces *pieces,
    const struct berth_verify_measure *measure, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
