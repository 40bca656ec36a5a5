#include "packing/smallest.h"

#include "base/order.h"

enum { MOST_BUFFERS = 64, MOST_OUTSIDES = 1 << 12 };

/* Sets of buffers as bits. */
struct choice {
  struct berth_refuter *refuter;
  uint64_t *outsides; /* the buffers outside a set that fits: one of them is in any set that does not */
  uint32_t n_outsides;
  uint64_t found; /* one of each outside, as few as can be */
};

static uint32_t count(uint64_t set) {
  return (uint32_t)__builtin_popcountll(set);
}

/* Whether `most` more buffers beside `chosen` hit every outside; they come out in `found`. */
static bool hit_all(struct choice *choice, uint64_t chosen, uint64_t left_out, uint32_t most) {
  uint64_t smallest = 0;
  for (uint32_t k = 0; k < choice->n_outsides; k++) {
    if ((choice->outsides[k] & chosen) == 0) {
      uint64_t open = choice->outsides[k] & ~left_out;
      if (open == 0) {
        return false;
      }
      smallest = smallest == 0 || count(open) < count(smallest) ? open : smallest;
    }
  }
  choice->found = chosen;
  if (smallest == 0) {
    return true;
  }
  if (most == 0 || !berth_effort_spend(choice->refuter->effort, 4 * (uint64_t)choice->n_outsides)) {
    return false;
  }
  for (; smallest != 0; smallest &= smallest - 1) {
    uint64_t bit = smallest & -smallest;
    if (hit_all(choice, chosen | bit, left_out, most - 1)) {
      return true;
    }
    left_out |= bit;
  }
  return false;
}

static enum berth_code refute(struct choice *choice, uint64_t set, enum berth_refutation *out) {
  uint8_t is_in[MOST_BUFFERS];
  for (uint32_t b = 0; b < choice->refuter->instance->n_buffers; b++) {
    is_in[b] = set >> b & 1;
  }
  return berth_refute(choice->refuter, is_in, out);
}

/* The buffers outside a set that fits, once everything has been added that does not spoil it. */
static enum berth_code add_outside(struct choice *choice, uint64_t fits) {
  uint32_t n = choice->refuter->instance->n_buffers;
  enum berth_code code = BERTH_OK;
  for (uint32_t b = 0; b < n && code == BERTH_OK; b++) {
    enum berth_refutation verdict = BERTH_REFUTED;
    if (!(fits >> b & 1)) {
      code = refute(choice, fits | UINT64_C(1) << b, &verdict);
    }
    fits |= code == BERTH_OK && verdict == BERTH_REFUTE_FITS ? UINT64_C(1) << b : 0;
  }
  uint64_t all = n == MOST_BUFFERS ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  choice->outsides[choice->n_outsides++] = all & ~fits;
  return code;
}

static enum berth_code take(const struct choice *choice, struct berth_culprits *out) {
  const struct berth_packing_instance *instance = choice->refuter->instance;
  uint64_t key[MOST_BUFFERS];
  out->n = 0;
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    key[b] = ~instance->size[b];
    if (choice->found >> b & 1) {
      out->items[out->n++] = b;
    }
  }
  return berth_order_by_key(choice->refuter->arena, out->n, key, out->items) ? BERTH_OK
                                                                             : BERTH_RESOURCE_EXHAUSTED;
}

enum berth_code berth_culprits_smallest(struct berth_refuter *refuter, struct berth_culprits *culprits) {
  if (refuter->instance->n_buffers > MOST_BUFFERS) {
    return BERTH_OK;
  }
  struct choice choice = {
      .refuter = refuter, .outsides = berth_arena_new(refuter->arena, uint64_t, MOST_OUTSIDES)};
  if (choice.outsides == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t size = 1; choice.n_outsides < MOST_OUTSIDES;) {
    if (size == culprits->n) {
      culprits->proof = BERTH_CULPRITS_SMALLEST;
      return BERTH_OK;
    }
    bool is_hit = hit_all(&choice, 0, 0, size);
    if (refuter->effort->state != BERTH_EFFORT_RUNNING) {
      return BERTH_OK;
    }
    if (!is_hit) {
      size++;
      continue;
    }
    enum berth_refutation verdict;
    enum berth_code code = refute(&choice, choice.found, &verdict);
    if (code == BERTH_OK && verdict == BERTH_REFUTED) {
      culprits->proof = BERTH_CULPRITS_SMALLEST;
      return take(&choice, culprits);
    }
    if (code != BERTH_OK || verdict == BERTH_REFUTE_UNKNOWN) {
      return code;
    }
    code = add_outside(&choice, choice.found);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}
