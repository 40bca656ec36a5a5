#include "verify/order.h"

#include <string.h>

static uint32_t *row(uint32_t *columns, const struct berth_verify_order *order, uint32_t i) {
  return columns + (size_t)i * order->n_streams;
}

/* What has run is a row for every node of a graph without loops: the operators, and the beginning and the end
 * of every region. An edge leads from the node that must be done to the one that may begin then; it is lifted
 * to the largest region around either end that the other end is not in. */
struct edge {
  uint32_t from;
  uint32_t next; /* of the same `to`, plus 1 */
};

struct making {
  struct berth_verify_order *order;
  const struct berth_graph *graph;
  uint32_t *edge_of; /* of each node: its last edge, plus 1 */
  struct edge *edges;
  uint32_t n_edges;
  uint32_t *last_branch; /* of each choice: its last branch so far, plus 1 */
};

static uint32_t begin_of(const struct berth_graph *graph, uint32_t region) {
  return graph->n_operators + region;
}

static uint32_t end_of(const struct berth_graph *graph, uint32_t region) {
  return graph->n_operators + graph->n_regions + region;
}

static bool is_in(const struct berth_graph *graph, uint32_t op, uint32_t region) {
  const struct berth_region_spec *spec = &graph->regions[region];
  return op >= spec->first_operator && op < spec->first_operator + spec->n_operators;
}

/* The largest region around `op` that `other` is not in; BERTH_NO_INDEX if there is none. */
static uint32_t lift(const struct berth_verify_order *order, uint32_t op, uint32_t other) {
  uint32_t largest = BERTH_NO_INDEX;
  for (uint32_t r = order->region_of[op]; r != 0; r = order->graph->regions[r - 1].parent + 1) {
    largest = is_in(order->graph, other, r - 1) ? largest : r - 1;
  }
  return largest;
}

static void add_edge(struct making *making, uint32_t first, uint32_t second) {
  uint32_t from_region = lift(making->order, first, second);
  uint32_t to_region = lift(making->order, second, first);
  uint32_t from = from_region != BERTH_NO_INDEX ? end_of(making->graph, from_region) : first;
  uint32_t to = to_region != BERTH_NO_INDEX ? begin_of(making->graph, to_region) : second;
  making->edges[making->n_edges] = (struct edge){.from = from, .next = making->edge_of[to]};
  making->edge_of[to] = ++making->n_edges;
}

/* All that has run when the node is done. */
static void learn(const struct berth_verify_order *order, uint32_t *ran, uint32_t node) {
  const uint32_t *before = row(order->ran, order, node);
  for (uint32_t s = 0; s < order->n_streams; s++) {
    ran[s] = before[s] > ran[s] ? before[s] : ran[s];
  }
  if (node < order->graph->n_operators) {
    uint32_t stream = order->graph->operator_stream[node];
    ran[stream] = order->position[node] > ran[stream] ? order->position[node] : ran[stream];
  }
}

static void learn_edges(struct making *making, uint32_t node) {
  uint32_t *ran = row(making->order->ran, making->order, node);
  for (uint32_t e = making->edge_of[node]; e != 0; e = making->edges[e - 1].next) {
    learn(making->order, ran, making->edges[e - 1].from);
  }
}

/* Of two branches of a choice at most one runs: the later may count as coming after the earlier. */
static void begin_region(struct making *making, uint32_t region) {
  const struct berth_graph *graph = making->graph;
  uint32_t parent = graph->regions[region].parent;
  uint32_t *ran = row(making->order->ran, making->order, begin_of(graph, region));
  if (parent != BERTH_NO_INDEX) {
    learn(making->order, ran, begin_of(graph, parent));
  }
  if (graph->regions[region].kind == BERTH_REGION_BRANCH && parent != BERTH_NO_INDEX) {
    if (making->last_branch[parent] != 0) {
      learn(making->order, ran, end_of(graph, making->last_branch[parent] - 1));
    }
    making->last_branch[parent] = region + 1;
  }
  learn_edges(making, begin_of(graph, region));
}

static void run_operator(struct making *making, uint32_t op) {
  const struct berth_graph *graph = making->graph;
  struct berth_verify_order *order = making->order;
  uint32_t begun[BERTH_MAX_REGION_DEPTH];
  uint32_t n = 0;
  for (uint32_t r = order->region_of[op];
       r != 0 && graph->regions[r - 1].first_operator == op && n < BERTH_MAX_REGION_DEPTH;
       r = graph->regions[r - 1].parent + 1) {
    begun[n++] = r - 1;
  }
  while (n > 0) {
    begin_region(making, begun[--n]);
  }
  uint32_t inside = order->region_of[op];
  if (inside != 0) {
    learn(order, row(order->ran, order, op), begin_of(graph, inside - 1));
  }
  learn_edges(making, op);
  uint32_t done = op;
  for (uint32_t r = inside; r != 0; r = graph->regions[r - 1].parent + 1) {
    learn(order, row(order->ran, order, end_of(graph, r - 1)), done);
    if (graph->regions[r - 1].first_operator + graph->regions[r - 1].n_operators != op + 1) {
      return;
    }
    done = end_of(graph, r - 1);
  }
}

static bool take(struct making *making, uint32_t n_added, struct berth_arena *arena) {
  struct berth_verify_order *order = making->order;
  const struct berth_graph *graph = making->graph;
  size_t n_nodes = (size_t)graph->n_operators + 2 * (size_t)graph->n_regions;
  size_t n_edges =
      (size_t)graph->n_operators + graph->wait_begin[graph->n_operators] + graph->n_syncs + n_added;
  order->position = berth_arena_new(arena, uint32_t, graph->n_operators);
  order->region_of = berth_arena_new_zeroed(arena, uint32_t, graph->n_operators);
  order->ran = berth_arena_new_zeroed(arena, uint32_t, n_nodes * order->n_streams);
  making->edge_of = berth_arena_new_zeroed(arena, uint32_t, n_nodes);
  making->edges = berth_arena_new(arena, struct edge, n_edges);
  making->last_branch = berth_arena_new_zeroed(arena, uint32_t, graph->n_regions);
  return order->position != NULL && order->region_of != NULL && order->ran != NULL &&
         making->edge_of != NULL && making->edges != NULL && making->last_branch != NULL;
}

static enum berth_code add_edges(struct making *making, uint32_t *newest, struct berth_error *err) {
  const struct berth_graph *graph = making->graph;
  struct berth_verify_order *order = making->order;
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t stream = graph->operator_stream[op];
    order->position[op] = 1;
    if (newest[stream] != 0) {
      add_edge(making, newest[stream] - 1, op);
      order->position[op] = order->position[newest[stream] - 1] + 1;
    }
    for (uint32_t k = graph->wait_begin[op]; k < graph->wait_begin[op + 1]; k++) {
      if (graph->waits[k] >= op) {
        return berth_fail(
            err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, op, NULL, "operator %u waits for a later one", op);
      }
      add_edge(making, graph->waits[k], op);
    }
    newest[stream] = op + 1;
  }
  return BERTH_OK;
}

static enum berth_code
add_syncs(struct making *making, const struct berth_sync *syncs, uint32_t n, struct berth_error *err) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t waiter = syncs[i].waiter;
    if (waiter >= making->graph->n_operators || syncs[i].signaller >= waiter) {
      return berth_fail(
          err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, waiter, NULL,
          "an added wait of operator %u is for a later one", waiter);
    }
    add_edge(making, syncs[i].signaller, waiter);
  }
  return BERTH_OK;
}

enum berth_code berth_verify_order_make(
    struct berth_verify_order *order, const struct berth_graph *graph, struct berth_verify_added added,
    struct berth_arena *arena, struct berth_error *err) {
  *order = (struct berth_verify_order){.graph = graph};
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t stream = graph->operator_stream[op];
    order->n_streams = stream >= order->n_streams ? stream + 1 : order->n_streams;
  }
  struct making making = {.order = order, .graph = graph};
  uint32_t *newest =
      berth_arena_new_zeroed(arena, uint32_t, order->n_streams); /* operator + 1 of each stream */
  if (newest == NULL || !take(&making, added.n, arena)) {
    return berth_fail_memory(err);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) { /* parents come first */
    for (uint32_t k = 0; k < graph->regions[r].n_operators; k++) {
      order->region_of[graph->regions[r].first_operator + k] = r + 1;
    }
  }
  enum berth_code code = add_edges(&making, newest, err);
  code = code != BERTH_OK ? code : add_syncs(&making, graph->syncs, graph->n_syncs, err);
  code = code != BERTH_OK ? code : add_syncs(&making, added.items, added.n, err);
  for (uint32_t op = 0; op < graph->n_operators && code == BERTH_OK; op++) {
    run_operator(&making, op);
  }
  return code;
}

bool berth_verify_runs_before(const struct berth_verify_order *order, uint32_t first, uint32_t second) {
  return row(order->ran, order, second)[order->graph->operator_stream[first]] >= order->position[first];
}

/* ---- Buffers ---- */

void berth_verify_order_note(
    const struct berth_verify_order *order, uint32_t *last, uint32_t *sure, uint32_t op) {
  const uint32_t *ran = row(order->ran, order, op);
  uint32_t stream = order->graph->operator_stream[op];
  last[stream] = order->position[op] > last[stream] ? order->position[op] : last[stream];
  for (uint32_t s = 0; s < order->n_streams; s++) {
    sure[s] = ran[s] < sure[s] ? ran[s] : sure[s];
  }
}

static void touch(struct berth_verify_order *order, uint32_t buffer, uint32_t op) {
  if (buffer != BERTH_NO_INDEX) {
    berth_verify_order_note(order, row(order->last, order, buffer), row(order->sure, order, buffer), op);
  }
}

static void
touch_list(struct berth_verify_order *order, const uint32_t *begin, const uint32_t *values, uint32_t op) {
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    touch(order, order->graph->value_buffer[values[k]], op);
  }
}

/* ---- Regions: what lives around one is touched by all of it ---- */

void berth_verify_order_note_region(
    const struct berth_verify_order *order, uint32_t *last, uint32_t *sure, uint32_t region) {
  const uint32_t *before = row(order->ran, order, begin_of(order->graph, region));
  const uint32_t *after = row(order->ran, order, end_of(order->graph, region));
  for (uint32_t s = 0; s < order->n_streams; s++) {
    last[s] = after[s] > last[s] ? after[s] : last[s];
    sure[s] = before[s] < sure[s] ? before[s] : sure[s];
  }
}

static void touch_region(struct berth_verify_order *order, uint32_t buffer, uint32_t region) {
  if (buffer != BERTH_NO_INDEX) {
    berth_verify_order_note_region(
        order, row(order->last, order, buffer), row(order->sure, order, buffer), region);
  }
}

static void touch_loops(
    struct berth_verify_order *order, const struct berth_verify_roots *roots, const uint32_t *begin,
    const uint32_t *values, uint32_t op) {
  const struct berth_graph *graph = order->graph;
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    uint32_t root = berth_verify_root(graph, values[k]);
    for (uint32_t r = order->region_of[op]; r != 0; r = graph->regions[r - 1].parent + 1) {
      const struct berth_region_spec *region = &graph->regions[r - 1];
      if (region->kind == BERTH_REGION_LOOP && roots->lower[root] <= (int64_t)region->first_operator &&
          roots->upper[root] >= (int64_t)region->first_operator + region->n_operators) {
        touch_region(order, graph->value_buffer[root], r - 1);
      }
    }
  }
}

static void touch_regions(struct berth_verify_order *order, const struct berth_verify_roots *roots) {
  const struct berth_graph *graph = order->graph;
  for (uint32_t op = 0; op < graph->n_operators && graph->n_regions > 0; op++) {
    touch_loops(order, roots, graph->input_begin, graph->inputs, op);
    touch_loops(order, roots, graph->output_begin, graph->outputs, op);
  }
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    for (uint32_t k = 0; k < graph->regions[r].n_carries; k++) {
      touch_region(order, graph->value_buffer[graph->regions[r].carries[k]], r);
    }
  }
}

/* The outside touches what it gives before, and what it keeps after, everything. */
static void touch_from_outside(struct berth_verify_order *order, const struct berth_verify_roots *roots) {
  const struct berth_graph *graph = order->graph;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    if (berth_verify_root(graph, v) != v || buffer == BERTH_NO_INDEX) {
      continue;
    }
    if (roots->given[v]) {
      memset(row(order->sure, order, buffer), 0, order->n_streams * sizeof(uint32_t));
    }
    if (roots->kept[v]) {
      memset(row(order->last, order, buffer), 0xff, order->n_streams * sizeof(uint32_t));
    }
  }
}

void berth_verify_order_settle(const struct berth_verify_order *order, uint32_t *last) {
  bool is_touched = false;
  for (uint32_t s = 0; s < order->n_streams; s++) {
    is_touched = is_touched || last[s] != 0;
  }
  if (!is_touched && order->graph->n_operators != 0) {
    last[order->graph->operator_stream[0]] = order->position[0];
  }
}

enum berth_code berth_verify_order_buffers(
    struct berth_verify_order *order, const struct berth_verify_roots *roots, uint32_t n_buffers,
    struct berth_arena *arena, struct berth_error *err) {
  const struct berth_graph *graph = order->graph;
  size_t n = (size_t)n_buffers * order->n_streams;
  order->last = berth_arena_new_zeroed(arena, uint32_t, n);
  order->sure = berth_arena_new(arena, uint32_t, n);
  if (order->last == NULL || order->sure == NULL) {
    return berth_fail_memory(err);
  }
  memset(order->sure, 0xff, n * sizeof(uint32_t));
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    touch_list(order, graph->input_begin, graph->inputs, op);
    touch_list(order, graph->output_begin, graph->outputs, op);
    touch(order, graph->operator_workspace[op], op);
  }
  touch_regions(order, roots);
  touch_from_outside(order, roots);
  for (uint32_t buffer = 0; buffer < n_buffers; buffer++) {
    berth_verify_order_settle(order, row(order->last, order, buffer));
  }
  return BERTH_OK;
}

bool berth_verify_may_follow(const struct berth_verify_order *order, uint32_t earlier, uint32_t later) {
  return berth_verify_order_within(order, row(order->last, order, earlier), row(order->sure, order, later));
}
