#include "oracle.h"

#include "berth/plan.h"

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

bool oracle_meet(const struct sample *sample, uint32_t a, uint32_t b) {
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

bool oracle_pair_safe(
    const struct sample *sample, bool slots, uint32_t a, uint64_t offset_a, uint32_t b, uint64_t offset_b) {
  uint64_t size_a = sample->buffers[a].spec.size_bytes;
  uint64_t size_b = sample->buffers[b].spec.size_bytes;
  if (size_a == 0 || size_b == 0 || !intersect(offset_a, offset_a + size_a, offset_b, offset_b + size_b)) {
    return true;
  }
  if (oracle_in_conflict(sample, a, b)) {
    return false;
  }
  if (slots) {
    return offset_a == offset_b && !oracle_meet(sample, a, b);
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

static bool allowed(const struct sample_buffer *buffer, uint32_t pool) {
  for (uint32_t k = 0; k < buffer->spec.n_pools; k++) {
    if (buffer->pools[k] == pool) {
      return true;
    }
  }
  return buffer->spec.n_pools == 0;
}

static bool place_safe(const struct sample *sample, uint32_t i, uint32_t pool, uint64_t offset) {
  const struct sample_buffer *buffer = &sample->buffers[i];
  if (offset == BERTH_NO_OFFSET || pool >= (sample->n_pools > 0 ? sample->n_pools : 1)) {
    return false;
  }
  const struct berth_pool_spec spec = pool_of(sample, pool);
  uint64_t size = buffer->spec.size_bytes;
  return allowed(buffer, pool) && offset % sample_alignment(sample, i, pool) == 0 &&
         (buffer->spec.pinned_offset == BERTH_UNPINNED || buffer->spec.pinned_offset == offset) &&
         size <= spec.max_block_bytes && size <= spec.capacity_bytes && offset <= spec.capacity_bytes - size;
}

bool oracle_safe(const struct sample *sample, const uint32_t *pool, const uint64_t *offset) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    if (!place_safe(sample, i, pool[i], offset[i])) {
      return false;
    }
  }
  for (uint32_t a = 0; a < sample->n_buffers; a++) {
    for (uint32_t b = a + 1; b < sample->n_buffers; b++) {
      bool slots = pool_of(sample, pool[a]).kind == BERTH_POOL_SLOTS;
      if (pool[a] == pool[b] && !oracle_pair_safe(sample, slots, a, offset[a], b, offset[b])) {
        return false;
      }
    }
  }
  return true;
}
