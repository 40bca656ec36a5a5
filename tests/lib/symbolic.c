#include "symbolic.h"

#include <string.h>

#include "suite.h"

static const char *const NAMES[SYMBOLIC_MAX_SYMBOLS] = {"n", "batch", "seq_len.0"};

void symbolic_add_expression(
    struct berth_expression *expressions, uint32_t *n, uint32_t n_symbols, struct berth_rng *rng,
    bool is_monotone) {
  static const enum berth_operation MONOTONE[] = {
      BERTH_OPERATION_ADD, BERTH_OPERATION_MAXIMUM, BERTH_OPERATION_MINIMUM, BERTH_OPERATION_MULTIPLY};
  struct berth_expression *out = &expressions[(*n)++];
  *out = (struct berth_expression){.operation = BERTH_OPERATION_CONSTANT, .value = berth_rng_below(rng, 7)};
  uint32_t kind = (uint32_t)berth_rng_below(rng, 10);
  if (*n < 4 ? kind < 5 : kind < 2) {
    *out = (struct berth_expression){
        .operation = BERTH_OPERATION_SYMBOL, .left = (uint32_t)berth_rng_below(rng, n_symbols)};
  } else if (*n >= 4 && kind < 9) {
    out->value = 0;
    out->left = (uint32_t)berth_rng_below(rng, *n - 1);
    out->right = (uint32_t)berth_rng_below(rng, *n - 1);
    out->operation =
        is_monotone
            ? MONOTONE[berth_rng_below(rng, 4)]
            : (enum berth_operation)(
                  BERTH_OPERATION_ADD + berth_rng_below(rng, BERTH_N_OPERATIONS - BERTH_OPERATION_ADD));
  }
}

/* ---- What it is worth ---- */

static bool combine(enum berth_operation operation, uint64_t a, uint64_t b, uint64_t *out) {
  bool divides = operation == BERTH_OPERATION_FLOOR_DIVIDE || operation == BERTH_OPERATION_CEIL_DIVIDE ||
                 operation == BERTH_OPERATION_MODULO || operation == BERTH_OPERATION_ALIGN_UP;
  if (divides && b == 0) {
    return false;
  }
  switch (operation) {
  case BERTH_OPERATION_ADD:
    return !__builtin_add_overflow(a, b, out);
  case BERTH_OPERATION_SUBTRACT:
    return !__builtin_sub_overflow(a, b, out);
  case BERTH_OPERATION_MULTIPLY:
    return !__builtin_mul_overflow(a, b, out);
  case BERTH_OPERATION_FLOOR_DIVIDE:
    *out = a / b;
    return true;
  case BERTH_OPERATION_CEIL_DIVIDE:
    *out = a == 0 ? 0 : (a - 1) / b + 1;
    return true;
  case BERTH_OPERATION_MODULO:
    *out = a % b;
    return true;
  case BERTH_OPERATION_MAXIMUM:
    *out = a > b ? a : b;
    return true;
  case BERTH_OPERATION_MINIMUM:
    *out = a < b ? a : b;
    return true;
  default:
    return !__builtin_add_overflow(a, (b - a % b) % b, out);
  }
}

bool symbolic_value(
    const struct berth_expression *expressions, uint32_t index, const uint64_t *at, uint64_t *out) {
  const struct berth_expression *expression = &expressions[index];
  uint64_t left;
  uint64_t right;
  if (expression->operation == BERTH_OPERATION_CONSTANT) {
    *out = expression->value;
    return true;
  }
  if (expression->operation == BERTH_OPERATION_SYMBOL) {
    *out = at[expression->left];
    return true;
  }
  return symbolic_value(expressions, expression->left, at, &left) &&
         symbolic_value(expressions, expression->right, at, &right) &&
         combine(expression->operation, left, right, out);
}

bool symbolic_bytes(
    const struct symbolic *symbolic, const struct symbolic_shape *shape, uint64_t plain, const uint64_t *at,
    uint64_t *out) {
  uint64_t product = 1;
  if (shape->is_plain) {
    *out = plain;
    return true;
  }
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    uint64_t one;
    if (!symbolic_value(symbolic->expressions, shape->dimensions[i], at, &one) ||
        __builtin_mul_overflow(product, one, &product)) {
      return false;
    }
  }
  if (__builtin_mul_overflow(product, shape->element_bits, &product)) {
    return false;
  }
  *out = product / 8 + (product % 8 != 0);
  return true;
}

/* ---- Generation ---- */

static void make_shape(const struct symbolic *symbolic, struct berth_rng *rng, struct symbolic_shape *out) {
  static const uint32_t BITS[] = {8, 8, 4, 1, 16, 32};
  *out = (struct symbolic_shape){.is_plain = berth_rng_below(rng, 4) == 0};
  out->n_dimensions = 1 + (uint32_t)berth_rng_below(rng, 2);
  out->element_bits = BITS[berth_rng_below(rng, 6)];
  for (uint32_t i = 0; i < out->n_dimensions; i++) {
    out->dimensions[i] = (uint32_t)berth_rng_below(rng, symbolic->n_expressions);
  }
}

/* Results often have their operand's shape, so that some lie in place. */
static void copy_shapes(struct symbolic *symbolic, struct berth_rng *rng) {
  for (uint32_t op = 0; op < symbolic->graph.n_operators; op++) {
    const struct graph_operator *operator_ = &symbolic->graph.operators[op];
    for (uint32_t i = 0; i < operator_->n_inplace; i++) {
      uint32_t operand = operator_->inputs[operator_->inplace[i].input];
      uint32_t result = operator_->outputs[operator_->inplace[i].output];
      if (berth_rng_below(rng, 3) != 0) {
        symbolic->values[result] = symbolic->values[operand];
        symbolic->graph.values[result].size = symbolic->graph.values[operand].size;
      }
    }
  }
}

/* Sums of sizes must stay below 2^63: the last expression is kept if its largest is small. */
static void keep_small(struct symbolic *symbolic) {
  uint64_t at[SYMBOLIC_MAX_SYMBOLS];
  uint64_t largest;
  uint32_t last = symbolic->n_expressions - 1;
  for (uint32_t i = 0; i < symbolic->n_symbols; i++) {
    at[i] = symbolic->symbols[i].upper;
  }
  if (!symbolic_value(symbolic->expressions, last, at, &largest) || largest > 4096) {
    symbolic->expressions[last] =
        (struct berth_expression){.operation = BERTH_OPERATION_CONSTANT, .value = 9};
  }
}

void symbolic_generate(struct symbolic *symbolic, struct berth_rng *rng, uint32_t n_operators) {
  memset(symbolic, 0, sizeof *symbolic);
  graph_generate(&symbolic->graph, rng, n_operators, GRAPH_IN_PLACE);
  symbolic->n_symbols = 1 + (uint32_t)berth_rng_below(rng, SYMBOLIC_MAX_SYMBOLS);
  for (uint32_t i = 0; i < symbolic->n_symbols; i++) {
    uint64_t lower = berth_rng_below(rng, 4);
    symbolic->symbols[i] = (struct berth_symbol){
        .name = {.data = NAMES[i], .size = (uint32_t)strlen(NAMES[i])},
        .lower = lower,
        .upper = lower + berth_rng_below(rng, 9)};
  }
  uint32_t n_expressions = 4 + (uint32_t)berth_rng_below(rng, 12);
  while (symbolic->n_expressions < n_expressions) {
    symbolic_add_expression(symbolic->expressions, &symbolic->n_expressions, symbolic->n_symbols, rng, true);
    keep_small(symbolic);
  }
  for (uint32_t i = 0; i < symbolic->graph.n_values; i++) {
    make_shape(symbolic, rng, &symbolic->values[i]);
  }
  for (uint32_t i = 0; i < symbolic->graph.n_operators; i++) {
    make_shape(symbolic, rng, &symbolic->workspaces[i]);
  }
  copy_shapes(symbolic, rng);
}

/* ---- Building ---- */

static const struct berth_shape *shape_of(const struct symbolic_shape *from, struct berth_shape *to) {
  *to = (struct berth_shape){
      .dimensions = from->dimensions, .n_dimensions = from->n_dimensions, .element_bits = from->element_bits};
  return from->is_plain ? NULL : to;
}

static enum berth_code
add_values(const struct symbolic *symbolic, struct berth_problem_builder *builder, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; i < symbolic->graph.n_values && code == BERTH_OK; i++) {
    const struct graph_value *value = &symbolic->graph.values[i];
    struct berth_value_spec spec = berth_value_spec_default();
    struct berth_shape shape;
    spec.shape = shape_of(&symbolic->values[i], &shape);
    spec.size_bytes = spec.shape == NULL ? value->size : 0;
    spec.alignment = value->alignment;
    spec.class_ = value->class_;
    spec.held = value->held;
    spec.external = value->external;
    spec.accumulated = value->accumulated;
    code = berth_problem_builder_add_value(builder, &spec, NULL, err);
  }
  return code;
}

static enum berth_code add_operators(
    const struct symbolic *symbolic, struct berth_problem_builder *builder, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; i < symbolic->graph.n_operators && code == BERTH_OK; i++) {
    const struct graph_operator *operator_ = &symbolic->graph.operators[i];
    struct berth_operator_spec spec = berth_operator_spec_default();
    struct berth_shape shape;
    spec.inputs = operator_->inputs;
    spec.n_inputs = operator_->n_inputs;
    spec.outputs = operator_->outputs;
    spec.n_outputs = operator_->n_outputs;
    spec.inplace = operator_->inplace;
    spec.n_inplace = operator_->n_inplace;
    spec.workspace_shape = shape_of(&symbolic->workspaces[i], &shape);
    spec.workspace_bytes = spec.workspace_shape == NULL ? operator_->workspace : 0;
    code = berth_problem_builder_add_operator(builder, &spec, NULL, err);
  }
  return code;
}

static enum berth_code
state(const struct symbolic *symbolic, struct berth_problem_builder *builder, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; i < symbolic->n_symbols && code == BERTH_OK; i++) {
    code = berth_problem_builder_add_symbol(builder, &symbolic->symbols[i], NULL, err);
  }
  for (uint32_t i = 0; i < symbolic->n_expressions && code == BERTH_OK; i++) {
    code = berth_problem_builder_add_expression(builder, &symbolic->expressions[i], NULL, err);
  }
  code = code != BERTH_OK ? code : add_values(symbolic, builder, err);
  return code != BERTH_OK ? code : add_operators(symbolic, builder, err);
}

enum berth_code symbolic_try_build(
    const struct symbolic *symbolic, const struct berth_bindings *bindings,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  struct berth_problem_builder *builder;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = berth_problem_builder_bind(builder, bindings, err);
  code = code != BERTH_OK ? code : state(symbolic, builder, err);
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, out_problem, err);
  berth_problem_builder_destroy(builder);
  return code;
}

struct berth_problem *symbolic_build(const struct symbolic *symbolic, const struct berth_bindings *bindings) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  ck_assert_msg(
      symbolic_try_build(symbolic, bindings, NULL, &problem, &err) == BERTH_OK, "refused: %s", err.message);
  return problem;
}

struct berth_problem *symbolic_some(void) {
  static struct symbolic symbolic;
  struct berth_rng rng = {3};
  symbolic_generate(&symbolic, &rng, 6);
  return symbolic_build(&symbolic, NULL);
}

struct berth_bindings
symbolic_bind(const struct symbolic *symbolic, struct berth_rng *rng, struct berth_binding *out) {
  for (uint32_t i = 0; i < symbolic->n_symbols; i++) {
    const struct berth_symbol *symbol = &symbolic->symbols[i];
    uint64_t at = symbol->lower + berth_rng_below(rng, (uint32_t)(symbol->upper - symbol->lower + 1));
    out[i] = (struct berth_binding){.symbol = symbol->name, .lower = at, .upper = at};
  }
  return (struct berth_bindings){.n = symbolic->n_symbols, .items = out};
}
