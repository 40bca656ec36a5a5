#include "base/effort.h"

#include <stddef.h>

static void arm(struct berth_effort *effort) {
  uint64_t poll = effort->ticks + BERTH_EFFORT_POLL_TICKS;
  effort->next_check = poll < effort->limit ? poll : effort->limit;
}

void berth_effort_init(
    struct berth_effort *effort, uint64_t limit_ticks, bool (*should_stop)(void *ctx), void *ctx) {
  *effort = (struct berth_effort){.limit = limit_ticks, .ctx = ctx, .should_stop = should_stop};
  arm(effort);
}

bool berth_effort_check(struct berth_effort *effort) {
  if (effort->state != BERTH_EFFORT_STOPPED && effort->should_stop != NULL &&
      effort->should_stop(effort->ctx)) {
    effort->state = BERTH_EFFORT_STOPPED;
  }
  if (effort->state == BERTH_EFFORT_RUNNING && effort->ticks >= effort->limit) {
    effort->state = BERTH_EFFORT_BUDGET_SPENT;
  }
  if (effort->state != BERTH_EFFORT_RUNNING) {
    effort->next_check = 0;
    return false;
  }
  arm(effort);
  return true;
}

bool berth_effort_poll(struct berth_effort *effort) {
  if (effort == NULL) {
    return true;
  }
  if (effort->state != BERTH_EFFORT_STOPPED && effort->should_stop != NULL &&
      effort->should_stop(effort->ctx)) {
    effort->state = BERTH_EFFORT_STOPPED;
    effort->next_check = 0;
  }
  return effort->state != BERTH_EFFORT_STOPPED;
}

void berth_effort_set_limit(struct berth_effort *effort, uint64_t limit_ticks) {
  effort->limit = limit_ticks;
  if (effort->state == BERTH_EFFORT_BUDGET_SPENT && effort->ticks < limit_ticks) {
    effort->state = BERTH_EFFORT_RUNNING;
  }
  if (effort->state == BERTH_EFFORT_RUNNING) {
    arm(effort);
  }
}
