#include "packing/exact/relation.h"

#include <string.h>

#include "packing/pieces.h"

enum { MOST_BUFFERS = 1 << 12, MOST_FORBIDDEN = 1 << 20, MOST_LISTED = 1 << 13, FIRST_TRAIL = 1 << 12 };

#define NO_ARC UINT32_MAX

/* ---- Which differences are forbidden ---- */

struct ranges {
  struct berth_forbidden *items; /* NULL: only counted */
  uint32_t n;
  uint32_t first_of_pair;
};

/* Adds a range of the present pair in order, and merges what overlaps. Counting alone never merges: an upper
 * bound. */
static void add_range(struct ranges *ranges, struct berth_forbidden range) {
  if (ranges->items == NULL) {
    ranges->n++;
    return;
  }
  uint32_t n_kept = ranges->first_of_pair;
  for (uint32_t k = ranges->first_of_pair; k < ranges->n; k++) {
    struct berth_forbidden other = ranges->items[k];
    if (other.below < range.above && range.below < other.above) {
      range.below = other.below < range.below ? other.below : range.below;
      range.above = other.above > range.above ? other.above : range.above;
    } else {
      ranges->items[n_kept++] = other;
    }
  }
  ranges->items[n_kept] = range;
  ranges->n = n_kept + 1;
}

/* `is_conflict`: they must not share bytes, whatever their lives. */
static void add_pair(
    const struct berth_packing_instance *in, uint32_t a, uint32_t b, bool is_conflict,
    struct ranges *ranges) {
  ranges->first_of_pair = ranges->n;
  struct berth_pieces of_a = berth_pieces_of(in, a);
  struct berth_piece p, q;
  while (berth_pieces_next(&of_a, &p)) {
    struct berth_pieces of_b = berth_pieces_of(in, b);
    while (berth_pieces_next(&of_b, &q)) {
      if (p.lower < q.upper && q.lower < p.upper) {
        add_range(
            ranges, (struct berth_forbidden){
                        a, b, (int64_t)p.window_lower - (int64_t)q.window_upper,
                        (int64_t)p.window_upper - (int64_t)q.window_lower});
      }
    }
  }
  if (is_conflict) {
    add_range(ranges, (struct berth_forbidden){a, b, -(int64_t)in->size[b], (int64_t)in->size[a]});
  }
}

/* False when effort is spent. */
static bool
add_pairs(const struct berth_packing_instance *in, struct berth_effort *effort, struct ranges *ranges) {
  uint32_t conflict = 0; /* they are sorted as the pairs here come */
  for (uint32_t a = 0; a < in->n_buffers; a++) {
    for (uint32_t b = a + 1; b < in->n_buffers && ranges->n <= MOST_FORBIDDEN; b++) {
      bool may_meet = in->lower[a] < in->upper[b] && in->lower[b] < in->upper[a], is_conflict = false;
      for (; conflict < in->n_conflicts && in->conflicts[conflict][0] == a && in->conflicts[conflict][1] <= b;
           conflict++) {
        is_conflict |= in->conflicts[conflict][1] == b;
      }
      if (may_meet || is_conflict) {
        add_pair(in, a, b, is_conflict, ranges);
      }
    }
    if (!berth_effort_spend(effort, in->n_buffers - a)) {
      return false;
    }
  }
  return true;
}

enum berth_code berth_relation_init(
    struct berth_relation *relation, const struct berth_packing_instance *instance, struct berth_arena *arena,
    struct berth_effort *effort, bool *out_usable) {
  size_t n = instance->n_buffers;
  struct ranges counted = {0};
  *relation = (struct berth_relation){.instance = instance, .effort = effort, .arena = arena};
  uint32_t n_listed = instance->piece_begin != NULL ? instance->piece_begin[n] : 0;
  *out_usable =
      n > 0 && n <= MOST_BUFFERS && instance->n_conflicts <= MOST_BUFFERS && n_listed <= MOST_LISTED;
  if (*out_usable) {
    *out_usable = add_pairs(instance, effort, &counted) && counted.n <= MOST_FORBIDDEN;
  }
  if (!*out_usable) {
    return BERTH_OK;
  }
  for (uint32_t b = 0; b < n; b++) {
    int64_t alignment = (int64_t)instance->alignment[b];
    relation->most_alignment = alignment > relation->most_alignment ? alignment : relation->most_alignment;
  }
  relation->forbidden = berth_arena_new(arena, struct berth_forbidden, counted.n + 1);
  relation->arcs = berth_arena_new(arena, struct berth_relation_arc, counted.n + 1);
  relation->low = berth_arena_new(arena, int64_t, n);
  relation->high = berth_arena_new(arena, int64_t, n);
  relation->first_from = berth_arena_new(arena, uint32_t, n);
  relation->first_to = berth_arena_new(arena, uint32_t, n);
  relation->trail = berth_arena_new(arena, struct berth_relation_bound, FIRST_TRAIL);
  relation->trail_capacity = FIRST_TRAIL;
  relation->queue = berth_arena_new(arena, uint32_t, n);
  relation->is_queued = berth_arena_new_zeroed(arena, uint8_t, n);
  if (!relation->forbidden || !relation->arcs || !relation->low || !relation->high || !relation->first_from ||
      !relation->first_to || !relation->trail || !relation->queue || !relation->is_queued) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  struct ranges filled = {.items = relation->forbidden};
  *out_usable = add_pairs(instance, effort, &filled);
  relation->n_forbidden = filled.n;
  return BERTH_OK;
}

/* ---- Bounds ---- */

static bool keep(struct berth_relation *relation, uint32_t buffer, bool is_high, int64_t before) {
  if (relation->n_trail == relation->trail_capacity) {
    size_t capacity = 2 * relation->trail_capacity;
    struct berth_relation_bound *trail =
        berth_arena_new(relation->arena, struct berth_relation_bound, capacity);
    if (trail == NULL) {
      return false;
    }
    memcpy(trail, relation->trail, relation->n_trail * sizeof *trail);
    relation->trail = trail;
    relation->trail_capacity = capacity;
  }
  relation->trail[relation->n_trail++] = (struct berth_relation_bound){buffer, is_high, before};
  return true;
}

static void enqueue(struct berth_relation *relation, uint32_t buffer) {
  uint32_t n = relation->instance->n_buffers;
  if (!relation->is_queued[buffer]) {
    relation->is_queued[buffer] = 1;
    relation->queue[(relation->queue_begin + relation->n_queued++) % n] = buffer;
  }
}

static uint32_t dequeue(struct berth_relation *relation) {
  uint32_t buffer = relation->queue[relation->queue_begin];
  relation->queue_begin = (relation->queue_begin + 1) % relation->instance->n_buffers;
  relation->n_queued--;
  relation->is_queued[buffer] = 0;
  return buffer;
}

static enum berth_relation_result raise_low(struct berth_relation *relation, uint32_t buffer, int64_t low) {
  int64_t mask = (int64_t)relation->instance->alignment[buffer] - 1;
  if (low <= relation->low[buffer]) {
    return BERTH_RELATION_FINE;
  }
  if (low > relation->high[buffer]) {
    return BERTH_RELATION_REFUTED;
  }
  if (!keep(relation, buffer, false, relation->low[buffer])) {
    return BERTH_RELATION_NO_MEMORY;
  }
  relation->low[buffer] = (low + mask) & ~mask;
  enqueue(relation, buffer);
  return relation->low[buffer] <= relation->high[buffer] ? BERTH_RELATION_FINE : BERTH_RELATION_REFUTED;
}

static enum berth_relation_result lower_high(struct berth_relation *relation, uint32_t buffer, int64_t high) {
  int64_t mask = (int64_t)relation->instance->alignment[buffer] - 1;
  if (high >= relation->high[buffer]) {
    return BERTH_RELATION_FINE;
  }
  if (high < relation->low[buffer]) {
    return BERTH_RELATION_REFUTED;
  }
  if (!keep(relation, buffer, true, relation->high[buffer])) {
    return BERTH_RELATION_NO_MEMORY;
  }
  relation->high[buffer] = high & ~mask;
  enqueue(relation, buffer);
  return relation->high[buffer] >= relation->low[buffer] ? BERTH_RELATION_FINE : BERTH_RELATION_REFUTED;
}

static enum berth_relation_result pass_on(struct berth_relation *relation, uint32_t buffer) {
  enum berth_relation_result result = BERTH_RELATION_FINE;
  for (uint32_t k = relation->first_from[buffer]; k != NO_ARC && result == BERTH_RELATION_FINE;
       k = relation->arcs[k].next_of_from) {
    result = raise_low(relation, relation->arcs[k].to, relation->low[buffer] + relation->arcs[k].weight);
  }
  for (uint32_t k = relation->first_to[buffer]; k != NO_ARC && result == BERTH_RELATION_FINE;
       k = relation->arcs[k].next_of_to) {
    result = lower_high(relation, relation->arcs[k].from, relation->high[buffer] - relation->arcs[k].weight);
  }
  return result;
}

/* Whether the newest arc has moved, by way of others, the bound that it starts from: around a cycle that
 * grows. Alignment alone moves it by less than the largest; a cycle that moves it by as much does so again
 * and again. */
static bool goes_round(const struct berth_relation *relation, int64_t low, int64_t high) {
  const struct berth_relation_arc *arc = &relation->arcs[relation->n_arcs - 1];
  return relation->low[arc->from] - low >= relation->most_alignment ||
         high - relation->high[arc->to] >= relation->most_alignment;
}

/* Bounds that follow from the newest arc; those before it have been passed on. */
static enum berth_relation_result propagate(struct berth_relation *relation) {
  const struct berth_relation_arc *arc = &relation->arcs[relation->n_arcs - 1];
  int64_t low = relation->low[arc->from], high = relation->high[arc->to];
  enum berth_relation_result result = BERTH_RELATION_FINE;
  while (relation->n_queued > 0 && result == BERTH_RELATION_FINE) {
    result = pass_on(relation, dequeue(relation));
    if (result == BERTH_RELATION_FINE && goes_round(relation, low, high)) {
      result = BERTH_RELATION_REFUTED;
    }
    if (!berth_effort_spend(relation->effort, 16)) {
      result = BERTH_RELATION_STOPPED;
    }
  }
  while (relation->n_queued > 0) {
    dequeue(relation);
  }
  return result;
}

enum berth_relation_result berth_relation_reset(struct berth_relation *relation, uint64_t capacity) {
  const struct berth_packing_instance *in = relation->instance;
  relation->n_trail = 0;
  relation->n_arcs = 0;
  capacity = capacity < (uint64_t)INT64_MAX / 2 ? capacity : (uint64_t)INT64_MAX / 2;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    if (in->size[b] > capacity) {
      return BERTH_RELATION_REFUTED;
    }
    relation->low[b] = 0;
    relation->high[b] = (int64_t)((capacity - in->size[b]) & ~(in->alignment[b] - 1));
    if (berth_packing_is_pinned(in, b)) {
      if (in->pin[b] > (uint64_t)relation->high[b]) {
        return BERTH_RELATION_REFUTED;
      }
      relation->low[b] = relation->high[b] = (int64_t)in->pin[b];
    }
    relation->first_from[b] = relation->first_to[b] = NO_ARC;
  }
  return BERTH_RELATION_FINE;
}

enum berth_relation_result
berth_relation_decide(struct berth_relation *relation, uint32_t range, bool is_above) {
  struct berth_forbidden decided = relation->forbidden[range];
  struct berth_relation_arc arc = {
      .from = is_above ? decided.a : decided.b,
      .to = is_above ? decided.b : decided.a,
      .weight = is_above ? decided.above : -decided.below};
  arc.next_of_from = relation->first_from[arc.from];
  arc.next_of_to = relation->first_to[arc.to];
  relation->arcs[relation->n_arcs] = arc;
  relation->first_from[arc.from] = relation->first_to[arc.to] = relation->n_arcs++;
  enqueue(relation, arc.from);
  enqueue(relation, arc.to);
  return propagate(relation);
}

void berth_relation_undo(struct berth_relation *relation, size_t n_trail, uint32_t n_arcs) {
  while (relation->n_arcs > n_arcs) {
    const struct berth_relation_arc *arc = &relation->arcs[--relation->n_arcs];
    relation->first_from[arc->from] = arc->next_of_from;
    relation->first_to[arc->to] = arc->next_of_to;
  }
  while (relation->n_trail > n_trail) {
    struct berth_relation_bound last = relation->trail[--relation->n_trail];
    *(last.is_high ? &relation->high[last.buffer] : &relation->low[last.buffer]) = last.before;
  }
}

/* Whether the bounds already keep the difference on one side. */
static bool is_settled(const struct berth_relation *relation, const struct berth_forbidden *range) {
  int64_t least = relation->low[range->b] - relation->high[range->a];
  int64_t most = relation->high[range->b] - relation->low[range->a];
  return least >= range->above || most <= range->below;
}

enum berth_relation_result berth_relation_close(struct berth_relation *relation) {
  enum berth_relation_result result = BERTH_RELATION_FINE;
  uint32_t n_quiet = 0;
  for (uint32_t k = 0; n_quiet < relation->n_forbidden && result == BERTH_RELATION_FINE;
       k = (k + 1) % relation->n_forbidden) {
    const struct berth_forbidden *range = &relation->forbidden[k];
    bool can_be_above = relation->high[range->b] - relation->low[range->a] >= range->above;
    bool can_be_below = relation->low[range->b] - relation->high[range->a] <= range->below;
    n_quiet++;
    if (!can_be_above && !can_be_below) {
      result = BERTH_RELATION_REFUTED;
    } else if (can_be_above != can_be_below && !is_settled(relation, range)) {
      size_t n_trail = relation->n_trail;
      uint32_t n_arcs = relation->n_arcs;
      result = berth_relation_decide(relation, k, can_be_above);
      if (relation->n_trail != n_trail) {
        n_quiet = 0;
      } else if (result == BERTH_RELATION_FINE) {
        berth_relation_undo(relation, n_trail, n_arcs); /* it changed nothing yet */
      }
    }
    if (!berth_effort_spend(relation->effort, 1)) {
      result = BERTH_RELATION_STOPPED;
    }
  }
  return result;
}
