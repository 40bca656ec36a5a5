#include "engine/watch.h"

#include "system/clock.h"
#include "system/interrupt.h"

void berthctl_watch_init(struct berthctl_watch *watch, int64_t timeout_ns, bool show_progress) {
  watch->started_ns = berthctl_clock_ns();
  watch->timeout_ns = timeout_ns;
  berthctl_progress_init(&watch->progress, show_progress);
}

void berthctl_watch_finish(struct berthctl_watch *watch) {
  berthctl_progress_clear(&watch->progress);
}

bool berthctl_watch_is_late(const struct berthctl_watch *watch, int64_t reserve_ns) {
  return watch->timeout_ns != 0 && berthctl_clock_ns() - watch->started_ns >= watch->timeout_ns - reserve_ns;
}

bool berthctl_watch_interrupted(void *ctx) {
  struct berthctl_watch *watch = ctx;
  berthctl_progress_tick(&watch->progress);
  return berthctl_interrupted();
}

void berthctl_watch_on_progress(void *ctx, const struct berth_progress *progress) {
  struct berthctl_watch *watch = ctx;
  berthctl_progress_update(&watch->progress, progress);
}
