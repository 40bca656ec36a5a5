/* One sweep over the steps for all pools at once. The ranges of bytes are ranked by pool and then by where
 * they begin; a piece that begins asks the set for ranges of its pool that end after its first byte, in the
 * order of their own first bytes, and those that begin before its last byte share bytes with it. Pieces stay
 * in the set whether or not they overlap, so one fault does not hide another. */
#include "verify/overlap.h"

#include <inttypes.h>

#include "verify/ordered_set.h"
#include "verify/slices.h"

struct range {
  uint64_t begin;
  uint64_t end; /* begin == end: the piece takes no part */
};

struct sweep {
  const struct berth_verify_facts *facts;
  const struct berth_verify_pieces *pieces;
  const struct berth_verify_places *places;
  struct berth_verify_findings *findings;
  struct range *ranges; /* by piece */
  uint32_t *rank;       /* by piece */
  uint32_t *run_end;    /* by rank: the end of those of one storage from there on; NULL: nobody shares */
  struct berth_sort_item *by_rank; /* .key: the first byte; .index: the piece */
  struct berth_verify_set set;
};

static uint32_t pool_of(const struct sweep *sweep, uint32_t piece) {
  return berth_verify_pool(sweep->places, sweep->pieces->items[piece].buffer);
}

/* In a pool of slots a buffer that is present at all takes its slot whole. */
static struct range range_of(const struct sweep *sweep, const struct berth_verify_piece *piece) {
  const struct berth_verify_facts *facts = sweep->facts;
  if (!berth_verify_is_placed(facts, sweep->places, piece->buffer)) {
    return (struct range){0, 0};
  }
  uint64_t offset = sweep->places->offset[piece->buffer];
  bool whole = facts->pools[berth_verify_pool(sweep->places, piece->buffer)].kind == BERTH_POOL_SLOTS;
  if (whole && berth_verify_n_slices(facts->slices, piece->buffer) != 0) {
    return (struct range){0, 0}; /* left to the order, which does not look at slices in slots either */
  }
  return (struct range){
      .begin = berth_verify_byte(offset, whole ? 0 : piece->window_lower),
      .end = berth_verify_byte(offset, whole ? facts->size[piece->buffer] : piece->window_upper),
  };
}

static uint32_t storage_of(const struct sweep *sweep, uint32_t rank) {
  return sweep->facts->storage[sweep->pieces->items[sweep->by_rank[rank].index].buffer];
}

static void find_runs(struct sweep *sweep) {
  uint32_t n = sweep->pieces->n;
  for (uint32_t r = n; sweep->run_end != NULL && r-- > 0;) {
    bool goes_on = r + 1 < n && storage_of(sweep, r) == storage_of(sweep, r + 1);
    sweep->run_end[r] = goes_on ? sweep->run_end[r + 1] : r + 1;
  }
}

static void rank_ranges(struct sweep *sweep, struct berth_sort_item *scratch) {
  uint32_t n = sweep->pieces->n;
  for (uint32_t p = 0; p < n; p++) {
    sweep->ranges[p] = range_of(sweep, &sweep->pieces->items[p]);
    sweep->by_rank[p] = (struct berth_sort_item){.key = sweep->ranges[p].begin, .index = p};
  }
  if (sweep->run_end != NULL) { /* of one storage side by side, where they begin at one byte */
    for (uint32_t r = 0; r < n; r++) {
      sweep->by_rank[r].key = storage_of(sweep, r);
    }
    berth_sort_items(sweep->by_rank, scratch, n);
    for (uint32_t r = 0; r < n; r++) {
      sweep->by_rank[r].key = sweep->ranges[sweep->by_rank[r].index].begin;
    }
  }
  berth_sort_items(sweep->by_rank, scratch, n);
  if (sweep->facts->n_pools > 1) {
    for (uint32_t r = 0; r < n; r++) {
      sweep->by_rank[r].key = pool_of(sweep, sweep->by_rank[r].index);
    }
    berth_sort_items(sweep->by_rank, scratch, n);
  }
  for (uint32_t r = 0; r < n; r++) {
    uint32_t piece = sweep->by_rank[r].index;
    sweep->rank[piece] = r;
    sweep->by_rank[r].key = sweep->ranges[piece].begin;
  }
  find_runs(sweep);
}

/* The first rank of the piece's pool. */
static uint32_t first_rank(const struct sweep *sweep, const uint32_t *pool_begin, uint32_t piece) {
  uint32_t pool = pool_of(sweep, piece);
  return pool < sweep->facts->n_pools ? pool_begin[pool] : sweep->pieces->n;
}

static void blame(const struct sweep *sweep, uint32_t piece_a, uint32_t piece_b) {
  const struct berth_verify_piece *a = &sweep->pieces->items[piece_a];
  const struct berth_verify_piece *b = &sweep->pieces->items[piece_b];
  struct range bytes_a = sweep->ranges[piece_a];
  struct range bytes_b = sweep->ranges[piece_b];
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
  violation.buffer_a = a->buffer < b->buffer ? a->buffer : b->buffer;
  violation.buffer_b = a->buffer < b->buffer ? b->buffer : a->buffer;
  violation.pool = pool_of(sweep, piece_a);
  violation.first_byte = bytes_a.begin > bytes_b.begin ? bytes_a.begin : bytes_b.begin;
  violation.end_byte = bytes_a.end < bytes_b.end ? bytes_a.end : bytes_b.end;
  violation.first_step = a->lower > b->lower ? a->lower : b->lower;
  violation.end_step = a->upper < b->upper ? a->upper : b->upper;
  if (!berth_verify_has_room(sweep->findings)) {
    berth_verify_blame(sweep->findings, &violation, "overlap");
    return;
  }
  berth_verify_blame(
      sweep->findings, &violation,
      "%s and %s share bytes [%" PRIu64 ", %" PRIu64 ") in steps [%" PRId64 ", %" PRId64 ")",
      berth_verify_name(sweep->findings, violation.buffer_a).text,
      berth_verify_name(sweep->findings, violation.buffer_b).text, violation.first_byte, violation.end_byte,
      violation.first_step, violation.end_step);
}

/* Lists those that `piece` meets and that are not one storage with it; once the list is full, one is enough.
 */
static void meet(const struct sweep *sweep, uint32_t piece, uint32_t from_rank) {
  struct range range = sweep->ranges[piece];
  uint32_t pool = pool_of(sweep, piece);
  for (uint32_t rank = from_rank;; rank++) {
    rank = berth_verify_set_next(&sweep->set, rank, range.begin);
    if (rank == BERTH_NO_INDEX || sweep->by_rank[rank].key >= range.end ||
        pool_of(sweep, sweep->by_rank[rank].index) != pool) {
      return;
    }
    if (sweep->run_end != NULL && storage_of(sweep, rank) == storage_of(sweep, sweep->rank[piece])) {
      rank = sweep->run_end[rank] - 1;
      continue;
    }
    bool listed = berth_verify_has_room(sweep->findings);
    blame(sweep, sweep->by_rank[rank].index, piece);
    if (!listed) {
      return;
    }
  }
}

static void run(struct sweep *sweep, const uint32_t *pool_begin) {
  for (size_t t = 0; t < 2 * (size_t)sweep->pieces->n; t++) {
    uint32_t piece = berth_verify_turn_piece(sweep->pieces->turns[t]);
    struct range range = sweep->ranges[piece];
    if (range.begin >= range.end) {
      continue;
    }
    if (berth_verify_turn_ends(sweep->pieces->turns[t])) {
      berth_verify_set_drop(&sweep->set, sweep->rank[piece]);
    } else {
      meet(sweep, piece, first_rank(sweep, pool_begin, piece));
      berth_verify_set_put(&sweep->set, sweep->rank[piece], range.end);
    }
  }
}

static void count_pools(const struct sweep *sweep, uint32_t *pool_begin) {
  uint32_t r = 0;
  for (uint32_t pool = 0; pool < sweep->facts->n_pools; pool++) {
    while (r < sweep->pieces->n && pool_of(sweep, sweep->by_rank[r].index) < pool) {
      r++;
    }
    pool_begin[pool] = r;
  }
}

enum berth_code berth_verify_overlaps(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_verify_places *places, struct berth_verify_findings *findings,
    struct berth_arena *arena, struct berth_error *err) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct sweep sweep = {
      .facts = facts,
      .pieces = pieces,
      .places = places,
      .findings = findings,
      .ranges = berth_arena_new(arena, struct range, pieces->n),
      .rank = berth_arena_new(arena, uint32_t, pieces->n),
      .by_rank = berth_arena_new(arena, struct berth_sort_item, pieces->n),
      .run_end = facts->storage != NULL ? berth_arena_new(arena, uint32_t, pieces->n) : NULL,
  };
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, pieces->n);
  uint32_t *pool_begin = berth_arena_new(arena, uint32_t, facts->n_pools);
  if ((facts->storage != NULL && sweep.run_end == NULL) || sweep.ranges == NULL || sweep.rank == NULL ||
      sweep.by_rank == NULL || scratch == NULL || pool_begin == NULL ||
      !berth_verify_set_init(&sweep.set, arena, pieces->n)) {
    return berth_fail_memory(err);
  }
  rank_ranges(&sweep, scratch);
  count_pools(&sweep, pool_begin);
  run(&sweep, pool_begin);
  berth_arena_rewind(arena, mark);
  return BERTH_OK;
}

void berth_verify_conflicts(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings) {
  for (uint32_t k = 0; k < facts->n_conflicts; k++) {
    uint32_t a = facts->conflicts[k][0];
    uint32_t b = facts->conflicts[k][1];
    if (!berth_verify_is_placed(facts, places, a) || !berth_verify_is_placed(facts, places, b) ||
        berth_verify_pool(places, a) != berth_verify_pool(places, b)) {
      continue;
    }
    uint64_t begin_a = places->offset[a];
    uint64_t begin_b = places->offset[b];
    uint64_t end_a = berth_verify_byte(begin_a, facts->size[a]);
    uint64_t end_b = berth_verify_byte(begin_b, facts->size[b]);
    struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
    violation.first_byte = begin_a > begin_b ? begin_a : begin_b;
    violation.end_byte = end_a < end_b ? end_a : end_b;
    if (violation.first_byte >= violation.end_byte) {
      continue;
    }
    violation.buffer_a = a;
    violation.buffer_b = b;
    violation.pool = berth_verify_pool(places, a);
    violation.first_step = facts->lower[a] < facts->lower[b] ? facts->lower[a] : facts->lower[b];
    violation.end_step = facts->upper[a] > facts->upper[b] ? facts->upper[a] : facts->upper[b];
    berth_verify_blame(
        findings, &violation, "%s and %s must not share bytes and share [%" PRIu64 ", %" PRIu64 ")",
        berth_verify_name(findings, a).text, berth_verify_name(findings, b).text, violation.first_byte,
        violation.end_byte);
  }
}
