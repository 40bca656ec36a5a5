#include "packing/keep.h"

#include <string.h>

#include "packing/bound.h"
#include "packing/exact/exact.h"
#include "packing/keep_choose.h"
#include "packing/keep_meet.h"
#include "packing/keep_mend.h"
#include "packing/keep_place.h"
#include "packing/placement.h"
#include "packing/strategy.h"

enum {
  LARGE = 4000,   /* above, only a few passes */
  FEW_ROUNDS = 6, /* of pushing out */
  MANY_ROUNDS = 60,
  PUSH_LOOKS = 1 << 24, /* in one round */
  HALVINGS = 7,
  N_ORDERS = 3,
  MOST_BITS = 64,
  MOST_SETS = 1 << 12,
  QUESTION_SHARE = 24, /* of the effort that is left */
  MOST_STEPS = 1 << 24,
  MEND_PASSES = 16,
};

struct work {
  struct berth_keep *keep;
  struct berth_keep_pass pass;
  struct berth_keep_meetings meetings;
  struct berth_pairs among; /* those who may stay and meet */
  uint8_t *may;             /* of each item: it has a place, and no pin is in it */
  uint8_t *stays;           /* the choice that is tried */
  uint8_t *before;          /* a choice that is kept */
  uint32_t *order[N_ORDERS];
  uint32_t *turn; /* an order that is made */
  uint8_t *is_first;
  enum berth_code code;
};

static bool may_go_on(const struct work *work) {
  return work->code == BERTH_OK && work->keep->effort->state == BERTH_EFFORT_RUNNING;
}

static bool is_proven(const struct work *work) {
  return work->keep->arena_bytes != BERTH_UNLIMITED && work->keep->kept >= work->keep->bound;
}

/* ---- Plans ---- */

static uint64_t weigh(const struct berth_keep *keep, const uint64_t *offset) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < keep->instance->n_buffers; i++) {
    sum += offset[i] == keep->want[i] ? keep->weight[i] : 0;
  }
  return sum;
}

/* More is kept, or as much in a smaller arena. */
static bool offer(struct berth_keep *keep, const uint64_t *offset, uint64_t arena_bytes) {
  uint64_t kept = weigh(keep, offset);
  bool is_better = keep->arena_bytes == BERTH_UNLIMITED || kept > keep->kept ||
                   (kept == keep->kept && arena_bytes < keep->arena_bytes);
  if (is_better) {
    memcpy(keep->offset, offset, keep->instance->n_buffers * sizeof *offset);
    keep->kept = kept;
    keep->arena_bytes = arena_bytes;
  }
  return is_better;
}

/* Effort that ends a pass is no error. */
static bool run_pass(struct work *work, const uint32_t *order) {
  enum berth_code code = berth_keep_pass_run(&work->pass, work->stays, order);
  if (code != BERTH_OK) {
    work->code = work->keep->effort->state == BERTH_EFFORT_RUNNING ? code : BERTH_OK;
    return false;
  }
  if (work->pass.n_lost == 0) {
    offer(work->keep, work->pass.board.offset, work->pass.board.top);
  }
  return true;
}

/* Whether those who stay leave room for all. */
static bool try_orders(struct work *work) {
  for (unsigned k = 0; k < N_ORDERS && may_go_on(work); k++) {
    if (run_pass(work, work->order[k]) && work->pass.n_lost == 0) {
      return true;
    }
  }
  return false;
}

/* ---- Mending ---- */

/* Who is lost finds room among a few who move. Some effort is there for it whatever the budget. */
static bool mend(struct work *work, uint64_t pass_ticks) {
  struct berth_keep *keep = work->keep;
  if (!berth_keep_may_mend(keep->instance)) {
    return false;
  }
  struct berth_arena_mark mark = berth_arena_mark(keep->arena);
  uint64_t *offset = berth_arena_new(keep->arena, uint64_t, keep->instance->n_buffers);
  uint64_t limit = keep->effort->limit;
  uint64_t least = keep->effort->ticks + MEND_PASSES * pass_ticks;
  uint64_t top;
  bool is_mended = false;
  berth_effort_set_limit(keep->effort, limit > least ? limit : least);
  enum berth_code code = BERTH_RESOURCE_EXHAUSTED;
  if (offset != NULL) {
    code = berth_keep_mend(&work->pass, offset, &top, &is_mended);
  }
  if (code != BERTH_OK) {
    work->code = keep->effort->state == BERTH_EFFORT_STOPPED ? BERTH_OK : code;
  } else if (is_mended) {
    offer(keep, offset, top);
  }
  berth_effort_set_limit(keep->effort, limit);
  berth_arena_rewind(keep->arena, mark);
  return is_mended;
}

/* ---- Pushing out ---- */

/* Those who were lost come first from now on. */
static void make_turn(struct work *work) {
  uint32_t n = work->keep->instance->n_buffers;
  uint32_t n_put = 0;
  for (int first = 1; first >= 0; first--) {
    for (uint32_t k = 0; k < n; k++) {
      uint32_t i = work->order[0][k];
      if ((work->is_first[i] != 0) == (first == 1)) {
        work->turn[n_put++] = i;
      }
    }
  }
}

static bool push_lost(struct work *work) {
  uint32_t n = work->keep->instance->n_buffers;
  uint32_t most = PUSH_LOOKS / (n + 1) + 1;
  uint32_t n_lost = work->pass.n_lost < most ? work->pass.n_lost : most;
  for (uint32_t k = 0; k < work->pass.n_lost; k++) {
    work->is_first[work->pass.lost[k]] = 1;
  }
  for (uint32_t k = 0; k < n_lost; k++) {
    if (!berth_keep_push(&work->pass, work->pass.lost[k], work->stays, &work->code)) {
      return false;
    }
  }
  return true;
}

static bool push_out(struct work *work) {
  uint32_t rounds = work->keep->instance->n_buffers > LARGE ? FEW_ROUNDS : MANY_ROUNDS;
  for (uint32_t k = 0; k < rounds && may_go_on(work) && push_lost(work); k++) {
    make_turn(work);
    if (!run_pass(work, work->turn)) {
      return false;
    }
    if (work->pass.n_lost == 0) {
      return true;
    }
  }
  return false;
}

/* ---- Halving: the longest row of them, by what is live beside them, that leaves room ---- */

static void take_row(struct work *work, const uint32_t *by_load, uint32_t n_row) {
  uint32_t n = work->keep->instance->n_buffers;
  memset(work->stays, 0, n);
  for (uint32_t k = 0; k < n_row; k++) {
    work->stays[by_load[k]] = work->before[by_load[k]];
  }
}

static void halve(struct work *work) {
  static const enum berth_placement_key BY_LOAD[] = {BERTH_PLACEMENT_LOAD, BERTH_PLACEMENT_END};
  struct berth_keep *keep = work->keep;
  uint32_t n = keep->instance->n_buffers;
  uint32_t *busiest_first = work->turn;
  if (!berth_placement_order(keep->instance, BY_LOAD, keep->arena, busiest_first)) {
    work->code = keep->effort->state == BERTH_EFFORT_STOPPED ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
    return;
  }
  for (uint32_t k = 0; k < n / 2; k++) { /* the calmest first */
    uint32_t i = busiest_first[k];
    busiest_first[k] = busiest_first[n - 1 - k];
    busiest_first[n - 1 - k] = i;
  }
  uint32_t low = 0;
  uint32_t high = n;
  for (unsigned k = 0; k < HALVINGS && low < high && may_go_on(work); k++) {
    uint32_t middle = low + (high - low) / 2;
    take_row(work, busiest_first, middle);
    if (run_pass(work, work->order[0]) && work->pass.n_lost == 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
}

/* ---- Back again, one by one ---- */

static bool meets_anyone(const struct work *work, uint32_t i) {
  for (uint32_t e = 0; e < berth_pairs_n(&work->among, i); e++) {
    if (work->before[work->among.other[work->among.begin[i] + e]]) {
      return true;
    }
  }
  return false;
}

static void note_kept(struct work *work) {
  const struct berth_keep *keep = work->keep;
  for (uint32_t i = 0; i < keep->instance->n_buffers; i++) {
    work->before[i] = work->may[i] && keep->offset[i] == keep->want[i];
  }
}

/* Each that has moved is tried at its place beside all that stay, the heaviest first. */
static void bring_back(struct work *work) {
  struct berth_keep *keep = work->keep;
  uint32_t n = keep->instance->n_buffers;
  note_kept(work);
  for (uint32_t k = 0; k < n && may_go_on(work) && !is_proven(work); k++) {
    uint32_t i = work->order[0][k];
    if (!work->may[i] || work->before[i] || meets_anyone(work, i)) {
      continue;
    }
    memcpy(work->stays, work->before, n);
    work->stays[i] = 1;
    uint64_t kept = keep->kept;
    (void)!try_orders(work);
    if (keep->kept > kept) {
      note_kept(work);
    }
  }
}

/* ---- Complete search: sets of which one must move ---- */

struct sets {
  struct work *work;
  uint32_t n_bits;
  uint32_t item[MOST_BITS];
  uint64_t weight[MOST_BITS];
  uint64_t all;
  uint64_t most_steps;
  uint32_t n;
  uint64_t sets[MOST_SETS];
  uint64_t *pin;
  uint64_t *offset;
};

enum answer { FITS, REFUTED, UNKNOWN };

static void pin_those(struct sets *sets, uint64_t those) {
  const struct berth_keep *keep = sets->work->keep;
  uint32_t n = keep->instance->n_buffers;
  for (uint32_t i = 0; i < n; i++) {
    sets->pin[i] = keep->instance->pin != NULL ? keep->instance->pin[i] : BERTH_UNPINNED;
  }
  memset(sets->work->stays, 0, n);
  for (; those != 0; those &= those - 1) {
    uint32_t i = sets->item[__builtin_ctzll(those)];
    sets->pin[i] = keep->want[i];
    sets->work->stays[i] = 1;
  }
}

static enum answer search(struct sets *sets, const struct berth_packing_instance *instance) {
  struct work *work = sets->work;
  struct berth_effort *effort = work->keep->effort;
  struct berth_packing_search question = {
      .instance = instance,
      .arena = work->keep->arena,
      .effort = effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = sets->offset,
      .any_fit = true};
  if (berth_packing_bound(instance, work->keep->arena, &question.lower_bound) != BERTH_OK) {
    work->code = BERTH_RESOURCE_EXHAUSTED;
    return UNKNOWN;
  }
  if (question.lower_bound > instance->capacity) {
    return REFUTED;
  }
  uint64_t limit = effort->limit;
  uint64_t left = limit > effort->ticks ? limit - effort->ticks : 0;
  berth_effort_set_limit(effort, effort->ticks + left / QUESTION_SHARE);
  enum berth_code code = berth_packing_exact.run(&question);
  berth_effort_set_limit(effort, limit);
  if (code != BERTH_OK && effort->state != BERTH_EFFORT_STOPPED) {
    work->code = code;
    return UNKNOWN;
  }
  if (question.best_arena != BERTH_UNLIMITED) {
    offer(work->keep, question.best_offset, question.best_arena);
    return FITS;
  }
  return question.infeasible ? REFUTED : UNKNOWN;
}

/* Whether all can be placed while those stay. */
static enum answer ask(struct sets *sets, uint64_t those) {
  struct work *work = sets->work;
  pin_those(sets, those);
  if (try_orders(work)) {
    return FITS;
  }
  if (!may_go_on(work)) {
    return UNKNOWN;
  }
  struct berth_arena_mark mark = berth_arena_mark(work->keep->arena);
  struct berth_packing_instance instance = *work->keep->instance;
  instance.pin = sets->pin;
  enum answer answer = search(sets, &instance);
  berth_arena_rewind(work->keep->arena, mark);
  return answer;
}

/* Whoever can be left out of a refuted set is. */
static uint64_t shrink(struct sets *sets, uint64_t refuted) {
  for (uint32_t width = 16; width > 0; width /= 2) {
    for (uint32_t from = 0; from < sets->n_bits && may_go_on(sets->work); from += width) {
      uint64_t some = ((UINT64_C(1) << width) - 1) << from;
      if ((refuted & some) != 0 && (refuted & ~some) != 0 && ask(sets, refuted & ~some) == REFUTED) {
        refuted &= ~some;
      }
    }
  }
  return refuted;
}

/* Nothing more is proven where that takes too long. */
static void search_sets(struct sets *sets, uint64_t total) {
  struct work *work = sets->work;
  while (sets->n < MOST_SETS && may_go_on(work)) {
    uint64_t moved;
    uint64_t weight;
    if (!berth_keep_hit(sets->sets, sets->n, sets->weight, &sets->most_steps, &moved, &weight)) {
      return;
    }
    if (total - weight < work->keep->bound) {
      work->keep->bound = total - weight;
    }
    if (is_proven(work)) {
      return;
    }
    enum answer answer = ask(sets, sets->all & ~moved);
    if (answer != REFUTED) {
      return; /* found, or not known */
    }
    uint64_t set = shrink(sets, sets->all & ~moved);
    if (set == 0) {
      return; /* it does not fit at all */
    }
    sets->sets[sets->n++] = set;
  }
}

static uint32_t bit_of(const struct sets *sets, uint32_t item) {
  uint32_t k = 0;
  while (sets->item[k] != item) {
    k++;
  }
  return k;
}

static void prove(struct work *work) {
  struct berth_keep *keep = work->keep;
  uint32_t n = keep->instance->n_buffers;
  struct sets *sets = berth_arena_new(keep->arena, struct sets, 1);
  if (sets == NULL) {
    work->code = BERTH_RESOURCE_EXHAUSTED;
    return;
  }
  sets->work = work;
  sets->n = sets->n_bits = 0;
  sets->most_steps = MOST_STEPS;
  sets->pin = berth_arena_new(keep->arena, uint64_t, n);
  sets->offset = berth_arena_new(keep->arena, uint64_t, n);
  uint64_t total = 0;
  for (uint32_t i = 0; i < n; i++) {
    total += berth_packing_is_pinned(keep->instance, i) && keep->instance->pin[i] == keep->want[i]
                 ? keep->weight[i]
                 : 0;
    if (work->may[i]) {
      if (sets->n_bits == MOST_BITS) {
        return;
      }
      sets->item[sets->n_bits] = i;
      sets->weight[sets->n_bits++] = keep->weight[i];
      total += keep->weight[i];
    }
  }
  sets->all = sets->n_bits == 64 ? UINT64_MAX : (UINT64_C(1) << sets->n_bits) - 1;
  for (uint32_t k = 0; k < work->meetings.n; k++) {
    uint32_t a = work->meetings.pairs[k][0];
    uint32_t b = work->meetings.pairs[k][1];
    if (work->may[a] && work->may[b]) {
      if (sets->n == MOST_SETS / 2) {
        return;
      }
      sets->sets[sets->n++] = UINT64_C(1) << bit_of(sets, a) | UINT64_C(1) << bit_of(sets, b);
    }
  }
  if (sets->pin == NULL || sets->offset == NULL) {
    work->code = BERTH_RESOURCE_EXHAUSTED;
    return;
  }
  search_sets(sets, total);
}

/* ---- The phases ---- */

/* Who has a place that no pin takes; and the pairs of those. */
static bool find_candidates(struct work *work) {
  struct berth_keep *keep = work->keep;
  uint32_t n = keep->instance->n_buffers;
  struct berth_arena *arena = keep->arena;
  uint64_t *at = berth_arena_new(arena, uint64_t, n);
  if (at == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    at[i] = berth_packing_is_pinned(keep->instance, i) ? keep->instance->pin[i] : keep->want[i];
    work->may[i] = !berth_packing_is_pinned(keep->instance, i) && keep->want[i] != BERTH_UNPINNED;
  }
  if (!berth_keep_meet(keep->instance, at, arena, &work->meetings)) {
    return false;
  }
  for (uint32_t k = 0; k < work->meetings.n; k++) {
    uint32_t a = work->meetings.pairs[k][0];
    uint32_t b = work->meetings.pairs[k][1];
    work->may[a] &= !berth_packing_is_pinned(keep->instance, b);
    work->may[b] &= !berth_packing_is_pinned(keep->instance, a);
  }
  return berth_pairs_init(
      &work->among, arena, n, work->meetings.n, (const uint32_t(*)[2])work->meetings.pairs);
}

static bool prepare(struct work *work) {
  static const enum berth_placement_key KEYS[N_ORDERS][4] = {
      {BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_START, BERTH_PLACEMENT_END},
      {BERTH_PLACEMENT_LOAD, BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END},
      {BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END}};
  struct berth_keep *keep = work->keep;
  uint32_t n = keep->instance->n_buffers;
  work->may = berth_arena_new(keep->arena, uint8_t, n);
  work->stays = berth_arena_new(keep->arena, uint8_t, n);
  work->before = berth_arena_new_zeroed(keep->arena, uint8_t, n);
  work->is_first = berth_arena_new_zeroed(keep->arena, uint8_t, n);
  work->turn = berth_arena_new(keep->arena, uint32_t, n);
  bool ok = work->may != NULL && work->stays != NULL && work->before != NULL && work->is_first != NULL &&
            work->turn != NULL && find_candidates(work);
  /* Listed pieces may lie at steps of their own, beyond all lives: the board knows. */
  bool is_complete = ok && work->meetings.is_complete && keep->instance->piece_begin == NULL;
  ok = ok && berth_keep_pass_init(&work->pass, keep, is_complete);
  for (unsigned k = 0; k < N_ORDERS && ok; k++) {
    work->order[k] = berth_arena_new(keep->arena, uint32_t, n);
    ok =
        work->order[k] != NULL && berth_placement_order(keep->instance, KEYS[k], keep->arena, work->order[k]);
  }
  return ok;
}

/* The choice without pairs, and what it proves: of those who have a place, who cannot stay. */
static bool choose(struct work *work) {
  struct berth_keep *keep = work->keep;
  uint64_t moved;
  uint64_t total = 0;
  memcpy(work->stays, work->may, keep->instance->n_buffers);
  if (!berth_keep_choose(
          keep->instance->n_buffers, keep->weight, &work->among, keep->arena, work->stays, &moved)) {
    return false;
  }
  for (uint32_t i = 0; i < keep->instance->n_buffers; i++) {
    bool is_there = berth_packing_is_pinned(keep->instance, i) && keep->instance->pin[i] == keep->want[i];
    bool is_open = !keep->may_prove && keep->want[i] != BERTH_UNPINNED; /* a pin may go to another pool */
    total += work->may[i] || is_there || is_open ? keep->weight[i] : 0;
  }
  if (keep->is_exact && total - moved < keep->bound) {
    keep->bound = total - moved;
  }
  return true;
}

static void run(struct work *work) {
  struct berth_keep *keep = work->keep;
  uint64_t limit = keep->effort->limit;
  uint64_t begun = keep->effort->ticks;
  berth_effort_set_limit(keep->effort, UINT64_MAX);
  bool is_complete = run_pass(work, work->order[0]);
  bool is_found = is_complete && work->pass.n_lost == 0;
  uint64_t pass_ticks = keep->effort->ticks - begun;
  memcpy(work->before, work->stays, keep->instance->n_buffers); /* those who meet are out of it now */
  berth_effort_set_limit(keep->effort, limit);
  if (work->pass.pins_meet) {
    return;
  }
  bool is_small = keep->instance->n_buffers <= LARGE;
  if (!is_found && is_complete && work->code == BERTH_OK) {
    is_found = mend(work, pass_ticks);
  }
  if (!is_found && may_go_on(work) && is_small) {
    is_found = try_orders(work);
  }
  if (!is_found && may_go_on(work)) {
    is_found = push_out(work);
  }
  if (!is_found && may_go_on(work)) {
    halve(work);
  }
  if (keep->may_prove && keep->may_search && work->meetings.is_complete && !is_proven(work) &&
      may_go_on(work)) {
    prove(work);
  }
  if (is_small && keep->arena_bytes != BERTH_UNLIMITED && !is_proven(work)) {
    bring_back(work);
  }
}

enum berth_code berth_keep_run(struct berth_keep *keep) {
  struct berth_arena_mark mark = berth_arena_mark(keep->arena);
  struct work work = {.keep = keep, .code = BERTH_OK};
  if (keep->arena_bytes != BERTH_UNLIMITED) {
    keep->kept = weigh(keep, keep->offset);
  }
  if (!prepare(&work) || !choose(&work)) {
    work.code = keep->effort->state == BERTH_EFFORT_STOPPED ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  } else {
    run(&work);
  }
  berth_arena_rewind(keep->arena, mark);
  return work.code;
}
