/* One pass for a plan that keeps: who stays is put down first, the rest around it. */
#ifndef PACKING_KEEP_PLACE_H
#define PACKING_KEEP_PLACE_H

#include "packing/board.h"
#include "packing/keep.h"

struct berth_keep_pass {
  const struct berth_keep *keep;
  struct berth_pairs pairs;
  struct berth_board board;
  uint32_t *by_place; /* items with a place, by it */
  uint32_t n_by_place;
  bool is_checked; /* those who stay are known not to meet */
  uint32_t *lost;  /* who found no room below the limit */
  uint32_t n_lost;
  bool pins_meet; /* nobody else was placed then */
};

/* False if memory ran out. */
bool berth_keep_pass_init(struct berth_keep_pass *pass, const struct berth_keep *keep, bool is_checked);

/* Pins and those with stays[i] lie where they were (unless that is not checked and they meet: then stays[i]
 * becomes 0), the others in the order given, each where it was if that is free, else as low as it can.
 * RESOURCE_EXHAUSTED if memory ran out, or effort of which the caller finds the state. */
enum berth_code
berth_keep_pass_run(struct berth_keep_pass *pass, uint8_t *stays, const uint32_t *order) BERTH_MUST_USE;

/* Whom to push out for who is lost: of all windows below the limit the one under which those who stay weigh
 * the least; their stays[i] becomes 0. False if there is none, since pins are in the way of all. */
bool berth_keep_push(struct berth_keep_pass *pass, uint32_t lost, uint8_t *stays, enum berth_code *out_code);

#endif
