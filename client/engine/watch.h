/* What bounds and watches a search or a call: a deadline, Ctrl-C, a line of progress. */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "output/progress.h"

struct berthctl_watch {
  int64_t started_ns;
  int64_t timeout_ns; /* 0: none */
  struct berthctl_progress progress;
};

void berthctl_watch_init(struct berthctl_watch *watch, int64_t timeout_ns, bool show_progress);
void berthctl_watch_finish(struct berthctl_watch *watch);

/* Whether the deadline is no further away than what is still to be done then. */
bool berthctl_watch_is_late(const struct berthctl_watch *watch, int64_t reserve_ns);
/* Hooks; the context is the watch. */
bool berthctl_watch_interrupted(void *ctx); /* Ctrl-C; draws progress */
void berthctl_watch_on_progress(void *ctx, const struct berth_progress *progress);

#endif
