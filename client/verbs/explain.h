/* What a problem's peak is made of, gathered once and shown in several ways. */
#ifndef VERBS_EXPLAIN_H
#define VERBS_EXPLAIN_H

#include "berth/report.h"
#include "verbs/internal.h"

/* What is live at a step, in three sums that agree. */
struct berthctl_moment {
  int64_t step;
  uint64_t live_bytes;
  struct berth_contribution *items;
  uint32_t n_items;
  struct berth_breakdown breakdown;
};

struct berthctl_explained {
  const struct berth_problem *problem;
  const char *name;
  uint64_t peak_bytes;
  struct berth_span *spans; /* at which the peak is reached */
  uint32_t n_spans;
  struct berthctl_moment moment; /* the first peak, or the step that was asked for */
  uint32_t *producers;           /* of each buffer; NULL of a problem that is no graph */
  struct berth_operator_row *operators;
  uint32_t n_operators;
};

enum berth_code berthctl_moment_make(
    const struct berth_problem *problem, int64_t step, struct berthctl_moment *out_moment,
    struct berth_error *err) BERTH_MUST_USE;
void berthctl_moment_finish(struct berthctl_moment *moment);

/* Operator k runs at step k. BERTH_NO_INDEX where none does. */
uint32_t berthctl_operator_at(const struct berth_problem *problem, int64_t step);
/* 0 of nothing. */
double berthctl_share(uint64_t bytes, uint64_t of);

/* To standard output. */
void berthctl_explained_write(const struct berthctl_explained *explained, bool all);
void berthctl_explained_print(
    const struct berthctl_explained *explained, const struct berthctl_options *options,
    const struct berthctl_terminal *terminal);
/* --timeline; false if the format is none of text, csv and json. */
bool berthctl_timeline_show(
    const char *format, struct berth_timeline_point *points, uint32_t n_points, bool all,
    const struct berthctl_terminal *terminal);

#endif
