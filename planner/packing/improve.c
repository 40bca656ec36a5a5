#include "packing/improve.h"

#include <string.h>

#include "base/rng.h"
#include "packing/board.h"
#include "packing/placement.h"
#include "packing/sweep.h"

enum {
  N_LINES = 4,
  MAX_KEPT = 256,     /* places of buffers above the aim that are kept to choose from */
  MAX_MOVES = 3,      /* at once */
  PATIENCE = 60,      /* passes without gain before a line may get worse */
  MAX_IN_VAIN = 1500, /* passes since the least excess fell, then it ends */
  N_SLACK_STEPS = 8   /* by so many eighths at most */
};

/* Orders to climb from: the peak, or what is near it, is stacked first, which leaves no holes there. */
static const enum berth_placement_key BASES[N_LINES][4] = {
    {BERTH_PLACEMENT_AT_PEAK, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_START},
    {BERTH_PLACEMENT_NEAR, BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE},
    {BERTH_PLACEMENT_NEAR, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_START},
    {BERTH_PLACEMENT_LOAD, BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE},
};

/* One order, how much of its plan lies above the aim, and where in the order that is. */
struct line {
  uint32_t *order;
  uint64_t excess; /* UINT64_MAX until it was placed once */
  uint32_t n_above;
  uint32_t above[MAX_KEPT];
  uint32_t n_in_vain;
};

struct climb {
  struct berth_packing_search *search;
  struct berth_board board;
  struct berth_rng rng;
  uint64_t aim;
  struct line lines[N_LINES];
  struct line trial;
  uint64_t least_excess; /* of all lines so far */
  uint32_t n_in_vain;    /* passes since it fell */
  enum berth_code code;
};

static bool may_go_on(const struct climb *climb) {
  return climb->code == BERTH_OK && !berth_packing_done(climb->search) &&
         climb->search->effort->state == BERTH_EFFORT_RUNNING;
}

/* A plan's top must stay where sums cannot wrap. */
static uint64_t highest_offset(const struct berth_packing_instance *instance, uint32_t i) {
  return (UINT64_MAX >> 1) - instance->size[i];
}

static bool put(struct climb *climb, struct line *line, uint32_t k, uint64_t offset) {
  const struct berth_packing_instance *instance = climb->search->instance;
  uint32_t i = line->order[k];
  if (!berth_board_place(&climb->board, i, offset)) {
    climb->code = BERTH_RESOURCE_EXHAUSTED;
    return false;
  }
  uint64_t end = offset + instance->size[i];
  if (end <= climb->aim) {
    return true;
  }
  uint64_t excess = end - climb->aim;
  line->excess = line->excess > UINT64_MAX / 2 - excess ? UINT64_MAX / 2 : line->excess + excess;
  uint32_t slot = line->n_above < MAX_KEPT ? line->n_above : berth_rng_below(&climb->rng, line->n_above + 1);
  line->n_above++;
  if (slot < MAX_KEPT) {
    line->above[slot] = k;
  }
  return true;
}

static bool put_pinned(struct climb *climb, struct line *line) {
  const struct berth_packing_instance *instance = climb->search->instance;
  for (uint32_t k = 0; instance->pin != NULL && k < instance->n_buffers; k++) {
    uint64_t pin = instance->pin[line->order[k]];
    if (pin != BERTH_UNPINNED && !put(climb, line, k, pin)) {
      return false;
    }
  }
  return true;
}

/* Places everything; false if the excess passed `most` before the end, or the effort or memory ran out. */
static bool place(struct climb *climb, struct line *line, uint64_t most) {
  const struct berth_packing_instance *instance = climb->search->instance;
  struct berth_board *board = &climb->board;
  berth_board_clear(board);
  line->excess = 0;
  line->n_above = 0;
  if (!put_pinned(climb, line)) {
    return false;
  }
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    uint32_t i = line->order[k];
    if (board->offset[i] != BERTH_NO_PLACE) {
      continue;
    }
    uint64_t before = board->n_visited;
    uint64_t offset = berth_board_find(board, i, BERTH_BOARD_LOWEST, highest_offset(instance, i));
    if (offset == BERTH_NO_PLACE || !put(climb, line, k, offset) || line->excess > most ||
        !berth_effort_spend(climb->search->effort, board->n_visited - before)) {
      return false;
    }
  }
  berth_packing_offer(climb->search, board->offset, board->top);
  return true;
}

static void learn(struct climb *climb, uint64_t excess) {
  climb->n_in_vain++;
  if (excess < climb->least_excess) {
    climb->least_excess = excess;
    climb->n_in_vain = 0;
  }
}

static void move(uint32_t *order, uint32_t from, uint32_t to) {
  uint32_t moved = order[from];
  memmove(&order[to + 1], &order[to], (from - to) * sizeof *order);
  order[to] = moved;
}

/* The trial: the line's order with some of what is above the aim moved to earlier places. */
static void vary(struct climb *climb, const struct line *line) {
  uint32_t n = climb->search->instance->n_buffers;
  memcpy(climb->trial.order, line->order, n * sizeof *line->order);
  uint32_t n_kept = line->n_above < MAX_KEPT ? line->n_above : MAX_KEPT;
  uint32_t n_moves = 1;
  while (n_moves < MAX_MOVES && berth_rng_below(&climb->rng, 3) == 0) {
    n_moves++;
  }
  for (; n_kept > 0 && n_moves > 0; n_moves--) {
    uint32_t from = line->above[berth_rng_below(&climb->rng, n_kept)];
    move(climb->trial.order, from, berth_rng_below(&climb->rng, from + 1));
  }
}

/* After much in vain a little worse is accepted, the longer the more. */
static uint64_t most_excess(const struct line *line) {
  uint32_t steps = line->n_in_vain / PATIENCE;
  steps = steps < N_SLACK_STEPS ? steps : N_SLACK_STEPS;
  uint64_t slack = line->excess / 8 * steps;
  return line->excess > UINT64_MAX / 4 ? line->excess : line->excess + slack;
}

static void climb_once(struct climb *climb, struct line *line) {
  vary(climb, line);
  uint64_t before = line->excess;
  line->n_in_vain++;
  if (!place(climb, &climb->trial, most_excess(line))) {
    return;
  }
  struct line swapped = *line;
  *line = climb->trial;
  climb->trial = swapped;
  line->n_in_vain = line->excess == before ? swapped.n_in_vain : 0;
}

/* Half of the time the line with the least excess, else any. */
static struct line *choose(struct climb *climb) {
  struct line *best = &climb->lines[0];
  for (uint32_t k = 1; k < N_LINES; k++) {
    best = climb->lines[k].excess < best->excess ? &climb->lines[k] : best;
  }
  if (berth_rng_below(&climb->rng, 2) == 0) {
    return best;
  }
  struct line *other = &climb->lines[berth_rng_below(&climb->rng, N_LINES)];
  return other->excess != UINT64_MAX ? other : best;
}

static enum berth_code prepare(struct climb *climb, struct berth_pairs *pairs) {
  const struct berth_packing_instance *instance = climb->search->instance;
  struct berth_arena *arena = climb->search->arena;
  climb->trial.order = berth_arena_new(arena, uint32_t, instance->n_buffers);
  bool ok = climb->trial.order != NULL &&
            berth_pairs_init(pairs, arena, instance->n_buffers, instance->n_conflicts, instance->conflicts) &&
            berth_board_init(&climb->board, instance, pairs, arena);
  for (uint32_t k = 0; ok && k < N_LINES; k++) {
    climb->lines[k].excess = UINT64_MAX;
    climb->lines[k].order = berth_arena_new(arena, uint32_t, instance->n_buffers);
    ok = climb->lines[k].order != NULL &&
         berth_placement_order(instance, BASES[k], arena, climb->lines[k].order);
  }
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

static enum berth_code run(struct berth_packing_search *search) {
  if (berth_sweep_only(search->instance)) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct berth_pairs pairs;
  struct climb climb = {
      .search = search, .rng = {.state = 1}, .aim = search->lower_bound, .least_excess = UINT64_MAX};
  if (search->any_fit) {
    climb.aim = search->instance->capacity;
  }
  climb.code = prepare(&climb, &pairs);
  for (uint32_t k = 0; k < N_LINES && may_go_on(&climb); k++) {
    if (!place(&climb, &climb.lines[k], UINT64_MAX / 2)) {
      climb.lines[k].excess = UINT64_MAX;
    }
  }
  while (may_go_on(&climb) && climb.n_in_vain < MAX_IN_VAIN) {
    struct line *line = choose(&climb);
    if (line->excess == UINT64_MAX) {
      break;
    }
    climb_once(&climb, line);
    learn(&climb, line->excess);
  }
  berth_arena_rewind(search->arena, mark);
  return climb.code;
}

const struct berth_packing_strategy berth_packing_improve = {.name = "improve", .run = run};
