/* The optimum with groups, gaps, or both. With the side of each pair of windows given, there are least
 * offsets, to which all rise from 0 or their pins, those of a group together. As long as two windows clash
 * there, both sides are tried for them; at a front there is one. */
#include <string.h>

#include "oracle.h"
#include "rigid.h"
#include "suite.h"

enum { MAX_MEMBERS = 8 };

struct brute {
  const struct sample *sample;
  uint32_t pool;
  const uint32_t *members;
  uint32_t n;
  struct rigid rigid;
  uint64_t best;
  uint64_t offset[MAX_MEMBERS];
};

static const struct berth_buffer_spec *spec_of(const struct brute *brute, uint32_t k) {
  return &brute->sample->buffers[brute->members[k]].spec;
}

/* The least offset from there on at which its group may lie. */
static uint64_t align(const struct brute *brute, uint32_t k, uint64_t offset) {
  uint32_t i = brute->members[k];
  uint64_t alignment = sample_alignment(brute->sample, i, brute->pool);
  uint64_t distance = brute->rigid.distance[i];
  alignment = alignment < brute->rigid.alignment[i] ? brute->rigid.alignment[i] : alignment;
  uint64_t least = offset > distance ? offset - distance : 0;
  return (least + alignment - 1) / alignment * alignment + distance;
}

static bool is_mate(const struct brute *brute, uint32_t k, uint32_t other) {
  return brute->rigid.group[brute->members[k]] == brute->rigid.group[brute->members[other]];
}

static uint64_t top_of(const struct brute *brute) {
  uint64_t top = 0;
  for (uint32_t m = 0; m < brute->n; m++) {
    uint64_t end = brute->offset[m] + spec_of(brute, m)->size_bytes;
    top = end > top ? end : top;
  }
  return top;
}

/* Member `above` begins at least `bytes` after member `below` begins. */
struct side {
  uint32_t below;
  uint32_t above;
  int64_t bytes;
};

/* k and its mates rise until k is at `least` or above; false if a pin or what is best already forbids that.
 */
static bool rise(struct brute *brute, uint32_t k, uint64_t least) {
  uint64_t by = align(brute, k, least) - brute->offset[k];
  bool possible = true;
  for (uint32_t m = 0; m < brute->n; m++) {
    if (is_mate(brute, k, m)) {
      brute->offset[m] += by;
      possible &= by == 0 || spec_of(brute, m)->pinned_offset == BERTH_UNPINNED;
    }
  }
  return possible;
}

/* The least offsets that keep to the sides so far. */
static bool settle(struct brute *brute, const struct side *sides, uint32_t n_sides) {
  for (uint32_t m = 0; m < brute->n; m++) {
    brute->offset[m] = align(brute, m, 0);
  }
  for (uint32_t m = 0; m < brute->n; m++) {
    uint64_t pin = spec_of(brute, m)->pinned_offset;
    for (uint32_t other = 0; pin != BERTH_UNPINNED && other < brute->n; other++) {
      uint64_t distance = brute->rigid.distance[brute->members[m]];
      uint64_t of_other = brute->rigid.distance[brute->members[other]];
      if (is_mate(brute, m, other)) {
        brute->offset[other] = pin - distance + of_other;
      }
    }
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t s = 0; s < n_sides; s++) {
      int64_t least = (int64_t)brute->offset[sides[s].below] + sides[s].bytes;
      if ((int64_t)brute->offset[sides[s].above] < least) {
        more = true;
        if (!rise(brute, sides[s].above, (uint64_t)least) || top_of(brute) >= brute->best) {
          return false;
        }
      }
    }
  }
  return top_of(brute) < brute->best;
}

static bool is_apart(const struct brute *brute, uint32_t k) {
  return oracle_apart(brute->sample, brute->members[k], brute->pool);
}

static bool has_front(const struct brute *brute) {
  const struct sample *sample = brute->sample;
  return sample->n_pools > 0 && sample->pools[brute->pool].persistence == BERTH_PERSISTENCE_FRONT;
}

static int64_t end_of(const struct berth_buffer_spec *spec) {
  return spec->upper > spec->lower ? spec->upper : spec->lower + 1;
}

/* The bytes that the member holds at the step: who is kept apart, always all. */
static bool holds(const struct brute *brute, uint32_t k, int64_t step, uint64_t *out_from, uint64_t *out_to) {
  *out_from = 0;
  *out_to = spec_of(brute, k)->size_bytes;
  return is_apart(brute, k) ||
         sample_window(&brute->sample->buffers[brute->members[k]], step, out_from, out_to);
}

/* Of its bytes, the first that it ever holds; BERTH_UNLIMITED if it holds none. */
static uint64_t first_held(const struct brute *brute, uint32_t k) {
  uint64_t first = BERTH_UNLIMITED;
  for (int64_t step = spec_of(brute, k)->lower; step < end_of(spec_of(brute, k)); step++) {
    uint64_t from;
    uint64_t to;
    first = holds(brute, k, step, &from, &to) && from < first ? from : first;
  }
  return first;
}

/* `low` is kept apart at the front, and `high` is not and begins to hold bytes below its end. */
static bool is_beneath(const struct brute *brute, uint32_t high, uint32_t low, struct side *out_way) {
  if (!has_front(brute) || is_apart(brute, high) || !is_apart(brute, low)) {
    return false;
  }
  uint64_t first = first_held(brute, high);
  uint64_t size = spec_of(brute, low)->size_bytes;
  *out_way = (struct side){low, high, (int64_t)size - (int64_t)first};
  return first != BERTH_UNLIMITED && brute->offset[high] + first < brute->offset[low] + size;
}

/* How a and b can get out of each other's way: a above b, or b above a. Returns the number of ways, 0 if they
 * lie well. */
static uint32_t find_clash(const struct brute *brute, uint32_t a, uint32_t b, struct side out_ways[2]) {
  uint32_t i = brute->members[a];
  uint32_t j = brute->members[b];
  if (is_mate(brute, a, b) ||
      oracle_pair_safe(brute->sample, brute->pool, i, brute->offset[a], j, brute->offset[b])) {
    return 0;
  }
  if (is_beneath(brute, a, b, &out_ways[0]) || is_beneath(brute, b, a, &out_ways[0])) {
    return 1;
  }
  uint64_t w[4] = {0, spec_of(brute, a)->size_bytes, 0, spec_of(brute, b)->size_bytes};
  const struct berth_buffer_spec *timed = spec_of(brute, is_apart(brute, a) ? b : a);
  for (int64_t step = timed->lower; step < end_of(timed) && !oracle_in_conflict(brute->sample, i, j);
       step++) {
    uint64_t of_step[4];
    if (holds(brute, a, step, &of_step[0], &of_step[1]) && holds(brute, b, step, &of_step[2], &of_step[3]) &&
        brute->offset[a] + of_step[0] < brute->offset[b] + of_step[3] &&
        brute->offset[b] + of_step[2] < brute->offset[a] + of_step[1]) {
      memcpy(w, of_step, sizeof w);
      break;
    }
  }
  out_ways[0] = (struct side){b, a, (int64_t)w[3] - (int64_t)w[0]};
  out_ways[1] = (struct side){a, b, (int64_t)w[1] - (int64_t)w[2]};
  return 2;
}

/* No least offsets reach up to here: each group rises over all the others at most, and over all pins. */
static uint64_t far_above(const struct brute *brute) {
  uint64_t sum = 1;
  uint64_t pins = 0;
  for (uint32_t m = 0; m < brute->n; m++) {
    const struct berth_buffer_spec *spec = spec_of(brute, m);
    uint64_t end = spec->pinned_offset != BERTH_UNPINNED ? spec->pinned_offset + spec->size_bytes : 0;
    sum += spec->size_bytes + align(brute, m, 1) +
           sample_alignment(brute->sample, brute->members[m], brute->pool);
    pins = end > pins ? end : pins;
  }
  return 1 + brute->n * (sum + pins);
}

enum { MAX_SIDES = 256 };

static void search_sides(struct brute *brute, struct side *sides, uint32_t n_sides) {
  if (!settle(brute, sides, n_sides)) {
    return;
  }
  struct side ways[2];
  for (uint32_t a = 0; a < brute->n; a++) {
    for (uint32_t b = a + 1; b < brute->n; b++) {
      uint32_t n_ways = find_clash(brute, a, b, ways);
      ck_assert_uint_lt(n_sides, MAX_SIDES);
      for (uint32_t way = 0; way < n_ways; way++) {
        sides[n_sides] = ways[way];
        search_sides(brute, sides, n_sides + 1);
      }
      if (n_ways > 0) {
        return;
      }
    }
  }
  brute->best = top_of(brute);
}

uint64_t oracle_grouped_optimum(
    const struct sample *sample, uint32_t pool, const uint32_t *members, uint32_t n_members) {
  struct brute brute = {.sample = sample, .pool = pool};
  uint32_t sized[MAX_MEMBERS];
  for (uint32_t k = 0; k < n_members; k++) {
    if (sample->buffers[members[k]].spec.size_bytes > 0) {
      ck_assert_uint_lt(brute.n, MAX_MEMBERS);
      sized[brute.n++] = members[k];
    }
  }
  brute.members = sized;
  rigid_make(&brute.rigid, sample);
  struct side sides[MAX_SIDES];
  uint64_t beyond = far_above(&brute);
  brute.best = beyond;
  search_sides(&brute, sides, 0);
  return brute.best == beyond ? BERTH_UNLIMITED : brute.best;
}
