/* The one interface behind which every way of packing stands. A strategy looks for plans that are better than
 * the incumbent, and may raise the proven bound; it stops when the two meet or its effort is spent. */
#ifndef PACKING_STRATEGY_H
#define PACKING_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/effort.h"
#include "berth/executor.h"
#include "berth/status.h"
#include "packing/instance.h"

struct berth_exact_rest;

/* Where a search may be left for another strategy's sake, and what is left of it. */
struct berth_packing_break {
  uint64_t ticks;                /* of the effort: from here on */
  struct berth_exact_rest *rest; /* in the search's arena; NULL: it has not begun, or has ended */
};

/* The state that strategies hand on to each other. */
struct berth_packing_search {
  const struct berth_packing_instance *instance;
  struct berth_arena *arena; /* scratch: a strategy rewinds to where it began, unless it leaves a rest */
  struct berth_effort *effort;
  const struct berth_executor *executor; /* may be NULL */
  uint32_t switches;     /* bit set of a strategy's own inferences; all on by default (UINT32_MAX) */
  uint64_t lower_bound;  /* proven; only rises */
  uint64_t best_arena;   /* of best_offset; BERTH_UNLIMITED while there is none */
  uint64_t *best_offset; /* n_buffers entries, owned by the caller */
  struct berth_packing_break *pause; /* may be NULL; for strategies that can be taken up again */
  bool infeasible;                   /* proven: nothing fits in the capacity */
  bool any_fit; /* only "does it fit" is asked: the first plan in the capacity ends the search */
  void *ctx;
  void (*on_improvement)(void *ctx, const struct berth_packing_search *search); /* may be NULL */
};

struct berth_packing_strategy {
  const char *name;
  /* BERTH_OK whatever was found, also when effort was spent; else BERTH_RESOURCE_EXHAUSTED. */
  enum berth_code (*run)(struct berth_packing_search *search);
};

/* True when nothing is left to do: proven optimal, proven infeasible, or (with a capacity) fitted when only
 * that is asked for. */
static inline bool berth_packing_done(const struct berth_packing_search *search) {
  return search->infeasible || search->best_arena <= search->lower_bound ||
         (search->any_fit && search->best_arena != BERTH_UNLIMITED);
}

/* Takes `offset` as the incumbent if its arena is smaller than the best so far; returns whether it was. */
bool berth_packing_offer(struct berth_packing_search *search, const uint64_t *offset, uint64_t arena_bytes);
/* Raises the bound and tells the listener if it rose. */
void berth_packing_raise_bound(struct berth_packing_search *search, uint64_t lower_bound);

#endif
