#include "packing/exact/niche_choice.h"

#include <string.h>

struct niche {
  uint32_t lower;
  uint32_t upper;
};

struct best {
  uint32_t section;
  struct niche niche;
  double score;
};

static int64_t slack(const struct berth_niche_state *state, uint32_t section) {
  return state->section_ceiling[section] - state->floor[section] - state->rest[section];
}

static bool is_open(const struct berth_niche_state *state, uint32_t buffer) {
  return !state->is_placed[buffer];
}

static double
score(const struct berth_niche_search *search, uint32_t section, uint32_t n_choices, int64_t floor) {
  const struct berth_niche_state *state = &search->state;
  double room = (double)slack(state, section);
  double choices = (double)n_choices + (room > 0 ? 1 : 0);
  if (!(search->switches & BERTH_NICHE_ANYWHERE)) {
    choices += (double)floor * 1e6;
  }
  switch (search->pick) {
  case BERTH_NICHE_TIGHTEST:
    return room * 1024 + choices;
  case BERTH_NICHE_TROUBLED:
    return choices / (1 + search->weight[section]);
  default:
    return choices + room / (1 + (double)state->section_ceiling[section]);
  }
}

/* Counts, for each section of a niche, the buffers that lie on its floor if placed now. */
static void count_choices(const struct berth_niche_search *search, struct niche niche) {
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  uint32_t *n_choices = search->n_choices;
  memset(n_choices + niche.lower, 0, (niche.upper - niche.lower + 1) * sizeof *n_choices);
  int64_t floor = state->floor[niche.lower];
  for (uint32_t s = niche.lower; s < niche.upper; s++) {
    for (uint32_t k = state->starting_begin[s]; k < state->starting_begin[s + 1]; k++) {
      uint32_t b = state->starting[k];
      if (model->upper[b] <= niche.upper && is_open(state, b) && state->low[b] == floor) {
        n_choices[s]++;
        n_choices[model->upper[b]]--;
      }
    }
  }
  for (uint32_t s = niche.lower + 1; s < niche.upper; s++) {
    n_choices[s] += n_choices[s - 1];
  }
}

static void consider_niche(struct berth_niche_search *search, struct niche niche, struct best *best) {
  count_choices(search, niche);
  for (uint32_t s = niche.lower; s < niche.upper; s++) {
    double of_section = score(search, s, search->n_choices[s], search->state.floor[s]);
    if (of_section < best->score) {
      *best = (struct best){s, niche, of_section};
    }
  }
}

/* The niches of a range: stretches of one floor whose neighbours are higher, done, or outside. */
static void
consider_niches(struct berth_niche_search *search, uint32_t lower, uint32_t upper, struct best *best) {
  const struct berth_niche_state *state = &search->state;
  const int64_t *floor = state->floor, *rest = state->rest;
  for (uint32_t s = lower; s < upper;) {
    if (rest[s] == 0) {
      s++;
      continue;
    }
    uint32_t end = s + 1;
    while (end < upper && rest[end] != 0 && floor[end] == floor[s]) {
      end++;
    }
    bool walled_below = s == lower || rest[s - 1] == 0 || floor[s - 1] > floor[s];
    bool walled_above = end == upper || rest[end] == 0 || floor[end] > floor[s];
    if (walled_below && walled_above) {
      consider_niche(search, (struct niche){s, end}, best);
    }
    s = end;
  }
}

/* With gaps or conflict pairs only a lowest floor is sure to leave no hole under a choice. */
static void
consider_lowest(struct berth_niche_search *search, uint32_t lower, uint32_t upper, struct best *best) {
  const struct berth_niche_state *state = &search->state;
  int64_t lowest = INT64_MAX;
  for (uint32_t s = lower; s < upper; s++) {
    lowest = state->rest[s] != 0 && state->floor[s] < lowest ? state->floor[s] : lowest;
  }
  for (uint32_t s = lower; s < upper; s++) {
    if (state->rest[s] == 0 || state->floor[s] != lowest) {
      continue;
    }
    uint32_t n_choices = 0;
    for (uint32_t k = state->model->member_begin[s]; k < state->model->member_begin[s + 1]; k++) {
      uint32_t b = state->model->members[k];
      n_choices += is_open(state, b) && state->low[b] == lowest;
    }
    double of_section = score(search, s, n_choices, lowest);
    if (of_section < best->score) {
      *best = (struct best){s, {lower, upper}, of_section};
    }
  }
}

static bool is_twin(const struct berth_niche_state *state, uint32_t a, uint32_t b) {
  const struct berth_niche_model *model = state->model;
  return model->lower[a] == model->lower[b] && model->upper[a] == model->upper[b] &&
         model->size[a] == model->size[b] && model->mask[a] == model->mask[b] &&
         model->pin[a] == model->pin[b] && state->ceiling[a] == state->ceiling[b] &&
         model->run_begin[a + 1] - model->run_begin[a] == 1 &&
         model->run_begin[b + 1] - model->run_begin[b] == 1;
}

static bool has_twin(
    const struct berth_niche_state *state, const uint32_t *choices, uint32_t begin, uint32_t end,
    uint32_t b) {
  for (uint32_t k = begin; k < end; k++) {
    if (is_twin(state, choices[k], b)) {
      return true;
    }
  }
  return false;
}

/* The least top on which a member that could lie on the floor can rest instead: of any open buffer beside the
 * section and within the hull of such members. */
static int64_t
least_top_beside(const struct berth_niche_search *search, uint32_t section, struct niche hull) {
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  int64_t least = INT64_MAX;
  for (uint32_t s = hull.lower; s < hull.upper; s++) {
    bool is_first = s == hull.lower;
    const uint32_t *list =
        is_first ? model->members + model->member_begin[s] : state->starting + state->starting_begin[s];
    uint32_t n = is_first ? model->member_begin[s + 1] - model->member_begin[s]
                          : state->starting_begin[s + 1] - state->starting_begin[s];
    for (uint32_t k = 0; k < n; k++) {
      uint32_t b = list[k];
      bool is_beside = section < model->lower[b] || section >= model->upper[b];
      if (is_beside && is_open(state, b) && state->low[b] + model->size[b] < least) {
        least = state->low[b] + model->size[b];
      }
    }
  }
  return least;
}

/* The same where buffers have gaps or partners: any open buffer of the range may be beside. */
static int64_t least_top(const struct berth_niche_state *state, const struct berth_niche_node *node) {
  const struct berth_niche_model *model = state->model;
  int64_t least = INT64_MAX;
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    bool is_in_range = model->lower[b] < node->upper && model->upper[b] > node->lower;
    if (is_in_range && is_open(state, b) && state->low[b] + model->size[b] < least) {
      least = state->low[b] + model->size[b];
    }
  }
  return least;
}

static int64_t raise_to(const struct berth_niche_search *search, const struct berth_niche_node *node) {
  uint32_t section = node->section;
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  int64_t least = INT64_MAX;
  struct niche hull = {section, section + 1};
  bool has_choice = false;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1]; k++) {
    uint32_t b = model->members[k];
    if (!is_open(state, b)) {
      continue;
    }
    if (state->low[b] > state->floor[section]) {
      least = state->low[b] < least ? state->low[b] : least;
    } else if (model->pin[b] < 0) {
      has_choice = true;
      hull.lower = model->lower[b] < hull.lower ? model->lower[b] : hull.lower;
      hull.upper = model->upper[b] > hull.upper ? model->upper[b] : hull.upper;
    } else {
      return INT64_MAX; /* pinned here: nothing else can be first */
    }
  }
  if (has_choice) {
    int64_t beside = model->is_plain ? least_top_beside(search, section, hull) : least_top(state, node);
    least = beside < least ? beside : least;
  }
  return least;
}

/* A buffer over the whole of a flat range can change places with whatever lies below it. */
static bool
take_ground(struct berth_niche_search *search, struct berth_niche_node *node, struct niche niche) {
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  if (!(search->switches & BERTH_NICHE_GROUND) || !state->is_uniform || !model->is_plain ||
      niche.lower != node->lower || niche.upper != node->upper) {
    return false;
  }
  for (uint32_t k = node->choice; k < node->choice_end; k++) {
    uint32_t b = search->choices[k];
    if (model->lower[b] <= niche.lower && model->upper[b] >= niche.upper) {
      search->choices[node->choice] = b;
      node->choice_end = node->choice + 1;
      return true;
    }
  }
  return false;
}

void berth_niche_choose(struct berth_niche_search *search, struct berth_niche_node *node) {
  const struct berth_niche_state *state = &search->state;
  struct best best = {.score = 1e300};
  if (state->model->is_plain) {
    consider_niches(search, node->lower, node->upper, &best);
  } else {
    consider_lowest(search, node->lower, node->upper, &best);
  }
  uint32_t section = best.section;
  int64_t floor = state->floor[section];
  node->section = section;
  node->touched_lower = best.niche.lower - (best.niche.lower > 0);
  node->touched_upper = best.niche.upper + 1;
  node->choice_end = node->choice;
  for (uint32_t k = state->model->member_begin[section]; k < state->model->member_begin[section + 1]; k++) {
    uint32_t b = state->ranked[k];
    if (!is_open(state, b) || state->low[b] != floor) {
      continue;
    }
    if (!(search->switches & BERTH_NICHE_TWINS) ||
        !has_twin(state, search->choices, node->choice, node->choice_end, b)) {
      search->choices[node->choice_end++] = b;
    }
  }
  if (take_ground(search, node, best.niche) || slack(state, section) <= 0) {
    return;
  }
  node->raise_to = raise_to(search, node);
  if (node->raise_to <= state->section_ceiling[section] - state->rest[section]) {
    search->choices[node->choice_end++] = BERTH_NICHE_RAISE;
  }
}
