/* Constants and state in pools that keep them apart. */
#include <inttypes.h>

#include "base/sort.h"
#include "verify/homes.h"

struct front {
  uint32_t pool;
  uint32_t buffer; /* the one that reaches furthest so far */
  uint64_t end;
};

static bool
is_apart(const struct berth_verify_facts *facts, const struct berth_verify_places *places, uint32_t i) {
  uint8_t class_ = facts->class_[i];
  return (class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE) &&
         facts->pools[berth_verify_pool(places, i)].persistence != BERTH_PERSISTENCE_MIXED;
}

static uint32_t list_members(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_sort_item *members) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < facts->n; i++) {
    if (facts->size[i] > 0 && berth_verify_is_placed(facts, places, i) && is_apart(facts, places, i)) {
      members[n++] = (struct berth_sort_item){.key = places->offset[i], .index = i};
    }
  }
  return n;
}

static void blame_shared(
    const struct berth_verify_facts *facts, const struct front *front, uint32_t buffer, uint64_t offset,
    struct berth_verify_findings *findings) {
  uint64_t end = berth_verify_byte(offset, facts->size[buffer]);
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
  violation.buffer_a = front->buffer < buffer ? front->buffer : buffer;
  violation.buffer_b = front->buffer < buffer ? buffer : front->buffer;
  violation.pool = front->pool;
  violation.first_byte = offset;
  violation.end_byte = end < front->end ? end : front->end;
  violation.first_step = facts->lower[buffer];
  violation.end_step = facts->upper[buffer];
  berth_verify_blame(
      findings, &violation,
      "%s and %s share bytes [%" PRIu64 ", %" PRIu64 ") of pool %u, which keeps constants and state apart",
      berth_verify_name(findings, violation.buffer_a).text,
      berth_verify_name(findings, violation.buffer_b).text, violation.first_byte, violation.end_byte,
      violation.pool);
}

/* By pool and offset. Each pool's end goes to `end_of`. */
static void walk(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    const struct berth_sort_item *members, uint32_t n, uint64_t *end_of,
    struct berth_verify_findings *findings) {
  struct front front = {.pool = BERTH_NO_INDEX};
  for (uint32_t k = 0; k < n; k++) {
    uint32_t buffer = members[k].index;
    uint32_t pool = berth_verify_pool(places, buffer);
    uint64_t offset = places->offset[buffer];
    uint64_t end = berth_verify_byte(offset, facts->size[buffer]);
    bool same_pool = pool == front.pool;
    bool one_storage =
        same_pool && facts->storage != NULL && facts->storage[buffer] == facts->storage[front.buffer];
    if (same_pool && offset < front.end && !one_storage) {
      blame_shared(facts, &front, buffer, offset, findings);
    }
    if (!same_pool || end > front.end) {
      front = (struct front){.pool = pool, .buffer = buffer, .end = end};
    }
    end_of[pool] = front.end;
  }
}

/* By pieces: what a buffer never holds may reach below. */
static void check_below(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_verify_places *places, const uint64_t *end_of,
    struct berth_verify_findings *findings) {
  for (uint32_t k = 0; k < pieces->n; k++) {
    const struct berth_verify_piece *piece = &pieces->items[k];
    uint32_t i = piece->buffer;
    if (facts->size[i] == 0 || !berth_verify_is_placed(facts, places, i) || is_apart(facts, places, i)) {
      continue;
    }
    uint32_t pool = berth_verify_pool(places, i);
    uint64_t first = berth_verify_byte(places->offset[i], piece->window_lower);
    if (piece->window_lower < piece->window_upper && first < end_of[pool]) {
      struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_POOL);
      violation.buffer_a = i;
      violation.pool = pool;
      violation.first_byte = first;
      violation.end_byte = berth_verify_byte(places->offset[i], piece->window_upper);
      berth_verify_blame(
          findings, &violation,
          "%s at byte %" PRIu64 " lies below %" PRIu64 ", where the constants and state of pool %u end",
          berth_verify_name(findings, i).text, first, end_of[pool], pool);
    }
  }
}

enum berth_code berth_verify_apart(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_verify_places *places, struct berth_verify_findings *findings,
    struct berth_arena *arena, struct berth_error *err) {
  bool any = false;
  for (uint32_t p = 0; p < facts->n_pools; p++) {
    any = any || facts->pools[p].persistence != BERTH_PERSISTENCE_MIXED;
  }
  if (!any) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_sort_item *members = berth_arena_new(arena, struct berth_sort_item, facts->n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, facts->n);
  uint64_t *end_of = berth_arena_new_zeroed(arena, uint64_t, facts->n_pools);
  if (members == NULL || scratch == NULL || end_of == NULL) {
    return berth_fail_memory(err);
  }
  uint32_t n = list_members(facts, places, members);
  berth_sort_items(members, scratch, n);
  for (uint32_t k = 0; k < n; k++) {
    members[k].key = berth_verify_pool(places, members[k].index);
  }
  berth_sort_items(members, scratch, n);
  walk(facts, places, members, n, end_of, findings);
  check_below(facts, pieces, places, end_of, findings);
  berth_arena_rewind(arena, mark);
  return BERTH_OK;
}
