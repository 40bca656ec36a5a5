#include "toy.h"

#include <string.h>

#include "suite.h"

static void make_values(struct toy *toy, struct berth_rng *rng) {
  static const enum berth_buffer_class CLASSES[] = {
      BERTH_CLASS_TEMPORARY, BERTH_CLASS_TEMPORARY, BERTH_CLASS_TEMPORARY, BERTH_CLASS_OUTPUT,
      BERTH_CLASS_INPUT,     BERTH_CLASS_CONSTANT,  BERTH_CLASS_STATE};
  toy->n_values = 2 + berth_rng_below(rng, TOY_MAX_VALUES - 1);
  for (uint32_t v = 0; v < toy->n_values; v++) {
    struct toy_value *value = &toy->values[v];
    *value = (struct toy_value){.spec = berth_value_spec_default(), .root = v};
    value->spec.size_bytes = 1 + berth_rng_below(rng, TOY_MAX_SIZE);
    value->spec.class_ = CLASSES[berth_rng_below(rng, sizeof CLASSES / sizeof CLASSES[0])];
    value->spec.accumulated = berth_rng_below(rng, 5) == 0;
    value->spec.held = berth_rng_below(rng, 10) == 0;
    value->spec.live_windows = berth_rng_below(rng, 2) == 0;
    if (v == 0 && toy->has_state) {
      value->spec.id = (struct berth_text){"s", 1};
      value->spec.size_bytes = TOY_STATE_SIZE;
      value->spec.class_ = BERTH_CLASS_STATE;
      value->spec.accumulated = true;
    }
    if (v > 0 && berth_rng_below(rng, 4) == 0) {
      uint32_t of = berth_rng_below(rng, v);
      uint64_t room = toy->values[of].spec.size_bytes;
      value->spec.class_ = berth_rng_below(rng, 4) == 0 ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
      value->spec.size_bytes = 1 + berth_rng_below(rng, (uint32_t)room);
      value->spec.live_windows = false;
      value->spec.view_of = of;
      value->spec.view_offset = berth_rng_below(rng, (uint32_t)(room - value->spec.size_bytes) + 1);
      value->root = toy->values[of].root;
      value->offset = toy->values[of].offset + value->spec.view_offset;
    }
  }
}

/* A loop, perhaps with a choice of two branches in it, or such a choice alone. */
static void make_regions(struct toy *toy, struct berth_rng *rng) {
  toy->n_regions = 0;
  if (toy->n_ops < 2 || berth_rng_below(rng, 3) != 0) {
    return;
  }
  uint32_t first = berth_rng_below(rng, toy->n_ops);
  uint32_t n = 1 + berth_rng_below(rng, toy->n_ops - first);
  uint32_t parent = BERTH_NO_INDEX;
  toy->carried = berth_rng_below(rng, toy->n_values);
  struct berth_region_spec region = berth_region_spec_default();
  region.first_operator = first;
  region.n_operators = n;
  if (berth_rng_below(rng, 3) != 0) {
    region.min_trips = berth_rng_below(rng, 2);
    region.carries = &toy->carried;
    region.n_carries = berth_rng_below(rng, 4) == 0;
    toy->regions[toy->n_regions++] = region;
    parent = 0;
  }
  if (n > 1 && (parent == BERTH_NO_INDEX || berth_rng_below(rng, 2) == 0)) {
    uint32_t n_first = 1 + berth_rng_below(rng, n - 1);
    region = berth_region_spec_default();
    region.first_operator = first;
    region.n_operators = n;
    region.parent = parent;
    region.kind = BERTH_REGION_CHOICE;
    uint32_t choice = toy->n_regions;
    toy->regions[toy->n_regions++] = region;
    region.parent = choice;
    region.kind = BERTH_REGION_BRANCH;
    region.n_operators = n_first;
    toy->regions[toy->n_regions++] = region;
    region.first_operator = first + n_first;
    region.n_operators = n - n_first;
    toy->regions[toy->n_regions++] = region;
  }
}

static void make_order(struct toy *toy, struct berth_rng *rng) {
  make_regions(toy, rng);
  uint32_t n_streams = 1 + berth_rng_below(rng, 2) * berth_rng_below(rng, 3);
  for (uint32_t o = 0; o < toy->n_ops; o++) {
    struct toy_op *op = &toy->ops[o];
    op->stream = berth_rng_below(rng, n_streams);
    for (uint32_t k = 0; k < o; k++) {
      if (berth_rng_below(rng, 4) == 0) {
        op->waits[op->n_waits++] = k;
      }
    }
  }
}

static struct berth_inplace
make_permission(const struct toy *toy, const struct toy_op *op, struct berth_rng *rng) {
  struct berth_inplace permission = {
      .input = berth_rng_below(rng, op->n_inputs),
      .output = berth_rng_below(rng, op->n_outputs),
      .kind = (enum berth_inplace_kind)berth_rng_below(rng, BERTH_N_INPLACE_KINDS)};
  uint64_t operand = toy->values[op->inputs[permission.input]].spec.size_bytes;
  uint64_t result = toy->values[op->outputs[permission.output]].spec.size_bytes;
  if (permission.kind == BERTH_INPLACE_INSIDE) {
    uint64_t room = operand <= result ? result - operand : 0;
    permission.bytes = berth_rng_below(rng, (uint32_t)room + (berth_rng_below(rng, 8) == 0 ? 3 : 1));
  } else if (permission.kind == BERTH_INPLACE_BEHIND) {
    permission.bytes = berth_rng_below(rng, (uint32_t)result + 1);
  }
  return permission;
}

static void make_permissions(const struct toy *toy, struct toy_op *op, struct berth_rng *rng) {
  op->n_inplace = op->n_inputs > 0 && op->n_outputs > 0 ? berth_rng_below(rng, 3) : 0;
  for (uint32_t i = 0; i < op->n_inplace; i++) {
    bool again = i > 0 && berth_rng_below(rng, 4) == 0; /* given twice */
    op->inplace[i] = again ? op->inplace[0] : make_permission(toy, op, rng);
    bool same = i > 0 && op->outputs[op->inplace[0].output] == op->outputs[op->inplace[i].output];
    if (same && op->inplace[0].kind != op->inplace[i].kind) { /* nobody copies and runs through it as well */
      op->inplace[i].kind = BERTH_INPLACE_OVER;
      op->inplace[i].bytes = 0;
    }
  }
}

/* Anybody reads and writes anything. */
static void make_wild_ops(struct toy *toy, struct berth_rng *rng) {
  toy->n_ops = 1 + berth_rng_below(rng, TOY_MAX_OPERATORS);
  for (uint32_t o = 0; o < toy->n_ops; o++) {
    struct toy_op *op = &toy->ops[o];
    *op = (struct toy_op){
        .n_inputs = berth_rng_below(rng, TOY_MAX_LIST), .n_outputs = berth_rng_below(rng, TOY_MAX_LIST)};
    for (uint32_t i = 0; i < TOY_MAX_LIST; i++) {
      op->inputs[i] = berth_rng_below(rng, toy->n_values);
      op->outputs[i] = (op->inputs[0] + 1 + i + berth_rng_below(rng, 2)) % toy->n_values;
    }
    if (o > 0 && berth_rng_below(rng, 2) == 0) { /* a chain */
      op->inputs[0] = toy->ops[o - 1].outputs[0];
    }
    op->workspace = berth_rng_below(rng, 3) == 0 ? 1 + berth_rng_below(rng, 4) : 0;
    make_permissions(toy, op, rng);
  }
}

/* Every root is made once, by an operator of its own, from those before it: permissions are used more often.
 */
static void make_tidy_ops(struct toy *toy, struct berth_rng *rng) {
  toy->n_ops = 0;
  for (uint32_t v = toy->has_state; v < toy->n_values && toy->n_ops < TOY_MAX_OPERATORS; v++) {
    struct berth_value_spec *spec = &toy->values[v].spec;
    spec->class_ = spec->class_ == BERTH_CLASS_OUTPUT ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
    spec->held = false;
    if (spec->view_of != BERTH_NO_INDEX) {
      continue;
    }
    struct toy_op *op = &toy->ops[toy->n_ops++];
    *op = (struct toy_op){.n_outputs = 1, .outputs = {v}};
    for (uint32_t n = v > 0 ? berth_rng_below(rng, TOY_MAX_LIST + 1) : 0; n > 0; n--) {
      uint32_t recent = v > 3 ? v - 3 : 0;
      op->inputs[op->n_inputs++] = recent + berth_rng_below(rng, v - recent);
    }
    op->workspace = berth_rng_below(rng, 4) == 0 ? 1 + berth_rng_below(rng, 4) : 0;
    make_permissions(toy, op, rng);
  }
}

static void make_ops(struct toy *toy, struct berth_rng *rng) {
  if (berth_rng_below(rng, 2) == 0) {
    make_wild_ops(toy, rng);
  } else {
    make_tidy_ops(toy, rng);
  }
  make_order(toy, rng);
}

static enum berth_code
add_value(const struct toy *toy, struct berth_problem_builder *builder, uint32_t v, struct berth_error *err) {
  const struct toy_value *value = &toy->values[v];
  struct berth_value_spec spec = value->spec;
  uint32_t expression = 2 + 2 * v; /* as toy_state_symbols has them */
  const struct berth_shape shape = {.dimensions = &expression, .n_dimensions = 1, .element_bits = 8};
  spec.shape = value->sizing != TOY_PLAIN ? &shape : NULL;
  spec.size_bytes = value->sizing != TOY_PLAIN ? 0 : spec.size_bytes;
  spec.pools = &value->pool;
  spec.n_pools = value->pool != BERTH_NO_INDEX;
  return berth_problem_builder_add_value(builder, &spec, NULL, err);
}

/* Most random lists are no valid graph: an entry that the builder blames is dropped, and so is the operator's
 * permissions, until it passes. */
struct berth_problem *toy_build(const struct toy *toy, struct berth_error *err) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem = NULL;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  enum berth_code code = toy_state_pools(toy, builder, err);
  code = code != BERTH_OK ? code : toy_state_symbols(toy, builder, err);
  for (uint32_t v = 0; v < toy->n_values && code == BERTH_OK; v++) {
    code = add_value(toy, builder, v, err);
  }
  for (uint32_t o = 0; o < toy->n_ops && code == BERTH_OK; o++) {
    const struct toy_op *op = &toy->ops[o];
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = op->inputs;
    spec.n_inputs = op->n_inputs;
    spec.outputs = op->outputs;
    spec.n_outputs = op->n_outputs;
    spec.workspace_bytes = op->workspace;
    spec.inplace = op->inplace;
    spec.n_inplace = op->n_inplace;
    spec.stream = op->stream;
    spec.waits = op->waits;
    spec.n_waits = op->n_waits;
    code = berth_problem_builder_add_operator(builder, &spec, NULL, err);
  }
  for (uint32_t r = 0; r < toy->n_regions && code == BERTH_OK; r++) {
    code = berth_problem_builder_add_region(builder, &toy->regions[r], NULL, err);
  }
  code = code != BERTH_OK ? code : toy_state_groups(toy, builder, err);
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(builder, &problem, err);
  }
  berth_problem_builder_destroy(builder);
  return problem;
}

static bool repair(struct toy *toy, const struct berth_error *err) {
  if (strncmp(err->field, "operator.", 9) == 0) {
    struct toy_op *op = &toy->ops[err->index];
    bool outputs = strcmp(err->field, "operator.outputs") == 0;
    if (strcmp(err->field, "operator.waits") == 0 && err->index % 2 == 0) { /* wait for everyone */
      op->n_waits = err->index;
      for (uint32_t k = 0; k < err->index; k++) {
        op->waits[k] = k;
      }
      return true;
    }
    op->n_inplace = 0;
    op->n_inputs -= !outputs;
    op->n_outputs -= outputs;
    return true;
  }
  if (strcmp(err->field, "value.class") != 0) { /* terms that cannot be: without some of them, perhaps */
    uint32_t n_left = toy->n_groups + toy->n_pools;
    toy->n_pools = toy->n_groups == 0 ? 0 : toy->n_pools;
    toy->n_groups = 0;
    for (uint32_t v = 0; v < toy->n_values && toy->n_pools == 0; v++) {
      toy->values[v].pool = BERTH_NO_INDEX;
    }
    return n_left != 0;
  }
  struct toy_value *value = &toy->values[err->index]; /* nobody writes it */
  value->spec.class_ = value->spec.class_ == BERTH_CLASS_OUTPUT ? BERTH_CLASS_STATE : BERTH_CLASS_INPUT;
  return true;
}

struct berth_problem *toy_make(struct toy *toy, struct berth_rng *rng) {
  struct berth_error err;
  make_values(toy, rng);
  toy_make_pools(toy, rng);
  toy_make_sizes(toy, rng);
  make_ops(toy, rng);
  toy_make_groups(toy, rng);
  for (int i = 0; i < 100; i++) {
    struct berth_problem *problem = toy_build(toy, &err);
    if (problem != NULL || !repair(toy, &err)) {
      toy_find_storages(toy);
      return problem;
    }
  }
  return NULL;
}
