#include "packing/exact/campaign_turn.h"

#include <string.h>

#include "packing/exact/exact.h"

enum {
  MOST_LUBY = 256,
  RESTART_TASKS = 64,
  LANE_SLOTS = 1 << 14,
  REMEMBERED = 10, /* trouble is that of so many runs */
  FADES = 16       /* and one part in so many of what was before the turn */
};

#define MOST_NOISE 1.2

struct turn {
  struct berth_campaign *campaign;
  struct berth_campaign_turn plan;
  uint64_t first; /* restart of the campaign */
  uint32_t n_restarts;
  uint32_t n_in_task;
  bool has_complete;
  bool has_climb;
  enum berth_niche_outcome outcomes[BERTH_MOST_TASKS];
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

static uint64_t nodes_of(const struct turn *turn, uint64_t restart) {
  return luby(turn->first + restart + 1) * (turn->campaign->model.n_buffers + UINT64_C(96));
}

/* As many as the nodes suffice for, if each uses all of its own. */
static void plan_restarts(struct turn *turn) {
  uint64_t n_nodes = 0;
  while (n_nodes < turn->plan.n_restarts && turn->n_restarts < UINT32_MAX) {
    n_nodes += nodes_of(turn, turn->n_restarts++);
  }
  turn->n_in_task = 1 + turn->n_restarts / RESTART_TASKS;
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
      berth_niche_order_init(&lane->order, model->n_buffers, &lane->arena) != BERTH_OK ||
      !berth_niche_search_grow_memo(&lane->search, LANE_SLOTS)) {
    return false;
  }
  lane->search.switches = packing->switches;
  lane->trouble = berth_arena_new_zeroed(&lane->arena, uint64_t, model->n_sections);
  lane->is_ready = lane->trouble != NULL;
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
  lane->search.salt = (turn->first << 8 | task->index) * UINT64_C(0xd6e8feb86659fd93) + 1;
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

static enum berth_niche_outcome
restart(struct turn *turn, struct berth_campaign_lane *lane, uint64_t restart) {
  static const enum berth_niche_by orders[] = {BERTH_NICHE_BY_STRETCH, BERTH_NICHE_BY_STRETCH,
                                               BERTH_NICHE_BY_STRETCH, BERTH_NICHE_BY_STRETCH,
                                               BERTH_NICHE_BY_STRETCH, BERTH_NICHE_BY_BULK};
  struct berth_rng seeds = {
      .state = turn->campaign->seed ^ (turn->first + restart) * UINT64_C(0xff51afd7ed558ccd)};
  struct berth_rng rng = {.state = berth_rng_next(&seeds)};
  struct berth_niche_search *search = &lane->search;
  enum berth_niche_by by = orders[berth_rng_below(&rng, sizeof orders / sizeof *orders)];
  search->pick = berth_rng_below(&rng, 8) == 0 ? BERTH_NICHE_TROUBLED : BERTH_NICHE_FEWEST;
  double noise = MOST_NOISE * (double)berth_rng_below(&rng, 1024) / 1024;
  begin_with_known(turn, search);
  berth_niche_order_key(lane->order.key, search, by, noise, &rng);
  berth_niche_order_apply(&lane->order, search);
  search->may_jump = (search->switches & BERTH_EXACT_JUMPS) != 0;
  enum berth_niche_outcome outcome =
      berth_niche_search_run(search, turn->plan.capacity, nodes_of(turn, restart));
  for (uint32_t s = 0; s < search->state.model->n_sections; s++) {
    lane->trouble[s] += search->n_refuted[s];
  }
  return outcome;
}

static enum berth_niche_outcome run_restarts(struct turn *turn, struct berth_task *task) {
  uint64_t k = (task->index - turn->has_complete - turn->has_climb) * (uint64_t)turn->n_in_task;
  uint64_t end = k + turn->n_in_task < turn->n_restarts ? k + turn->n_in_task : turn->n_restarts;
  struct berth_campaign_lane *lane = enter(turn, task);
  enum berth_niche_outcome outcome = lane != NULL ? BERTH_NICHE_LIMIT : BERTH_NICHE_NO_MEMORY;
  for (; outcome == BERTH_NICHE_LIMIT && k < end; k++) {
    outcome = restart(turn, lane, k);
  }
  return outcome;
}

static enum berth_niche_outcome run_climb(struct turn *turn, struct berth_task *task) {
  struct berth_campaign_lane *lane = enter(turn, task);
  if (lane == NULL) {
    return BERTH_NICHE_NO_MEMORY;
  }
  begin_with_known(turn, &lane->search);
  lane->search.may_jump = (lane->search.switches & BERTH_EXACT_JUMPS) != 0;
  return berth_niche_climb_run(
      &turn->campaign->climb, &lane->search, &lane->order, turn->plan.capacity, turn->plan.n_climb);
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
  } else if (task->index == turn->has_complete && turn->has_climb) {
    outcome = run_climb(turn, task);
  } else {
    outcome = run_restarts(turn, task);
  }
  turn->outcomes[task->index] = outcome;
  return outcome != BERTH_NICHE_LIMIT && outcome != BERTH_NICHE_STOPPED;
}

/* Trouble of old runs counts less. */
static void learn(const struct turn *turn) {
  struct berth_campaign *campaign = turn->campaign;
  for (uint32_t s = 0; s < campaign->model.n_sections && turn->n_restarts > 0; s++) {
    uint64_t trouble = 0;
    for (uint32_t k = 0; k < campaign->n_lanes; k++) {
      trouble += campaign->lanes[k].is_ready ? campaign->lanes[k].trouble[s] : 0;
    }
    double mean = (double)trouble / turn->n_restarts;
    campaign->search.weight[s] = campaign->search.weight[s] / FADES + REMEMBERED * mean;
  }
}

enum berth_niche_outcome
berth_campaign_take_turn(struct berth_campaign *campaign, const struct berth_campaign_turn *plan) {
  struct turn turn = {
      .campaign = campaign,
      .plan = *plan,
      .first = campaign->n_restarts,
      .has_complete = plan->n_complete > 0,
      .has_climb = plan->n_climb > 0};
  plan_restarts(&turn);
  campaign->n_restarts += turn.n_restarts;
  memcpy(campaign->known_weight, campaign->search.weight, campaign->model.n_sections * sizeof(double));
  clear_lanes(campaign);
  uint32_t n_tasks =
      turn.has_complete + turn.has_climb + (turn.n_restarts + turn.n_in_task - 1) / turn.n_in_task;
  struct berth_packing_search *packing = campaign->packing;
  struct berth_tasks_result result =
      berth_tasks_run(packing->executor, packing->effort, n_tasks, run_task, &turn);
  if (!result.is_decided) {
    bool is_whole = result.n_counted == n_tasks;
    if (is_whole) {
      learn(&turn);
    }
    return is_whole ? BERTH_NICHE_LIMIT : BERTH_NICHE_STOPPED;
  }
  bool is_complete = turn.has_complete && result.n_counted == 1;
  campaign->found = is_complete ? &campaign->search : &campaign->lanes[result.lane].search;
  return turn.outcomes[result.n_counted - 1];
}
