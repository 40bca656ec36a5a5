#include "verify/groups.h"

#include <inttypes.h>

#include "base/checked.h"

/* BERTH_NO_INDEX: it has no bytes, and so no place in its group. */
static uint32_t buffer_of(const struct berth_verify_facts *facts, uint32_t member) {
  const struct berth_graph *graph = berth_problem_graph(facts->problem);
  uint32_t buffer = graph != NULL ? graph->value_buffer[member] : member;
  return buffer < facts->n && facts->size[buffer] > 0 ? buffer : BERTH_NO_INDEX;
}

/* ---- One storage ---- */

static uint32_t first_of(uint32_t *storage, uint32_t buffer) {
  while (storage[buffer] != buffer) {
    storage[buffer] = storage[storage[buffer]];
    buffer = storage[buffer];
  }
  return buffer;
}

static void
share(const struct berth_verify_facts *facts, const struct berth_group_spec *group, uint32_t *storage) {
  uint32_t first = BERTH_NO_INDEX;
  for (uint32_t k = 0; k < group->n_members; k++) {
    uint32_t buffer = buffer_of(facts, group->members[k]);
    if (buffer != BERTH_NO_INDEX && first != BERTH_NO_INDEX) {
      uint32_t a = first_of(storage, first);
      uint32_t b = first_of(storage, buffer);
      storage[a > b ? a : b] = a > b ? b : a;
    }
    first = first == BERTH_NO_INDEX ? buffer : first;
  }
}

enum berth_code
berth_verify_storages(struct berth_verify_facts *facts, struct berth_arena *arena, struct berth_error *err) {
  bool any = false;
  for (uint32_t g = 0; g < facts->groups->n; g++) {
    any |= facts->groups->items[g].kind == BERTH_GROUP_SHARED;
  }
  if (!any) {
    return BERTH_OK;
  }
  uint32_t *storage = berth_arena_new(arena, uint32_t, facts->n);
  if (storage == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    storage[i] = i;
  }
  for (uint32_t g = 0; g < facts->groups->n; g++) {
    if (facts->groups->items[g].kind == BERTH_GROUP_SHARED) {
      share(facts, &facts->groups->items[g], storage);
    }
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    storage[i] = first_of(storage, i);
  }
  facts->storage = storage;
  return BERTH_OK;
}

/* ---- Places ---- */

/* The buffer's own, and that of every pool in which it may lie. */
static uint64_t strictest(const struct berth_verify_facts *facts, uint32_t buffer) {
  uint32_t begin = facts->pool_begin != NULL ? facts->pool_begin[buffer] : 0;
  uint32_t end = facts->pool_begin != NULL ? facts->pool_begin[buffer + 1] : 0;
  bool every = begin == end;
  uint64_t alignment = facts->alignment[buffer];
  for (uint32_t i = 0; i < (every ? facts->n_pools : end - begin); i++) {
    uint64_t of_pool = facts->pools[every ? i : facts->allowed_pools[begin + i]].alignment;
    alignment = of_pool > alignment ? of_pool : alignment;
  }
  return alignment;
}

struct pair {
  const struct berth_verify_facts *facts;
  const struct berth_verify_places *places;
  struct berth_verify_findings *findings;
  uint32_t group;
  uint32_t before;
  uint32_t buffer;
};

/* `expected` is where the buffer belongs, as the one before it lies. */
static void check_pair(const struct pair *pair, uint64_t expected) {
  uint32_t pool = berth_verify_pool(pair->places, pair->buffer);
  uint64_t offset = pair->places->offset[pair->buffer];
  if (pool == berth_verify_pool(pair->places, pair->before) && offset == expected) {
    return;
  }
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_GROUP);
  violation.buffer_a = pair->buffer;
  violation.buffer_b = pair->before;
  violation.pool = pool;
  violation.first_byte = offset;
  violation.end_byte = berth_verify_byte(offset, pair->facts->size[pair->buffer]);
  berth_verify_blame(
      pair->findings, &violation,
      "%s lies at %" PRIu64 " of pool %" PRIu32 ", and group %" PRIu32 " wants it at %" PRIu64
      " of pool %" PRIu32 ", beside %s",
      berth_verify_name(pair->findings, pair->buffer).text, offset, pool, pair->group, expected,
      berth_verify_pool(pair->places, pair->before), berth_verify_name(pair->findings, pair->before).text);
}

static void check_base(const struct pair *pair, uint64_t alignment) {
  uint64_t offset = pair->places->offset[pair->before];
  if ((offset & (alignment - 1)) == 0) {
    return;
  }
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_GROUP);
  violation.buffer_a = pair->before;
  violation.pool = berth_verify_pool(pair->places, pair->before);
  violation.first_byte = offset;
  violation.end_byte = berth_verify_byte(offset, pair->facts->size[pair->before]);
  berth_verify_blame(
      pair->findings, &violation,
      "%s lies at %" PRIu64 ", where group %" PRIu32 " cannot begin: a multiple of %" PRIu64 " is right",
      berth_verify_name(pair->findings, pair->before).text, offset, pair->group, alignment);
}

/* Each is held against the one before it, so that one that lies wrong is blamed alone. */
static void check_group(struct pair *pair, const struct berth_group_spec *group) {
  const struct berth_verify_facts *facts = pair->facts;
  bool contiguous = group->kind == BERTH_GROUP_CONTIGUOUS;
  uint32_t first = BERTH_NO_INDEX;
  uint64_t most = 1;
  uint64_t distance = 0; /* of the one before from the first */
  pair->before = BERTH_NO_INDEX;
  for (uint32_t k = 0; k < group->n_members; k++) {
    pair->buffer = buffer_of(facts, group->members[k]);
    if (pair->buffer == BERTH_NO_INDEX || !berth_verify_is_placed(facts, pair->places, pair->buffer)) {
      continue; /* blamed elsewhere */
    }
    uint64_t alignment = strictest(facts, pair->buffer);
    most = alignment > most ? alignment : most;
    if (first == BERTH_NO_INDEX) {
      first = pair->before = pair->buffer;
      continue;
    }
    uint64_t next = contiguous ? berth_align_up(distance + facts->size[pair->before], alignment) : 0;
    check_pair(pair, berth_verify_byte(pair->places->offset[pair->before], next - distance));
    distance = next;
    pair->before = pair->buffer;
  }
  if (first != pair->before && contiguous) { /* of two at least */
    pair->before = first;
    check_base(pair, most);
  }
}

void berth_verify_groups(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings) {
  for (uint32_t g = 0; g < facts->groups->n; g++) {
    struct pair pair = {.facts = facts, .places = places, .findings = findings, .group = g};
    check_group(&pair, &facts->groups->items[g]);
  }
}
