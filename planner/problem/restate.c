/* A finished problem, stated once more: with other bindings, without results in place, with more waits. What
 * is stated is read back through the public views, and goes through a builder again. */
#include "berth/restate.h"

#include "base/vec.h"
#include "berth/largest.h"
#include "berth/together.h"
#include "problem/builder.h"

struct restating {
  const struct berth_problem *from;
  const struct berth_symbols *symbols; /* NULL: no size is an expression */
  struct berth_problem_builder *builder;
  struct berth_error *err;
  const struct berth_allocator *allocator;
  BERTH_VEC(struct berth_inplace) inplace; /* of one operator */
  uint32_t next_permission;
};

/* NULL if the item's size is a plain number; else the number, which its shape has come to, is taken back. */
static const struct berth_shape *shape_of(
    const struct restating *to, enum berth_sized_field field, uint32_t item, uint64_t *bytes,
    struct berth_shape *shape) {
  const struct berth_sized *sized = berth_problem_sized(to->from, field, item);
  if (sized == NULL) {
    return NULL;
  }
  *bytes = 0;
  *shape = (struct berth_shape){
      .dimensions = to->symbols->dimensions + sized->begin,
      .n_dimensions = sized->n,
      .element_bits = sized->element_bits};
  return shape;
}

/* ---- Symbols ---- */

/* The bindings that the problem has already: of a symbol that ranges over its bounds, none. */
static enum berth_code bind_as_it_is(struct restating *to) {
  const struct berth_symbols *symbols = to->symbols;
  BERTH_VEC(struct berth_binding) items = {0};
  if (!berth_vec_reserve(to->allocator, &items, symbols->n_symbols)) {
    return berth_fail_memory(to->err);
  }
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    const struct berth_symbol *symbol = &symbols->symbols[i];
    const struct berth_binding *range = &symbols->ranges[i];
    if (range->lower != symbol->lower || range->upper != symbol->upper) {
      items.items[items.n] = *range;
      items.items[items.n++].symbol = symbol->name;
    }
  }
  const struct berth_bindings bindings = {
      .n = (uint32_t)items.n, .items = items.items, .sizes = symbols->sizes, .strict = symbols->strict};
  enum berth_code code = berth_problem_builder_bind(to->builder, &bindings, to->err);
  berth_vec_finish(to->allocator, &items);
  return code;
}

static enum berth_code state_symbols(struct restating *to, const struct berth_bindings *bindings) {
  const struct berth_symbols *symbols = to->symbols;
  enum berth_code code = BERTH_OK;
  if (bindings != NULL) {
    code = berth_problem_builder_bind(to->builder, bindings, to->err);
  } else if (symbols != NULL) {
    code = bind_as_it_is(to);
  }
  for (uint32_t i = 0; code == BERTH_OK && symbols != NULL && i < symbols->n_symbols; i++) {
    code = berth_problem_builder_add_symbol(to->builder, &symbols->symbols[i], NULL, to->err);
  }
  for (uint32_t i = 0; code == BERTH_OK && symbols != NULL && i < symbols->n_expressions; i++) {
    code = berth_problem_builder_add_expression(to->builder, &symbols->expressions[i], NULL, to->err);
  }
  return code;
}

/* ---- Pools and buffers ---- */

static enum berth_code state_pools(struct restating *to) {
  const struct berth_pools *pools = berth_problem_pools(to->from);
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && i < pools->n; i++) {
    code = berth_problem_builder_add_pool(to->builder, &pools->items[i], NULL, to->err);
  }
  return code;
}

static enum berth_code state_buffer(struct restating *to, const struct berth_buffers *buffers, uint32_t i) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  struct berth_shape shape;
  spec.id = berth_problem_buffer_id(to->from, i);
  spec.size_bytes = buffers->size_bytes[i];
  spec.alignment = buffers->alignment[i];
  spec.lower = buffers->lower[i];
  spec.upper = buffers->upper[i];
  spec.class_ = (enum berth_buffer_class)buffers->class_[i];
  spec.shape = shape_of(to, BERTH_SIZED_SIZE, i, &spec.size_bytes, &shape);
  if (buffers->pinned_offset != NULL) {
    spec.pinned_offset = buffers->pinned_offset[i];
  }
  spec.pools = berth_problem_stated_pools(to->from, i, &spec.n_pools);
  if (buffers->gap_begin != NULL && buffers->gap_begin[i] != buffers->gap_begin[i + 1]) {
    spec.gaps = buffers->gaps + buffers->gap_begin[i];
    spec.n_gaps = buffers->gap_begin[i + 1] - buffers->gap_begin[i];
  }
  if (buffers->accesses != NULL) {
    spec.accesses = buffers->accesses[i];
  }
  if (buffers->n_clocks != 0) {
    spec.n_clocks = buffers->n_clocks;
    spec.clock_lower = buffers->clock_lower + (size_t)i * buffers->n_clocks;
    spec.clock_upper = buffers->clock_upper + (size_t)i * buffers->n_clocks;
  }
  return berth_problem_builder_add_buffer(to->builder, &spec, NULL, to->err);
}

static enum berth_code state_buffers(struct restating *to) {
  const struct berth_buffers *buffers = berth_problem_buffers(to->from);
  enum berth_code code = berth_problem_builder_reserve(to->builder, buffers->n, to->err);
  for (uint32_t i = 0; code == BERTH_OK && i < buffers->n; i++) {
    code = state_buffer(to, buffers, i);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < buffers->n_conflicts; i++) {
    const uint32_t *pair = buffers->conflicts[i];
    code = berth_problem_builder_add_conflict(to->builder, pair[0], pair[1], to->err);
  }
  return code;
}

/* ---- A graph ---- */

static enum berth_code state_value(struct restating *to, uint32_t value) {
  struct berth_value_spec spec = berth_problem_value(to->from, value);
  struct berth_shape size;
  struct berth_shape view_offset;
  spec.shape = shape_of(to, BERTH_SIZED_SIZE, value, &spec.size_bytes, &size);
  spec.view_offset_shape = shape_of(to, BERTH_SIZED_VIEW_OFFSET, value, &spec.view_offset, &view_offset);
  return berth_problem_builder_add_value(to->builder, &spec, NULL, to->err);
}

static uint32_t place_in(const uint32_t *list, uint32_t value) {
  uint32_t place = 0;
  while (list[place] != value) {
    place++;
  }
  return place;
}

/* Permissions are in the order of their operators. */
static bool take_permissions(struct restating *to, const struct berth_graph *graph, uint32_t op) {
  const struct berth_permissions *permissions = berth_problem_permissions(to->from);
  to->inplace.n = 0;
  for (; to->next_permission < permissions->n && permissions->items[to->next_permission].op == op;
       to->next_permission++) {
    const struct berth_permission *permission = &permissions->items[to->next_permission];
    const struct berth_inplace inplace = {
        .input = place_in(graph->inputs + graph->input_begin[op], permission->operand),
        .output = place_in(graph->outputs + graph->output_begin[op], permission->result),
        .kind = permission->kind,
        .bytes = permission->bytes};
    if (!berth_vec_reserve(to->allocator, &to->inplace, to->inplace.n + 1)) {
      return false;
    }
    to->inplace.items[to->inplace.n++] = inplace;
  }
  return true;
}

static enum berth_code state_operator(struct restating *to, const struct berth_graph *graph, uint32_t op) {
  struct berth_operator_spec spec = berth_operator_spec_default();
  struct berth_shape shape;
  if (!take_permissions(to, graph, op)) {
    return berth_fail_memory(to->err);
  }
  spec.id = berth_problem_operator_id(to->from, op);
  spec.n_inputs = graph->input_begin[op + 1] - graph->input_begin[op];
  spec.inputs = spec.n_inputs != 0 ? graph->inputs + graph->input_begin[op] : NULL;
  spec.n_outputs = graph->output_begin[op + 1] - graph->output_begin[op];
  spec.outputs = spec.n_outputs != 0 ? graph->outputs + graph->output_begin[op] : NULL;
  uint32_t workspace = graph->operator_workspace[op];
  spec.workspace_bytes =
      workspace != BERTH_NO_INDEX ? berth_problem_buffers(to->from)->size_bytes[workspace] : 0;
  spec.workspace_shape = shape_of(to, BERTH_SIZED_WORKSPACE, op, &spec.workspace_bytes, &shape);
  spec.workspace_alignment = berth_problem_workspace_alignment(to->from, op);
  spec.n_inplace = (uint32_t)to->inplace.n;
  spec.inplace = to->inplace.items;
  if (graph->operator_stream != NULL) {
    spec.stream = graph->operator_stream[op];
    spec.n_waits = graph->wait_begin[op + 1] - graph->wait_begin[op];
    spec.waits = spec.n_waits != 0 ? graph->waits + graph->wait_begin[op] : NULL;
  }
  return berth_problem_builder_add_operator(to->builder, &spec, NULL, to->err);
}

static enum berth_code state_syncs(struct restating *to, const struct berth_sync *syncs, uint32_t n_syncs) {
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && i < n_syncs; i++) {
    code = berth_problem_builder_add_sync(to->builder, &syncs[i], to->err);
  }
  return code;
}

static enum berth_code state_graph(struct restating *to, const struct berth_graph *graph) {
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && i < graph->n_values; i++) {
    code = state_value(to, i);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < graph->n_operators; i++) {
    code = state_operator(to, graph, i);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < graph->n_regions; i++) {
    code = berth_problem_builder_add_region(to->builder, &graph->regions[i], NULL, to->err);
  }
  return code != BERTH_OK ? code : state_syncs(to, graph->syncs, graph->n_syncs);
}

/* ---- All ---- */

static enum berth_code state_groups(struct restating *to) {
  const struct berth_groups *groups = berth_problem_groups(to->from);
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && i < groups->n; i++) {
    code = berth_problem_builder_add_group(to->builder, &groups->items[i], to->err);
  }
  return code;
}

bool berth_problem_is_without_inplace(const struct berth_problem *problem) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  for (uint32_t i = 0; i < permissions->n; i++) {
    if (permissions->items[i].answer != BERTH_INPLACE_RESTRICTED) {
      return false;
    }
  }
  return permissions->n != 0;
}

static enum berth_code state_all(struct restating *to, const struct berth_restatement *as) {
  const struct berth_graph *graph = berth_problem_graph(to->from);
  if (as->forbid_inplace || berth_problem_is_without_inplace(to->from)) {
    berth_problem_builder_forbid_inplace(to->builder);
  }
  enum berth_code code = state_symbols(to, as->bindings);
  code = code != BERTH_OK ? code : state_pools(to);
  if (code == BERTH_OK) {
    code = graph != NULL ? state_graph(to, graph) : state_buffers(to);
  }
  code = code != BERTH_OK ? code : state_syncs(to, as->syncs, as->n_syncs);
  return code != BERTH_OK ? code : state_groups(to);
}

/* ---- A composition: part by part ---- */

/* Every binding is for some part. */
static enum berth_code check_bindings(
    const struct berth_composed *parts, const struct berth_bindings *bindings, struct berth_error *err) {
  for (uint32_t i = 0; bindings != NULL && i < bindings->n; i++) {
    struct berth_text name = bindings->items[i].symbol;
    uint32_t p = 0;
    while (p < parts->n && berth_problem_find_symbol(parts->items[p].problem, name) == BERTH_NO_INDEX) {
      p++;
    }
    if (p == parts->n) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, i, "binding.symbol",
          "no part has the symbol \"%.*s\" that is bound", (int)(name.size < 64 ? name.size : 64), name.data);
    }
  }
  return BERTH_OK;
}

static enum berth_code restate_part(
    const struct berth_problem *part, const struct berth_restatement *as, struct berth_binding *items,
    const struct berth_allocator *allocator, struct berth_problem **out, struct berth_error *err) {
  struct berth_bindings own;
  struct berth_restatement own_as = *as;
  if (as->bindings != NULL) {
    own = *as->bindings;
    own.items = items;
    own.n = 0;
    for (uint32_t i = 0; i < as->bindings->n; i++) {
      if (berth_problem_find_symbol(part, as->bindings->items[i].symbol) != BERTH_NO_INDEX) {
        items[own.n++] = as->bindings->items[i];
      }
    }
    own_as.bindings = &own;
  }
  return berth_problem_restate(part, &own_as, allocator, out, err);
}

static enum berth_code compose_again(
    const struct berth_problem *problem, const struct berth_named_problem *items,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  BERTH_VEC(struct berth_text) shared = {0};
  if (!berth_vec_reserve(allocator, &shared, parts->n_shared)) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < parts->n_shared; i++) {
    shared.items[i] = berth_problem_buffer_id(problem, i);
  }
  const struct berth_composition composition = {
      .parts = items,
      .n_parts = parts->n,
      .set_end = parts->set_end,
      .set_parts = parts->set_parts,
      .n_sets = parts->n_sets,
      .shared = shared.items,
      .n_shared = parts->n_shared};
  enum berth_code code = berth_problem_compose(&composition, allocator, out_problem, err);
  berth_vec_finish(allocator, &shared);
  return code;
}

static enum berth_code restate_parts(
    const struct berth_problem *problem, const struct berth_restatement *as,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  BERTH_VEC(struct berth_named_problem) items = {0};
  BERTH_VEC(struct berth_binding) bindings = {0};
  enum berth_code code = check_bindings(parts, as->bindings, err);
  if (code == BERTH_OK &&
      (!berth_vec_reserve(allocator, &items, parts->n) ||
       !berth_vec_reserve(allocator, &bindings, as->bindings != NULL ? as->bindings->n : 0))) {
    code = berth_fail_memory(err);
  }
  for (; code == BERTH_OK && items.n < parts->n; items.n += code == BERTH_OK) {
    items.items[items.n].name = parts->items[items.n].name;
    code = restate_part(
        parts->items[items.n].problem, as, bindings.items, allocator, &items.items[items.n].problem, err);
  }
  code = code != BERTH_OK ? code : compose_again(problem, items.items, allocator, out_problem, err);
  for (size_t p = 0; p < items.n; p++) {
    berth_problem_unref(items.items[p].problem);
  }
  berth_vec_finish(allocator, &items);
  berth_vec_finish(allocator, &bindings);
  return code;
}

enum berth_code berth_problem_restate(
    const struct berth_problem *problem, const struct berth_restatement *as,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  struct berth_error unseen;
  struct restating to = {
      .from = problem,
      .symbols = berth_problem_symbols(problem),
      .err = err != NULL ? err : &unseen,
      .allocator = allocator != NULL ? allocator : berth_allocator_libc()};
  *out_problem = NULL;
  if (berth_problem_composed(problem) != NULL) {
    return restate_parts(problem, as, to.allocator, out_problem, to.err);
  }
  enum berth_code code = berth_problem_builder_create(to.allocator, &to.builder, to.err);
  code = code != BERTH_OK ? code : state_all(&to, as);
  code = code != BERTH_OK ? code : berth_problem_builder_finish(to.builder, out_problem, to.err);
  berth_problem_builder_destroy(to.builder);
  berth_vec_finish(to.allocator, &to.inplace);
  return code;
}

bool berth_problem_uses_inplace(const struct berth_problem *problem) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  const struct berth_composed *parts = berth_problem_composed(problem);
  for (uint32_t i = 0; i < permissions->n; i++) {
    if (permissions->items[i].answer == BERTH_INPLACE_USED) {
      return true;
    }
  }
  for (uint32_t p = 0; parts != NULL && p < parts->n; p++) {
    if (berth_problem_uses_inplace(parts->items[p].problem)) {
      return true;
    }
  }
  return false;
}

enum berth_code berth_problem_at_level(
    struct berth_problem *problem, enum berth_reuse reuse, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) {
  const struct berth_restatement as = {.forbid_inplace = true};
  if (reuse != BERTH_REUSE_FULL && berth_problem_uses_inplace(problem)) {
    return berth_problem_restate(problem, &as, allocator, out_problem, err);
  }
  *out_problem = berth_problem_ref(problem);
  return BERTH_OK;
}
