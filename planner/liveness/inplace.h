/* Results in the place of operands, and operands inside results. A permission is used when nothing can go
 * wrong by it:
 *
 *   OVER    the operand's root is the planner's own or was donated, not kept to the end, and neither it nor
 *           any view of it is touched after the operator, in the next trip of a loop, nor by another entry of
 *           the operator's lists; the result is new at the operator, a root, not touched by another entry of
 *           its lists either, not larger than the operand, and neither of them is pinned; with streams,
 *           whoever else touches the operand has run for sure before, and nobody else writes the result; both
 *           agree on pools, and the operand's place suits the result's alignment; no other result lies
 *           there, and the result lies nowhere else.
 *   BEHIND  the same, but that the result may be larger, begins before the operand, and stays in the arena.
 *   INSIDE  the operand is a root, the planner's own, not kept to the end and not around a loop with the
 *           operator; nobody writes it later (with streams: who writes it has run for sure before, others may
 *           read it whenever they like), and nobody but the operator writes the result, which is new.
 *           What shares the operand's storage lies within the operand's bytes.
 *
 * From the operator on, the bytes of an operand inside are the result's: who reads the operand later reads
 * the result, which lives as long: they are one root. So of those that share storage, two that are live at
 * one step have bytes in common only at an operator with a used permission for the two.
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
  const bool *grouped;        /* of each value: it is in a group; NULL: none is */
  const uint32_t *pool_begin; /* as in berth_buffers, by value; may be NULL */
  const uint32_t *pools;
  const struct berth_pools *all_pools;
  /* Where sizes are expressions (else NULL): of each permission what they say, enum berth_inplace_answer; and
   * the sizes of `graph`, in which a result over an operand becomes no larger than that. */
  const uint8_t *by_size;
  const uint64_t *most; /* of each permission: the largest that the operand is at any binding */
  uint64_t *sizes;
  /* What pools say to a guest in a buffer whose pools are those of root `host`: USED, POOLS or MISALIGNED. */
  void *ctx;
  enum berth_inplace_answer (*may_join)(void *ctx, uint32_t host, uint32_t guest);
};

/* Where each value lies: `storage` is a root, the value's own unless it shares another's, and `offset` the
 * value's first byte in that storage, which is `extent` bytes (both of roots that are storage). */
struct berth_inplace_result {
  uint32_t *storage;
  uint64_t *offset;
  uint64_t *extent;
  uint64_t *alignment;
  bool *taken;                    /* of roots: a result lies in it, or it lies inside a result */
  int64_t *upper;                 /* of roots: with those that lie inside; an operand inside ends there */
  struct berth_accesses accesses; /* of roots with those inside, if there are clocks, */
  struct berth_accesses writes;   /* and those that write */
  uint32_t *first_op;             /* of roots, if there are clocks: the first of the list to touch it, */
  bool *is_shared;                /* and whether another may run before that one has */

  /* While permissions are settled: */
  uint32_t *parent; /* of roots: whose storage it shares, the root itself if it is storage */
  uint64_t *shift;  /* its first byte after that of `parent`, modulo 2^64 */
  int64_t *low;     /* of storage: the range of all that lies in it */
  int64_t *high;
  bool *placed;   /* of roots: a result that lies over or behind an operand */
  bool *hosts;    /* of roots: operands lie inside */
  uint32_t *host; /* of roots: inside which root it lies, the root itself if inside none */
  bool *meets;    /* of permissions: INSIDE, in the same bytes as another one */
  uint32_t *last_write;
  uint32_t *last_op; /* of roots: the last operator for which touches were counted, plus 1 */
  uint32_t *n_touches;
};

/* Everyone at home. False if memory ran out. */
bool berth_inplace_result_init(
    struct berth_inplace_result *result, struct berth_arena *arena, const struct berth_inplace_input *input,
    uint32_t n_permissions);

/* Writes the answers, and where results lie. Linear in the lists of the operators with permissions, and near
 * that in their number. False if memory ran out. */
bool berth_inplace_settle(
    const struct berth_inplace_input *input, struct berth_arena *arena, struct berth_permission *permissions,
    uint32_t n, struct berth_inplace_result *result);

#endif
