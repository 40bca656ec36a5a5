#include "output/progress.h"

#include <stdio.h>

#include "system/clock.h"
#include "text/units.h"

enum { FIRST_NS = 300000000, INTERVAL_NS = 100000000 };

void berthctl_progress_init(struct berthctl_progress *progress, bool is_shown) {
  *progress = (struct berthctl_progress){
      .is_shown = is_shown, .started_ns = berthctl_clock_ns(), .latest = {.arena_bytes = BERTH_UNLIMITED}};
}

void berthctl_progress_update(struct berthctl_progress *progress, const struct berth_progress *latest) {
  progress->latest = *latest;
  progress->has_news = true;
  berthctl_progress_tick(progress);
}

static void draw(struct berthctl_progress *progress, int64_t now_ns) {
  const struct berth_progress *latest = &progress->latest;
  double seconds = (double)(now_ns - progress->started_ns) / 1e9;
  if (!progress->has_news) {
    fprintf(stderr, "\r\033[Kplanning, %.1f s", seconds);
  } else if (latest->arena_bytes == BERTH_UNLIMITED) {
    fprintf(
        stderr, "\r\033[Kplanning, %.1f s: at least %s", seconds,
        berth_units_bytes(latest->lower_bound_bytes).text);
  } else {
    double bound = (double)latest->lower_bound_bytes;
    double gap = bound > 0 ? 100 * ((double)latest->arena_bytes / bound - 1) : 0;
    fprintf(
        stderr, "\r\033[Kplanning, %.1f s: arena %s, bound %s, gap %.2f %%", seconds,
        berth_units_bytes(latest->arena_bytes).text, berth_units_bytes(latest->lower_bound_bytes).text, gap);
  }
  fflush(stderr);
}

void berthctl_progress_tick(struct berthctl_progress *progress) {
  if (!progress->is_shown) {
    return;
  }
  int64_t now_ns = berthctl_clock_ns();
  if (now_ns - progress->started_ns < FIRST_NS || now_ns - progress->drawn_ns < INTERVAL_NS) {
    return;
  }
  progress->drawn_ns = now_ns;
  progress->has_line = true;
  draw(progress, now_ns);
}

void berthctl_progress_clear(struct berthctl_progress *progress) {
  if (progress->has_line) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
  progress->has_line = false;
}
