/* Among few buffers: a smallest set that cannot be placed, with the proof that no smaller one exists. */
#ifndef PACKING_SMALLEST_H
#define PACKING_SMALLEST_H

#include "packing/culprits.h"
#include "packing/refute.h"

/* Replaces a minimal set by a smallest, or only proves it smallest. Does nothing to large instances, and
 * stops where effort ends or a question stays open. */
enum berth_code
berth_culprits_smallest(struct berth_refuter *refuter, struct berth_culprits *culprits) BERTH_MUST_USE;

#endif
