/* What the judge derives of the roots of a graph: the values that own storage, with their views. */
#ifndef VERIFY_ROOTS_H
#define VERIFY_ROOTS_H

#include "verify/facts.h"

struct berth_verify_roots {
  const struct berth_graph *graph;
  int64_t *lower; /* by value; only those of roots count */
  int64_t *upper;
  bool *given;    /* before the first operator runs */
  bool *kept;     /* to the end of the run */
  bool *produced; /* by an operator */
};

static inline uint32_t berth_verify_root(const struct berth_graph *graph, uint32_t value) {
  return graph->value_root != NULL ? graph->value_root[value] : value;
}

enum berth_code berth_verify_roots_derive(
    struct berth_verify_roots *roots, const struct berth_graph *graph, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
