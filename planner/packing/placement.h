/* Placement: one pass over the buffers in some order, each put where it fits. A portfolio of orders and fits,
 * among them what other planners do: greedy by size, XLA's spatial and temporal best fit, TFLite's greedy,
 * first fit by start. */
#ifndef PACKING_PLACEMENT_H
#define PACKING_PLACEMENT_H

#include "packing/board.h"
#include "packing/strategy.h"

/* A bit of `switches` for each method; the first alone gives a plan to start from. */
#define BERTH_PLACEMENT_FIRST UINT32_C(1)
#define BERTH_PLACEMENT_TIGHT                                                                                \
  (UINT32_MAX << 14) /* the methods that look for tight fits: slow where n is large */
extern const struct berth_packing_strategy berth_packing_placement;

enum berth_placement_key {
  BERTH_PLACEMENT_END = 0, /* of a list of keys */
  BERTH_PLACEMENT_SIZE,    /* largest first */
  BERTH_PLACEMENT_LIFE,    /* longest first */
  BERTH_PLACEMENT_AREA,    /* size times lifetime, largest first */
  BERTH_PLACEMENT_START,   /* earliest first */
  BERTH_PLACEMENT_FINISH,  /* latest end first */
  BERTH_PLACEMENT_DEGREE,  /* size times conflicts, largest first */
  BERTH_PLACEMENT_LOAD,    /* the most loaded step in its lifetime, most first */
  BERTH_PLACEMENT_WHOLE,   /* always live first */
  BERTH_PLACEMENT_ALIGN,   /* strictest alignment first */
  BERTH_PLACEMENT_NEAR,    /* live at a step whose load is at least 99 % of the peak first */
  BERTH_PLACEMENT_AT_PEAK, /* live at a step of the peak first */
  BERTH_N_PLACEMENT_KEYS
};

/* Sorts by the keys in turn (the first decides, up to 4, ended by BERTH_PLACEMENT_END), ties in canonical
 * order. */
bool berth_placement_order(
    const struct berth_packing_instance *instance, const enum berth_placement_key *keys,
    struct berth_arena *arena, uint32_t *out_order);

/* The largest load in the lifetime of each buffer, and of all. False if memory ran out or the arena's effort
 * was stopped. */
bool berth_placement_loads(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_load,
    uint64_t *out_peak);

/* One pass on a fresh board, pinned buffers first. Gives up, with false, as soon as the plan cannot be better
 * than the incumbent or fit the capacity, or when effort is spent; else offers the plan. Sets *out_code if
 * memory ran out. */
bool berth_placement_pass(
    struct berth_packing_search *search, struct berth_board *board, const uint32_t *order,
    enum berth_board_fit fit, enum berth_code *out_code);

#endif
