/* The order that streams, waits and regions enforce, as the judge works it out; and which buffers may follow
 * each other in the same bytes. Only for graphs with more than one stream. */
#ifndef VERIFY_ORDER_H
#define VERIFY_ORDER_H

#include "verify/placement.h"
#include "verify/roots.h"

struct berth_verify_order {
  const struct berth_graph *graph;
  uint32_t n_streams;
  uint32_t *position;  /* of each operator on its stream, from 1 */
  uint32_t *region_of; /* of each operator: the innermost region, plus 1 */
  uint32_t *ran;  /* operators, then beginnings and ends of regions, x streams: how many of each stream have
                     run when  the operator begins, or the region has begun or ended */
  uint32_t *last; /* buffers x streams: the last position that touches the buffer; 0 if none */
  uint32_t *sure; /* buffers x streams: how many have run for sure when the buffer is first touched */
};

enum berth_code berth_verify_order_make(
    struct berth_verify_order *order, const struct berth_graph *graph, struct berth_verify_added added,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

/* Fills `last` and `sure`, from who touches what and what is given or kept. */
enum berth_code berth_verify_order_buffers(
    struct berth_verify_order *order, const struct berth_verify_roots *roots, uint32_t n_buffers,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

/* Whether `first` has run for sure when `second` begins. */
bool berth_verify_runs_before(const struct berth_verify_order *order, uint32_t first, uint32_t second);

/* Accesses to one thing, told one after the other: `last` and `sure` are rows of n_streams, 0 and UINT32_MAX
 * before the first. */
void berth_verify_order_note(
    const struct berth_verify_order *order, uint32_t *last, uint32_t *sure, uint32_t op);
void berth_verify_order_note_region(
    const struct berth_verify_order *order, uint32_t *last, uint32_t *sure, uint32_t region);

/* When all was told: what is given and never touched is there for the first step, as in a total order. */
void berth_verify_order_settle(const struct berth_verify_order *order, uint32_t *last);

/* Whether all that `last` tells of comes before all that `sure` does. */
static inline bool berth_verify_order_within(
    const struct berth_verify_order *order, const uint32_t *last, const uint32_t *sure) {
  for (uint32_t s = 0; s < order->n_streams; s++) {
    if (last[s] > sure[s]) {
      return false;
    }
  }
  return true;
}

/* Whether every access to buffer `earlier` comes before every access to buffer `later`. */
bool berth_verify_may_follow(const struct berth_verify_order *order, uint32_t earlier, uint32_t later);

/* No bytes pass from one buffer, or slice of one, to a later one that is not ordered after it. A sweep in the
 * order of addition that keeps, for every byte, its last tenant: if each is ordered after the one before it,
 * all are. Of a pool of slots all buffers are whole. */
enum berth_code berth_verify_sequence(
    const struct berth_verify_facts *facts, const struct berth_verify_places *places,
    struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) BERTH_MUST_USE;

#endif
