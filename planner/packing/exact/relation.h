/* A complete search for instances whose buffers hold byte windows, where what lies under a window may still
 * be used and floors say nothing.
 *
 * Every pair that meets has open ranges of differences offset[b] - offset[a] that are forbidden. A node holds
 * bounds on all offsets and the arcs decided so far, offset[to] >= offset[from] + weight. The least offsets
 * that satisfy bounds, arcs and alignments are a packing as soon as no difference is forbidden; else one
 * forbidden range is decided either way. */
#ifndef PACKING_EXACT_RELATION_H
#define PACKING_EXACT_RELATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/status.h"
#include "packing/strategy.h"

/* For a < b: the differences strictly between `below` and `above` are forbidden. */
struct berth_forbidden {
  uint32_t a;
  uint32_t b;
  int64_t below;
  int64_t above;
};

struct berth_relation_arc {
  uint32_t from;
  uint32_t to;
  int64_t weight;
  uint32_t next_of_from; /* the arc before it that leaves the same buffer */
  uint32_t next_of_to;
};

struct berth_relation_bound {
  uint32_t buffer;
  bool is_high;
  int64_t before;
};

struct berth_relation {
  const struct berth_packing_instance *instance;
  struct berth_effort *effort;
  struct berth_arena *arena;
  struct berth_forbidden *forbidden;
  uint32_t n_forbidden;
  int64_t most_alignment;
  int64_t *low;
  int64_t *high;
  uint32_t *first_from; /* arcs, last first; NONE ends */
  uint32_t *first_to;
  struct berth_relation_arc *arcs; /* room for one a forbidden range */
  uint32_t n_arcs;
  struct berth_relation_bound *trail;
  size_t n_trail;
  size_t trail_capacity;
  uint32_t *queue; /* buffers whose bounds have moved, a ring */
  uint8_t *is_queued;
  uint32_t queue_begin;
  uint32_t n_queued;
};

enum berth_relation_result {
  BERTH_RELATION_FINE = 0,
  BERTH_RELATION_REFUTED,
  BERTH_RELATION_STOPPED,
  BERTH_RELATION_NO_MEMORY,
};

/* False in out_usable if there are too many pairs, or effort is spent before they are listed. */
enum berth_code berth_relation_init(
    struct berth_relation *relation, const struct berth_packing_instance *instance, struct berth_arena *arena,
    struct berth_effort *effort, bool *out_usable) BERTH_MUST_USE;

/* No arcs, and the bounds of the capacity. */
enum berth_relation_result berth_relation_reset(struct berth_relation *relation, uint64_t capacity);
/* Decides a forbidden range: the difference is at least `above`, or at most `below`. */
enum berth_relation_result
berth_relation_decide(struct berth_relation *relation, uint32_t range, bool is_above);
/* Decides all ranges that the bounds leave one side of. */
enum berth_relation_result berth_relation_close(struct berth_relation *relation);
void berth_relation_undo(struct berth_relation *relation, size_t n_trail, uint32_t n_arcs);

/* Minimises, or fits; offers every plan and raises the bound. */
enum berth_code
berth_relation_run(struct berth_relation *relation, struct berth_packing_search *packing) BERTH_MUST_USE;

#endif
