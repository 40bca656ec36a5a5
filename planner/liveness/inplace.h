/* Results in the place of operands. A permission is used when nothing can go wrong by it:
 *
 *   the operand's root is the planner's own or was donated, not kept to the end, and neither it nor any view
 * of it is touched *   after the operator, in the next trip of a loop, nor by another entry of the operator's
 * lists; *   the result is new at the operator, a root, not touched by another entry of its lists either, not
 * larger than the operand, and neither of them is pinned; *   with streams, whoever else touches the operand
 * has run for sure before, and nobody else writes the result; both name the same pools, and the operand's
 * place suits the result's alignment; no other result lies there, and the result lies nowhere else.
 *
 * Permissions are settled in the order given (so by operator), each once and for all. */
#ifndef LIVENESS_INPLACE_H
#define LIVENESS_INPLACE_H

#include "base/arena.h"
#include "liveness/clocks.h"

struct berth_inplace_input {
  const struct berth_clocks *clocks; /* NULL for a total order */
  const uint32_t *innermost;         /* region of each operator; NULL if there are no regions */
  const struct berth_graph *graph;   /* lists, flags, sizes, alignments, views */
  const int64_t *lower;              /* of roots: with their views' */
  const int64_t *upper;
  const uint8_t *family; /* of roots: set of enum berth_liveness_family */
  const uint64_t *pin;   /* of the first n_pins values; the others are not pinned */
  uint32_t n_pins;
  const uint32_t *pool_begin; /* as in berth_buffers, by value; may be NULL */
  const uint32_t *pools;
};

/* Where each value lies: `storage` is a root, the value's own unless it was written in place of another, and
 * `offset` the value's first byte in it. */
struct berth_inplace_result {
  uint32_t *storage;
  uint64_t *offset;
  bool *taken;                    /* of roots: a result lies in it */
  uint32_t *last_op;              /* of roots: the last operator for which touches were counted, plus 1 */
  uint32_t *n_touches;            /* by that operator */
  struct berth_accesses accesses; /* of roots, if there are clocks */
  uint32_t *n_names;              /* of roots: values that are it or views of it, if there are clocks */
};

/* Everyone at home. False if memory ran out. */
bool berth_inplace_result_init(
    struct berth_inplace_result *result, struct berth_arena *arena, const struct berth_graph *graph,
    const struct berth_clocks *clocks);

/* Writes the answers, and where results lie. Linear in the lists of the operators with permissions. */
void berth_inplace_settle(
    const struct berth_inplace_input *input, struct berth_permission *permissions, uint32_t n,
    struct berth_inplace_result *result);

#endif
