/* Every number and claim that a plan makes. */
#ifndef VERIFY_FIGURES_H
#define VERIFY_FIGURES_H

#include "verify/colouring.h"
#include "verify/measure.h"

/* False if the plan is not even of the problem's shape; nothing else can be checked then. */
bool berth_verify_shape(
    const struct berth_verify_facts *facts, const struct berth_plan *plan,
    struct berth_verify_findings *findings);

struct berth_verify_homes;
enum berth_code berth_verify_figures(
    struct berth_verify_homes *homes, const struct berth_verify_pieces *pieces, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
