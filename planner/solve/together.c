/* Compositions: parts that may run at once share no byte, so that each can be planned by itself, and lie
 * beside the others. A unit is a part, or a cluster of parts that are ordered, directly or by way of others.
 * Units lie where no other one is that may run at once, above what lives through all parts: a plan of the
 * whole.
 *
 * Clusters may all run at once. Where no alignment can make a hole that somebody else fills, the sum of their
 * bounds is a bound: push every buffer of a best plan of the whole down, and close the bytes that a cluster
 * does not use; what is left is a plan of the cluster alone. */
#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "problem/problem.h"
#include "solve/task.h"

enum { UNITS_SHARE = 4 }; /* of the budget that is left */

struct stacking {
  struct berth_solve_task *task;
  enum berth_unit unit;
  uint32_t n_units;
  uint32_t *number; /* of each buffer: its unit from 1, as they appear in canonical order; 0 stays */
  uint32_t part[BERTH_MAX_PARTS]; /* of each unit */
  uint32_t *place;                /* of each buffer in its unit */
  uint32_t *begin;                /* of each unit: its first in `members` */
  uint32_t *members;              /* buffers, unit by unit */
  uint64_t *bottom;               /* of each pool: the end of what stays */
  uint64_t *from;                 /* of each unit in each pool: where it lies, [from, to) */
  uint64_t *to;
  uint32_t *pool; /* of each buffer, as it is put here */
  uint64_t *offset;
  uint64_t limit; /* of ticks, for all units */
  uint64_t bound; /* of the only pool */
  bool is_bound;
  bool is_placed;
};

/* ---- When ---- */

static bool is_simple(const struct berth_solve_task *task) {
  bool simple = task->buffers->pinned_offset == NULL && task->options.reuse != BERTH_REUSE_NONE &&
                task->options.stable == NULL && task->homeless == BERTH_NO_INDEX &&
                task->effort.state != BERTH_EFFORT_STOPPED;
  for (uint32_t p = 0; p < task->pools->n; p++) {
    const struct berth_pool_spec *pool = &task->pools->items[p];
    simple &= pool->kind == BERTH_POOL_BYTES && pool->persistence == BERTH_PERSISTENCE_MIXED;
  }
  return simple;
}

/* Some step of its life at which it holds all its bytes. */
static bool is_whole_once(const struct berth_buffers *buffers, uint32_t i) {
  uint64_t absent = 0;
  for (uint32_t g = buffers->gap_begin[i]; g < buffers->gap_begin[i + 1]; g++) {
    absent += (uint64_t)buffers->gaps[g].upper - (uint64_t)buffers->gaps[g].lower;
  }
  return absent < (uint64_t)buffers->upper[i] - (uint64_t)buffers->lower[i];
}

/* No hole that alignment makes, and nobody whose bytes could be closed. */
static bool adds_up(const struct berth_solve_task *task) {
  const struct berth_buffers *buffers = task->buffers;
  uint64_t alignment = task->pools->items[0].alignment;
  for (uint32_t i = 0; i < buffers->n; i++) {
    alignment = buffers->alignment[i] > alignment ? buffers->alignment[i] : alignment;
  }
  bool good = task->pools->n == 1;
  for (uint32_t i = 0; good && i < buffers->n; i++) {
    good = buffers->size_bytes[i] % alignment == 0 &&
           (buffers->gap_begin == NULL || buffers->gap_begin[i] == buffers->gap_begin[i + 1] ||
            (alignment == 1 && is_whole_once(buffers, i)));
  }
  return good;
}

/* ---- A unit as a problem ---- */

/* The components of the clocks in which anything of the unit differs: the others order nobody. */
static uint32_t find_components(const struct stacking *stacking, uint32_t unit, uint32_t *components) {
  const struct berth_buffers *buffers = stacking->task->buffers;
  size_t n_clocks = buffers->n_clocks;
  uint32_t n = 0;
  for (uint32_t c = 0; c < n_clocks && stacking->begin[unit] < stacking->begin[unit + 1]; c++) {
    uint32_t first = buffers->clock_lower[stacking->members[stacking->begin[unit]] * n_clocks + c];
    bool runs = false;
    for (uint32_t k = stacking->begin[unit]; !runs && k < stacking->begin[unit + 1]; k++) {
      size_t at = stacking->members[k] * n_clocks + c;
      runs = buffers->clock_lower[at] != first || buffers->clock_upper[at] != first;
    }
    if (runs) {
      components[n++] = c;
    }
  }
  return n;
}

struct clocks {
  uint32_t n;
  uint32_t *components;
  uint32_t *lower;
  uint32_t *upper;
};

static void fill_time(
    const struct berth_buffers *buffers, uint32_t i, struct clocks *clocks, struct berth_buffer_spec *spec) {
  for (uint32_t c = 0; c < clocks->n; c++) {
    clocks->lower[c] = buffers->clock_lower[(size_t)i * buffers->n_clocks + clocks->components[c]];
    clocks->upper[c] = buffers->clock_upper[(size_t)i * buffers->n_clocks + clocks->components[c]];
  }
  if (clocks->n > 1) {
    spec->clock_lower = clocks->lower;
    spec->clock_upper = clocks->upper;
    spec->n_clocks = clocks->n;
    return;
  }
  spec->lower = clocks->n == 1 ? clocks->lower[0] : buffers->lower[i];
  spec->upper = clocks->n == 1 ? clocks->upper[0] : buffers->upper[i];
  if (buffers->gap_begin != NULL) {
    spec->gaps = buffers->gaps + buffers->gap_begin[i];
    spec->n_gaps = buffers->gap_begin[i + 1] - buffers->gap_begin[i];
  }
}

static enum berth_code add_member(
    const struct stacking *stacking, uint32_t i, struct clocks *clocks, struct berth_problem_builder *builder,
    struct berth_error *err) {
  const struct berth_buffers *buffers = stacking->task->buffers;
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.id = berth_problem_buffer_id(stacking->task->problem, i);
  spec.size_bytes = buffers->size_bytes[i];
  spec.alignment = buffers->alignment[i];
  spec.class_ = buffers->class_[i];
  spec.accesses = buffers->accesses != NULL ? buffers->accesses[i] : 1;
  if (buffers->pool_begin != NULL) {
    spec.pools = buffers->pools + buffers->pool_begin[i];
    spec.n_pools = buffers->pool_begin[i + 1] - buffers->pool_begin[i];
  }
  fill_time(buffers, i, clocks, &spec);
  return berth_problem_builder_add_buffer(builder, &spec, NULL, err);
}

static enum berth_code add_conflicts(
    const struct stacking *stacking, uint32_t unit, struct berth_problem_builder *builder,
    struct berth_error *err) {
  const struct berth_buffers *buffers = stacking->task->buffers;
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; i < buffers->n_conflicts && code == BERTH_OK; i++) {
    const uint32_t *pair = buffers->conflicts[i];
    if (stacking->number[pair[0]] == unit + 1 && stacking->number[pair[1]] == unit + 1) {
      code = berth_problem_builder_add_conflict(
          builder, stacking->place[pair[0]], stacking->place[pair[1]], err);
    }
  }
  return code;
}

/* Groups that stay are no unit's. */
static enum berth_code add_groups(
    const struct stacking *stacking, uint32_t unit, struct berth_problem_builder *builder,
    struct berth_error *err) {
  const struct berth_groups *groups = berth_problem_groups(stacking->task->problem);
  struct berth_arena *arena = &stacking->task->arena;
  enum berth_code code = BERTH_OK;
  for (uint32_t g = 0; g < groups->n && code == BERTH_OK; g++) {
    struct berth_group_spec spec = groups->items[g];
    uint32_t *members = berth_arena_new(arena, uint32_t, spec.n_members);
    bool own = members != NULL;
    for (uint32_t k = 0; own && k < spec.n_members; k++) {
      own = stacking->number[spec.members[k]] == unit + 1;
      members[k] = stacking->place[spec.members[k]];
    }
    spec.members = members;
    code = members == NULL ? BERTH_RESOURCE_EXHAUSTED
           : own           ? berth_problem_builder_add_group(builder, &spec, err)
                           : BERTH_OK;
  }
  return code;
}

static enum berth_code
build(const struct stacking *stacking, uint32_t unit, struct berth_problem **out, struct berth_error *err) {
  const struct berth_solve_task *task = stacking->task;
  struct berth_arena *arena = &stacking->task->arena;
  struct clocks clocks = {
      .components = berth_arena_new(arena, uint32_t, task->buffers->n_clocks),
      .lower = berth_arena_new(arena, uint32_t, task->buffers->n_clocks),
      .upper = berth_arena_new(arena, uint32_t, task->buffers->n_clocks)};
  struct berth_problem_builder *builder;
  if (clocks.components == NULL || clocks.lower == NULL || clocks.upper == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  clocks.n = find_components(stacking, unit, clocks.components);
  enum berth_code code = berth_problem_builder_create(task->allocator, &builder, err);
  if (code != BERTH_OK) {
    return code;
  }
  for (uint32_t p = 0; p < task->pools->n && code == BERTH_OK; p++) {
    code = berth_problem_builder_add_pool(builder, &task->pools->items[p], NULL, err);
  }
  for (uint32_t k = stacking->begin[unit]; k < stacking->begin[unit + 1] && code == BERTH_OK; k++) {
    code = add_member(stacking, stacking->members[k], &clocks, builder, err);
  }
  code = code != BERTH_OK ? code : add_conflicts(stacking, unit, builder, err);
  code = code != BERTH_OK ? code : add_groups(stacking, unit, builder, err);
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, out, err);
  berth_problem_builder_destroy(builder);
  return code;
}

/* ---- Beside each other ---- */

static bool may_meet(const struct stacking *stacking, uint32_t a, uint32_t b) {
  const struct berth_composed *parts = berth_problem_composed(stacking->task->problem);
  return stacking->unit == BERTH_UNIT_PART &&
         !berth_composed_at_once(parts, stacking->part[a], stacking->part[b]);
}

/* The least base from which `n_bytes` are free of the units before that may run at once. */
static bool find_base(
    const struct stacking *stacking, uint32_t unit, uint32_t pool, uint64_t n_bytes, uint64_t alignment,
    uint64_t *out) {
  uint32_t n_pools = stacking->task->pools->n;
  bool moved = true;
  bool fits = berth_round_up_u64(stacking->bottom[pool], alignment, out);
  while (moved && fits) {
    moved = false;
    for (uint32_t other = 0; other < unit && fits; other++) {
      uint64_t from = stacking->from[(size_t)other * n_pools + pool];
      uint64_t to = stacking->to[(size_t)other * n_pools + pool];
      if (!may_meet(stacking, unit, other) && from < *out + n_bytes && *out < to) {
        fits = berth_round_up_u64(to, alignment, out);
        moved = true;
      }
    }
  }
  return fits;
}

static void
put_in_pool(struct stacking *stacking, uint32_t unit, const struct berth_plan *plan, uint32_t pool) {
  uint64_t base = 0;
  uint64_t n_bytes = plan->pools[pool].arena_bytes;
  size_t at = (size_t)unit * stacking->task->pools->n + pool;
  if (!find_base(stacking, unit, pool, n_bytes, plan->pools[pool].base_alignment, &base)) {
    stacking->is_placed = false;
    return;
  }
  for (uint32_t k = stacking->begin[unit]; k < stacking->begin[unit + 1]; k++) {
    uint32_t own = k - stacking->begin[unit];
    if (plan->pool[own] == pool) {
      stacking->pool[stacking->members[k]] = pool;
      stacking->offset[stacking->members[k]] = base + plan->offset[own];
    }
  }
  stacking->from[at] = base;
  stacking->to[at] = base + n_bytes;
}

static void put_beside(struct stacking *stacking, uint32_t unit, const struct berth_plan *plan) {
  stacking->bound = berth_add_sat_u64(stacking->bound, plan->lower_bound_bytes);
  stacking->is_placed &= plan->offset != NULL;
  for (uint32_t p = 0; p < plan->n_pools && stacking->is_placed; p++) {
    put_in_pool(stacking, unit, plan, p);
  }
}

/* In the pool where the first passes put it, the strictest alignments first: no hole that need not be. */
static bool put_at_bottom(struct stacking *stacking) {
  struct berth_solve_task *task = stacking->task;
  uint32_t n = 0;
  uint32_t *stays = berth_arena_new(&task->arena, uint32_t, task->buffers->n);
  uint64_t *key = berth_arena_new(&task->arena, uint64_t, task->buffers->n);
  for (uint32_t k = 0; stays != NULL && key != NULL && k < task->buffers->n; k++) {
    uint32_t i = task->order[k];
    key[i] = ~task->buffers->alignment[i];
    if (stacking->number[i] == 0) {
      stays[n++] = i;
    }
  }
  if (stays == NULL || key == NULL || !berth_order_by_key(&task->arena, n, key, stays)) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = stays[k];
    uint32_t p = berth_assigned_pool(&task->assignment, i);
    uint64_t own = task->buffers->alignment[i];
    uint64_t alignment = task->pools->items[p].alignment > own ? task->pools->items[p].alignment : own;
    stacking->is_placed &= task->buffers->rigid.n == 0 || task->buffers->rigid.group[i] == BERTH_NO_INDEX;
    stacking->pool[i] = p;
    stacking->offset[i] = berth_align_up(stacking->bottom[p], alignment);
    if (task->buffers->size_bytes[i] != 0) {
      stacking->bottom[p] = stacking->offset[i] + task->buffers->size_bytes[i];
    }
    stacking->bound = berth_add_sat_u64(stacking->bound, task->buffers->size_bytes[i]);
  }
  return true;
}

static enum berth_code solve_unit(struct stacking *stacking, uint32_t unit, struct berth_error *err) {
  struct berth_solve_task *task = stacking->task;
  struct berth_problem *problem = NULL;
  struct berth_plan *plan = NULL;
  enum berth_code code = build(stacking, unit, &problem, err);
  if (code != BERTH_OK) {
    return code;
  }
  uint64_t left = stacking->limit > task->effort.ticks ? stacking->limit - task->effort.ticks : 0;
  struct berth_solve_options options = task->options;
  struct berth_solve_hooks hooks = {
      .ctx = task->effort.ctx, .should_stop = task->effort.should_stop, .on_progress = NULL};
  options.budget_ticks = left / (stacking->n_units - unit);
  options.capacity_bytes = BERTH_UNLIMITED;
  options.start = NULL;
  options.stable = NULL;
  code = berth_solve(problem, &options, &hooks, task->allocator, &plan, err);
  if (code == BERTH_OK) {
    (void)berth_effort_spend(&task->effort, plan->ticks);
    put_beside(stacking, unit, plan);
  } else if (code == BERTH_CANCELLED) { /* what there is already must do */
    (void)berth_effort_poll(&task->effort);
    stacking->is_placed = stacking->is_bound = false;
    code = BERTH_OK;
  }
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  return code;
}

static bool list_members(struct stacking *stacking) {
  struct berth_solve_task *task = stacking->task;
  uint32_t n = task->buffers->n;
  stacking->place = berth_arena_new(&task->arena, uint32_t, n);
  stacking->begin = berth_arena_new_zeroed(&task->arena, uint32_t, (size_t)stacking->n_units + 2);
  stacking->members = berth_arena_new(&task->arena, uint32_t, n);
  stacking->bottom = berth_arena_new_zeroed(&task->arena, uint64_t, task->pools->n);
  stacking->from = berth_arena_new_zeroed(&task->arena, uint64_t, (size_t)stacking->n_units * task->pools->n);
  stacking->to = berth_arena_new_zeroed(&task->arena, uint64_t, (size_t)stacking->n_units * task->pools->n);
  stacking->pool = berth_arena_new_zeroed(&task->arena, uint32_t, n);
  stacking->offset = berth_arena_new_zeroed(&task->arena, uint64_t, n);
  if (stacking->place == NULL || stacking->begin == NULL || stacking->members == NULL ||
      stacking->bottom == NULL || stacking->from == NULL || stacking->to == NULL || stacking->pool == NULL ||
      stacking->offset == NULL) {
    return false;
  }
  uint32_t at = 0;
  for (uint32_t unit = 0; unit < stacking->n_units; unit++) {
    stacking->begin[unit] = at;
    for (uint32_t k = 0; k < n; k++) {
      if (stacking->number[task->order[k]] == unit + 1) {
        stacking->place[task->order[k]] = at - stacking->begin[unit];
        stacking->members[at++] = task->order[k];
      }
    }
  }
  stacking->begin[stacking->n_units] = at;
  return true;
}

static enum berth_code use(struct stacking *stacking) {
  struct berth_solve_task *task = stacking->task;
  const struct berth_start *given = task->options.start;
  const struct berth_start start = {.pool = stacking->pool, .offset = stacking->offset};
  enum berth_code code = BERTH_OK;
  if (stacking->is_placed) {
    task->options.start = &start;
    code = berth_solve_take_start(task);
    task->options.start = given;
  }
  struct berth_packing_pool *pool = &task->assignment.pools[0];
  if (stacking->is_bound && stacking->bound > pool->lower_bound) {
    pool->lower_bound = stacking->bound;
    pool->infeasible |= pool->lower_bound > pool->capacity;
  }
  return code;
}

static enum berth_code
put_units(struct berth_solve_task *task, enum berth_unit unit, struct berth_error *err) {
  struct stacking stacking = {.task = task, .unit = unit, .is_placed = true};
  uint64_t budget = task->options.budget_ticks;
  uint64_t left = budget > task->effort.ticks ? budget - task->effort.ticks : 0;
  stacking.limit = task->effort.ticks + left / UNITS_SHARE;
  stacking.number = berth_arena_new(&task->arena, uint32_t, task->buffers->n);
  if (stacking.number == NULL ||
      !berth_problem_number_units(
          task->problem, unit, task->order, task->allocator, stacking.number, stacking.part,
          &stacking.n_units) ||
      !list_members(&stacking) || !put_at_bottom(&stacking)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  stacking.is_bound = unit == BERTH_UNIT_CLUSTER && adds_up(task);
  enum berth_code code = BERTH_OK;
  for (uint32_t k = 0; k < stacking.n_units && code == BERTH_OK; k++) {
    code = solve_unit(&stacking, k, err);
  }
  return code != BERTH_OK ? code : use(&stacking);
}

enum berth_code berth_solve_stack(struct berth_solve_task *task, struct berth_error *err) {
  bool inside;
  if (!berth_problem_any_at_once(task->problem, &inside) || !is_simple(task)) {
    return BERTH_OK;
  }
  enum berth_code code = BERTH_OK;
  if (task->problem->composed.n_clusters > 1) {
    code = put_units(task, BERTH_UNIT_CLUSTER, err);
  }
  return code == BERTH_OK && inside ? put_units(task, BERTH_UNIT_PART, err) : code;
}
