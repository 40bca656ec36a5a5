#include "oracle.h"

#include "berth/plan.h"
#include "rigid.h"
#include "suite.h"

static struct berth_pool_spec pool_of(const struct sample *sample, uint32_t pool) {
  return sample->n_pools > 0 ? sample->pools[pool] : berth_pool_spec_default();
}

static bool intersect(uint64_t a_from, uint64_t a_to, uint64_t b_from, uint64_t b_to) {
  return a_from < b_to && b_from < a_to;
}

bool oracle_in_conflict(const struct sample *sample, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < sample->n_conflicts; k++) {
    uint32_t first = sample->conflicts[k][0];
    uint32_t second = sample->conflicts[k][1];
    if ((first == a && second == b) || (first == b && second == a)) {
      return true;
    }
  }
  return false;
}

/* The windows of both at one step; false if either is absent. */
struct common {
  uint64_t a_from, a_to, b_from, b_to;
};

static bool both_at(const struct sample *sample, uint32_t a, uint32_t b, int64_t step, struct common *out) {
  return sample_window(&sample->buffers[a], step, &out->a_from, &out->a_to) &&
         sample_window(&sample->buffers[b], step, &out->b_from, &out->b_to);
}

/* A stretch of steps in which both hold unchanging windows begins at one of these: where a lifetime or a gap
 * of either begins, or a gap ends. */
enum { MAX_STEPS = 2 * (1 + 2 * SAMPLE_MAX_GAPS) };

static uint32_t list_steps(const struct sample *sample, uint32_t a, uint32_t b, int64_t *steps) {
  uint32_t n = 0;
  const uint32_t both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    const struct sample_buffer *buffer = &sample->buffers[both[k]];
    steps[n++] = buffer->spec.lower;
    for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
      steps[n++] = buffer->gaps[g].lower;
      steps[n++] = buffer->gaps[g].upper;
    }
  }
  return n;
}

static bool comes_before(const struct sample *sample, uint32_t a, uint32_t b) {
  for (uint32_t c = 0; c < sample->buffers[a].spec.n_clocks; c++) {
    if (sample->buffers[a].clock_upper[c] > sample->buffers[b].clock_lower[c]) {
      return false;
    }
  }
  return true;
}

bool oracle_meet(const struct sample *sample, uint32_t a, uint32_t b) {
  if (sample->buffers[a].spec.n_clocks > 0) {
    return sample->buffers[a].spec.size_bytes > 0 && sample->buffers[b].spec.size_bytes > 0 &&
           !comes_before(sample, a, b) && !comes_before(sample, b, a);
  }
  int64_t steps[MAX_STEPS];
  uint32_t n = list_steps(sample, a, b, steps);
  struct common common;
  for (uint32_t k = 0; k < n; k++) {
    if (both_at(sample, a, b, steps[k], &common)) {
      return true;
    }
  }
  return false;
}

/* The lowest of its bytes that the buffer ever holds. */
static uint64_t first_held(const struct sample *sample, uint32_t i) {
  const struct sample_buffer *buffer = &sample->buffers[i];
  uint64_t first = UINT64_MAX;
  for (uint32_t k = 0; k < 1 + 2 * buffer->spec.n_gaps; k++) {
    const struct berth_gap *gap = k > 0 ? &buffer->gaps[(k - 1) / 2] : NULL;
    int64_t step = gap == NULL ? buffer->spec.lower : k % 2 == 1 ? gap->lower : gap->upper;
    uint64_t from;
    uint64_t to;
    first = sample_window(buffer, step, &from, &to) && from < first ? from : first;
  }
  return first;
}

/* Whether it holds a byte of [from, to) at some step. */
static bool ever_holds(const struct sample *sample, uint32_t i, uint64_t offset, uint64_t from, uint64_t to) {
  const struct sample_buffer *buffer = &sample->buffers[i];
  for (uint32_t k = 0; k < 1 + 2 * buffer->spec.n_gaps; k++) {
    const struct berth_gap *gap = k > 0 ? &buffer->gaps[(k - 1) / 2] : NULL;
    int64_t step = gap == NULL ? buffer->spec.lower : k % 2 == 1 ? gap->lower : gap->upper;
    uint64_t first;
    uint64_t end;
    if (sample_window(buffer, step, &first, &end) && intersect(offset + first, offset + end, from, to)) {
      return true;
    }
  }
  return false;
}

static bool is_below(
    const struct sample *sample, uint32_t pool, uint32_t a, uint64_t offset_a, uint32_t b,
    uint64_t offset_b) {
  return pool_of(sample, pool).persistence == BERTH_PERSISTENCE_FRONT && !oracle_apart(sample, a, pool) &&
         oracle_apart(sample, b, pool) && first_held(sample, a) != UINT64_MAX &&
         offset_a + first_held(sample, a) < offset_b + sample->buffers[b].spec.size_bytes;
}

bool oracle_pair_safe(
    const struct sample *sample, uint32_t pool, uint32_t a, uint64_t offset_a, uint32_t b,
    uint64_t offset_b) {
  bool slots = pool_of(sample, pool).kind == BERTH_POOL_SLOTS;
  uint64_t size_a = sample->buffers[a].spec.size_bytes;
  uint64_t size_b = sample->buffers[b].spec.size_bytes;
  if (size_a == 0 || size_b == 0) {
    return true;
  }
  if (is_below(sample, pool, a, offset_a, b, offset_b) || is_below(sample, pool, b, offset_b, a, offset_a)) {
    return false;
  }
  if (!intersect(offset_a, offset_a + size_a, offset_b, offset_b + size_b)) {
    return true;
  }
  if (rigid_one_storage(sample, a, b)) {
    return true; /* that they lie as they must is another question */
  }
  if (oracle_in_conflict(sample, a, b) || (oracle_apart(sample, a, pool) && oracle_apart(sample, b, pool))) {
    return false;
  }
  if (oracle_apart(sample, a, pool) || oracle_apart(sample, b, pool)) {
    uint32_t other = oracle_apart(sample, a, pool) ? b : a;
    uint64_t from = other == b ? offset_a : offset_b;
    return !slots &&
           !ever_holds(
               sample, other, other == b ? offset_b : offset_a, from, from + (other == b ? size_a : size_b));
  }
  if (slots) {
    return offset_a == offset_b && !oracle_meet(sample, a, b);
  }
  if (sample->buffers[a].spec.n_clocks > 0) {
    return !oracle_meet(sample, a, b);
  }
  int64_t steps[MAX_STEPS];
  uint32_t n = list_steps(sample, a, b, steps);
  for (uint32_t k = 0; k < n; k++) {
    struct common c;
    if (both_at(sample, a, b, steps[k], &c) &&
        intersect(offset_a + c.a_from, offset_a + c.a_to, offset_b + c.b_from, offset_b + c.b_to)) {
      return false;
    }
  }
  return true;
}

/* ---- Pools ---- */

static bool persists(const struct sample *sample, uint32_t i) {
  enum berth_buffer_class class_ = sample->buffers[i].spec.class_;
  return class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
}

bool oracle_apart(const struct sample *sample, uint32_t i, uint32_t pool) {
  return persists(sample, i) && pool_of(sample, pool).persistence != BERTH_PERSISTENCE_MIXED;
}

/* The list, by the words of berth/buffer.h. */
uint32_t oracle_homes(const struct sample *sample, uint32_t i, uint32_t *list) {
  const struct sample_buffer *buffer = &sample->buffers[i];
  uint32_t n_pools = sample->n_pools > 0 ? sample->n_pools : 1;
  uint32_t wanted[64]; /* with repetitions, and those that take nobody else */
  uint32_t n_wanted = 0;
  for (uint32_t k = 0; k < buffer->spec.n_pools; k++) {
    wanted[n_wanted++] = buffer->pools[k];
  }
  if (n_wanted == 0) {
    for (uint32_t p = 0; p < n_pools; p++) {
      if (pool_of(sample, p).persistence == BERTH_PERSISTENCE_ONLY) {
        wanted[n_wanted++] = p;
      }
    }
    for (uint32_t p = 0; p < n_pools; p++) {
      wanted[n_wanted++] = p;
    }
  }
  uint32_t n = 0;
  for (uint32_t k = 0; k < n_wanted; k++) {
    bool refused = pool_of(sample, wanted[k]).persistence == BERTH_PERSISTENCE_ONLY && !persists(sample, i);
    for (uint32_t other = 0; other < n; other++) {
      refused = refused || list[other] == wanted[k];
    }
    if (refused) {
      continue;
    }
    list[n++] = wanted[k];
    for (uint32_t s = 0; buffer->spec.n_pools > 0 && s < pool_of(sample, wanted[k]).n_spill_to; s++) {
      ck_assert_uint_lt(n_wanted, 64);
      wanted[n_wanted++] = sample->spills[wanted[k]][s];
    }
  }
  return n;
}

uint32_t oracle_home(const struct sample *sample, uint32_t i, uint32_t pool) {
  uint32_t list[SAMPLE_MAX_POOLS];
  uint32_t n = oracle_homes(sample, i, list);
  for (uint32_t k = 0; k < n; k++) {
    if (list[k] == pool) {
      return k;
    }
  }
  return BERTH_NO_INDEX;
}

uint64_t oracle_cost(const struct sample *sample, const uint32_t *pool) {
  bool costs = false;
  for (uint32_t p = 0; p < sample->n_pools; p++) {
    costs = costs || sample->pools[p].cost_per_byte != 0;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    uint32_t list[SAMPLE_MAX_POOLS];
    uint32_t place = 0;
    uint32_t n = sample->n_groups > 0 ? rigid_homes(sample, i, list) : oracle_homes(sample, i, list);
    while (place < n && list[place] != pool[i]) {
      place++;
    }
    uint64_t step = 0;
    for (uint32_t k = 0; k <= place && place < n; k++) {
      uint64_t cost = pool_of(sample, list[k]).cost_per_byte;
      uint64_t first = pool_of(sample, list[0]).cost_per_byte;
      uint64_t here = !costs ? k : cost > first ? cost - first : 0;
      step = here > step ? here : step;
    }
    sum += sample->buffers[i].spec.size_bytes * sample->buffers[i].spec.accesses * step;
  }
  return sum;
}

static bool place_safe(const struct sample *sample, uint32_t i, uint32_t pool, uint64_t offset) {
  const struct sample_buffer *buffer = &sample->buffers[i];
  if (offset == BERTH_NO_OFFSET || pool >= (sample->n_pools > 0 ? sample->n_pools : 1)) {
    return false;
  }
  const struct berth_pool_spec spec = pool_of(sample, pool);
  uint64_t size = buffer->spec.size_bytes;
  bool based = spec.base_alignment == 0 || buffer->spec.alignment <= spec.base_alignment;
  bool at_home = sample->n_groups > 0 ? (rigid_pools(sample, i) >> pool & 1) != 0
                                      : oracle_home(sample, i, pool) != BERTH_NO_INDEX;
  return based && at_home && offset % sample_alignment(sample, i, pool) == 0 &&
         (buffer->spec.pinned_offset == BERTH_UNPINNED || buffer->spec.pinned_offset == offset) &&
         size <= spec.max_block_bytes && size <= spec.capacity_bytes && offset <= spec.capacity_bytes - size;
}

/* Each member that has bytes lies where its group wants it, beside the one before it. */
static bool group_safe(
    const struct sample *sample, const struct sample_group *group, const uint32_t *pool,
    const uint64_t *offset) {
  uint32_t last = BERTH_NO_INDEX;
  uint32_t n_sized = 0;
  for (uint32_t k = 0; k < group->n_members; k++) {
    n_sized += sample->buffers[group->members[k]].spec.size_bytes > 0;
  }
  for (uint32_t k = 0; k < group->n_members && n_sized > 1; k++) {
    uint32_t i = group->members[k];
    if (sample->buffers[i].spec.size_bytes == 0) {
      continue;
    }
    for (uint32_t l = 0; l < group->n_members && last == BERTH_NO_INDEX; l++) { /* the first one */
      uint32_t other = group->members[l];
      bool binds = sample->buffers[other].spec.size_bytes > 0 && group->kind == BERTH_GROUP_CONTIGUOUS;
      if (binds && offset[i] % rigid_strictest(sample, other) != 0) {
        return false;
      }
    }
    if (last != BERTH_NO_INDEX) {
      uint64_t strictest = rigid_strictest(sample, i);
      uint64_t after = offset[last] + sample->buffers[last].spec.size_bytes;
      after = (after + strictest - 1) / strictest * strictest;
      if (pool[i] != pool[last] || offset[i] != (group->kind == BERTH_GROUP_SHARED ? offset[last] : after)) {
        return false;
      }
    }
    last = i;
  }
  return true;
}

bool oracle_safe(const struct sample *sample, const uint32_t *pool, const uint64_t *offset) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    if (!place_safe(sample, i, pool[i], offset[i])) {
      return false;
    }
  }
  for (uint32_t g = 0; g < sample->n_groups; g++) {
    if (!group_safe(sample, &sample->groups[g], pool, offset)) {
      return false;
    }
  }
  for (uint32_t a = 0; a < sample->n_buffers; a++) {
    for (uint32_t b = a + 1; b < sample->n_buffers; b++) {
      if (pool[a] == pool[b] && !oracle_pair_safe(sample, pool[a], a, offset[a], b, offset[b])) {
        return false;
      }
    }
  }
  return true;
}
