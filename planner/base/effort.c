#include "base/effort.h"

#include <string.h>

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

enum { PIECE_BYTES = 1 << 19 };

static size_t piece_of(size_t done, size_t n_bytes) {
  return n_bytes - done < PIECE_BYTES ? n_bytes - done : PIECE_BYTES;
}

bool berth_effort_fill(struct berth_effort *effort, void *to, int byte, size_t n_bytes) {
  for (size_t done = 0; done < n_bytes; done += PIECE_BYTES) {
    memset((unsigned char *)to + done, byte, piece_of(done, n_bytes));
    if (n_bytes > PIECE_BYTES && !berth_effort_poll(effort)) {
      return false;
    }
  }
  return true;
}

bool berth_effort_copy(struct berth_effort *effort, void *to, const void *from, size_t n_bytes) {
  for (size_t done = 0; done < n_bytes; done += PIECE_BYTES) {
    memcpy((unsigned char *)to + done, (const unsigned char *)from + done, piece_of(done, n_bytes));
    if (n_bytes > PIECE_BYTES && !berth_effort_poll(effort)) {
      return false;
    }
  }
  return true;
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
