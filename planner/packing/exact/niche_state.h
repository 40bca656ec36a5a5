/* A partial packing in the niche search, changed by placing one buffer at a time and taken back in reverse.
 *
 * Every section has a floor, below which nothing more is placed, and a rest: the heights of the windows not
 * placed yet. An open buffer has a low, the lowest offset that the floors leave it, and in each of its
 * sections a bottom, where its window begins at that offset. Placing is always at the low. After each change
 * floors are lifted to the least bottom of their open members, so that equal situations look equal; a floor
 * plus rest above the section's ceiling, or a low above the buffer's own, refutes. */
#ifndef PACKING_EXACT_NICHE_STATE_H
#define PACKING_EXACT_NICHE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "packing/exact/niche_model.h"

#define BERTH_NICHE_NONE UINT32_MAX

struct berth_niche_change {
  uint32_t what; /* kind in the top two bits */
  int64_t before;
};

struct berth_niche_state {
  const struct berth_niche_model *model;
  struct berth_arena *arena;
  struct berth_effort *effort;
  int64_t *ceiling;         /* of each buffer: the largest offset + size */
  int64_t *section_ceiling; /* the largest of its members' */
  bool is_uniform;          /* all ceilings are equal, no masks, no pins: stacks may be permuted */
  int64_t *floor;
  int64_t *rest;
  uint32_t *n_crossing;  /* open buffers live in this section and the next one */
  uint32_t *witness;     /* the place in `members` of an open one whose bottom is the floor, if it still is */
  uint64_t *open_hash;   /* two words a section: of the open buffers that begin there */
  uint64_t *member_hash; /* of the open buffers whose hull holds the section */
  int64_t *low;
  uint64_t *raised_in; /* the last step in which the low was kept in the trail; NULL without windows: there a
                        * step raises each once */
  uint64_t n_steps;
  int64_t *offset;
  uint8_t *is_placed;
  uint32_t n_placed;
  uint64_t *buffer_hash; /* two words each */
  struct berth_niche_change *trail;
  size_t n_trail;
  size_t trail_capacity;
  uint32_t dirty_lower; /* sections whose members' lows have risen */
  uint32_t dirty_upper;
  uint32_t *ranked; /* the members of each section, best rank first */
  uint32_t *starting_begin;
  uint32_t *starting; /* the buffers whose hull begins at each section, best rank first */
};

enum berth_code berth_niche_state_init(
    struct berth_niche_state *state, const struct berth_niche_model *model, struct berth_arena *arena,
    struct berth_effort *effort) BERTH_MUST_USE;

/* Nothing placed, for a capacity in bytes. False if it is refuted at once. Of no use if the effort is stopped
 * meanwhile; nor is the next one then. */
bool berth_niche_state_reset(struct berth_niche_state *state, uint64_t capacity);

/* Sorts the lists of members by rank: `order` is a permutation of the buffers. */
void berth_niche_state_rank(struct berth_niche_state *state, const uint32_t *order);

/* Room in the trail for one change of any kind; false if memory ran out. */
bool berth_niche_state_reserve(struct berth_niche_state *state);

/* Each returns BERTH_NICHE_NONE, or the section that refutes what it leads to. */
uint32_t berth_niche_state_place(struct berth_niche_state *state, uint32_t buffer);
uint32_t berth_niche_state_raise(struct berth_niche_state *state, uint32_t section, int64_t floor);
uint32_t berth_niche_state_lift(struct berth_niche_state *state, uint32_t buffer, int64_t low);

void berth_niche_state_undo(struct berth_niche_state *state, size_t n_trail);

#endif
