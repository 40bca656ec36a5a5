#include <inttypes.h>
#include <string.h>

#include "base/rankset.h"
#include "base/sort.h"
#include "verify/slices.h"

#define NOBODY UINT32_MAX

/* Who holds bytes: a buffer, or a slice of one. */
struct tenant {
  uint32_t buffer;
  uint32_t slice; /* BERTH_NO_INDEX: the buffer is whole */
};

/* The bytes of all pools as ranks of the places where a tenant begins or ends, pool after pool. A segment
 * reaches from its rank to the next one in `starts`; `holder` is the last tenant that held it.
 *
 * Buffers that are one storage need not be ordered among themselves. So where there are any, a segment knows
 * the run of tenants of one storage that it is in, as when the last of them has ended on each stream, and the
 * same of the run before: who comes next must follow all of the run, and who joins the run all of the one
 * before. Segments of a run become one between the ends of the tenants of its storage: whoever joins it holds
 * them all, and what is ordered by what came between is ordered all the same. */
struct sequence {
  const struct berth_verify_facts *facts;
  const struct berth_verify_places *places;
  struct berth_verify_findings *findings;
  uint32_t n;
  struct tenant *tenants;
  uint32_t *begin; /* by tenant: rank of its first byte */
  uint32_t *end;
  struct berth_rankset starts;
  bool *is_start;
  uint32_t *holder;
  bool *has_before;      /* there was a run before; these NULL: nobody shares */
  uint32_t *run_last;    /* ranks x streams */
  uint32_t *before_last; /* ranks x streams */
  struct berth_sort_item
      *edges; /* storage << 32 | rank where one of several in it begins or ends; ascending */
  size_t n_edges;
};

static void add_tenant(struct sequence *sequence, uint32_t buffer, uint32_t slice) {
  sequence->tenants[sequence->n++] = (struct tenant){.buffer = buffer, .slice = slice};
}

static bool is_slot(const struct sequence *sequence, uint32_t buffer) {
  return sequence->facts->pools[berth_verify_pool(sequence->places, buffer)].kind == BERTH_POOL_SLOTS;
}

static void list_tenants(struct sequence *sequence) {
  const struct berth_verify_facts *facts = sequence->facts;
  for (uint32_t i = 0; i < facts->n; i++) {
    if (facts->size[i] == 0 || !berth_verify_is_placed(facts, sequence->places, i)) {
      continue;
    }
    uint32_t n_slices = berth_verify_n_slices(facts->slices, i);
    if (n_slices == 0 || is_slot(sequence, i)) {
      add_tenant(sequence, i, BERTH_NO_INDEX);
      continue;
    }
    for (uint32_t k = 0; k < n_slices; k++) {
      add_tenant(sequence, i, facts->slices->begin[i] + k);
    }
  }
}

static uint64_t place_of(const struct sequence *sequence, uint32_t end, uint32_t tenant) {
  const struct tenant *it = &sequence->tenants[tenant];
  uint64_t within = end != 0 ? sequence->facts->size[it->buffer] : 0;
  if (it->slice != BERTH_NO_INDEX) {
    const struct berth_slice *slice = &sequence->facts->slices->items[it->slice];
    within = end != 0 ? slice->window_upper : slice->window_lower;
  }
  return berth_verify_byte(sequence->places->offset[it->buffer], within);
}

static uint32_t pool_of(const struct sequence *sequence, uint32_t tenant) {
  return berth_verify_pool(sequence->places, sequence->tenants[tenant].buffer);
}

static int64_t lower_of(const struct sequence *sequence, uint32_t tenant) {
  const struct tenant *it = &sequence->tenants[tenant];
  return it->slice != BERTH_NO_INDEX ? sequence->facts->slices->items[it->slice].lower
                                     : sequence->facts->lower[it->buffer];
}

static int64_t upper_of(const struct sequence *sequence, uint32_t tenant) {
  const struct tenant *it = &sequence->tenants[tenant];
  return it->slice != BERTH_NO_INDEX ? sequence->facts->slices->items[it->slice].upper
                                     : sequence->facts->upper[it->buffer];
}

/* Item 2 t + e is the beginning (e = 0) or end of tenant t; equal places of one pool have one rank. */
static bool rank_places(struct sequence *sequence, struct berth_arena *arena) {
  size_t n = 2 * (size_t)sequence->n;
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 2 * n);
  if (items == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    items[i] = (struct berth_sort_item){.key = place_of(sequence, i % 2, i / 2), .index = i};
  }
  berth_sort_items(items, items + n, n);
  for (size_t k = 0; k < n; k++) {
    items[k].key = pool_of(sequence, items[k].index / 2);
  }
  berth_sort_items(items, items + n, n);
  uint32_t rank = 0;
  for (size_t k = 0; k < n; k++) {
    uint32_t i = items[k].index;
    uint32_t before = k > 0 ? items[k - 1].index : i;
    rank += items[k].key != items[k > 0 ? k - 1 : 0].key ||
            place_of(sequence, i % 2, i / 2) != place_of(sequence, before % 2, before / 2);
    (i % 2 == 0 ? sequence->begin : sequence->end)[i / 2] = rank;
  }
  return true;
}

static uint32_t *row(const struct sequence *sequence, uint32_t *rows, uint32_t rank) {
  return rows + (size_t)rank * sequence->facts->order->n_streams;
}

static void copy_runs(struct sequence *sequence, uint32_t from, uint32_t to) {
  size_t n_bytes = sequence->facts->order->n_streams * sizeof(uint32_t);
  sequence->has_before[to] = from != BERTH_NO_RANK && sequence->has_before[from];
  if (from != BERTH_NO_RANK) {
    memcpy(row(sequence, sequence->run_last, to), row(sequence, sequence->run_last, from), n_bytes);
    memcpy(row(sequence, sequence->before_last, to), row(sequence, sequence->before_last, from), n_bytes);
  }
}

/* A segment begins at `rank` from now on. */
static void split(struct sequence *sequence, uint32_t rank) {
  if (!sequence->is_start[rank]) {
    uint32_t before = berth_rankset_before(&sequence->starts, rank);
    sequence->holder[rank] = before != BERTH_NO_RANK ? sequence->holder[before] : NOBODY;
    if (sequence->has_before != NULL) {
      copy_runs(sequence, before, rank);
    }
    sequence->is_start[rank] = true;
    berth_rankset_insert(&sequence->starts, rank);
  }
}

static void blame(const struct sequence *sequence, uint32_t earlier, uint32_t later) {
  uint32_t first = sequence->tenants[earlier].buffer;
  uint32_t second = sequence->tenants[later].buffer;
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
  violation.buffer_a = first < second ? first : second;
  violation.buffer_b = first < second ? second : first;
  violation.pool = pool_of(sequence, later);
  uint64_t begin_a = place_of(sequence, 0, earlier);
  uint64_t begin_b = place_of(sequence, 0, later);
  uint64_t end_a = place_of(sequence, 1, earlier);
  uint64_t end_b = place_of(sequence, 1, later);
  violation.first_byte = begin_a > begin_b ? begin_a : begin_b;
  violation.end_byte = end_a < end_b ? end_a : end_b;
  violation.first_step = lower_of(sequence, earlier);
  violation.end_step = upper_of(sequence, later);
  berth_verify_blame(
      sequence->findings, &violation,
      "%s and %s share bytes [%" PRIu64 ", %" PRIu64 ") on streams that are not ordered",
      berth_verify_name(sequence->findings, violation.buffer_a).text,
      berth_verify_name(sequence->findings, violation.buffer_b).text, violation.first_byte,
      violation.end_byte);
}

static const uint32_t *last_of(const struct sequence *sequence, uint32_t tenant) {
  const struct tenant *it = &sequence->tenants[tenant];
  size_t n = sequence->facts->order->n_streams;
  return it->slice != BERTH_NO_INDEX ? sequence->facts->slices->last + it->slice * n
                                     : sequence->facts->order->last + it->buffer * n;
}

static const uint32_t *sure_of(const struct sequence *sequence, uint32_t tenant) {
  const struct tenant *it = &sequence->tenants[tenant];
  size_t n = sequence->facts->order->n_streams;
  return it->slice != BERTH_NO_INDEX ? sequence->facts->slices->sure + it->slice * n
                                     : sequence->facts->order->sure + it->buffer * n;
}

static bool may_follow(const struct sequence *sequence, uint32_t earlier, uint32_t later) {
  return berth_verify_order_within(
      sequence->facts->order, last_of(sequence, earlier), sure_of(sequence, later));
}

/* Those that are live together are blamed elsewhere, unless they are whole for the slot's sake alone. */
static bool is_wrong(const struct sequence *sequence, uint32_t earlier, uint32_t later) {
  bool apart = upper_of(sequence, earlier) <= lower_of(sequence, later) ||
               is_slot(sequence, sequence->tenants[later].buffer);
  return apart && !may_follow(sequence, earlier, later);
}

/* ---- Where several are one storage ---- */

static uint32_t storage_of(const struct sequence *sequence, uint32_t tenant) {
  return sequence->facts->storage[sequence->tenants[tenant].buffer];
}

static bool follows(const struct sequence *sequence, uint32_t *rows, uint32_t rank, uint32_t tenant) {
  return berth_verify_order_within(
      sequence->facts->order, row(sequence, rows, rank), sure_of(sequence, tenant));
}

static bool share_bytes(const struct sequence *sequence, uint32_t a, uint32_t b) {
  return sequence->begin[a] < sequence->end[b] && sequence->begin[b] < sequence->end[a];
}

/* Blames all that the tenant does not follow; once there is no room for them, it is one violation. */
static void blame_all(const struct sequence *sequence, uint32_t tenant) {
  if (!berth_verify_has_room(sequence->findings) && sequence->findings->verdict->n_violations > 0) {
    blame(sequence, tenant, tenant);
    return;
  }
  for (uint32_t t = 0; t < sequence->n; t++) {
    if (storage_of(sequence, t) != storage_of(sequence, tenant) && share_bytes(sequence, t, tenant) &&
        is_wrong(sequence, t, tenant)) {
      blame(sequence, t, tenant);
    }
  }
}

static bool is_edge(const struct sequence *sequence, uint32_t storage, uint32_t rank) {
  uint64_t key = (uint64_t)storage << 32 | rank;
  size_t low = 0;
  size_t high = sequence->n_edges;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    low = sequence->edges[middle].key < key ? middle + 1 : low;
    high = sequence->edges[middle].key < key ? high : middle;
  }
  return low < sequence->n_edges && sequence->edges[low].key == key;
}

/* The tenant holds the segment now. */
static void join_run(struct sequence *sequence, uint32_t rank, uint32_t tenant, bool goes_on) {
  size_t n_streams = sequence->facts->order->n_streams;
  uint32_t *run = row(sequence, sequence->run_last, rank);
  const uint32_t *last = last_of(sequence, tenant);
  if (!goes_on) {
    memcpy(row(sequence, sequence->before_last, rank), run, n_streams * sizeof *run);
    sequence->has_before[rank] = sequence->holder[rank] != NOBODY;
  }
  for (size_t s = 0; s < n_streams; s++) {
    run[s] = goes_on && run[s] > last[s] ? run[s] : last[s];
  }
  sequence->holder[rank] = tenant;
}

static void take_later(uint32_t *into, const uint32_t *from, size_t n_streams) {
  for (size_t s = 0; s < n_streams; s++) {
    into[s] = from[s] > into[s] ? from[s] : into[s];
  }
}

/* The segment at `rank` goes into the one at `into`, before it. */
static void merge(struct sequence *sequence, uint32_t into, uint32_t rank) {
  size_t n_streams = sequence->facts->order->n_streams;
  take_later(row(sequence, sequence->run_last, into), row(sequence, sequence->run_last, rank), n_streams);
  if (sequence->has_before[rank]) {
    if (!sequence->has_before[into]) {
      memset(row(sequence, sequence->before_last, into), 0, n_streams * sizeof(uint32_t));
    }
    take_later(
        row(sequence, sequence->before_last, into), row(sequence, sequence->before_last, rank), n_streams);
    sequence->has_before[into] = true;
  }
  sequence->is_start[rank] = false;
  berth_rankset_remove(&sequence->starts, rank);
}

static void move_in_shared(struct sequence *sequence, uint32_t tenant) {
  uint32_t storage = storage_of(sequence, tenant);
  uint32_t into = sequence->begin[tenant];
  bool all_right = true;
  split(sequence, into);
  split(sequence, sequence->end[tenant]);
  for (uint32_t r = into, next; r != BERTH_NO_RANK && r < sequence->end[tenant]; r = next) {
    uint32_t holder = sequence->holder[r];
    bool goes_on = holder != NOBODY && storage_of(sequence, holder) == storage;
    bool any = goes_on ? sequence->has_before[r] : holder != NOBODY;
    next = berth_rankset_after(&sequence->starts, r);
    all_right &= !any || follows(sequence, goes_on ? sequence->before_last : sequence->run_last, r, tenant);
    join_run(sequence, r, tenant, goes_on);
    if (r != into && !is_edge(sequence, storage, r)) {
      merge(sequence, into, r);
    } else {
      into = r;
    }
  }
  if (!all_right) {
    blame_all(sequence, tenant);
  }
}

/* Where tenants begin and end that are not alone in their storage. */
static bool list_edges(struct sequence *sequence, struct berth_arena *arena) {
  uint32_t n = sequence->facts->n;
  size_t most = 2 * (size_t)sequence->n;
  uint32_t *n_of = berth_arena_new_zeroed(arena, uint32_t, n);
  sequence->edges = berth_arena_new(arena, struct berth_sort_item, 2 * most);
  if (n_of == NULL || sequence->edges == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    n_of[sequence->facts->storage[i]]++;
  }
  for (uint32_t t = 0; t < sequence->n; t++) {
    uint64_t storage = storage_of(sequence, t);
    if (n_of[storage] > 1) {
      sequence->edges[sequence->n_edges++].key = storage << 32 | sequence->begin[t];
      sequence->edges[sequence->n_edges++].key = storage << 32 | sequence->end[t];
    }
  }
  berth_sort_items(sequence->edges, sequence->edges + most, sequence->n_edges);
  return true;
}

static bool make_runs(struct sequence *sequence, uint32_t n_ranks, struct berth_arena *arena) {
  size_t n = (size_t)n_ranks * sequence->facts->order->n_streams;
  if (sequence->facts->storage == NULL) {
    return true;
  }
  sequence->has_before = berth_arena_new_zeroed(arena, bool, n_ranks);
  sequence->run_last = berth_arena_new_zeroed(arena, uint32_t, n);
  sequence->before_last = berth_arena_new_zeroed(arena, uint32_t, n);
  return sequence->has_before != NULL && sequence->run_last != NULL && sequence->before_last != NULL &&
         list_edges(sequence, arena);
}

/* ---- Where nobody shares ---- */

static void move_in(struct sequence *sequence, uint32_t tenant) {
  uint32_t begin = sequence->begin[tenant];
  uint32_t end = sequence->end[tenant];
  split(sequence, begin);
  split(sequence, end);
  for (uint32_t r = begin; r != BERTH_NO_RANK && r < end;) {
    uint32_t holder = sequence->holder[r];
    uint32_t next = berth_rankset_after(&sequence->starts, r);
    if (holder != NOBODY && is_wrong(sequence, holder, tenant)) {
      blame(sequence, holder, tenant);
    }
    if (r != begin) {
      sequence->is_start[r] = false;
      berth_rankset_remove(&sequence->starts, r);
    }
    r = next;
  }
  sequence->holder[begin] = tenant;
}

enum berth_code berth_verify_sequence(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings, struct berth_arena *arena, struct berth_error *err) {
  if (facts->order == NULL) {
    return BERTH_OK;
  }
  size_t most = (size_t)facts->n + (facts->slices != NULL ? facts->slices->n : 0);
  uint32_t n_ranks = 2 * (uint32_t)most + 1;
  struct sequence sequence = {
      .facts = facts,
      .places = places,
      .findings = findings,
      .tenants = berth_arena_new(arena, struct tenant, most),
      .begin = berth_arena_new(arena, uint32_t, most),
      .end = berth_arena_new(arena, uint32_t, most),
      .is_start = berth_arena_new_zeroed(arena, bool, n_ranks),
      .holder = berth_arena_new(arena, uint32_t, n_ranks)};
  struct berth_sort_item *turns = berth_arena_new(arena, struct berth_sort_item, 2 * most);
  if (most > UINT32_MAX / 4 || sequence.tenants == NULL || sequence.begin == NULL || sequence.end == NULL ||
      sequence.is_start == NULL || sequence.holder == NULL || turns == NULL) {
    return berth_fail_memory(err);
  }
  list_tenants(&sequence);
  if (!berth_rankset_init(&sequence.starts, arena, n_ranks) || !rank_places(&sequence, arena) ||
      !make_runs(&sequence, n_ranks, arena)) {
    return berth_fail_memory(err);
  }
  uint32_t n = sequence.n;
  for (uint32_t t = 0; t < n; t++) {
    turns[t] = (struct berth_sort_item){.key = berth_sort_key_i64(lower_of(&sequence, t)), .index = t};
  }
  berth_sort_items(turns, turns + n, n);
  for (uint32_t t = 0; t < n; t++) {
    (sequence.has_before != NULL ? move_in_shared : move_in)(&sequence, turns[t].index);
  }
  return BERTH_OK;
}
