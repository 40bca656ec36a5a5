/* Groups: buffers whose places are one choice. */
#ifndef VERIFY_GROUPS_H
#define VERIFY_GROUPS_H

#include "verify/placement.h"

/* Fills in facts->storage: which buffers are one storage by the caller's word. NULL stays where there is
 * none. */
enum berth_code berth_verify_storages(
    struct berth_verify_facts *facts, struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

/* Every group lies as the caller has stated it. */
void berth_verify_groups(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings);

#endif
