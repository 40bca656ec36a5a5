/* Compositions inside: what they are checked for, and the order that their parts come to. */
#ifndef PROBLEM_TOGETHER_H
#define PROBLEM_TOGETHER_H

#include "base/arena.h"
#include "berth/together.h"
#include "problem/problem.h"

/* How the parts lie in time. Where the relation is that of a partial order, the parts are cut into chains, in
 * which each comes after the one before; each chain has `width` components of the clocks. Where it is not,
 * or where a total order says more (gaps, groups), all parts are one chain, and `pairs` of parts must be kept
 * apart buffer by buffer. */
struct berth_together_order {
  uint32_t n_chains;
  uint32_t n_components; /* 0: a total order */
  uint32_t *chain;       /* of each part */
  uint32_t *component;   /* of each chain: its first */
  uint64_t *base;        /* of each part: its chain's time when it begins */
  uint64_t *length;      /* of each part */
  int64_t *first;        /* of each part: the least of its own steps */
  uint64_t *before;      /* parts x chains: the chain's time that is over when the part begins */
  uint64_t *end;         /* of each chain */
  uint32_t *cluster;     /* of each part: of those that are ordered, directly or by way of others */
  uint32_t n_clusters;
  bool has_pairs;
};

struct berth_together {
  const struct berth_composition *given;
  struct berth_arena *arena;
  struct berth_error *err;
  uint32_t n;             /* parts */
  uint8_t *at_once;       /* n x n */
  uint32_t *buffer_begin; /* n + 1 */
  uint32_t *buffer;       /* of all parts: the buffer of the whole */
  uint32_t n_buffers;     /* of the whole */
  uint32_t *owner;        /* of each: its part, or BERTH_NO_INDEX */
  uint32_t *own;          /* of each: its index in its part, or in the first part that has it */
  uint32_t *first_part;   /* of each shared one: that part */
  struct berth_together_order order;
};

/* The parts, pools, sets and shared buffers as given: fills at_once and the buffers. */
enum berth_code berth_together_check(struct berth_together *together);
enum berth_code berth_together_arrange(struct berth_together *together);

/* Lives through all parts. */
static inline bool berth_together_stays(const struct berth_together *together, uint32_t buffer) {
  uint32_t part = together->owner[buffer];
  if (part == BERTH_NO_INDEX) {
    return true;
  }
  const struct berth_buffers *buffers = berth_problem_buffers(together->given->parts[part].problem);
  uint8_t class_ = buffers->class_[together->own[buffer]];
  return class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
}

#endif
