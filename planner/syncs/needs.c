/* What a plan reuses: a sweep over the buffers, in the order of the list, that keeps for every byte who has
 * it. Whoever takes a byte must come after the one that had it before; then it comes after all. */
#include <string.h>

#include "base/rankset.h"
#include "base/sort.h"
#include "syncs/search.h"

#define NOBODY UINT32_MAX

struct tenant {
  uint32_t buffer;
  uint32_t slice; /* BERTH_NO_INDEX: all of it */
};

struct sweep {
  const struct berth_syncs_search *search;
  const struct berth_buffers *buffers;
  const uint32_t *pool;
  const uint64_t *offset;
  uint32_t n;
  struct tenant *tenants;
  uint32_t *begin; /* rank of the first byte, */
  uint32_t *end;   /* and of the first beyond */
  struct berth_rankset starts;
  bool *is_start;
  uint32_t *holder; /* of each stretch, at its start */
  struct berth_syncs_needs *needs;
};

/* ---- Tenants ---- */

static bool is_slot(const struct sweep *sweep, uint32_t buffer) {
  const struct berth_pools *pools = berth_problem_pools(sweep->search->problem);
  return pools->items[sweep->pool[buffer]].kind == BERTH_POOL_SLOTS;
}

static void list_tenants(struct sweep *sweep) {
  const struct berth_buffers *buffers = sweep->buffers;
  for (uint32_t i = 0; i < buffers->n; i++) {
    bool is_cut = buffers->slice_begin != NULL && buffers->slice_begin[i] != buffers->slice_begin[i + 1] &&
                  !is_slot(sweep, i);
    if (buffers->size_bytes[i] == 0) {
      continue;
    }
    if (!is_cut) {
      sweep->tenants[sweep->n++] = (struct tenant){.buffer = i, .slice = BERTH_NO_INDEX};
    }
    for (uint32_t p = is_cut ? buffers->slice_begin[i] : 0; is_cut && p < buffers->slice_begin[i + 1]; p++) {
      sweep->tenants[sweep->n++] = (struct tenant){.buffer = i, .slice = p};
    }
  }
}

static uint64_t byte_of(const struct sweep *sweep, uint32_t end, uint32_t t) {
  const struct tenant *tenant = &sweep->tenants[t];
  uint64_t within = end != 0 ? sweep->buffers->size_bytes[tenant->buffer] : 0;
  if (tenant->slice != BERTH_NO_INDEX) {
    const struct berth_slice *slice = &sweep->buffers->slices[tenant->slice];
    within = end != 0 ? slice->window_upper : slice->window_lower;
  }
  return sweep->offset[tenant->buffer] + within;
}

static int64_t lower_of(const struct sweep *sweep, uint32_t t) {
  const struct tenant *tenant = &sweep->tenants[t];
  return tenant->slice != BERTH_NO_INDEX ? sweep->buffers->slices[tenant->slice].lower
                                         : sweep->buffers->lower[tenant->buffer];
}

static const uint32_t *clock_of(const struct sweep *sweep, uint32_t t, bool upper) {
  const struct berth_buffers *buffers = sweep->buffers;
  const struct tenant *tenant = &sweep->tenants[t];
  size_t n = buffers->n_clocks;
  if (tenant->slice != BERTH_NO_INDEX) {
    return (upper ? buffers->slice_clock_upper : buffers->slice_clock_lower) + tenant->slice * n;
  }
  return (upper ? buffers->clock_upper : buffers->clock_lower) + tenant->buffer * n;
}

/* Item 2 t + e is the beginning (e = 0) or end of tenant t; equal bytes of one pool have one rank. */
static bool rank_bytes(struct sweep *sweep, struct berth_arena *arena) {
  size_t n = 2 * (size_t)sweep->n;
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 2 * n);
  if (items == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    items[i] = (struct berth_sort_item){.key = byte_of(sweep, i % 2, i / 2), .index = i};
  }
  berth_sort_items(items, items + n, n);
  for (size_t k = 0; k < n; k++) {
    items[k].key = sweep->pool[sweep->tenants[items[k].index / 2].buffer];
  }
  berth_sort_items(items, items + n, n);
  uint32_t rank = 0;
  for (size_t k = 0; k < n; k++) {
    uint32_t i = items[k].index;
    uint32_t before = items[k > 0 ? k - 1 : 0].index;
    rank += items[k].key != items[k > 0 ? k - 1 : 0].key ||
            byte_of(sweep, i % 2, i / 2) != byte_of(sweep, before % 2, before / 2);
    (i % 2 == 0 ? sweep->begin : sweep->end)[i / 2] = rank;
  }
  return true;
}

/* ---- Needs ---- */

static bool is_ordered(const struct sweep *sweep, uint32_t earlier, uint32_t later) {
  return berth_accesses_within(
      clock_of(sweep, earlier, true), clock_of(sweep, later, false), sweep->buffers->n_clocks);
}

/* All users of the later tenant, from its first step on, must know all that the earlier one's end asks for.
 * Of what is in the user's own region nothing more can be asked. */
static void ask(struct sweep *sweep, uint32_t earlier, uint32_t later) {
  const struct berth_syncs_search *search = sweep->search;
  uint32_t n_streams = search->n_streams;
  uint32_t buffer = sweep->tenants[later].buffer;
  const uint32_t *end = clock_of(sweep, earlier, true);
  int64_t first = lower_of(sweep, later);
  sweep->needs->n_pairs++;
  for (uint32_t k = search->user_begin[buffer]; k < search->user_begin[buffer + 1]; k++) {
    if (search->users[k] < first) {
      continue;
    }
    uint32_t *least = sweep->needs->least + (size_t)search->unit[search->users[k]] * n_streams;
    for (uint32_t s = 0; s < n_streams; s++) {
      least[s] = end[s] > least[s] ? end[s] : least[s];
    }
  }
}

static void meet(struct sweep *sweep, uint32_t earlier, uint32_t later) {
  const uint32_t *storage = sweep->buffers->rigid.n != 0 ? sweep->buffers->rigid.storage : NULL;
  uint32_t a = sweep->tenants[earlier].buffer;
  uint32_t b = sweep->tenants[later].buffer;
  if (a != b && (storage == NULL || storage[a] != storage[b]) && !is_ordered(sweep, earlier, later)) {
    ask(sweep, earlier, later);
  }
}

/* ---- The sweep ---- */

static void split(struct sweep *sweep, uint32_t rank) {
  if (!sweep->is_start[rank]) {
    uint32_t before = berth_rankset_before(&sweep->starts, rank);
    sweep->holder[rank] = before != BERTH_NO_RANK ? sweep->holder[before] : NOBODY;
    sweep->is_start[rank] = true;
    berth_rankset_insert(&sweep->starts, rank);
  }
}

static void move_in(struct sweep *sweep, uint32_t tenant) {
  uint32_t begin = sweep->begin[tenant];
  uint32_t end = sweep->end[tenant];
  split(sweep, begin);
  split(sweep, end);
  for (uint32_t r = begin; r != BERTH_NO_RANK && r < end;) {
    uint32_t next = berth_rankset_after(&sweep->starts, r);
    if (sweep->holder[r] != NOBODY) {
      meet(sweep, sweep->holder[r], tenant);
    }
    if (r != begin) {
      sweep->is_start[r] = false;
      berth_rankset_remove(&sweep->starts, r);
    }
    r = next;
  }
  sweep->holder[begin] = tenant;
}

/* Where several buffers are one storage, they need not be ordered among themselves: then all pairs are looked
 * at, and not only those that follow each other. */
static void meet_all(struct sweep *sweep, const struct berth_sort_item *turns) {
  for (uint32_t k = 0; k < sweep->n; k++) {
    uint32_t later = turns[k].index;
    for (uint32_t j = 0; j < k; j++) {
      uint32_t earlier = turns[j].index;
      if (sweep->begin[earlier] < sweep->end[later] && sweep->begin[later] < sweep->end[earlier]) {
        meet(sweep, earlier, later);
      }
    }
  }
}

static bool take(struct sweep *sweep, struct berth_arena *arena) {
  const struct berth_buffers *buffers = sweep->buffers;
  size_t most = (size_t)buffers->n + (buffers->slice_begin != NULL ? buffers->slice_begin[buffers->n] : 0);
  size_t n_needs = (size_t)sweep->search->graph->n_operators * sweep->search->n_streams;
  sweep->tenants = berth_arena_new(arena, struct tenant, most);
  sweep->begin = berth_arena_new(arena, uint32_t, most);
  sweep->end = berth_arena_new(arena, uint32_t, most);
  sweep->is_start = berth_arena_new_zeroed(arena, bool, 2 * most + 1);
  sweep->holder = berth_arena_new(arena, uint32_t, 2 * most + 1);
  sweep->needs->least = berth_arena_new_zeroed(arena, uint32_t, n_needs);
  return sweep->tenants != NULL && sweep->begin != NULL && sweep->end != NULL && sweep->is_start != NULL &&
         sweep->holder != NULL && sweep->needs->least != NULL &&
         berth_rankset_init(&sweep->starts, arena, 2 * (uint32_t)most + 1);
}

bool berth_syncs_find_needs(
    const struct berth_syncs_search *search, const struct berth_buffers *buffers, const uint32_t *pool,
    const uint64_t *offset, struct berth_arena *arena, struct berth_syncs_needs *out) {
  *out = (struct berth_syncs_needs){.n_pairs = 0};
  struct sweep sweep = {.search = search, .buffers = buffers, .pool = pool, .offset = offset, .needs = out};
  if (!take(&sweep, arena)) {
    return false;
  }
  list_tenants(&sweep);
  struct berth_sort_item *turns = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)sweep.n);
  if (turns == NULL || !rank_bytes(&sweep, arena)) {
    return false;
  }
  for (uint32_t t = 0; t < sweep.n; t++) {
    turns[t] = (struct berth_sort_item){.key = berth_sort_key_i64(lower_of(&sweep, t)), .index = t};
  }
  berth_sort_items(turns, turns + sweep.n, sweep.n);
  if (buffers->rigid.n != 0) {
    meet_all(&sweep, turns);
    return true;
  }
  for (uint32_t k = 0; k < sweep.n; k++) {
    move_in(&sweep, turns[k].index);
  }
  return true;
}
