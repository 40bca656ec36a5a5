#include "packing/separate.h"

#include "packing/separation.h"

enum {
  PATIENCE = 1500, /* turns without gain, for each who waited, before a height is given up */
  FEWEST_WAIT = 8,
  GAIN = 64,               /* less shared by one part in so many is a gain */
  WHOLE = 1 << 16,         /* of what lies between the plan and the aim */
  FIRST_STEP = WHOLE / 4,  /* so far down at once, */
  LEAST_STEP = WHOLE / 50, /* but all the way at the very first, with a share of the effort */
  WHOLE_SHARE = 8,         /* if the plan is so near */
  NEAR = 8,                /* one part in so many of the bound */
  FINE = 1024,             /* what is smaller than one part in so many of the height comes after the others */
  MOST_IN_VAIN = 200       /* heights given up, then it ends */
};

static bool may_go_on(const struct berth_packing_search *search) {
  return !berth_packing_done(search) && search->effort->state == BERTH_EFFORT_RUNNING;
}

/* Turns until nobody shares; false if that does not come to an end. */
static bool separate(struct berth_separation *separation) {
  double least = separation->shared;
  uint64_t n_in_vain = 0;
  while (separation->n_queued > 0) {
    uint64_t n_waiting = separation->n_queued > FEWEST_WAIT ? separation->n_queued : FEWEST_WAIT;
    if (!berth_separation_turn(separation)) {
      return false;
    }
    if (separation->shared < least - least / GAIN) {
      least = separation->shared;
      n_in_vain = 0;
    } else if (++n_in_vain > PATIENCE * n_waiting) {
      return false;
    }
  }
  return true;
}

/* Between the aim and what the plan needs, the lower the larger the step. */
static uint64_t next_height(const struct berth_packing_search *search, uint32_t step) {
  uint64_t aim = search->any_fit ? search->instance->capacity : search->lower_bound;
  if (search->any_fit || search->best_arena == BERTH_UNLIMITED) {
    return aim;
  }
  uint64_t gap = search->best_arena - aim;
  uint64_t by = (uint64_t)((double)gap * ((double)step / WHOLE));
  return search->best_arena - (by > 0 ? by : 1);
}

static bool
try_height(struct berth_packing_search *search, struct berth_separation *separation, uint32_t step) {
  bool is_any = search->best_arena != BERTH_UNLIMITED;
  uint64_t height = next_height(search, step);
  bool found =
      berth_separation_begin(separation, is_any ? search->best_offset : NULL, height, height / FINE) &&
      separate(separation) && berth_separation_admit(separation) && separate(separation);
  return found &&
         berth_packing_offer(search, separation->at, berth_packing_top(search->instance, separation->at));
}

/* Often there is a plan at the bound itself, if one is near it. */
static void try_whole(struct berth_packing_search *search, struct berth_separation *separation) {
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit;
  bool is_near = search->any_fit || search->best_arena - search->lower_bound <= search->lower_bound / NEAR;
  if (is_near) {
    berth_effort_set_limit(effort, effort->ticks + (limit - effort->ticks) / WHOLE_SHARE);
    (void)try_height(search, separation, WHOLE);
    berth_effort_set_limit(effort, limit);
  }
}

static void search_heights(struct berth_packing_search *search, struct berth_separation *separation) {
  uint32_t step = FIRST_STEP;
  try_whole(search, separation);
  for (uint32_t n_in_vain = 0; n_in_vain < MOST_IN_VAIN && may_go_on(search);) {
    if (try_height(search, separation, step)) {
      n_in_vain = 0;
      continue;
    }
    n_in_vain++;
    step = step > LEAST_STEP ? step / 4 * 3 : FIRST_STEP;
  }
}

static bool is_fit_for(const struct berth_packing_search *search) {
  bool is_any = search->best_arena != BERTH_UNLIMITED;
  uint64_t most = is_any ? search->best_arena : search->instance->capacity;
  return (is_any || search->any_fit) && berth_separation_fits(search->instance, most);
}

static enum berth_code run(struct berth_packing_search *search) {
  if (!is_fit_for(search)) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct berth_separation separation;
  enum berth_code code = BERTH_RESOURCE_EXHAUSTED;
  if (berth_separation_init(&separation, search->instance, search->effort, search->arena)) {
    if (may_go_on(search)) {
      search_heights(search, &separation);
    }
    code = BERTH_OK;
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

const struct berth_packing_strategy berth_packing_separate = {.name = "separate", .run = run};
