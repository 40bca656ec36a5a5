/* Symbols, expressions and shapes: what they are is settled as they are added, since bindings come first. */
#include "problem/builder.h"

#include <string.h>

#include "problem/names.h"

static enum berth_code fail_symbol(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_reason reason,
    const char *field, const char *what) {
  return berth_builder_blame(builder, item, reason, field, "%s", what);
}

/* ---- Bindings ---- */

static enum berth_code
add_binding(struct berth_problem_builder *builder, const struct berth_binding *binding) {
  struct berth_builder_symbols *symbols = &builder->symbols;
  const struct berth_allocator *allocator = &builder->allocator;
  uint32_t index = (uint32_t)symbols->bindings.n;
  struct berth_item item = {.kind = "binding", .index = index, .id = binding->symbol};
  if (binding->symbol.size == 0) {
    return fail_symbol(builder, item, BERTH_REASON_BAD_SYMBOL, "name", "it names no symbol");
  }
  if (binding->lower > binding->upper || binding->upper == BERTH_UNBOUNDED) {
    return fail_symbol(
        builder, item, BERTH_REASON_BAD_SYMBOL, "upper", "its range ends before it begins, or not at all");
  }
  enum berth_code code = berth_builder_add_name(builder, &symbols->binding_names, item, binding->symbol);
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(allocator, &symbols->bindings, (size_t)index + 1) ||
      !berth_vec_reserve(allocator, &symbols->is_used, (size_t)index + 1)) {
    return berth_fail_memory(&builder->error);
  }
  symbols->bindings.items[symbols->bindings.n++] = *binding;
  symbols->is_used.items[symbols->is_used.n++] = 0;
  return BERTH_OK;
}

static enum berth_code bind(struct berth_problem_builder *builder, const struct berth_bindings *bindings) {
  struct berth_item none = {.kind = "symbol", .index = 0};
  if (builder->problem->symbols.symbols.n != 0) {
    return fail_symbol(
        builder, none, BERTH_REASON_BAD_SYMBOL, "name", "bindings must be given before the first symbol");
  }
  if (bindings->n > BERTH_MAX_SYMBOLS) {
    return berth_builder_limit(
        builder, none, "name", "%u bindings; at most %d are allowed", bindings->n, BERTH_MAX_SYMBOLS);
  }
  builder->problem->symbols.sizes = bindings->sizes;
  builder->problem->symbols.is_strict = bindings->strict;
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; i < bindings->n && code == BERTH_OK; i++) {
    code = add_binding(builder, &bindings->items[i]);
  }
  return code;
}

enum berth_code berth_problem_builder_bind(
    struct berth_problem_builder *builder, const struct berth_bindings *bindings, struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_OPEN) && bindings != NULL) {
    bind(builder, bindings);
  }
  return berth_builder_report(builder, err);
}

/* ---- Symbols ---- */

/* Letters, digits, '_' and '.'; not a word of the text form of expressions. */
static bool is_name(struct berth_text name) {
  static const char *const WORDS[] = {"max", "min", "ceil", "floor", "align", "mod", "floordiv", "ceildiv"};
  for (uint32_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '.'))) {
      return false;
    }
  }
  for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
    if (strlen(WORDS[i]) == name.size && memcmp(WORDS[i], name.data, name.size) == 0) {
      return false;
    }
  }
  return name.size != 0 && name.size <= 255;
}

static uint32_t find_binding(const struct berth_builder_symbols *symbols, struct berth_text name) {
  for (uint32_t i = 0; i < symbols->bindings.n; i++) {
    struct berth_text bound = berth_names_get(&symbols->binding_names, i);
    if (bound.size == name.size && memcmp(bound.data, name.data, name.size) == 0) {
      return i;
    }
  }
  return BERTH_NO_INDEX;
}

static enum berth_code check_symbol(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_symbol *symbol) {
  if (item.index >= BERTH_MAX_SYMBOLS) {
    return berth_builder_limit(builder, item, "name", "at most %d are allowed", BERTH_MAX_SYMBOLS);
  }
  if (!is_name(symbol->name)) {
    return fail_symbol(
        builder, item, BERTH_REASON_BAD_SYMBOL, "name",
        "its name is not letters, digits, '_' and '.' (a letter first), or is a word of expressions");
  }
  if (symbol->lower > symbol->upper) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_SYMBOL, "upper", "its bounds are upside down: %llu to %llu",
        (unsigned long long)symbol->lower, (unsigned long long)symbol->upper);
  }
  return BERTH_OK;
}

/* The range of the symbol: as bound, which must lie within the bounds. */
static enum berth_code bind_symbol(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_symbol *symbol,
    struct berth_binding *out_range) {
  struct berth_builder_symbols *symbols = &builder->symbols;
  uint32_t found = find_binding(symbols, symbol->name);
  *out_range = (struct berth_binding){.lower = symbol->lower, .upper = symbol->upper};
  if (found == BERTH_NO_INDEX) {
    return BERTH_OK;
  }
  const struct berth_binding *binding = &symbols->bindings.items[found];
  if (binding->lower < symbol->lower || binding->upper > symbol->upper) {
    bool too_small = binding->lower < symbol->lower;
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_SYMBOL, "binding", "it is bound to %llu; its %s bound is %llu",
        (unsigned long long)(too_small ? binding->lower : binding->upper), too_small ? "lower" : "upper",
        (unsigned long long)(too_small ? symbol->lower : symbol->upper));
  }
  symbols->is_used.items[found] = 1;
  out_range->lower = binding->lower;
  out_range->upper = binding->upper;
  return BERTH_OK;
}

static enum berth_code
add_symbol(struct berth_problem_builder *builder, struct berth_item item, const struct berth_symbol *symbol) {
  struct berth_symbol_columns *columns = &builder->problem->symbols;
  struct berth_builder_symbols *symbols = &builder->symbols;
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = (size_t)item.index + 1;
  struct berth_binding range;
  enum berth_code code = check_symbol(builder, item, symbol);
  code = code != BERTH_OK ? code : bind_symbol(builder, item, symbol, &range);
  code = code != BERTH_OK ? code : berth_builder_add_name(builder, &columns->names, item, symbol->name);
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(allocator, &columns->symbols, n) ||
      !berth_vec_reserve(allocator, &columns->ranges, n) ||
      !berth_vec_reserve(allocator, &symbols->symbol_bound, n) ||
      !berth_vec_reserve(allocator, &symbols->symbol_stated, n)) {
    return berth_fail_memory(&builder->error);
  }
  columns->symbols.items[columns->symbols.n++] = *symbol;
  columns->ranges.items[columns->ranges.n++] = range;
  symbols->symbol_bound.items[symbols->symbol_bound.n++] = berth_extent_of_range(range.lower, range.upper);
  symbols->symbol_stated.items[symbols->symbol_stated.n++] =
      berth_extent_of_range(symbol->lower, symbol->upper);
  symbols->is_ranged = symbols->is_ranged || range.lower != range.upper;
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_symbol(
    struct berth_problem_builder *builder, const struct berth_symbol *symbol, uint32_t *out_symbol,
    struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_OPEN)) {
    uint32_t index = (uint32_t)builder->problem->symbols.symbols.n;
    struct berth_item item = {.kind = "symbol", .index = index, .id = symbol->name};
    if (add_symbol(builder, item, symbol) == BERTH_OK && out_symbol != NULL) {
      *out_symbol = index;
    }
  }
  return berth_builder_report(builder, err);
}

/* ---- Expressions ---- */

static enum berth_code check_expression(
    struct berth_problem_builder *builder, struct berth_item item,
    const struct berth_expression *expression) {
  size_t n_symbols = builder->problem->symbols.symbols.n;
  if (item.index >= BERTH_MAX_EXPRESSIONS) {
    return berth_builder_limit(builder, item, "operation", "at most %u are allowed", BERTH_MAX_EXPRESSIONS);
  }
  if ((unsigned)expression->operation >= BERTH_N_OPERATIONS) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_NUMBER, "operation", "operation %d is unknown",
        (int)expression->operation);
  }
  if (expression->operation == BERTH_OPERATION_SYMBOL && expression->left >= n_symbols) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_UNKNOWN_ID, "left", "it is symbol %u; there are %zu", expression->left,
        n_symbols);
  }
  bool has_operands = expression->operation > BERTH_OPERATION_UNKNOWN;
  if (has_operands && (expression->left >= item.index || expression->right >= item.index)) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_UNKNOWN_ID, "left",
        "its operands are expressions %u and %u, which do not both come before it", expression->left,
        expression->right);
  }
  return BERTH_OK;
}

/* Which symbol leaves the expression without a largest. */
static uint32_t find_endless(
    const struct berth_builder_symbols *symbols, const struct berth_expression *expression,
    struct berth_extent extent) {
  if (extent.is_empty || extent.fault != BERTH_EXTENT_UNBOUNDED) {
    return BERTH_NO_INDEX;
  }
  if (expression->operation == BERTH_OPERATION_SYMBOL) {
    return expression->left;
  }
  uint32_t left = symbols->endless.items[expression->left];
  return left != BERTH_NO_INDEX ? left : symbols->endless.items[expression->right];
}

static enum berth_code add_expression(
    struct berth_problem_builder *builder, struct berth_item item,
    const struct berth_expression *expression) {
  struct berth_symbol_columns *columns = &builder->problem->symbols;
  struct berth_builder_symbols *symbols = &builder->symbols;
  const struct berth_allocator *allocator = &builder->allocator;
  size_t n = (size_t)item.index + 1;
  enum berth_code code = check_expression(builder, item, expression);
  if (code != BERTH_OK) {
    return code;
  }
  if (!berth_vec_reserve(allocator, &columns->expressions, n) ||
      !berth_vec_reserve(allocator, &symbols->bound, n) ||
      !berth_vec_reserve(allocator, &symbols->stated, n) ||
      !berth_vec_reserve(allocator, &symbols->endless, n)) {
    return berth_fail_memory(&builder->error);
  }
  struct berth_extent bound = berth_extent_of(expression, symbols->symbol_bound.items, symbols->bound.items);
  columns->expressions.items[columns->expressions.n++] = *expression;
  symbols->bound.items[symbols->bound.n++] = bound;
  symbols->stated.items[symbols->stated.n++] =
      berth_extent_of(expression, symbols->symbol_stated.items, symbols->stated.items);
  symbols->endless.items[symbols->endless.n++] = find_endless(symbols, expression, bound);
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_expression(
    struct berth_problem_builder *builder, const struct berth_expression *expression,
    uint32_t *out_expression, struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_OPEN)) {
    uint32_t index = (uint32_t)builder->problem->symbols.expressions.n;
    struct berth_item item = {.kind = "expression", .index = index};
    if (add_expression(builder, item, expression) == BERTH_OK && out_expression != NULL) {
      *out_expression = index;
    }
  }
  return berth_builder_report(builder, err);
}

/* ---- Finish ---- */

enum berth_code berth_builder_check_symbols(struct berth_problem_builder *builder) {
  const struct berth_builder_symbols *symbols = &builder->symbols;
  for (uint32_t i = 0; i < symbols->bindings.n; i++) {
    struct berth_text name = berth_names_get(&symbols->binding_names, i);
    struct berth_item item = {.kind = "binding", .index = i, .id = name};
    if (find_binding(symbols, name) != i) {
      return fail_symbol(builder, item, BERTH_REASON_DUPLICATE_ID, "name", "its symbol is bound already");
    }
    if (symbols->is_used.items[i] == 0) {
      return fail_symbol(
          builder, item, BERTH_REASON_BAD_SYMBOL, "name", "the problem has no symbol of this name");
    }
  }
  return BERTH_OK;
}

void berth_builder_finish_symbols(struct berth_problem_builder *builder) {
  struct berth_builder_symbols *symbols = &builder->symbols;
  const struct berth_allocator *allocator = &builder->allocator;
  berth_names_finish(allocator, &symbols->binding_names);
  berth_vec_finish(allocator, &symbols->bindings);
  berth_vec_finish(allocator, &symbols->is_used);
  berth_vec_finish(allocator, &symbols->symbol_bound);
  berth_vec_finish(allocator, &symbols->symbol_stated);
  berth_vec_finish(allocator, &symbols->bound);
  berth_vec_finish(allocator, &symbols->stated);
  berth_vec_finish(allocator, &symbols->endless);
  berth_vec_finish(allocator, &symbols->is_moving);
}
