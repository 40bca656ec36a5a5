/* Parts of a composition in a Plan message. */
#ifndef CODEC_PARTS_H
#define CODEC_PARTS_H

#include "codec/internal.h"
#include "codec/scratch.h"

/* Nothing if the problem is none; false if memory ran out. */
bool berth_codec_put_parts(
    const struct berth_problem *problem, const struct berth_plan *plan, struct berth_codec_scratch *scratch,
    Berth__V1__Plan *out);

#endif
