/* A window: some buffers of a plan, its members, that are placed again in some order at the lowest fit, while
 * all others stay where they are. The plan may stand upside down for it: then the lowest fit moves what is
 * placed up as far as it goes, and the next pass the right way up moves it down again. Placed in the order of
 * their offsets none comes to lie higher than it was (justification of schedules, Valls et al. 2005).
 *
 * Of who meets whom it takes the rows of bits: a fit is found by going through what is placed, by offset. */
#ifndef PACKING_WINDOW_H
#define PACKING_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "base/sort.h"
#include "interference/meetings.h"
#include "packing/instance.h"

struct berth_window {
  const struct berth_packing_instance *instance;
  const struct berth_meetings *meetings;
  struct berth_effort *effort;
  uint64_t *plan; /* offsets of all: the plan that the window is in */
  uint32_t n_members;
  uint32_t *members;
  uint32_t n_others; /* who meets a member */
  uint32_t *others;  /* by offset */
  uint32_t *upside;  /* and by their ends, the highest first */
  uint64_t height;   /* of the others */

  bool is_flipped;
  uint64_t flip; /* when flipped, the byte b is the byte flip - 1 - b of the plan */
  uint64_t *at;  /* of what is placed, as it stands */
  uint32_t n_placed;
  uint32_t *placed; /* by offset */
  uint64_t top;     /* of the members, as it stands */

  uint64_t grain; /* the strictest alignment */
  uint64_t *words;
  struct berth_sort_item *items; /* scratch, of twice all buffers */
};

/* Room for windows of any size; no members yet, and `plan` is to be filled. False if memory ran out. */
bool berth_window_init(
    struct berth_window *window, const struct berth_packing_instance *instance,
    const struct berth_meetings *meetings, struct berth_effort *effort, struct berth_arena *arena);

/* The members are the unpinned among the buffers [first, end). */
void berth_window_choose(struct berth_window *window, uint32_t first, uint32_t end);

/* Places the members in the order of their keys, the least first. False, and nothing stands, as soon as one
 * ends above the ceiling, or if effort is spent. */
bool berth_window_place(struct berth_window *window, const uint64_t *key, uint64_t ceiling);

/* Turns what stands upside down: the members are placed in the order of their ends, the highest first. False,
 * and nothing stands, if effort is spent. */
bool berth_window_flip(struct berth_window *window);

#endif
