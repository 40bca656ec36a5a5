#include "packing/exact/niche_choice.h"

#include <string.h>

enum { POLL_BUFFERS = 256 };

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

/* ---- With gaps, pairs or windows ---- */

static int64_t bottom_at(const struct berth_niche_model *model, uint32_t k) {
  return model->bottom != NULL ? model->bottom[k] : 0;
}

/* Whether it leaves no room below it in any of its sections. */
static bool is_settled(const struct berth_niche_state *state, uint32_t buffer) {
  const struct berth_niche_model *model = state->model;
  for (uint32_t r = model->run_begin[buffer]; r < model->run_begin[buffer + 1]; r++) {
    int64_t bottom = state->low[buffer] + model->runs[r].bottom;
    for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
      if (state->floor[s] != bottom) {
        return false;
      }
    }
  }
  return true;
}

/* Counts, for each section of the range, the settled buffers that lie on its floor: all that are live there.
 */
static void count_settled(struct berth_niche_search *search, uint32_t lower, uint32_t upper) {
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  memset(search->n_choices + lower, 0, (upper - lower) * sizeof *search->n_choices);
  for (uint32_t k = state->starting_begin[lower]; k < state->starting_begin[upper]; k++) {
    uint32_t b = state->starting[k];
    if (k % POLL_BUFFERS == POLL_BUFFERS - 1 && !berth_effort_poll(state->effort)) {
      return;
    }
    search->is_settled[b] = is_open(state, b) && is_settled(state, b);
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1] && search->is_settled[b]; r++) {
      for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
        search->n_choices[s]++;
      }
    }
  }
}

/* Whether all that lie on the floor of the section are settled. */
static bool is_choice(const struct berth_niche_search *search, uint32_t section) {
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1]; k++) {
    uint32_t b = model->members[k];
    if (is_open(state, b) && !search->is_settled[b] &&
        state->low[b] + bottom_at(model, k) == state->floor[section]) {
      return false;
    }
  }
  return true;
}

static void
consider_settled(struct berth_niche_search *search, uint32_t lower, uint32_t upper, struct best *best) {
  count_settled(search, lower, upper);
  for (uint32_t s = lower; s < upper; s++) {
    if (search->state.rest[s] == 0 || search->n_choices[s] == 0) {
      continue;
    }
    double of_section = score(search, s, search->n_choices[s], search->state.floor[s]);
    if (of_section < best->score && is_choice(search, s)) {
      *best = (struct best){s, {lower, upper}, of_section};
    }
  }
}

/* Open, and live anywhere. */
static bool is_waiting(const struct berth_niche_state *state, uint32_t buffer) {
  return is_open(state, buffer) && state->model->lower[buffer] < state->model->upper[buffer];
}

static int64_t reference_of(const struct berth_niche_state *state, uint32_t buffer) {
  return state->low[buffer] + (state->model->reference != NULL ? state->model->reference[buffer] : 0);
}

/* The least that an open buffer of the range, other than this, ends at in some section. */
static int64_t
least_top_but(const struct berth_niche_state *state, uint32_t lower, uint32_t upper, uint32_t buffer) {
  const struct berth_niche_model *model = state->model;
  int64_t least = INT64_MAX;
  for (uint32_t k = state->starting_begin[lower]; k < state->starting_begin[upper]; k++) {
    uint32_t b = state->starting[k];
    int64_t top = state->low[b] + (model->least_top != NULL ? model->least_top[b] : model->size[b]);
    least = b != buffer && is_waiting(state, b) && top < least ? top : least;
  }
  return least;
}

/* Of the open buffers the one with the lowest reference, best rank first: at its low, or higher. */
static void choose_lowest_reference(struct berth_niche_search *search, struct berth_niche_node *node) {
  const struct berth_niche_state *state = &search->state;
  const struct berth_niche_model *model = state->model;
  uint32_t lowest = BERTH_NICHE_NONE;
  for (uint32_t k = state->starting_begin[node->lower]; k < state->starting_begin[node->upper]; k++) {
    uint32_t b = state->starting[k];
    if (is_waiting(state, b) &&
        (lowest == BERTH_NICHE_NONE || reference_of(state, b) < reference_of(state, lowest))) {
      lowest = b;
    }
  }
  search->has_guessed |= !model->is_ordered;
  node->section = BERTH_NICHE_NONE;
  node->lifted = lowest;
  node->touched_lower = model->lower[lowest];
  node->touched_upper = model->upper[lowest];
  node->choice_end = node->choice;
  search->choices[node->choice_end++] = lowest;
  if (model->pin[lowest] >= 0 && state->low[lowest] == model->pin[lowest]) {
    return;
  }
  int64_t top = least_top_but(state, node->lower, node->upper, lowest);
  int64_t least = state->low[lowest] + 1;
  if (top != INT64_MAX) { /* what it rests on */
    int64_t on_top = top - (model->most_bottom != NULL ? model->most_bottom[lowest] : 0);
    node->raise_to = on_top > least ? on_top : least;
    search->choices[node->choice_end++] = BERTH_NICHE_RAISE;
  }
}

/* ---- Either way ---- */

static bool is_twin(const struct berth_niche_state *state, uint32_t a, uint32_t b) {
  const struct berth_niche_model *model = state->model;
  return model->lower[a] == model->lower[b] && model->upper[a] == model->upper[b] &&
         model->size[a] == model->size[b] && model->mask[a] == model->mask[b] &&
         model->pin[a] == model->pin[b] && state->ceiling[a] == state->ceiling[b] &&
         model->runs[model->run_begin[a]].bottom == model->runs[model->run_begin[b]].bottom &&
         model->runs[model->run_begin[a]].top == model->runs[model->run_begin[b]].top &&
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

/* The same where buffers have gaps, partners or windows: the least bottom here of a member that rests on any
 * open buffer of the range. */
static int64_t least_bottom(const struct berth_niche_state *state, const struct berth_niche_node *node) {
  const struct berth_niche_model *model = state->model;
  uint32_t section = node->section;
  int64_t top = least_top_but(state, node->lower, node->upper, BERTH_NICHE_NONE), least = INT64_MAX;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1] && top != INT64_MAX;
       k++) {
    uint32_t b = model->members[k];
    int64_t bottom = bottom_at(model, k);
    if (is_open(state, b) && state->low[b] + bottom == state->floor[section]) {
      int64_t lowest = top + bottom - (model->most_bottom != NULL ? model->most_bottom[b] : 0);
      least = lowest < least ? lowest : least;
    }
  }
  return least > state->floor[section] ? least : state->floor[section] + 1;
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
    int64_t bottom = state->low[b] + bottom_at(model, k);
    if (bottom > state->floor[section]) {
      least = bottom < least ? bottom : least;
    } else if (model->pin[b] < 0) {
      has_choice = true;
      hull.lower = model->lower[b] < hull.lower ? model->lower[b] : hull.lower;
      hull.upper = model->upper[b] > hull.upper ? model->upper[b] : hull.upper;
    } else {
      return INT64_MAX; /* pinned here: nothing else can be first */
    }
  }
  if (has_choice) {
    int64_t beside = model->is_plain ? least_top_beside(search, section, hull) : least_bottom(state, node);
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

/* The last of n choices goes before all others. */
static void put_first(uint32_t *choices, uint32_t n) {
  uint32_t last = choices[n - 1];
  memmove(choices + 1, choices, (n - 1) * sizeof *choices);
  choices[0] = last;
}

/* The members that lie on the floor of the section, each once of those that are equal. */
static void list_choices(struct berth_niche_search *search, struct berth_niche_node *node) {
  const struct berth_niche_state *state = &search->state;
  bool is_plain = state->model->is_plain;
  node->choice_end = node->choice;
  for (uint32_t k = state->model->member_begin[node->section];
       k < state->model->member_begin[node->section + 1]; k++) {
    uint32_t b = state->ranked[k];
    bool is_on_floor = is_plain ? state->low[b] == state->floor[node->section] : search->is_settled[b];
    if (is_open(state, b) && is_on_floor &&
        (!(search->switches & BERTH_NICHE_TWINS) ||
         !has_twin(state, search->choices, node->choice, node->choice_end, b))) {
      search->choices[node->choice_end++] = b;
      if (search->guide != NULL && search->guide[b] == state->floor[node->section]) {
        put_first(search->choices + node->choice, node->choice_end - node->choice);
      }
    }
  }
}

void berth_niche_choose(struct berth_niche_search *search, struct berth_niche_node *node) {
  const struct berth_niche_state *state = &search->state;
  struct best best = {.section = BERTH_NICHE_NONE, .score = 1e300};
  if (state->model->is_plain) {
    consider_niches(search, node->lower, node->upper, &best);
  } else {
    consider_settled(search, node->lower, node->upper, &best);
  }
  if (best.section == BERTH_NICHE_NONE) {
    choose_lowest_reference(search, node);
    return;
  }
  uint32_t section = best.section;
  node->section = section;
  node->touched_lower = best.niche.lower - (best.niche.lower > 0);
  node->touched_upper = best.niche.upper + 1;
  list_choices(search, node);
  if (take_ground(search, node, best.niche) || slack(state, section) <= 0) {
    return;
  }
  node->raise_to = raise_to(search, node);
  if (node->raise_to <= state->section_ceiling[section] - state->rest[section]) {
    search->choices[node->choice_end++] = BERTH_NICHE_RAISE;
  }
}
