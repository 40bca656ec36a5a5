/* What became of an earlier plan's places. */
#ifndef OUTPUT_STABILITY_H
#define OUTPUT_STABILITY_H

#include <stdbool.h>

#include "output/terminal.h"
#include "json/plan.h"

/* Nothing where none was to be kept. `all`: every row, and not only the largest. */
void berthctl_stability_print(
    const struct berth_json_plan *what, bool all, const struct berthctl_terminal *terminal);

#endif
