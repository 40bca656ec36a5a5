/* The partial order of operators on streams, as vector clocks over the streams (a chain decomposition: Fidge
 * 1988, Mattern 1989). An operator runs after the one before it on its stream and after those it waits for;
 * nothing else is known. clock[o][s] counts the operators of stream s that have run when o has.
 *
 * A region runs as one: what comes before any of its operators comes before all of them, and what comes after
 * any of them, outside it, comes after all. Branches of one choice never run together, so that the later ones
 * of the list count as coming after the earlier; nor do trips of a loop. */
#ifndef LIVENESS_CLOCKS_H
#define LIVENESS_CLOCKS_H

#include "base/arena.h"
#include "berth/problem.h"

/* Operators times streams, and values times streams: what the clocks may take. */
#define BERTH_CLOCKS_MAX (UINT64_C(1) << 26)

struct berth_clocks {
  uint32_t n_streams;
  uint32_t n_operators;
  const uint32_t *stream;
  uint32_t *position;        /* of each operator on its stream, from 1 */
  uint32_t *clock;           /* n_operators x n_streams */
  uint32_t *begin;           /* n_streams + 1: where each stream begins in `line` */
  uint32_t *line;            /* the operators, stream by stream */
  uint32_t *sync_begin;      /* of each operator: where its added waits begin; NULL if there are none */
  const uint32_t *innermost; /* region of each operator; NULL if there are no regions */
  uint32_t *region_entry;    /* n_regions x n_streams: what has run when the region begins, */
  uint32_t *region_exit;     /* and when all of it has run */
};

static inline uint32_t berth_clocks_n_streams(const struct berth_graph *graph) {
  uint32_t n = 1;
  for (uint32_t op = 0; graph->operator_stream != NULL && op < graph->n_operators; op++) {
    n = graph->operator_stream[op] >= n ? graph->operator_stream[op] + 1 : n;
  }
  return n;
}

/* Somebody who may know more: called when all is known that has run before `op`, which is in no region or is
 * the first of one that is in no other (then for all of that region). May add to `clock`. */
struct berth_clocks_guest {
  void *ctx;
  void (*arrive)(void *ctx, const struct berth_clocks *clocks, uint32_t op, uint32_t *clock);
};

/* O((n_operators + waits) x n_streams), with regions times their depth. False if memory ran out. Waits are
 * for earlier operators. */
bool berth_clocks_make(
    struct berth_clocks *clocks, struct berth_arena *arena, const struct berth_graph *graph,
    uint32_t n_streams);

/* The same with a guest, or NULL. */
bool berth_clocks_make_with(
    struct berth_clocks *clocks, struct berth_arena *arena, const struct berth_graph *graph,
    uint32_t n_streams, const struct berth_clocks_guest *guest);
/* What has run when `source`, which comes before `op`, has: with the largest region around it that `op` is
 * not in, all of that. */
const uint32_t *berth_clocks_lesson(
    const struct berth_clocks *clocks, const struct berth_graph *graph, uint32_t source, uint32_t op);

static inline const uint32_t *berth_clock_of(const struct berth_clocks *clocks, uint32_t op) {
  return clocks->clock + (size_t)op * clocks->n_streams;
}

/* Whether `first` has run for sure when `second` begins. */
static inline bool berth_clocks_before(const struct berth_clocks *clocks, uint32_t first, uint32_t second) {
  return first != second && berth_clock_of(clocks, second)[clocks->stream[first]] >= clocks->position[first];
}

/* What is known of the accesses to many things (values or buffers): `last[s]` is the last position on stream
 * s that touches the thing, 0 if none does; `known[s]` is how many of stream s have run for sure when any of
 * them begins. All that is done to A comes before all that is done to B if and only if last_A[s] <=
 * known_B[s] for every s. */
struct berth_accesses {
  uint32_t n_streams;
  uint32_t *last;
  uint32_t *known;
};

/* Nobody has touched anything: all-zero `last`, UINT32_MAX `known`. False if memory ran out. */
bool berth_accesses_init(
    struct berth_accesses *accesses, struct berth_arena *arena, const struct berth_clocks *clocks, size_t n);
void berth_accesses_touch(
    struct berth_accesses *accesses, const struct berth_clocks *clocks, uint32_t thing, uint32_t op);

/* As if every operator of the region did. */
void berth_accesses_cover(
    struct berth_accesses *accesses, const struct berth_clocks *clocks, uint32_t thing, uint32_t region);

static inline const uint32_t *berth_accesses_last(const struct berth_accesses *accesses, uint32_t thing) {
  return accesses->last + (size_t)thing * accesses->n_streams;
}
static inline const uint32_t *berth_accesses_known(const struct berth_accesses *accesses, uint32_t thing) {
  return accesses->known + (size_t)thing * accesses->n_streams;
}

/* Whether each of `last` has run for sure by `clock`. */
static inline bool berth_accesses_within(const uint32_t *last, const uint32_t *clock, uint32_t n_streams) {
  for (uint32_t s = 0; s < n_streams; s++) {
    if (last[s] > clock[s]) {
      return false;
    }
  }
  return true;
}

#endif
