#include "berth/solve.h"

#include <string.h>

#include "berth/restate.h"
#include "packing/bound.h"
#include "packing/build.h"
#include "packing/core.h"
#include "packing/divide.h"
#include "packing/exact/exact.h"
#include "packing/improve.h"
#include "packing/justify.h"
#include "packing/placement.h"
#include "packing/precedence_bound.h"
#include "packing/separate.h"
#include "packing/strategy.h"
#include "problem/problem.h"
#include "solve/task.h"

struct berth_solve_options berth_solve_options_default(void) {
  return (struct berth_solve_options){
      .budget_ticks = BERTH_DEFAULT_BUDGET_TICKS,
      .capacity_bytes = BERTH_UNLIMITED,
      .strategies = BERTH_ALL_STRATEGIES,
      .reuse = BERTH_REUSE_FULL,
      .sync = {.cost_bytes = BERTH_NO_SYNCS, .max_syncs = UINT32_MAX}};
}

static bool is_on(const struct berth_solve_task *task, enum berth_strategy strategy) {
  return (task->options.strategies >> strategy & 1) != 0;
}

/* ---- Whole-problem figures: peak and colouring ---- */

static enum berth_code colour_all(struct berth_solve_task *task, struct berth_colouring *out) {
  const struct berth_buffers *buffers = task->buffers;
  struct berth_arena *arena = &task->arena;
  struct berth_packing_instance all; /* one pool of everything, for its columns */
  struct berth_timeline timeline;
  enum berth_code code =
      berth_packing_build_slots(buffers, task->order, buffers->n, 1, BERTH_UNLIMITED, arena, &all, &timeline);
  uint64_t *load = code == BERTH_OK ? berth_arena_new(arena, uint64_t, timeline.n_steps) : NULL;
  uint32_t peak;
  if (load == NULL || !berth_packing_load(&all, &task->effort, load, &peak)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  task->peak_bytes = buffers->n > 0 ? load[peak] : 0;
  struct berth_colouring_input input = {
      .timeline = &timeline,
      .size = all.size,
      .n_conflicts = all.n_conflicts,
      .conflicts = all.conflicts,
      .order = all.chains != NULL ? &all.order : NULL};
  return berth_colour(&input, arena, &task->effort, is_on(task, BERTH_STRATEGY_COLOURING), out);
}

/* Only the slots stay in the arena. */
static enum berth_code colour(struct berth_solve_task *task) {
  uint32_t *slot = berth_arena_new(&task->arena, uint32_t, task->buffers->n);
  if (slot == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  struct berth_arena_mark mark = berth_arena_mark(&task->arena);
  enum berth_code code = colour_all(task, &task->colouring);
  if (code == BERTH_OK) {
    bool is_copied =
        berth_effort_copy(&task->effort, slot, task->colouring.slot, task->buffers->n * sizeof *slot);
    code = is_copied ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
    task->colouring.slot = slot;
  }
  berth_arena_rewind(&task->arena, mark);
  return code;
}

/* ---- Pools ---- */

static bool make_pools(struct berth_solve_task *task) {
  struct berth_assignment *assignment = &task->assignment;
  uint32_t n = task->pools->n;
  *assignment = (struct berth_assignment){
      .buffers = task->buffers,
      .n_pools = n,
      .pools = berth_arena_new_zeroed(&task->arena, struct berth_packing_pool, n),
      .choice = berth_arena_new_zeroed(&task->arena, uint32_t, task->buffers->n)};
  if (assignment->pools == NULL || assignment->choice == NULL) {
    return false;
  }
  for (uint32_t p = 0; p < n; p++) {
    const struct berth_pool_spec *spec = &task->pools->items[p];
    struct berth_packing_pool *pool = &assignment->pools[p];
    *pool = (struct berth_packing_pool){
        .kind = spec->kind,
        .alignment = spec->alignment,
        .capacity = spec->capacity_bytes,
        .arena_bytes = BERTH_UNLIMITED,
        .max_block = spec->max_block_bytes,
        .base_alignment = spec->base_alignment,
        .cost_per_byte = spec->cost_per_byte,
        .persistence = spec->persistence};
    assignment->has_costs |= spec->cost_per_byte != 0;
    if (p == 0 && task->options.capacity_bytes < pool->capacity) {
      pool->capacity = task->options.capacity_bytes;
    }
  }
  return true;
}

/* The smallest arenas first, whatever is kept in them. */
static bool is_least(const struct berth_solve_task *task) {
  return task->options.stable != NULL && task->options.stable->is_least;
}

struct listener {
  struct berth_solve_task *task;
  struct berth_packing_pool *pool;
};

static void on_improvement(void *ctx, const struct berth_packing_search *search) {
  struct listener *listener = ctx;
  listener->pool->arena_bytes = search->best_arena;
  if (listener->pool->is_exact && !listener->pool->is_held) {
    listener->pool->lower_bound = search->lower_bound;
  }
  berth_solve_tell(listener->task);
}

static enum berth_code run_until(
    struct berth_solve_task *task, struct berth_packing_pool *pool,
    const struct berth_packing_strategy *strategy, uint32_t switches, struct berth_packing_break *pause) {
  struct listener listener = {.task = task, .pool = pool};
  struct berth_packing_search search = {
      .instance = &pool->instance,
      .arena = &task->arena,
      .effort = &task->effort,
      .executor = task->options.executor,
      .switches = switches,
      .lower_bound =
          pool->is_held && pool->held_bound > pool->lower_bound ? pool->held_bound : pool->lower_bound,
      .best_arena = pool->arena_bytes,
      .best_offset = pool->offset,
      .pause = pause,
      .infeasible = pool->infeasible,
      .any_fit = task->options.capacity_bytes != BERTH_UNLIMITED && pool->capacity != BERTH_UNLIMITED &&
                 !is_least(task),
      .ctx = &listener,
      .on_improvement = on_improvement};
  if (berth_packing_done(&search) || task->effort.state != BERTH_EFFORT_RUNNING) {
    return BERTH_OK;
  }
  enum berth_code code = strategy->run(&search);
  if (code == BERTH_RESOURCE_EXHAUSTED && task->effort.state == BERTH_EFFORT_STOPPED) {
    code = BERTH_OK; /* it could not go on, and need not */
  }
  pool->arena_bytes = search.best_arena;
  if (pool->is_held) {
    pool->held_bound = search.lower_bound;
  } else if (pool->is_exact) {
    pool->lower_bound = search.lower_bound;
    pool->infeasible = search.infeasible;
  }
  return code;
}

static enum berth_code run_strategy(
    struct berth_solve_task *task, struct berth_packing_pool *pool,
    const struct berth_packing_strategy *strategy, uint32_t switches) {
  return run_until(task, pool, strategy, switches, NULL);
}

/* Strategies in the order in which they run. Small pools are searched completely first, which also improves;
 * what a short search leaves open is justified, and then searched on with all that is left; of large ones
 * their cores are searched, for a short time, then they are improved and moved apart, and tight fits, which
 * cost most there, are tried late.
 */
struct phase {
  enum berth_strategy strategy;
  uint32_t share; /* of the pool's budget that is left: one in so many */
  uint32_t switches;
  const struct berth_packing_strategy *run;
};

enum { LARGE = 4000 };

static const struct phase SMALL_PHASES[] = {
    {BERTH_STRATEGY_ANTICHAIN, 4, UINT32_MAX, &berth_packing_antichain},
    {BERTH_STRATEGY_EXACT, 16, UINT32_MAX, &berth_packing_exact},
    {BERTH_STRATEGY_JUSTIFY, 16, UINT32_MAX, &berth_packing_justify},
    {BERTH_STRATEGY_EXACT, 1, UINT32_MAX, &berth_packing_exact},
    {BERTH_STRATEGY_CORE, 2, UINT32_MAX, &berth_packing_core},
    {BERTH_STRATEGY_IMPROVE, 1, UINT32_MAX, &berth_packing_improve},
    {0, 0, 0, NULL},
};
static const struct phase LARGE_PHASES[] = {
    {BERTH_STRATEGY_EXACT, 16, UINT32_MAX, &berth_packing_contract},
    {BERTH_STRATEGY_ANTICHAIN, 4, UINT32_MAX, &berth_packing_antichain},
    {BERTH_STRATEGY_CORE, 16, UINT32_MAX, &berth_packing_core},
    {BERTH_STRATEGY_IMPROVE, 3, UINT32_MAX, &berth_packing_improve},
    {BERTH_STRATEGY_SEPARATE, 2, UINT32_MAX, &berth_packing_separate},
    {BERTH_STRATEGY_PLACEMENT, 2, BERTH_PLACEMENT_TIGHT, &berth_packing_placement},
    {BERTH_STRATEGY_CORE, 2, UINT32_MAX, &berth_packing_core},
    {BERTH_STRATEGY_EXACT, 1, UINT32_MAX, &berth_packing_exact},
    {BERTH_STRATEGY_IMPROVE, 1, UINT32_MAX, &berth_packing_improve},
    {0, 0, 0, NULL},
};

/* Under a partial order a pass of the board is dear, and what goes by time is beside the point. */
static const struct phase SMALL_PARTIAL_PHASES[] = {
    {BERTH_STRATEGY_ANTICHAIN, 4, UINT32_MAX, &berth_packing_antichain},
    {BERTH_STRATEGY_PLACEMENT, 8, ~BERTH_PLACEMENT_FIRST, &berth_packing_placement},
    {BERTH_STRATEGY_EXACT, 16, UINT32_MAX, &berth_packing_exact},
    {BERTH_STRATEGY_JUSTIFY, 16, UINT32_MAX, &berth_packing_justify},
    {BERTH_STRATEGY_SEPARATE, 2, UINT32_MAX, &berth_packing_separate},
    {BERTH_STRATEGY_EXACT, 2, UINT32_MAX, &berth_packing_exact},
    {BERTH_STRATEGY_SEPARATE, 1, UINT32_MAX, &berth_packing_separate},
    {BERTH_STRATEGY_JUSTIFY, 1, UINT32_MAX, &berth_packing_justify},
    {0, 0, 0, NULL},
};
static const struct phase LARGE_PARTIAL_PHASES[] = {
    {BERTH_STRATEGY_ANTICHAIN, 4, UINT32_MAX, &berth_packing_antichain},
    {BERTH_STRATEGY_JUSTIFY, 8, UINT32_MAX, &berth_packing_justify},
    {BERTH_STRATEGY_SEPARATE, 1, UINT32_MAX, &berth_packing_separate},
    {BERTH_STRATEGY_PLACEMENT, 4, ~BERTH_PLACEMENT_FIRST, &berth_packing_placement},
    {BERTH_STRATEGY_CORE, 4, UINT32_MAX, &berth_packing_core},
    {BERTH_STRATEGY_IMPROVE, 2, UINT32_MAX, &berth_packing_improve},
    {BERTH_STRATEGY_JUSTIFY, 1, UINT32_MAX, &berth_packing_justify},
    {0, 0, 0, NULL},
};

static bool is_partial(const struct berth_packing_pool *pool) {
  return pool->instance.order.n_clocks > 0 && pool->instance.slices == NULL;
}

static const struct phase *phases_for(const struct berth_packing_pool *pool) {
  if (is_partial(pool)) {
    return pool->n_members > LARGE ? LARGE_PARTIAL_PHASES : SMALL_PARTIAL_PHASES;
  }
  return pool->n_members > LARGE ? LARGE_PHASES : SMALL_PHASES;
}

/* The first pass is made whatever the budget. */
static enum berth_code run_placement(struct berth_solve_task *task, struct berth_packing_pool *pool) {
  uint64_t limit = task->effort.limit;
  berth_effort_set_limit(&task->effort, UINT64_MAX);
  enum berth_code code = run_strategy(task, pool, &berth_packing_placement, BERTH_PLACEMENT_FIRST);
  berth_effort_set_limit(&task->effort, limit);
  if (code == BERTH_OK && is_on(task, BERTH_STRATEGY_PLACEMENT) && !is_partial(pool)) {
    uint32_t left_out = pool->n_members > LARGE ? BERTH_PLACEMENT_TIGHT : 0;
    code = run_strategy(task, pool, &berth_packing_placement, ~BERTH_PLACEMENT_FIRST & ~left_out);
  }
  return code;
}

/* Told to stop, it could not go on, and need not. */
static bool
has_plan_to_stop_with(const struct berth_solve_task *task, const struct berth_packing_pool *pool) {
  return task->effort.state == BERTH_EFFORT_STOPPED && pool->arena_bytes != BERTH_UNLIMITED;
}

/* Sharing is never worse than not sharing: where alignment made it so, what is apart is a plan, too. (Pins
 * that were placed do not meet; of others that is not known.) */
static enum berth_code place_apart(struct berth_solve_task *task, struct berth_packing_pool *pool) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < pool->n_members; k++) {
    sum += task->buffers->size_bytes[pool->members[k]];
  }
  bool unsure = pool->instance.pin != NULL && pool->arena_bytes == BERTH_UNLIMITED;
  sum = pool->item_of == NULL ? sum : 0; /* one storage counts once */
  if (pool->arena_bytes <= sum || unsure || pool->infeasible) {
    return BERTH_OK;
  }
  struct berth_packing_instance instance = pool->instance;
  struct berth_arena_mark mark = berth_arena_mark(&task->arena);
  enum berth_code code = BERTH_RESOURCE_EXHAUSTED;
  if (berth_packing_forbid_reuse(&pool->instance, &task->arena)) {
    code = run_placement(task, pool);
  }
  berth_arena_rewind(&task->arena, mark);
  pool->instance = instance;
  return code == BERTH_RESOURCE_EXHAUSTED && has_plan_to_stop_with(task, pool) ? BERTH_OK : code;
}

/* A plan to start from. */
static enum berth_code place_pool(struct berth_solve_task *task, struct berth_packing_pool *pool) {
  bool reuse = task->options.reuse != BERTH_REUSE_NONE;
  if (pool->kind == BERTH_POOL_SLOTS) {
    return berth_packing_pool_slots(pool, task->buffers, reuse, &task->arena, &task->effort);
  }
  if (pool->n_members == 0) {
    pool->arena_bytes = 0;
    return BERTH_OK;
  }
  enum berth_code code = run_placement(task, pool);
  return code == BERTH_OK && reuse ? place_apart(task, pool) : code;
}

enum { DIVIDE_SHARE = 2 }; /* of the budget */

/* One round over the pools with the present assignment: every pool gets a plan, or the first that does not is
 * `refused`. */
static enum berth_code place_pools(struct berth_solve_task *task) {
  bool reuse = task->options.reuse != BERTH_REUSE_NONE;
  task->refused = BERTH_NO_INDEX;
  if (!berth_assign_members(&task->assignment, task->order, &task->arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    struct berth_packing_pool *pool = &task->assignment.pools[p];
    enum berth_code code = berth_packing_pool_prepare(pool, task->buffers, reuse, &task->arena);
    if (code != BERTH_OK) {
      return code;
    }
  }
  for (uint32_t p = 0; p < task->assignment.n_pools && task->refused == BERTH_NO_INDEX; p++) {
    struct berth_packing_pool *pool = &task->assignment.pools[p];
    berth_assign_recall(&task->assignment, p);
    enum berth_code code = place_pool(task, pool);
    code = code == BERTH_OK ? berth_solve_recall(task, p) : code;
    if (code != BERTH_OK) {
      return code;
    }
    if (pool->arena_bytes == BERTH_UNLIMITED) {
      task->refused = p;
    }
  }
  return BERTH_OK;
}

/* Rounds until all pools have plans, or nobody can move on: each moves at least one buffer down its list. */
static enum berth_code place_in_rounds(struct berth_solve_task *task) {
  for (;;) {
    struct berth_arena_mark mark = berth_arena_mark(&task->arena);
    enum berth_code code = place_pools(task);
    if (code != BERTH_OK || task->refused == BERTH_NO_INDEX) {
      return code;
    }
    uint32_t n_moved = 0;
    if (task->effort.state != BERTH_EFFORT_STOPPED && task->assignment.n_pools > 1) {
      uint64_t limit = task->effort.limit; /* as the first pass: whatever the budget */
      berth_effort_set_limit(&task->effort, UINT64_MAX);
      code = berth_assign_spill(&task->assignment, task->refused, &task->arena, &task->effort, &n_moved);
      berth_effort_set_limit(&task->effort, limit);
    }
    if (code != BERTH_OK || n_moved == 0) {
      return code;
    }
    berth_arena_rewind(&task->arena, mark);
  }
}

/* A division of the buffers over the pools that costs less than the one that rounds came to, or the proof
 * that there is none, or none at all. */
static enum berth_code divide(struct berth_solve_task *task) {
  struct berth_assignment *assignment = &task->assignment;
  bool is_placed = task->refused == BERTH_NO_INDEX;
  struct berth_division division = {
      .cost = is_placed ? berth_assign_total_cost(assignment) : UINT64_MAX,
      .bound = assignment->cost_bound,
      .offset = berth_arena_new(&task->arena, uint64_t, task->buffers->n)};
  if (division.cost == assignment->cost_bound || task->effort.state != BERTH_EFFORT_RUNNING) {
    return BERTH_OK;
  }
  if (division.offset == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t limit = task->effort.limit;
  uint64_t left = limit > task->effort.ticks ? limit - task->effort.ticks : 0;
  berth_effort_set_limit(&task->effort, task->effort.ticks + left / DIVIDE_SHARE);
  bool reuse = task->options.reuse != BERTH_REUSE_NONE;
  enum berth_code code = berth_divide(assignment, task->order, reuse, &task->arena, &task->effort, &division);
  berth_effort_set_limit(&task->effort, limit);
  bool is_any = is_placed || division.is_found;
  assignment->cost_bound =
      is_any && division.bound > assignment->cost_bound ? division.bound : assignment->cost_bound;
  task->is_indivisible = !is_any && division.is_complete;
  if (code == BERTH_OK && division.is_found) {
    assignment->known_offset = division.offset;
    code = place_pools(task);
  }
  return code;
}

static enum berth_code place(struct berth_solve_task *task) {
  if (!berth_assign_first(&task->assignment, task->order, &task->effort, &task->homeless)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_code code = berth_solve_prefer(task);
  if (code != BERTH_OK || (task->homeless != BERTH_NO_INDEX && task->assignment.n_pools > 1)) {
    return code;
  }
  bool is_stable = task->options.stable != NULL; /* what is kept may make arenas larger than these */
  task->is_settled = task->assignment.n_pools == 1 && (!is_stable || is_least(task));
  code = place_in_rounds(task);
  bool has_moved = task->assignment.spilled && is_on(task, BERTH_STRATEGY_EXACT) && !is_stable;
  return code == BERTH_OK && has_moved ? divide(task) : code;
}

/* ---- Better plans and better bounds ---- */

bool berth_solve_is_searched(const struct berth_packing_pool *pool) {
  bool meeting = pool->instance.pin != NULL && pool->instance.pins_may_meet;
  return pool->kind == BERTH_POOL_BYTES && pool->n_members > 0 && !meeting;
}

static bool is_any_refused(const struct berth_solve_task *task) {
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    if (task->assignment.pools[p].arena_bytes == BERTH_UNLIMITED) {
      return true;
    }
  }
  return false;
}

/* A pool that placement refused may have a plan now. */
static void look_again(struct berth_solve_task *task) {
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    struct berth_packing_pool *pool = &task->assignment.pools[p];
    pool->arena_bytes = pool->n_members > 0 ? pool->arena_bytes : 0;
    if (pool->arena_bytes == BERTH_UNLIMITED) {
      return;
    }
  }
  task->refused = BERTH_NO_INDEX;
}

static uint64_t budget_left(const struct berth_solve_task *task, uint64_t limit) {
  return limit > task->effort.ticks ? limit - task->effort.ticks : 0;
}

/* The strategies that are switched on, within `limit` ticks in total. */
static enum berth_code
search_pool(struct berth_solve_task *task, struct berth_packing_pool *pool, uint64_t limit) {
  const struct phase *phases = phases_for(pool);
  struct berth_packing_break pause = {0};
  struct berth_arena_mark mark = berth_arena_mark(&task->arena);
  enum berth_code code = BERTH_OK;
  for (; phases->run != NULL && code == BERTH_OK; phases++) {
    if (!is_on(task, phases->strategy)) {
      continue;
    }
    pause.ticks = task->effort.ticks + budget_left(task, limit) / phases->share;
    bool may_pause = /* under a partial order it would come to no break and take all */
        phases->run == &berth_packing_exact && phases->share > 1 && pool->instance.order.n_clocks == 0;
    berth_effort_set_limit(&task->effort, may_pause ? limit : pause.ticks);
    pause.ticks = may_pause ? pause.ticks : UINT64_MAX;
    code = run_until(task, pool, phases->run, phases->switches, &pause);
  }
  berth_exact_drop(pause.rest);
  berth_arena_rewind(&task->arena, mark);
  return code;
}

static enum berth_code
search_slots(struct berth_solve_task *task, struct berth_packing_pool *pool, uint64_t limit) {
  if (!is_on(task, BERTH_STRATEGY_EXACT) || task->is_kept_once) { /* who stays, stays */
    return BERTH_OK;
  }
  berth_effort_set_limit(&task->effort, limit);
  enum berth_code code = berth_packing_pool_search_slots(pool, &task->arena, &task->effort);
  if (code == BERTH_RESOURCE_EXHAUSTED && task->effort.state == BERTH_EFFORT_STOPPED) {
    code = BERTH_OK; /* it could not go on, and need not */
  }
  berth_solve_tell(task);
  return code;
}

enum { WHOLE_SHARE = 2 }; /* of the pool's budget */

/* Buffers of which only slices are live are planned whole as well, which all strategies can do, and which is
 * a plan of the slices: so these never take more than it does. What is proven of it holds for it alone. Not
 * where an earlier plan says who stays. */
static enum berth_code
search_whole(struct berth_solve_task *task, struct berth_packing_pool *pool, uint64_t limit) {
  if (pool->instance.slices == NULL || pool->item_of != NULL || task->options.stable != NULL ||
      pool->persistence != BERTH_PERSISTENCE_MIXED) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(&task->arena);
  struct berth_packing_pool whole = *pool;
  enum berth_code code = berth_packing_build_slots(
      task->buffers, pool->members, pool->n_members, pool->alignment, pool->capacity, &task->arena,
      &whole.instance, NULL);
  whole.instance.piece_begin = NULL;
  whole.arena_bytes = BERTH_UNLIMITED; /* a plan of slices is none to start from */
  whole.offset = berth_arena_new(&task->arena, uint64_t, pool->n_members);
  whole.is_exact = true;
  whole.infeasible = false;
  code = code == BERTH_OK && whole.offset == NULL ? BERTH_RESOURCE_EXHAUSTED : code;
  code = code == BERTH_OK ? run_placement(task, &whole) : code;
  code = code == BERTH_OK ? search_pool(task, &whole, limit) : code;
  if (code == BERTH_OK && whole.arena_bytes < pool->arena_bytes) {
    pool->arena_bytes = whole.arena_bytes;
    memcpy(pool->offset, whole.offset, pool->n_members * sizeof *pool->offset);
  }
  berth_arena_rewind(&task->arena, mark);
  return code;
}

static enum berth_code
improve_pool(struct berth_solve_task *task, struct berth_packing_pool *pool, uint64_t limit) {
  if (pool->kind == BERTH_POOL_SLOTS) {
    return search_slots(task, pool, limit);
  }
  if (!berth_solve_is_searched(pool)) {
    return BERTH_OK;
  }
  uint64_t share = budget_left(task, limit) / WHOLE_SHARE;
  enum berth_code code = search_whole(task, pool, task->effort.ticks + share);
  return code == BERTH_OK ? search_pool(task, pool, limit) : code;
}

static enum berth_code improve(struct berth_solve_task *task, uint64_t budget, bool is_settled) {
  task->is_settled = is_settled;
  berth_solve_tell(task);
  for (uint32_t p = 0; p < task->assignment.n_pools; p++) {
    struct berth_packing_pool *pool = &task->assignment.pools[p];
    uint64_t share = budget_left(task, budget) / (task->assignment.n_pools - p);
    enum berth_code code = improve_pool(task, pool, task->effort.ticks + share);
    if (code != BERTH_OK) {
      return code;
    }
  }
  look_again(task);
  return BERTH_OK;
}

/* Keeps what can be kept of an earlier plan, and goes on beside that. In the smallest arenas: these first. A
 * pool that had no plan to fall back on may have one by then, in which more can be kept. */
static enum berth_code improve_stable(struct berth_solve_task *task) {
  uint64_t budget = task->options.budget_ticks;
  uint64_t half = task->effort.ticks + budget_left(task, budget) / 2;
  enum berth_code code = is_least(task) ? improve(task, half, true) : BERTH_OK;
  code = code == BERTH_OK ? berth_solve_keep(task) : code;
  bool was_refused = is_any_refused(task);
  code = code == BERTH_OK ? improve(task, budget, !was_refused) : code;
  return code == BERTH_OK && was_refused && !is_any_refused(task) ? berth_solve_keep(task) : code;
}

/* ---- How much is missing ---- */

enum { NEED_SHARE = 8 };

/* What is proven not to fit is planned again without the capacity, for one part in NEED_SHARE of the budget:
 * the bound says by how much the capacity must grow, and not only that it must. */
static enum berth_code measure_need(struct berth_solve_task *task) {
  if (task->refused == BERTH_NO_INDEX || !task->assignment.pools[task->refused].infeasible) {
    return BERTH_OK;
  }
  struct berth_packing_pool *pool = &task->assignment.pools[task->refused];
  if (!berth_solve_is_searched(pool)) {
    return BERTH_OK;
  }
  struct berth_packing_pool unlimited = *pool;
  unlimited.capacity = unlimited.instance.capacity = BERTH_UNLIMITED;
  unlimited.arena_bytes = BERTH_UNLIMITED;
  unlimited.infeasible = false;
  uint64_t budget = task->options.budget_ticks;
  uint64_t share = budget_left(task, budget);
  share = share < budget / NEED_SHARE ? share : budget / NEED_SHARE;
  berth_effort_set_limit(&task->effort, task->effort.ticks + share);
  enum berth_code code = run_placement(task, &unlimited);
  code = code != BERTH_OK ? code : search_pool(task, &unlimited, task->effort.ticks + share);
  pool->lower_bound = unlimited.lower_bound;
  return code;
}

/* ---- The phases ---- */

/* Told to stop where it could not go on, and there is a plan. What keeps an earlier one may be halfway. */
static bool may_end_here(const struct berth_solve_task *task) {
  return task->effort.state == BERTH_EFFORT_STOPPED && task->options.stable == NULL && task->is_settled &&
         task->homeless == BERTH_NO_INDEX && berth_solve_present_total(task) != BERTH_UNLIMITED;
}

static enum berth_code run(struct berth_solve_task *task, struct berth_error *err) {
  task->order = berth_arena_new(&task->arena, uint32_t, task->buffers->n);
  if (task->order == NULL) {
    return task->effort.state == BERTH_EFFORT_STOPPED ? berth_solve_stopped(err) : berth_fail_memory(err);
  }
  enum berth_code code =
      berth_problem_order_until(task->problem, task->allocator, &task->effort, task->order, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = colour(task);
  if (code == BERTH_OK && !make_pools(task)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  if (code == BERTH_OK) {
    berth_solve_limit(task);
    code = place(task);
  }
  code = code != BERTH_OK ? code : berth_solve_take_start(task);
  code = code != BERTH_OK ? code : berth_solve_stack(task, err);
  code = code != BERTH_OK ? code : berth_solve_take_apart(task);
  code = code != BERTH_OK ? code : berth_solve_look_below(task);
  if (code == BERTH_OK && task->homeless == BERTH_NO_INDEX) {
    berth_arena_trim(&task->arena);
    code = berth_solve_begin_plan(task);
  }
  if (code == BERTH_OK && task->homeless == BERTH_NO_INDEX) {
    code =
        task->options.stable != NULL ? improve_stable(task) : improve(task, task->options.budget_ticks, true);
  }
  code = code != BERTH_OK ? code : measure_need(task);
  if (code == BERTH_RESOURCE_EXHAUSTED && task->assignment.pools != NULL && may_end_here(task)) {
    return BERTH_OK;
  }
  if (code != BERTH_OK && task->effort.state == BERTH_EFFORT_STOPPED) {
    return berth_solve_stopped(err);
  }
  return code == BERTH_OK ? BERTH_OK : berth_fail_memory(err);
}

/* Results in place were settled when the problem was built. */
static enum berth_code check_reuse(const struct berth_solve_task *task, struct berth_error *err) {
  if (task->options.reuse == BERTH_REUSE_FULL || !berth_problem_uses_inplace(task->problem)) {
    return BERTH_OK;
  }
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "reuse",
      "the problem has results in place; build it without them for this reuse");
}

enum berth_code
berth_solve_run(struct berth_solve_task *task, struct berth_plan **out_plan, struct berth_error *err) {
  const struct berth_solve_hooks *hooks = task->hooks;
  task->options.budget_ticks = berth_solve_budget(&task->options);
  task->buffers = berth_problem_buffers(task->problem);
  task->pools = berth_problem_pools(task->problem);
  task->homeless = BERTH_NO_INDEX;
  task->refused = BERTH_NO_INDEX;
  task->told = (struct berth_progress){.arena_bytes = BERTH_UNLIMITED};
  berth_arena_init(&task->arena, task->allocator);
  berth_effort_init(
      &task->effort, task->options.budget_ticks, hooks != NULL ? hooks->should_stop : NULL,
      hooks != NULL ? hooks->ctx : NULL);
  task->arena.effort = &task->effort;
  enum berth_code code = check_reuse(task, err);
  code = code != BERTH_OK ? code : berth_solve_hold(task, err);
  code = code != BERTH_OK ? code : run(task, err);
  if (code == BERTH_OK) {
    code = berth_solve_outcome(task, out_plan, err);
  }
  berth_plan_unref(task->plan);
  berth_arena_finish(&task->arena);
  return code;
}
