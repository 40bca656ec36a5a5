#include "verify/homes.h"

#include "base/checked.h"

static bool persists(uint8_t class_) {
  return class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
}

static bool mark_grouped(struct berth_verify_homes *homes, struct berth_arena *arena) {
  const struct berth_verify_facts *facts = homes->facts;
  const struct berth_graph *graph = berth_problem_graph(facts->problem);
  if (facts->groups->n == 0) {
    return true;
  }
  homes->grouped = berth_arena_new_zeroed(arena, bool, facts->n);
  for (uint32_t g = 0; homes->grouped != NULL && g < facts->groups->n; g++) {
    const struct berth_group_spec *group = &facts->groups->items[g];
    uint32_t first = BERTH_NO_INDEX; /* without bytes a member takes no part, and one alone is no group */
    for (uint32_t k = 0; k < group->n_members; k++) {
      uint32_t buffer = graph != NULL ? graph->value_buffer[group->members[k]] : group->members[k];
      if (buffer < facts->n && facts->size[buffer] > 0) {
        homes->grouped[buffer] |= first != BERTH_NO_INDEX;
        homes->grouped[first != BERTH_NO_INDEX ? first : buffer] |= first != BERTH_NO_INDEX;
        first = first != BERTH_NO_INDEX ? first : buffer;
      }
    }
  }
  return homes->grouped != NULL;
}

bool berth_verify_homes_init(
    struct berth_verify_homes *homes, const struct berth_verify_facts *facts, struct berth_arena *arena) {
  *homes = (struct berth_verify_homes){
      .facts = facts,
      .is_plain = true,
      .seen = berth_arena_new_zeroed(arena, uint32_t, facts->n_pools),
      .list = berth_arena_new(arena, uint32_t, facts->n_pools)};
  for (uint32_t p = 0; p < facts->n_pools; p++) {
    const struct berth_pool_spec *pool = &facts->pools[p];
    homes->is_plain = homes->is_plain && pool->n_spill_to == 0 && pool->persistence != BERTH_PERSISTENCE_ONLY;
    homes->has_costs = homes->has_costs || pool->cost_per_byte != 0;
  }
  return homes->seen != NULL && homes->list != NULL && mark_grouped(homes, arena);
}

/* ---- One list ---- */

static void enter(struct berth_verify_homes *homes, uint32_t pool, uint8_t class_) {
  bool refused = homes->facts->pools[pool].persistence == BERTH_PERSISTENCE_ONLY && !persists(class_);
  if (refused || homes->seen[pool] == homes->stamp) {
    return;
  }
  homes->seen[pool] = homes->stamp;
  homes->list[homes->n++] = pool;
}

/* Pools that are reached are entered at the end, and looked at in their turn. */
static void
list_homes(struct berth_verify_homes *homes, const uint32_t *named, uint32_t n_named, uint8_t class_) {
  const struct berth_pool_spec *pools = homes->facts->pools;
  homes->stamp++;
  homes->n = 0;
  for (uint32_t k = 0; k < n_named; k++) {
    enter(homes, named[k], class_);
  }
  for (uint32_t k = 0; n_named > 0 && k < homes->n; k++) {
    const struct berth_pool_spec *pool = &pools[homes->list[k]];
    for (uint32_t s = 0; s < pool->n_spill_to; s++) {
      enter(homes, pool->spill_to[s], class_);
    }
  }
  for (int only = 1; n_named == 0 && only >= 0; only--) { /* those for constants and state alone first */
    for (uint32_t p = 0; p < homes->facts->n_pools; p++) {
      if ((pools[p].persistence == BERTH_PERSISTENCE_ONLY) == only) {
        enter(homes, p, class_);
      }
    }
  }
}

static uint32_t place_in(const struct berth_verify_homes *homes, uint32_t pool) {
  for (uint32_t k = 0; k < homes->n; k++) {
    if (homes->list[k] == pool) {
      return k;
    }
  }
  return BERTH_NO_INDEX;
}

/* What the owner of the buffer names. */
static const uint32_t *
named_by_buffer(const struct berth_verify_facts *facts, uint32_t buffer, uint32_t *out_n) {
  if (facts->owner == NULL) {
    return berth_problem_stated_pools(facts->problem, buffer, out_n);
  }
  if (facts->owner[buffer] == BERTH_NO_INDEX) { /* a workspace */
    *out_n = 0;
    return NULL;
  }
  struct berth_value_spec value = berth_problem_value(facts->problem, facts->owner[buffer]);
  *out_n = value.n_pools;
  return value.pools;
}

/* What its group settled: only the pools that all of it may live in, and that suit it. */
static bool suits_group(const struct berth_verify_homes *homes, uint32_t buffer, uint32_t pool) {
  const uint32_t *begin = homes->facts->pool_begin;
  bool suits = homes->grouped == NULL || !homes->grouped[buffer] || begin == NULL ||
               begin[buffer] == begin[buffer + 1];
  for (uint32_t k = suits ? 0 : begin[buffer]; !suits && k < begin[buffer + 1]; k++) {
    suits = homes->facts->allowed_pools[k] == pool;
  }
  return suits;
}

uint32_t berth_verify_home(struct berth_verify_homes *homes, uint32_t buffer, uint32_t pool) {
  uint32_t n_named;
  const uint32_t *named = named_by_buffer(homes->facts, buffer, &n_named);
  if (!suits_group(homes, buffer, pool)) {
    return BERTH_NO_INDEX;
  }
  if (homes->is_plain && n_named == 0) {
    return pool;
  }
  list_homes(homes, named, n_named, homes->facts->class_[buffer]);
  return place_in(homes, pool);
}

/* ---- Costs ---- */

/* From the first of the list to the k-th after it. */
static uint64_t step_to(const struct berth_verify_homes *homes, uint32_t place, bool every) {
  if (!homes->has_costs) {
    return place;
  }
  const struct berth_pool_spec *pools = homes->facts->pools;
  uint64_t first = pools[every ? 0 : homes->list[0]].cost_per_byte;
  uint64_t most = first;
  for (uint32_t k = 1; k <= place; k++) {
    uint64_t cost = pools[every ? k : homes->list[k]].cost_per_byte;
    most = cost > most ? cost : most;
  }
  return most - first;
}

/* The list that costs are counted by. */
static const uint32_t *counted_by(const struct berth_verify_homes *homes, uint32_t buffer, uint32_t *out_n) {
  const struct berth_verify_facts *facts = homes->facts;
  if (homes->grouped == NULL || !homes->grouped[buffer]) {
    return named_by_buffer(facts, buffer, out_n);
  }
  const uint32_t *begin = facts->pool_begin;
  *out_n = begin != NULL ? begin[buffer + 1] - begin[buffer] : 0;
  return *out_n > 0 ? facts->allowed_pools + begin[buffer] : NULL;
}

uint64_t berth_verify_spill_cost(struct berth_verify_homes *homes, const struct berth_verify_places *places) {
  const struct berth_verify_facts *facts = homes->facts;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < facts->n; i++) {
    uint32_t n_named;
    const uint32_t *named = counted_by(homes, i, &n_named);
    if (!berth_verify_is_placed(facts, places, i)) {
      continue;
    }
    bool every = homes->is_plain && n_named == 0;
    uint32_t place = berth_verify_pool(places, i);
    if (!every) {
      list_homes(homes, named, n_named, facts->class_[i]);
      place = place_in(homes, place);
    }
    if (place != BERTH_NO_INDEX) {
      uint64_t step = step_to(homes, place, every);
      uint64_t accesses = facts->accesses != NULL ? facts->accesses[i] : 1;
      sum = berth_add_sat_u64(sum, berth_mul_sat_u64(facts->size[i], accesses * step));
    }
  }
  return sum;
}

/* ---- Who else lives in the buffer of a value ---- */

void berth_verify_tenants_at_home(
    struct berth_verify_homes *homes, const struct berth_verify_places *places,
    struct berth_verify_findings *findings) {
  const struct berth_verify_facts *facts = homes->facts;
  const struct berth_graph *graph = berth_problem_graph(facts->problem);
  if (graph == NULL || (homes->is_plain && facts->pool_begin == NULL)) {
    return;
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    bool view = graph->value_root != NULL && graph->value_root[v] != v;
    if (view || buffer == BERTH_NO_INDEX || facts->owner[buffer] == v ||
        !berth_verify_is_placed(facts, places, buffer)) {
      continue;
    }
    struct berth_value_spec value = berth_problem_value(facts->problem, v);
    uint32_t pool = berth_verify_pool(places, buffer);
    list_homes(homes, value.pools, value.n_pools, (uint8_t)value.class_);
    if (place_in(homes, pool) == BERTH_NO_INDEX) {
      struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_POOL);
      violation.buffer_a = buffer;
      violation.pool = pool;
      berth_verify_blame(
          findings, &violation, "%s holds value %u too, which may not live in pool %u",
          berth_verify_name(findings, buffer).text, v, pool);
    }
  }
}
