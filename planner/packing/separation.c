#include "packing/separation.h"

#include <string.h>

#include "base/checked.h"
#include "berth/problem.h"

enum {
  ALIKE = 256,           /* the weight of a pair that has shared nothing */
  MOST_WEIGHT = 1 << 28, /* sums of 2^20 of them are exact */
  MOST_LINKS = 1 << 18,  /* then all is forgotten */
  FADE_TURNS = 1 << 12,  /* so often all weights fall */
  LOOKS_A_MEETING = 12   /* to list it, to sort it twice, and its four events */
};
#define NONE UINT32_MAX
#define MOST_BYTES (UINT64_C(1) << 62)
#define BEHIND (UINT64_C(1) << 63) /* above whatever is compared */

bool berth_separation_fits(const struct berth_packing_instance *instance, uint64_t arena_bytes) {
  return instance->n_buffers > 0 && arena_bytes <= MOST_BYTES && instance->gap_begin == NULL &&
         instance->piece_begin == NULL && !instance->pins_may_meet &&
         instance->n_buffers <= BERTH_MEETINGS_MOST;
}

bool berth_separation_init(
    struct berth_separation *separation, const struct berth_packing_instance *instance,
    struct berth_effort *effort, struct berth_arena *arena) {
  uint32_t n = instance->n_buffers;
  *separation = (struct berth_separation){
      .instance = instance,
      .effort = effort,
      .rng = {.state = effort->ticks}, /* another one each time */
      .at = berth_arena_new(arena, uint64_t, n),
      .queue = berth_arena_new(arena, uint32_t, n),
      .is_queued = berth_arena_new(arena, bool, n),
      .is_moved = berth_arena_new(arena, bool, n),
      .links = berth_arena_new(arena, struct berth_separation_link, MOST_LINKS),
      .first_link = berth_arena_new(arena, uint32_t, n),
      .listed = berth_arena_new(arena, uint32_t, n),
      .met = berth_arena_new(arena, struct berth_separation_met, n),
      .weight = berth_arena_new(arena, uint32_t, n),
      .edges = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)n),
      .scratch = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)n),
      .steps = berth_arena_new(arena, struct berth_separation_step, 2 * (size_t)n + 2)};
  return separation->at != NULL && separation->queue != NULL && separation->is_queued != NULL &&
         separation->is_moved != NULL && separation->links != NULL && separation->first_link != NULL &&
         separation->listed != NULL && separation->met != NULL && separation->weight != NULL &&
         separation->edges != NULL && separation->scratch != NULL && separation->steps != NULL &&
         berth_neighbours_init(&separation->neighbours, instance, arena);
}

static uint64_t end_of(const struct berth_separation *separation, uint32_t i) {
  return separation->at[i] + separation->instance->size[i];
}

static uint64_t align_down(uint64_t offset, uint64_t alignment) {
  return offset & ~(alignment - 1);
}

/* ---- The queue ---- */

static void push(struct berth_separation *separation, uint32_t i) {
  if (!separation->is_queued[i]) {
    uint32_t n = separation->instance->n_buffers;
    uint32_t last = separation->first + separation->n_queued;
    separation->queue[last < separation->first || last >= n ? last - n : last] = i;
    separation->is_queued[i] = true;
    separation->n_queued++;
  }
}

static uint32_t pop(struct berth_separation *separation) {
  uint32_t i = separation->queue[separation->first];
  separation->first = separation->first + 1 < separation->instance->n_buffers ? separation->first + 1 : 0;
  separation->n_queued--;
  separation->is_queued[i] = false;
  return i;
}

/* ---- Weights ---- */

static void forget(struct berth_separation *separation) {
  memset(separation->first_link, 0xff, separation->instance->n_buffers * sizeof *separation->first_link);
  separation->n_links = 0;
  separation->unused = NONE;
}

/* All weights fall by a quarter, and those that are hardly any are dropped. */
static void fade(struct berth_separation *separation) {
  for (uint32_t i = 0; i < separation->instance->n_buffers; i++) {
    uint32_t *from = &separation->first_link[i];
    while (*from != NONE) {
      struct berth_separation_link *link = &separation->links[*from];
      link->weight -= link->weight / 4;
      if (link->weight > ALIKE + ALIKE / 16) {
        from = &link->next;
        continue;
      }
      uint32_t dropped = *from;
      *from = link->next;
      link->next = separation->unused;
      separation->unused = dropped;
    }
  }
}

static bool has_links(const struct berth_separation *separation) {
  return separation->unused != NONE || separation->n_links < MOST_LINKS;
}

static void set_weight(struct berth_separation *separation, uint32_t i, uint32_t other, uint32_t weight) {
  uint32_t found = separation->first_link[i];
  while (found != NONE && separation->links[found].other != other) {
    found = separation->links[found].next;
  }
  if (found == NONE && has_links(separation)) {
    found = separation->unused;
    if (found != NONE) {
      separation->unused = separation->links[found].next;
    } else {
      found = separation->n_links++;
    }
    separation->links[found] =
        (struct berth_separation_link){.other = other, .next = separation->first_link[i]};
    separation->first_link[i] = found;
  }
  if (found != NONE) {
    separation->links[found].weight = weight;
  }
}

/* By a fifth, and up to twice as much the more of the smaller one is shared. */
static void
raise(struct berth_separation *separation, uint32_t i, struct berth_separation_met *met, uint64_t shared) {
  const uint64_t *size = separation->instance->size;
  uint64_t smaller = size[i] < size[met->buffer] ? size[i] : size[met->buffer];
  double by = met->weight * (0.2 + 0.8 * ((double)shared / (double)smaller));
  met->weight = by < MOST_WEIGHT - met->weight ? met->weight + (uint32_t)by : MOST_WEIGHT;
  set_weight(separation, i, met->buffer, met->weight);
  set_weight(separation, met->buffer, i, met->weight);
}

/* ---- The one in turn ---- */

static bool list_met(struct berth_separation *separation, uint32_t i) {
  uint64_t n_looks = 0;
  separation->n_met = berth_neighbours_list(&separation->neighbours, i, separation->listed, &n_looks);
  for (uint32_t k = separation->first_link[i]; k != NONE; k = separation->links[k].next) {
    separation->weight[separation->links[k].other] = separation->links[k].weight;
    n_looks += 2;
  }
  uint32_t n_listed = separation->n_met;
  separation->n_met = 0;
  for (uint32_t k = 0; k < n_listed; k++) {
    uint32_t other = separation->listed[k];
    if (separation->instance->size[other] < separation->least) {
      continue;
    }
    separation->met[separation->n_met++] = (struct berth_separation_met){
        .buffer = other,
        .weight = separation->weight[other],
        .begin = separation->at[other],
        .end = end_of(separation, other)};
  }
  for (uint32_t k = separation->first_link[i]; k != NONE; k = separation->links[k].next) {
    separation->weight[separation->links[k].other] = ALIKE;
  }
  return berth_effort_spend(separation->effort, n_looks + separation->n_met);
}

static uint64_t shared_with(const struct berth_separation_met *met, uint64_t begin, uint64_t end) {
  uint64_t low = met->begin > begin ? met->begin : begin;
  uint64_t high = met->end < end ? met->end : end;
  return low < high ? high - low : 0;
}

/* What the buffer shares where it is costs more from now on; how much it costs. */
static double weigh(struct berth_separation *separation, uint32_t i, double *out_shared) {
  double cost = 0;
  *out_shared = 0;
  for (uint32_t k = 0; k < separation->n_met; k++) {
    struct berth_separation_met *met = &separation->met[k];
    uint64_t shared = shared_with(met, separation->at[i], end_of(separation, i));
    if (shared > 0) {
      raise(separation, i, met, shared);
      *out_shared += (double)shared;
      cost += (double)shared * met->weight;
    }
  }
  return cost;
}

/* The weight of all whom it meets at each byte. */
static void find_steps(struct berth_separation *separation) {
  struct berth_sort_item *edges = separation->edges;
  struct berth_separation_step *steps = separation->steps;
  uint32_t n_edges = 2 * separation->n_met;
  for (uint32_t k = 0; k < separation->n_met; k++) {
    edges[2 * k] = (struct berth_sort_item){.key = separation->met[k].begin, .index = 2 * k};
    edges[2 * k + 1] = (struct berth_sort_item){.key = separation->met[k].end, .index = 2 * k + 1};
  }
  berth_sort_items(edges, separation->scratch, n_edges);
  uint32_t n = 0;
  int64_t weight = 0;
  steps[n++] = (struct berth_separation_step){.from = 0, .weight = 0};
  for (uint32_t k = 0; k < n_edges;) {
    uint64_t from = edges[k].key;
    int64_t before = weight;
    for (; k < n_edges && edges[k].key == from; k++) {
      int64_t by = separation->met[edges[k].index / 2].weight;
      weight += edges[k].index % 2 == 0 ? by : -by;
    }
    if (weight != before) {
      n -= steps[n - 1].from == from;
      steps[n++] = (struct berth_separation_step){.from = from, .weight = weight};
    }
  }
  steps[n] = (struct berth_separation_step){.from = BEHIND, .weight = 0};
}

/* The least cost so far, and where; of equal ones any, by chance. */
struct choice {
  double cost;
  uint64_t at;
  uint32_t n_equal;
};

static void consider(struct berth_separation *separation, struct choice *choice, uint64_t at, double cost) {
  if (cost > choice->cost) {
    return;
  }
  choice->n_equal = cost < choice->cost ? 1 : choice->n_equal + 1;
  if (choice->n_equal == 1 || berth_rng_below(&separation->rng, choice->n_equal) == 0) {
    choice->at = at;
  }
  choice->cost = cost;
}

/* The buffer in turn as it moves up from byte 0: its cost is a line between two events, which are that one of
 * its ends passes a step. */
struct travel {
  const struct berth_separation_step *low;  /* the step that its first byte is in */
  const struct berth_separation_step *high; /* the one that its end is in */
  uint64_t at;
  double cost;
};

static int64_t slope_of(const struct travel *travel) {
  return travel->high->weight - travel->low->weight;
}

static double cost_at(const struct travel *travel, uint64_t at) {
  return travel->cost + (double)slope_of(travel) * (double)(at - travel->at);
}

static struct travel begin_travel(const struct berth_separation_step *steps, uint64_t size) {
  struct travel travel = {.low = steps, .high = steps};
  uint64_t end = 0;
  for (; travel.high[1].from <= size; travel.high++) {
    travel.cost += (double)travel.high->weight * (double)(travel.high[1].from - end);
    end = travel.high[1].from;
  }
  travel.cost += (double)travel.high->weight * (double)(size - end);
  return travel;
}

/* Where it shares nothing the cost is 0, whatever was rounded on the way. */
static void go_to(struct travel *travel, uint64_t at, uint64_t size) {
  travel->cost = cost_at(travel, at);
  travel->at = at;
  travel->low += travel->low[1].from == at;
  travel->high += travel->high[1].from == at + size;
  if (travel->low->weight == 0 && at + size <= travel->low[1].from) {
    travel->cost = 0;
  }
}

/* Up to `until` the least lies at an end of the line, or at the aligned offset next to it. Where it goes on
 * falling it is looked at behind the event. */
static void consider_line(
    struct berth_separation *separation, struct choice *choice, const struct travel *travel, uint32_t i,
    uint64_t until) {
  uint64_t alignment = separation->instance->alignment[i];
  int64_t slope = slope_of(travel);
  uint64_t low = berth_align_up(travel->at, alignment);
  uint64_t high = align_down(until, alignment);
  if (slope >= 0 && low <= until) {
    consider(separation, choice, low, cost_at(travel, low));
  }
  bool is_looked_at =
      high == until && slope < 0 && until < separation->height - separation->instance->size[i];
  if (slope <= 0 && high >= travel->at && !is_looked_at) {
    consider(separation, choice, high, cost_at(travel, high));
  }
}

static struct choice choose(struct berth_separation *separation, uint32_t i) {
  uint64_t size = separation->instance->size[i];
  uint64_t highest = separation->height - size;
  struct choice choice = {.cost = 0x1p1000};
  struct travel travel = begin_travel(separation->steps, size);
  do {
    uint64_t low = travel.low[1].from;
    uint64_t high = travel.high[1].from - size;
    uint64_t event = low < high ? low : high;
    event = event < highest ? event : highest;
    consider_line(separation, &choice, &travel, i, event);
    go_to(&travel, event, size);
  } while (travel.at < highest);
  return choice;
}

/* Who shares bytes with it there waits for a turn, and so does it. */
static void put(struct berth_separation *separation, uint32_t i, uint64_t at, double shared_before) {
  double shared_now = 0;
  separation->at[i] = at;
  for (uint32_t k = 0; k < separation->n_met; k++) {
    uint64_t shared = shared_with(&separation->met[k], at, end_of(separation, i));
    if (shared > 0) {
      shared_now += (double)shared;
      push(separation, separation->met[k].buffer);
    }
  }
  if (shared_now > 0) {
    push(separation, i);
  }
  separation->shared += shared_now - shared_before;
}

bool berth_separation_turn(struct berth_separation *separation) {
  if (separation->n_queued == 0) {
    return true;
  }
  uint32_t i = pop(separation);
  if (berth_packing_is_pinned(separation->instance, i)) {
    return true; /* those on it wait, too */
  }
  if (++separation->n_turns % FADE_TURNS == 0) {
    fade(separation);
  }
  if (!has_links(separation)) {
    forget(separation);
  }
  double shared;
  if (!list_met(separation, i)) {
    return false;
  }
  double cost = weigh(separation, i, &shared);
  if (shared <= 0) {
    return true;
  }
  find_steps(separation);
  struct choice choice = choose(separation, i);
  put(separation, i, choice.cost <= cost ? choice.at : separation->at[i], shared);
  return berth_effort_spend(separation->effort, LOOKS_A_MEETING * (uint64_t)separation->n_met);
}

/* ---- The beginning ---- */

/* What the buffer shares with those who were not moved, or come after it. */
static bool find_shared(struct berth_separation *separation, uint32_t i) {
  double shared = 0;
  if (!list_met(separation, i)) {
    return false;
  }
  for (uint32_t k = 0; k < separation->n_met; k++) {
    const struct berth_separation_met *met = &separation->met[k];
    uint64_t bytes = shared_with(met, separation->at[i], end_of(separation, i));
    if (bytes > 0 && (met->buffer > i || !separation->is_moved[met->buffer])) {
      shared += (double)bytes;
      push(separation, met->buffer);
    }
  }
  if (shared > 0) {
    push(separation, i);
  }
  separation->shared += shared;
  return true;
}

static bool find_all_shared(struct berth_separation *separation) {
  for (uint32_t i = 0; i < separation->instance->n_buffers; i++) {
    bool is_looked_at = separation->is_moved[i] && separation->instance->size[i] >= separation->least;
    if (is_looked_at && !find_shared(separation, i)) {
      return false;
    }
  }
  return true;
}

bool berth_separation_begin(
    struct berth_separation *separation, const uint64_t *offset, uint64_t height, uint64_t least) {
  const struct berth_packing_instance *instance = separation->instance;
  uint32_t n = instance->n_buffers;
  separation->height = height;
  separation->least = least;
  separation->shared = 0;
  separation->first = separation->n_queued = 0;
  forget(separation);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t highest = align_down(height - instance->size[i], instance->alignment[i]);
    uint64_t from = offset != NULL ? offset[i] : 0;
    bool stays = berth_packing_is_pinned(separation->instance, i) || from <= highest;
    separation->at[i] = berth_packing_is_pinned(separation->instance, i) ? instance->pin[i]
                        : stays                                          ? from
                                                                         : highest;
    separation->is_moved[i] = offset == NULL || !stays;
    separation->is_queued[i] = false;
    separation->weight[i] = ALIKE;
  }
  return find_all_shared(separation);
}

bool berth_separation_admit(struct berth_separation *separation) {
  for (uint32_t i = 0; i < separation->instance->n_buffers; i++) {
    separation->is_moved[i] = separation->instance->size[i] < separation->least;
  }
  separation->least = 0;
  return find_all_shared(separation);
}
