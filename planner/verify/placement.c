#include "verify/placement.h"

#include <inttypes.h>

#include "verify/homes.h"

struct place {
  const struct berth_verify_facts *facts;
  struct berth_verify_findings *findings;
  uint32_t buffer;
  uint32_t pool;
  uint64_t offset;
};

static struct berth_violation violation_at(const struct place *place, enum berth_violation_kind kind) {
  struct berth_violation violation = berth_verify_violation(kind);
  violation.buffer_a = place->buffer;
  violation.pool = place->pool;
  violation.first_byte = place->offset;
  violation.end_byte = berth_verify_byte(place->offset, place->facts->size[place->buffer]);
  violation.first_step = place->facts->lower[place->buffer];
  violation.end_step = place->facts->upper[place->buffer];
  return violation;
}

static void check_pool(const struct place *place, struct berth_verify_homes *homes) {
  if (berth_verify_home(homes, place->buffer, place->pool) != BERTH_NO_INDEX) {
    return;
  }
  struct berth_violation violation = violation_at(place, BERTH_VIOLATION_POOL);
  berth_verify_blame(
      place->findings, &violation, "%s may not live in pool %u",
      berth_verify_name(place->findings, place->buffer).text, place->pool);
}

static void check_alignment(const struct place *place) {
  uint64_t alignment = berth_verify_alignment(place->facts, place->buffer, place->pool);
  if (place->offset % alignment == 0) {
    return;
  }
  struct berth_violation violation = violation_at(place, BERTH_VIOLATION_ALIGNMENT);
  berth_verify_blame(
      place->findings, &violation, "%s at offset %" PRIu64 " is not aligned to %" PRIu64,
      berth_verify_name(place->findings, place->buffer).text, place->offset, alignment);
}

static void check_base(const struct place *place) {
  uint64_t alignment = place->facts->alignment[place->buffer];
  uint64_t base = place->facts->pools[place->pool].base_alignment;
  if (base == 0 || alignment <= base) {
    return;
  }
  struct berth_violation violation = violation_at(place, BERTH_VIOLATION_ALIGNMENT);
  berth_verify_blame(
      place->findings, &violation,
      "%s needs an address aligned to %" PRIu64 ", and the base of pool %u is aligned to %" PRIu64 " only",
      berth_verify_name(place->findings, place->buffer).text, alignment, place->pool, base);
}

static void check_pin(const struct place *place) {
  uint64_t pin = place->facts->pin != NULL ? place->facts->pin[place->buffer] : BERTH_UNPINNED;
  if (pin == BERTH_UNPINNED || pin == place->offset) {
    return;
  }
  struct berth_violation violation = violation_at(place, BERTH_VIOLATION_PIN);
  berth_verify_blame(
      place->findings, &violation, "%s is pinned to offset %" PRIu64 " and lies at %" PRIu64,
      berth_verify_name(place->findings, place->buffer).text, pin, place->offset);
}

static void check_end(const struct place *place, uint64_t limit, const char *of_what) {
  uint64_t size = place->facts->size[place->buffer];
  if (place->offset <= limit && size <= limit - place->offset) {
    return;
  }
  struct berth_violation violation = violation_at(place, BERTH_VIOLATION_CAPACITY);
  berth_verify_blame(
      place->findings, &violation,
      "%s of %" PRIu64 " bytes at offset %" PRIu64 " ends beyond the %s of pool %u, %" PRIu64,
      berth_verify_name(place->findings, place->buffer).text, size, place->offset, of_what, place->pool,
      limit);
}

static void check_block(const struct place *place) {
  uint64_t size = place->facts->size[place->buffer];
  uint64_t largest = place->facts->pools[place->pool].max_block_bytes;
  if (size <= largest) {
    return;
  }
  struct berth_violation violation = violation_at(place, BERTH_VIOLATION_CAPACITY);
  berth_verify_blame(
      place->findings, &violation,
      "%s of %" PRIu64 " bytes is larger than a block of pool %u may be, %" PRIu64,
      berth_verify_name(place->findings, place->buffer).text, size, place->pool, largest);
}

static void blame_unplaced(const struct place *place) {
  bool no_pool = place->pool >= place->facts->n_pools;
  struct berth_violation violation =
      violation_at(place, no_pool ? BERTH_VIOLATION_POOL : BERTH_VIOLATION_UNPLACED);
  struct berth_verify_name name = berth_verify_name(place->findings, place->buffer);
  if (no_pool) {
    berth_verify_blame(
        place->findings, &violation, "%s lies in pool %u, which does not exist", name.text, place->pool);
  } else {
    berth_verify_blame(place->findings, &violation, "%s has no offset", name.text);
  }
}

void berth_verify_placements(
    struct berth_verify_homes *homes, const struct berth_verify_places *places, const uint64_t *arena_bytes,
    struct berth_verify_findings *findings) {
  const struct berth_verify_facts *facts = homes->facts;
  for (uint32_t i = 0; i < facts->n; i++) {
    const struct place place = {
        .facts = facts,
        .findings = findings,
        .buffer = i,
        .pool = berth_verify_pool(places, i),
        .offset = places->offset[i],
    };
    if (!berth_verify_is_placed(facts, places, i)) {
      if (!findings->may_be_unplaced || place.pool >= facts->n_pools) {
        blame_unplaced(&place);
      }
      continue;
    }
    check_pool(&place, homes);
    check_alignment(&place);
    check_base(&place);
    check_pin(&place);
    check_block(&place);
    check_end(&place, facts->pools[place.pool].capacity_bytes, "capacity");
    if (arena_bytes != NULL && facts->size[i] > 0) {
      check_end(&place, arena_bytes[place.pool], "stated arena");
    }
  }
}
