#include <inttypes.h>

#include "base/rankset.h"
#include "base/sort.h"
#include "verify/order.h"

#define NOBODY UINT32_MAX

/* The bytes of all pools as ranks of the places where a buffer begins or ends, pool after pool. A segment
 * reaches from its rank to the next one in `starts`; `tenant` is the last buffer that held it. */
struct sequence {
  const struct berth_verify_facts *facts;
  const struct berth_verify_places *places;
  struct berth_verify_findings *findings;
  uint32_t *begin; /* by buffer: rank of its first byte */
  uint32_t *end;
  struct berth_rankset starts;
  bool *is_start;
  uint32_t *tenant;
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

/* A segment begins at `rank` from now on. */
static void split(struct sequence *sequence, uint32_t rank) {
  if (!sequence->is_start[rank]) {
    uint32_t before = berth_rankset_before(&sequence->starts, rank);
    sequence->tenant[rank] = before != BERTH_NO_RANK ? sequence->tenant[before] : NOBODY;
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
static void move_in(struct sequence *sequence, uint32_t buffer) {
  uint32_t begin = sequence->begin[buffer];
  uint32_t end = sequence->end[buffer];
  split(sequence, begin);
  split(sequence, end);
  for (uint32_t r = begin; r != BERTH_NO_RANK && r < end;) {
    uint32_t tenant = sequence->tenant[r];
    uint32_t next = berth_rankset_after(&sequence->starts, r);
    if (tenant != NOBODY && sequence->facts->upper[tenant] <= sequence->facts->lower[buffer] &&
        !berth_verify_may_follow(sequence->facts->order, tenant, buffer)) {
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
      !rank_places(&sequence, arena)) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    turns[i] = (struct berth_sort_item){.key = berth_sort_key_i64(facts->lower[i]), .index = i};
  }
  berth_sort_items(turns, turns + n, n);
  for (uint32_t i = 0; i < n; i++) {
    if (takes_part(&sequence, turns[i].index)) {
      move_in(&sequence, turns[i].index);
    }
  }
  return BERTH_OK;
}
