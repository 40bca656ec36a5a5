/* Who lives in which buffer. A buffer has one owner: a root, or the workspace of an operator. Further tenants
 * came in by permissions to write in place; each such permission is judged here again from the graph alone,
 * because the two do share bytes while the operator runs. Once the operand is dead, the buffer holds only the
 * tenant's bytes. */
#include "verify/order.h"

struct columns {
  uint64_t *size;
  uint64_t *alignment;
  uint64_t *pin;
  int64_t *lower;
  int64_t *upper;
  uint8_t *class_;
};

struct tenancy {
  const struct berth_verify_facts *facts;
  const struct berth_problem *problem;
  const struct berth_graph *graph;
  const struct berth_permissions *permissions;
  struct berth_verify_roots roots;
  struct columns columns;           /* by buffer */
  struct berth_verify_order *order; /* NULL: a total order */
  uint32_t *region_of;              /* by operator: the innermost region + 1; 0: none */
  uint32_t *touch_begin;            /* by root, with streams: the operators that touch it */
  uint32_t *touches;
  uint8_t *n_owners;   /* by buffer */
  bool *in_place;      /* by value: written in the place of another */
  bool *taken;         /* by root: another was written in its place */
  uint32_t counted_op; /* the operator of whose lists the touches were counted, plus 1 */
  uint32_t *counted;   /* by root: the same, for those that it touches */
  uint32_t *n_touches; /* by root */
  uint32_t *home;      /* by root: the root in whose bytes it lies */
  uint64_t *offset;    /* by root: its first byte in its buffer */
  uint32_t *gap_begin; /* by buffer */
  struct berth_gap *gaps;
};

static bool take(struct tenancy *tenancy, struct berth_arena *arena) {
  uint32_t n = tenancy->facts->n;
  uint32_t n_values = tenancy->graph->n_values;
  struct columns *columns = &tenancy->columns;
  *columns = (struct columns){
      .size = berth_arena_new(arena, uint64_t, n),
      .alignment = berth_arena_new(arena, uint64_t, n),
      .pin = berth_arena_new(arena, uint64_t, n),
      .lower = berth_arena_new(arena, int64_t, n),
      .upper = berth_arena_new(arena, int64_t, n),
      .class_ = berth_arena_new(arena, uint8_t, n),
  };
  tenancy->region_of = berth_arena_new_zeroed(arena, uint32_t, tenancy->graph->n_operators);
  for (uint32_t r = 0; tenancy->region_of != NULL && r < tenancy->graph->n_regions; r++) {
    const struct berth_region_spec *region = &tenancy->graph->regions[r];
    for (uint32_t k = 0; k < region->n_operators; k++) { /* parents come first */
      tenancy->region_of[region->first_operator + k] = r + 1;
    }
  }
  tenancy->n_owners = berth_arena_new_zeroed(arena, uint8_t, n);
  tenancy->in_place = berth_arena_new_zeroed(arena, bool, n_values);
  tenancy->taken = berth_arena_new_zeroed(arena, bool, n_values);
  tenancy->counted = berth_arena_new_zeroed(arena, uint32_t, n_values);
  tenancy->n_touches = berth_arena_new_zeroed(arena, uint32_t, n_values);
  tenancy->home = berth_arena_new(arena, uint32_t, n_values);
  tenancy->offset = berth_arena_new_zeroed(arena, uint64_t, n_values);
  tenancy->gap_begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)n + 2);
  tenancy->gaps = berth_arena_new(arena, struct berth_gap, tenancy->permissions->n);
  return columns->size != NULL && columns->alignment != NULL && columns->pin != NULL &&
         columns->lower != NULL && columns->upper != NULL && columns->class_ != NULL &&
         tenancy->region_of != NULL && tenancy->n_owners != NULL && tenancy->in_place != NULL &&
         tenancy->taken != NULL && tenancy->counted != NULL && tenancy->n_touches != NULL &&
         tenancy->home != NULL && tenancy->offset != NULL && tenancy->gap_begin != NULL &&
         tenancy->gaps != NULL;
}

/* ---- Owners ---- */

static enum berth_code fail_accounting(struct berth_error *err, uint32_t buffer) {
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, buffer, NULL,
      "buffer %u is not the buffer of exactly one value or workspace of the graph", buffer);
}

static bool own(struct tenancy *tenancy, uint32_t buffer) {
  return buffer < tenancy->facts->n && tenancy->n_owners[buffer]++ == 0;
}

static void move_in(struct tenancy *tenancy, uint32_t buffer, uint32_t root) {
  struct berth_value_spec value = berth_problem_value(tenancy->problem, root);
  tenancy->columns.size[buffer] = value.size_bytes;
  tenancy->columns.alignment[buffer] = value.alignment;
  tenancy->columns.pin[buffer] = value.pinned_offset;
  tenancy->columns.class_[buffer] = (uint8_t)value.class_;
  tenancy->columns.lower[buffer] = tenancy->roots.lower[root];
  tenancy->columns.upper[buffer] = tenancy->roots.upper[root];
}

static void move_in_workspace(struct tenancy *tenancy, uint32_t buffer, uint32_t op) {
  tenancy->columns.size[buffer] = tenancy->facts->size[buffer];
  tenancy->columns.alignment[buffer] = tenancy->facts->alignment[buffer];
  tenancy->columns.pin[buffer] = BERTH_UNPINNED;
  tenancy->columns.class_[buffer] = BERTH_CLASS_WORKSPACE;
  tenancy->columns.lower[buffer] = op;
  tenancy->columns.upper[buffer] = (int64_t)op + 1;
}

static bool is_external(const struct berth_graph *graph, uint32_t value) {
  return (graph->value_flags[value] & BERTH_VALUE_EXTERNAL) != 0;
}

static enum berth_code settle_owners(struct tenancy *tenancy, struct berth_error *err) {
  const struct berth_graph *graph = tenancy->graph;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    tenancy->home[v] = v;
  }
  for (uint32_t k = 0; k < tenancy->permissions->n; k++) {
    if (tenancy->permissions->items[k].answer == BERTH_INPLACE_USED) {
      tenancy->in_place[tenancy->permissions->items[k].result] = true;
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    if (berth_verify_root(graph, v) != v || tenancy->in_place[v] || is_external(graph, v)) {
      continue;
    }
    if (!own(tenancy, graph->value_buffer[v])) {
      return fail_accounting(err, graph->value_buffer[v]);
    }
    move_in(tenancy, graph->value_buffer[v], v);
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t buffer = graph->operator_workspace[op];
    if (buffer != BERTH_NO_INDEX) {
      if (!own(tenancy, buffer)) {
        return fail_accounting(err, buffer);
      }
      move_in_workspace(tenancy, buffer, op);
    }
  }
  for (uint32_t i = 0; i < tenancy->facts->n; i++) {
    if (tenancy->n_owners[i] == 0) {
      return fail_accounting(err, i);
    }
  }
  return BERTH_OK;
}

/* ---- In place ---- */

static void count_list(struct tenancy *tenancy, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    uint32_t root = berth_verify_root(tenancy->graph, values[k]);
    tenancy->n_touches[root] = tenancy->counted[root] == op + 1 ? tenancy->n_touches[root] + 1 : 1;
    tenancy->counted[root] = op + 1;
  }
}

/* How often the operator's lists name each root or a view of it; once for an operator. */
static void count_touches(struct tenancy *tenancy, uint32_t op) {
  if (tenancy->counted_op != op + 1) {
    count_list(tenancy, op, tenancy->graph->input_begin, tenancy->graph->inputs);
    count_list(tenancy, op, tenancy->graph->output_begin, tenancy->graph->outputs);
    tenancy->counted_op = op + 1;
  }
}

/* With streams: all others that touch the operand have run before, and all others that touch the result run
 * after. Each root is an operand once and a result once. */
static bool is_alone(const struct tenancy *tenancy, const struct berth_permission *used) {
  const struct berth_verify_order *order = tenancy->order;
  if (order == NULL) {
    return true;
  }
  uint32_t from = berth_verify_root(tenancy->graph, used->operand);
  for (uint32_t k = tenancy->touch_begin[from]; k < tenancy->touch_begin[from + 1]; k++) {
    uint32_t op = tenancy->touches[k];
    if (op != used->op && !berth_verify_runs_before(order, op, used->op)) {
      return false;
    }
  }
  for (uint32_t k = tenancy->touch_begin[used->result]; k < tenancy->touch_begin[used->result + 1]; k++) {
    uint32_t op = tenancy->touches[k];
    if (op != used->op && !berth_verify_runs_before(order, used->op, op)) {
      return false;
    }
  }
  return true;
}

/* In a loop, what is there when a trip begins and is there when it ends is wanted in the next trip. */
static bool is_wanted_next_trip(const struct tenancy *tenancy, uint32_t op, uint32_t root) {
  for (uint32_t r = tenancy->region_of[op]; r != 0; r = tenancy->graph->regions[r - 1].parent + 1) {
    const struct berth_region_spec *region = &tenancy->graph->regions[r - 1];
    int64_t end = (int64_t)region->first_operator + region->n_operators;
    if (region->kind == BERTH_REGION_LOOP && tenancy->roots.lower[root] <= (int64_t)region->first_operator &&
        tenancy->roots.upper[root] >= end) {
      return true;
    }
  }
  return false;
}

static bool is_safe(const struct tenancy *tenancy, const struct berth_permission *used) {
  const struct berth_graph *graph = tenancy->graph;
  uint32_t from = berth_verify_root(graph, used->operand);
  uint32_t to = used->result;
  bool ours = !is_external(graph, from) || (graph->value_flags[from] & BERTH_VALUE_DONATED) != 0;
  bool operand_dies = ours && !is_wanted_next_trip(tenancy, used->op, from) && !tenancy->roots.kept[from] &&
                      tenancy->roots.upper[from] == (int64_t)used->op + 1 && !tenancy->taken[from] &&
                      tenancy->counted[from] == used->op + 1 && tenancy->n_touches[from] == 1;
  bool result_is_new = tenancy->counted[to] == used->op + 1 && tenancy->n_touches[to] == 1 &&
                       berth_verify_root(graph, to) == to && !is_external(graph, to) &&
                       tenancy->roots.lower[to] == (int64_t)used->op && tenancy->roots.produced[to] &&
                       graph->value_class[to] != BERTH_CLASS_INPUT &&
                       graph->value_class[to] != BERTH_CLASS_STATE;
  bool fits = graph->value_size_bytes[to] <= graph->value_size_bytes[used->operand];
  return operand_dies && result_is_new && fits && is_alone(tenancy, used) &&
         graph->value_buffer[to] == graph->value_buffer[from];
}

static enum berth_code fail_tenant(struct berth_error *err, const struct berth_permission *used) {
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, used->result, NULL,
      "value %u may not be written in the place of value %u by operator %u", used->result, used->operand,
      used->op);
}

/* The tenant's bytes alone are held after the operand's death; gap_begin counts for now. */
static void note_gap(struct tenancy *tenancy, const struct berth_permission *used, struct berth_gap *gap) {
  int64_t after = (int64_t)used->op + 1;
  uint64_t first = tenancy->offset[used->result];
  *gap = (struct berth_gap){
      .lower = after,
      .upper = tenancy->roots.upper[used->result],
      .window_lower = first,
      .window_upper = first + tenancy->graph->value_size_bytes[used->result]};
}

static enum berth_code
move_in_tenants(struct tenancy *tenancy, struct berth_gap *gap_of, struct berth_error *err) {
  const struct berth_graph *graph = tenancy->graph;
  for (uint32_t k = 0; k < tenancy->permissions->n; k++) {
    const struct berth_permission *used = &tenancy->permissions->items[k];
    if (used->answer != BERTH_INPLACE_USED) {
      continue;
    }
    uint32_t from = berth_verify_root(graph, used->operand);
    count_touches(tenancy, used->op);
    if (!is_safe(tenancy, used)) {
      return fail_tenant(err, used);
    }
    uint64_t in_root = graph->value_view_offset != NULL ? graph->value_view_offset[used->operand] : 0;
    tenancy->taken[from] = true;
    tenancy->home[used->result] = tenancy->home[from];
    tenancy->offset[used->result] = tenancy->offset[from] + in_root;
    uint32_t buffer = graph->value_buffer[used->result];
    if (buffer == BERTH_NO_INDEX) { /* in the caller's bytes */
      continue;
    }
    int64_t upper = tenancy->roots.upper[used->result];
    tenancy->columns.upper[buffer] =
        upper > tenancy->columns.upper[buffer] ? upper : tenancy->columns.upper[buffer];
    note_gap(tenancy, used, &gap_of[k]);
    tenancy->gap_begin[buffer + 2]++;
  }
  return BERTH_OK;
}

/* Gaps by buffer; gap_begin[b + 2] has the counts, and ends as the ranges of b in [b], [b + 1]. */
static void order_gaps(struct tenancy *tenancy, const struct berth_gap *gap_of) {
  for (uint32_t b = 0; b < tenancy->facts->n; b++) {
    tenancy->gap_begin[b + 2] += tenancy->gap_begin[b + 1];
  }
  for (uint32_t k = 0; k < tenancy->permissions->n; k++) {
    const struct berth_permission *used = &tenancy->permissions->items[k];
    bool here = tenancy->graph->value_buffer[used->result] != BERTH_NO_INDEX;
    if (used->answer == BERTH_INPLACE_USED && here) {
      uint32_t buffer = tenancy->graph->value_buffer[used->result];
      tenancy->gaps[tenancy->gap_begin[buffer + 1]++] = gap_of[k];
    }
  }
}

/* ---- What every name asks of the place ---- */

/* In the caller's bytes: what the caller's own names of them ask for is all that is sure. */
static enum berth_code
check_donors(const struct tenancy *tenancy, struct berth_arena *arena, struct berth_error *err) {
  const struct berth_graph *graph = tenancy->graph;
  uint64_t *sure = berth_arena_new_zeroed(arena, uint64_t, graph->n_values);
  if (sure == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t root = berth_verify_root(graph, v);
    if (is_external(graph, root) && graph->value_alignment[v] > sure[root]) {
      sure[root] = graph->value_alignment[v];
    }
  }
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t home = tenancy->home[berth_verify_root(graph, v)];
    if (is_external(graph, home) && graph->value_alignment[v] > sure[home]) {
      return berth_fail(
          err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, v, NULL,
          "value %u lies in the bytes of value %u, which need not be aligned to %llu", v, home,
          (unsigned long long)graph->value_alignment[v]);
    }
  }
  return BERTH_OK;
}

static enum berth_code check_names(struct tenancy *tenancy, struct berth_error *err) {
  const struct berth_graph *graph = tenancy->graph;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t root = berth_verify_root(graph, v);
    uint32_t buffer = graph->value_buffer[v];
    uint64_t offset =
        tenancy->offset[root] + (graph->value_view_offset != NULL ? graph->value_view_offset[v] : 0);
    uint64_t alignment = graph->value_alignment[v];
    if (is_external(graph, root)) {
      continue;
    }
    if (buffer == BERTH_NO_INDEX && !tenancy->in_place[root]) {
      return fail_accounting(err, buffer);
    }
    if (buffer != graph->value_buffer[root] || (offset & (alignment - 1)) != 0 ||
        offset != (graph->value_offset != NULL ? graph->value_offset[v] : 0)) {
      return berth_fail(
          err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, v, NULL, "value %u is not where its root is", v);
    }
    if (buffer != BERTH_NO_INDEX && alignment > tenancy->columns.alignment[buffer]) {
      tenancy->columns.alignment[buffer] = alignment;
    }
  }
  return BERTH_OK;
}

/* ---- Streams ---- */

static void list_touches(struct tenancy *tenancy, const uint32_t *begin, const uint32_t *values, bool count) {
  for (uint32_t op = 0; op < tenancy->graph->n_operators; op++) {
    for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
      uint32_t root = berth_verify_root(tenancy->graph, values[k]);
      if (count) {
        tenancy->touch_begin[root + 2]++;
      } else {
        tenancy->touches[tenancy->touch_begin[root + 1]++] = op;
      }
    }
  }
}

/* The operators that touch each root, by root: counted into [root + 2], filled from [root + 1]. */
static enum berth_code
order_streams(struct tenancy *tenancy, struct berth_arena *arena, struct berth_error *err) {
  const struct berth_graph *graph = tenancy->graph;
  if (graph->operator_stream == NULL) {
    return BERTH_OK;
  }
  uint32_t n = graph->n_values;
  size_t n_touches = (size_t)graph->input_begin[graph->n_operators] + graph->output_begin[graph->n_operators];
  tenancy->order = berth_arena_new(arena, struct berth_verify_order, 1);
  tenancy->touch_begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)n + 2);
  tenancy->touches = berth_arena_new(arena, uint32_t, n_touches);
  if (tenancy->order == NULL || tenancy->touch_begin == NULL || tenancy->touches == NULL) {
    return berth_fail_memory(err);
  }
  for (int pass = 0; pass < 2; pass++) {
    list_touches(tenancy, graph->input_begin, graph->inputs, pass == 0);
    list_touches(tenancy, graph->output_begin, graph->outputs, pass == 0);
    if (pass == 0) {
      for (uint32_t v = 1; v < n + 2; v++) {
        tenancy->touch_begin[v] += tenancy->touch_begin[v - 1];
      }
    }
  }
  enum berth_code code = berth_verify_order_make(tenancy->order, graph, arena, err);
  return code != BERTH_OK
             ? code
             : berth_verify_order_buffers(tenancy->order, &tenancy->roots, tenancy->facts->n, arena, err);
}

static void state(const struct tenancy *tenancy, struct berth_verify_facts *facts) {
  facts->size = tenancy->columns.size;
  facts->alignment = tenancy->columns.alignment;
  facts->pin = tenancy->columns.pin;
  facts->lower = tenancy->columns.lower;
  facts->upper = tenancy->columns.upper;
  facts->class_ = tenancy->columns.class_;
  /* With streams, what is listed after the operand need not run after it: its bytes stay held. */
  facts->gap_begin = tenancy->order == NULL ? tenancy->gap_begin : NULL;
  facts->gaps = tenancy->gaps;
  facts->order = tenancy->order;
}

enum berth_code berth_verify_derive(
    struct berth_verify_facts *facts, const struct berth_problem *problem, struct berth_arena *arena,
    struct berth_error *err) {
  struct tenancy tenancy = {
      .facts = facts,
      .problem = problem,
      .graph = berth_problem_graph(problem),
      .permissions = berth_problem_permissions(problem)};
  struct berth_gap *gap_of = berth_arena_new(arena, struct berth_gap, tenancy.permissions->n);
  if (gap_of == NULL || !take(&tenancy, arena)) {
    return berth_fail_memory(err);
  }
  enum berth_code code = berth_verify_roots_derive(&tenancy.roots, tenancy.graph, arena, err);
  code = code != BERTH_OK ? code : order_streams(&tenancy, arena, err);
  code = code != BERTH_OK ? code : settle_owners(&tenancy, err);
  code = code != BERTH_OK ? code : move_in_tenants(&tenancy, gap_of, err);
  code = code != BERTH_OK ? code : check_names(&tenancy, err);
  code = code != BERTH_OK ? code : check_donors(&tenancy, arena, err);
  if (code == BERTH_OK) {
    order_gaps(&tenancy, gap_of);
    state(&tenancy, facts);
  }
  return code;
}
