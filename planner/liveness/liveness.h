/* Liveness: from operators in a total order to the lifetime of every value. Operator k runs at step k, and
 * all that it touches is live at that step; lifetimes are half-open. A graph without operators has one step.
 */
#ifndef LIVENESS_LIVENESS_H
#define LIVENESS_LIVENESS_H

#include "liveness/clocks.h"

enum berth_liveness_fault {
  BERTH_LIVENESS_OK = 0,
  BERTH_LIVENESS_OUT_OF_MEMORY,
  BERTH_LIVENESS_WRITES_CONSTANT,
  BERTH_LIVENESS_WRITES_INPUT,    /* an INPUT has its producer outside already; not accumulated */
  BERTH_LIVENESS_SECOND_PRODUCER, /* not accumulated */
  BERTH_LIVENESS_WRITES_TWICE,    /* one operator lists an output twice */
  BERTH_LIVENESS_READ_BEFORE_WRITE,
  BERTH_LIVENESS_RACE,          /* read while another stream may not have written it yet */
  BERTH_LIVENESS_HIDDEN,        /* written only in a region that need not have run; first_op is the region */
  BERTH_LIVENESS_NEVER_WRITTEN, /* neither produced nor given from outside */
};

/* What is known of a root and all its views together. */
enum berth_liveness_family {
  BERTH_FAMILY_GIVEN = 1,    /* there before the first operator runs */
  BERTH_FAMILY_KEPT = 2,     /* still needed after the last one */
  BERTH_FAMILY_CONSTANT = 4, /* nobody may write it */
  BERTH_FAMILY_WRITTEN = 8,
};

/* What is wrong, and with whom; BERTH_NO_INDEX where there is no operator. */
struct berth_liveness_finding {
  enum berth_liveness_fault fault;
  uint32_t value;
  uint32_t op;
  uint32_t first_op; /* SECOND_PRODUCER: the first one; READ_BEFORE_WRITE, RACE: the producer, if any */
};

/* Writes value v's lifetime to lower[v] and upper[v] (n_values entries each): of a root the hull with all its
 * views', of a view its own. `family` (n_values entries, zeroed) is written for roots. Reads the graph's
 * value_class, value_flags, lists and, if value_root is there, value_view_offset and value_size_bytes.
 * O(n_values + list entries). `clocks` is NULL for a total order. The finding is the first in order of
 * operators. */
struct berth_liveness_finding berth_liveness_derive(
    const struct berth_graph *graph, const struct berth_clocks *clocks,
    const struct berth_allocator *allocator, int64_t *lower, int64_t *upper, uint8_t *family);

static inline uint32_t berth_liveness_root(const struct berth_graph *graph, uint32_t value) {
  return graph->value_root != NULL ? graph->value_root[value] : value;
}

/* The number of steps. */
static inline int64_t berth_liveness_n_steps(const struct berth_graph *graph) {
  return graph->n_operators == 0 ? 1 : graph->n_operators;
}

#endif
