#include "packing/justify.h"

#include <string.h>

#include "base/effort.h"
#include "base/rng.h"
#include "packing/window.h"

enum {
  MOST_TURNS = 6,   /* of one trial, upside down and back */
  FEW_TURNS = 3,    /* of what is large */
  SLACK = 8,        /* a trial that begins worse by one part in so many is given up */
  MOST_IN_VAIN = 2, /* turns of one trial */
  N_TRIALS = 24,    /* a window */
  PATIENCE = 6,
  N_NEW = 6,
  N_BY_STREAMS = 24,
  N_BY_STREAMS_LARGE = 4,
  MOST_WINDOWS = 400, /* without gain, then it ends */
  WIDTH = 1024,       /* where there are no more, the window has all */
  N_WIDTHS = 4,       /* else WIDTH / 4 and so on, each twice the one before */
  MOST_RISING = 3,    /* at once */
  FEWEST_SHIFT = 3,   /* what is shaken moves by up to a quarter of the arena */
  N_SHIFTS = 8,       /* or less, down to 2^-9 of it */
  FINE = 1 << 16      /* parts of a whole */
};

#define NO_TOP (UINT64_MAX / 2) /* there is no plan yet */

struct justify {
  struct berth_packing_search *search;
  struct berth_meetings meetings;
  struct berth_window window;
  struct berth_rng rng;
  double *rank;   /* size times the sizes of what it meets */
  double *root;   /* of the latter */
  uint64_t *peak; /* of an antichain that it is in */
  uint64_t most;  /* of all peaks */
  uint64_t *key;  /* what the next order is by */
  uint64_t *best; /* offsets of the members, the best so far */
  uint64_t best_top;
  uint64_t top;   /* of the plan */
  uint32_t *high; /* those who reach above some byte */
};

static uint32_t below(struct justify *justify, uint32_t n) {
  return berth_rng_below(&justify->rng, n);
}

/* So many of FINE parts. */
static uint64_t part(uint64_t whole, uint32_t n_parts) {
  return (uint64_t)((double)whole * ((double)n_parts / FINE));
}

static bool may_go_on(const struct justify *justify) {
  return !berth_packing_done(justify->search) && justify->search->effort->state == BERTH_EFFORT_RUNNING;
}

static bool has_effort(const struct justify *justify) {
  return justify->search->effort->state == BERTH_EFFORT_RUNNING;
}

/* ---- Orders ---- */

/* Positive doubles sort as their bits do. */
static uint64_t descending(double rank) {
  uint64_t bits;
  memcpy(&bits, &rank, sizeof bits);
  return ~bits;
}

static double rank_of(const struct justify *justify, uint32_t i, uint32_t n_met, uint32_t n_peak) {
  double size = (double)justify->search->instance->size[i];
  double rank = size;
  for (uint32_t k = 0; k < n_met; k++) {
    rank *= justify->root[i];
  }
  for (uint32_t k = 0; k < n_peak; k++) {
    rank *= (double)justify->peak[i] / (double)justify->most;
  }
  return rank;
}

/* A new order: by size, by what is met in half powers, by peak: products of random powers with
 * some noise. */
static void order_anew(struct justify *justify) {
  const struct berth_window *window = &justify->window;
  uint32_t n_met = below(justify, 5);
  uint32_t n_peak = below(justify, 6);
  uint32_t noise = below(justify, 2) * below(justify, FINE / 2);
  uint64_t near = below(justify, 2) == 0 ? UINT64_MAX : part(justify->most, FINE - below(justify, FINE / 4));
  for (uint32_t m = 0; m < window->n_members; m++) {
    uint32_t i = window->members[m];
    double rank = rank_of(justify, i, n_met, n_peak) * (double)(FINE + below(justify, noise + 1));
    justify->key[i] = descending(justify->peak[i] >= near ? rank * 0x1p300 : rank);
  }
}

/* The order of the best plan, shaken: all of it, or what lies above some byte. */
static void shake(struct justify *justify) {
  const struct berth_window *window = &justify->window;
  uint64_t range = justify->best_top >> (FEWEST_SHIFT + below(justify, N_SHIFTS));
  uint64_t from = part(justify->best_top, below(justify, 2) * below(justify, FINE));
  for (uint32_t m = 0; m < window->n_members; m++) {
    uint32_t i = window->members[m];
    uint64_t by = part(range, below(justify, FINE));
    justify->key[i] = justify->best[i] + (justify->best[i] >= from ? by : range / 2);
  }
}

/* The order of the best plan, but some of those at its top come earlier. */
static void raise(struct justify *justify) {
  const struct berth_window *window = &justify->window;
  uint64_t aim = justify->search->lower_bound < justify->best_top ? justify->search->lower_bound : 0;
  uint64_t over = justify->best_top - (justify->best_top - aim) / 2 - 1;
  uint32_t n = 0;
  for (uint32_t m = 0; m < window->n_members; m++) {
    uint32_t i = window->members[m];
    justify->key[i] = justify->best[i];
    if (justify->best[i] + window->instance->size[i] > over) {
      justify->high[n++] = i;
    }
  }
  for (uint32_t k = 1 + below(justify, MOST_RISING); n > 0 && k > 0; k--) {
    uint32_t i = justify->high[below(justify, n)];
    justify->key[i] = part(justify->best[i], below(justify, FINE));
  }
}

/* ---- Trials ---- */

/* Equal is taken, too: the plan drifts. */
static void keep(struct justify *justify) {
  const struct berth_window *window = &justify->window;
  if (window->is_flipped || window->top > justify->best_top) {
    return;
  }
  justify->best_top = window->top;
  for (uint32_t m = 0; m < window->n_members; m++) {
    justify->best[window->members[m]] = window->at[window->members[m]];
  }
}

/* Places in the order of the keys and turns it over as long as that brings something. False if effort is
 * spent. */
static bool try(struct justify *justify, uint32_t n_turns) {
  struct berth_window *window = &justify->window;
  uint64_t ceiling = n_turns == 1 ? justify->best_top : justify->best_top + justify->best_top / SLACK;
  uint64_t least = UINT64_MAX;
  uint32_t n_in_vain = 0;
  bool stands = berth_window_place(window, justify->key, ceiling);
  for (uint32_t turn = 1; stands; turn++) {
    if (!window->is_flipped) {
      keep(justify);
      bool is_less = window->top < least;
      least = is_less ? window->top : least;
      n_in_vain = is_less ? 0 : n_in_vain + 1;
    }
    if (n_in_vain == MOST_IN_VAIN || turn == n_turns) {
      break;
    }
    stands = berth_window_flip(window);
  }
  return has_effort(justify);
}

static uint64_t members_top(const struct justify *justify) {
  const struct berth_window *window = &justify->window;
  uint64_t top = 0;
  for (uint32_t m = 0; m < window->n_members; m++) {
    uint32_t i = window->members[m];
    uint64_t end = window->plan[i] + window->instance->size[i];
    top = end > top ? end : top;
  }
  return top;
}

/* The best of the members becomes the plan's, and the plan the incumbent if it is better. */
static void settle(struct justify *justify) {
  struct berth_window *window = &justify->window;
  if (justify->best_top == NO_TOP) {
    return;
  }
  for (uint32_t m = 0; m < window->n_members; m++) {
    window->plan[window->members[m]] = justify->best[window->members[m]];
  }
  justify->top = 0;
  for (uint32_t i = 0; i < window->instance->n_buffers; i++) {
    uint64_t end = window->plan[i] + window->instance->size[i];
    justify->top = end > justify->top ? end : justify->top;
  }
  berth_packing_offer(justify->search, window->plan, justify->top);
}

/* True if the window's members came to lie lower. */
static bool work(struct justify *justify, uint32_t first, uint32_t end) {
  struct berth_window *window = &justify->window;
  berth_window_choose(window, first, end);
  uint64_t before = members_top(justify);
  justify->best_top = before;
  for (uint32_t m = 0; m < window->n_members; m++) {
    justify->best[window->members[m]] = window->plan[window->members[m]];
  }
  bool goes_on =
      berth_effort_spend(justify->search->effort, (uint64_t)window->n_members * window->meetings->n_words);
  for (uint32_t t = 0; goes_on && t < N_TRIALS; t++) {
    uint32_t kind = below(justify, 8);
    if (kind == 0) {
      order_anew(justify);
    } else if (kind < 4) {
      shake(justify);
    } else {
      raise(justify);
    }
    goes_on = try(justify, MOST_TURNS);
  }
  settle(justify);
  return justify->best_top < before;
}

/* ---- Windows ---- */

/* One of those who reach highest, or of those who reach nearly as high. */
static uint32_t choose_high(struct justify *justify) {
  const struct berth_packing_instance *instance = justify->search->instance;
  uint64_t aim = justify->search->lower_bound;
  uint64_t over = justify->top - 1;
  if (aim < justify->top && below(justify, 2) == 0) {
    over -= part(justify->top - aim, below(justify, FINE / 3));
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (justify->window.plan[i] + instance->size[i] > over) {
      justify->high[n++] = i;
    }
  }
  return justify->high[below(justify, n)];
}

static bool work_on_high(struct justify *justify) {
  uint32_t n = justify->search->instance->n_buffers;
  uint32_t width = n;
  if (n > WIDTH) {
    width = WIDTH / 4 << below(justify, N_WIDTHS);
    width = width < n ? width : n;
  }
  uint32_t middle = choose_high(justify);
  uint32_t first = middle > width / 2 ? middle - width / 2 : 0;
  first = first < n - width ? first : n - width;
  return work(justify, first, first + width);
}

/* Half powers of what is met and powers of the peak, beside the size. */
static const uint8_t STARTS[][2] = {{2, 0}, {0, 0}, {1, 2}, {2, 4}, {4, 0},
                                    {0, 2}, {1, 0}, {3, 0}, {2, 2}, {1, 4}};

static void order_by(struct justify *justify, uint32_t n_met, uint32_t n_peak) {
  const struct berth_window *window = &justify->window;
  for (uint32_t m = 0; m < window->n_members; m++) {
    justify->key[window->members[m]] = descending(rank_of(justify, window->members[m], n_met, n_peak));
  }
}

/* The clock that advances most while the buffer lives: of its stream, mostly. */
static uint32_t stream_of(const struct berth_precedence *order, uint32_t i) {
  const uint32_t *lower = order->lower + (size_t)i * order->n_clocks;
  const uint32_t *upper = order->upper + (size_t)i * order->n_clocks;
  uint32_t found = 0;
  for (uint32_t c = 1; c < order->n_clocks; c++) {
    found = upper[c] - lower[c] > upper[found] - lower[found] ? c : found;
  }
  return found;
}

/* One stream after another, in any order of them; each by time, or by size. */
static void order_by_streams(struct justify *justify, bool by_time) {
  const struct berth_packing_instance *instance = justify->search->instance;
  const struct berth_precedence *order = &instance->order;
  struct berth_rng places = {.state = berth_rng_next(&justify->rng)};
  for (uint32_t m = 0; m < justify->window.n_members; m++) {
    uint32_t i = justify->window.members[m];
    uint32_t stream = stream_of(order, i);
    struct berth_rng place = {.state = places.state + stream};
    uint64_t sub = by_time ? order->lower[(size_t)i * order->n_clocks + stream]
                           : descending((double)instance->size[i]) >> 32;
    justify->key[i] = (berth_rng_next(&place) & (UINT64_MAX << 32)) | sub;
  }
}

/* What does not wait for each other shares best with its own stream. */
static bool start_by_streams(struct justify *justify) {
  const struct berth_packing_search *search = justify->search;
  bool is_large = search->instance->n_buffers > WIDTH;
  bool goes_on = true;
  uint32_t n = search->instance->order.n_clocks < 2 ? 0 : is_large ? N_BY_STREAMS_LARGE : N_BY_STREAMS;
  for (uint32_t k = 0; goes_on && k < n; k++) {
    order_by_streams(justify, k % 2 == 0);
    goes_on = try(justify, is_large ? FEW_TURNS : MOST_TURNS);
    goes_on = goes_on && justify->best_top > search->lower_bound;
  }
  return goes_on;
}

/* All of it in a few orders: a plan to go on from, if it is better than the incumbent. */
static bool start(struct justify *justify) {
  struct berth_packing_search *search = justify->search;
  struct berth_window *window = &justify->window;
  uint32_t n = search->instance->n_buffers;
  bool is_any = search->best_arena != BERTH_UNLIMITED;
  if (is_any) {
    memcpy(window->plan, search->best_offset, n * sizeof *window->plan);
  } else {
    memset(window->plan, 0, n * sizeof *window->plan);
  }
  berth_window_choose(window, 0, n);
  memcpy(justify->best, window->plan, n * sizeof *justify->best);
  justify->best_top = is_any ? members_top(justify) : NO_TOP;
  bool goes_on = start_by_streams(justify);
  for (size_t k = 0; goes_on && k < sizeof STARTS / sizeof STARTS[0]; k++) {
    order_by(justify, STARTS[k][0], STARTS[k][1]);
    goes_on = try(justify, n > WIDTH ? 1 : MOST_TURNS);
    goes_on = goes_on && justify->best_top > search->lower_bound;
  }
  if (goes_on && n > WIDTH) {
    memcpy(justify->key, justify->best, n * sizeof *justify->key);
    goes_on = try(justify, FEW_TURNS);
  }
  settle(justify);
  return goes_on;
}

/* The square root, without a library: the same on every machine. */
static double root(double of) {
  double found = of;
  for (int k = 0; k < 64 && found * found > of; k++) {
    found = (found + of / found) / 2;
  }
  return found;
}

static bool find_ranks(struct justify *justify, uint64_t *scratch) {
  const struct berth_packing_instance *instance = justify->search->instance;
  const struct berth_meetings *meetings = &justify->meetings;
  struct berth_effort *effort = justify->search->effort;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    uint32_t n_met;
    double met = (double)berth_meetings_weight(meetings, instance->size, i, &n_met);
    justify->rank[i] = (double)instance->size[i] * met;
    justify->root[i] = root(met);
    if (!berth_effort_spend(effort, meetings->n_words + n_met)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    uint64_t n_looks = 0;
    justify->peak[i] =
        berth_meetings_peak(meetings, instance->size, justify->rank, i, effort, scratch, &n_looks);
    justify->most = justify->peak[i] > justify->most ? justify->peak[i] : justify->most;
    if (!berth_effort_spend(effort, n_looks)) {
      return false;
    }
  }
  return true;
}

static enum berth_code prepare(struct justify *justify, bool *out_goes_on) {
  const struct berth_packing_instance *instance = justify->search->instance;
  struct berth_arena *arena = justify->search->arena;
  uint32_t n = instance->n_buffers;
  justify->rank = berth_arena_new(arena, double, n);
  justify->root = berth_arena_new(arena, double, n);
  justify->peak = berth_arena_new(arena, uint64_t, n);
  justify->key = berth_arena_new(arena, uint64_t, n);
  justify->best = berth_arena_new(arena, uint64_t, n);
  justify->high = berth_arena_new(arena, uint32_t, n);
  uint64_t *scratch = berth_arena_new(arena, uint64_t, (n + 63) / 64);
  if (justify->rank == NULL || justify->root == NULL || justify->peak == NULL || justify->key == NULL ||
      justify->best == NULL || justify->high == NULL || scratch == NULL ||
      !berth_meetings_make(
          &justify->meetings, n, instance->lower, instance->upper, instance->n_conflicts, instance->conflicts,
          instance->chains, arena) ||
      !berth_window_init(&justify->window, instance, &justify->meetings, justify->search->effort, arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  *out_goes_on = find_ranks(justify, scratch);
  return BERTH_OK;
}

/* What is pinned stays where an incumbent has shown that it can be. */
static bool is_fit_for(const struct berth_packing_search *search) {
  const struct berth_packing_instance *instance = search->instance;
  bool any = search->best_arena != BERTH_UNLIMITED || instance->pin == NULL;
  return any && instance->n_buffers > 0 && instance->n_buffers <= BERTH_MEETINGS_MOST &&
         instance->gap_begin == NULL && instance->piece_begin == NULL;
}

/* A plan from new orders, though it be worse; the incumbent is kept by the search. */
static bool restart(struct justify *justify) {
  berth_window_choose(&justify->window, 0, justify->search->instance->n_buffers);
  justify->best_top = NO_TOP;
  bool goes_on = true;
  for (uint32_t k = 0; goes_on && k < N_NEW; k++) {
    order_anew(justify);
    goes_on = try(justify, MOST_TURNS);
  }
  settle(justify);
  return goes_on;
}

static enum berth_code run(struct berth_packing_search *search) {
  if (!is_fit_for(search)) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct justify justify = {.search = search, .rng = {.state = 1}};
  bool goes_on = false;
  enum berth_code code = prepare(&justify, &goes_on);
  goes_on = code == BERTH_OK && goes_on && start(&justify);
  for (uint32_t n_in_vain = 0; goes_on && n_in_vain < MOST_WINDOWS && may_go_on(&justify); n_in_vain++) {
    if (n_in_vain % PATIENCE == PATIENCE - 1 && search->instance->n_buffers <= WIDTH) {
      goes_on = restart(&justify);
    } else if (work_on_high(&justify)) {
      n_in_vain = n_in_vain / PATIENCE * PATIENCE;
    }
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

const struct berth_packing_strategy berth_packing_justify = {.name = "justify", .run = run};
