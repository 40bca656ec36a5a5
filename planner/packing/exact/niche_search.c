#include "packing/exact/niche_search.h"

#include <string.h>

#include "base/rng.h"
#include "packing/exact/niche_choice.h"

enum {
  FIRST_NODES = 1 << 9,
  FIRST_RANGES = 1 << 10,
  FIRST_CHOICES = 1 << 12,
  FIRST_SLOTS = 1 << 12,
  WORTH_NODES = 2
};

enum berth_code berth_niche_search_init(
    struct berth_niche_search *search, const struct berth_niche_model *model, struct berth_arena *arena,
    struct berth_effort *effort) {
  *search = (struct berth_niche_search){.switches = UINT32_MAX};
  enum berth_code code = berth_niche_state_init(&search->state, model, arena, effort);
  if (code != BERTH_OK) {
    return code;
  }
  size_t n_sections = model->n_sections;
  search->weight = berth_arena_new_zeroed(arena, double, n_sections);
  search->n_refuted = berth_arena_new_zeroed(arena, uint32_t, n_sections);
  search->section_salt = berth_arena_new(arena, uint64_t, 2 * n_sections);
  search->n_choices = berth_arena_new(arena, uint32_t, n_sections + 1);
  search->is_settled = berth_arena_new(arena, uint8_t, model->n_buffers);
  search->has_guessed = model->has_holes;
  search->nodes = berth_arena_new(arena, struct berth_niche_node, FIRST_NODES);
  search->ranges = berth_arena_new(arena, struct berth_niche_range, FIRST_RANGES);
  search->choices = berth_arena_new(arena, uint32_t, FIRST_CHOICES);
  if (!search->is_settled || !search->weight || !search->n_refuted || !search->section_salt ||
      !search->n_choices || !search->nodes || !search->ranges || !search->choices) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  search->node_capacity = FIRST_NODES;
  search->range_capacity = FIRST_RANGES;
  search->choice_capacity = FIRST_CHOICES;
  struct berth_rng rng = {.state = 2};
  for (size_t k = 0; k < 2 * n_sections; k++) {
    search->section_salt[k] = berth_rng_next(&rng) | 1;
  }
  return berth_niche_search_grow_memo(search, FIRST_SLOTS) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

bool berth_niche_search_grow_memo(struct berth_niche_search *search, size_t n_slots) {
  struct berth_niche_key *slots =
      berth_arena_new_zeroed(search->state.arena, struct berth_niche_key, n_slots);
  if (slots != NULL) {
    search->memo = (struct berth_niche_memo){slots, n_slots};
  }
  return slots != NULL;
}

static bool
grow(struct berth_arena *arena, void *items, size_t *capacity, size_t n, size_t most, size_t size) {
  if (*capacity - n >= most) {
    return true;
  }
  size_t larger = 2 * *capacity + most;
  void *copy = berth_arena_take(arena, larger, size);
  if (copy == NULL) {
    return false;
  }
  void *old;
  memcpy(&old, items, sizeof old);
  memcpy(copy, old, n * size);
  memcpy(items, &copy, sizeof copy);
  *capacity = larger;
  return true;
}

/* Room for one more node with all that it may append. */
static bool reserve(struct berth_niche_search *search, size_t n_nodes, size_t n_ranges, size_t n_choices) {
  struct berth_arena *arena = search->state.arena;
  const struct berth_niche_model *model = search->state.model;
  return grow(arena, &search->nodes, &search->node_capacity, n_nodes, 1, sizeof *search->nodes) &&
         grow(
             arena, &search->ranges, &search->range_capacity, n_ranges, (size_t)model->n_sections + 1,
             sizeof *search->ranges) &&
         grow(
             arena, &search->choices, &search->choice_capacity, n_choices, (size_t)model->n_buffers + 1,
             sizeof *search->choices) &&
         berth_niche_state_reserve(&search->state);
}

static struct berth_niche_key
key_of(const struct berth_niche_search *search, uint32_t lower, uint32_t upper) {
  const struct berth_niche_state *state = &search->state;
  uint64_t a = search->capacity_salt, b = ~search->capacity_salt;
  for (uint32_t s = lower; s < upper; s++) {
    if (state->rest[s] == 0) {
      continue;
    }
    uint64_t floor = (uint64_t)state->floor[s];
    a += search->section_salt[2 * (size_t)s] * (floor + 1) + state->open_hash[2 * (size_t)s];
    a = (a << 7 | a >> 57) * UINT64_C(0x9e3779b97f4a7c15);
    b ^= search->section_salt[2 * (size_t)s + 1] * (floor + 7) + state->open_hash[2 * (size_t)s + 1];
    b = (b << 9 | b >> 55) * UINT64_C(0xd6e8feb86659fd93);
  }
  return (struct berth_niche_key){{a, b | 1}};
}

/* What a run carries from node to node. */
struct walk {
  struct berth_niche_search *search;
  uint32_t todo; /* the ranges to solve, first first */
  uint32_t n_ranges;
  uint32_t node; /* the current one */
  uint32_t n_nodes;
  uint64_t last_node; /* of the budget */
  bool is_partial;    /* the last return left choices out */
};

static bool is_empty(const struct berth_niche_state *state, uint32_t lower, uint32_t upper) {
  for (uint32_t s = lower; s < upper; s++) {
    if (state->rest[s] != 0) {
      return false;
    }
  }
  return true;
}

static int64_t least_slack(const struct berth_niche_state *state, uint32_t lower, uint32_t upper) {
  int64_t least = INT64_MAX;
  for (uint32_t s = lower; s < upper; s++) {
    int64_t slack = state->section_ceiling[s] - state->floor[s] - state->rest[s];
    least = state->rest[s] != 0 && slack < least ? slack : least;
  }
  return least;
}

/* Puts a range in front of the first in the chain that has no less slack, among the `n_new` front ones. */
static void insert_range(struct walk *walk, struct berth_niche_range range, uint32_t rest_of_chain) {
  struct berth_niche_search *search = walk->search;
  int64_t slack = least_slack(&search->state, range.lower, range.upper);
  uint32_t *link = &walk->todo;
  while (*link != rest_of_chain) {
    struct berth_niche_range *other = &search->ranges[*link];
    if (least_slack(&search->state, other->lower, other->upper) >= slack) {
      break;
    }
    link = &other->next;
  }
  range.next = *link;
  search->ranges[walk->n_ranges] = range;
  *link = walk->n_ranges++;
}

/* Replaces the first range by its independent parts, the tightest first; parts with nothing to place go. */
static void split_range(struct walk *walk) {
  const struct berth_niche_state *state = &walk->search->state;
  struct berth_niche_range whole = walk->search->ranges[walk->todo];
  bool may_split = walk->search->switches & BERTH_NICHE_SPLIT;
  walk->todo = whole.next;
  uint32_t begin = whole.lower;
  for (uint32_t s = whole.lower; s < whole.upper; s++) {
    if (s + 1 == whole.upper || (may_split && state->n_crossing[s] == 0)) {
      uint32_t lower = begin, upper = s + 1;
      begin = s + 1;
      while (lower < upper && state->rest[lower] == 0) {
        lower++;
      }
      while (upper > lower && state->rest[upper - 1] == 0) {
        upper--;
      }
      if (!is_empty(state, lower, upper)) {
        insert_range(walk, (struct berth_niche_range){lower, upper, whole.parent, 0}, whole.next);
      }
    }
  }
}

static bool has_nogoods(const struct berth_niche_search *search) {
  return search->nogoods != NULL && search->may_jump && (search->switches & BERTH_NICHE_NOGOODS) != 0 &&
         search->state.model->is_plain;
}

/* What took some nodes to refute. */
static void learn(struct berth_niche_search *search, const struct berth_niche_node *node) {
  if (!has_nogoods(search) || search->n_nodes - node->n_before < WORTH_NODES) {
    return;
  }
  uint32_t lower = node->touched_lower > node->lower ? node->touched_lower : node->lower;
  uint32_t upper = node->touched_upper < node->upper ? node->touched_upper : node->upper;
  if (lower < upper) {
    berth_niche_state_undo(&search->state, node->n_trail);
    berth_niche_nogoods_learn(search->nogoods, &search->state, lower, upper);
  }
}

/* Opens a node on the first range to solve. */
static void open_node(struct walk *walk) {
  struct berth_niche_search *search = walk->search;
  struct berth_niche_range range = search->ranges[walk->todo];
  walk->node = walk->n_nodes++;
  struct berth_niche_node *node = &search->nodes[walk->node];
  uint32_t choice = walk->node == 0 ? 0 : search->nodes[walk->node - 1].choice_end;
  *node = (struct berth_niche_node){
      .lower = range.lower,
      .upper = range.upper,
      .parent = range.parent,
      .next = range.next,
      .n_ranges = walk->n_ranges,
      .choice = choice,
      .choice_end = choice,
      .n_trail = search->state.n_trail,
      .n_before = search->n_nodes,
      .touched_lower = range.lower,
      .touched_upper = range.upper};
  if (search->switches & BERTH_NICHE_MEMO) {
    struct berth_niche_key key = key_of(search, range.lower, range.upper);
    if (berth_niche_memo_has(&search->memo, key)) {
      return; /* no choices */
    }
    node->key = key;
  }
  struct berth_niche_nogood_range why;
  if (has_nogoods(search) &&
      berth_niche_nogoods_refute(search->nogoods, &search->state, range.lower, range.upper, &why)) {
    node->touched_lower = why.lower;
    node->touched_upper = why.upper;
    node->is_partial = true;
    return;
  }
  berth_niche_choose(search, node);
}

static void touch(struct berth_niche_node *node, uint32_t lower, uint32_t upper) {
  node->touched_lower = lower < node->touched_lower ? lower : node->touched_lower;
  node->touched_upper = upper > node->touched_upper ? upper : node->touched_upper;
}

static void note_deepest(struct berth_niche_search *search) {
  const struct berth_niche_state *state = &search->state;
  search->n_deepest = state->n_placed;
  for (uint32_t b = 0; b < state->model->n_buffers && search->deepest != NULL; b++) {
    search->deepest[b] = state->is_placed[b] ? state->offset[b] : -1;
  }
}

static uint32_t take_choice(struct berth_niche_search *search, struct berth_niche_node *node) {
  uint32_t choice = search->choices[node->choice++];
  uint32_t refuting;
  if (choice != BERTH_NICHE_RAISE) {
    refuting = berth_niche_state_place(&search->state, choice);
  } else if (node->section != BERTH_NICHE_NONE) {
    refuting = berth_niche_state_raise(&search->state, node->section, node->raise_to);
  } else {
    refuting = berth_niche_state_lift(&search->state, node->lifted, node->raise_to);
  }
  if (refuting != BERTH_NICHE_NONE) {
    search->weight[refuting] += 1;
    search->n_refuted[refuting]++;
    touch(node, refuting, refuting + 1);
  } else if (search->state.n_placed > search->n_deepest) {
    note_deepest(search);
  }
  return refuting;
}

/* Whether the choice that a node has taken last is about any of these sections. */
static bool is_about(
    const struct berth_niche_search *search, const struct berth_niche_node *node, uint32_t lower,
    uint32_t upper) {
  const struct berth_niche_model *model = search->state.model;
  uint32_t choice = search->choices[node->choice - 1];
  if (choice == BERTH_NICHE_RAISE && node->section != BERTH_NICHE_NONE) {
    return node->section >= lower && node->section < upper;
  }
  choice = choice == BERTH_NICHE_RAISE ? node->lifted : choice;
  return model->lower[choice] < upper && lower < model->upper[choice];
}

/* The node to return to when the current one has no choices left; NONE above the first. */
static uint32_t return_to(struct walk *walk) {
  struct berth_niche_search *search = walk->search;
  const struct berth_niche_node *node = &search->nodes[walk->node];
  uint32_t lower = node->touched_lower, upper = node->touched_upper, parent = node->parent;
  bool is_partial = node->is_partial;
  while (parent != BERTH_NICHE_NONE && search->may_jump &&
         !is_about(search, &search->nodes[parent], lower, upper)) {
    parent = search->nodes[parent].parent;
    is_partial = true;
  }
  walk->is_partial = is_partial;
  if (parent != BERTH_NICHE_NONE) {
    search->nodes[parent].is_partial |= is_partial;
    touch(&search->nodes[parent], lower, upper);
  }
  return parent;
}

static uint64_t work_of(const struct berth_niche_model *model, const struct berth_niche_node *node) {
  return 32 + 4 * (uint64_t)(node->upper - node->lower) +
         model->meet_begin[model->n_buffers] / model->n_buffers;
}

/* Takes choices until one is not refuted at once; returns from nodes that have none left. False when the
 * first node has none left. */
static bool advance(struct walk *walk, bool *out_goes_on) {
  struct berth_niche_search *search = walk->search;
  struct berth_niche_state *state = &search->state;
  for (;;) {
    struct berth_niche_node *node = &search->nodes[walk->node];
    while (node->choice < node->choice_end) {
      berth_niche_state_undo(state, node->n_trail);
      if (!berth_effort_spend(state->effort, work_of(state->model, node))) {
        *out_goes_on = false;
        return true;
      }
      if (take_choice(search, node) == BERTH_NICHE_NONE) {
        walk->n_ranges = node->n_ranges;
        walk->n_nodes = walk->node + 1;
        search->ranges[walk->n_ranges] =
            (struct berth_niche_range){node->lower, node->upper, walk->node, node->next};
        walk->todo = walk->n_ranges++;
        return true;
      }
    }
    if (!node->is_partial) {
      berth_niche_memo_add(&search->memo, node->key);
    }
    learn(search, node);
    walk->node = return_to(walk);
    if (walk->node == BERTH_NICHE_NONE) {
      return false;
    }
  }
}

static enum berth_niche_outcome walk_on(struct walk *walk) {
  struct berth_niche_search *search = walk->search;
  for (;;) {
    if (!reserve(
            search, walk->n_nodes, walk->n_ranges,
            walk->n_nodes == 0 ? 0 : search->nodes[walk->n_nodes - 1].choice_end)) {
      return BERTH_NICHE_NO_MEMORY;
    }
    if (walk->todo != BERTH_NICHE_NONE) {
      split_range(walk);
    }
    if (walk->todo == BERTH_NICHE_NONE) {
      return BERTH_NICHE_FOUND;
    }
    if (search->n_nodes >= walk->last_node) {
      return BERTH_NICHE_LIMIT;
    }
    search->n_nodes++;
    open_node(walk);
    if (search->state.effort->state == BERTH_EFFORT_STOPPED) { /* its choices may not be all */
      return BERTH_NICHE_STOPPED;
    }
    if (!reserve(search, walk->n_nodes, walk->n_ranges, search->nodes[walk->node].choice_end)) {
      return BERTH_NICHE_NO_MEMORY;
    }
    bool goes_on = true;
    if (!advance(walk, &goes_on)) {
      return walk->is_partial      ? BERTH_NICHE_LIMIT
             : search->has_guessed ? BERTH_NICHE_EXHAUSTED
                                   : BERTH_NICHE_REFUTED;
    }
    if (!goes_on) {
      return BERTH_NICHE_STOPPED;
    }
  }
}

enum berth_niche_outcome
berth_niche_search_run(struct berth_niche_search *search, uint64_t capacity, uint64_t n_nodes) {
  search->n_deepest = 0;
  search->capacity_salt = capacity * UINT64_C(0x9e3779b97f4a7c15) + 1 + search->salt;
  memset(search->n_refuted, 0, search->state.model->n_sections * sizeof *search->n_refuted);
  if (search->nogoods != NULL) {
    berth_niche_nogoods_clear(search->nogoods);
  }
  if (!berth_niche_state_reserve(&search->state)) {
    return BERTH_NICHE_NO_MEMORY;
  }
  if (!berth_niche_state_reset(&search->state, capacity)) {
    return search->state.model->has_holes ? BERTH_NICHE_EXHAUSTED : BERTH_NICHE_REFUTED;
  }
  if (search->state.effort->state == BERTH_EFFORT_STOPPED) {
    return BERTH_NICHE_STOPPED;
  }
  if (!reserve(search, 0, 0, 0)) {
    return BERTH_NICHE_NO_MEMORY;
  }
  search->ranges[0] =
      (struct berth_niche_range){0, search->state.model->n_sections, BERTH_NICHE_NONE, BERTH_NICHE_NONE};
  struct walk walk = {.search = search, .n_ranges = 1, .last_node = search->n_nodes + n_nodes};
  if (walk.last_node < search->n_nodes) {
    walk.last_node = UINT64_MAX;
  }
  return walk_on(&walk);
}
