#include "wish.h"

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct wish *wish = ctx;
  wish->is_met = wish->is_met || progress->arena_bytes <= wish->arena;
}

static bool should_stop(void *ctx) {
  return ((const struct wish *)ctx)->is_met;
}

struct berth_solve_hooks wish_hooks(struct wish *wish) {
  return (struct berth_solve_hooks){.ctx = wish, .should_stop = should_stop, .on_progress = on_progress};
}
