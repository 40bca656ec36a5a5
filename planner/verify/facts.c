#include "verify/groups.h"
#include "verify/order.h"

/* Stated clocks are the order; the sums of their components lie apart wherever it orders. */
static enum berth_code order_by_clocks(
    struct berth_verify_facts *facts, const struct berth_buffers *buffers, struct berth_arena *arena,
    struct berth_error *err) {
  size_t n_clocks = buffers->n_clocks;
  struct berth_verify_order *order = berth_arena_new(arena, struct berth_verify_order, 1);
  int64_t *lower = berth_arena_new_zeroed(arena, int64_t, buffers->n);
  int64_t *upper = berth_arena_new_zeroed(arena, int64_t, buffers->n);
  uint32_t *sure = berth_arena_new(arena, uint32_t, buffers->n * n_clocks);
  uint32_t *last = berth_arena_new(arena, uint32_t, buffers->n * n_clocks);
  if (order == NULL || lower == NULL || upper == NULL || sure == NULL || last == NULL) {
    return berth_fail_memory(err);
  }
  for (size_t i = 0; i < buffers->n; i++) {
    for (size_t c = i * n_clocks; c < (i + 1) * n_clocks; c++) {
      sure[c] = buffers->clock_lower[c];
      last[c] = buffers->clock_upper[c];
      lower[i] += sure[c];
      upper[i] += last[c];
    }
    if (upper[i] <= lower[i]) {
      return berth_fail(
          err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, (uint32_t)i, NULL,
          "the clocks of buffer %zu end too early", i);
    }
  }
  *order = (struct berth_verify_order){.n_streams = buffers->n_clocks, .sure = sure, .last = last};
  facts->lower = lower;
  facts->upper = upper;
  facts->order = order;
  return BERTH_OK;
}

enum berth_code berth_verify_gather(
    struct berth_verify_facts *facts, const struct berth_problem *problem, struct berth_verify_added added,
    struct berth_arena *arena, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  const struct berth_pools *pools = berth_problem_pools(problem);
  const struct berth_graph *graph = berth_problem_graph(problem);
  *facts = (struct berth_verify_facts){
      .problem = problem,
      .added = added,
      .n = buffers->n,
      .size = buffers->size_bytes,
      .alignment = buffers->alignment,
      .pin = buffers->pinned_offset,
      .lower = buffers->lower,
      .upper = buffers->upper,
      .class_ = buffers->class_,
      .gap_begin = buffers->gap_begin,
      .gaps = buffers->gaps,
      .pool_begin = buffers->pool_begin,
      .allowed_pools = buffers->pools,
      .accesses = buffers->accesses,
      .n_conflicts = buffers->n_conflicts,
      .conflicts = buffers->conflicts,
      .groups = berth_problem_groups(problem),
      .n_pools = pools->n,
      .pools = pools->items,
  };
  enum berth_code code = BERTH_OK;
  if (graph != NULL) {
    code = berth_verify_derive(facts, problem, arena, err);
  } else if (buffers->n_clocks != 0) {
    code = order_by_clocks(facts, buffers, arena, err);
  }
  return code == BERTH_OK ? berth_verify_storages(facts, arena, err) : code;
}
