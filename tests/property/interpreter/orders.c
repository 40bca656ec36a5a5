#include <string.h>

#include "toy.h"

enum { MAX_ORDERS = 1000 };

static bool is_in(const struct berth_region_spec *region, uint32_t op) {
  return op >= region->first_operator && op < region->first_operator + region->n_operators;
}

/* The largest region around `op` that `other` is not in, as a set of operators; without one, the operator
 * alone. */
static uint32_t whole(const struct toy *toy, uint32_t op, uint32_t other) {
  uint32_t largest = UINT32_C(1) << op;
  for (uint32_t r = 0; r < toy->n_regions; r++) {
    uint32_t set = 0;
    for (uint32_t k = 0; k < toy->n_ops; k++) {
      set |= (uint32_t)is_in(&toy->regions[r], k) << k;
    }
    bool larger = __builtin_popcount(set) > __builtin_popcount(largest);
    largest = is_in(&toy->regions[r], op) && !is_in(&toy->regions[r], other) && larger ? set : largest;
  }
  return largest;
}

static bool waits_for(const struct toy *toy, uint32_t op, uint32_t first) {
  for (uint32_t i = 0; i < toy->ops[op].n_waits; i++) {
    if (toy->ops[op].waits[i] == first) {
      return true;
    }
  }
  return toy->ops[first].stream == toy->ops[op].stream;
}

/* In one trip: by streams and waits of any of the regions' operators, and closed. Of two branches one runs
 * alone, so that any order of them is right. */
static void find_order(const struct toy *toy, bool before[TOY_MAX_OPERATORS][TOY_MAX_OPERATORS]) {
  memset(before, 0, sizeof(bool[TOY_MAX_OPERATORS][TOY_MAX_OPERATORS]));
  for (uint32_t a = 0; a < toy->n_ops; a++) {
    for (uint32_t b = a + 1; b < toy->n_ops; b++) {
      uint32_t first = whole(toy, a, b);
      uint32_t second = whole(toy, b, a);
      for (uint32_t x = 0; x < toy->n_ops; x++) {
        for (uint32_t y = x + 1; y < toy->n_ops; y++) {
          before[a][b] |= (first >> x & 1) != 0 && (second >> y & 1) != 0 && waits_for(toy, y, x);
        }
      }
    }
  }
  for (uint32_t k = 0; k < toy->n_ops; k++) {
    for (uint32_t a = 0; a < toy->n_ops; a++) {
      for (uint32_t b = 0; b < toy->n_ops; b++) {
        before[a][b] |= before[a][k] && before[k][b];
      }
    }
  }
}

/* One run of the graph: operators that run, trip after trip, and in which order they may. */
enum { MAX_STEPS = 4 * TOY_MAX_OPERATORS };

struct orders {
  const struct toy *toy;
  const struct berth_problem *problem;
  struct toy_places places;
  bool before[TOY_MAX_OPERATORS][TOY_MAX_OPERATORS];
  uint32_t n_steps;
  uint32_t op[MAX_STEPS];
  uint32_t trip[MAX_STEPS]; /* 0: not in the loop */
  uint32_t order[MAX_STEPS];
  bool done[MAX_STEPS];
  uint32_t n_left; /* orders to be tried */
};

static bool must_precede(const struct orders *orders, uint32_t first, uint32_t second) {
  uint32_t trip_a = orders->trip[first];
  uint32_t trip_b = orders->trip[second];
  if (trip_a != 0 && trip_b != 0 && trip_a != trip_b) {
    return trip_a < trip_b;
  }
  return orders->before[orders->op[first]][orders->op[second]];
}

/* Whoever may run next, the last of the list first: far from the order of the list. */
static bool try_orders(struct orders *orders, uint32_t n_done) {
  if (n_done == orders->n_steps) {
    orders->n_left--;
    return toy_runs_in(orders->toy, orders->problem, orders->places, orders->order, n_done);
  }
  bool right = true;
  for (uint32_t step = orders->n_steps; step-- > 0 && right && orders->n_left > 0;) {
    bool ready = !orders->done[step];
    for (uint32_t k = 0; k < orders->n_steps && ready; k++) {
      ready = orders->done[k] || !must_precede(orders, k, step);
    }
    if (ready) {
      orders->done[step] = true;
      orders->order[n_done] = orders->op[step];
      right = try_orders(orders, n_done + 1);
      orders->done[step] = false;
    }
  }
  return right;
}

/* Whether the operator runs in this trip when branch `taken` is: the branches are the last two regions. */
static bool is_taken(const struct toy *toy, uint32_t op, uint32_t taken) {
  for (uint32_t r = 0; r < toy->n_regions; r++) {
    if (toy->regions[r].kind == BERTH_REGION_BRANCH && is_in(&toy->regions[r], op)) {
      return r - (toy->n_regions - 2) == taken;
    }
  }
  return true;
}

static void add_steps(struct orders *orders, uint32_t begin, uint32_t end, uint32_t trip, uint32_t taken) {
  for (uint32_t op = begin; op < end; op++) {
    if (is_taken(orders->toy, op, taken)) {
      orders->op[orders->n_steps] = op;
      orders->trip[orders->n_steps++] = trip;
    }
  }
}

/* Loops of none to three trips, with every choice of branches in each; by the list, and if streams allow
 * others, in other orders. */
static enum toy_outcome
run_at(const struct toy *toy, const struct berth_problem *problem, struct toy_places places) {
  bool has_loop = toy->n_regions != 0 && toy->regions[0].kind == BERTH_REGION_LOOP;
  bool streams = berth_problem_graph(problem)->operator_stream != NULL;
  uint32_t least = has_loop ? toy->regions[0].min_trips : 1;
  uint32_t most = has_loop ? 3 : 1;
  uint32_t begin = has_loop ? toy->regions[0].first_operator : 0;
  uint32_t end = has_loop ? begin + toy->regions[0].n_operators : toy->n_ops;
  struct orders orders = {.toy = toy, .problem = problem, .places = places};
  find_order(toy, orders.before);
  for (uint32_t trips = least; trips <= most; trips++) {
    for (uint32_t choices = 0; choices < 1U << trips; choices++) {
      orders.n_steps = 0;
      add_steps(&orders, 0, begin, 0, 0);
      for (uint32_t trip = 0; trip < trips; trip++) {
        add_steps(&orders, begin, end, has_loop ? trip + 1 : 0, choices >> trip & 1);
      }
      add_steps(&orders, end, toy->n_ops, 0, 0);
      if (!toy_runs_in(toy, problem, places, orders.op, orders.n_steps)) {
        return TOY_WRONG;
      }
      orders.n_left = toy->n_regions != 0 ? MAX_ORDERS / 6 : MAX_ORDERS;
      if (streams && !try_orders(&orders, 0)) {
        return TOY_WRONG_IN_ANOTHER_ORDER;
      }
    }
  }
  return TOY_RIGHT;
}

enum toy_outcome
toy_run(const struct toy *toy, const struct berth_problem *problem, struct toy_places places) {
  if (!toy_lies_right(toy, problem, places)) {
    return TOY_LIES_WRONG;
  }
  enum toy_outcome outcome = run_at(toy, problem, places);
  for (uint64_t n = 1; toy->has_symbol && n <= toy->most_n && outcome == TOY_RIGHT; n++) {
    struct toy bound;
    toy_bind(toy, n, &bound);
    bool right = toy_lies_right(&bound, problem, places) && run_at(&bound, problem, places) == TOY_RIGHT;
    outcome = right ? TOY_RIGHT : TOY_WRONG_AT_ANOTHER_SIZE;
  }
  return outcome;
}
