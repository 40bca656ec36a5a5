#include "small.h"

static void add_gap(struct small *small, uint32_t b, struct berth_rng *rng, bool windows, uint32_t *n_gaps) {
  uint32_t life = small->upper[b] - small->lower[b];
  if (life < 3 || berth_rng_below(rng, 2) == 0) {
    return;
  }
  uint32_t lower = small->lower[b] + 1 + berth_rng_below(rng, life - 2);
  uint32_t upper = lower + 1 + berth_rng_below(rng, small->upper[b] - lower - 1);
  struct berth_piece gap = {.lower = lower, .upper = upper};
  if (windows && berth_rng_below(rng, 3) != 0) {
    gap.window_lower = berth_rng_below(rng, (uint32_t)small->size[b]);
    gap.window_upper =
        gap.window_lower + 1 + berth_rng_below(rng, (uint32_t)(small->size[b] - gap.window_lower));
  }
  small->gaps[(*n_gaps)++] = gap;
}

/* Every second buffer holds up to three rectangles of its own, and its life is their hull. */
static void add_pieces(struct small *small, uint32_t b, struct berth_rng *rng, uint32_t *n_pieces) {
  uint32_t first = small->lower[b], end = small->upper[b], size = (uint32_t)small->size[b];
  if (berth_rng_below(rng, 2) == 0) {
    return;
  }
  small->lower[b] = end;
  small->upper[b] = first;
  uint32_t n = 1 + berth_rng_below(rng, MOST_PIECES);
  for (uint32_t k = 0; k < n; k++) {
    struct berth_piece piece = {
        .lower = first + berth_rng_below(rng, end - first), .window_lower = berth_rng_below(rng, size)};
    piece.upper = piece.lower + 1 + berth_rng_below(rng, end - piece.lower);
    piece.window_upper = piece.window_lower + 1 + berth_rng_below(rng, size - (uint32_t)piece.window_lower);
    small->lower[b] = piece.lower < small->lower[b] ? piece.lower : small->lower[b];
    small->upper[b] = piece.upper > small->upper[b] ? piece.upper : small->upper[b];
    small->pieces[(*n_pieces)++] = piece;
  }
}

void small_draw(struct small *small, struct berth_rng *rng, unsigned features) {
  uint32_t n = 2 + berth_rng_below(rng, MOST_BUFFERS - 2), n_gaps = 0, n_pieces = 0;
  uint32_t n_steps = 2 + berth_rng_below(rng, MOST_STEPS - 1);
  uint64_t scale = features & SCALE ? 1 + berth_rng_below(rng, 3) : 1;
  for (uint32_t b = 0; b < n; b++) {
    small->lower[b] = berth_rng_below(rng, n_steps);
    small->upper[b] = small->lower[b] + 1 + berth_rng_below(rng, n_steps - small->lower[b]);
    small->size[b] = (1 + berth_rng_below(rng, 4)) * scale;
    small->alignment[b] = features & ALIGNMENT ? UINT64_C(1) << berth_rng_below(rng, 3) : 1;
    small->pin[b] = BERTH_UNPINNED;
    if (features & PINS && berth_rng_below(rng, 4) == 0) {
      small->pin[b] = small->alignment[b] * berth_rng_below(rng, 4);
    }
    small->gap_begin[b] = n_gaps;
    small->piece_begin[b] = n_pieces;
    if (features & (GAPS | WINDOWS)) {
      add_gap(small, b, rng, features & WINDOWS, &n_gaps);
    }
    if (features & LISTED && small->gap_begin[b] == n_gaps) {
      add_pieces(small, b, rng, &n_pieces);
    }
  }
  small->gap_begin[n] = n_gaps;
  small->piece_begin[n] = n_pieces;
  uint32_t n_conflicts = 0;
  for (uint32_t a = 0; a + 1 < n && features & CONFLICTS && n_conflicts < MOST_BUFFERS; a++) {
    if (berth_rng_below(rng, 3) == 0) {
      small->conflicts[n_conflicts][0] = a;
      small->conflicts[n_conflicts++][1] = a + 1 + berth_rng_below(rng, n - a - 1);
    }
  }
  small->instance = (struct berth_packing_instance){
      .n_buffers = n,
      .n_steps = n_steps,
      .lower = small->lower,
      .upper = small->upper,
      .size = small->size,
      .alignment = small->alignment,
      .pin = features & PINS ? small->pin : NULL,
      .gap_begin = features & (GAPS | WINDOWS) ? small->gap_begin : NULL,
      .gaps = small->gaps,
      .piece_begin = n_pieces > 0 ? small->piece_begin : NULL,
      .pieces = small->pieces,
      .n_conflicts = n_conflicts,
      .conflicts = (const uint32_t(*)[2])small->conflicts,
      .capacity = BERTH_UNLIMITED};
}

void small_draw_full(struct small *small, struct berth_rng *rng) {
  uint32_t n = 1;
  small->lower[0] = 0;
  small->upper[0] = MOST_STEPS - 1;
  small->size[0] = 8;
  for (int k = 0; k < 20 && n < MOST_BUFFERS; k++) {
    uint32_t b = berth_rng_below(rng, n);
    uint32_t life = small->upper[b] - small->lower[b];
    small->lower[n] = small->lower[b];
    small->upper[n] = small->upper[b];
    small->size[n] = small->size[b];
    if (berth_rng_below(rng, 2) == 0 && life > 1) {
      small->upper[b] = small->lower[n] = small->lower[b] + 1 + berth_rng_below(rng, life - 1);
      n++;
    } else if (small->size[b] > 1) {
      small->size[n] = 1 + berth_rng_below(rng, (uint32_t)small->size[b] - 1);
      small->size[b] -= small->size[n];
      n++;
    }
  }
  for (uint32_t b = 0; b < n; b++) {
    small->alignment[b] = 1;
  }
  small->instance = (struct berth_packing_instance){
      .n_buffers = n,
      .n_steps = MOST_STEPS - 1,
      .lower = small->lower,
      .upper = small->upper,
      .size = small->size,
      .alignment = small->alignment,
      .capacity = BERTH_UNLIMITED};
  for (uint32_t b = 0; b <= n; b++) {
    small->gap_begin[b] = small->piece_begin[b] = 0;
  }
}

/* The bytes that a buffer holds at a step, a bit each from its offset on. */
static uint64_t held(const struct small *small, uint32_t b, uint32_t step) {
  uint64_t lower = 0, upper = step >= small->lower[b] && step < small->upper[b] ? small->size[b] : 0;
  uint64_t bytes = 0;
  for (uint32_t g = small->gap_begin[b]; small->instance.gap_begin && g < small->gap_begin[b + 1]; g++) {
    if (step >= small->gaps[g].lower && step < small->gaps[g].upper) {
      lower = small->gaps[g].window_lower;
      upper = small->gaps[g].window_upper;
    }
  }
  bool is_listed = small->instance.piece_begin && small->piece_begin[b] < small->piece_begin[b + 1];
  for (uint32_t k = small->piece_begin[b]; is_listed && k < small->piece_begin[b + 1]; k++) {
    const struct berth_piece *piece = &small->pieces[k];
    for (uint64_t o = piece->window_lower; o < piece->window_upper; o++) {
      bytes |= step >= piece->lower && step < piece->upper ? UINT64_C(1) << o : 0;
    }
  }
  for (uint64_t o = lower; !is_listed && o < upper; o++) {
    bytes |= UINT64_C(1) << o;
  }
  return bytes;
}

static uint64_t shifted(uint64_t bytes, uint64_t by) {
  return by < 64 ? bytes << by : 0;
}

bool small_clash(const struct small *small, uint32_t a, uint64_t offset_a, uint32_t b, uint64_t offset_b) {
  for (uint32_t c = 0; c < small->instance.n_conflicts; c++) {
    const uint32_t *pair = small->conflicts[c];
    bool is_pair = (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
    if (is_pair && offset_a < offset_b + small->size[b] && offset_b < offset_a + small->size[a]) {
      return true;
    }
  }
  uint64_t least = offset_a < offset_b ? offset_a : offset_b;
  for (uint32_t step = 0; step < small->instance.n_steps; step++) {
    if ((shifted(held(small, a, step), offset_a - least) & shifted(held(small, b, step), offset_b - least)) !=
        0) {
      return true;
    }
  }
  return false;
}

struct trial {
  const struct small *small;
  uint64_t arena;
  uint32_t set;
  uint64_t offset[MOST_BUFFERS];
};

static bool fits(struct trial *trial, uint32_t b) {
  const struct small *small = trial->small;
  if (b == small->instance.n_buffers) {
    return true;
  }
  if (!(trial->set >> b & 1)) {
    return fits(trial, b + 1);
  }
  for (uint64_t o = 0; o + small->size[b] <= trial->arena; o += small->alignment[b]) {
    if (small->instance.pin && small->pin[b] != BERTH_UNPINNED && small->pin[b] != o) {
      continue;
    }
    bool is_free = true;
    for (uint32_t a = 0; a < b && is_free; a++) {
      is_free = !(trial->set >> a & 1) || !small_clash(small, a, trial->offset[a], b, o);
    }
    trial->offset[b] = o;
    if (is_free && fits(trial, b + 1)) {
      return true;
    }
  }
  return false;
}

bool small_fits(const struct small *small, uint64_t arena, uint32_t set) {
  struct trial trial = {.small = small, .arena = arena, .set = set};
  return fits(&trial, 0);
}

uint64_t small_load(const struct small *small) {
  uint64_t most = 0;
  for (uint32_t step = 0; step < small->instance.n_steps; step++) {
    uint64_t load = 0;
    for (uint32_t b = 0; b < small->instance.n_buffers; b++) {
      load += (uint64_t)__builtin_popcountll(held(small, b, step));
    }
    most = load > most ? load : most;
  }
  return most;
}

uint64_t small_optimum(const struct small *small) {
  uint64_t enough = small_load(small) + 24;
  for (uint64_t arena = small_load(small); arena <= enough; arena++) {
    if (small_fits(small, arena, UINT32_MAX)) {
      return arena;
    }
  }
  return BERTH_UNLIMITED;
}
