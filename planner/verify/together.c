/* A sweep over the bytes of each pool that are held at some time, in their order. Of each part, and of all
 * that lives through all parts, what reaches farthest so far is kept: if anything of that part has a byte of
 * what is at hand, this has. O(n log n), and n times the parts that one part may run beside. */
#include "verify/together.h"

#include <inttypes.h>
#include <string.h>

#include "base/sort.h"

static bool
stays(const struct berth_verify_facts *facts, const struct berth_composed *parts, uint32_t buffer) {
  uint8_t class_ = facts->class_[buffer];
  return parts->part_of[buffer] == BERTH_NO_INDEX || class_ == BERTH_CLASS_CONSTANT ||
         class_ == BERTH_CLASS_STATE;
}

/* ---- The frame ---- */

static bool same_id(
    const struct berth_verify_facts *whole, const struct berth_verify_facts *own, uint32_t buffer,
    uint32_t k) {
  struct berth_text a = berth_problem_buffer_id(whole->problem, buffer);
  struct berth_text b = berth_problem_buffer_id(own->problem, k);
  bool same = a.size == b.size;
  for (uint32_t i = 0; same && i < a.size; i++) {
    same = a.data[i] == b.data[i];
  }
  return same;
}

static bool agrees(
    const struct berth_verify_facts *whole, const struct berth_verify_facts *own,
    const struct berth_composed *parts, uint32_t part, uint32_t k) {
  uint32_t buffer = parts->buffer[parts->buffer_begin[part] + k];
  if (buffer >= whole->n || whole->size[buffer] != own->size[k] || whole->class_[buffer] != own->class_[k]) {
    return false;
  }
  uint32_t owner = parts->part_of[buffer];
  if (owner != part && (owner != BERTH_NO_INDEX || !same_id(whole, own, buffer, k))) {
    return false;
  }
  if (parts->step_of == NULL || stays(whole, parts, buffer)) {
    return true;
  }
  int64_t shift = parts->step_of[part];
  return whole->lower[buffer] == (int64_t)((uint64_t)own->lower[k] + (uint64_t)shift) &&
         whole->upper[buffer] == (int64_t)((uint64_t)own->upper[k] + (uint64_t)shift);
}

enum berth_code berth_verify_frame(
    const struct berth_verify_facts *whole, const struct berth_verify_facts *own,
    const struct berth_composed *parts, uint32_t part, struct berth_error *err) {
  bool good = parts->buffer_begin[part + 1] - parts->buffer_begin[part] == own->n;
  uint32_t k = 0;
  while (good && k < own->n && agrees(whole, own, parts, part, k)) {
    k++;
  }
  return good && k == own->n
             ? BERTH_OK
             : berth_fail(
                   err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, part, NULL,
                   "buffer %u of part %u is not in the composition as the part has it", k, part);
}

bool berth_verify_part_places(
    const struct berth_verify_places *whole, const uint32_t *whole_of, uint32_t n, struct berth_arena *arena,
    struct berth_verify_places *out) {
  uint32_t *pool = whole->pool != NULL ? berth_arena_new(arena, uint32_t, n) : NULL;
  uint64_t *offset = berth_arena_new(arena, uint64_t, n);
  if (offset == NULL || (whole->pool != NULL && pool == NULL)) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    offset[k] = whole->offset[whole_of[k]];
    if (pool != NULL) {
      pool[k] = whole->pool[whole_of[k]];
    }
  }
  *out = (struct berth_verify_places){.pool = pool, .offset = offset};
  return true;
}

/* ---- What is held ---- */

static bool add_extent(
    struct berth_verify_extents *extents, struct berth_arena *arena, struct berth_verify_extent extent) {
  if (extents->n == extents->capacity) {
    size_t capacity = extents->capacity != 0 ? 2 * extents->capacity : 256;
    struct berth_verify_extent *items = berth_arena_new(arena, struct berth_verify_extent, capacity);
    if (items == NULL) {
      return false;
    }
    if (extents->n != 0) {
      memcpy(items, extents->items, extents->n * sizeof *items);
    }
    extents->items = items;
    extents->capacity = capacity;
  }
  extents->items[extents->n++] = extent;
  return true;
}

static bool add_piece(
    struct berth_verify_extents *extents, struct berth_arena *arena, const struct berth_verify_places *places,
    const struct berth_verify_piece *piece, uint32_t buffer) {
  uint64_t offset = places->offset[piece->buffer];
  const struct berth_verify_extent extent = {
      .first = berth_verify_byte(offset, piece->window_lower),
      .end = berth_verify_byte(offset, piece->window_upper),
      .pool = berth_verify_pool(places, piece->buffer),
      .buffer = buffer};
  return add_extent(extents, arena, extent);
}

static bool same_bytes(const struct berth_verify_piece *a, const struct berth_verify_piece *b) {
  return a->buffer == b->buffer && a->window_lower == b->window_lower && a->window_upper == b->window_upper;
}

bool berth_verify_add_extents(
    struct berth_verify_extents *extents, const struct berth_verify_facts *whole,
    const struct berth_verify_facts *own, const struct berth_verify_pieces *pieces,
    const struct berth_composed *parts, uint32_t part, const struct berth_verify_places *places,
    struct berth_arena *arena) {
  const uint32_t *whole_of = parts->buffer + parts->buffer_begin[part];
  bool ok = true;
  for (uint32_t i = 0; ok && i < pieces->n; i++) {
    const struct berth_verify_piece *piece = &pieces->items[i];
    bool again = i > 0 && same_bytes(piece, piece - 1);
    if (!again && !stays(whole, parts, whole_of[piece->buffer]) &&
        berth_verify_is_placed(own, places, piece->buffer)) {
      ok = add_piece(extents, arena, places, piece, whole_of[piece->buffer]);
    }
  }
  for (uint32_t k = 0; ok && k < own->n; k++) {
    if (own->size[k] != 0 && stays(whole, parts, whole_of[k]) && berth_verify_is_placed(own, places, k)) {
      const struct berth_verify_piece all = {.window_upper = own->size[k], .buffer = k};
      ok = add_piece(extents, arena, places, &all, whole_of[k]);
    }
  }
  return ok;
}

/* ---- The sweep ---- */

struct sweep {
  const struct berth_verify_facts *facts;
  const struct berth_composed *parts;
  const struct berth_verify_extent *extents;
  struct berth_verify_findings *findings;
  uint32_t *farthest; /* of each part, and last of what stays: an extent, or BERTH_NO_INDEX */
  uint32_t *beside_begin;
  uint32_t *beside; /* of each part: those that may run at once with it */
};

static void
blame(const struct sweep *sweep, const struct berth_verify_extent *a, const struct berth_verify_extent *b) {
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_OVERLAP);
  violation.buffer_a = a->buffer < b->buffer ? a->buffer : b->buffer;
  violation.buffer_b = a->buffer < b->buffer ? b->buffer : a->buffer;
  violation.pool = b->pool;
  violation.first_byte = b->first;
  violation.end_byte = a->end < b->end ? a->end : b->end;
  violation.first_step = sweep->facts->lower[b->buffer];
  violation.end_step = sweep->facts->upper[b->buffer];
  bool any_stays =
      stays(sweep->facts, sweep->parts, a->buffer) || stays(sweep->facts, sweep->parts, b->buffer);
  berth_verify_blame(
      sweep->findings, &violation, "%s and %s share bytes [%" PRIu64 ", %" PRIu64 ") %s",
      berth_verify_name(sweep->findings, violation.buffer_a).text,
      berth_verify_name(sweep->findings, violation.buffer_b).text, violation.first_byte, violation.end_byte,
      any_stays ? "of what lives through all parts" : "and are of parts that may run at once");
}

/* What several parts share is there once for each of them. */
static void meet(const struct sweep *sweep, uint32_t whose, const struct berth_verify_extent *extent) {
  uint32_t index = sweep->farthest[whose];
  const struct berth_verify_extent *other = &sweep->extents[index != BERTH_NO_INDEX ? index : 0];
  if (index != BERTH_NO_INDEX && other->end > extent->first && other->buffer != extent->buffer) {
    blame(sweep, other, extent);
  }
}

static void look(const struct sweep *sweep, uint32_t index) {
  const struct berth_verify_extent *extent = &sweep->extents[index];
  uint32_t n = sweep->parts->n;
  bool all = stays(sweep->facts, sweep->parts, extent->buffer);
  uint32_t part = all ? n : sweep->parts->part_of[extent->buffer];
  meet(sweep, n, extent);
  for (uint32_t p = 0; all && p < n; p++) {
    meet(sweep, p, extent);
  }
  for (uint32_t i = all ? 0 : sweep->beside_begin[part]; !all && i < sweep->beside_begin[part + 1]; i++) {
    meet(sweep, sweep->beside[i], extent);
  }
  uint32_t *farthest = &sweep->farthest[part];
  if (*farthest == BERTH_NO_INDEX || extent->end > sweep->extents[*farthest].end) {
    *farthest = index;
  }
}

static bool list_beside(struct sweep *sweep, struct berth_arena *arena) {
  const struct berth_composed *parts = sweep->parts;
  uint32_t n = 0;
  sweep->farthest = berth_arena_new(arena, uint32_t, (size_t)parts->n + 1);
  sweep->beside_begin = berth_arena_new(arena, uint32_t, (size_t)parts->n + 1);
  sweep->beside = berth_arena_new(arena, uint32_t, (size_t)parts->n * parts->n);
  if (sweep->farthest == NULL || sweep->beside_begin == NULL || sweep->beside == NULL) {
    return false;
  }
  /* From the sets, as they were stated. */
  uint8_t *mark = berth_arena_new_zeroed(arena, uint8_t, (size_t)parts->n * parts->n);
  for (uint32_t set = 0; mark != NULL && set < parts->n_sets; set++) {
    for (uint32_t i = set > 0 ? parts->set_end[set - 1] : 0; i < parts->set_end[set]; i++) {
      for (uint32_t k = set > 0 ? parts->set_end[set - 1] : 0; k < parts->set_end[set]; k++) {
        mark[(size_t)parts->set_parts[i] * parts->n + parts->set_parts[k]] = i != k;
      }
    }
  }
  for (uint32_t p = 0; mark != NULL && p <= parts->n; p++) {
    sweep->beside_begin[p] = n;
    for (uint32_t other = 0; p < parts->n && other < parts->n; other++) {
      if (mark[(size_t)p * parts->n + other] != 0) {
        sweep->beside[n++] = other;
      }
    }
  }
  return mark != NULL;
}

enum berth_code berth_verify_together(
    const struct berth_verify_facts *facts, const struct berth_composed *parts,
    const struct berth_verify_extents *extents, struct berth_verify_findings *findings,
    struct berth_arena *arena, struct berth_error *err) {
  struct sweep sweep = {.facts = facts, .parts = parts, .extents = extents->items, .findings = findings};
  size_t n = extents->n;
  if (n > UINT32_MAX / 2) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "gaps",
        "%zu pieces of all parts are more than can be verified", n);
  }
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 2 * n);
  if (items == NULL || !list_beside(&sweep, arena)) {
    return berth_fail_memory(err);
  }
  for (uint32_t k = 0; k < n; k++) {
    items[k] = (struct berth_sort_item){.key = extents->items[k].first, .index = k};
  }
  berth_sort_items(items, items + n, n);
  for (size_t k = 0; k < n; k++) {
    items[k].key = extents->items[items[k].index].pool;
  }
  berth_sort_items(items, items + n, n);
  for (size_t k = 0; k < n; k++) {
    for (uint32_t p = 0; p <= parts->n && (k == 0 || items[k].key != items[k - 1].key); p++) {
      sweep.farthest[p] = BERTH_NO_INDEX;
    }
    look(&sweep, items[k].index);
  }
  return BERTH_OK;
}
