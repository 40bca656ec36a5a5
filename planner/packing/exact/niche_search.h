/* Complete depth-first search for a packing within a capacity.
 *
 * Any packing can be pushed down until every buffer rests on the ground or on another. Take a niche: a
 * stretch of sections with one floor between higher ones. In a pushed-down packing, the lowest open buffer
 * over a section of the niche lies on its floor, and then it fits inside the niche, or it lies at the top of
 * a buffer beside it or higher. So one section is a complete choice: each buffer that fits there, or raising
 * that section's floor. We choose the section with the fewest choices over all niches, not the lowest one,
 * and that is what makes the search small.
 *
 * With gaps, pairs or windows, a section is a choice if all that lie on its floor leave no room below them in
 * any other section. If no section is, the buffer of the lowest reference is placed or lifted: nothing open
 * can be below it, if references say who is below whom. Where they do not, a search may still find.
 *
 * When no open buffer crosses a boundary, the two sides are independent: each is solved once, and a side that
 * is refuted returns to the choice that split them. */
#ifndef PACKING_EXACT_NICHE_SEARCH_H
#define PACKING_EXACT_NICHE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "packing/exact/niche_memo.h"
#include "packing/exact/niche_nogoods.h"
#include "packing/exact/niche_state.h"

/* Inferences, each of which may be left out without changing an answer. */
enum berth_niche_switch {
  BERTH_NICHE_MEMO = 1 << 0,     /* refuted situations are not searched again */
  BERTH_NICHE_SPLIT = 1 << 1,    /* independent stretches of time are solved apart */
  BERTH_NICHE_TWINS = 1 << 2,    /* of equal buffers only the first is tried */
  BERTH_NICHE_GROUND = 1 << 3,   /* what spans a flat range goes to its bottom, without choice */
  BERTH_NICHE_ANYWHERE = 1 << 4, /* choose among all niches, not the lowest only */
  BERTH_NICHE_NOGOODS = 1 << 5,  /* what a stretch of time refuted is known again whatever is beside it */
};

enum berth_niche_pick {
  BERTH_NICHE_FEWEST = 0, /* choices; then the least slack */
  BERTH_NICHE_TIGHTEST,   /* the least slack; then choices */
  BERTH_NICHE_TROUBLED,   /* choices divided by how often the section has refuted */
};

enum berth_niche_outcome {
  BERTH_NICHE_FOUND = 0,
  BERTH_NICHE_REFUTED,
  BERTH_NICHE_EXHAUSTED, /* not found where it looked, which was not everywhere */
  BERTH_NICHE_LIMIT,     /* of nodes */
  BERTH_NICHE_STOPPED,   /* no more effort */
  BERTH_NICHE_NO_MEMORY,
};

/* A range of sections still to be solved, and the node that made it. */
struct berth_niche_range {
  uint32_t lower;
  uint32_t upper;
  uint32_t parent;
  uint32_t next; /* the ranges to solve after it */
};

struct berth_niche_node {
  uint32_t lower;
  uint32_t upper;
  uint32_t parent;
  uint32_t next;
  uint32_t n_ranges; /* to be restored on return */
  uint32_t section;  /* of the raise, or NONE: it is about */
  uint32_t lifted;   /* this buffer */
  int64_t raise_to;
  uint32_t choice; /* the next one to try */
  uint32_t choice_end;
  size_t n_trail;
  uint64_t n_before;      /* nodes of the search, when it was opened */
  uint32_t touched_lower; /* the sections that its refutation is about */
  uint32_t touched_upper;
  bool is_partial; /* choices were left out below it: its end proves nothing */
  struct berth_niche_key key;
};

struct berth_niche_search {
  struct berth_niche_state state;
  struct berth_niche_memo memo;
  uint32_t switches;
  enum berth_niche_pick pick;
  /* Jump back over choices that do not touch the sections of a refutation. Floors may depend on others, so a
   * run that jumped proves nothing and ends with LIMIT; but it is not caught in one stretch of time by
   * choices in another. */
  bool may_jump;
  struct berth_niche_nogoods *nogoods; /* may be NULL; for runs that may jump */
  const int64_t *guide;                /* offsets that are tried first, -1 for none; may be NULL */
  int64_t *deepest;    /* out, may be NULL: offsets when most were placed at once, -1 for who was not */
  double *weight;      /* of each section: how often it refuted, over all runs */
  uint32_t *n_refuted; /* the same in this run */
  uint32_t n_deepest;  /* the most buffers placed at once in this run */
  uint64_t n_nodes;    /* over all runs */
  uint64_t salt;       /* runs with another one do not share the memo */
  uint64_t capacity_salt;
  uint64_t *section_salt; /* two words each */
  uint32_t *n_choices;    /* scratch */
  uint8_t *is_settled;    /* the same, of each buffer */
  bool has_guessed;       /* situations were taken as refuted that may not be */
  struct berth_niche_node *nodes;
  size_t node_capacity;
  struct berth_niche_range *ranges;
  size_t range_capacity;
  uint32_t *choices;
  size_t choice_capacity;
};

enum berth_code berth_niche_search_init(
    struct berth_niche_search *search, const struct berth_niche_model *model, struct berth_arena *arena,
    struct berth_effort *effort) BERTH_MUST_USE;

/* A larger memo, empty; false if memory ran out. */
bool berth_niche_search_grow_memo(struct berth_niche_search *search, size_t n_slots);

/* Searches at most n_nodes more. After FOUND the offsets are in the state, in units. */
enum berth_niche_outcome
berth_niche_search_run(struct berth_niche_search *search, uint64_t capacity, uint64_t n_nodes);

#endif
