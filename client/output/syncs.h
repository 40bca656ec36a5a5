/* Waits that a plan needs beside those of the graph. */
#ifndef OUTPUT_SYNCS_H
#define OUTPUT_SYNCS_H

#include <stdbool.h>

#include "output/terminal.h"
#include "json/plan.h"

/* Nothing where none might be added. `all`: every wait, and not only the first. */
void berthctl_syncs_print(
    const struct berth_json_plan *what, bool all, const struct berthctl_terminal *terminal);

#endif
