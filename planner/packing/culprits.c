#include "packing/culprits.h"

#include <string.h>

#include "base/order.h"
#include "packing/blame.h"
#include "packing/bound.h"
#include "packing/pieces.h"
#include "packing/precedence_bound.h"
#include "packing/refute.h"
#include "packing/smallest.h"

/* The buffers that are still in, of an instance that does not fit. */
struct hunt {
  struct berth_refuter *refuter;
  uint8_t *is_in;
  uint32_t n_in;
  uint32_t *order; /* of leaving */
  uint64_t *key;
};

/* Takes the buffers order[begin..end) out if the others still cannot be placed. */
static enum berth_code
try_without(struct hunt *hunt, uint32_t begin, uint32_t end, enum berth_refutation *out) {
  for (uint32_t k = begin; k < end; k++) {
    hunt->is_in[hunt->order[k]] = 0;
  }
  enum berth_code code = berth_refute(hunt->refuter, hunt->is_in, out);
  if (code == BERTH_OK && *out == BERTH_REFUTED) {
    hunt->n_in -= end - begin;
    return code;
  }
  for (uint32_t k = begin; k < end; k++) {
    hunt->is_in[hunt->order[k]] = 1;
  }
  return code;
}

/* Lists those that are in, the least key first. */
static enum berth_code list_in(struct hunt *hunt) {
  uint32_t n = 0;
  for (uint32_t b = 0; b < hunt->refuter->instance->n_buffers; b++) {
    if (hunt->is_in[b]) {
      hunt->order[n++] = b;
    }
  }
  bool ok = berth_order_by_key(hunt->refuter->arena, n, hunt->key, hunt->order);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

/* Leaves out as many of the first in the order as can be, by halving: the more are left out, the likelier the
 * rest fits. */
static enum berth_code trim(struct hunt *hunt) {
  enum berth_code code = list_in(hunt);
  uint32_t begin = 0, end = hunt->n_in; /* the first that must stay is in [begin, end) */
  while (code == BERTH_OK && begin + 1 < end) {
    uint32_t middle = begin + (end - begin) / 2;
    enum berth_refutation verdict;
    code = try_without(hunt, begin, middle, &verdict);
    if (code == BERTH_OK && verdict == BERTH_REFUTED) {
      begin = middle;
    } else {
      end = middle;
    }
  }
  return code;
}

/* Stretches of time in which all of it happens are short. */
static enum berth_code trim_time(struct hunt *hunt) {
  const struct berth_packing_instance *instance = hunt->refuter->instance;
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    hunt->key[b] = ~(uint64_t)instance->lower[b];
  }
  enum berth_code code = trim(hunt);
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    hunt->key[b] = instance->upper[b];
  }
  return code == BERTH_OK ? trim(hunt) : code;
}

/* One pass over all that are in, `share` at a time; *out_is_sure unless one was neither refuted nor placed.
 */
static enum berth_code pass(struct hunt *hunt, uint32_t share, bool *out_is_sure) {
  enum berth_code code = list_in(hunt);
  uint32_t n = hunt->n_in;
  *out_is_sure = true;
  for (uint32_t begin = 0; code == BERTH_OK && begin < n; begin += share) {
    enum berth_refutation verdict;
    code = try_without(hunt, begin, n - begin < share ? n : begin + share, &verdict);
    *out_is_sure &= code != BERTH_OK || verdict != BERTH_REFUTE_UNKNOWN;
  }
  return code;
}

/* To a set of which no buffer can be left out. Large buffers stay: it takes fewer of them. */
static enum berth_code minimise(struct hunt *hunt, bool *out_is_minimal) {
  const struct berth_packing_instance *instance = hunt->refuter->instance;
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    hunt->key[b] = instance->size[b];
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t share = hunt->n_in / 4; code == BERTH_OK && share > 1; share /= 2) {
    code = pass(hunt, share, out_is_minimal);
  }
  return code == BERTH_OK ? pass(hunt, 1, out_is_minimal) : code;
}

static enum berth_code take(struct hunt *hunt, struct berth_culprits *out) {
  const struct berth_packing_instance *instance = hunt->refuter->instance;
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    hunt->key[b] = ~instance->size[b];
  }
  enum berth_code code = list_in(hunt);
  memcpy(out->items, hunt->order, hunt->n_in * sizeof *out->items);
  out->n = hunt->n_in;
  return code;
}

/* From the set in `out`, which is minimal already or not. */
static enum berth_code hunt_down(
    const struct berth_packing_instance *instance, bool is_minimal, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_culprits *out) {
  struct berth_refuter refuter;
  struct hunt hunt = {
      .refuter = &refuter,
      .is_in = berth_arena_new_zeroed(arena, uint8_t, instance->n_buffers),
      .n_in = out->n,
      .order = berth_arena_new(arena, uint32_t, instance->n_buffers),
      .key = berth_arena_new(arena, uint64_t, instance->n_buffers)};
  if (!berth_refuter_init(&refuter, instance, arena, effort) || !hunt.is_in || !hunt.order || !hunt.key) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t k = 0; k < out->n; k++) {
    hunt.is_in[out->items[k]] = 1;
  }
  enum berth_code code = BERTH_OK;
  if (!is_minimal) {
    code = trim_time(&hunt);
    code = code == BERTH_OK ? minimise(&hunt, &is_minimal) : code;
    code = code == BERTH_OK ? take(&hunt, out) : code;
    out->proof = is_minimal ? BERTH_CULPRITS_MINIMAL : BERTH_CULPRITS_UNPROVEN;
  }
  return code == BERTH_OK && is_minimal && out->n > 2 ? berth_culprits_smallest(&refuter, out) : code;
}

/* Too large for any place, whatever else there is. */
static bool find_alone(const struct berth_packing_instance *instance, struct berth_culprits *out) {
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    bool is_pinned = berth_packing_is_pinned(instance, b);
    uint64_t room = is_pinned && instance->pin[b] <= instance->capacity
                        ? instance->capacity - instance->pin[b]
                        : instance->capacity;
    if (instance->size[b] > room || (is_pinned && instance->pin[b] > instance->capacity)) {
      *out = (struct berth_culprits){1, out->items, BERTH_CULPRITS_SMALLEST};
      out->items[0] = b;
      return true;
    }
  }
  return false;
}

static void take_all(const struct berth_packing_instance *instance, struct berth_culprits *out) {
  out->n = instance->n_buffers;
  berth_order_identity(instance->n_buffers, out->items);
}

/* Under a partial order: the fewest of the heaviest antichain that pass the capacity; none where it does not.
 */
static enum berth_code blame_antichain(
    const struct berth_packing_instance *instance, struct berth_arena *arena, struct berth_effort *effort,
    struct berth_culprits *out, bool *out_is_minimal) {
  if (instance->order.n_clocks == 0 || instance->gap_begin != NULL || instance->slices != NULL) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_antichain antichain;
  uint64_t *key = berth_arena_new(arena, uint64_t, instance->n_buffers);
  enum berth_code code = key == NULL ? BERTH_RESOURCE_EXHAUSTED
                                     : berth_packing_find_antichain(instance, arena, effort, &antichain);
  if (code == BERTH_OK && antichain.is_found && antichain.weight > instance->capacity) {
    for (uint32_t b = 0; b < instance->n_buffers; b++) {
      key[b] = ~instance->size[b];
    }
    code = berth_order_by_key(arena, antichain.n, key, antichain.buffers) ? code : BERTH_RESOURCE_EXHAUSTED;
    uint64_t sum = 0;
    bool aligned = instance->pin != NULL;
    while (code == BERTH_OK && sum <= instance->capacity) {
      sum += instance->size[antichain.buffers[out->n]];
      out->items[out->n] = antichain.buffers[out->n];
      aligned = aligned || instance->alignment[antichain.buffers[out->n]] > 1;
      out->n++;
    }
    *out_is_minimal = !aligned; /* without any of them the rest fits, one upon the other */
  }
  berth_arena_rewind(arena, mark);
  return code;
}

static uint64_t held_at(const struct berth_packing_instance *instance, uint32_t buffer, uint32_t step) {
  struct berth_pieces pieces = berth_pieces_of(instance, buffer);
  struct berth_piece piece;
  uint64_t bytes = 0;
  while (berth_pieces_next(&pieces, &piece)) {
    bytes += piece.lower <= step && step < piece.upper ? piece.window_upper - piece.window_lower : 0;
  }
  for (uint32_t k = 0; k < instance->n_excess; k++) {
    const struct berth_packing_excess *excess = &instance->excess[k];
    bytes -= excess->buffer == buffer && excess->lower <= step && step < excess->upper ? excess->bytes : 0;
  }
  return bytes;
}

/* Where groups hold several pieces at a step: the largest at the peak, until they exceed the capacity, or
 * all.
 */
static enum berth_code take_peak(
    const struct berth_packing_instance *instance, struct berth_arena *arena, struct berth_culprits *out) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *load = berth_arena_new(arena, uint64_t, instance->n_steps);
  uint64_t *key = berth_arena_new(arena, uint64_t, instance->n_buffers);
  uint32_t peak;
  bool ok = load != NULL && key != NULL && berth_packing_load(instance, arena->effort, load, &peak);
  if (ok) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < instance->n_buffers; b++) {
      key[b] = ~held_at(instance, b, peak);
    }
    take_all(instance, out);
    ok = berth_order_by_key(arena, instance->n_buffers, key, out->items);
    for (uint32_t k = 0; ok && load[peak] > instance->capacity && k < out->n; k++) {
      sum += ~key[out->items[k]];
      out->n = sum > instance->capacity ? k + 1 : out->n;
    }
  }
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

enum berth_code berth_culprits_find(
    const struct berth_packing_instance *instance, bool may_search, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_culprits *out) {
  *out = (struct berth_culprits){.items = berth_arena_new(arena, uint32_t, instance->n_buffers)};
  if (out->items == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  if (find_alone(instance, out)) {
    return BERTH_OK;
  }
  if (instance->pin != NULL && instance->pins_may_meet) {
    take_all(instance, out); /* the load counts twice what pins share */
    return BERTH_OK;
  }
  if (instance->piece_begin != NULL) {
    return take_peak(instance, arena, out);
  }
  bool is_minimal = false;
  enum berth_code code = berth_blame_load(instance, arena, out->items, &out->n, &is_minimal);
  if (code == BERTH_OK && out->n == 0) {
    code = blame_antichain(instance, arena, effort, out, &is_minimal);
  }
  if (code != BERTH_OK) {
    return code;
  }
  if (out->n == 0) {
    take_all(instance, out);
    is_minimal = false;
  }
  out->proof = is_minimal ? BERTH_CULPRITS_MINIMAL : BERTH_CULPRITS_UNPROVEN;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  if (may_search && instance->chains == NULL) {
    code = hunt_down(instance, is_minimal, arena, effort, out);
  }
  berth_arena_rewind(arena, mark);
  if (out->proof == BERTH_CULPRITS_MINIMAL && out->n <= 2) {
    out->proof = BERTH_CULPRITS_SMALLEST; /* every buffer fits alone */
  }
  return code;
}
