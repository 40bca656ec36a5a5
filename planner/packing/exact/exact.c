#include "packing/exact/exact.h"

#include "packing/exact/campaign.h"
#include "packing/exact/relation.h"

static enum berth_code run_campaign(struct berth_packing_search *search, bool *out_usable) {
  struct berth_campaign campaign;
  enum berth_code code = berth_campaign_init(&campaign, search, out_usable);
  return code == BERTH_OK && *out_usable ? berth_campaign_run(&campaign) : code;
}

static enum berth_code run_relation(struct berth_packing_search *search) {
  struct berth_relation relation;
  bool is_usable = false;
  enum berth_code code =
      berth_relation_init(&relation, search->instance, search->arena, search->effort, &is_usable);
  return code == BERTH_OK && is_usable ? berth_relation_run(&relation, search) : code;
}

static enum berth_code run(struct berth_packing_search *search) {
  if (berth_packing_done(search) || search->instance->chains != NULL) {
    return BERTH_OK; /* it lists pairs */
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  bool is_usable = false;
  enum berth_code code = BERTH_OK;
  if (search->switches & BERTH_EXACT_NICHES) {
    code = run_campaign(search, &is_usable);
  }
  if (code == BERTH_OK && !is_usable) {
    code = run_relation(search);
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

const struct berth_packing_strategy berth_packing_exact = {.name = "exact", .run = run};
