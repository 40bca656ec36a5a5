/* Orders that need no thought: after every so many operators all streams wait for each other, more and more
 * often, and at last each operator for the one before it. */
#include <string.h>

#include "syncs/search.h"

struct meeting {
  const struct berth_syncs_search *search;
  uint32_t *before; /* the last operator of each stream before the meeting, or BERTH_NO_INDEX */
  bool *has_met;    /* the first of the stream after it was found */
  struct berth_syncs out;
};

static void add(struct meeting *meeting, uint32_t waiter, uint32_t signaller) {
  const uint32_t *stream = meeting->search->graph->operator_stream;
  if (signaller != BERTH_NO_INDEX && stream[waiter] != stream[signaller]) {
    meeting->out.items[meeting->out.n++] = (struct berth_sync){.waiter = waiter, .signaller = signaller};
  }
}

/* `waiter` is the first of its stream after a meeting: it waits for all streams, in the order of the list. */
static void wait_for_all(struct meeting *meeting, uint32_t waiter) {
  uint32_t n_streams = meeting->search->n_streams;
  uint32_t first = meeting->out.n;
  for (uint32_t s = 0; s < n_streams; s++) {
    add(meeting, waiter, meeting->before[s]);
  }
  for (uint32_t i = first + 1; i < meeting->out.n; i++) {
    struct berth_sync sync = meeting->out.items[i];
    uint32_t k = i;
    for (; k > first && meeting->out.items[k - 1].signaller > sync.signaller; k--) {
      meeting->out.items[k] = meeting->out.items[k - 1];
    }
    meeting->out.items[k] = sync;
  }
}

static void start_meeting(struct meeting *meeting, const uint32_t *latest) {
  uint32_t n_streams = meeting->search->n_streams;
  memcpy(meeting->before, latest, n_streams * sizeof *latest);
  memset(meeting->has_met, 0, n_streams * sizeof *meeting->has_met);
}

/* A meeting after every `stride` units. */
static void meet_every(struct meeting *meeting, uint32_t stride, uint32_t *latest) {
  const struct berth_syncs_search *search = meeting->search;
  uint32_t n_units = 0;
  meeting->out.n = 0;
  memset(latest, 0xff, search->n_streams * sizeof *latest);
  start_meeting(meeting, latest);
  for (uint32_t op = 0; op < search->graph->n_operators; op++) {
    uint32_t stream = search->graph->operator_stream[op];
    if (search->unit[op] == op) {
      if (n_units != 0 && n_units % stride == 0) {
        start_meeting(meeting, latest);
      }
      n_units++;
      if (!meeting->has_met[stream]) {
        wait_for_all(meeting, op);
        meeting->has_met[stream] = true;
      }
    }
    latest[stream] = op;
  }
}

/* Each unit waits for the one before it. */
static void line_up(struct meeting *meeting) {
  const struct berth_syncs_search *search = meeting->search;
  meeting->out.n = 0;
  for (uint32_t op = 1; op < search->graph->n_operators; op++) {
    if (search->unit[op] == op) {
      add(meeting, op, op - 1);
    }
  }
}

static uint32_t count_units(const struct berth_syncs_search *search) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < search->graph->n_operators; op++) {
    n += search->unit[op] == op;
  }
  return n;
}

enum { TRIALS = 12 };

enum berth_code berth_syncs_try_barriers(struct berth_syncs_search *search, uint64_t limit_ticks) {
  struct berth_effort *effort = search->effort;
  size_t most = (size_t)search->graph->n_operators * search->n_streams;
  struct meeting meeting = {
      .search = search,
      .before = berth_arena_new(search->arena, uint32_t, search->n_streams),
      .has_met = berth_arena_new(search->arena, bool, search->n_streams),
      .out = {.items = berth_arena_new(search->arena, struct berth_sync, most)}};
  uint32_t *latest = berth_arena_new(search->arena, uint32_t, search->n_streams);
  if (meeting.before == NULL || meeting.has_met == NULL || meeting.out.items == NULL || latest == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t share = limit_ticks > effort->ticks ? (limit_ticks - effort->ticks) / TRIALS : 0;
  line_up(&meeting);
  enum berth_code code = berth_syncs_try(search, meeting.out, NULL, share, NULL);
  for (uint32_t stride = count_units(search) / 2;
       code == BERTH_OK && stride > 1 && effort->ticks < limit_ticks && berth_effort_poll(effort);
       stride /= 2) {
    meet_every(&meeting, stride, latest);
    code = berth_syncs_try(search, meeting.out, NULL, share, NULL);
  }
  return code;
}
