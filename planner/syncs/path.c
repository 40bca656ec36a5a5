/* One wait after the other, each where the heaviest antichain falls apart the most: of the buffers that may
 * all be live at once, one wait lets those that are done when its signaller is come before those that nobody
 * uses before its waiter. */
#include <string.h>

#include "berth/restate.h"
#include "interference/antichain.h"
#include "syncs/search.h"

struct path {
  struct berth_syncs_search *search;
  struct berth_syncs syncs;
};

/* The order with the waits so far, and its heaviest antichain. */
struct stage {
  struct berth_problem *problem;
  const struct berth_buffers *buffers;
  struct berth_clocks clocks;
  uint32_t n;
  uint32_t *items; /* buffers */
  uint64_t weight;
  uint64_t least; /* what it weighs however many waits there are */
};

struct choice {
  uint64_t gain; /* 0: there is none */
  uint64_t both; /* what comes before, and what after */
  struct berth_sync sync;
};

/* ---- The antichain ---- */

/* Of the members of one pool, if there are several; keeps the heaviest over what the pool's peak is. */
static bool look_at_pool(
    struct path *path, struct stage *stage, uint32_t pool, struct berth_arena *arena, bool *out_goes_on) {
  struct berth_syncs_search *search = path->search;
  const struct berth_plan *without = search->without;
  const struct berth_buffers *buffers = stage->buffers;
  uint32_t *members = berth_arena_new(arena, uint32_t, buffers->n);
  uint64_t *weight = berth_arena_new(arena, uint64_t, buffers->n);
  uint32_t n = 0;
  if (members == NULL || weight == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    if (buffers->size_bytes[i] != 0 && (without->pool == NULL || without->pool[i] == pool)) {
      members[n] = i;
      weight[n++] = buffers->size_bytes[i];
    }
  }
  struct berth_precedence order;
  struct berth_chains chains;
  struct berth_antichain antichain;
  bool is_usable;
  if (!berth_precedence_make(buffers, members, n, arena, &order) ||
      !berth_chains_make(&chains, &order, arena, &is_usable)) {
    return false;
  }
  is_usable = is_usable && (uint64_t)chains.n * chains.n_chains <= BERTH_ANTICHAIN_MOST_ARCS;
  if (is_usable && berth_antichain_find(&chains, weight, arena, search->effort, &antichain) != BERTH_OK) {
    return false;
  }
  *out_goes_on = *out_goes_on && is_usable && antichain.is_found;
  if (!*out_goes_on) {
    return true;
  }
  uint64_t least = without->offset != NULL ? without->pools[pool].peak_bytes : without->peak_bytes;
  if (antichain.weight > least && antichain.weight - least > stage->weight - stage->least) {
    stage->weight = antichain.weight;
    stage->least = least;
    stage->n = antichain.n;
    stage->items = antichain.buffers;
    for (uint32_t k = 0; k < antichain.n; k++) {
      stage->items[k] = members[antichain.buffers[k]];
    }
  }
  return true;
}

/* *out_goes_on is false where no antichain is above the peak, or none was found in time. */
static enum berth_code
enter(struct path *path, struct stage *stage, struct berth_arena *arena, bool *out_goes_on) {
  struct berth_syncs_search *search = path->search;
  const struct berth_restatement as = {.syncs = path->syncs.items, .n_syncs = path->syncs.n};
  struct berth_graph graph = *search->graph;
  struct berth_syncs all;
  *stage = (struct stage){.n = 0};
  enum berth_code code =
      berth_problem_restate(search->problem, &as, search->allocator, &stage->problem, NULL);
  if (code != BERTH_OK || !berth_syncs_merge(search, path->syncs, arena, &all)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  graph.n_syncs = all.n;
  graph.syncs = all.items;
  stage->buffers = berth_problem_buffers(stage->problem);
  if (!berth_clocks_make(&stage->clocks, arena, &graph, search->n_streams)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  *out_goes_on = berth_effort_spend(
      search->effort, 2 * (uint64_t)(graph.n_operators + stage->buffers->n) * search->n_streams);
  uint32_t n_pools = search->without->pool != NULL ? search->without->n_pools : 1;
  for (uint32_t p = 0; p < n_pools && *out_goes_on; p++) {
    if (!look_at_pool(path, stage, p, arena, out_goes_on)) {
      return search->effort->state == BERTH_EFFORT_STOPPED ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
    }
  }
  *out_goes_on = *out_goes_on && stage->n > 1;
  return BERTH_OK;
}

/* ---- The wait ---- */

static bool is_user(const struct berth_syncs_search *search, uint32_t buffer, uint32_t unit) {
  for (uint32_t k = search->user_begin[buffer]; k < search->user_begin[buffer + 1]; k++) {
    if (search->unit[search->users[k]] == unit) {
      return true;
    }
  }
  return false;
}

/* Whether nobody uses the buffer before `waiter` has begun, for sure. */
static bool
begins_after(const struct path *path, const struct stage *stage, uint32_t buffer, uint32_t waiter) {
  uint32_t stream = stage->clocks.stream[waiter];
  uint32_t position = stage->clocks.position[waiter];
  uint32_t known = stage->buffers->clock_lower[(size_t)buffer * stage->buffers->n_clocks + stream];
  return known >= position || (known + 1 == position && is_user(path->search, buffer, waiter));
}

/* What the antichain has that is done by `signaller`, and was not known to be by the waiter. */
static uint64_t
done_by(const struct path *path, const struct stage *stage, uint32_t signaller, uint32_t waiter) {
  const struct berth_buffers *buffers = stage->buffers;
  const uint32_t *clock = berth_clocks_lesson(&stage->clocks, path->search->graph, signaller, waiter);
  uint64_t sum = 0;
  for (uint32_t k = 0; k < stage->n; k++) {
    const uint32_t *end = buffers->clock_upper + (size_t)stage->items[k] * buffers->n_clocks;
    sum += berth_accesses_within(end, clock, buffers->n_clocks) ? buffers->size_bytes[stage->items[k]] : 0;
  }
  return sum;
}

/* The last operator of a stream that comes before `op` in the list. */
static uint32_t last_before(const struct berth_clocks *clocks, uint32_t stream, uint32_t op) {
  uint32_t low = clocks->begin[stream];
  uint32_t high = clocks->begin[stream + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    low = clocks->line[middle] < op ? middle + 1 : low;
    high = clocks->line[middle] < op ? high : middle;
  }
  return low > clocks->begin[stream] ? clocks->line[low - 1] : BERTH_NO_INDEX;
}

/* The first of the stream that does as well as `signaller`. */
static uint32_t earliest_like(
    const struct path *path, const struct stage *stage, uint32_t signaller, uint32_t waiter, uint64_t done) {
  const struct berth_clocks *clocks = &stage->clocks;
  uint32_t low = clocks->begin[clocks->stream[signaller]];
  uint32_t high = low + clocks->position[signaller] - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    bool is_enough = done_by(path, stage, clocks->line[middle], waiter) >= done;
    high = is_enough ? middle : high;
    low = is_enough ? low : middle + 1;
  }
  return clocks->line[low];
}

static void
consider(const struct path *path, const struct stage *stage, uint32_t waiter, struct choice *best) {
  const struct berth_clocks *clocks = &stage->clocks;
  uint64_t after = 0;
  for (uint32_t k = 0; k < stage->n; k++) {
    after +=
        begins_after(path, stage, stage->items[k], waiter) ? stage->buffers->size_bytes[stage->items[k]] : 0;
  }
  for (uint32_t s = 0; s < clocks->n_streams && after != 0; s++) {
    uint32_t signaller = s != clocks->stream[waiter] ? last_before(clocks, s, waiter) : BERTH_NO_INDEX;
    uint64_t before = signaller != BERTH_NO_INDEX ? done_by(path, stage, signaller, waiter) : 0;
    uint64_t gain = before < after ? before : after;
    if (gain > best->gain || (gain == best->gain && gain != 0 && before + after > best->both)) {
      *best = (struct choice){
          .gain = gain,
          .both = before + after,
          .sync = {.waiter = waiter, .signaller = earliest_like(path, stage, signaller, waiter, before)}};
    }
  }
}

/* On each stream the last unit before all uses of some buffer of the antichain. */
static struct choice choose(const struct path *path, const struct stage *stage) {
  const struct berth_syncs_search *search = path->search;
  const struct berth_clocks *clocks = &stage->clocks;
  struct choice best = {.gain = 0};
  for (uint32_t k = 0; k < stage->n; k++) {
    const uint32_t *known = stage->buffers->clock_lower + (size_t)stage->items[k] * stage->buffers->n_clocks;
    for (uint32_t s = 0; s < clocks->n_streams; s++) {
      uint32_t n_of_stream = clocks->begin[s + 1] - clocks->begin[s];
      uint32_t place = known[s] < n_of_stream ? known[s] : n_of_stream - 1;
      for (uint32_t back = 0; back < 2 && place >= back && n_of_stream != 0; back++) {
        uint32_t waiter = search->unit[clocks->line[clocks->begin[s] + place - back]];
        consider(path, stage, waiter, &best);
      }
    }
    if (!berth_effort_spend(search->effort, (uint64_t)stage->n * clocks->n_streams * clocks->n_streams)) {
      break;
    }
  }
  return best;
}

/* ---- The path ---- */

static bool insert(struct path *path, struct berth_sync sync) {
  uint32_t at = path->syncs.n;
  for (uint32_t i = 0; i < path->syncs.n; i++) {
    const struct berth_sync *other = &path->syncs.items[i];
    if (other->waiter == sync.waiter && other->signaller == sync.signaller) {
      return false;
    }
    bool after =
        other->waiter > sync.waiter || (other->waiter == sync.waiter && other->signaller > sync.signaller);
    at = after && at == path->syncs.n ? i : at;
  }
  memmove(
      path->syncs.items + at + 1, path->syncs.items + at, (path->syncs.n - at) * sizeof *path->syncs.items);
  path->syncs.items[at] = sync;
  path->syncs.n++;
  return true;
}

static enum berth_code take_step(struct path *path, bool *out_goes_on) {
  struct berth_arena arena;
  struct stage stage;
  berth_arena_init(&arena, path->search->allocator);
  enum berth_code code = enter(path, &stage, &arena, out_goes_on);
  struct choice choice = code == BERTH_OK && *out_goes_on ? choose(path, &stage) : (struct choice){.gain = 0};
  *out_goes_on = choice.gain != 0 && insert(path, choice.sync);
  berth_problem_unref(stage.problem);
  berth_arena_finish(&arena);
  return code;
}

enum { TRIALS = 16, MOST_STEPS = 4096 };

/* A trial after every step at first, then at ever longer distances, and at the end. */
enum berth_code berth_syncs_try_path(struct berth_syncs_search *search, uint64_t limit_ticks) {
  struct berth_effort *effort = search->effort;
  uint32_t most = search->most_syncs < MOST_STEPS ? search->most_syncs : MOST_STEPS;
  uint64_t share = limit_ticks > effort->ticks ? (limit_ticks - effort->ticks) / TRIALS : 0;
  struct path path = {
      .search = search, .syncs = {.items = berth_arena_new(search->arena, struct berth_sync, most)}};
  if (path.syncs.items == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_code code = BERTH_OK;
  bool goes_on = true;
  uint32_t next = 1;
  uint32_t last = 0;
  while (code == BERTH_OK && goes_on && path.syncs.n < most && effort->ticks < limit_ticks &&
         effort->state == BERTH_EFFORT_RUNNING) {
    code = take_step(&path, &goes_on);
    if (code == BERTH_OK && path.syncs.n >= next && path.syncs.n != last) {
      code = berth_syncs_try(search, path.syncs, NULL, share, NULL);
      last = path.syncs.n;
      next = path.syncs.n + 1 + path.syncs.n / 4;
    }
  }
  return code == BERTH_OK && path.syncs.n != last ? berth_syncs_try(search, path.syncs, NULL, share, NULL)
                                                  : code;
}
