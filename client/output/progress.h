/* One line on standard error that is written over while planning runs; only on a terminal. */
#ifndef OUTPUT_PROGRESS_H
#define OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/solve.h"

struct berthctl_progress {
  bool is_shown; /* whether there is a terminal to show it on */
  bool has_line;
  bool has_news;
  int64_t started_ns;
  int64_t drawn_ns;
  struct berth_progress latest;
};

void berthctl_progress_init(struct berthctl_progress *progress, bool is_shown);
void berthctl_progress_update(struct berthctl_progress *progress, const struct berth_progress *latest);
/* Draws, if it is time to; cheap enough to be called often. */
void berthctl_progress_tick(struct berthctl_progress *progress);
void berthctl_progress_clear(struct berthctl_progress *progress);

#endif
