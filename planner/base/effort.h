/* Effort: a deterministic clock. Every loop that can be long spends ticks and leaves when told to.
 *
 * The budget makes a search end at the same point on every machine; the hook (a deadline, a cancellation) is
 * asked at least every POLL ticks and makes it end early, which the plan then says. */
#ifndef BASE_EFFORT_H
#define BASE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BERTH_EFFORT_POLL_TICKS (UINT64_C(1) << 16)

enum berth_effort_state {
  BERTH_EFFORT_RUNNING = 0,
  BERTH_EFFORT_BUDGET_SPENT, /* deterministic */
  BERTH_EFFORT_STOPPED,      /* by the hook: not deterministic */
};

struct berth_effort {
  uint64_t ticks;
  uint64_t limit;      /* of ticks */
  uint64_t next_check; /* the lesser of limit and the next poll */
  enum berth_effort_state state;
  void *ctx;
  bool (*should_stop)(void *ctx); /* may be NULL */
};

void berth_effort_init(
    struct berth_effort *effort, uint64_t limit_ticks, bool (*should_stop)(void *ctx), void *ctx);

/* The slow path of berth_effort_spend. */
bool berth_effort_check(struct berth_effort *effort);

/* Adds `ticks`; false when the search must stop (and from then on always, until the limit is raised). */
static inline bool berth_effort_spend(struct berth_effort *effort, uint64_t ticks) {
  effort->ticks += ticks;
  return effort->ticks < effort->next_check || berth_effort_check(effort);
}

/* Asks the hook, whatever the ticks: for long steps that do no search. False when the hook has said stop; the
 * budget does not matter. NULL is never stopped. */
bool berth_effort_poll(struct berth_effort *effort);

/* The same in a loop over many: asks at every 2^12th. */
#define BERTH_EFFORT_POLL_ITEMS (UINT32_C(1) << 12)

static inline bool berth_effort_poll_at(struct berth_effort *effort, uint32_t i) {
  return i % BERTH_EFFORT_POLL_ITEMS != 0 || berth_effort_poll(effort);
}

/* memset and memcpy of what may be large, in pieces with a look between them: memory that is touched for the
 * first time takes milliseconds for a few megabytes. False when the hook has said stop: the rest is as it
 * was. */
bool berth_effort_fill(struct berth_effort *effort, void *to, int byte, size_t n_bytes);
bool berth_effort_copy(struct berth_effort *effort, void *to, const void *from, size_t n_bytes);

/* A new limit in total ticks: gives a phase its share of the budget. Running again unless stopped by the
 * hook. */
void berth_effort_set_limit(struct berth_effort *effort, uint64_t limit_ticks);

#endif
