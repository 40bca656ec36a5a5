#include "packing/exact/campaign.h"

#include "packing/exact/campaign_turn.h"
#include "packing/exact/exact.h"

enum {
  MOST_MEMO_SLOTS = 1 << 20,
  NODES_A_SLOT = 4,
  FIRST_BUDGET = 4,
  OPENING_ROUNDS = 3,
  RESTART_SHARE = 2, /* of each chain */
  ASIDE_SHARE = 16,
  SLOTS_ASIDE = 1 << 14
};

static const struct {
  enum berth_niche_pick pick;
  enum berth_niche_by by;
} opening[] = {
    {BERTH_NICHE_FEWEST, BERTH_NICHE_BY_LIFE},   {BERTH_NICHE_TROUBLED, BERTH_NICHE_BY_LIFE},
    {BERTH_NICHE_FEWEST, BERTH_NICHE_BY_SIZE},   {BERTH_NICHE_TIGHTEST, BERTH_NICHE_BY_LIFE},
    {BERTH_NICHE_TROUBLED, BERTH_NICHE_BY_LOAD}, {BERTH_NICHE_FEWEST, BERTH_NICHE_BY_AREA},
    {BERTH_NICHE_TROUBLED, BERTH_NICHE_BY_PEAK}, {BERTH_NICHE_TROUBLED, BERTH_NICHE_BY_SIZE},
    {BERTH_NICHE_FEWEST, BERTH_NICHE_BY_LOAD},   {BERTH_NICHE_TROUBLED, BERTH_NICHE_BY_AREA},
};

#define MOST_AIM (UINT64_MAX / 4) /* beyond it units do not count right */

enum { N_OPENING = sizeof opening / sizeof *opening };

/* Without any run. NULL if memory ran out. */
static struct berth_campaign_chain *make_chains(uint32_t n_buffers, struct berth_arena *arena) {
  struct berth_campaign_chain *chains =
      berth_arena_new_zeroed(arena, struct berth_campaign_chain, BERTH_CAMPAIGN_CHAINS);
  for (uint32_t k = 0; chains != NULL && k < BERTH_CAMPAIGN_CHAINS; k++) {
    chains[k].offset = berth_arena_new(arena, int64_t, n_buffers);
    chains = chains[k].offset != NULL ? chains : NULL;
  }
  return chains;
}

enum berth_code
berth_campaign_init(struct berth_campaign *campaign, struct berth_packing_search *packing, bool *out_usable) {
  struct berth_arena *arena = packing->arena;
  *campaign = (struct berth_campaign){.packing = packing, .rng = {.state = 7}, .seed = 71, .aside.seed = 5};
  campaign->found = &campaign->search;
  enum berth_code code = berth_niche_model_init(&campaign->model, packing->instance, arena, out_usable);
  if (code != BERTH_OK || !*out_usable) {
    return code;
  }
  uint32_t n = campaign->model.n_buffers;
  code = berth_niche_search_init(&campaign->search, &campaign->model, arena, packing->effort);
  code = code == BERTH_OK ? berth_niche_order_init(&campaign->order, n, arena) : code;
  campaign->search.switches = packing->switches;
  campaign->offset = berth_arena_new(arena, uint64_t, n);
  campaign->aside.weight = berth_arena_new_zeroed(arena, double, campaign->model.n_sections);
  campaign->known_weight = berth_arena_new(arena, double, campaign->model.n_sections);
  uint32_t n_lanes = berth_tasks_n_lanes(packing->executor);
  campaign->lanes = berth_arena_new_zeroed(arena, struct berth_campaign_lane, n_lanes);
  campaign->n_lanes = campaign->lanes != NULL ? n_lanes : 0;
  campaign->chains = make_chains(n, arena);
  campaign->aside.chains = make_chains(n, arena);
  bool has_all = campaign->offset != NULL && campaign->chains != NULL && campaign->aside.chains != NULL &&
                 campaign->aside.weight != NULL && campaign->known_weight != NULL && campaign->lanes != NULL;
  return code == BERTH_OK && !has_all ? BERTH_RESOURCE_EXHAUSTED : code;
}

void berth_campaign_finish(struct berth_campaign *campaign) {
  berth_campaign_drop_lanes(campaign);
}

static void offer(struct berth_campaign *campaign) {
  const struct berth_niche_state *state = &campaign->found->state;
  const struct berth_packing_instance *instance = campaign->packing->instance;
  uint64_t arena_bytes = 0;
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    int64_t units = state->is_placed[b] ? state->offset[b] : state->low[b];
    campaign->offset[b] = (uint64_t)units * campaign->model.unit;
    uint64_t end = campaign->offset[b] + instance->size[b];
    arena_bytes = end > arena_bytes ? end : arena_bytes;
  }
  berth_packing_offer(campaign->packing, campaign->offset, arena_bytes);
}

/* What an outcome at a capacity means for the plan and the bound. Returns whether it settled the capacity. */
static bool settle(struct berth_campaign *campaign, uint64_t capacity, enum berth_niche_outcome outcome) {
  if (outcome == BERTH_NICHE_FOUND) {
    offer(campaign);
    return true;
  }
  if (outcome == BERTH_NICHE_REFUTED || outcome == BERTH_NICHE_EXHAUSTED) {
    uint64_t next = berth_niche_model_next_capacity(&campaign->model, capacity);
    campaign->least_aim = next > campaign->least_aim ? next : campaign->least_aim;
    if (outcome == BERTH_NICHE_REFUTED) {
      berth_packing_raise_bound(campaign->packing, next);
    }
    return true;
  }
  return false;
}

static bool is_over(enum berth_niche_outcome outcome) {
  return outcome == BERTH_NICHE_STOPPED || outcome == BERTH_NICHE_NO_MEMORY;
}

static bool has(const struct berth_campaign *campaign, uint32_t bit) {
  return campaign->packing->switches & bit;
}

static void
run_in_order(struct berth_campaign *campaign, enum berth_niche_pick pick, enum berth_niche_by by) {
  berth_niche_order_key(campaign->order.key, &campaign->search, by, 0, &campaign->rng);
  berth_niche_order_apply(&campaign->order, &campaign->search);
  campaign->search.pick = pick;
}

/* The orders of the opening in turn, for longer in each round: a good order needs about a node a buffer, and
 * what the others learn about troubled sections may make a bad one good. */
static uint64_t nodes_of_opening(const struct berth_campaign *campaign, uint32_t k) {
  return (3 * (uint64_t)campaign->model.n_buffers + 64) << k / N_OPENING;
}

static enum berth_niche_outcome open_once(struct berth_campaign *campaign, uint64_t capacity, uint32_t k) {
  campaign->found = &campaign->search;
  run_in_order(campaign, opening[k % N_OPENING].pick, opening[k % N_OPENING].by);
  campaign->search.may_jump = k > 0 && has(campaign, BERTH_EXACT_JUMPS);
  return berth_niche_search_run(&campaign->search, capacity, nodes_of_opening(campaign, k));
}

static bool feed_memo(struct berth_campaign *campaign) {
  struct berth_niche_search *search = &campaign->search;
  if (search->n_nodes > NODES_A_SLOT * search->memo.n_slots && search->memo.n_slots < MOST_MEMO_SLOTS) {
    return berth_niche_search_grow_memo(search, 4 * search->memo.n_slots);
  }
  return true;
}

/* One turn of everything at a capacity. */
static enum berth_niche_outcome take_turn(struct berth_campaign *campaign, uint64_t capacity) {
  if (!feed_memo(campaign)) {
    return BERTH_NICHE_NO_MEMORY;
  }
  uint32_t k = berth_rng_below(&campaign->rng, N_OPENING);
  run_in_order(campaign, opening[k].pick, opening[k].by);
  struct berth_campaign_turn turn = {
      .capacity = capacity,
      .n_complete = campaign->n_budget,
      .n_in_chain = has(campaign, BERTH_EXACT_RESTARTS) ? RESTART_SHARE * campaign->n_budget : 0};
  return berth_campaign_take_turn(campaign, &turn);
}

/* The least capacity that is not refuted, or taken as such. */
static uint64_t least_open(const struct berth_campaign *campaign) {
  uint64_t bound = campaign->packing->lower_bound;
  return campaign->least_aim > bound ? campaign->least_aim : bound;
}

/* The largest capacity that is still of interest: below the best arena, or the instance's own, or what is
 * surely enough. */
static uint64_t ceiling_of(const struct berth_campaign *campaign) {
  const struct berth_packing_search *packing = campaign->packing;
  uint64_t capacity = packing->instance->capacity;
  if (packing->best_arena != BERTH_UNLIMITED) {
    uint64_t below = packing->best_arena - 1;
    return below < capacity ? below : capacity;
  }
  uint64_t bound = least_open(campaign);
  uint64_t doubled = bound < MOST_AIM ? 2 * bound : 2 * MOST_AIM;
  return doubled < capacity ? doubled : capacity;
}

/* The next capacity to prove or refute. */
static uint64_t aim_of(const struct berth_campaign *campaign) {
  const struct berth_packing_search *packing = campaign->packing;
  if (packing->any_fit && packing->instance->capacity <= MOST_AIM) {
    return packing->instance->capacity;
  }
  uint64_t ceiling = ceiling_of(campaign), bound = least_open(campaign);
  uint64_t room = ceiling > bound ? ceiling - bound : 0;
  uint64_t step = campaign->refuted_step < room / 2 ? campaign->refuted_step : room / 2;
  return bound + step;
}

static void learn(struct berth_campaign *campaign, enum berth_niche_outcome outcome) {
  uint64_t unit = campaign->model.unit;
  if (outcome == BERTH_NICHE_REFUTED || outcome == BERTH_NICHE_EXHAUSTED) {
    campaign->refuted_step = campaign->refuted_step == 0 ? unit : 2 * campaign->refuted_step;
  } else if (outcome == BERTH_NICHE_FOUND) {
    campaign->refuted_step /= 2;
  }
  campaign->n_budget = FIRST_BUDGET * (uint64_t)campaign->model.n_buffers + 256;
}

static void swap_past(struct berth_campaign *campaign) {
  struct berth_niche_search *search = &campaign->search;
  struct berth_campaign_past past = {
      .seed = campaign->seed,
      .n_nodes = search->n_nodes,
      .chains = campaign->chains,
      .weight = search->weight,
      .memo = search->memo};
  campaign->seed = campaign->aside.seed;
  campaign->chains = campaign->aside.chains;
  search->n_nodes = campaign->aside.n_nodes;
  search->weight = campaign->aside.weight;
  search->memo = campaign->aside.memo;
  campaign->aside = past;
}

/* While the aim stays open, halfway to the best arena may be easier; and where that stays open, too, halfway
 * from there, up to just below the best arena, and from the start. */
static enum berth_niche_outcome improve(struct berth_campaign *campaign, uint64_t aim) {
  uint64_t ceiling = ceiling_of(campaign);
  if (ceiling <= aim) {
    return BERTH_NICHE_LIMIT;
  }
  uint64_t middle = aim;
  for (uint32_t k = 0; k <= campaign->n_vain; k++) {
    middle += (ceiling - middle + 1) / 2;
  }
  swap_past(campaign);
  bool has_memo =
      campaign->search.memo.n_slots != 0 || berth_niche_search_grow_memo(&campaign->search, SLOTS_ASIDE);
  enum berth_niche_outcome outcome = has_memo ? BERTH_NICHE_LIMIT : BERTH_NICHE_NO_MEMORY;
  for (uint32_t k = 0; k < N_OPENING && outcome == BERTH_NICHE_LIMIT; k++) {
    outcome = open_once(campaign, middle, k);
  }
  if (outcome == BERTH_NICHE_LIMIT && has(campaign, BERTH_EXACT_RESTARTS)) {
    struct berth_campaign_turn turn = {.capacity = middle, .n_in_chain = campaign->n_budget / ASIDE_SHARE};
    outcome = berth_campaign_take_turn(campaign, &turn);
  }
  swap_past(campaign);
  campaign->n_vain = outcome == BERTH_NICHE_LIMIT && middle < ceiling ? campaign->n_vain + 1 : 0;
  settle(campaign, middle, outcome);
  return outcome;
}

static bool is_opened(const struct berth_campaign *campaign) {
  return campaign->n_opened == OPENING_ROUNDS * N_OPENING;
}

static enum berth_niche_outcome open_next(struct berth_campaign *campaign) {
  const struct berth_effort *effort = campaign->packing->effort;
  uint64_t n_before = campaign->search.n_nodes, before = effort->ticks;
  enum berth_niche_outcome outcome = open_once(campaign, campaign->aim, campaign->n_opened++);
  campaign->n_tried += campaign->search.n_nodes - n_before;
  campaign->tried_ticks += effort->ticks - before;
  return outcome;
}

/* Whether the next step is likely to end beyond so many ticks, by what a node of the openings took. */
static bool goes_beyond(const struct berth_campaign *campaign, uint64_t ticks) {
  uint64_t n_nodes = is_opened(campaign) ? (1 + RESTART_SHARE * BERTH_CAMPAIGN_CHAINS) * campaign->n_budget
                                         : nodes_of_opening(campaign, campaign->n_opened);
  double a_node = (double)campaign->tried_ticks / (double)(campaign->n_tried + 1);
  return (double)campaign->packing->effort->ticks + a_node * (double)n_nodes >= (double)ticks;
}

/* The next run of the opening, or one more turn. */
static enum berth_niche_outcome take_step(struct berth_campaign *campaign) {
  if (!campaign->has_aim) {
    campaign->aim = aim_of(campaign);
    campaign->has_aim = true;
    campaign->n_opened = 0;
  }
  if (!is_opened(campaign)) {
    return open_next(campaign);
  }
  enum berth_niche_outcome outcome = take_turn(campaign, campaign->aim);
  campaign->n_budget *= 2;
  if (outcome == BERTH_NICHE_LIMIT && !campaign->packing->any_fit) {
    enum berth_niche_outcome other = improve(campaign, campaign->aim);
    outcome = is_over(other) ? other : outcome;
  }
  return outcome;
}

/* Whether another pinned buffer holds some of the same bytes in the section. */
static bool clashes_in(
    const struct berth_niche_model *model, uint32_t buffer, struct berth_niche_run run, uint32_t section) {
  int64_t bottom = model->pin[buffer] + run.bottom, top = model->pin[buffer] + run.top;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1]; k++) {
    uint32_t c = model->members[k];
    int64_t bottom_of_c = model->pin[c] + (model->bottom != NULL ? model->bottom[k] : 0);
    if (c != buffer && model->pin[c] >= 0 && bottom <= bottom_of_c && bottom_of_c < top) {
      return true;
    }
  }
  return false;
}

/* Only pins can clash whatever the capacity: all else has room above them. */
static bool has_clash(const struct berth_niche_model *model) {
  for (uint32_t b = 0; b < model->n_buffers && model->has_pins && !model->has_holes; b++) {
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1] && model->pin[b] >= 0; r++) {
      for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
        if (clashes_in(model, b, model->runs[r], s)) {
          return true;
        }
      }
    }
  }
  return false;
}

/* Nothing is left to look at, but what is left out by guesses. */
static bool is_exhausted(const struct berth_campaign *campaign) {
  uint64_t least = campaign->least_aim;
  return (least > campaign->packing->lower_bound && least > ceiling_of(campaign)) || least > MOST_AIM;
}

static void begin(struct berth_campaign *campaign) {
  struct berth_packing_search *packing = campaign->packing;
  packing->infeasible |= has_clash(&campaign->model);
  berth_packing_raise_bound(packing, berth_niche_model_load(&campaign->model));
  campaign->n_budget = FIRST_BUDGET * (uint64_t)campaign->model.n_buffers + 256;
  campaign->has_begun = true;
}

enum berth_code
berth_campaign_run(struct berth_campaign *campaign, uint64_t pause_ticks, bool *out_is_paused) {
  struct berth_packing_search *packing = campaign->packing;
  struct berth_effort *effort = packing->effort;
  uint64_t n_steps = 0; /* at least one, whatever it takes */
  *out_is_paused = false;
  if (!campaign->has_begun) {
    begin(campaign);
  }
  while (!berth_packing_done(packing) && !is_exhausted(campaign)) {
    if (n_steps++ > 0 && pause_ticks != UINT64_MAX && goes_beyond(campaign, pause_ticks)) {
      *out_is_paused = true;
      return BERTH_OK;
    }
    /* A capacity that is refuted at once costs nothing else. */
    if (!berth_effort_spend(effort, campaign->model.n_buffers + UINT64_C(64))) {
      return BERTH_OK;
    }
    enum berth_niche_outcome outcome = take_step(campaign);
    if (is_over(outcome)) {
      return outcome == BERTH_NICHE_NO_MEMORY ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK;
    }
    bool is_settled = packing->lower_bound > campaign->aim || campaign->least_aim > campaign->aim;
    if (is_settled || settle(campaign, campaign->aim, outcome)) {
      learn(campaign, outcome);
      campaign->has_aim = false;
    }
  }
  return BERTH_OK;
}
