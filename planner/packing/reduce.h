/* A smaller instance: some of the buffers, over the steps that matter to them, those with equal lifetimes
 * stacked as one. Stacks cost nothing where a plan has room for them and make a search of the rest possible:
 * most parameters of a model live equally long. */
#ifndef PACKING_REDUCE_H
#define PACKING_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "packing/instance.h"

struct berth_reduction {
  struct berth_packing_instance instance;
  uint32_t *begin;   /* the members of the reduced buffer k are members[begin[k] .. begin[k + 1]), */
  uint32_t *members; /* from the bottom of the stack to its top */
  bool is_stacked;   /* if not, what does not fit here does not fit in the whole either */
};

/* Of the buffers `chosen`. Where `stack` is set, those with equal lifetimes and alignments become one, but
 * for what is pinned, has gaps, pieces, or partners. Pairs of which one is not chosen are left out.
 * Everything comes from the arena; false if memory ran out or the arena's effort was stopped. */
bool berth_packing_reduce(
    const struct berth_packing_instance *instance, const uint32_t *chosen, uint32_t n_chosen, bool stack,
    struct berth_arena *arena, struct berth_reduction *out);

#endif
