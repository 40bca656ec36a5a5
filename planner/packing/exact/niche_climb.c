#include "packing/exact/niche_climb.h"

#include <string.h>

enum { MOST_STALLED = 200, MOST_CHANGED = 6, NODES_A_BUFFER = 2 };

enum berth_code berth_niche_climb_init(
    struct berth_niche_climb *climb, const struct berth_niche_model *model, uint64_t seed,
    struct berth_arena *arena) {
  *climb = (struct berth_niche_climb){
      .best_key = berth_arena_new(arena, double, model->n_buffers),
      .trouble = berth_arena_new(arena, uint32_t, model->n_sections),
      .rng = {.state = seed}};
  return climb->best_key && climb->trouble ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

/* A section drawn by how often it refuted in the best run. */
static uint32_t draw_section(struct berth_niche_climb *climb, uint32_t n_sections) {
  uint64_t total = 0;
  for (uint32_t s = 0; s < n_sections; s++) {
    total += climb->trouble[s];
  }
  if (total == 0) {
    return berth_rng_below(&climb->rng, n_sections);
  }
  uint64_t ticket = berth_rng_next(&climb->rng) % total;
  uint32_t section = 0;
  while (ticket >= climb->trouble[section]) {
    ticket -= climb->trouble[section++];
  }
  return section;
}

static double draw_factor(struct berth_rng *rng) {
  double unit = (double)(berth_rng_next(rng) >> 11) * 0x1p-53;
  double factor = 1 + 1.7 * unit;
  return berth_rng_next(rng) >> 63 ? factor : 1 / factor;
}

static void change_keys(struct berth_niche_climb *climb, const struct berth_niche_model *model, double *key) {
  memcpy(key, climb->best_key, model->n_buffers * sizeof *key);
  uint32_t section = draw_section(climb, model->n_sections);
  uint32_t begin = model->member_begin[section], n = model->member_begin[section + 1] - begin;
  uint32_t n_changed = 1 + berth_rng_below(&climb->rng, MOST_CHANGED);
  for (uint32_t k = 0; k < n_changed; k++) {
    key[model->members[begin + berth_rng_below(&climb->rng, n)]] *= draw_factor(&climb->rng);
  }
}

static void
accept(struct berth_niche_climb *climb, const struct berth_niche_search *search, const double *key) {
  const struct berth_niche_model *model = search->state.model;
  bool is_better = search->n_deepest > climb->n_placed;
  climb->n_stalled = is_better ? 0 : climb->n_stalled + 1;
  if (search->n_deepest >= climb->n_placed) {
    climb->n_placed = search->n_deepest;
    memcpy(climb->best_key, key, model->n_buffers * sizeof *key);
    memcpy(climb->trouble, search->n_refuted, model->n_sections * sizeof *climb->trouble);
  }
}

enum berth_niche_outcome berth_niche_climb_run(
    struct berth_niche_climb *climb, struct berth_niche_search *search, struct berth_niche_order *order,
    uint64_t capacity, uint64_t n_nodes) {
  const struct berth_niche_model *model = search->state.model;
  uint64_t last_node = search->n_nodes + n_nodes;
  uint64_t per_run = NODES_A_BUFFER * (uint64_t)model->n_buffers;
  enum berth_niche_outcome outcome = BERTH_NICHE_LIMIT;
  while (outcome == BERTH_NICHE_LIMIT && search->n_nodes < last_node) {
    if (!climb->is_started || climb->n_stalled > MOST_STALLED) {
      enum berth_niche_by by =
          berth_rng_below(&climb->rng, 4) == 0 ? BERTH_NICHE_BY_TROUBLE : BERTH_NICHE_BY_AREA;
      berth_niche_order_key(order->key, search, by, 1.2, &climb->rng);
      memcpy(climb->best_key, order->key, model->n_buffers * sizeof *order->key);
      climb->n_placed = climb->n_stalled = 0;
      climb->is_started = true;
    } else {
      change_keys(climb, model, order->key);
    }
    berth_niche_order_apply(order, search);
    if (!berth_effort_spend(search->state.effort, 8 * (uint64_t)model->member_begin[model->n_sections])) {
      return BERTH_NICHE_STOPPED;
    }
    search->pick = BERTH_NICHE_FEWEST;
    outcome = berth_niche_search_run(search, capacity, per_run);
    accept(climb, search, order->key);
  }
  return outcome;
}
