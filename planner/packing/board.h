/* The board: what is placed so far, and where the next buffer fits, in any order of placing.
 *
 * A segment tree over the steps. Each node keeps two sets of byte ranges, as sorted disjoint ranges that
 * merge when they touch: `touch`, taken by any buffer that is live anywhere in the node's steps, and `full`,
 * taken by buffers that are live in all of them (kept only where the parent's steps are not all covered). The
 * bytes that are not free for a lifetime are then the union of O(log steps) sets: `touch` of the nodes that
 * make it up and `full` of their ancestors. Packings are dense, so wide nodes hold few ranges, and a fit is
 * found by hopping over them: no pairs are ever listed. Ranges are only added; take back by clearing.
 *
 * Where chains say who meets whom, the steps are twice the places on the chains: a buffer lies in its
 * stretches of the first half and at its own place in the second, and avoids what lies at its place in the
 * first and in its stretches of the second. Live windows are not used then. */
#ifndef PACKING_BOARD_H
#define PACKING_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sort.h"
#include "interference/pairs.h"
#include "packing/instance.h"

enum { BERTH_BOARD_SIZE_CLASSES = 32 };

struct berth_board_range {
  uint64_t begin;
  uint64_t end;
};

struct berth_board_set {
  struct berth_board_range *ranges;
  uint32_t n;
  uint32_t size_class; /* room for 2^size_class ranges, if `ranges` is not NULL */
};

struct berth_board {
  const struct berth_packing_instance *instance;
  struct berth_arena *arena;
  const struct berth_pairs *pairs;
  uint32_t n_leaves;             /* a power of two >= n_steps */
  uint64_t grain;                /* every offset is a multiple: ranges end on it, so that they merge */
  struct berth_board_set *touch; /* 2 * n_leaves, the root at 1 */
  struct berth_board_set *full;  /* n_leaves: at a leaf it is the same as `touch` */
  uint32_t *pinned; /* buffers, by where they are pinned: placed in this order they only append */
  uint32_t n_pinned;
  uint64_t *offset;                      /* of each buffer; BERTH_NO_PLACE until placed */
  uint64_t top;                          /* largest offset + size so far */
  struct berth_sort_item *partner_items; /* scratch for the partners of one buffer */
  struct berth_board_range *partner_ranges;
  void *unused[BERTH_BOARD_SIZE_CLASSES];
  uint64_t n_visited; /* ranges looked at so far: the effort */
};

#define BERTH_NO_PLACE UINT64_MAX

enum berth_board_fit {
  BERTH_BOARD_LOWEST = 0, /* the lowest offset at which it fits */
  BERTH_BOARD_TIGHTEST, /* the smallest gap that it fits in, the lowest of them; above all if there is none */
};

/* Everything comes from the arena, now and while placing. False if memory ran out. */
bool berth_board_init(
    struct berth_board *board, const struct berth_packing_instance *instance, const struct berth_pairs *pairs,
    struct berth_arena *arena);
void berth_board_clear(struct berth_board *board);

/* The offset that `fit` gives buffer i, never above `limit`: BERTH_NO_PLACE if there is none up to there. A
 * buffer with live windows, and one with partners, takes the lowest. */
uint64_t berth_board_find(struct berth_board *board, uint32_t i, enum berth_board_fit fit, uint64_t limit);

/* Whether buffer i can lie at `offset` beside what is placed. */
bool berth_board_is_free(struct berth_board *board, uint32_t i, uint64_t offset);

/* False if memory ran out: the board must then be dropped. */
bool berth_board_place(struct berth_board *board, uint32_t i, uint64_t offset);

#endif
