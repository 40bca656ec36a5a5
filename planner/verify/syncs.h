/* Added waits that a plan asks for. */
#ifndef VERIFY_SYNCS_H
#define VERIFY_SYNCS_H

#include "verify/findings.h"

/* Each is between operators of the graph, of two streams, for an earlier one, and named once. False, with a
 * violation, if one is not: then there is no order to judge by. */
bool berth_verify_syncs(const struct berth_plan *plan, struct berth_verify_findings *findings);

/* They are what was asked for; `asked` NULL: whatever the plan says was. */
void berth_verify_sync_terms(
    const struct berth_plan *plan, const struct berth_sync_terms *asked,
    struct berth_verify_findings *findings);

#endif
