#include "packing/exact/campaign_turn.h"

#include <string.h>

#include "packing/exact/exact.h"

enum {
  MOST_LUBY = 32,
  MOST_STALLED = 64, /* runs since the best */
  UNGUIDED = 8,      /* one run in so many, by chance; */
  BY_BULK = 6,       /* in so many, likewise; all others by stretches */
  LANE_SLOTS = 1 << 14,
  REMEMBERED = 10, /* trouble is that of so many runs */
  FADES = 16       /* and one part in so many of what was before the turn */
};

#define MOST_NOISE 1.2

struct turn {
  struct berth_campaign *campaign;
  struct berth_campaign_turn plan;
  uint64_t number; /* of all turns of the campaign */
  uint32_t n_chains;
  bool has_complete;
  enum berth_niche_outcome outcomes[1 + BERTH_CAMPAIGN_CHAINS];
};

/* 1, 1, 2, 1, 1, 2, 4, ... for k = 1, 2, 3, ... (Luby, Sinclair and Zuckerman 1993). */
static uint64_t luby(uint64_t k) {
  for (;;) {
    uint64_t bits = 64 - (uint64_t)__builtin_clzll(k);
    if (k == (UINT64_C(1) << bits) - 1) {
      uint64_t scale = UINT64_C(1) << (bits - 1);
      return scale < MOST_LUBY ? scale : MOST_LUBY;
    }
    k -= (UINT64_C(1) << (bits - 1)) - 1;
  }
}

/* ---- Lanes ---- */

static bool make_lane(struct berth_campaign *campaign, struct berth_campaign_lane *lane) {
  const struct berth_packing_search *packing = campaign->packing;
  if (!lane->is_made) {
    berth_arena_init(&lane->arena, packing->arena->allocator);
    lane->is_made = true;
  }
  berth_arena_reset(&lane->arena);
  const struct berth_niche_model *model = &campaign->model;
  if (berth_niche_search_init(&lane->search, model, &lane->arena, packing->effort) != BERTH_OK ||
      berth_niche_nogoods_init(&lane->nogoods, model, &lane->arena) != BERTH_OK ||
      berth_niche_order_init(&lane->order, model->n_buffers, &lane->arena) != BERTH_OK ||
      !berth_niche_search_grow_memo(&lane->search, LANE_SLOTS)) {
    return false;
  }
  lane->search.switches = packing->switches;
  lane->trouble = berth_arena_new_zeroed(&lane->arena, uint64_t, model->n_sections);
  lane->deepest = berth_arena_new(&lane->arena, int64_t, model->n_buffers);
  lane->search.nogoods = &lane->nogoods;
  lane->search.deepest = lane->deepest;
  lane->is_ready = lane->trouble != NULL && lane->deepest != NULL;
  return lane->is_ready;
}

/* NULL if memory ran out. */
static struct berth_campaign_lane *enter(struct turn *turn, struct berth_task *task) {
  struct berth_campaign *campaign = turn->campaign;
  struct berth_campaign_lane *lane = &campaign->lanes[task->lane];
  if (!lane->is_ready && !make_lane(campaign, lane)) {
    task->is_left = task->may_leave;
    return NULL;
  }
  lane->search.state.effort = &task->effort;
  /* What others left in the memo is not to be found. */
  lane->search.salt = (turn->number << 8 | task->index) * UINT64_C(0xd6e8feb86659fd93) + 1;
  return lane;
}

static void clear_lanes(struct berth_campaign *campaign) {
  for (uint32_t k = 0; k < campaign->n_lanes; k++) {
    struct berth_campaign_lane *lane = &campaign->lanes[k];
    if (lane->is_ready) {
      memset(lane->trouble, 0, campaign->model.n_sections * sizeof *lane->trouble);
    }
  }
}

void berth_campaign_drop_lanes(struct berth_campaign *campaign) {
  for (uint32_t k = 0; k < campaign->n_lanes; k++) {
    if (campaign->lanes[k].is_made) {
      berth_arena_finish(&campaign->lanes[k].arena);
    }
  }
}

/* ---- Tasks ---- */

static void begin_with_known(const struct turn *turn, struct berth_niche_search *search) {
  memcpy(search->weight, turn->campaign->known_weight, search->state.model->n_sections * sizeof(double));
}

/* A random order. */
static void draw_order(struct berth_campaign_lane *lane, struct berth_rng *rng) {
  bool is_by_bulk = berth_rng_below(rng, BY_BULK) == BY_BULK - 1;
  enum berth_niche_by by = is_by_bulk ? BERTH_NICHE_BY_BULK : BERTH_NICHE_BY_STRETCH;
  lane->search.pick = BERTH_NICHE_FEWEST;
  double noise = MOST_NOISE * (double)berth_rng_below(rng, 1024) / 1024;
  berth_niche_order_key(lane->order.key, &lane->search, by, noise, rng);
  berth_niche_order_apply(&lane->order, &lane->search);
}

/* The run becomes the best of its chain if it placed more at once, or as many and was led there by the best.
 * A best that has led nowhere for long goes. */
static void
keep_best(struct berth_campaign_chain *chain, const struct berth_campaign_lane *lane, bool is_guided) {
  uint32_t n_placed = lane->search.n_deepest;
  if (n_placed > chain->n_placed || (is_guided && n_placed == chain->n_placed)) {
    chain->best_run = n_placed > chain->n_placed ? chain->n_runs : chain->best_run;
    chain->n_placed = n_placed;
    memcpy(chain->offset, lane->deepest, lane->search.state.model->n_buffers * sizeof *chain->offset);
  } else if (chain->n_runs - chain->best_run > MOST_STALLED) {
    chain->n_placed = 0;
    chain->best_run = chain->n_runs;
  }
}

static enum berth_niche_outcome run_short(
    const struct turn *turn, struct berth_campaign_chain *chain, struct berth_campaign_lane *lane,
    uint64_t number, uint64_t n_nodes) {
  struct berth_rng seeds = {.state = turn->campaign->seed ^ number * UINT64_C(0xff51afd7ed558ccd)};
  struct berth_rng rng = {.state = berth_rng_next(&seeds)};
  struct berth_niche_search *search = &lane->search;
  begin_with_known(turn, search);
  draw_order(lane, &rng);
  bool is_guided =
      chain->n_placed > 0 && search->switches & BERTH_EXACT_GUIDES && berth_rng_below(&rng, UNGUIDED) != 0;
  search->guide = is_guided ? chain->offset : NULL;
  search->may_jump = (search->switches & BERTH_EXACT_JUMPS) != 0;
  enum berth_niche_outcome outcome = berth_niche_search_run(search, turn->plan.capacity, n_nodes);
  keep_best(chain, lane, is_guided);
  for (uint32_t s = 0; s < search->state.model->n_sections; s++) {
    lane->trouble[s] += search->n_refuted[s];
  }
  return outcome;
}

static enum berth_niche_outcome run_chain(struct turn *turn, struct berth_task *task) {
  uint32_t index = task->index - turn->has_complete;
  struct berth_campaign_chain *chain = &turn->campaign->chains[index];
  struct berth_campaign_lane *lane = enter(turn, task);
  if (lane == NULL) {
    return BERTH_NICHE_NO_MEMORY;
  }
  if (chain->capacity != turn->plan.capacity) { /* another question */
    chain->capacity = turn->plan.capacity;
    chain->n_placed = 0;
  }
  enum berth_niche_outcome outcome = BERTH_NICHE_LIMIT;
  uint64_t end = lane->search.n_nodes + turn->plan.n_in_chain;
  while (outcome == BERTH_NICHE_LIMIT && lane->search.n_nodes < end) {
    uint64_t n_nodes = luby(++chain->n_runs) * (turn->campaign->model.n_buffers + UINT64_C(96));
    outcome = run_short(turn, chain, lane, chain->n_runs * BERTH_CAMPAIGN_CHAINS + index, n_nodes);
  }
  return outcome;
}

/* In the order that has been applied. */
static enum berth_niche_outcome run_complete(struct turn *turn, struct berth_task *task) {
  struct berth_niche_search *search = &turn->campaign->search;
  struct berth_effort *effort = search->state.effort;
  search->state.effort = &task->effort;
  search->may_jump = false;
  enum berth_niche_outcome outcome =
      berth_niche_search_run(search, turn->plan.capacity, turn->plan.n_complete);
  search->state.effort = effort;
  return outcome;
}

static bool run_task(void *ctx, struct berth_task *task) {
  struct turn *turn = ctx;
  enum berth_niche_outcome outcome;
  if (task->index == 0 && turn->has_complete) {
    outcome = run_complete(turn, task);
  } else {
    outcome = run_chain(turn, task);
  }
  turn->outcomes[task->index] = outcome;
  return outcome != BERTH_NICHE_LIMIT && outcome != BERTH_NICHE_STOPPED;
}

/* Trouble of old runs counts less. */
static void learn(struct berth_campaign *campaign, const uint64_t *n_runs_before) {
  uint64_t n_new = 0;
  for (uint32_t k = 0; k < BERTH_CAMPAIGN_CHAINS; k++) {
    n_new += campaign->chains[k].n_runs - n_runs_before[k];
  }
  for (uint32_t s = 0; s < campaign->model.n_sections && n_new > 0; s++) {
    uint64_t trouble = 0;
    for (uint32_t k = 0; k < campaign->n_lanes; k++) {
      trouble += campaign->lanes[k].is_ready ? campaign->lanes[k].trouble[s] : 0;
    }
    double mean = (double)trouble / (double)n_new;
    campaign->search.weight[s] = campaign->search.weight[s] / FADES + REMEMBERED * mean;
  }
}

enum berth_niche_outcome
berth_campaign_take_turn(struct berth_campaign *campaign, const struct berth_campaign_turn *plan) {
  struct turn turn = {
      .campaign = campaign,
      .plan = *plan,
      .number = campaign->n_turns++,
      .n_chains = plan->n_in_chain > 0 ? BERTH_CAMPAIGN_CHAINS : 0,
      .has_complete = plan->n_complete > 0};
  uint64_t n_before[BERTH_CAMPAIGN_CHAINS];
  for (uint32_t k = 0; k < BERTH_CAMPAIGN_CHAINS; k++) {
    n_before[k] = campaign->chains[k].n_runs;
  }
  memcpy(campaign->known_weight, campaign->search.weight, campaign->model.n_sections * sizeof(double));
  clear_lanes(campaign);
  uint32_t n_tasks = turn.has_complete + turn.n_chains;
  struct berth_packing_search *packing = campaign->packing;
  struct berth_tasks_result result =
      berth_tasks_run(packing->executor, packing->effort, n_tasks, run_task, &turn);
  if (!result.is_decided) {
    bool is_whole = result.n_counted == n_tasks;
    if (is_whole) {
      learn(campaign, n_before);
    }
    return is_whole ? BERTH_NICHE_LIMIT : BERTH_NICHE_STOPPED;
  }
  /* How far those came that do not count is nobody's business. */
  for (uint32_t k = 0; k < BERTH_CAMPAIGN_CHAINS; k++) {
    campaign->chains[k].n_runs = campaign->chains[k].best_run = n_before[k];
    campaign->chains[k].n_placed = 0;
  }
  bool is_complete = turn.has_complete && result.n_counted == 1;
  campaign->found = is_complete ? &campaign->search : &campaign->lanes[result.lane].search;
  return turn.outcomes[result.n_counted - 1];
}
