/* A plan for people: what it needs, how good that is, and where the largest buffers lie. */
#ifndef OUTPUT_SUMMARY_H
#define OUTPUT_SUMMARY_H

#include "output/terminal.h"
#include "json/plan.h"

struct berthctl_summary {
  struct berth_json_plan what;
  uint64_t capacity_bytes; /* that was asked about, or BERTH_UNLIMITED */
  bool all;                /* every row of the table */
};

/* To standard output. */
void berthctl_summary_print(const struct berthctl_summary *summary, const struct berthctl_terminal *terminal);

#endif
