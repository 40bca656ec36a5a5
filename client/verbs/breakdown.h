/* What is live at a step, summed by class and by the operator that made it. */
#ifndef VERBS_BREAKDOWN_H
#define VERBS_BREAKDOWN_H

#include "berth/report.h"

struct berthctl_breakdown_row {
  uint32_t op; /* BERTH_NO_INDEX: made by none, as inputs and constants are */
  uint64_t bytes;
};

/* Both sums are those of the contributions. */
struct berthctl_breakdown {
  uint64_t class_bytes[BERTH_N_CLASSES];
  uint32_t *producer;                  /* of each buffer; NULL of a problem that is no graph */
  struct berthctl_breakdown_row *rows; /* largest first, ties by operator; of a graph */
  uint32_t n_rows;
};

enum berth_code berthctl_breakdown_make(
    const struct berth_problem *problem, const struct berth_contribution *items, uint32_t n_items,
    struct berthctl_breakdown *out_breakdown, struct berth_error *err) BERTH_MUST_USE;
void berthctl_breakdown_finish(struct berthctl_breakdown *breakdown);

#endif
