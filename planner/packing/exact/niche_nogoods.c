#include "packing/exact/niche_nogoods.h"

#include <string.h>

enum {
  N_SLOTS = 1 << 12,
  WAYS = 4,
  N_WORDS = 1 << 18,
  MOST_WORDS = 1 << 10, /* of one */
  NEW_SCORE = 32,
  HIT_SCORE = 16,
  FADES = 16
};

enum berth_code berth_niche_nogoods_init(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_model *model, struct berth_arena *arena) {
  *nogoods = (struct berth_niche_nogoods){
      .slots = berth_arena_new_zeroed(arena, struct berth_niche_nogood, N_SLOTS),
      .words = berth_arena_new(arena, int64_t, N_WORDS),
      .opened = berth_arena_new(arena, uint64_t, (size_t)model->n_sections + 1)};
  bool has_all = nogoods->slots && nogoods->words && nogoods->opened;
  return has_all ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

void berth_niche_nogoods_clear(struct berth_niche_nogoods *nogoods) {
  if (nogoods->n_written != 0) {
    memset(nogoods->slots, 0, N_SLOTS * sizeof *nogoods->slots);
  }
  nogoods->n_ranges = 0;
  nogoods->n_written = 0;
  nogoods->n_replaced = 0;
}

/* `begun` combines the open buffers that begin inside of the range, but for its first section. */
static uint64_t
key_of(const struct berth_niche_state *state, uint32_t lower, uint32_t upper, uint64_t begun) {
  uint64_t range = ((uint64_t)lower << 32 | upper) * UINT64_C(0x9e3779b97f4a7c15);
  uint64_t key = (state->member_hash[lower] ^ begun) + (range ^ range >> 29);
  key *= UINT64_C(0xd6e8feb86659fd93);
  return (key ^ key >> 31) | 1;
}

static struct berth_niche_nogood *slots_of(const struct berth_niche_nogoods *nogoods, uint64_t key) {
  return &nogoods->slots[(key >> 20 & (N_SLOTS / WAYS - 1)) * WAYS];
}

static int64_t *word_at(const struct berth_niche_nogoods *nogoods, uint64_t k) {
  return &nogoods->words[k & (N_WORDS - 1)];
}

/* Open, live in both of the sections' range's first (or, on the right, last but not first), and beyond it. */
static bool reaches_out(
    const struct berth_niche_state *state, uint32_t b, uint32_t lower, uint32_t upper, bool is_right) {
  const struct berth_niche_model *model = state->model;
  if (state->is_placed[b]) {
    return false;
  }
  return is_right ? model->lower[b] > lower && model->upper[b] > upper
                  : model->lower[b] < lower || model->upper[b] > upper;
}

/* ---- Looking ---- */

/* Of the open members of the section that reach out of the range; `*k` goes on behind their words. */
static bool has_lows(
    const struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state,
    const struct berth_niche_nogood_range *range, bool is_right, uint64_t *k) {
  const struct berth_niche_model *model = state->model;
  uint32_t section = is_right ? range->upper - 1 : range->lower;
  for (uint32_t m = model->member_begin[section]; m < model->member_begin[section + 1]; m++) {
    uint32_t b = model->members[m];
    if (reaches_out(state, b, range->lower, range->upper, is_right) &&
        state->low[b] < *word_at(nogoods, (*k)++)) {
      return false;
    }
  }
  return true;
}

static bool leaves_no_more(
    const struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state,
    const struct berth_niche_nogood_range *range, const struct berth_niche_nogood *nogood) {
  uint64_t k = nogood->begin;
  for (uint32_t s = range->lower; s < range->upper; s++) {
    if (state->rest[s] != 0 && state->floor[s] < *word_at(nogoods, k)) {
      return false;
    }
    k++;
  }
  return has_lows(nogoods, state, range, false, &k) && has_lows(nogoods, state, range, true, &k);
}

bool berth_niche_nogoods_refute(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state, uint32_t lower,
    uint32_t upper, struct berth_niche_nogood_range *out) {
  if (nogoods->n_ranges == 0) {
    return false;
  }
  uint64_t *opened = nogoods->opened, combined = 0;
  for (uint32_t s = lower; s < upper; s++) {
    opened[s] = combined;
    combined ^= state->open_hash[2 * (size_t)s];
  }
  opened[upper] = combined;
  for (uint32_t r = 0; r < nogoods->n_ranges; r++) {
    struct berth_niche_nogood_range *range = &nogoods->ranges[r];
    if (range->lower < lower || range->upper > upper) {
      continue;
    }
    uint64_t key = key_of(state, range->lower, range->upper, opened[range->upper] ^ opened[range->lower + 1]);
    const struct berth_niche_nogood *slots = slots_of(nogoods, key);
    for (uint32_t w = 0; w < WAYS; w++) {
      if (slots[w].key == key && nogoods->n_written - slots[w].begin <= N_WORDS &&
          leaves_no_more(nogoods, state, range, &slots[w])) {
        range->score += HIT_SCORE;
        *out = *range;
        return true;
      }
    }
  }
  return false;
}

/* ---- Learning ---- */

/* From now on it is looked there, too; instead of where least was found, if need be. */
static void note_range(struct berth_niche_nogoods *nogoods, uint32_t lower, uint32_t upper) {
  uint32_t least = 0;
  for (uint32_t r = 0; r < nogoods->n_ranges; r++) {
    const struct berth_niche_nogood_range *range = &nogoods->ranges[r];
    if (range->lower == lower && range->upper == upper) {
      return;
    }
    least = range->score < nogoods->ranges[least].score ? r : least;
  }
  if (nogoods->n_ranges < BERTH_NICHE_NOGOOD_RANGES) {
    least = nogoods->n_ranges++;
  } else {
    for (uint32_t r = 0; r < nogoods->n_ranges; r++) {
      nogoods->ranges[r].score -= nogoods->ranges[r].score / FADES;
    }
  }
  nogoods->ranges[least] = (struct berth_niche_nogood_range){lower, upper, NEW_SCORE};
}

static struct berth_niche_nogood *slot_for(struct berth_niche_nogoods *nogoods, uint64_t key) {
  struct berth_niche_nogood *slots = slots_of(nogoods, key);
  for (uint32_t w = 0; w < WAYS; w++) {
    if (slots[w].key == 0) {
      return &slots[w];
    }
  }
  return &slots[nogoods->n_replaced++ % WAYS];
}

static void write_lows(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state, uint32_t lower,
    uint32_t upper, bool is_right) {
  const struct berth_niche_model *model = state->model;
  uint32_t section = is_right ? upper - 1 : lower;
  for (uint32_t m = model->member_begin[section]; m < model->member_begin[section + 1]; m++) {
    uint32_t b = model->members[m];
    if (reaches_out(state, b, lower, upper, is_right)) {
      *word_at(nogoods, nogoods->n_written++) = state->low[b];
    }
  }
}

void berth_niche_nogoods_learn(
    struct berth_niche_nogoods *nogoods, const struct berth_niche_state *state, uint32_t lower,
    uint32_t upper) {
  const struct berth_niche_model *model = state->model;
  uint32_t n_left = model->member_begin[lower + 1] - model->member_begin[lower];
  uint32_t n_right = model->member_begin[upper] - model->member_begin[upper - 1];
  if (upper - lower + n_left + n_right > MOST_WORDS) {
    return;
  }
  uint64_t begun = 0;
  for (uint32_t s = lower + 1; s < upper; s++) {
    begun ^= state->open_hash[2 * (size_t)s];
  }
  uint64_t key = key_of(state, lower, upper, begun);
  struct berth_niche_nogood *slot = slot_for(nogoods, key);
  *slot = (struct berth_niche_nogood){.key = key, .begin = nogoods->n_written};
  for (uint32_t s = lower; s < upper; s++) {
    *word_at(nogoods, nogoods->n_written++) = state->rest[s] != 0 ? state->floor[s] : 0;
  }
  write_lows(nogoods, state, lower, upper, false);
  write_lows(nogoods, state, lower, upper, true);
  note_range(nogoods, lower, upper);
}
