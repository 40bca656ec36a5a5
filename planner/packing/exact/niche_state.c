#include "packing/exact/niche_state.h"

#include <string.h>

#include "base/rng.h"

#define KIND_PLACED (UINT32_C(0) << 30)
#define KIND_FLOOR (UINT32_C(1) << 30)
#define KIND_LOW (UINT32_C(2) << 30)
#define KIND_MASK (UINT32_C(3) << 30)

enum { FIRST_TRAIL = 1 << 12, POLL_BUFFERS = 64 };

enum berth_code berth_niche_state_init(
    struct berth_niche_state *state, const struct berth_niche_model *model, struct berth_arena *arena,
    struct berth_effort *effort) {
  size_t n = model->n_buffers, n_sections = model->n_sections;
  *state = (struct berth_niche_state){
      .model = model,
      .arena = arena,
      .effort = effort,
      .ceiling = berth_arena_new(arena, int64_t, n),
      .section_ceiling = berth_arena_new(arena, int64_t, n_sections),
      .floor = berth_arena_new(arena, int64_t, n_sections),
      .rest = berth_arena_new(arena, int64_t, n_sections),
      .n_crossing = berth_arena_new(arena, uint32_t, n_sections),
      .witness = berth_arena_new(arena, uint32_t, n_sections),
      .open_hash = berth_arena_new(arena, uint64_t, 2 * n_sections),
      .member_hash = berth_arena_new(arena, uint64_t, n_sections),
      .low = berth_arena_new(arena, int64_t, n),
      .offset = berth_arena_new(arena, int64_t, n),
      .is_placed = berth_arena_new(arena, uint8_t, n),
      .buffer_hash = berth_arena_new(arena, uint64_t, 2 * n),
      .trail = berth_arena_new(arena, struct berth_niche_change, FIRST_TRAIL),
      .trail_capacity = FIRST_TRAIL,
      .ranked = berth_arena_new(arena, uint32_t, model->member_begin[n_sections]),
      .starting_begin = berth_arena_new_zeroed(arena, uint32_t, n_sections + 2),
      .starting = berth_arena_new(arena, uint32_t, n)};
  state->raised_in = model->has_windows ? berth_arena_new_zeroed(arena, uint64_t, n) : NULL;
  if ((model->has_windows && !state->raised_in) || !state->ceiling || !state->section_ceiling ||
      !state->floor || !state->rest || !state->n_crossing || !state->witness || !state->open_hash ||
      !state->member_hash || !state->low || !state->offset || !state->is_placed || !state->buffer_hash ||
      !state->trail || !state->ranked || !state->starting_begin || !state->starting) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  struct berth_rng rng = {.state = 1};
  for (size_t k = 0; k < 2 * n; k++) {
    state->buffer_hash[k] = berth_rng_next(&rng);
  }
  return BERTH_OK;
}

/* Asked now and then in loops over buffers, each of which may be live in many sections. */
static bool may_go_on(const struct berth_niche_state *state, uint32_t k) {
  return k % POLL_BUFFERS != POLL_BUFFERS - 1 || berth_effort_poll(state->effort);
}

void berth_niche_state_rank(struct berth_niche_state *state, const uint32_t *order) {
  const struct berth_niche_model *model = state->model;
  uint32_t n_sections = model->n_sections;
  /* `witness` and `starting_begin` serve as cursors here. */
  uint32_t *cursor = state->witness;
  memcpy(cursor, model->member_begin, n_sections * sizeof *cursor);
  memset(state->starting_begin, 0, ((size_t)n_sections + 2) * sizeof *state->starting_begin);
  uint32_t *end = state->starting_begin + 1;
  for (uint32_t k = 0; k < model->n_buffers && may_go_on(state, k); k++) {
    uint32_t b = order[k];
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1]; r++) {
      for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
        state->ranked[cursor[s]++] = b;
      }
    }
    end[model->lower[b] + 1]++;
  }
  for (uint32_t s = 0; s < n_sections; s++) {
    end[s + 1] += end[s];
  }
  for (uint32_t k = 0; k < model->n_buffers; k++) {
    state->starting[end[model->lower[order[k]]]++] = order[k];
  }
}

static void toggle_hash(struct berth_niche_state *state, uint32_t buffer) {
  uint64_t *open = &state->open_hash[2 * (size_t)state->model->lower[buffer]];
  open[0] ^= state->buffer_hash[2 * (size_t)buffer];
  open[1] ^= state->buffer_hash[2 * (size_t)buffer + 1];
  for (uint32_t s = state->model->lower[buffer]; s < state->model->upper[buffer]; s++) {
    state->member_hash[s] ^= state->buffer_hash[2 * (size_t)buffer];
  }
}

/* Counts a buffer in (sign 1) or out (sign -1) of the rests and crossings of its sections. */
static inline void count(struct berth_niche_state *state, uint32_t buffer, int sign) {
  const struct berth_niche_model *model = state->model;
  for (uint32_t r = model->run_begin[buffer]; r < model->run_begin[buffer + 1]; r++) {
    struct berth_niche_run run = model->runs[r];
    int64_t height = sign * (run.top - run.bottom);
    for (uint32_t s = run.lower; s < run.upper; s++) {
      state->rest[s] += height;
    }
  }
  for (uint32_t s = model->lower[buffer]; s + 1 < model->upper[buffer]; s++) {
    state->n_crossing[s] += (uint32_t)sign;
  }
}

static void set_ceilings(struct berth_niche_state *state, uint64_t capacity) {
  const struct berth_niche_model *model = state->model;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    uint64_t size = model->instance->size[b];
    state->ceiling[b] = size > capacity ? -1 : (int64_t)((capacity - size) / model->unit) + model->size[b];
    least = state->ceiling[b] < least ? state->ceiling[b] : least;
    most = state->ceiling[b] > most ? state->ceiling[b] : most;
  }
  state->is_uniform = least == most && !model->has_masks && !model->has_pins;
  for (uint32_t s = 0; s < model->n_sections; s++) {
    state->section_ceiling[s] = -1;
  }
  for (uint32_t b = 0; b < model->n_buffers && may_go_on(state, b); b++) {
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1]; r++) {
      struct berth_niche_run run = model->runs[r];
      int64_t ceiling = state->ceiling[b] - model->size[b] + run.top;
      for (uint32_t s = run.lower; s < run.upper; s++) {
        state->section_ceiling[s] = ceiling > state->section_ceiling[s] ? ceiling : state->section_ceiling[s];
      }
    }
  }
}

static inline void change(struct berth_niche_state *state, uint32_t what, int64_t before) {
  state->trail[state->n_trail++] = (struct berth_niche_change){what, before};
}

static inline void set_floor(struct berth_niche_state *state, uint32_t section, int64_t floor) {
  change(state, KIND_FLOOR | section, state->floor[section]);
  state->floor[section] = floor;
}

static inline bool is_over(const struct berth_niche_state *state, uint32_t section) {
  return state->rest[section] != 0 &&
         state->floor[section] + state->rest[section] > state->section_ceiling[section];
}

/* Raises the low of an open buffer to `least`; false if it cannot lie there. */
static inline bool raise_low(struct berth_niche_state *state, uint32_t buffer, int64_t least) {
  const struct berth_niche_model *model = state->model;
  int64_t low = (least + model->mask[buffer]) & ~model->mask[buffer];
  if (low <= state->low[buffer]) {
    return true;
  }
  if (state->raised_in == NULL || state->raised_in[buffer] != state->n_steps) {
    change(state, KIND_LOW | buffer, state->low[buffer]);
  }
  if (state->raised_in != NULL) {
    state->raised_in[buffer] = state->n_steps;
  }
  state->low[buffer] = low;
  state->dirty_lower = model->lower[buffer] < state->dirty_lower ? model->lower[buffer] : state->dirty_lower;
  state->dirty_upper = model->upper[buffer] > state->dirty_upper ? model->upper[buffer] : state->dirty_upper;
  return low + model->size[buffer] <= state->ceiling[buffer] &&
         (model->pin[buffer] < 0 || low <= model->pin[buffer]);
}

/* Of the window that the k-th entry of `members` holds there. */
static inline int64_t bottom_at(const struct berth_niche_model *model, uint32_t k) {
  return model->bottom != NULL ? model->bottom[k] : 0;
}

static inline bool has_witness(const struct berth_niche_state *state, uint32_t section) {
  uint32_t k = state->witness[section], witness = state->model->members[k];
  return !state->is_placed[witness] &&
         state->low[witness] + bottom_at(state->model, k) == state->floor[section];
}

/* Lifts the floor to the least bottom of the open members, of which one becomes the witness. */
static void find_witness(struct berth_niche_state *state, uint32_t section) {
  const struct berth_niche_model *model = state->model;
  int64_t least = INT64_MAX;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1]; k++) {
    uint32_t c = model->members[k];
    int64_t bottom = state->low[c] + bottom_at(model, k);
    if (!state->is_placed[c] && bottom < least) {
      least = bottom;
      state->witness[section] = k;
      if (least == state->floor[section]) {
        return;
      }
    }
  }
  set_floor(state, section, least);
}

static uint32_t lift(struct berth_niche_state *state) {
  for (uint32_t s = state->dirty_lower; s < state->dirty_upper; s++) {
    if (state->rest[s] == 0 || has_witness(state, s)) {
      continue;
    }
    find_witness(state, s);
    if (is_over(state, s)) {
      return s;
    }
  }
  return BERTH_NICHE_NONE;
}

bool berth_niche_state_reset(struct berth_niche_state *state, uint64_t capacity) {
  const struct berth_niche_model *model = state->model;
  size_t n_sections = model->n_sections;
  if (!berth_effort_fill(state->effort, state->floor, 0, n_sections * sizeof *state->floor) ||
      !berth_effort_fill(state->effort, state->rest, 0, n_sections * sizeof *state->rest) ||
      !berth_effort_fill(state->effort, state->n_crossing, 0, n_sections * sizeof *state->n_crossing) ||
      !berth_effort_fill(state->effort, state->open_hash, 0, 2 * n_sections * sizeof *state->open_hash) ||
      !berth_effort_fill(state->effort, state->member_hash, 0, n_sections * sizeof *state->member_hash)) {
    return true;
  }
  memset(state->is_placed, 0, model->n_buffers);
  state->n_trail = 0;
  state->n_placed = 0;
  set_ceilings(state, capacity);
  bool is_possible = true;
  for (uint32_t b = 0; b < model->n_buffers && may_go_on(state, b); b++) {
    state->low[b] = model->pin[b] > 0 ? model->pin[b] : 0;
    is_possible &= state->low[b] + model->size[b] <= state->ceiling[b];
    count(state, b, 1);
    toggle_hash(state, b);
  }
  for (size_t s = 0; s < n_sections && berth_effort_poll_at(state->effort, (uint32_t)s); s++) {
    state->witness[s] = model->member_begin[s];
    is_possible &= state->rest[s] <= state->section_ceiling[s];
  }
  state->dirty_lower = 0;
  state->dirty_upper = model->n_sections;
  return state->effort->state == BERTH_EFFORT_STOPPED || (is_possible && lift(state) == BERTH_NICHE_NONE);
}

bool berth_niche_state_reserve(struct berth_niche_state *state) {
  size_t most = 1 + 2 * (size_t)state->model->n_sections + state->model->n_buffers;
  if (state->trail_capacity - state->n_trail >= most) {
    return true;
  }
  size_t capacity = 2 * state->trail_capacity + most;
  struct berth_niche_change *trail = berth_arena_new(state->arena, struct berth_niche_change, capacity);
  if (trail == NULL) {
    return false;
  }
  if (!berth_effort_copy(state->effort, trail, state->trail, state->n_trail * sizeof *trail)) {
    return false;
  }
  state->trail = trail;
  state->trail_capacity = capacity;
  return true;
}

/* The floors under a buffer that has just been placed. */
static uint32_t cover(struct berth_niche_state *state, uint32_t buffer) {
  const struct berth_niche_model *model = state->model;
  for (uint32_t r = model->run_begin[buffer]; r < model->run_begin[buffer + 1]; r++) {
    int64_t top = state->offset[buffer] + model->runs[r].top;
    for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
      set_floor(state, s, top);
      if (is_over(state, s)) {
        return s;
      }
    }
  }
  return BERTH_NICHE_NONE;
}

/* What the floor of a section leaves its open members. */
static bool raise_members(struct berth_niche_state *state, uint32_t section) {
  const struct berth_niche_model *model = state->model;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1]; k++) {
    uint32_t c = model->members[k];
    if (!state->is_placed[c] && !raise_low(state, c, state->floor[section] - bottom_at(model, k))) {
      return false;
    }
  }
  return true;
}

/* The same in all sections of a buffer that has just been placed; the section that refutes. */
static uint32_t raise_beside(struct berth_niche_state *state, uint32_t buffer) {
  const struct berth_niche_model *model = state->model;
  for (uint32_t r = model->run_begin[buffer]; r < model->run_begin[buffer + 1]; r++) {
    for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
      if (!raise_members(state, s)) {
        return s;
      }
    }
  }
  return BERTH_NICHE_NONE;
}

/* Where every window is all of its buffer, who meets it is enough. */
static uint32_t raise_meeting(struct berth_niche_state *state, uint32_t buffer) {
  const struct berth_niche_model *model = state->model;
  int64_t top = state->offset[buffer] + model->size[buffer];
  for (uint32_t k = model->meet_begin[buffer]; k < model->meet_begin[buffer + 1]; k++) {
    uint32_t c = model->meets[k];
    if (!state->is_placed[c] && state->low[c] < top && !raise_low(state, c, top)) {
      return model->lower[c];
    }
  }
  return BERTH_NICHE_NONE;
}

uint32_t berth_niche_state_place(struct berth_niche_state *state, uint32_t buffer) {
  const struct berth_niche_model *model = state->model;
  state->n_steps++;
  state->offset[buffer] = state->low[buffer];
  state->is_placed[buffer] = 1;
  state->n_placed++;
  change(state, KIND_PLACED | buffer, 0);
  toggle_hash(state, buffer);
  count(state, buffer, -1);
  uint32_t refuting = cover(state, buffer);
  if (refuting != BERTH_NICHE_NONE) {
    return refuting;
  }
  state->dirty_lower = model->lower[buffer];
  state->dirty_upper = model->upper[buffer];
  refuting = model->has_windows ? raise_beside(state, buffer) : raise_meeting(state, buffer);
  return refuting != BERTH_NICHE_NONE ? refuting : lift(state);
}

uint32_t berth_niche_state_raise(struct berth_niche_state *state, uint32_t section, int64_t floor) {
  state->n_steps++;
  set_floor(state, section, floor);
  if (is_over(state, section)) {
    return section;
  }
  state->dirty_lower = section;
  state->dirty_upper = section + 1;
  return raise_members(state, section) ? lift(state) : section;
}

uint32_t berth_niche_state_lift(struct berth_niche_state *state, uint32_t buffer, int64_t low) {
  const struct berth_niche_model *model = state->model;
  state->n_steps++;
  state->dirty_lower = model->lower[buffer];
  state->dirty_upper = model->upper[buffer];
  return raise_low(state, buffer, low) ? lift(state) : model->lower[buffer];
}

void berth_niche_state_undo(struct berth_niche_state *state, size_t n_trail) {
  while (state->n_trail > n_trail) {
    struct berth_niche_change last = state->trail[--state->n_trail];
    uint32_t index = last.what & ~KIND_MASK;
    switch (last.what & KIND_MASK) {
    case KIND_FLOOR:
      state->floor[index] = last.before;
      break;
    case KIND_LOW:
      state->low[index] = last.before;
      break;
    default:
      state->is_placed[index] = 0;
      state->n_placed--;
      toggle_hash(state, index);
      count(state, index, 1);
    }
  }
}
