#include "honest.h"

#include "oracle.h"
#include "suite.h"

struct peak {
  uint64_t bytes;
  int64_t step;
};

static void see(struct peak *peak, uint64_t bytes, int64_t step) {
  if (bytes > peak->bytes || (bytes == peak->bytes && step < peak->step)) {
    *peak = (struct peak){bytes, step};
  }
}

static struct peak peak_of(const struct sample *sample, const uint32_t *pool_of, uint32_t pool) {
  struct peak peak = {0, INT64_MAX};
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    const struct sample_buffer *buffer = &sample->buffers[i];
    see(&peak, sample_live(sample, pool_of, pool, buffer->spec.lower), buffer->spec.lower);
    for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
      see(&peak, sample_live(sample, pool_of, pool, buffer->gaps[g].lower), buffer->gaps[g].lower);
      see(&peak, sample_live(sample, pool_of, pool, buffer->gaps[g].upper), buffer->gaps[g].upper);
    }
  }
  return peak;
}

static void measure_pool(
    const struct sample *sample, const uint32_t *pool_of, const uint64_t *offset, uint32_t pool,
    struct berth_pool_result *result) {
  struct peak peak = peak_of(sample, pool_of, pool);
  result->base_alignment = 1;
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    uint64_t size = sample->buffers[i].spec.size_bytes;
    if (pool_of[i] == pool) {
      result->class_bytes[sample->buffers[i].spec.class_] += size;
    }
    if (pool_of[i] == pool && size > 0) {
      uint64_t alignment = sample_alignment(sample, i, pool);
      result->base_alignment = alignment > result->base_alignment ? alignment : result->base_alignment;
      if (oracle_apart(sample, i, pool) && offset[i] + size > result->persistent_bytes) {
        result->persistent_bytes = offset[i] + size;
      }
      result->arena_bytes = offset[i] + size > result->arena_bytes ? offset[i] + size : result->arena_bytes;
    }
  }
  result->peak_bytes = result->lower_bound_bytes = peak.bytes;
  result->peak_step = peak.bytes > 0 ? peak.step : 0;
}

struct berth_plan *honest_plan(const struct sample *sample, const uint32_t *pool, const uint64_t *offset) {
  uint32_t n_pools = sample->n_pools > 0 ? sample->n_pools : 1;
  struct berth_plan *plan = berth_plan_create(NULL, sample->n_buffers, n_pools);
  ck_assert_ptr_nonnull(plan);
  plan->status = BERTH_PLAN_FEASIBLE;
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    berth_plan_pool_mut(plan)[i] = pool != NULL ? pool[i] : 0;
    berth_plan_offset_mut(plan)[i] = offset[i];
    berth_plan_slot_mut(plan)[i] = i;
    plan->class_bytes[sample->buffers[i].spec.class_] += sample->buffers[i].spec.size_bytes;
  }
  for (uint32_t p = 0; p < n_pools; p++) {
    struct berth_pool_result *result = &berth_plan_pools_mut(plan)[p];
    measure_pool(sample, plan->pool, offset, p, result);
    plan->arena_bytes += result->arena_bytes;
    plan->lower_bound_bytes += result->lower_bound_bytes;
  }
  plan->spill_cost = oracle_cost(sample, plan->pool);
  plan->naive_bytes = plan->reuse_bytes = sample_naive(sample);
  plan->peak_bytes = peak_of(sample, NULL, BERTH_NO_INDEX).bytes;
  return plan;
}
