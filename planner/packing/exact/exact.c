#include "packing/exact/exact.h"

#include "packing/exact/campaign.h"
#include "packing/exact/contract.h"
#include "packing/exact/relation.h"

struct berth_exact_rest {
  struct berth_campaign campaign;
};

void berth_exact_drop(struct berth_exact_rest *rest) {
  if (rest != NULL) {
    berth_campaign_finish(&rest->campaign);
  }
}

static uint64_t ticks_left(const struct berth_effort *effort) {
  return effort->limit > effort->ticks ? effort->limit - effort->ticks : 0;
}

/* Goes on with what is left, until the break if there is one. */
static enum berth_code go_on(struct berth_packing_search *search, struct berth_exact_rest *rest) {
  struct berth_packing_break *pause = search->pause;
  bool is_paused;
  rest->campaign.packing = search;
  enum berth_code code =
      berth_campaign_run(&rest->campaign, pause != NULL ? pause->ticks : UINT64_MAX, &is_paused);
  if (pause != NULL) {
    pause->rest = is_paused ? rest : NULL;
  }
  if (!is_paused) {
    berth_campaign_finish(&rest->campaign);
  }
  return code;
}

/* Where a refutation is not a proof, half of the effort is left to what proves; else it may be left at the
 * break and be taken up again, and need not end there: `limit` is that of the effort then. */
static enum berth_code
run_campaign(struct berth_packing_search *search, uint64_t limit, bool *out_usable, bool *out_complete) {
  struct berth_effort *effort = search->effort;
  struct berth_exact_rest *rest = berth_arena_new(search->arena, struct berth_exact_rest, 1);
  *out_usable = *out_complete = false;
  if (rest == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_code code = berth_campaign_init(&rest->campaign, search, out_usable);
  *out_complete = *out_usable && rest->campaign.model.is_ordered;
  if (code != BERTH_OK || !*out_usable) {
    berth_campaign_finish(&rest->campaign);
    return code;
  }
  if (*out_complete) {
    berth_effort_set_limit(effort, limit);
    return go_on(search, rest);
  }
  uint64_t before = effort->limit;
  berth_effort_set_limit(effort, effort->ticks + ticks_left(effort) / 2);
  struct berth_packing_break *pause = search->pause;
  search->pause = NULL;
  code = go_on(search, rest);
  search->pause = pause;
  berth_effort_set_limit(effort, before);
  return code;
}

enum { CONTRACT_SHARE = 16 };

/* Offsets of the blocks that are left, in place of their buffers'; *out_found unless none were found. */
static enum berth_code pack_blocks(
    struct berth_packing_search *search, struct berth_contraction *contraction, uint64_t *offset,
    bool *out_found) {
  uint32_t *members;
  struct berth_packing_instance rest;
  if (!berth_contraction_rest(contraction, search->arena, &members, &rest)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  struct berth_effort *effort = search->effort;
  struct berth_packing_search blocks = {
      .instance = &rest,
      .arena = search->arena,
      .effort = effort,
      .executor = search->executor,
      .switches = search->switches,
      .lower_bound = contraction->load,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = berth_arena_new(search->arena, uint64_t, rest.n_buffers),
      .any_fit = true};
  if (blocks.best_offset == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t limit = effort->limit;
  berth_effort_set_limit(effort, effort->ticks + ticks_left(effort) / CONTRACT_SHARE);
  bool is_usable, is_complete;
  enum berth_code code = run_campaign(&blocks, effort->limit, &is_usable, &is_complete);
  berth_effort_set_limit(effort, limit);
  *out_found = code == BERTH_OK && blocks.best_arena != BERTH_UNLIMITED;
  for (uint32_t k = 0; *out_found && k < rest.n_buffers; k++) {
    offset[members[k]] = blocks.best_offset[k];
  }
  return code;
}

static enum berth_code contract(struct berth_packing_search *search, uint32_t most_terms, bool *out_goes_on) {
  struct berth_contraction contraction;
  enum berth_code code =
      berth_contraction_init(&contraction, search->instance, search->arena, search->effort, out_goes_on);
  if (code != BERTH_OK || !*out_goes_on || contraction.load >= search->best_arena ||
      contraction.load > search->instance->capacity) {
    *out_goes_on = false;
    return code;
  }
  berth_contraction_join(&contraction, most_terms);
  uint64_t *offset = berth_arena_new(search->arena, uint64_t, contraction.n_blocks);
  if (offset == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  bool is_found = false;
  *out_goes_on = contraction.n_blocks > search->instance->n_buffers; /* something was joined */
  if (*out_goes_on) {
    code = pack_blocks(search, &contraction, offset, &is_found);
  }
  if (is_found) {
    berth_contraction_expand(&contraction, offset);
    berth_packing_offer(search, offset, contraction.load);
    *out_goes_on = false;
  }
  return code;
}

/* Ever more cautious guesses. */
static enum berth_code run_contraction(struct berth_packing_search *search) {
  enum berth_code code = BERTH_OK;
  bool goes_on = !berth_packing_done(search);
  for (uint32_t terms = BERTH_CONTRACTION_MOST_TERMS;
       goes_on && code == BERTH_OK && terms > BERTH_CONTRACTION_FEWEST_TERMS; terms--) {
    struct berth_arena_mark mark = berth_arena_mark(search->arena);
    code = contract(search, terms, &goes_on);
    berth_arena_rewind(search->arena, mark);
  }
  return code;
}

static enum berth_code run_relation(struct berth_packing_search *search) {
  struct berth_relation relation;
  bool is_usable = false;
  enum berth_code code =
      berth_relation_init(&relation, search->instance, search->arena, search->effort, &is_usable);
  return code == BERTH_OK && is_usable ? berth_relation_run(&relation, search) : code;
}

/* All that there is, from the beginning; what cannot be taken up again ends at the break. */
static enum berth_code run_all(struct berth_packing_search *search) {
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit;
  bool is_usable, is_complete = false; /* by the niche search */
  enum berth_code code = BERTH_OK;
  if (search->pause != NULL && search->pause->ticks < limit) {
    berth_effort_set_limit(effort, search->pause->ticks);
  }
  if (search->switches & BERTH_EXACT_CONTRACT) {
    code = run_contraction(search);
  }
  if (code == BERTH_OK && search->switches & BERTH_EXACT_NICHES && !berth_packing_done(search)) {
    code = run_campaign(search, limit, &is_usable, &is_complete);
  }
  if (code == BERTH_OK && !is_complete && !berth_packing_done(search)) {
    code = run_relation(search);
  }
  berth_effort_set_limit(effort, limit);
  return code;
}

static enum berth_code run(struct berth_packing_search *search) {
  if (berth_packing_done(search) || search->instance->chains != NULL) {
    return BERTH_OK; /* it lists pairs */
  }
  if (search->pause != NULL && search->pause->rest != NULL) {
    return go_on(search, search->pause->rest);
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  enum berth_code code = run_all(search);
  if (search->pause == NULL || search->pause->rest == NULL) {
    berth_arena_rewind(search->arena, mark);
  }
  return code;
}

const struct berth_packing_strategy berth_packing_exact = {.name = "exact", .run = run};
const struct berth_packing_strategy berth_packing_contract = {.name = "contract", .run = run_contraction};
