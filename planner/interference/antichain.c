#include "interference/antichain.h"

#include <string.h>

#define NONE UINT32_MAX

/* Nodes: the end of buffer i is node i, the place p is node n + p. Arcs: from an end to the first place of
 * every chain that comes after it; from a place to the next of its chain; from a place to the sink, as much
 * as the buffer there weighs. What was sent may be taken back. */
struct flow {
  const struct berth_chains *chains;
  const uint64_t *weight;
  struct berth_effort *effort;
  uint32_t n;
  uint32_t n_chains;
  uint64_t *supply;     /* of each buffer: what it has not handed on */
  uint64_t *demand;     /* of each place: what its buffer has not been given */
  uint64_t *sent;       /* n x n_chains: from a buffer's end into the chain */
  uint64_t *passed;     /* from each place to the next */
  uint32_t *chain;      /* of each place */
  uint32_t *from_begin; /* n + 1: the ends that lead into each place */
  uint32_t *from;
  uint32_t *level; /* of each node: its distance from what can still be handed on */
  uint32_t *arc;   /* of each node: the arc to be tried next */
  uint32_t *queue; /* and the path of the search */
  uint32_t *stack; /* of the greedy start: a stretch a chain */
  uint32_t *top;
};

static uint32_t first_after(const struct flow *flow, uint32_t buffer, uint32_t chain) {
  return flow->chains->end_met[(size_t)buffer * flow->n_chains + chain];
}

static bool leads_on(const struct flow *flow, uint32_t buffer, uint32_t chain) {
  return first_after(flow, buffer, chain) < flow->chains->begin[chain + 1];
}

static void count_arcs(struct flow *flow) {
  for (uint32_t i = 0; i < flow->n; i++) {
    for (uint32_t c = 0; c < flow->n_chains; c++) {
      if (leads_on(flow, i, c)) {
        flow->from_begin[first_after(flow, i, c) + 2]++;
      }
    }
  }
  for (uint32_t p = 1; p < flow->n + 2; p++) {
    flow->from_begin[p] += flow->from_begin[p - 1];
  }
}

static bool init(struct flow *flow, struct berth_arena *arena) {
  const struct berth_chains *chains = flow->chains;
  size_t n = flow->n;
  size_t n_arcs = n * flow->n_chains;
  flow->supply = berth_arena_new(arena, uint64_t, n);
  flow->demand = berth_arena_new(arena, uint64_t, n);
  flow->sent = berth_arena_new_zeroed(arena, uint64_t, n_arcs);
  flow->passed = berth_arena_new_zeroed(arena, uint64_t, n + 1);
  flow->chain = berth_arena_new(arena, uint32_t, n);
  flow->from_begin = berth_arena_new_zeroed(arena, uint32_t, n + 2);
  flow->from = berth_arena_new(arena, uint32_t, n_arcs);
  flow->level = berth_arena_new(arena, uint32_t, 2 * n);
  flow->arc = berth_arena_new(arena, uint32_t, 2 * n);
  flow->queue = berth_arena_new(arena, uint32_t, 2 * n);
  flow->stack = berth_arena_new(arena, uint32_t, n_arcs);
  flow->top = berth_arena_new(arena, uint32_t, flow->n_chains);
  if (flow->supply == NULL || flow->demand == NULL || flow->sent == NULL || flow->passed == NULL ||
      flow->chain == NULL || flow->from_begin == NULL || flow->from == NULL || flow->level == NULL ||
      flow->arc == NULL || flow->queue == NULL || flow->stack == NULL || flow->top == NULL) {
    return false;
  }
  for (uint32_t c = 0; c < flow->n_chains; c++) {
    for (uint32_t p = chains->begin[c]; p < chains->begin[c + 1]; p++) {
      flow->chain[p] = c;
      flow->demand[p] = flow->weight[chains->buffer[p]];
    }
  }
  count_arcs(flow);
  for (uint32_t i = 0; i < flow->n; i++) {
    flow->supply[i] = flow->weight[i];
    for (uint32_t c = 0; c < flow->n_chains; c++) {
      if (leads_on(flow, i, c)) {
        flow->from[flow->from_begin[first_after(flow, i, c) + 1]++] = i;
      }
    }
  }
  return true;
}

/* ---- Greedy: each buffer in turn takes from those that ended last in its chain ---- */

static void take(struct flow *flow, uint32_t giver, uint32_t place) {
  uint32_t chain = flow->chain[place];
  uint64_t amount = flow->supply[giver] < flow->demand[place] ? flow->supply[giver] : flow->demand[place];
  flow->supply[giver] -= amount;
  flow->demand[place] -= amount;
  flow->sent[(size_t)giver * flow->n_chains + chain] += amount;
  flow->passed[first_after(flow, giver, chain)] += amount; /* differences for now */
  flow->passed[place] -= amount;
}

static bool start_greedily(struct flow *flow) {
  const struct berth_chains *chains = flow->chains;
  for (uint32_t c = 0; c < flow->n_chains; c++) { /* a stack begins where its chain's arcs do */
    flow->top[c] = flow->from_begin[chains->begin[c]];
  }
  for (uint32_t k = 0; k < flow->n; k++) {
    uint32_t place = chains->place[chains->by_sum[k]];
    uint32_t *top = &flow->top[flow->chain[place]];
    for (uint32_t a = flow->from_begin[place]; a < flow->from_begin[place + 1]; a++) {
      flow->stack[(*top)++] = flow->from[a];
    }
    uint32_t bottom = flow->from_begin[chains->begin[flow->chain[place]]];
    while (*top > bottom && flow->demand[place] > 0) {
      take(flow, flow->stack[*top - 1], place);
      *top -= flow->supply[flow->stack[*top - 1]] == 0;
    }
  }
  for (uint32_t p = 1; p < flow->n; p++) { /* nothing passes the end of a chain */
    flow->passed[p] += flow->passed[p - 1];
  }
  return berth_effort_spend(flow->effort, 4 * (uint64_t)flow->n * flow->n_chains);
}

/* ---- Dinic ---- */

struct arc {
  uint32_t to; /* NONE: there is no such arc, or it is full */
  bool is_sink;
  uint64_t room;
};

static uint32_t n_arcs_of(const struct flow *flow, uint32_t node) {
  return node < flow->n ? flow->n_chains
                        : 3 + flow->from_begin[node - flow->n + 1] - flow->from_begin[node - flow->n];
}

static struct arc arc_of(const struct flow *flow, uint32_t node, uint32_t index) {
  const struct berth_chains *chains = flow->chains;
  if (node < flow->n) {
    bool on = leads_on(flow, node, index);
    return (struct arc){.to = on ? flow->n + first_after(flow, node, index) : NONE, .room = UINT64_MAX};
  }
  uint32_t place = node - flow->n;
  uint32_t chain = flow->chain[place];
  if (index == 0) {
    return (struct arc){.to = NONE, .is_sink = flow->demand[place] > 0, .room = flow->demand[place]};
  }
  if (index == 1) {
    bool on = place + 1 < chains->begin[chain + 1];
    return (struct arc){.to = on ? node + 1 : NONE, .room = UINT64_MAX};
  }
  if (index == 2) {
    bool back = place > chains->begin[chain] && flow->passed[place - 1] > 0;
    return (struct arc){.to = back ? node - 1 : NONE, .room = back ? flow->passed[place - 1] : 0};
  }
  uint32_t giver = flow->from[flow->from_begin[place] + index - 3];
  uint64_t sent = flow->sent[(size_t)giver * flow->n_chains + chain];
  return (struct arc){.to = sent > 0 ? giver : NONE, .room = sent};
}

static void push(struct flow *flow, uint32_t node, uint32_t index, uint64_t amount) {
  if (node < flow->n) {
    flow->sent[(size_t)node * flow->n_chains + index] += amount;
    return;
  }
  uint32_t place = node - flow->n;
  if (index == 0) {
    flow->demand[place] -= amount;
  } else if (index == 1) {
    flow->passed[place] += amount;
  } else if (index == 2) {
    flow->passed[place - 1] -= amount;
  } else {
    uint32_t giver = flow->from[flow->from_begin[place] + index - 3];
    flow->sent[(size_t)giver * flow->n_chains + flow->chain[place]] -= amount;
  }
}

/* Breadth first from all that can still be handed on; *out_reached if it comes to a demand. Stops a level
 * after the first. False if effort is spent. */
static bool find_levels(struct flow *flow, bool *out_reached) {
  uint32_t n_queued = 0;
  uint32_t sink_level = NONE;
  memset(flow->level, 0xff, 2 * (size_t)flow->n * sizeof *flow->level);
  memset(flow->arc, 0, 2 * (size_t)flow->n * sizeof *flow->arc);
  for (uint32_t i = 0; i < flow->n; i++) {
    if (flow->supply[i] > 0) {
      flow->level[i] = 0;
      flow->queue[n_queued++] = i;
    }
  }
  for (uint32_t k = 0; k < n_queued && flow->level[flow->queue[k]] < sink_level; k++) {
    uint32_t node = flow->queue[k];
    uint32_t n_arcs = n_arcs_of(flow, node);
    if (!berth_effort_spend(flow->effort, n_arcs)) {
      return false;
    }
    for (uint32_t a = 0; a < n_arcs; a++) {
      struct arc arc = arc_of(flow, node, a);
      if (arc.is_sink) {
        sink_level = flow->level[node] + 1;
      } else if (arc.to != NONE && flow->level[arc.to] == NONE) {
        flow->level[arc.to] = flow->level[node] + 1;
        flow->queue[n_queued++] = arc.to;
      }
    }
  }
  *out_reached = sink_level != NONE;
  return true;
}

/* One path from `start` down the levels, in `queue`; its length, 0 if there is none. */
static uint32_t find_path(struct flow *flow, uint32_t start, uint64_t *n_looks) {
  uint32_t n = 1;
  flow->queue[0] = start;
  while (n > 0) {
    uint32_t node = flow->queue[n - 1];
    uint32_t n_arcs = n_arcs_of(flow, node);
    uint32_t a = flow->arc[node];
    for (; a < n_arcs; a++) {
      struct arc arc = arc_of(flow, node, a);
      ++*n_looks;
      if (arc.is_sink) {
        flow->arc[node] = a;
        return n;
      }
      if (arc.to != NONE && flow->level[arc.to] == flow->level[node] + 1) {
        flow->queue[n++] = arc.to;
        break;
      }
    }
    flow->arc[node] = a;
    if (a == n_arcs) { /* a dead end: its arc of the node before is done with */
      n--;
      if (n > 0) {
        flow->arc[flow->queue[n - 1]]++;
      }
    }
  }
  return 0;
}

static void augment(struct flow *flow, uint32_t n) {
  uint64_t amount = flow->supply[flow->queue[0]];
  for (uint32_t k = 0; k < n; k++) {
    struct arc arc = arc_of(flow, flow->queue[k], flow->arc[flow->queue[k]]);
    amount = arc.room < amount ? arc.room : amount;
  }
  flow->supply[flow->queue[0]] -= amount;
  for (uint32_t k = 0; k < n; k++) {
    push(flow, flow->queue[k], flow->arc[flow->queue[k]], amount);
  }
}

static bool block(struct flow *flow) {
  for (uint32_t i = 0; i < flow->n; i++) {
    while (flow->supply[i] > 0) {
      uint64_t n_looks = 0;
      uint32_t n = find_path(flow, i, &n_looks);
      if (!berth_effort_spend(flow->effort, n_looks + n)) {
        return false;
      }
      if (n == 0) {
        break;
      }
      augment(flow, n);
    }
  }
  return true;
}

/* What can still be reached could be handed on; who can, and is not reached as a taker, is in the antichain.
 */
static bool read_off(const struct flow *flow, struct berth_arena *arena, struct berth_antichain *out) {
  out->buffers = berth_arena_new(arena, uint32_t, flow->n);
  if (out->buffers == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < flow->n; i++) {
    if (flow->weight[i] > 0 && flow->level[i] != NONE &&
        flow->level[flow->n + flow->chains->place[i]] == NONE) {
      out->buffers[out->n++] = i;
      out->weight += flow->weight[i];
    }
  }
  out->is_found = true;
  return true;
}

enum berth_code berth_antichain_find(
    const struct berth_chains *chains, const uint64_t *weight, struct berth_arena *arena,
    struct berth_effort *effort, struct berth_antichain *out) {
  struct flow flow = {
      .chains = chains, .weight = weight, .effort = effort, .n = chains->n, .n_chains = chains->n_chains};
  *out = (struct berth_antichain){0};
  if (!init(&flow, arena)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  bool goes_on = start_greedily(&flow);
  while (goes_on) {
    bool reached;
    goes_on = find_levels(&flow, &reached);
    if (goes_on && !reached) {
      return read_off(&flow, arena, out) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
    }
    goes_on = goes_on && block(&flow);
  }
  return BERTH_OK;
}
