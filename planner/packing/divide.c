#include "packing/divide.h"

#include <string.h>

#include "base/checked.h"
#include "packing/bound.h"
#include "packing/build.h"
#include "packing/exact/exact.h"
#include "packing/pieces.h"
#include "packing/placement.h"

enum { MOST_MOVERS = 64, MOST_BUFFERS = 4096, MOST_REFUTED = 512, MOST_OPTIONS = 1024, ORACLE_SHARE = 16 };

/* A buffer with a choice, or a group. */
struct mover {
  uint32_t place; /* among the members; of a group, its first one's, and the others follow it */
  uint32_t first; /* its options; they end where the next mover's begin */
  uint32_t at;
  bool stays;
};

struct option {
  uint32_t choice;
  uint32_t pool;
  uint64_t cost;
};

struct refuted {
  uint32_t pool;
  uint64_t movers; /* in that pool, with all who have no choice: they do not fit */
};

struct search {
  struct berth_assignment *assignment;
  struct berth_division *division;
  struct berth_arena *arena;
  struct berth_effort *effort;
  bool reuse;
  uint32_t n; /* members: the buffers with a size */
  uint32_t *members;
  uint32_t *mover_of; /* of each member, or BERTH_NO_INDEX */
  uint32_t *next;     /* of each member: another one of its group, or BERTH_NO_INDEX */
  struct berth_packing_instance all;
  uint32_t n_movers;
  struct mover movers[MOST_MOVERS + 1];
  uint32_t n_options;
  struct option *options;
  uint64_t *load;
  uint64_t *offset; /* by buffer: of the division at hand */
  uint32_t n_refuted;
  struct refuted refuted[MOST_REFUTED];
  bool is_cut; /* something was not decided */
  enum berth_code code;
};

static const struct option *option_of(const struct search *search, uint32_t m) {
  return &search->options[search->movers[m].at];
}

static bool can_go_on(const struct search *search, uint32_t m) {
  return !search->movers[m].stays && search->movers[m].at + 1 < search->movers[m + 1].first;
}

static uint64_t step_cost(const struct search *search, uint32_t m) {
  const struct option *option = option_of(search, m);
  return option[1].cost - option[0].cost;
}

static uint32_t pool_of(const struct search *search, uint32_t place) {
  uint32_t m = search->mover_of[place];
  return m != BERTH_NO_INDEX ? option_of(search, m)->pool
                             : berth_assigned_pool(search->assignment, search->members[place]);
}

static uint64_t cost_of(const struct search *search) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < search->n; k++) {
    uint32_t m = search->mover_of[k];
    uint32_t buffer = search->members[k];
    uint32_t choice = m != BERTH_NO_INDEX ? option_of(search, m)->choice : search->assignment->choice[buffer];
    sum = berth_add_sat_u64(sum, berth_assign_cost(search->assignment, buffer, choice));
  }
  return sum;
}

/* ---- Loads ---- */

static uint64_t live_at(const struct search *search, uint32_t place, uint32_t step) {
  struct berth_pieces pieces = berth_pieces_of(&search->all, place);
  struct berth_piece piece;
  while (berth_pieces_next(&pieces, &piece)) {
    if (piece.lower <= step && step < piece.upper) {
      return piece.window_upper - piece.window_lower;
    }
  }
  return 0;
}

/* Of a mover, those of all in the group: what is one storage may count more than once. */
static uint64_t bytes_of(const struct search *search, uint32_t mover, uint32_t step) {
  uint64_t sum = 0;
  for (uint32_t k = search->movers[mover].place; k != BERTH_NO_INDEX; k = search->next[k]) {
    sum += step != BERTH_NO_INDEX ? live_at(search, k, step) : search->all.size[k];
  }
  return sum;
}

/* The step at which the pool's present members hold most; by how much that is beyond its capacity. */
static uint64_t find_excess(struct search *search, uint32_t pool, uint32_t *out_step) {
  uint64_t capacity = search->assignment->pools[pool].capacity;
  uint64_t *load = search->load;
  memset(load, 0, ((size_t)search->all.n_steps + 1) * sizeof *load);
  for (uint32_t k = 0; capacity != BERTH_UNLIMITED && k < search->n; k++) {
    if (pool_of(search, k) != pool) {
      continue;
    }
    struct berth_pieces pieces = berth_pieces_of(&search->all, k);
    struct berth_piece piece;
    while (berth_pieces_next(&pieces, &piece)) {
      load[piece.lower] += piece.window_upper - piece.window_lower;
      load[piece.upper] -= piece.window_upper - piece.window_lower;
    }
  }
  for (uint32_t k = 0; capacity != BERTH_UNLIMITED && k < search->all.n_excess; k++) {
    const struct berth_packing_excess *excess = &search->all.excess[k];
    if (pool_of(search, excess->buffer) == pool) {
      load[excess->lower] -= excess->bytes;
      load[excess->upper] += excess->bytes;
    }
  }
  uint64_t sum = 0;
  uint64_t most = 0;
  *out_step = 0;
  for (uint32_t t = 0; t < search->all.n_steps; t++) {
    sum += load[t];
    *out_step = sum > most ? t : *out_step;
    most = sum > most ? sum : most;
  }
  return most > capacity ? most - capacity : 0;
}

/* The cheapest who can go on from the pool, by cost a byte that it holds at the step (or altogether); `tried`
 * are left out. */
static uint32_t find_cheapest(
    const struct search *search, uint32_t pool, uint32_t step, uint64_t tried, uint64_t *out_bytes) {
  uint32_t found = BERTH_NO_INDEX;
  double least = 0;
  for (uint32_t m = 0; m < search->n_movers; m++) {
    if ((tried >> m & 1) != 0 || !can_go_on(search, m) || option_of(search, m)->pool != pool) {
      continue;
    }
    uint64_t bytes = bytes_of(search, m, step);
    double cost = bytes > 0 ? (double)step_cost(search, m) / (double)bytes : 0;
    if (bytes > 0 && (found == BERTH_NO_INDEX || cost < least)) {
      found = m;
      least = cost;
      *out_bytes = bytes;
    }
  }
  return found;
}

/* What it costs at least that so many bytes leave the pool at the step: whole movers while they are needed
 * whole. UINT64_MAX if they cannot. */
static uint64_t cost_to_leave(const struct search *search, uint32_t pool, uint32_t step, uint64_t excess) {
  uint64_t tried = 0;
  uint64_t sum = 0;
  while (excess > 0) {
    uint64_t bytes = 0;
    uint32_t m = find_cheapest(search, pool, step, tried, &bytes);
    if (m == BERTH_NO_INDEX) {
      return UINT64_MAX;
    }
    tried |= UINT64_C(1) << m;
    if (bytes > excess) { /* a part of it, rounded down */
      double part = (double)step_cost(search, m) * ((double)excess / (double)bytes);
      uint64_t least = part < 1e15 ? (uint64_t)part : 0;
      return berth_add_sat_u64(sum, least > 0 ? least - 1 : 0);
    }
    sum = berth_add_sat_u64(sum, step_cost(search, m));
    excess -= bytes;
  }
  return sum;
}

/* ---- Offsets ---- */

enum verdict { FITS, REFUTED, UNDECIDED };

static enum verdict run_searches(struct search *search, struct berth_packing_pool *pool) {
  struct berth_packing_search offsets = {
      .instance = &pool->instance,
      .arena = search->arena,
      .effort = search->effort,
      .switches = UINT32_MAX,
      .lower_bound = pool->lower_bound,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = pool->offset,
      .any_fit = true};
  bool meeting = pool->instance.pin != NULL && pool->instance.pins_may_meet;
  search->code = berth_packing_placement.run(&offsets);
  bool goes_on = search->effort->state == BERTH_EFFORT_RUNNING && !berth_packing_done(&offsets);
  if (search->code == BERTH_OK && goes_on && !meeting) {
    search->code = berth_packing_exact.run(&offsets);
  }
  if (search->code == BERTH_RESOURCE_EXHAUSTED && search->effort->state != BERTH_EFFORT_RUNNING) {
    search->code = BERTH_OK;
  }
  pool->arena_bytes = offsets.best_arena;
  return offsets.best_arena != BERTH_UNLIMITED  ? FITS
         : offsets.infeasible && pool->is_exact ? REFUTED
                                                : UNDECIDED;
}

static enum verdict ask(struct search *search, struct berth_packing_pool *pool) {
  const struct berth_buffers *buffers = search->assignment->buffers;
  search->code = berth_packing_pool_prepare(pool, buffers, search->reuse, search->arena);
  if (search->code != BERTH_OK || pool->infeasible) {
    return pool->infeasible ? REFUTED : UNDECIDED;
  }
  if (pool->kind == BERTH_POOL_SLOTS) {
    search->code = berth_packing_pool_slots(pool, buffers, search->reuse, search->arena, search->effort);
    return pool->arena_bytes != BERTH_UNLIMITED ? FITS : pool->infeasible ? REFUTED : UNDECIDED;
  }
  return run_searches(search, pool);
}

/* Within a share of the effort that is left. */
static enum verdict ask_briefly(struct search *search, struct berth_packing_pool *pool) {
  uint64_t limit = search->effort->limit;
  uint64_t left = limit > search->effort->ticks ? limit - search->effort->ticks : 0;
  berth_effort_set_limit(search->effort, search->effort->ticks + left / ORACLE_SHARE);
  enum verdict verdict = ask(search, pool);
  berth_effort_set_limit(search->effort, limit);
  return verdict;
}

static bool is_refuted(const struct search *search, uint32_t pool, uint64_t movers) {
  for (uint32_t i = 0; i < search->n_refuted; i++) {
    const struct refuted *refuted = &search->refuted[i];
    if (refuted->pool == pool && (refuted->movers & ~movers) == 0) {
      return true;
    }
  }
  return false;
}

/* Whether the pool's present members have offsets in its capacity; keeps them. */
static enum verdict try_pool(struct search *search, uint32_t index) {
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct berth_packing_pool pool = search->assignment->pools[index];
  pool.members = berth_arena_new(search->arena, uint32_t, search->n);
  pool.offset = berth_arena_new(search->arena, uint64_t, search->n);
  pool.n_members = 0;
  uint64_t movers = 0;
  if (pool.members == NULL || pool.offset == NULL) {
    search->code = BERTH_RESOURCE_EXHAUSTED;
    return UNDECIDED;
  }
  for (uint32_t k = 0; k < search->n; k++) {
    if (pool_of(search, k) == index) {
      pool.members[pool.n_members++] = search->members[k];
      movers |= search->mover_of[k] != BERTH_NO_INDEX ? UINT64_C(1) << search->mover_of[k] : 0;
    }
  }
  enum verdict verdict = pool.n_members == 0                 ? FITS
                         : is_refuted(search, index, movers) ? REFUTED
                                                             : ask_briefly(search, &pool);
  for (uint32_t k = 0; verdict == FITS && k < pool.n_members; k++) {
    uint32_t buffer = pool.members[k];
    uint64_t distance = pool.item_of != NULL ? search->assignment->buffers->rigid.distance[buffer] : 0;
    search->offset[buffer] = pool.offset[pool.item_of != NULL ? pool.item_of[k] : k] + distance;
  }
  if (verdict == REFUTED && search->n_refuted < MOST_REFUTED) {
    search->refuted[search->n_refuted++] = (struct refuted){.pool = index, .movers = movers};
  }
  berth_arena_rewind(search->arena, mark);
  return search->code == BERTH_OK ? verdict : UNDECIDED;
}

/* ---- The search ---- */

static void keep(struct search *search, uint64_t cost) {
  struct berth_division *division = search->division;
  division->cost = cost;
  division->is_found = true;
  memcpy(division->offset, search->offset, search->assignment->buffers->n * sizeof *division->offset);
  for (uint32_t m = 0; m < search->n_movers; m++) {
    search->assignment->choice[search->members[search->movers[m].place]] = option_of(search, m)->choice;
  }
}

static void descend(struct search *search);

/* `m` goes on, or stays. */
static void branch(struct search *search, uint32_t m) {
  search->movers[m].at++;
  descend(search);
  search->movers[m].at--;
  search->movers[m].stays = true;
  descend(search);
  search->movers[m].stays = false;
}

/* The first pool that is too full at some step, and the step; adds what it costs to relieve all of them. */
static uint64_t bound_loads(struct search *search, uint32_t *out_pool, uint32_t *out_step) {
  uint64_t sum = 0;
  *out_pool = BERTH_NO_INDEX;
  for (uint32_t p = 0; p < search->assignment->n_pools && sum != UINT64_MAX; p++) {
    uint32_t step;
    uint64_t excess = find_excess(search, p, &step);
    if (excess > 0) {
      sum = berth_add_sat_u64(sum, cost_to_leave(search, p, step, excess));
      *out_step = *out_pool == BERTH_NO_INDEX ? step : *out_step;
      *out_pool = *out_pool == BERTH_NO_INDEX ? p : *out_pool;
    }
  }
  return sum;
}

/* All loads fit: offsets decide. */
static void settle(struct search *search, uint64_t cost) {
  const struct berth_assignment *assignment = search->assignment;
  for (uint32_t p = 0; p < assignment->n_pools; p++) {
    if (assignment->pools[p].capacity == BERTH_UNLIMITED && assignment->buffers->pinned_offset == NULL) {
      continue;
    }
    enum verdict verdict = try_pool(search, p);
    if (verdict == FITS) {
      continue;
    }
    uint64_t bytes;
    uint32_t m = find_cheapest(search, p, BERTH_NO_INDEX, 0, &bytes);
    search->is_cut = search->is_cut || verdict == UNDECIDED;
    if (m != BERTH_NO_INDEX && search->code == BERTH_OK) {
      branch(search, m);
    }
    return;
  }
  keep(search, cost);
}

static void descend(struct search *search) {
  if (search->code != BERTH_OK ||
      !berth_effort_spend(
          search->effort, (search->n + search->all.n_steps) * (uint64_t)search->assignment->n_pools)) {
    search->is_cut = true;
    return;
  }
  uint64_t cost = cost_of(search);
  uint32_t pool;
  uint32_t step = 0;
  uint64_t more = cost < search->division->cost ? bound_loads(search, &pool, &step) : UINT64_MAX;
  if (more == UINT64_MAX || berth_add_sat_u64(cost, more) >= search->division->cost) {
    return;
  }
  if (pool == BERTH_NO_INDEX) {
    settle(search, cost);
    return;
  }
  uint64_t bytes;
  uint32_t m = find_cheapest(search, pool, step, 0, &bytes);
  if (m != BERTH_NO_INDEX) {
    branch(search, m);
  }
}

/* ---- What it begins with ---- */

/* Of the buffer, or of the whole group that it leads. */
static uint64_t cost_at(const struct search *search, uint32_t place) {
  uint64_t sum = 0;
  for (uint32_t k = place; k != BERTH_NO_INDEX; k = search->next[k]) {
    uint32_t leader = search->members[place];
    uint32_t choice = search->assignment->choice[leader];
    sum = berth_add_sat_u64(sum, berth_assign_cost(search->assignment, search->members[k], choice));
  }
  return sum;
}

static bool add_options(struct search *search, uint32_t place) {
  struct berth_assignment *assignment = search->assignment;
  uint32_t buffer = search->members[place];
  uint32_t before = assignment->choice[buffer];
  struct mover *mover = &search->movers[search->n_movers];
  uint32_t first = search->n_options;
  berth_assign_to_first(assignment, buffer);
  do {
    if (search->n_options == MOST_OPTIONS) {
      return false;
    }
    search->options[search->n_options++] = (struct option){
        .choice = assignment->choice[buffer],
        .pool = berth_assigned_pool(assignment, buffer),
        .cost = cost_at(search, place)};
  } while (berth_assign_next(assignment, buffer, true));
  bool has_choice = search->n_options - first > 1;
  assignment->choice[buffer] = before;
  if (!has_choice) {
    search->n_options = first;
    return true;
  }
  *mover = (struct mover){.place = place, .first = first, .at = first};
  for (uint32_t k = place; k != BERTH_NO_INDEX; k = search->next[k]) {
    search->mover_of[k] = search->n_movers;
  }
  search->n_movers++;
  search->movers[search->n_movers].first = search->n_options;
  return search->n_movers < MOST_MOVERS;
}

/* Strings the members of each group together, its first one first. */
static bool find_groups(struct search *search) {
  uint32_t *place_of = berth_arena_new(search->arena, uint32_t, search->assignment->buffers->n);
  for (uint32_t k = 0; place_of != NULL && k < search->n; k++) {
    place_of[search->members[k]] = k;
    search->next[k] = search->mover_of[k] = BERTH_NO_INDEX;
  }
  for (uint32_t k = 0; place_of != NULL && k < search->n; k++) {
    uint32_t first = place_of[berth_assign_leader(search->assignment, search->members[k])];
    if (first != k) {
      search->next[k] = search->next[first];
      search->next[first] = k;
    }
  }
  search->code = place_of != NULL ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  return place_of != NULL;
}

static bool begin(struct search *search, const uint32_t *order) {
  const struct berth_buffers *buffers = search->assignment->buffers;
  for (uint32_t k = 0; k < buffers->n; k++) {
    if (buffers->size_bytes[order[k]] > 0) {
      search->members[search->n++] = order[k];
    }
    search->offset[k] = search->division->offset[k] = BERTH_NO_PLACE;
  }
  if (!find_groups(search)) {
    return false;
  }
  for (uint32_t k = 0; k < search->n; k++) {
    uint32_t buffer = search->members[k];
    if (berth_assign_leader(search->assignment, buffer) == buffer && !add_options(search, k)) {
      return false;
    }
  }
  search->code = berth_packing_build(
      buffers, search->members, search->n, 1, BERTH_UNLIMITED, search->arena, &search->all, NULL);
  search->load = search->code == BERTH_OK
                     ? berth_arena_new(search->arena, uint64_t, (size_t)search->all.n_steps + 1)
                     : NULL;
  if (search->load == NULL) {
    search->code = BERTH_RESOURCE_EXHAUSTED;
  }
  return search->code == BERTH_OK;
}

enum berth_code berth_divide(
    struct berth_assignment *assignment, const uint32_t *order, bool reuse, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_division *division) {
  uint32_t n = assignment->buffers->n;
  division->is_found = division->is_complete = false;
  if (n > MOST_BUFFERS) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct search *search = berth_arena_new_zeroed(arena, struct search, 1);
  enum berth_code code = BERTH_RESOURCE_EXHAUSTED;
  if (search != NULL) {
    search->assignment = assignment;
    search->division = division;
    search->arena = arena;
    search->effort = effort;
    search->reuse = reuse;
    search->members = berth_arena_new(arena, uint32_t, n);
    search->mover_of = berth_arena_new(arena, uint32_t, n);
    search->next = berth_arena_new(arena, uint32_t, n);
    search->offset = berth_arena_new(arena, uint64_t, n);
    search->options = berth_arena_new(arena, struct option, MOST_OPTIONS);
    bool ok = search->members != NULL && search->mover_of != NULL && search->next != NULL &&
              search->offset != NULL && search->options != NULL;
    if (ok && begin(search, order)) {
      uint32_t pool;
      uint32_t step;
      uint64_t more = bound_loads(search, &pool, &step);
      division->bound = berth_add_sat_u64(cost_of(search), more != UINT64_MAX ? more : 0);
      descend(search);
      division->is_complete = search->code == BERTH_OK && !search->is_cut;
      division->bound = division->is_complete ? division->cost : division->bound;
    }
    code = ok ? search->code : code;
  }
  berth_arena_rewind(arena, mark);
  return code;
}
