#include <string.h>

#include "base/checked.h"
#include "base/sort.h"
#include "berth/restate.h"
#include "syncs/search.h"

/* ---- Tables ---- */

static bool find_units(struct berth_syncs_search *search) {
  const struct berth_graph *graph = search->graph;
  uint32_t *unit = berth_arena_new(search->arena, uint32_t, graph->n_operators);
  if (unit == NULL) {
    return false;
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    unit[op] = op;
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    for (uint32_t k = 0; region->parent == BERTH_NO_INDEX && k < region->n_operators; k++) {
      unit[region->first_operator + k] = region->first_operator;
    }
  }
  search->unit = unit;
  return true;
}

/* Tells all uses of buffers: by operators, and by regions that carry them, as by the first operator. */
static void tell_uses(
    const struct berth_syncs_search *search, void (*use)(void *ctx, uint32_t buffer, uint32_t op),
    void *ctx) {
  const struct berth_graph *graph = search->graph;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->input_begin[op]; i < graph->input_begin[op + 1]; i++) {
      use(ctx, graph->value_buffer[graph->inputs[i]], op);
    }
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      use(ctx, graph->value_buffer[graph->outputs[i]], op);
    }
    use(ctx, graph->operator_workspace[op], op);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    for (uint32_t i = 0; i < region->n_carries; i++) {
      use(ctx, graph->value_buffer[region->carries[i]], region->first_operator);
    }
  }
}

struct uses {
  uint32_t *at; /* where the next goes; at first how many there are, two places on */
  uint32_t *users;
};

static void count_use(void *ctx, uint32_t buffer, uint32_t op) {
  struct uses *uses = ctx;
  (void)op;
  if (buffer != BERTH_NO_INDEX) {
    uses->at[buffer + 2]++;
  }
}

static void write_use(void *ctx, uint32_t buffer, uint32_t op) {
  struct uses *uses = ctx;
  if (buffer != BERTH_NO_INDEX) {
    uses->users[uses->at[buffer + 1]++] = op;
  }
}

static bool find_users(struct berth_syncs_search *search) {
  uint32_t n = search->buffers->n;
  struct uses uses = {.at = berth_arena_new_zeroed(search->arena, uint32_t, (size_t)n + 2)};
  if (uses.at == NULL) {
    return false;
  }
  tell_uses(search, count_use, &uses);
  for (uint32_t i = 1; i < n + 2; i++) {
    uses.at[i] += uses.at[i - 1];
  }
  uses.users = berth_arena_new(search->arena, uint32_t, uses.at[n + 1]);
  if (uses.users == NULL) {
    return false;
  }
  tell_uses(search, write_use, &uses);
  search->user_begin = uses.at;
  search->users = uses.users;
  return true;
}

bool berth_syncs_search_init(struct berth_syncs_search *search) {
  search->n_streams = berth_clocks_n_streams(search->graph);
  return find_units(search) && find_users(search);
}

/* ---- Lists ---- */

bool berth_syncs_merge(
    const struct berth_syncs_search *search, struct berth_syncs syncs, struct berth_arena *arena,
    struct berth_syncs *out) {
  const struct berth_graph *graph = search->graph;
  out->n = graph->n_syncs + syncs.n;
  out->items = berth_arena_new(arena, struct berth_sync, out->n);
  uint32_t a = 0;
  uint32_t b = 0;
  for (uint32_t k = 0; out->items != NULL && k < out->n; k++) {
    bool own = b == syncs.n || (a < graph->n_syncs && graph->syncs[a].waiter <= syncs.items[b].waiter);
    out->items[k] = own ? graph->syncs[a++] : syncs.items[b++];
  }
  return out->items != NULL;
}

/* ---- A trial ---- */

uint64_t
berth_syncs_total(const struct berth_syncs_search *search, const struct berth_plan *plan, uint32_t n_syncs) {
  return berth_add_sat_u64(plan->arena_bytes, berth_mul_sat_u64(search->options->sync.cost_bytes, n_syncs));
}

/* By what spilling costs, then by arena and waits; no worse than without in either. */
static bool
is_better(const struct berth_syncs_search *search, const struct berth_plan *plan, uint64_t total) {
  const struct berth_plan *best = search->best.plan;
  const struct berth_plan *without = search->without;
  if (without->offset != NULL && plan->spill_cost > without->spill_cost) {
    return false;
  }
  return best == NULL || plan->spill_cost < best->spill_cost ||
         (plan->spill_cost == best->spill_cost && total < search->best.total_bytes);
}

/* Lists are kept longer than the trial. */
static bool copy_list(struct berth_syncs_search *search, struct berth_syncs from, struct berth_syncs *out) {
  *out =
      (struct berth_syncs){.n = from.n, .items = berth_arena_new(search->arena, struct berth_sync, from.n)};
  if (out->items != NULL && from.n != 0) {
    memcpy(out->items, from.items, from.n * sizeof *from.items);
  }
  return out->items != NULL;
}

static bool keep(
    struct berth_syncs_search *search, const struct berth_plan *plan, struct berth_syncs tried,
    struct berth_syncs syncs, uint64_t total) {
  struct berth_syncs_best best = {.total_bytes = total};
  if (!copy_list(search, tried, &best.tried) || !copy_list(search, syncs, &best.syncs)) {
    return false;
  }
  best.plan = berth_plan_ref(plan);
  berth_plan_unref(search->best.plan);
  search->best = best;
  return true;
}

/* Which waits the plan really needs. */
static enum berth_code
weigh(struct berth_syncs_search *search, const struct berth_plan *plan, struct berth_syncs tried) {
  struct berth_arena arena; /* not the search's, which keeps lists */
  struct berth_syncs_needs needs;
  struct berth_syncs syncs;
  bool is_found;
  berth_arena_init(&arena, search->allocator);
  bool ok = berth_syncs_find_needs(search, search->buffers, plan->pool, plan->offset, &arena, &needs) &&
            berth_syncs_cover(search, &needs, tried, &arena, &syncs, &is_found);
  if (ok && is_found && syncs.n <= search->most_syncs) {
    uint64_t total = berth_syncs_total(search, plan, syncs.n);
    ok = !is_better(search, plan, total) || keep(search, plan, tried, syncs, total);
  }
  berth_arena_finish(&arena);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

enum berth_code berth_syncs_try(
    struct berth_syncs_search *search, struct berth_syncs tried, const struct berth_plan *start,
    uint64_t ticks, struct berth_plan **out_plan) {
  const struct berth_restatement as = {.syncs = tried.items, .n_syncs = tried.n};
  start = start != NULL ? start : search->without;
  const struct berth_start places = {.pool = start->pool, .offset = start->offset};
  struct berth_solve_options options = *search->options;
  struct berth_problem *problem = NULL;
  struct berth_plan *plan = NULL;
  options.budget_ticks = ticks != 0 ? ticks : 1;
  options.start = start->offset != NULL ? &places : NULL;
  if (!berth_effort_poll(search->effort)) {
    return BERTH_OK;
  }
  enum berth_code code = berth_problem_restate(search->problem, &as, search->allocator, &problem, NULL);
  (void)berth_effort_spend(
      search->effort, (uint64_t)(search->graph->n_operators + search->buffers->n) * search->n_streams);
  code = code != BERTH_OK ? code
                          : berth_solve(problem, &options, &search->hooks, search->allocator, &plan, NULL);
  if (code == BERTH_OK) {
    (void)berth_effort_spend(search->effort, plan->ticks);
    code = plan->offset != NULL ? weigh(search, plan, tried) : BERTH_OK;
  }
  berth_problem_unref(problem);
  if (out_plan != NULL && code == BERTH_OK && plan != NULL && plan->offset != NULL) {
    *out_plan = plan;
  } else {
    berth_plan_unref(plan);
  }
  return code == BERTH_CANCELLED ? BERTH_OK : code;
}
