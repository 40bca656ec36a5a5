#include "packing/improve.h"

#include <string.h>

#include "base/rng.h"
#include "base/tasks.h"
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

/* What one thread at a time places with. */
struct lane {
  struct berth_arena arena;
  bool is_made;
  bool is_ready;
  struct berth_board board;
  struct line trial;
};

/* A pass that may be made: if those before it are in vain, all that it depends on is known. */
struct attempt {
  const struct line *line;
  uint64_t most;
  struct berth_rng rng;
};

struct climb {
  struct berth_packing_search *search;
  struct berth_pairs pairs;
  uint64_t aim;
  struct line lines[N_LINES];
  uint64_t *first_offset[N_LINES]; /* of their first plans; NULL where these are offered as they are made */
  uint64_t first_top[N_LINES];     /* UINT64_MAX: none */
  struct lane *lanes;
  struct attempt attempts[BERTH_MOST_TASKS];
  uint64_t n_attempts;   /* so far; each has a generator of its own */
  uint64_t least_excess; /* of all lines so far */
  uint32_t n_in_vain;    /* passes since it fell */
  enum berth_code code;
};

static bool may_go_on(const struct climb *climb) {
  return climb->code == BERTH_OK && !berth_packing_done(climb->search) &&
         climb->search->effort->state == BERTH_EFFORT_RUNNING;
}

static bool is_on(const struct climb *climb, uint32_t bit) {
  return (climb->search->switches & bit) != 0;
}

/* ---- One pass ---- */

struct pass {
  const struct climb *climb;
  struct berth_board *board;
  struct berth_effort *effort;
  struct berth_rng rng;
  struct line *line;
  bool is_out_of_memory;
};

/* A plan's top must stay where sums cannot wrap. */
static uint64_t highest_offset(const struct berth_packing_instance *instance, uint32_t i) {
  return (UINT64_MAX >> 1) - instance->size[i];
}

static bool put(struct pass *pass, uint32_t k, uint64_t offset) {
  const struct berth_packing_instance *instance = pass->board->instance;
  struct line *line = pass->line;
  uint32_t i = line->order[k];
  if (!berth_board_place(pass->board, i, offset)) {
    pass->is_out_of_memory = true;
    return false;
  }
  uint64_t end = offset + instance->size[i];
  if (end <= pass->climb->aim) {
    return true;
  }
  uint64_t excess = end - pass->climb->aim;
  line->excess = line->excess > UINT64_MAX / 2 - excess ? UINT64_MAX / 2 : line->excess + excess;
  uint32_t slot = line->n_above < MAX_KEPT ? line->n_above : berth_rng_below(&pass->rng, line->n_above + 1);
  line->n_above++;
  if (slot < MAX_KEPT) {
    line->above[slot] = k;
  }
  return true;
}

static bool put_pinned(struct pass *pass) {
  const struct berth_packing_instance *instance = pass->board->instance;
  for (uint32_t k = 0; instance->pin != NULL && k < instance->n_buffers; k++) {
    uint64_t pin = instance->pin[pass->line->order[k]];
    if (pin != BERTH_UNPINNED && !put(pass, k, pin)) {
      return false;
    }
  }
  return true;
}

/* Places everything; false if the excess passed `most` before the end, or the effort or memory ran out. */
static bool place(struct pass *pass, uint64_t most) {
  const struct berth_packing_instance *instance = pass->board->instance;
  struct berth_board *board = pass->board;
  struct line *line = pass->line;
  berth_board_clear(board);
  line->excess = 0;
  line->n_above = 0;
  if (!put_pinned(pass)) {
    return false;
  }
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    uint32_t i = line->order[k];
    if (board->offset[i] != BERTH_NO_PLACE) {
      continue;
    }
    uint64_t before = board->n_visited;
    uint64_t offset = berth_board_find(board, i, BERTH_BOARD_LOWEST, highest_offset(instance, i));
    if (offset == BERTH_NO_PLACE || !put(pass, k, offset) || line->excess > most ||
        !berth_effort_spend(pass->effort, board->n_visited - before)) {
      return false;
    }
  }
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

/* The line's order with some of what is above the aim moved to earlier places. */
static void vary(struct pass *pass, const struct line *line) {
  uint32_t n = pass->board->instance->n_buffers;
  memcpy(pass->line->order, line->order, n * sizeof *line->order);
  uint32_t n_kept = line->n_above < MAX_KEPT ? line->n_above : MAX_KEPT;
  uint32_t n_moves = 1;
  while (n_moves < MAX_MOVES && is_on(pass->climb, BERTH_IMPROVE_SEVERAL) &&
         berth_rng_below(&pass->rng, 3) == 0) {
    n_moves++;
  }
  for (; n_kept > 0 && n_moves > 0; n_moves--) {
    uint32_t from = line->above[berth_rng_below(&pass->rng, n_kept)];
    move(pass->line->order, from, berth_rng_below(&pass->rng, from + 1));
  }
}

/* After much in vain a little worse is accepted, the longer the more. */
static uint64_t most_excess(const struct line *line, uint32_t n_in_vain) {
  uint32_t steps = n_in_vain / PATIENCE;
  steps = steps < N_SLACK_STEPS ? steps : N_SLACK_STEPS;
  uint64_t slack = line->excess / 8 * steps;
  return line->excess > UINT64_MAX / 4 ? line->excess : line->excess + slack;
}

/* ---- Lanes ---- */

static bool make_lane(struct climb *climb, struct lane *lane) {
  const struct berth_packing_instance *instance = climb->search->instance;
  if (!lane->is_made) {
    berth_arena_init(&lane->arena, climb->search->arena->allocator);
    lane->is_made = true;
  }
  berth_arena_reset(&lane->arena);
  lane->trial.order = berth_arena_new(&lane->arena, uint32_t, instance->n_buffers);
  lane->is_ready =
      lane->trial.order != NULL && berth_board_init(&lane->board, instance, &climb->pairs, &lane->arena);
  return lane->is_ready;
}

static bool enter(struct climb *climb, struct berth_task *task, struct pass *out) {
  struct lane *lane = &climb->lanes[task->lane];
  *out = (struct pass){.climb = climb, .board = &lane->board, .effort = &task->effort, .line = &lane->trial};
  if (!lane->is_ready && !make_lane(climb, lane)) {
    task->is_left = task->may_leave;
    out->is_out_of_memory = true;
    return false;
  }
  return true;
}

/* Its board is of no use any more. */
static void leave_without_memory(struct climb *climb, const struct berth_task *task) {
  climb->lanes[task->lane].is_ready = false;
}

static void drop_lanes(struct climb *climb, uint32_t n) {
  for (uint32_t k = 0; k < n && climb->lanes != NULL; k++) {
    if (climb->lanes[k].is_made) {
      berth_arena_finish(&climb->lanes[k].arena);
    }
  }
}

/* ---- The first passes ---- */

static bool would_do(const struct berth_packing_search *search, uint64_t top) {
  return top <= search->instance->capacity && (top <= search->lower_bound || search->any_fit);
}

static bool run_first(void *ctx, struct berth_task *task) {
  struct climb *climb = ctx;
  struct line *line = &climb->lines[task->index];
  struct pass pass;
  climb->first_top[task->index] = UINT64_MAX;
  if (!is_on(climb, BERTH_IMPROVE_FIRST_LINE << task->index)) {
    return false;
  }
  if (!enter(climb, task, &pass)) {
    return true;
  }
  pass.line = line;
  pass.rng.state = task->index + 1;
  if (!place(&pass, UINT64_MAX / 2)) {
    line->excess = UINT64_MAX;
    if (pass.is_out_of_memory) {
      leave_without_memory(climb, task);
    }
    return pass.is_out_of_memory;
  }
  uint64_t *kept = climb->first_offset[task->index];
  climb->first_top[task->index] = pass.board->top;
  if (kept == NULL) {
    berth_packing_offer(climb->search, pass.board->offset, pass.board->top);
  } else {
    memcpy(kept, pass.board->offset, pass.board->instance->n_buffers * sizeof *kept);
  }
  return would_do(climb->search, pass.board->top);
}

static void place_first(struct climb *climb) {
  struct berth_packing_search *search = climb->search;
  struct berth_tasks_result result =
      berth_tasks_run(search->executor, search->effort, N_LINES, run_first, climb);
  for (uint32_t k = 0; k < result.n_counted; k++) {
    if (climb->first_top[k] != UINT64_MAX && climb->first_offset[k] != NULL) {
      berth_packing_offer(search, climb->first_offset[k], climb->first_top[k]);
    }
  }
  if (result.is_decided && climb->first_top[result.n_counted - 1] == UINT64_MAX) {
    climb->code = BERTH_RESOURCE_EXHAUSTED;
  }
}

/* ---- Climbing ---- */

static struct line *best_line(struct climb *climb) {
  struct line *best = &climb->lines[0];
  for (uint32_t k = 1; k < N_LINES; k++) {
    best = climb->lines[k].excess < best->excess ? &climb->lines[k] : best;
  }
  return best;
}

/* Half of the time the line with the least excess, else any. */
static struct line *choose(struct climb *climb, struct berth_rng *rng) {
  struct line *best = best_line(climb);
  if (berth_rng_below(rng, 2) == 0) {
    return best;
  }
  struct line *other = &climb->lines[berth_rng_below(rng, N_LINES)];
  return other->excess != UINT64_MAX ? other : best;
}

static uint32_t plan_attempts(struct climb *climb) {
  uint32_t n = berth_tasks_n_workers(climb->search->executor);
  uint32_t left = MAX_IN_VAIN - climb->n_in_vain;
  n = n < left ? n : left;
  uint32_t n_in_vain[N_LINES];
  for (uint32_t k = 0; k < N_LINES; k++) {
    n_in_vain[k] = climb->lines[k].n_in_vain;
  }
  for (uint32_t k = 0; k < n; k++) {
    struct attempt *attempt = &climb->attempts[k];
    struct berth_rng seeds = {.state = (climb->n_attempts + k) * UINT64_C(0xff51afd7ed558ccd)};
    attempt->rng.state = berth_rng_next(&seeds);
    attempt->line = choose(climb, &attempt->rng);
    uint32_t patience = n_in_vain[attempt->line - climb->lines]++;
    attempt->most = most_excess(attempt->line, is_on(climb, BERTH_IMPROVE_WORSE) ? patience : 0);
  }
  return n;
}

static bool run_attempt(void *ctx, struct berth_task *task) {
  struct climb *climb = ctx;
  const struct attempt *attempt = &climb->attempts[task->index];
  struct pass pass;
  if (!enter(climb, task, &pass)) {
    return true;
  }
  pass.rng = attempt->rng;
  vary(&pass, attempt->line);
  bool is_placed = place(&pass, attempt->most);
  if (pass.is_out_of_memory) {
    leave_without_memory(climb, task);
  }
  return is_placed || pass.is_out_of_memory;
}

static void take(struct climb *climb, struct line *line, struct lane *lane) {
  if (!lane->is_ready) {
    climb->code = BERTH_RESOURCE_EXHAUSTED;
    return;
  }
  berth_packing_offer(climb->search, lane->board.offset, lane->board.top);
  const struct line *trial = &lane->trial;
  line->n_in_vain = line->excess == trial->excess ? line->n_in_vain : 0;
  line->excess = trial->excess;
  line->n_above = trial->n_above;
  memcpy(line->above, trial->above, sizeof line->above);
  memcpy(line->order, trial->order, climb->search->instance->n_buffers * sizeof *line->order);
}

/* Passes until one is good enough, or some in vain. */
static void climb_on(struct climb *climb) {
  struct berth_packing_search *search = climb->search;
  uint32_t n = plan_attempts(climb);
  struct berth_tasks_result result = berth_tasks_run(search->executor, search->effort, n, run_attempt, climb);
  for (uint32_t k = 0; k < result.n_counted; k++) {
    struct line *line = &climb->lines[climb->attempts[k].line - climb->lines];
    line->n_in_vain++;
    if (result.is_decided && k + 1 == result.n_counted) {
      take(climb, line, &climb->lanes[result.lane]);
    }
    learn(climb, line->excess);
  }
  climb->n_attempts += result.n_counted;
}

static enum berth_code prepare(struct climb *climb) {
  const struct berth_packing_instance *instance = climb->search->instance;
  struct berth_arena *arena = climb->search->arena;
  climb->lanes = berth_arena_new_zeroed(arena, struct lane, berth_tasks_n_lanes(climb->search->executor));
  bool is_alone = climb->search->executor == NULL;
  bool ok =
      climb->lanes != NULL &&
      berth_pairs_init(&climb->pairs, arena, instance->n_buffers, instance->n_conflicts, instance->conflicts);
  for (uint32_t k = 0; ok && k < N_LINES; k++) {
    climb->lines[k].excess = UINT64_MAX;
    climb->lines[k].order = berth_arena_new(arena, uint32_t, instance->n_buffers);
    climb->first_offset[k] = is_alone ? NULL : berth_arena_new(arena, uint64_t, instance->n_buffers);
    ok = climb->lines[k].order != NULL && (is_alone || climb->first_offset[k] != NULL) &&
         berth_placement_order(instance, BASES[k], arena, climb->lines[k].order);
  }
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

static enum berth_code run(struct berth_packing_search *search) {
  if (berth_sweep_only(search->instance)) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct climb *climb = berth_arena_new_zeroed(search->arena, struct climb, 1);
  if (climb == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  climb->search = search;
  climb->aim = search->any_fit ? search->instance->capacity : search->lower_bound;
  climb->least_excess = UINT64_MAX;
  climb->code = prepare(climb);
  if (may_go_on(climb)) {
    place_first(climb);
  }
  while (may_go_on(climb) && climb->n_in_vain < MAX_IN_VAIN && best_line(climb)->excess != UINT64_MAX) {
    climb_on(climb);
  }
  enum berth_code code = climb->code;
  drop_lanes(climb, berth_tasks_n_lanes(search->executor));
  berth_arena_rewind(search->arena, mark);
  return code;
}

const struct berth_packing_strategy berth_packing_improve = {.name = "improve", .run = run};
