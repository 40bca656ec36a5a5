/* A slot is the block at one offset, as long as the longest buffer that is ever in it. Buffers in one slot at
 * one time are found by the sweep; here it is that slots are apart, whatever the time. */
#include <inttypes.h>

#include "base/sort.h"
#include "verify/overlap.h"

struct slot {
  uint32_t pool;
  uint32_t buffer; /* the one that reaches furthest of all slots so far */
  uint64_t offset;
  uint64_t end;
};

static uint32_t list_members(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_sort_item *members) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < facts->n; i++) {
    if (facts->size[i] > 0 && berth_verify_is_placed(facts, places, i) &&
        facts->pools[berth_verify_pool(places, i)].kind == BERTH_POOL_SLOTS) {
      members[n++] = (struct berth_sort_item){.key = places->offset[i], .index = i};
    }
  }
  return n;
}

static void blame(
    const struct berth_verify_facts *facts, const struct slot *reach, uint32_t buffer, uint64_t offset,
    struct berth_verify_findings *findings) {
  uint32_t a = reach->buffer;
  uint64_t end = berth_verify_byte(offset, facts->size[buffer]);
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
  violation.buffer_a = a < buffer ? a : buffer;
  violation.buffer_b = a < buffer ? buffer : a;
  violation.pool = reach->pool;
  violation.first_byte = offset;
  violation.end_byte = end < reach->end ? end : reach->end;
  violation.first_step = facts->lower[a] < facts->lower[buffer] ? facts->lower[a] : facts->lower[buffer];
  violation.end_step = facts->upper[a] > facts->upper[buffer] ? facts->upper[a] : facts->upper[buffer];
  berth_verify_blame(
      findings, &violation, "%s and %s share a part of a slot, bytes [%" PRIu64 ", %" PRIu64 "), of pool %u",
      berth_verify_name(findings, violation.buffer_a).text,
      berth_verify_name(findings, violation.buffer_b).text, violation.first_byte, violation.end_byte,
      violation.pool);
}

/* Members are ordered by pool and offset: a new slot begins where those before have ended. */
static void walk(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    const struct berth_sort_item *members, uint32_t n, struct berth_verify_findings *findings) {
  struct slot reach = {.pool = BERTH_NO_INDEX};
  for (uint32_t k = 0; k < n; k++) {
    uint32_t buffer = members[k].index;
    uint32_t pool = berth_verify_pool(places, buffer);
    uint64_t offset = places->offset[buffer];
    uint64_t end = berth_verify_byte(offset, facts->size[buffer]);
    bool same_pool = pool == reach.pool;
    if (same_pool && offset < reach.end && offset != reach.offset) {
      blame(facts, &reach, buffer, offset, findings);
    }
    if (!same_pool || end > reach.end) {
      reach = (struct slot){.pool = pool, .buffer = buffer, .offset = offset, .end = end};
    }
  }
}

enum berth_code berth_verify_slots(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings, struct berth_arena *arena, struct berth_error *err) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_sort_item *members = berth_arena_new(arena, struct berth_sort_item, facts->n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, facts->n);
  if (members == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  uint32_t n = list_members(facts, places, members);
  berth_sort_items(members, scratch, n);
  for (uint32_t k = 0; k < n; k++) {
    members[k].key = berth_verify_pool(places, members[k].index);
  }
  berth_sort_items(members, scratch, n);
  walk(facts, places, members, n, findings);
  berth_arena_rewind(arena, mark);
  return BERTH_OK;
}
