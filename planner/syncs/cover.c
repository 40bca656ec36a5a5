/* From needs to waits. The clocks of the graph are made once more, operator by operator, and where one
 * arrives that does not know what it must, it waits for who is missing: for the latest in the list first, who
 * may know the others. */
#include <string.h>

#include "syncs/search.h"

/* ---- One after the other ---- */

struct covering {
  const struct berth_syncs_search *search;
  const uint32_t *least;
  struct berth_syncs out;
  uint32_t most;
  uint32_t *base; /* the clock without the waits of this operator */
  uint32_t *test;
  bool is_hopeless;
};

static void join(uint32_t *clock, const uint32_t *other, uint32_t n) {
  for (uint32_t s = 0; s < n; s++) {
    clock[s] = other[s] > clock[s] ? other[s] : clock[s];
  }
}

/* Who is the last on stream `s` that `op` must wait for: BERTH_NO_INDEX if it knows all that it must. What is
 * within its own region is ordered there, or nowhere. */
static uint32_t missing_on(
    const struct covering *covering, const struct berth_clocks *clocks, uint32_t op, const uint32_t *clock,
    uint32_t s, bool *out_hopeless) {
  uint32_t n_of_stream = clocks->begin[s + 1] - clocks->begin[s];
  uint32_t least = covering->least[(size_t)op * clocks->n_streams + s];
  while (least > clock[s] && least <= n_of_stream) {
    uint32_t last = clocks->line[clocks->begin[s] + least - 1];
    if (last < op) {
      return last;
    }
    if (covering->search->unit[last] != op) {
      break;
    }
    least--;
  }
  *out_hopeless = *out_hopeless || least > clock[s];
  return BERTH_NO_INDEX;
}

static uint32_t latest_missing(
    struct covering *covering, const struct berth_clocks *clocks, uint32_t op, const uint32_t *clock) {
  uint32_t latest = BERTH_NO_INDEX;
  for (uint32_t s = 0; s < clocks->n_streams; s++) {
    uint32_t last = missing_on(covering, clocks, op, clock, s, &covering->is_hopeless);
    if (last != BERTH_NO_INDEX && (latest == BERTH_NO_INDEX || last > latest)) {
      latest = last;
    }
  }
  return latest;
}

/* Leaves out of the operator's waits, which begin at `first`, those that it knows of by the others. */
static void
leave_out_implied(struct covering *covering, const struct berth_clocks *clocks, uint32_t op, uint32_t first) {
  const struct berth_graph *graph = covering->search->graph;
  size_t n_bytes = clocks->n_streams * sizeof(uint32_t);
  struct berth_syncs *out = &covering->out;
  for (uint32_t i = first; i < out->n;) {
    uint32_t signaller = out->items[i].signaller;
    memcpy(covering->test, covering->base, n_bytes);
    for (uint32_t k = first; k < out->n; k++) {
      if (k != i) {
        join(
            covering->test, berth_clocks_lesson(clocks, graph, out->items[k].signaller, op),
            clocks->n_streams);
      }
    }
    if (covering->test[clocks->stream[signaller]] >= clocks->position[signaller]) {
      memmove(&out->items[i], &out->items[i + 1], (out->n - i - 1) * sizeof *out->items);
      out->n--;
    } else {
      i++;
    }
  }
}

static void sort_from(struct berth_syncs *syncs, uint32_t first) {
  for (uint32_t i = first + 1; i < syncs->n; i++) {
    struct berth_sync sync = syncs->items[i];
    uint32_t k = i;
    for (; k > first && syncs->items[k - 1].signaller > sync.signaller; k--) {
      syncs->items[k] = syncs->items[k - 1];
    }
    syncs->items[k] = sync;
  }
}

static void wait_for_missing(void *ctx, const struct berth_clocks *clocks, uint32_t op, uint32_t *clock) {
  struct covering *covering = ctx;
  struct berth_syncs *out = &covering->out;
  uint32_t first = out->n;
  if (covering->is_hopeless || covering->search->unit[op] != op) {
    return;
  }
  memcpy(covering->base, clock, clocks->n_streams * sizeof(uint32_t));
  for (;;) {
    uint32_t last = latest_missing(covering, clocks, op, clock);
    if (last == BERTH_NO_INDEX || covering->is_hopeless) {
      break;
    }
    if (out->n == covering->most) { /* of each stream one at most: there is room for all */
      covering->is_hopeless = true;
      break;
    }
    out->items[out->n++] = (struct berth_sync){.waiter = op, .signaller = last};
    join(clock, berth_clocks_lesson(clocks, covering->search->graph, last, op), clocks->n_streams);
  }
  leave_out_implied(covering, clocks, op, first);
  sort_from(out, first);
}

/* ---- Those of a list that are needed ---- */

struct checking {
  const struct covering *covering;
  bool is_met;
};

static void check(void *ctx, const struct berth_clocks *clocks, uint32_t op, uint32_t *clock) {
  struct checking *checking = ctx;
  bool is_hopeless = false;
  for (uint32_t s = 0; s < clocks->n_streams && checking->covering->search->unit[op] == op; s++) {
    bool is_known = missing_on(checking->covering, clocks, op, clock, s, &is_hopeless) == BERTH_NO_INDEX;
    checking->is_met = checking->is_met && is_known && !is_hopeless;
  }
}

static bool
is_met(const struct covering *covering, struct berth_syncs syncs, struct berth_arena *arena, bool *out_met) {
  struct checking checking = {.covering = covering, .is_met = true};
  const struct berth_clocks_guest guest = {.ctx = &checking, .arrive = check};
  struct berth_graph graph = *covering->search->graph;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_syncs all;
  struct berth_clocks clocks;
  bool ok = berth_syncs_merge(covering->search, syncs, arena, &all);
  graph.n_syncs = ok ? all.n : 0;
  graph.syncs = ok ? all.items : NULL;
  ok = ok && berth_clocks_make_with(&clocks, arena, &graph, covering->search->n_streams, &guest);
  berth_arena_rewind(arena, mark);
  *out_met = checking.is_met;
  return ok;
}

/* Each in turn, the last first: those that cross the most come first. Stops when effort is spent. */
static bool leave_out_unneeded(
    struct berth_syncs_search *search, const struct covering *covering, struct berth_syncs *syncs,
    struct berth_arena *arena) {
  uint64_t cost = (uint64_t)search->graph->n_operators * search->n_streams;
  struct berth_syncs fewer = {.items = berth_arena_new(arena, struct berth_sync, syncs->n)};
  if (fewer.items == NULL) {
    return false;
  }
  for (uint32_t i = syncs->n; i-- > 0 && berth_effort_spend(search->effort, cost);) {
    bool met;
    memcpy(fewer.items, syncs->items, i * sizeof *syncs->items);
    memcpy(fewer.items + i, syncs->items + i + 1, (syncs->n - i - 1) * sizeof *syncs->items);
    fewer.n = syncs->n - 1;
    if (!is_met(covering, fewer, arena, &met)) {
      return false;
    }
    if (met) {
      memcpy(syncs->items, fewer.items, fewer.n * sizeof *fewer.items);
      syncs->n = fewer.n;
    }
  }
  return true;
}

/* ---- Both ---- */

static bool cover_anew(struct covering *covering, struct berth_arena *arena) {
  const struct berth_syncs_search *search = covering->search;
  const struct berth_clocks_guest guest = {.ctx = covering, .arrive = wait_for_missing};
  size_t most = (size_t)search->graph->n_operators * search->n_streams;
  struct berth_clocks clocks;
  covering->most = (uint32_t)most;
  covering->out.items = berth_arena_new(arena, struct berth_sync, most);
  covering->base = berth_arena_new(arena, uint32_t, search->n_streams);
  covering->test = berth_arena_new(arena, uint32_t, search->n_streams);
  return covering->out.items != NULL && covering->base != NULL && covering->test != NULL &&
         berth_clocks_make_with(&clocks, arena, search->graph, search->n_streams, &guest);
}

bool berth_syncs_cover(
    struct berth_syncs_search *search, const struct berth_syncs_needs *needs, struct berth_syncs tried,
    struct berth_arena *arena, struct berth_syncs *out, bool *out_found) {
  struct covering covering = {.search = search, .least = needs->least};
  struct berth_syncs kept = {.n = tried.n, .items = berth_arena_new(arena, struct berth_sync, tried.n)};
  bool met;
  if (kept.items == NULL || !cover_anew(&covering, arena) || !is_met(&covering, tried, arena, &met)) {
    return false;
  }
  if (tried.n != 0) {
    memcpy(kept.items, tried.items, tried.n * sizeof *tried.items);
  }
  bool is_anew = !covering.is_hopeless;
  if ((is_anew && !leave_out_unneeded(search, &covering, &covering.out, arena)) ||
      (met && tried.n <= search->most_syncs && !leave_out_unneeded(search, &covering, &kept, arena))) {
    return false;
  }
  *out = is_anew && (!met || covering.out.n <= kept.n) ? covering.out : kept;
  *out_found = is_anew || met;
  return true;
}
