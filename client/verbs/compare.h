/* Two saved plans compared, and how that is shown. */
#ifndef VERBS_COMPARE_H
#define VERBS_COMPARE_H

#include <stdbool.h>

#include "berth/report.h"
#include "output/terminal.h"
#include "json/emit.h"
#include "json/saved.h"

struct berthctl_comparison {
  const struct berth_json_saved *before;
  const struct berth_json_saved *after;
  struct berth_comparison what;
};

/* A saved plan as the planner's reports take it. */
struct berth_report_side berthctl_saved_side(const struct berth_json_saved *saved);

/* The members of an object that is open. */
void berthctl_comparison_write(const struct berthctl_comparison *comparison, struct berth_json *json);
void berthctl_comparison_print(
    const struct berthctl_comparison *comparison, const char *before, const char *after, bool all,
    const struct berthctl_terminal *terminal);

#endif
