#include "verify/facts.h"

enum berth_code berth_verify_gather(
    struct berth_verify_facts *facts, const struct berth_problem *problem, struct berth_arena *arena,
    struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  const struct berth_pools *pools = berth_problem_pools(problem);
  const struct berth_graph *graph = berth_problem_graph(problem);
  *facts = (struct berth_verify_facts){
      .problem = problem,
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
      .n_conflicts = buffers->n_conflicts,
      .conflicts = buffers->conflicts,
      .n_pools = pools->n,
      .pools = pools->items,
  };
  return graph != NULL ? berth_verify_derive(facts, problem, arena, err) : BERTH_OK;
}
