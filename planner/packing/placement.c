#include "packing/placement.h"

#include <string.h>

#include "base/effort.h"
#include "base/order.h"
#include "packing/bound.h"
#include "packing/sweep.h"

struct method {
  const char *name;
  enum berth_placement_key keys[5];
  enum berth_board_fit fit;
};

#define KEY(name) BERTH_PLACEMENT_##name

/* The first two are sweeps. Then what is cheap and good, and what other planners do at the end: tight fits
 * look at every gap. */
static const struct method METHODS[] = {
    {"sweep by start", {0}, BERTH_BOARD_TIGHTEST},
    {"sweep by end", {0}, BERTH_BOARD_TIGHTEST},
    {"by size and start", {KEY(SIZE), KEY(START)}, BERTH_BOARD_LOWEST},
    {"by load and lifetime", {KEY(LOAD), KEY(LIFE), KEY(SIZE)}, BERTH_BOARD_LOWEST},
    {"greedy by size", {KEY(SIZE), KEY(LIFE)}, BERTH_BOARD_LOWEST},
    {"near the peak, by lifetime", {KEY(NEAR), KEY(LIFE), KEY(SIZE)}, BERTH_BOARD_LOWEST},
    {"by size, load and end", {KEY(SIZE), KEY(LOAD), KEY(FINISH)}, BERTH_BOARD_LOWEST},
    {"at the peak, by size and end", {KEY(AT_PEAK), KEY(SIZE), KEY(FINISH)}, BERTH_BOARD_LOWEST},
    {"by conflicts", {KEY(DEGREE)}, BERTH_BOARD_LOWEST},
    {"by area", {KEY(AREA)}, BERTH_BOARD_LOWEST},
    {"by load and size", {KEY(LOAD), KEY(SIZE), KEY(LIFE)}, BERTH_BOARD_LOWEST},
    {"by lifetime", {KEY(LIFE), KEY(SIZE)}, BERTH_BOARD_LOWEST},
    {"first fit by start", {KEY(START), KEY(SIZE)}, BERTH_BOARD_LOWEST},
    {"first fit by end", {KEY(FINISH), KEY(SIZE)}, BERTH_BOARD_LOWEST},
    {"near the peak, by lifetime, tight", {KEY(NEAR), KEY(LIFE), KEY(SIZE)}, BERTH_BOARD_TIGHTEST},
    {"XLA temporal", {KEY(LIFE), KEY(SIZE)}, BERTH_BOARD_TIGHTEST},
    {"XLA spatial", {KEY(SIZE)}, BERTH_BOARD_TIGHTEST},
    {"TFLite", {KEY(WHOLE), KEY(SIZE), KEY(START)}, BERTH_BOARD_TIGHTEST},
    {"best fit by start", {KEY(START), KEY(SIZE)}, BERTH_BOARD_TIGHTEST},
    {"best fit by end", {KEY(FINISH), KEY(SIZE)}, BERTH_BOARD_TIGHTEST},
    {"by load and lifetime, tight", {KEY(LOAD), KEY(LIFE), KEY(SIZE)}, BERTH_BOARD_TIGHTEST},
};
enum {
  N_METHODS = sizeof METHODS / sizeof METHODS[0],
  N_SWEEPS = 2,
  PASS_SHARE = 4,
  COARSE_SWEEPS = 1 << 14
};

/* Positive doubles sort as their bits do; one product is the same on every machine. */
static uint64_t product_key(uint64_t a, uint64_t b) {
  double product = (double)a * (double)b;
  uint64_t bits;
  memcpy(&bits, &product, sizeof bits);
  return ~bits;
}

/* A tournament over the steps. */
bool berth_placement_loads(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_load,
    uint64_t *out_peak) {
  uint32_t n = instance->n_steps;
  uint64_t *most = berth_arena_new(arena, uint64_t, 2 * (size_t)n);
  uint32_t peak;
  if (most == NULL || !berth_packing_load(instance, arena->effort, &most[n], &peak)) {
    return false;
  }
  *out_peak = most[n + peak];
  for (uint32_t k = n - 1; k > 0; k--) {
    most[k] = most[2 * k] > most[2 * k + 1] ? most[2 * k] : most[2 * k + 1];
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    uint64_t found = 0;
    uint32_t left = instance->lower[i] + n;
    uint32_t right = instance->upper[i] + n;
    for (; left < right; left /= 2, right /= 2) {
      if (left & 1) {
        found = most[left] > found ? most[left] : found;
        left++;
      }
      if (right & 1) {
        right--;
        found = most[right] > found ? most[right] : found;
      }
    }
    out_load[i] = found;
  }
  return true;
}

static bool
degree_keys(const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *key) {
  uint32_t n = instance->n_steps;
  uint32_t *begun = berth_arena_new_zeroed(arena, uint32_t, (size_t)n + 1); /* [t]: lower < t */
  uint32_t *ended = berth_arena_new_zeroed(arena, uint32_t, (size_t)n + 1); /* [t]: upper <= t */
  if (begun == NULL || ended == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    begun[instance->lower[i] + 1]++;
    ended[instance->upper[i]]++;
  }
  for (uint32_t t = 0; t < n; t++) {
    begun[t + 1] += begun[t];
    ended[t + 1] += ended[t];
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    key[i] = product_key(instance->size[i], begun[instance->upper[i]] - ended[instance->lower[i]]);
  }
  return true;
}

static uint64_t
simple_key(const struct berth_packing_instance *instance, enum berth_placement_key key, uint32_t i) {
  uint32_t life = instance->upper[i] - instance->lower[i];
  switch (key) {
  case BERTH_PLACEMENT_SIZE:
    return ~instance->size[i];
  case BERTH_PLACEMENT_LIFE:
    return ~(instance->life != NULL ? instance->life[i] : (uint64_t)life);
  case BERTH_PLACEMENT_AREA:
    return product_key(instance->size[i], life);
  case BERTH_PLACEMENT_START:
    return instance->lower[i];
  case BERTH_PLACEMENT_FINISH:
    return ~(uint64_t)instance->upper[i];
  case BERTH_PLACEMENT_WHOLE:
    return instance->life != NULL ? instance->life[i] < instance->span : life < instance->n_steps;
  case BERTH_PLACEMENT_ALIGN:
    return ~instance->alignment[i];
  case BERTH_PLACEMENT_END:
  case BERTH_PLACEMENT_DEGREE:
  case BERTH_PLACEMENT_LOAD:
  case BERTH_PLACEMENT_NEAR:
  case BERTH_PLACEMENT_AT_PEAK:
  case BERTH_N_PLACEMENT_KEYS:
    break;
  }
  return 0;
}

static bool make_keys(
    const struct berth_packing_instance *instance, enum berth_placement_key key, struct berth_arena *arena,
    uint64_t *out_key) {
  if (key == BERTH_PLACEMENT_LOAD || key == BERTH_PLACEMENT_NEAR || key == BERTH_PLACEMENT_AT_PEAK) {
    uint64_t peak;
    if (!berth_placement_loads(instance, arena, out_key, &peak)) {
      return false;
    }
    uint64_t least = key == BERTH_PLACEMENT_AT_PEAK ? peak : peak - peak / 100;
    for (uint32_t i = 0; i < instance->n_buffers; i++) {
      out_key[i] = key == BERTH_PLACEMENT_LOAD ? ~out_key[i] : out_key[i] < least;
    }
    return true;
  }
  if (key == BERTH_PLACEMENT_DEGREE) {
    return degree_keys(instance, arena, out_key);
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    out_key[i] = simple_key(instance, key, i);
  }
  return true;
}

bool berth_placement_order(
    const struct berth_packing_instance *instance, const enum berth_placement_key *keys,
    struct berth_arena *arena, uint32_t *out_order) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *key = berth_arena_new(arena, uint64_t, instance->n_buffers);
  bool ok = key != NULL;
  uint32_t n_keys = 0;
  while (keys[n_keys] != BERTH_PLACEMENT_END) {
    n_keys++;
  }
  berth_order_identity(instance->n_buffers, out_order);
  while (ok && n_keys > 0) { /* the least significant first: the sort is stable */
    ok = make_keys(instance, keys[--n_keys], arena, key) &&
         berth_order_by_key(arena, instance->n_buffers, key, out_order);
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

/* Pins that meet in this pool leave no plan in it. */
static bool place_pinned(struct berth_board *board, struct berth_effort *effort, enum berth_code *out_code) {
  const struct berth_packing_instance *instance = board->instance;
  for (uint32_t k = 0; k < board->n_pinned; k++) {
    uint32_t i = board->pinned[k];
    uint64_t before = board->n_visited;
    bool is_free = instance->pins_may_meet || berth_board_is_free(board, i, instance->pin[i]);
    if (!berth_effort_spend(effort, board->n_visited - before) || !is_free) {
      return false;
    }
    if (!berth_board_place(board, i, instance->pin[i])) {
      *out_code = BERTH_RESOURCE_EXHAUSTED;
      return false;
    }
  }
  return true;
}

bool berth_placement_pass(
    struct berth_packing_search *search, struct berth_board *board, const uint32_t *order,
    enum berth_board_fit fit, enum berth_code *out_code) {
  const struct berth_packing_instance *instance = search->instance;
  uint64_t ceiling = search->best_arena - 1; /* only a better plan is of use */
  ceiling = ceiling > instance->capacity ? instance->capacity : ceiling;
  berth_board_clear(board);
  if (!place_pinned(board, search->effort, out_code) || board->top > ceiling) {
    return false;
  }
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    uint32_t i = order[k];
    if (board->offset[i] != BERTH_NO_PLACE) {
      continue;
    }
    uint64_t before = board->n_visited;
    uint64_t offset = instance->size[i] <= ceiling
                          ? berth_board_find(board, i, fit, ceiling - instance->size[i])
                          : BERTH_NO_PLACE;
    if (offset == BERTH_NO_PLACE) {
      berth_effort_spend(search->effort, board->n_visited - before);
      return false;
    }
    if (!berth_board_place(board, i, offset)) {
      *out_code = BERTH_RESOURCE_EXHAUSTED;
      return false;
    }
    if (!berth_effort_spend(search->effort, board->n_visited - before)) {
      return false;
    }
  }
  return berth_packing_offer(search, board->offset, board->top);
}

_Static_assert(sizeof METHODS / sizeof METHODS[0] <= 32, "a bit a method");

static bool is_chosen(const struct berth_packing_search *search, unsigned method) {
  return (search->switches >> method & 1) != 0;
}

static bool may_go_on(const struct berth_packing_search *search) {
  return !berth_packing_done(search) && search->effort->state == BERTH_EFFORT_RUNNING;
}

/* Where the bytes of the pinned end; *out_clash if they cannot lie where they must. */
static enum berth_code find_base(struct berth_packing_search *search, uint64_t *out_base, bool *out_clash) {
  *out_base = 0;
  *out_clash = false;
  if (search->instance->pin == NULL) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  const struct berth_packing_instance *instance = search->instance;
  struct berth_pairs pairs;
  struct berth_board board;
  enum berth_code code = BERTH_OK;
  if (!berth_pairs_init(
          &pairs, search->arena, instance->n_buffers, instance->n_conflicts, instance->conflicts) ||
      !berth_board_init(&board, instance, &pairs, search->arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  } else {
    *out_clash = !place_pinned(&board, search->effort, &code);
    *out_base = board.top;
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

/* The first sweep is the plan to start from. */
static enum berth_code run_sweeps(struct berth_packing_search *search) {
  uint64_t base;
  bool clash;
  enum berth_code code = find_base(search, &base, &clash);
  for (unsigned m = 0; m < N_SWEEPS && code == BERTH_OK && !clash && may_go_on(search); m++) {
    if (is_chosen(search, m)) {
      code = berth_sweep(search, base, m == 1);
    }
  }
  return code;
}

/* One method of the board, with no more than its share of what effort is left. Where sweeps cannot be, the
 * first pass is the plan to start from and has it all. */
static enum berth_code run_method(
    struct berth_packing_search *search, struct berth_board *board, const struct method *method,
    uint32_t *order) {
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit;
  if (search->best_arena != BERTH_UNLIMITED && effort->ticks < limit) {
    berth_effort_set_limit(effort, effort->ticks + (limit - effort->ticks) / PASS_SHARE);
  }
  enum berth_code code = BERTH_OK;
  if (!berth_placement_order(search->instance, method->keys, search->arena, order)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  } else {
    berth_placement_pass(search, board, order, method->fit, &code);
  }
  berth_effort_set_limit(effort, limit);
  return code;
}

static enum berth_code run_boards(struct berth_packing_search *search, bool first_only) {
  const struct berth_packing_instance *instance = search->instance;
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct berth_pairs pairs;
  struct berth_board board;
  uint32_t *order = berth_arena_new(search->arena, uint32_t, instance->n_buffers);
  enum berth_code code = BERTH_OK;
  if (order == NULL ||
      !berth_pairs_init(
          &pairs, search->arena, instance->n_buffers, instance->n_conflicts, instance->conflicts) ||
      !berth_board_init(&board, instance, &pairs, search->arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  unsigned n = first_only ? N_SWEEPS + 1 : N_METHODS;
  for (unsigned m = N_SWEEPS; m < n && code == BERTH_OK && may_go_on(search); m++) {
    if (first_only || is_chosen(search, m)) {
      code = run_method(search, &board, &METHODS[m], order);
    }
  }
  berth_arena_rewind(search->arena, mark);
  return code;
}

/* Where sweeps are coarse, they are made only if a pass of the board could be long. */
static enum berth_code run(struct berth_packing_search *search) {
  const struct berth_packing_instance *instance = search->instance;
  bool sweeps = berth_sweep_fits(instance) ||
                (instance->n_buffers > COARSE_SWEEPS && instance->chains == NULL); /* it lists pairs */
  bool first_only = search->switches == BERTH_PLACEMENT_FIRST;
  enum berth_code code = sweeps ? run_sweeps(search) : BERTH_OK;
  bool needed = !first_only || (!berth_sweep_fits(instance) && search->best_arena == BERTH_UNLIMITED);
  if (code == BERTH_OK && may_go_on(search) && needed && !berth_sweep_only(instance)) {
    code = run_boards(search, first_only);
  }
  return code;
}

const struct berth_packing_strategy berth_packing_placement = {.name = "placement", .run = run};
