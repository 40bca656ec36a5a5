#include "packing/exact/exact.h"

#include "packing/exact/campaign.h"

static enum berth_code run(struct berth_packing_search *search) {
  if (berth_packing_done(search)) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct berth_campaign campaign;
  bool is_usable = false;
  enum berth_code code = berth_campaign_init(&campaign, search, &is_usable);
  if (code == BERTH_OK && is_usable) {
    code = berth_campaign_run(&campaign);
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

const struct berth_packing_strategy berth_packing_exact = {.name = "exact", .run = run};
