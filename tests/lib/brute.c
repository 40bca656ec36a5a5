/* The optimum by exhaustive search, by what the members are:
 *
 * bytes, no gaps   In some optimal plan every buffer lies at the least aligned offset that is not below the
 *                  end of any buffer that it meets and that lies lower: take an optimal plan, and push the
 *                  buffers down in the order of their offsets. So try every order.
 * bytes, gaps      "Lower" may differ from window to window: see brute_groups.c.
 * slots            Slots are laid one after the other. Try every partition into slots, every order of them.
 */
#include "oracle.h"
#include "suite.h"

enum { MAX_MEMBERS = 8 };

struct brute {
  const struct sample *sample;
  uint32_t pool;
  const uint32_t *members;
  uint32_t n;
  uint64_t floor; /* no plan is below: stop there */
  uint64_t best;
  bool placed[MAX_MEMBERS];
  uint64_t offset[MAX_MEMBERS];
  bool meet[MAX_MEMBERS][MAX_MEMBERS]; /* at some step, or must not share */
};

static const struct berth_buffer_spec *spec_of(const struct brute *brute, uint32_t k) {
  return &brute->sample->buffers[brute->members[k]].spec;
}

static uint64_t align(const struct brute *brute, uint32_t k, uint64_t offset) {
  uint64_t alignment = sample_alignment(brute->sample, brute->members[k], brute->pool);
  return (offset + alignment - 1) / alignment * alignment;
}

static bool fits(const struct brute *brute, uint32_t k, uint64_t offset) {
  for (uint32_t other = 0; other < brute->n; other++) {
    if (brute->placed[other] && other != k &&
        !oracle_pair_safe(
            brute->sample, brute->pool, brute->members[k], offset, brute->members[other],
            brute->offset[other])) {
      return false;
    }
  }
  return true;
}

/* At a front, those that are kept apart are placed first. */
static bool is_early(const struct brute *brute, uint32_t k) {
  const struct berth_pool_spec *pools = brute->sample->n_pools > 0 ? brute->sample->pools : NULL;
  if (pools == NULL || pools[brute->pool].persistence != BERTH_PERSISTENCE_FRONT ||
      oracle_apart(brute->sample, brute->members[k], brute->pool)) {
    return false;
  }
  for (uint32_t other = 0; other < brute->n; other++) {
    if (!brute->placed[other] && oracle_apart(brute->sample, brute->members[other], brute->pool)) {
      return true;
    }
  }
  return false;
}

static void search_orders(struct brute *brute, uint32_t n_placed, uint64_t top) {
  if (top >= brute->best || brute->best == brute->floor) {
    return;
  }
  if (n_placed == brute->n) {
    brute->best = top;
    return;
  }
  for (uint32_t k = 0; k < brute->n; k++) {
    if (brute->placed[k] || is_early(brute, k)) {
      continue;
    }
    uint64_t least = 0;
    for (uint32_t other = 0; other < brute->n; other++) {
      uint64_t end = brute->offset[other] + spec_of(brute, other)->size_bytes;
      least = brute->placed[other] && brute->meet[k][other] && end > least ? end : least;
    }
    uint64_t offset = align(brute, k, least);
    uint64_t pin = spec_of(brute, k)->pinned_offset;
    if (pin != BERTH_UNPINNED) {
      if (pin < offset) {
        continue;
      }
      offset = pin;
    }
    uint64_t end = offset + spec_of(brute, k)->size_bytes;
    brute->placed[k] = true;
    brute->offset[k] = offset;
    search_orders(brute, n_placed + 1, end > top ? end : top);
    brute->placed[k] = false;
  }
}

/* Each buffer joins a slot or opens one above any buffer that is placed. Some order opens the slots from the
 * lowest up, each by its member of the greatest alignment. */
static void search_slots(struct brute *brute, uint32_t n_placed, uint64_t top) {
  if (top >= brute->best || brute->best == brute->floor) {
    return;
  }
  if (n_placed == brute->n) {
    brute->best = top;
    return;
  }
  for (uint32_t k = 0; k < brute->n; k++) {
    if (brute->placed[k]) {
      continue;
    }
    uint64_t pin = spec_of(brute, k)->pinned_offset;
    uint64_t candidates[2 * MAX_MEMBERS + 1];
    uint32_t n_candidates = 0;
    candidates[n_candidates++] = pin != BERTH_UNPINNED ? pin : 0;
    for (uint32_t other = 0; other < brute->n && pin == BERTH_UNPINNED; other++) {
      if (brute->placed[other]) {
        candidates[n_candidates++] = brute->offset[other];
        candidates[n_candidates++] =
            align(brute, k, brute->offset[other] + spec_of(brute, other)->size_bytes);
      }
    }
    for (uint32_t c = 0; c < n_candidates; c++) {
      uint64_t offset = candidates[c];
      if (offset != align(brute, k, offset) || !fits(brute, k, offset)) {
        continue;
      }
      uint64_t end = offset + spec_of(brute, k)->size_bytes;
      brute->placed[k] = true;
      brute->offset[k] = offset;
      search_slots(brute, n_placed + 1, end > top ? end : top);
      brute->placed[k] = false;
    }
  }
}

/* The largest sum of the members' windows at one step; in a pool of slots, of their sizes. */
static uint64_t load(const struct brute *brute, bool slots) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < brute->n; k++) {
    const struct sample_buffer *buffer = &brute->sample->buffers[brute->members[k]];
    int64_t steps[1 + 2 * SAMPLE_MAX_GAPS] = {buffer->spec.lower};
    uint32_t n_steps = 1;
    for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
      steps[n_steps++] = buffer->gaps[g].lower;
      steps[n_steps++] = buffer->gaps[g].upper;
    }
    for (uint32_t s = 0; s < n_steps; s++) {
      uint64_t sum = 0;
      for (uint32_t other = 0; other < brute->n; other++) {
        uint64_t from;
        uint64_t to;
        if (sample_window(&brute->sample->buffers[brute->members[other]], steps[s], &from, &to)) {
          sum += slots ? spec_of(brute, other)->size_bytes : to - from;
        }
      }
      most = sum > most ? sum : most;
    }
  }
  return most;
}

uint64_t
oracle_optimum(const struct sample *sample, uint32_t pool, const uint32_t *members, uint32_t n_members) {
  bool slots = sample->n_pools > 0 && sample->pools[pool].kind == BERTH_POOL_SLOTS;
  struct brute brute = {.sample = sample, .pool = pool, .members = members, .best = BERTH_UNLIMITED};
  uint32_t sized[MAX_MEMBERS];
  bool gaps = false;
  for (uint32_t k = 0; k < n_members; k++) {
    if (sample->buffers[members[k]].spec.size_bytes > 0) {
      ck_assert_uint_lt(brute.n, MAX_MEMBERS);
      sized[brute.n++] = members[k];
      gaps = gaps || sample->buffers[members[k]].spec.n_gaps > 0;
    }
  }
  if (sample->n_groups > 0 || (gaps && !slots)) {
    return oracle_grouped_optimum(sample, pool, members, n_members);
  }
  brute.members = sized;
  for (uint32_t a = 0; a < brute.n; a++) {
    for (uint32_t b = 0; b < brute.n; b++) {
      brute.meet[a][b] =
          a != b &&
          (oracle_meet(sample, sized[a], sized[b]) || oracle_in_conflict(sample, sized[a], sized[b]) ||
           oracle_apart(sample, sized[a], pool) || oracle_apart(sample, sized[b], pool));
    }
  }
  brute.floor = load(&brute, slots);
  if (slots) {
    search_slots(&brute, 0, 0);
  } else {
    search_orders(&brute, 0, 0);
  }
  return brute.best;
}
