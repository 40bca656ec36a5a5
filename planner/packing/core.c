#include "packing/core.h"

#include <string.h>

#include "base/order.h"
#include "packing/exact/exact.h"
#include "packing/placement.h"
#include "packing/reduce.h"
#include "packing/sweep.h"

/* A core is what lives at a step of at least so many thousandths of the peak. */
static const uint32_t THRESHOLDS[] = {990, 970, 900, 800, 500, 0};

enum {
  N_THRESHOLDS = sizeof THRESHOLDS / sizeof THRESHOLDS[0],
  N_RESTS = 2,
  MOST_SEARCHED = 1 << 12, /* buffers of a core */
  SHARE = 3                /* of the effort that is left, for one core */
};

/* How the rest is placed. */
static const enum berth_placement_key RESTS[N_RESTS][4] = {
    {BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_START},
    {BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE},
};

struct core {
  struct berth_packing_search *search;
  struct berth_pairs pairs;
  uint64_t *load; /* the most in its lifetime, by buffer */
  uint64_t peak;
  uint32_t *chosen; /* the members of the core */
  uint32_t n_chosen;
  uint32_t *order; /* the core by offset, then the rest */
  uint32_t *rest;
  bool *is_chosen;
  enum berth_code code;
};

static bool may_go_on(const struct core *core) {
  return core->code == BERTH_OK && !berth_packing_done(core->search) &&
         core->search->effort->state == BERTH_EFFORT_RUNNING;
}

/* The pinned belong to every core: the rest is placed around them, too. */
static void choose(struct core *core, uint32_t threshold) {
  const struct berth_packing_instance *instance = core->search->instance;
  uint64_t least = core->peak / 1000 * threshold;
  core->n_chosen = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    bool is_pinned = berth_packing_is_pinned(instance, i);
    core->is_chosen[i] = core->load[i] >= least || is_pinned;
    if (core->is_chosen[i]) {
      core->chosen[core->n_chosen++] = i;
    }
  }
}

/* The best plan of the core within its share of the effort, if it is better than the best of all: else
 * *out_arena is the latter's. Its proofs hold for the whole where nothing is stacked. */
static enum berth_code search_core(
    struct berth_packing_search *search, const struct berth_reduction *reduction, uint64_t *out_offset,
    uint64_t *out_arena) {
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit;
  struct berth_packing_search inner = {
      .instance = &reduction->instance,
      .arena = search->arena,
      .effort = effort,
      .executor = search->executor,
      .switches = UINT32_MAX,
      .lower_bound = search->lower_bound,
      .best_arena = search->best_arena,
      .best_offset = out_offset,
      .any_fit = search->any_fit};
  if (effort->ticks < limit) {
    berth_effort_set_limit(effort, effort->ticks + (limit - effort->ticks) / SHARE);
  }
  enum berth_code code = berth_packing_exact.run(&inner);
  berth_effort_set_limit(effort, limit);
  if (!reduction->is_stacked && code == BERTH_OK) {
    search->infeasible = search->infeasible || inner.infeasible;
    berth_packing_raise_bound(search, inner.lower_bound);
  }
  *out_arena = inner.best_arena;
  return code;
}

/* Placed in this order at the lowest fit, no member lies higher than in the core's plan. */
static bool order_core(struct core *core, const struct berth_reduction *reduction, const uint64_t *offset) {
  struct berth_arena *arena = core->search->arena;
  uint32_t n = reduction->instance.n_buffers;
  uint32_t *by_offset = berth_arena_new(arena, uint32_t, n);
  if (by_offset == NULL) {
    return false;
  }
  berth_order_identity(n, by_offset);
  if (!berth_order_by_key(arena, n, offset, by_offset)) {
    return false;
  }
  uint32_t n_ordered = 0;
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t m = reduction->begin[by_offset[k]]; m < reduction->begin[by_offset[k] + 1]; m++) {
      core->order[n_ordered++] = reduction->members[m];
    }
  }
  return true;
}

/* A board for this core alone: what it takes while placing goes back with the core. */
static void place_rest(struct core *core) {
  const struct berth_packing_instance *instance = core->search->instance;
  struct berth_board board;
  if (!berth_board_init(&board, instance, &core->pairs, core->search->arena)) {
    core->code = BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t r = 0; r < N_RESTS && may_go_on(core); r++) {
    if (!berth_placement_order(instance, RESTS[r], core->search->arena, core->rest)) {
      core->code = BERTH_RESOURCE_EXHAUSTED;
      return;
    }
    uint32_t n_ordered = core->n_chosen;
    for (uint32_t k = 0; k < instance->n_buffers; k++) {
      if (!core->is_chosen[core->rest[k]]) {
        core->order[n_ordered++] = core->rest[k];
      }
    }
    berth_placement_pass(core->search, &board, core->order, BERTH_BOARD_LOWEST, &core->code);
  }
}

/* False if larger cores are of no use: too large, or a plan of this one alone is no better than the best of
 * all. */
static bool run_core(struct core *core) {
  struct berth_packing_search *search = core->search;
  struct berth_reduction reduction;
  uint64_t arena_bytes = BERTH_UNLIMITED;
  bool stack = (search->switches & BERTH_CORE_STACKS) != 0;
  if (!berth_packing_reduce(
          search->instance, core->chosen, core->n_chosen, stack, search->arena, &reduction)) {
    core->code = BERTH_RESOURCE_EXHAUSTED;
    return false;
  }
  if (reduction.instance.n_buffers > MOST_SEARCHED) {
    return false;
  }
  uint64_t *offset = berth_arena_new(search->arena, uint64_t, reduction.instance.n_buffers);
  core->code = BERTH_RESOURCE_EXHAUSTED;
  if (offset != NULL) {
    core->code = search_core(search, &reduction, offset, &arena_bytes);
  }
  if (!may_go_on(core) || arena_bytes >= search->best_arena) {
    return false;
  }
  if (!order_core(core, &reduction, offset)) {
    core->code = BERTH_RESOURCE_EXHAUSTED;
    return false;
  }
  place_rest(core);
  return true;
}

static enum berth_code prepare(struct core *core) {
  const struct berth_packing_instance *instance = core->search->instance;
  struct berth_arena *arena = core->search->arena;
  core->load = berth_arena_new(arena, uint64_t, instance->n_buffers);
  core->chosen = berth_arena_new(arena, uint32_t, instance->n_buffers);
  core->order = berth_arena_new(arena, uint32_t, instance->n_buffers);
  core->rest = berth_arena_new(arena, uint32_t, instance->n_buffers);
  core->is_chosen = berth_arena_new(arena, bool, instance->n_buffers);
  bool ok =
      core->load != NULL && core->chosen != NULL && core->order != NULL && core->rest != NULL &&
      core->is_chosen != NULL && berth_placement_loads(instance, arena, core->load, &core->peak) &&
      berth_pairs_init(&core->pairs, arena, instance->n_buffers, instance->n_conflicts, instance->conflicts);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

static enum berth_code run(struct berth_packing_search *search) {
  if (berth_sweep_only(search->instance) || search->instance->chains != NULL) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct core core = {.search = search};
  core.code = prepare(&core);
  uint32_t n_before = 0;
  bool is_useful = true;
  for (uint32_t t = 0; t < N_THRESHOLDS && is_useful && may_go_on(&core); t++) {
    choose(&core, THRESHOLDS[t]);
    if (core.n_chosen > n_before) {
      struct berth_arena_mark core_mark = berth_arena_mark(search->arena);
      is_useful = run_core(&core);
      berth_arena_rewind(search->arena, core_mark);
      n_before = core.n_chosen;
    }
  }
  berth_arena_rewind(search->arena, mark);
  return core.code;
}

const struct berth_packing_strategy berth_packing_core = {.name = "core", .run = run};
