#include "packing/keep_choose.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"

enum { MOST_EXACT = 32, MOST_STEPS = 1 << 16 };

struct component {
  uint32_t n;
  const uint32_t *items;
  uint32_t meets[MOST_EXACT]; /* bits, where there are few */
  uint64_t weight[MOST_EXACT];
  uint64_t best_weight;
  uint32_t best;
  uint32_t n_steps;
};

struct choice {
  const uint64_t *weight;
  const struct berth_pairs *pairs;
  struct berth_arena *arena;
  uint8_t *stays;
  uint32_t *place; /* of each item in its component */
  uint64_t *rest;  /* of each item: what is left of its weight */
  uint64_t moved;
};

static uint64_t weight_of(const struct component *component, uint32_t set) {
  uint64_t sum = 0;
  for (; set != 0; set &= set - 1) {
    sum += component->weight[__builtin_ctz(set)];
  }
  return sum;
}

static uint32_t busiest(const struct component *component, uint32_t open) {
  uint32_t found = 0;
  int most = -1;
  for (uint32_t set = open; set != 0; set &= set - 1) {
    uint32_t k = (uint32_t)__builtin_ctz(set);
    int n = __builtin_popcount(component->meets[k] & open);
    if (n > most) {
      most = n;
      found = k;
    }
  }
  return found;
}

/* The heaviest set without a pair: the busiest item stays, or moves. */
static void branch(struct component *component, uint32_t chosen, uint64_t weight, uint32_t open) {
  if (weight + weight_of(component, open) <= component->best_weight || component->n_steps++ > MOST_STEPS) {
    return;
  }
  if (open == 0) {
    component->best_weight = weight;
    component->best = chosen;
    return;
  }
  uint32_t k = busiest(component, open);
  uint32_t bit = UINT32_C(1) << k;
  if ((component->meets[k] & open) == 0) { /* nobody meets anybody */
    branch(component, chosen | open, weight + weight_of(component, open), 0);
    return;
  }
  branch(component, chosen | bit, weight + component->weight[k], open & ~bit & ~component->meets[k]);
  branch(component, chosen, weight, open & ~bit);
}

/* True unless it would have taken too long. */
static bool solve_exactly(struct choice *choice, struct component *component) {
  for (uint32_t k = 0; k < component->n; k++) {
    uint32_t i = component->items[k];
    component->weight[k] = choice->weight[i];
    component->meets[k] = 0;
    for (uint32_t e = 0; e < berth_pairs_n(choice->pairs, i); e++) {
      uint32_t other = choice->pairs->other[choice->pairs->begin[i] + e];
      component->meets[k] |= choice->stays[other] ? UINT32_C(1) << choice->place[other] : 0;
    }
  }
  uint32_t all = component->n == 32 ? UINT32_MAX : (UINT32_C(1) << component->n) - 1;
  branch(component, 0, 0, all);
  if (component->n_steps > MOST_STEPS) {
    return false;
  }
  choice->moved += weight_of(component, all) - component->best_weight;
  for (uint32_t k = 0; k < component->n; k++) {
    choice->stays[component->items[k]] = component->best >> k & 1;
  }
  return true;
}

/* ---- Large components ---- */

/* Each pair pays as much as the lighter has left: whoever moves has paid for it, or nobody has. */
static uint64_t bound_component(struct choice *choice, const struct component *component) {
  uint64_t paid = 0;
  for (uint32_t k = 0; k < component->n; k++) {
    choice->rest[component->items[k]] = choice->weight[component->items[k]];
  }
  for (uint32_t k = 0; k < component->n; k++) {
    uint32_t i = component->items[k];
    for (uint32_t e = 0; e < berth_pairs_n(choice->pairs, i); e++) {
      uint32_t other = choice->pairs->other[choice->pairs->begin[i] + e];
      if (other > i && choice->stays[other]) {
        uint64_t least = choice->rest[i] < choice->rest[other] ? choice->rest[i] : choice->rest[other];
        choice->rest[i] -= least;
        choice->rest[other] -= least;
        paid += least;
      }
    }
  }
  return paid;
}

/* What staying costs the neighbours, for what it is worth; positive doubles sort as their bits do. */
static uint64_t cost_key(const struct choice *choice, uint32_t i) {
  double others = 0;
  for (uint32_t e = 0; e < berth_pairs_n(choice->pairs, i); e++) {
    uint32_t other = choice->pairs->other[choice->pairs->begin[i] + e];
    others += choice->stays[other] ? (double)choice->weight[other] : 0;
  }
  double cost = others / ((double)choice->weight[i] + 1);
  uint64_t bits;
  memcpy(&bits, &cost, sizeof bits);
  return bits;
}

static bool choose_greedily(struct choice *choice, const struct component *component) {
  struct berth_arena_mark mark = berth_arena_mark(choice->arena);
  uint32_t *order = berth_arena_new(choice->arena, uint32_t, component->n);
  uint64_t *key = berth_arena_new(choice->arena, uint64_t, component->n);
  if (order == NULL || key == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < component->n; k++) {
    order[k] = k;
    key[k] = cost_key(choice, component->items[k]);
  }
  bool ok = berth_order_by_key(choice->arena, component->n, key, order);
  for (uint32_t k = 0; k < component->n; k++) {
    choice->stays[component->items[k]] = 2; /* not told yet */
  }
  for (uint32_t k = 0; ok && k < component->n; k++) {
    uint32_t i = component->items[order[k]];
    bool is_free = true;
    for (uint32_t e = 0; is_free && e < berth_pairs_n(choice->pairs, i); e++) {
      is_free = choice->stays[choice->pairs->other[choice->pairs->begin[i] + e]] != 1;
    }
    choice->stays[i] = is_free;
  }
  berth_arena_rewind(choice->arena, mark);
  return ok;
}

/* ---- Components ---- */

/* Whoever is reached from `first` by pairs; they are marked. */
static uint32_t collect(const struct choice *choice, uint32_t first, uint8_t *is_seen, uint32_t *items) {
  uint32_t n = 1;
  items[0] = first;
  is_seen[first] = 1;
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t e = 0; e < berth_pairs_n(choice->pairs, items[k]); e++) {
      uint32_t other = choice->pairs->other[choice->pairs->begin[items[k]] + e];
      if (choice->stays[other] && !is_seen[other]) {
        is_seen[other] = 1;
        items[n++] = other;
      }
    }
  }
  return n;
}

static bool choose_component(struct choice *choice, const uint32_t *items, uint32_t n) {
  struct component component = {.n = n, .items = items};
  for (uint32_t k = 0; k < n; k++) {
    choice->place[items[k]] = k;
  }
  if (n == 1 || (n <= MOST_EXACT && solve_exactly(choice, &component))) {
    return true;
  }
  choice->moved += bound_component(choice, &component);
  return choose_greedily(choice, &component);
}

bool berth_keep_choose(
    uint32_t n_items, const uint64_t *weight, const struct berth_pairs *pairs, struct berth_arena *arena,
    uint8_t *stays, uint64_t *out_moved) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint8_t *is_seen = berth_arena_new_zeroed(arena, uint8_t, n_items);
  uint32_t *items = berth_arena_new(arena, uint32_t, n_items);
  struct choice choice = {
      .weight = weight,
      .pairs = pairs,
      .arena = arena,
      .stays = stays,
      .place = berth_arena_new(arena, uint32_t, n_items),
      .rest = berth_arena_new(arena, uint64_t, n_items)};
  bool ok = is_seen != NULL && items != NULL && choice.place != NULL && choice.rest != NULL;
  for (uint32_t i = 0; ok && i < n_items; i++) {
    if (stays[i] && !is_seen[i]) {
      ok = choose_component(&choice, items, collect(&choice, i, is_seen, items));
    }
  }
  berth_arena_rewind(arena, mark);
  *out_moved = choice.moved;
  return ok;
}

/* ---- Hitting sets ---- */

struct hit {
  const uint64_t *sets;
  uint32_t n_sets;
  const uint64_t *weight;
  uint64_t *most_steps;
  uint64_t best;
  uint64_t best_weight;
};

/* Of sets that have nothing in common each takes its lightest item at least. */
static uint64_t least_to_come(const struct hit *hit, uint64_t moved, uint64_t stays, uint64_t *out_set) {
  uint64_t taken = 0;
  uint64_t sum = 0;
  *out_set = 0;
  for (uint32_t k = 0; k < hit->n_sets; k++) {
    if ((hit->sets[k] & moved) != 0) {
      continue;
    }
    uint64_t open = hit->sets[k] & ~stays;
    if (open == 0) {
      return UINT64_MAX;
    }
    if (*out_set == 0 || __builtin_popcountll(open) < __builtin_popcountll(*out_set)) {
      *out_set = open;
    }
    if ((open & taken) == 0) {
      uint64_t least = UINT64_MAX;
      for (uint64_t set = open; set != 0; set &= set - 1) {
        uint64_t weight = hit->weight[__builtin_ctzll(set)];
        least = weight < least ? weight : least;
      }
      taken |= open;
      sum = berth_add_sat_u64(sum, least);
    }
  }
  return sum;
}

static bool hit_all(struct hit *hit, uint64_t moved, uint64_t weight, uint64_t stays) {
  uint64_t open;
  uint64_t least = least_to_come(hit, moved, stays, &open);
  if (least == UINT64_MAX || berth_add_sat_u64(weight, least) >= hit->best_weight) {
    return true;
  }
  if (open == 0) {
    hit->best = moved;
    hit->best_weight = weight;
    return true;
  }
  if (*hit->most_steps < hit->n_sets) {
    return false;
  }
  *hit->most_steps -= hit->n_sets;
  for (; open != 0; open &= open - 1) {
    uint64_t bit = open & -open;
    if (!hit_all(hit, moved | bit, weight + hit->weight[__builtin_ctzll(bit)], stays)) {
      return false;
    }
    stays |= bit;
  }
  return true;
}

bool berth_keep_hit(
    const uint64_t *sets, uint32_t n_sets, const uint64_t *weight, uint64_t *most_steps, uint64_t *out_moved,
    uint64_t *out_weight) {
  struct hit hit = {
      .sets = sets, .n_sets = n_sets, .weight = weight, .most_steps = most_steps, .best_weight = UINT64_MAX};
  bool is_done = hit_all(&hit, 0, 0, 0);
  *out_moved = hit.best;
  *out_weight = hit.best_weight;
  return is_done && hit.best_weight != UINT64_MAX;
}
