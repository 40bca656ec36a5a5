/* A separation: all buffers lie below a height, some of them on each other, and are moved one at a time until
 * none is. Who shares bytes with another waits in a queue. In its turn it makes these pairs weigh more, and
 * goes where what it shares, times the weights, is least: guided local search (Voudouris and Tsang 1999; for
 * packing Faroe, Pisinger and Zachariasen 2003, with the least overlap along a line as Egeblad, Nielsen and
 * Odgaard 2007). */
#ifndef PACKING_SEPARATION_H
#define PACKING_SEPARATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "base/rng.h"
#include "base/sort.h"
#include "packing/neighbours.h"

/* A pair that has shared bytes, of one side. */
struct berth_separation_link {
  uint32_t other;
  uint32_t weight;
  uint32_t next;
};

/* One whom the buffer in turn meets: the bytes that it holds. */
struct berth_separation_met {
  uint32_t buffer;
  uint32_t weight;
  uint64_t begin;
  uint64_t end;
};

/* Up to the next one a byte is held by such a weight of those met. */
struct berth_separation_step {
  uint64_t from;
  int64_t weight;
};

struct berth_separation {
  const struct berth_packing_instance *instance;
  struct berth_neighbours neighbours;
  struct berth_effort *effort;
  struct berth_rng rng;
  uint64_t height;
  uint64_t least;  /* what is smaller takes no part yet */
  uint64_t *at;    /* offsets; none that is not pinned ends above the height */
  double shared;   /* the bytes that pairs share, about, all together */
  uint32_t *queue; /* a ring */
  uint32_t first;
  uint32_t n_queued;
  bool *is_queued;
  bool *is_moved; /* of where it is to begin */
  uint64_t n_turns;

  struct berth_separation_link *links;
  uint32_t n_links;
  uint32_t unused;
  uint32_t *first_link; /* of each buffer */

  uint32_t n_met;
  uint32_t *listed;
  struct berth_separation_met *met;
  uint32_t *weight;              /* of each buffer, to the one in turn */
  struct berth_sort_item *edges; /* of those met */
  struct berth_sort_item *scratch;
  struct berth_separation_step *steps;
};

/* Instances with live windows, or larger than 2^62 bytes, have none; nor have those of more than
 * BERTH_MEETINGS_MOST buffers: a turn takes a look at all that the buffer meets, and is not interrupted. */
bool berth_separation_fits(const struct berth_packing_instance *instance, uint64_t arena_bytes);

/* False if memory ran out or effort was stopped. */
bool berth_separation_init(
    struct berth_separation *separation, const struct berth_packing_instance *instance,
    struct berth_effort *effort, struct berth_arena *arena);

/* From a plan on (NULL: from all at 0), as far as it lies below the height, which holds every buffer and all
 * that is pinned: all pairs weigh alike. What is smaller than `least` takes no part until it is admitted.
 * Both are false if effort is spent. */
bool berth_separation_begin(
    struct berth_separation *separation, const uint64_t *offset, uint64_t height, uint64_t least);
bool berth_separation_admit(struct berth_separation *separation);

/* One turn; nothing happens if nobody waits. False if effort is spent. */
bool berth_separation_turn(struct berth_separation *separation);

#endif
