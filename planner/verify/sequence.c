#include <inttypes.h>
#include <string.h>

#include "base/rankset.h"
#include "base/sort.h"
#include "verify/order.h"

#define NOBODY UINT32_MAX

/* The bytes of all pools as ranks of the places where a buffer begins or ends, pool after pool. A segment
 * reaches from its rank to the next one in `starts`; `tenant` is the last buffer that held it.
 *
 * Buffers that are one storage need not be ordered among themselves. So where there are any, a segment knows
 * the run of tenants of one storage that it is in, as when the last of them has ended on each stream, and the
 * same of the run before: who comes next must follow all of the run, and who joins the run all of the one
 * before. Segments of a run become one between the ends of the buffers of its storage: whoever joins it holds
 * them all, and what is ordered by what came between is ordered all the same. */
struct sequence {
  const struct berth_verify_facts *facts;
  const struct berth_verify_places *places;
  struct berth_verify_findings *findings;
  uint32_t *begin; /* by buffer: rank of its first byte */
  uint32_t *end;
  struct berth_rankset starts;
  bool *is_start;
  uint32_t *tenant;
  bool *has_before;              /* there was a run before; these NULL: nobody shares */
  uint32_t *run_last;            /* ranks x streams */
  uint32_t *before_last;         /* ranks x streams */
  struct berth_sort_item *edges; /* storage << 32 | rank where one of several in it ends; ascending */
  size_t n_edges;
};

static uint64_t place_of(const struct sequence *sequence, uint32_t end, uint32_t buffer) {
  uint64_t offset = sequence->places->offset[buffer];
  return berth_verify_byte(offset, end != 0 ? sequence->facts->size[buffer] : 0);
}

static bool takes_part(const struct sequence *sequence, uint32_t buffer) {
  return sequence->facts->size[buffer] != 0 &&
         berth_verify_is_placed(sequence->facts, sequence->places, buffer);
}

/* Item 2 b + e is the beginning (e = 0) or end of buffer b; equal places of one pool have one rank. */
static bool rank_places(struct sequence *sequence, struct berth_arena *arena) {
  uint32_t n = sequence->facts->n;
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 4 * (size_t)n);
  if (items == NULL) {
    return false;
  }
  size_t n_items = 0;
  for (uint32_t i = 0; i < 2 * n; i++) {
    if (takes_part(sequence, i / 2)) {
      items[n_items++] = (struct berth_sort_item){.key = place_of(sequence, i % 2, i / 2), .index = i};
    }
  }
  berth_sort_items(items, items + 2 * (size_t)n, n_items);
  for (size_t k = 0; k < n_items; k++) {
    items[k].key = berth_verify_pool(sequence->places, items[k].index / 2);
  }
  berth_sort_items(items, items + 2 * (size_t)n, n_items);
  uint32_t rank = 0;
  for (size_t k = 0; k < n_items; k++) {
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
    sequence->tenant[rank] = before != BERTH_NO_RANK ? sequence->tenant[before] : NOBODY;
    if (sequence->has_before != NULL) {
      copy_runs(sequence, before, rank);
    }
    sequence->is_start[rank] = true;
    berth_rankset_insert(&sequence->starts, rank);
  }
}

static void blame(const struct sequence *sequence, uint32_t earlier, uint32_t later) {
  const struct berth_verify_facts *facts = sequence->facts;
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
  violation.buffer_a = earlier < later ? earlier : later;
  violation.buffer_b = earlier < later ? later : earlier;
  violation.pool = berth_verify_pool(sequence->places, later);
  uint64_t begin_a = place_of(sequence, 0, earlier);
  uint64_t begin_b = place_of(sequence, 0, later);
  uint64_t end_a = place_of(sequence, 1, earlier);
  uint64_t end_b = place_of(sequence, 1, later);
  violation.first_byte = begin_a > begin_b ? begin_a : begin_b;
  violation.end_byte = end_a < end_b ? end_a : end_b;
  violation.first_step = facts->lower[earlier];
  violation.end_step = facts->upper[later];
  berth_verify_blame(
      sequence->findings, &violation,
      "%s and %s share bytes [%" PRIu64 ", %" PRIu64 ") on streams that are not ordered",
      berth_verify_name(sequence->findings, violation.buffer_a).text,
      berth_verify_name(sequence->findings, violation.buffer_b).text, violation.first_byte,
      violation.end_byte);
}

/* Those that are live together are blamed elsewhere. */
static bool breaks_order(const struct sequence *sequence, uint32_t tenant, uint32_t buffer) {
  const struct berth_verify_facts *facts = sequence->facts;
  return facts->upper[tenant] <= facts->lower[buffer] &&
         !berth_verify_may_follow(facts->order, tenant, buffer);
}

/* ---- Where several are one storage ---- */

static bool follows(const struct sequence *sequence, uint32_t *rows, uint32_t rank, uint32_t buffer) {
  size_t n_streams = sequence->facts->order->n_streams;
  const uint32_t *last = row(sequence, rows, rank);
  const uint32_t *sure = sequence->facts->order->sure + buffer * n_streams;
  for (size_t s = 0; s < n_streams; s++) {
    if (last[s] > sure[s]) {
      return false;
    }
  }
  return true;
}

static bool share_bytes(const struct sequence *sequence, uint32_t a, uint32_t b) {
  return takes_part(sequence, a) && sequence->begin[a] < sequence->end[b] &&
         sequence->begin[b] < sequence->end[a];
}

/* Blames all that the buffer does not follow; once there is no room for them, it is one violation. */
static void blame_all(const struct sequence *sequence, uint32_t buffer) {
  const struct berth_verify_facts *facts = sequence->facts;
  if (!berth_verify_has_room(sequence->findings) && sequence->findings->verdict->n_violations > 0) {
    blame(sequence, buffer, buffer);
    return;
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    if (facts->storage[i] != facts->storage[buffer] && share_bytes(sequence, i, buffer) &&
        breaks_order(sequence, i, buffer)) {
      blame(sequence, i, buffer);
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

/* The buffer is the segment's tenant now. */
static void join_run(struct sequence *sequence, uint32_t rank, uint32_t buffer, bool goes_on) {
  size_t n_streams = sequence->facts->order->n_streams;
  uint32_t *run = row(sequence, sequence->run_last, rank);
  const uint32_t *last = sequence->facts->order->last + buffer * n_streams;
  if (!goes_on) {
    memcpy(row(sequence, sequence->before_last, rank), run, n_streams * sizeof *run);
    sequence->has_before[rank] = sequence->tenant[rank] != NOBODY;
  }
  for (size_t s = 0; s < n_streams; s++) {
    run[s] = goes_on && run[s] > last[s] ? run[s] : last[s];
  }
  sequence->tenant[rank] = buffer;
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

static void move_in_shared(struct sequence *sequence, uint32_t buffer) {
  const uint32_t *storage = sequence->facts->storage;
  uint32_t into = sequence->begin[buffer];
  bool all_right = true;
  split(sequence, into);
  split(sequence, sequence->end[buffer]);
  for (uint32_t r = into, next; r != BERTH_NO_RANK && r < sequence->end[buffer]; r = next) {
    uint32_t tenant = sequence->tenant[r];
    bool goes_on = tenant != NOBODY && storage[tenant] == storage[buffer];
    bool any = goes_on ? sequence->has_before[r] : tenant != NOBODY;
    next = berth_rankset_after(&sequence->starts, r);
    all_right &= !any || follows(sequence, goes_on ? sequence->before_last : sequence->run_last, r, buffer);
    join_run(sequence, r, buffer, goes_on);
    if (r != into && !is_edge(sequence, storage[buffer], r)) {
      merge(sequence, into, r);
    } else {
      into = r;
    }
  }
  if (!all_right) {
    blame_all(sequence, buffer);
  }
}

/* Where buffers end that are not alone in their storage. */
static bool list_edges(struct sequence *sequence, struct berth_arena *arena) {
  uint32_t n = sequence->facts->n;
  const uint32_t *storage = sequence->facts->storage;
  uint32_t *n_of = berth_arena_new_zeroed(arena, uint32_t, n);
  sequence->edges = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)n);
  if (n_of == NULL || sequence->edges == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    n_of[storage[i]]++;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (n_of[storage[i]] > 1 && takes_part(sequence, i)) {
      sequence->edges[sequence->n_edges++].key = (uint64_t)storage[i] << 32 | sequence->end[i];
    }
  }
  berth_sort_items(sequence->edges, sequence->edges + n, sequence->n_edges);
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

static void move_in(struct sequence *sequence, uint32_t buffer) {
  uint32_t begin = sequence->begin[buffer];
  uint32_t end = sequence->end[buffer];
  split(sequence, begin);
  split(sequence, end);
  for (uint32_t r = begin; r != BERTH_NO_RANK && r < end;) {
    uint32_t tenant = sequence->tenant[r];
    uint32_t next = berth_rankset_after(&sequence->starts, r);
    if (tenant != NOBODY && breaks_order(sequence, tenant, buffer)) {
      blame(sequence, tenant, buffer);
    }
    if (r != begin) {
      sequence->is_start[r] = false;
      berth_rankset_remove(&sequence->starts, r);
    }
    r = next;
  }
  sequence->tenant[begin] = buffer;
}

enum berth_code berth_verify_sequence(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings, struct berth_arena *arena, struct berth_error *err) {
  if (facts->order == NULL) {
    return BERTH_OK;
  }
  uint32_t n = facts->n;
  uint32_t n_ranks = 2 * n + 1;
  struct sequence sequence = {
      .facts = facts,
      .places = places,
      .findings = findings,
      .begin = berth_arena_new(arena, uint32_t, n),
      .end = berth_arena_new(arena, uint32_t, n),
      .is_start = berth_arena_new_zeroed(arena, bool, n_ranks),
      .tenant = berth_arena_new(arena, uint32_t, n_ranks)};
  struct berth_sort_item *turns = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)n);
  if (sequence.begin == NULL || sequence.end == NULL || sequence.is_start == NULL ||
      sequence.tenant == NULL || turns == NULL || !berth_rankset_init(&sequence.starts, arena, n_ranks) ||
      !rank_places(&sequence, arena) || !make_runs(&sequence, n_ranks, arena)) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    turns[i] = (struct berth_sort_item){.key = berth_sort_key_i64(facts->lower[i]), .index = i};
  }
  berth_sort_items(turns, turns + n, n);
  for (uint32_t i = 0; i < n; i++) {
    if (takes_part(&sequence, turns[i].index)) {
      (sequence.has_before != NULL ? move_in_shared : move_in)(&sequence, turns[i].index);
    }
  }
  return BERTH_OK;
}
