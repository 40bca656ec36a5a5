#include "base/checked.h"
#include "berth/variants.h"

static uint64_t behind(uint64_t end, const struct berth_pool_result *pool) {
  uint64_t begin = 0;
  if (pool->arena_bytes == 0) {
    return end;
  }
  bool fits = berth_round_up_u64(end, pool->base_alignment != 0 ? pool->base_alignment : 1, &begin);
  return fits ? berth_add_sat_u64(begin, pool->arena_bytes) : UINT64_MAX;
}

struct berth_variants_need
berth_variants_need(const struct berth_plan *const *plans, uint32_t n_plans, uint32_t pool) {
  struct berth_variants_need need = {0};
  for (uint32_t i = 0; i < n_plans; i++) {
    if (plans[i] == NULL || plans[i]->offset == NULL || pool >= plans[i]->n_pools) {
      continue;
    }
    const struct berth_pool_result *result = &plans[i]->pools[pool];
    need.largest_bytes = result->arena_bytes > need.largest_bytes ? result->arena_bytes : need.largest_bytes;
    need.sum_bytes = behind(need.sum_bytes, result);
    need.is_rewritten = need.is_rewritten || result->class_bytes[BERTH_CLASS_CONSTANT] != 0 ||
                        result->class_bytes[BERTH_CLASS_STATE] != 0;
  }
  return need;
}
