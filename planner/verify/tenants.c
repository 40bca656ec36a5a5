/* Who lives in which buffer. A workspace has one of its own; roots have one each, unless they came together
 * by permissions, each of which is judged here again from the graph alone, in their order, since the two do
 * share bytes. From a permission on, the result is who lives there: an operand inside it ends, and the result
 * lives as long as that is read. So of the roots of one buffer only those that a permission names are live at
 * once in the same bytes, at its operator. Where each lies in its buffer is taken as stated, and held to what
 * the permissions say. */
#include "base/sort.h"
#include "verify/slices.h"

struct columns {
  uint64_t *size;
  uint64_t *alignment;
  uint64_t *pin;
  int64_t *lower;
  int64_t *upper;
  uint8_t *class_;
  uint32_t *owner;
  uint32_t *accesses;
};

struct tenancy {
  const struct berth_verify_facts *facts;
  const struct berth_problem *problem;
  const struct berth_graph *graph;
  const struct berth_permissions *permissions;
  struct berth_verify_roots roots;
  struct columns columns;           /* by buffer */
  bool counts_accesses;             /* some value is accessed more often than once, or never */
  struct berth_verify_order *order; /* NULL: a total order */
  uint32_t *region_of;              /* by operator: the innermost region + 1; 0: none */
  uint32_t *touch_begin;            /* by root, with streams: the operators that touch it */
  uint32_t *touches;
  bool *writes;        /* whether it writes it */
  uint8_t *n_owners;   /* by buffer */
  bool *taken;         /* by root: another was written in its place, or it lies inside another */
  bool *joined;        /* by root: others came to live with it */
  bool *meets;         /* by permission: INSIDE, in the bytes of another of them */
  uint32_t counted_op; /* the operator of whose lists the touches were counted, plus 1 */
  uint32_t *counted;   /* by root: the same, for those that it touches */
  uint32_t *n_touches; /* by root, with those inside it */
  uint32_t *around;    /* by root: the root that it lies inside; itself: none */
  uint32_t *inner;     /* by root: one that lies inside, and each of these the next, and the one around; */
  uint32_t *beside;    /* BERTH_NO_INDEX: none */
  uint32_t *outer;
  uint32_t *last_write; /* by root: the last operator that writes it, plus 1 */
  int64_t *until;       /* by root: the end of its lifetime, with that of those inside it */
  uint32_t *home;       /* by root: who lived where it came to live; itself: at home */
  uint64_t *low;        /* by root that is at home: the bytes in the buffer of all that live there */
  uint64_t *high;
  uint64_t *offset;                   /* by root: its first byte in its buffer, as stated */
  struct berth_verify_gaps gaps;      /* in a total order, */
  struct berth_verify_slices *slices; /* else */
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
      .owner = berth_arena_new(arena, uint32_t, n),
      .accesses = berth_arena_new(arena, uint32_t, n),
  };
  tenancy->region_of = berth_arena_new_zeroed(arena, uint32_t, tenancy->graph->n_operators);
  for (uint32_t r = 0; tenancy->region_of != NULL && r < tenancy->graph->n_regions; r++) {
    const struct berth_region_spec *region = &tenancy->graph->regions[r];
    for (uint32_t k = 0; k < region->n_operators; k++) { /* parents come first */
      tenancy->region_of[region->first_operator + k] = r + 1;
    }
  }
  tenancy->n_owners = berth_arena_new_zeroed(arena, uint8_t, n);
  tenancy->joined = berth_arena_new_zeroed(arena, bool, n_values);
  tenancy->meets = berth_arena_new_zeroed(arena, bool, tenancy->permissions->n);
  tenancy->last_write = berth_arena_new_zeroed(arena, uint32_t, n_values);
  tenancy->around = berth_arena_new(arena, uint32_t, n_values);
  tenancy->inner = berth_arena_new(arena, uint32_t, n_values);
  tenancy->beside = berth_arena_new(arena, uint32_t, n_values);
  tenancy->outer = berth_arena_new(arena, uint32_t, n_values);
  tenancy->until = berth_arena_new(arena, int64_t, n_values);
  tenancy->low = berth_arena_new(arena, uint64_t, n_values);
  tenancy->high = berth_arena_new(arena, uint64_t, n_values);
  tenancy->taken = berth_arena_new_zeroed(arena, bool, n_values);
  tenancy->counted = berth_arena_new_zeroed(arena, uint32_t, n_values);
  tenancy->n_touches = berth_arena_new_zeroed(arena, uint32_t, n_values);
  tenancy->home = berth_arena_new(arena, uint32_t, n_values);
  tenancy->offset = berth_arena_new(arena, uint64_t, n_values);
  return columns->size != NULL && columns->alignment != NULL && columns->pin != NULL &&
         columns->lower != NULL && columns->upper != NULL && columns->class_ != NULL &&
         columns->owner != NULL && columns->accesses != NULL && tenancy->region_of != NULL &&
         tenancy->n_owners != NULL && tenancy->joined != NULL && tenancy->meets != NULL &&
         tenancy->around != NULL && tenancy->inner != NULL && tenancy->beside != NULL &&
         tenancy->outer != NULL && tenancy->last_write != NULL && tenancy->until != NULL &&
         tenancy->low != NULL && tenancy->high != NULL && tenancy->taken != NULL &&
         tenancy->counted != NULL && tenancy->n_touches != NULL && tenancy->home != NULL &&
         tenancy->offset != NULL;
}

/* ---- Homes ---- */

static bool is_external(const struct berth_graph *graph, uint32_t value) {
  return (graph->value_flags[value] & (BERTH_VALUE_EXTERNAL | BERTH_VALUE_DYNAMIC)) != 0;
}

static uint32_t home_of(struct tenancy *tenancy, uint32_t root) {
  uint32_t *home = tenancy->home;
  while (home[root] != root) {
    home[root] = home[home[root]];
    root = home[root];
  }
  return root;
}

static void settle_at_home(struct tenancy *tenancy) {
  const struct berth_graph *graph = tenancy->graph;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    tenancy->home[v] = v;
    tenancy->around[v] = v;
    tenancy->inner[v] = tenancy->beside[v] = BERTH_NO_INDEX;
    tenancy->until[v] = tenancy->roots.upper[v];
    tenancy->offset[v] = graph->value_offset != NULL ? graph->value_offset[v] : 0;
    tenancy->low[v] = tenancy->offset[v];
    tenancy->high[v] = tenancy->offset[v] + graph->value_size_bytes[v];
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t k = graph->output_begin[op]; k < graph->output_begin[op + 1]; k++) {
      tenancy->last_write[berth_verify_root(graph, graph->outputs[k])] = op + 1;
    }
  }
}

/* `guest`, at home with all that live there, comes to live with `host`, who is at home. */
static void move_together(struct tenancy *tenancy, uint32_t host, uint32_t guest) {
  tenancy->home[guest] = host;
  tenancy->joined[host] = true;
  tenancy->low[host] = tenancy->low[guest] < tenancy->low[host] ? tenancy->low[guest] : tenancy->low[host];
  tenancy->high[host] =
      tenancy->high[guest] > tenancy->high[host] ? tenancy->high[guest] : tenancy->high[host];
}

/* ---- Buffers ---- */

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
  tenancy->columns.size[buffer] = tenancy->high[root];
  tenancy->columns.alignment[buffer] = value.alignment;
  tenancy->columns.pin[buffer] = value.pinned_offset;
  tenancy->columns.class_[buffer] = (uint8_t)value.class_;
  tenancy->columns.owner[buffer] = root;
  tenancy->columns.accesses[buffer] = value.accesses;
  tenancy->columns.lower[buffer] = tenancy->roots.lower[root];
  tenancy->columns.upper[buffer] = tenancy->roots.upper[root];
}

static void move_in_workspace(struct tenancy *tenancy, uint32_t buffer, uint32_t op) {
  tenancy->columns.size[buffer] = tenancy->facts->size[buffer];
  tenancy->columns.alignment[buffer] = tenancy->facts->alignment[buffer];
  tenancy->columns.pin[buffer] = BERTH_UNPINNED;
  tenancy->columns.class_[buffer] = BERTH_CLASS_WORKSPACE;
  tenancy->columns.owner[buffer] = BERTH_NO_INDEX;
  tenancy->columns.accesses[buffer] = 1;
  tenancy->columns.lower[buffer] = op;
  tenancy->columns.upper[buffer] = (int64_t)op + 1;
}

/* Those who came to live there: in the same buffer, which lives as long as any of them. */
static enum berth_code move_in_guest(struct tenancy *tenancy, uint32_t root, struct berth_error *err) {
  uint32_t host = home_of(tenancy, root);
  uint32_t buffer = tenancy->graph->value_buffer[host];
  if (tenancy->graph->value_buffer[root] != buffer) {
    return fail_accounting(err, tenancy->graph->value_buffer[root]);
  }
  if (buffer != BERTH_NO_INDEX) {
    int64_t *lower = &tenancy->columns.lower[buffer];
    int64_t *upper = &tenancy->columns.upper[buffer];
    *lower = tenancy->roots.lower[root] < *lower ? tenancy->roots.lower[root] : *lower;
    *upper = tenancy->roots.upper[root] > *upper ? tenancy->roots.upper[root] : *upper;
    uint32_t more = tenancy->counts_accesses ? berth_problem_value(tenancy->problem, root).accesses : 0;
    uint32_t *accesses = &tenancy->columns.accesses[buffer];
    *accesses = more > UINT32_MAX - *accesses ? UINT32_MAX : *accesses + more;
  }
  return BERTH_OK;
}

static enum berth_code settle_owners(struct tenancy *tenancy, struct berth_error *err) {
  const struct berth_graph *graph = tenancy->graph;
  enum berth_code code = BERTH_OK;
  for (uint32_t v = 0; v < graph->n_values; v++) {
    tenancy->counts_accesses |= berth_problem_value(tenancy->problem, v).accesses != 1;
    if (berth_verify_root(graph, v) != v || home_of(tenancy, v) != v || is_external(graph, v)) {
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
  for (uint32_t v = 0; v < graph->n_values && code == BERTH_OK; v++) {
    bool guest = berth_verify_root(graph, v) == v && home_of(tenancy, v) != v;
    code = guest ? move_in_guest(tenancy, v, err) : BERTH_OK;
  }
  return code;
}

/* ---- In place ---- */

static void count_list(struct tenancy *tenancy, uint32_t op, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
    uint32_t root = berth_verify_root(tenancy->graph, values[k]);
    while (tenancy->around[root] != root) { /* whoever touches what lies inside touches what is around it */
      tenancy->around[root] = tenancy->around[tenancy->around[root]];
      root = tenancy->around[root];
    }
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

static bool all_before(const struct tenancy *tenancy, uint32_t root, uint32_t op) {
  for (uint32_t k = tenancy->touch_begin[root]; k < tenancy->touch_begin[root + 1]; k++) {
    uint32_t other = tenancy->touches[k];
    if (other != op && !berth_verify_runs_before(tenancy->order, other, op)) {
      return false;
    }
  }
  return true;
}

/* With streams: all others that touch the result run after the operator. */
static bool is_first(const struct tenancy *tenancy, const struct berth_permission *used) {
  uint32_t begin = tenancy->order != NULL ? tenancy->touch_begin[used->result] : 0;
  uint32_t end = tenancy->order != NULL ? tenancy->touch_begin[used->result + 1] : 0;
  for (uint32_t k = begin; k < end; k++) {
    uint32_t op = tenancy->touches[k];
    if (op != used->op && !berth_verify_runs_before(tenancy->order, used->op, op)) {
      return false;
    }
  }
  return true;
}

/* With streams: all others that touch the operand, or what lies inside it, have run before, and the result is
 * nobody's until then. Each root is an operand once and a result once, and so is looked at once. */
static bool is_alone(const struct tenancy *tenancy, const struct berth_permission *used) {
  if (tenancy->order == NULL) {
    return true;
  }
  uint32_t from = berth_verify_root(tenancy->graph, used->operand);
  uint32_t at = from;
  for (;;) {
    if (!all_before(tenancy, at, used->op)) {
      return false;
    }
    if (tenancy->inner[at] != BERTH_NO_INDEX) { /* down, else along, else up and along */
      at = tenancy->inner[at];
      continue;
    }
    while (at != from && tenancy->beside[at] == BERTH_NO_INDEX) {
      at = tenancy->outer[at];
    }
    if (at == from) {
      return is_first(tenancy, used);
    }
    at = tenancy->beside[at];
  }
}

/* With streams: all that write the operand have run before. */
static bool is_written(const struct tenancy *tenancy, const struct berth_permission *used) {
  uint32_t begin = tenancy->order != NULL ? tenancy->touch_begin[used->operand] : 0;
  uint32_t end = tenancy->order != NULL ? tenancy->touch_begin[used->operand + 1] : 0;
  for (uint32_t k = begin; k < end; k++) {
    uint32_t op = tenancy->touches[k];
    if (tenancy->writes[k] && op != used->op && !berth_verify_runs_before(tenancy->order, op, used->op)) {
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
        tenancy->until[root] >= end) {
      return true;
    }
  }
  return false;
}

static bool is_pinned(const struct tenancy *tenancy, uint32_t root) {
  return berth_problem_value(tenancy->problem, root).pinned_offset != BERTH_UNPINNED;
}

static uint64_t first_byte(const struct tenancy *tenancy, uint32_t value) {
  const struct berth_graph *graph = tenancy->graph;
  uint64_t in_root = graph->value_view_offset != NULL ? graph->value_view_offset[value] : 0;
  return tenancy->offset[berth_verify_root(graph, value)] + in_root;
}

/* The operand is ours, or was donated to be written over, and not wanted when the run ends, or in the next
 * trip; nothing lies in its place yet. The result is made by this operator. Neither is named twice. */
static bool may_share(struct tenancy *tenancy, const struct berth_permission *used) {
  const struct berth_graph *graph = tenancy->graph;
  uint32_t from = berth_verify_root(graph, used->operand);
  uint32_t to = used->result;
  bool donated = (graph->value_flags[from] & BERTH_VALUE_DONATED) != 0 && used->kind == BERTH_INPLACE_OVER;
  bool named_once = tenancy->counted[from] == used->op + 1 && tenancy->n_touches[from] == 1 &&
                    tenancy->counted[to] == used->op + 1 && tenancy->n_touches[to] == 1;
  bool operand_gives_way = (!is_external(graph, from) || donated) && !tenancy->roots.kept[from] &&
                           !is_wanted_next_trip(tenancy, used->op, from) && !tenancy->taken[from];
  bool result_is_new = berth_verify_root(graph, to) == to && !is_external(graph, to) &&
                       tenancy->roots.lower[to] == (int64_t)used->op && tenancy->roots.produced[to] &&
                       !tenancy->roots.given[to] && graph->value_class[to] != BERTH_CLASS_INPUT &&
                       graph->value_class[to] != BERTH_CLASS_STATE;
  bool foreign = is_external(graph, home_of(tenancy, from));
  bool place_suits =
      (!foreign || used->kind == BERTH_INPLACE_OVER) && !is_pinned(tenancy, from) && !is_pinned(tenancy, to);
  return named_once && operand_gives_way && result_is_new && place_suits;
}

/* Over the operand or behind it: nobody touches that any more. */
static bool may_overwrite(struct tenancy *tenancy, const struct berth_permission *used) {
  uint32_t from = berth_verify_root(tenancy->graph, used->operand);
  uint64_t place = first_byte(tenancy, used->operand);
  uint64_t own = tenancy->offset[used->result];
  if (tenancy->until[from] != (int64_t)used->op + 1 || tenancy->home[used->result] != used->result ||
      tenancy->joined[used->result]) {
    return false;
  }
  if (used->kind == BERTH_INPLACE_OVER) {
    return own == place && is_alone(tenancy, used) &&
           tenancy->graph->value_size_bytes[used->result] <= tenancy->graph->value_size_bytes[used->operand];
  }
  return own <= place && place - own >= used->bytes && is_alone(tenancy, used);
}

/* Inside the result: nobody writes those bytes any more, and what was there before reaches not beyond. */
static bool may_move_inside(struct tenancy *tenancy, const struct berth_permission *used, bool meets) {
  const struct berth_graph *graph = tenancy->graph;
  uint32_t from = used->operand;
  uint32_t to = used->result;
  uint64_t size = graph->value_size_bytes[from];
  uint64_t room = graph->value_size_bytes[to];
  uint32_t host = home_of(tenancy, berth_verify_root(graph, from));
  bool fits = size <= room && used->bytes <= room - size &&
              tenancy->offset[from] == tenancy->offset[to] + used->bytes &&
              tenancy->low[host] >= tenancy->offset[from] &&
              tenancy->high[host] <= tenancy->offset[from] + size;
  bool written_once = tenancy->last_write[from] <= used->op && tenancy->last_write[to] == used->op + 1;
  return berth_verify_root(graph, from) == from && !meets && fits && written_once &&
         home_of(tenancy, to) == to && is_written(tenancy, used) && is_first(tenancy, used);
}

static enum berth_code fail_tenant(struct berth_error *err, const struct berth_permission *used) {
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, used->result, NULL,
      "value %u may not share the bytes of value %u at operator %u", used->result, used->operand, used->op);
}

static enum berth_code use(struct tenancy *tenancy, uint32_t permission, struct berth_error *err) {
  const struct berth_permission *used = &tenancy->permissions->items[permission];
  uint32_t from = berth_verify_root(tenancy->graph, used->operand);
  uint32_t to = used->result;
  bool inside = used->kind == BERTH_INPLACE_INSIDE;
  count_touches(tenancy, used->op);
  bool safe = may_share(tenancy, used) && (inside ? may_move_inside(tenancy, used, tenancy->meets[permission])
                                                  : may_overwrite(tenancy, used));
  if (!safe) {
    return fail_tenant(err, used);
  }
  tenancy->taken[from] = true;
  if (!inside) {
    move_together(tenancy, home_of(tenancy, from), to);
    return BERTH_OK;
  }
  move_together(tenancy, to, home_of(tenancy, from));
  tenancy->around[from] = to;
  tenancy->outer[from] = to;
  tenancy->beside[from] = tenancy->inner[to];
  tenancy->inner[to] = from;
  tenancy->until[to] = tenancy->until[from] > tenancy->until[to] ? tenancy->until[from] : tenancy->until[to];
  tenancy->until[from] = (int64_t)used->op + 1;
  return BERTH_OK;
}

static bool says_the_same(const struct berth_permission *a, const struct berth_permission *b) {
  return a->op == b->op && a->result == b->result && a->operand == b->operand && a->bytes == b->bytes;
}

/* What the operator copies, whether or not the permission is used; without a known end where the size has
 * none. */
static uint64_t copied(const struct berth_graph *graph, uint32_t operand) {
  bool endless = (graph->value_flags[berth_verify_root(graph, operand)] & BERTH_VALUE_DYNAMIC) != 0;
  return endless ? UINT64_MAX : graph->value_size_bytes[operand];
}

/* By operator, result and first byte: one lies in the bytes of another if one before it ends later than it
 * begins, or the next one begins before it ends. Of those that say the same the first speaks for all: only
 * one of them can be used. */
static enum berth_code
find_meeting(struct tenancy *tenancy, struct berth_arena *arena, struct berth_error *err) {
  const struct berth_permission *items = tenancy->permissions->items;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_sort_item *sorted = berth_arena_new(arena, struct berth_sort_item, tenancy->permissions->n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, tenancy->permissions->n);
  if (sorted == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  size_t n = 0;
  for (uint32_t k = 0; k < tenancy->permissions->n; k++) {
    if (items[k].kind == BERTH_INPLACE_INSIDE && copied(tenancy->graph, items[k].operand) > 0) {
      sorted[n++] = (struct berth_sort_item){.key = items[k].operand, .index = k};
    }
  }
  berth_sort_items(sorted, scratch, n);
  for (size_t i = 0; i < n; i++) {
    sorted[i].key = items[sorted[i].index].bytes;
  }
  berth_sort_items(sorted, scratch, n);
  for (size_t i = 0; i < n; i++) {
    sorted[i].key = (uint64_t)items[sorted[i].index].op << 32 | items[sorted[i].index].result;
  }
  berth_sort_items(sorted, scratch, n);
  size_t n_different = 0;
  for (size_t i = 0; i < n; i++) {
    bool again = i > 0 && says_the_same(&items[sorted[n_different - 1].index], &items[sorted[i].index]);
    sorted[n_different] = sorted[again ? n_different - 1 : i];
    n_different += !again;
  }
  n = n_different;
  uint64_t end = 0;
  for (size_t i = 0; i < n; i++) {
    const struct berth_permission *it = &items[sorted[i].index];
    uint64_t size = copied(tenancy->graph, it->operand);
    uint64_t own_end = it->bytes > UINT64_MAX - size ? UINT64_MAX : it->bytes + size;
    bool alone_so_far = i == 0 || sorted[i].key != sorted[i - 1].key;
    bool last = i + 1 == n || sorted[i].key != sorted[i + 1].key;
    bool before = !alone_so_far && end > it->bytes;
    bool after = !last && items[sorted[i + 1].index].bytes < own_end;
    tenancy->meets[sorted[i].index] = before || after;
    end = alone_so_far || own_end > end ? own_end : end;
  }
  berth_arena_rewind(arena, mark);
  return BERTH_OK;
}

static enum berth_code
use_permissions(struct tenancy *tenancy, struct berth_arena *arena, struct berth_error *err) {
  enum berth_code code = find_meeting(tenancy, arena, err);
  for (uint32_t k = 0; k < tenancy->permissions->n && code == BERTH_OK; k++) {
    if (tenancy->permissions->items[k].answer == BERTH_INPLACE_USED) {
      code = use(tenancy, k, err);
    }
  }
  return code;
}

/* ---- What every name asks of the place ---- */

/* In the caller's bytes: what the caller's own names of them ask for is all that is sure. */
static enum berth_code
check_donors(struct tenancy *tenancy, struct berth_arena *arena, struct berth_error *err) {
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
    uint32_t home = home_of(tenancy, berth_verify_root(graph, v));
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
    uint64_t offset = first_byte(tenancy, v);
    uint64_t alignment = graph->value_alignment[v];
    bool external = is_external(graph, root);
    bool placed = !is_external(graph, home_of(tenancy, root));
    bool askew = external ? tenancy->offset[root] != 0 : (offset & (alignment - 1)) != 0;
    if (!external && (buffer != BERTH_NO_INDEX) != placed) {
      return fail_accounting(err, buffer);
    }
    if (askew || (!external && buffer != graph->value_buffer[root]) ||
        offset != (graph->value_offset != NULL ? graph->value_offset[v] : 0)) {
      return berth_fail(
          err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, v, NULL, "value %u is not where its root is", v);
    }
    if (placed && alignment > tenancy->columns.alignment[buffer]) {
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
        uint32_t place = tenancy->touch_begin[root + 1]++;
        tenancy->touches[place] = op;
        tenancy->writes[place] = begin == tenancy->graph->output_begin;
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
  tenancy->writes = berth_arena_new(arena, bool, n_touches);
  if (tenancy->order == NULL || tenancy->touch_begin == NULL || tenancy->touches == NULL ||
      tenancy->writes == NULL) {
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
  enum berth_code code = berth_verify_order_make(tenancy->order, graph, tenancy->facts->added, arena, err);
  return code != BERTH_OK
             ? code
             : berth_verify_order_buffers(tenancy->order, &tenancy->roots, tenancy->facts->n, arena, err);
}

static enum berth_code find_live_bytes(
    struct tenancy *tenancy, const struct berth_verify_stays_input *input, struct berth_arena *arena,
    struct berth_error *err) {
  if (tenancy->order == NULL) {
    return berth_verify_stays(input, arena, &tenancy->gaps, err);
  }
  tenancy->slices = berth_arena_new(arena, struct berth_verify_slices, 1);
  return tenancy->slices != NULL ? berth_verify_slices(input, tenancy->order, arena, tenancy->slices, err)
                                 : berth_fail_memory(err);
}

static void state(const struct tenancy *tenancy, struct berth_verify_facts *facts) {
  facts->size = tenancy->columns.size;
  facts->alignment = tenancy->columns.alignment;
  facts->pin = tenancy->columns.pin;
  facts->lower = tenancy->columns.lower;
  facts->upper = tenancy->columns.upper;
  facts->class_ = tenancy->columns.class_;
  facts->owner = tenancy->columns.owner;
  facts->accesses = tenancy->counts_accesses ? tenancy->columns.accesses : NULL;
  facts->gap_begin = tenancy->gaps.begin;
  facts->gaps = tenancy->gaps.items;
  facts->slices = tenancy->slices;
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
  if (!take(&tenancy, arena)) {
    return berth_fail_memory(err);
  }
  enum berth_code code = berth_verify_roots_derive(&tenancy.roots, tenancy.graph, arena, err);
  code = code != BERTH_OK ? code : order_streams(&tenancy, arena, err);
  if (code == BERTH_OK) {
    settle_at_home(&tenancy);
    code = use_permissions(&tenancy, arena, err);
  }
  code = code != BERTH_OK ? code : settle_owners(&tenancy, err);
  code = code != BERTH_OK ? code : check_names(&tenancy, err);
  code = code != BERTH_OK ? code : check_donors(&tenancy, arena, err);
  struct berth_verify_stays_input stays = {
      .roots = &tenancy.roots,
      .offset = tenancy.offset,
      .region_of = tenancy.region_of,
      .size = tenancy.columns.size,
      .n_buffers = facts->n};
  code = code != BERTH_OK ? code : find_live_bytes(&tenancy, &stays, arena, err);
  if (code == BERTH_OK) {
    state(&tenancy, facts);
  }
  return code;
}
