/* One walk over the operators notes who touches what; then what is given from outside or kept is widened to
 * the ends of the run, and views hand what they know to their roots: liveness belongs to storage, not to
 * names. */
#include "liveness/liveness.h"

#include <string.h>

#include "base/arena.h"
#include "liveness/regions.h"

struct pass {
  const struct berth_graph *graph;
  const struct berth_clocks *clocks;   /* NULL: a total order */
  const uint32_t *innermost;           /* region of each operator; NULL if there are no regions */
  struct berth_accesses writes;        /* of values under their own names, if there are clocks */
  struct berth_accesses family_writes; /* of roots, also by views */
  int64_t *lower;                      /* of a value that nobody has touched yet: n_steps */
  int64_t *upper;
  uint32_t *writer;        /* the last operator that wrote each value, plus 1; 0 while none has */
  uint8_t *family;         /* of roots: set of enum berth_liveness_family */
  uint64_t *written_lower; /* of roots: hull of the bytes written so far; NULL if there are no views */
  uint64_t *written_upper;
};

static bool has(const struct berth_graph *graph, uint32_t value, enum berth_value_flag flag) {
  return (graph->value_flags[value] & flag) != 0;
}

static unsigned family_of_value(const struct berth_graph *graph, uint32_t value) {
  unsigned held = has(graph, value, BERTH_VALUE_HELD) ? BERTH_FAMILY_KEPT : 0U;
  unsigned external = has(graph, value, BERTH_VALUE_EXTERNAL) ? BERTH_FAMILY_GIVEN : 0U;
  switch ((enum berth_buffer_class)graph->value_class[value]) {
  case BERTH_CLASS_INPUT:
    return held | external | BERTH_FAMILY_GIVEN;
  case BERTH_CLASS_OUTPUT:
    return held | external | BERTH_FAMILY_KEPT;
  case BERTH_CLASS_CONSTANT:
    return BERTH_FAMILY_GIVEN | BERTH_FAMILY_KEPT | BERTH_FAMILY_CONSTANT;
  case BERTH_CLASS_STATE:
    return BERTH_FAMILY_GIVEN | BERTH_FAMILY_KEPT;
  default:
    return held | external;
  }
}

static void touch(struct pass *pass, uint32_t value, uint32_t op) {
  pass->lower[value] = op < pass->lower[value] ? op : pass->lower[value];
  pass->upper[value] = (int64_t)op + 1;
}

static struct berth_liveness_finding
fault(enum berth_liveness_fault kind, uint32_t value, uint32_t op, uint32_t first_op) {
  return (struct berth_liveness_finding){.fault = kind, .value = value, .op = op, .first_op = first_op};
}

/* For the message: who writes what was read too early. */
static uint32_t find_producer(const struct berth_graph *graph, uint32_t value) {
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      if (berth_liveness_root(graph, graph->outputs[i]) == berth_liveness_root(graph, value)) {
        return op;
      }
    }
  }
  return BERTH_NO_INDEX;
}

/* ---- Bytes: a view may be read when some of its bytes can have been written ---- */

static void note_written(struct pass *pass, uint32_t value, uint32_t root) {
  bool first = (pass->family[root] & BERTH_FAMILY_WRITTEN) == 0;
  pass->family[root] |= BERTH_FAMILY_WRITTEN;
  if (pass->written_lower == NULL) {
    return;
  }
  uint64_t lower = pass->graph->value_view_offset[value];
  uint64_t upper = lower + pass->graph->value_size_bytes[value];
  uint64_t *written_lower = &pass->written_lower[root];
  uint64_t *written_upper = &pass->written_upper[root];
  *written_lower = first || lower < *written_lower ? lower : *written_lower;
  *written_upper = first || upper > *written_upper ? upper : *written_upper;
}

static bool may_be_written(const struct pass *pass, uint32_t value, uint32_t root) {
  if ((pass->family[root] & BERTH_FAMILY_WRITTEN) == 0) {
    return false;
  }
  if (pass->written_lower == NULL || pass->graph->value_size_bytes[value] == 0) {
    return true;
  }
  uint64_t lower = pass->graph->value_view_offset[value];
  uint64_t upper = lower + pass->graph->value_size_bytes[value];
  return lower < pass->written_upper[root] && pass->written_lower[root] < upper;
}

/* ---- The walk ---- */

static uint32_t find_late(const struct berth_clocks *clocks, const uint32_t *last, const uint32_t *clock) {
  for (uint32_t s = 0; s < clocks->n_streams; s++) {
    if (last[s] > clock[s]) {
      return clocks->line[clocks->begin[s] + last[s] - 1];
    }
  }
  return BERTH_NO_INDEX;
}

/* A writer of the value that need not have run when `op` begins: of a root under any name, of a view under
 * its own name or the root's (other views may be other bytes). */
static uint32_t find_race(const struct pass *pass, uint32_t op, uint32_t value) {
  const uint32_t *clock = berth_clock_of(pass->clocks, op);
  uint32_t root = berth_liveness_root(pass->graph, value);
  if (root == value) {
    return find_late(pass->clocks, berth_accesses_last(&pass->family_writes, root), clock);
  }
  uint32_t late = find_late(pass->clocks, berth_accesses_last(&pass->writes, value), clock);
  return late != BERTH_NO_INDEX ? late
                                : find_late(pass->clocks, berth_accesses_last(&pass->writes, root), clock);
}

/* The region that hides the only writer of the value, of a view its own or the root's. */
static uint32_t find_hiding(const struct pass *pass, uint32_t op, uint32_t value) {
  const struct berth_graph *graph = pass->graph;
  uint32_t root = berth_liveness_root(graph, value);
  uint32_t writer = pass->writer[value] != 0 ? pass->writer[value] : pass->writer[root];
  bool several = has(graph, value, BERTH_VALUE_ACCUMULATED) || has(graph, root, BERTH_VALUE_ACCUMULATED);
  if (several || writer == 0 || (pass->family[root] & BERTH_FAMILY_GIVEN) != 0) {
    return BERTH_NO_INDEX;
  }
  return berth_regions_hiding(graph, pass->innermost, writer - 1, op);
}

static struct berth_liveness_finding read(struct pass *pass, uint32_t op, uint32_t value) {
  uint32_t root = berth_liveness_root(pass->graph, value);
  if ((pass->family[root] & BERTH_FAMILY_GIVEN) == 0 && !may_be_written(pass, value, root)) {
    return fault(BERTH_LIVENESS_READ_BEFORE_WRITE, value, op, find_producer(pass->graph, value));
  }
  uint32_t hiding = pass->innermost != NULL ? find_hiding(pass, op, value) : BERTH_NO_INDEX;
  if (hiding != BERTH_NO_INDEX) {
    return fault(BERTH_LIVENESS_HIDDEN, value, op, hiding);
  }
  uint32_t racing = pass->clocks != NULL ? find_race(pass, op, value) : BERTH_NO_INDEX;
  if (racing != BERTH_NO_INDEX) {
    return fault(BERTH_LIVENESS_RACE, value, op, racing);
  }
  touch(pass, value, op);
  return fault(BERTH_LIVENESS_OK, value, op, BERTH_NO_INDEX);
}

/* True of the value or of its root. */
static bool either(const struct berth_graph *graph, uint32_t value, enum berth_buffer_class class_) {
  return graph->value_class[value] == class_ ||
         graph->value_class[berth_liveness_root(graph, value)] == class_;
}

static struct berth_liveness_finding write(struct pass *pass, uint32_t op, uint32_t value) {
  const struct berth_graph *graph = pass->graph;
  uint32_t root = berth_liveness_root(graph, value);
  bool many = either(graph, value, BERTH_CLASS_STATE) || has(graph, value, BERTH_VALUE_ACCUMULATED) ||
              has(graph, root, BERTH_VALUE_ACCUMULATED);
  uint32_t before = pass->writer[value];
  if ((pass->family[root] & BERTH_FAMILY_CONSTANT) != 0) {
    return fault(BERTH_LIVENESS_WRITES_CONSTANT, value, op, BERTH_NO_INDEX);
  }
  if (before == op + 1) {
    return fault(BERTH_LIVENESS_WRITES_TWICE, value, op, op);
  }
  if (either(graph, value, BERTH_CLASS_INPUT) && !many) {
    return fault(BERTH_LIVENESS_WRITES_INPUT, value, op, BERTH_NO_INDEX);
  }
  if (before != 0 && !many) {
    return fault(BERTH_LIVENESS_SECOND_PRODUCER, value, op, before - 1);
  }
  pass->writer[value] = op + 1;
  note_written(pass, value, root);
  if (pass->clocks != NULL) {
    berth_accesses_touch(&pass->writes, pass->clocks, value, op);
    berth_accesses_touch(&pass->family_writes, pass->clocks, root, op);
  }
  touch(pass, value, op);
  return fault(BERTH_LIVENESS_OK, value, op, BERTH_NO_INDEX);
}

static struct berth_liveness_finding walk(struct pass *pass) {
  const struct berth_graph *graph = pass->graph;
  struct berth_liveness_finding found = fault(BERTH_LIVENESS_OK, 0, 0, 0);
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->input_begin[op]; i < graph->input_begin[op + 1]; i++) {
      found = read(pass, op, graph->inputs[i]);
      if (found.fault != BERTH_LIVENESS_OK) {
        return found;
      }
    }
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      found = write(pass, op, graph->outputs[i]);
      if (found.fault != BERTH_LIVENESS_OK) {
        return found;
      }
    }
  }
  return found;
}

/* ---- The ends of the run, and roots ---- */

static void widen(struct pass *pass, uint32_t value, unsigned family) {
  if ((family & BERTH_FAMILY_GIVEN) != 0) {
    pass->lower[value] = 0;
    pass->upper[value] = pass->upper[value] == 0 ? 1 : pass->upper[value];
  }
  if ((family & BERTH_FAMILY_KEPT) != 0) {
    int64_t n_steps = berth_liveness_n_steps(pass->graph);
    pass->lower[value] = pass->lower[value] == n_steps ? 0 : pass->lower[value];
    pass->upper[value] = n_steps;
  }
}

/* A view that is kept but not touched itself says only that its root is kept. */
static void hand_to_root(struct pass *pass, uint32_t value, uint32_t root) {
  bool touched = pass->upper[value] != 0;
  if (touched) {
    pass->lower[root] = pass->lower[value] < pass->lower[root] ? pass->lower[value] : pass->lower[root];
    pass->upper[root] = pass->upper[value] > pass->upper[root] ? pass->upper[value] : pass->upper[root];
  }
}

static struct berth_liveness_finding settle(struct pass *pass) {
  const struct berth_graph *graph = pass->graph;
  for (uint32_t value = 0; value < graph->n_values; value++) {
    uint32_t root = berth_liveness_root(graph, value);
    if (root != value) {
      hand_to_root(pass, value, root);
    } else if ((pass->family[value] & (BERTH_FAMILY_GIVEN | BERTH_FAMILY_WRITTEN)) == 0) {
      return fault(BERTH_LIVENESS_NEVER_WRITTEN, value, BERTH_NO_INDEX, BERTH_NO_INDEX);
    }
  }
  for (uint32_t value = 0; value < graph->n_values; value++) {
    widen(
        pass, value,
        berth_liveness_root(graph, value) == value ? pass->family[value] : family_of_value(graph, value));
    if (pass->upper[value] == 0) { /* a view that nobody uses */
      pass->lower[value] = 0;
      pass->upper[value] = 1;
    }
  }
  return fault(BERTH_LIVENESS_OK, 0, 0, 0);
}

static bool begin(struct pass *pass, struct berth_arena *arena) {
  const struct berth_graph *graph = pass->graph;
  uint32_t n = graph->n_values;
  pass->writer = berth_arena_new_zeroed(arena, uint32_t, n);
  if (pass->writer == NULL) {
    return false;
  }
  if (graph->n_regions != 0) {
    pass->innermost = berth_regions_innermost(graph, arena);
    if (pass->innermost == NULL) {
      return false;
    }
  }
  if (graph->value_root != NULL) {
    pass->written_lower = berth_arena_new(arena, uint64_t, n);
    pass->written_upper = berth_arena_new(arena, uint64_t, n);
    if (pass->written_lower == NULL || pass->written_upper == NULL) {
      return false;
    }
  }
  if (pass->clocks != NULL && (!berth_accesses_init(&pass->writes, arena, pass->clocks, n) ||
                               !berth_accesses_init(&pass->family_writes, arena, pass->clocks, n))) {
    return false;
  }
  for (uint32_t value = 0; value < n; value++) {
    pass->lower[value] = berth_liveness_n_steps(graph);
    pass->upper[value] = 0;
    pass->family[berth_liveness_root(graph, value)] |= (uint8_t)family_of_value(graph, value);
  }
  return true;
}

struct berth_liveness_finding berth_liveness_derive(
    const struct berth_graph *graph, const struct berth_clocks *clocks,
    const struct berth_allocator *allocator, int64_t *lower, int64_t *upper, uint8_t *family) {
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  struct pass pass = {.graph = graph, .clocks = clocks, .lower = lower, .upper = upper, .family = family};
  struct berth_liveness_finding found =
      fault(BERTH_LIVENESS_OUT_OF_MEMORY, BERTH_NO_INDEX, BERTH_NO_INDEX, BERTH_NO_INDEX);
  if (begin(&pass, &arena)) {
    found = walk(&pass);
    found = found.fault == BERTH_LIVENESS_OK ? settle(&pass) : found;
    if (found.fault == BERTH_LIVENESS_OK && pass.innermost != NULL &&
        !berth_regions_widen(graph, pass.innermost, &arena, family, lower, upper)) {
      found = fault(BERTH_LIVENESS_OUT_OF_MEMORY, BERTH_NO_INDEX, BERTH_NO_INDEX, BERTH_NO_INDEX);
    }
  }
  berth_arena_finish(&arena);
  return found;
}
