#include "verify/sizes.h"

__extension__ typedef unsigned __int128 wide;

/* What an expression is worth; nothing where a symbol in it is a range or unknown, or no number comes out. */
struct worth {
  bool is_known;
  uint64_t number;
};

static struct worth known(wide number) {
  return (struct worth){.is_known = number <= UINT64_MAX, .number = (uint64_t)number};
}

static struct worth divide(enum berth_operation operation, uint64_t a, uint64_t b) {
  if (b == 0) {
    return (struct worth){.is_known = false};
  }
  uint64_t rest = a % b;
  switch (operation) {
  case BERTH_OPERATION_FLOOR_DIVIDE:
    return known(a / b);
  case BERTH_OPERATION_CEIL_DIVIDE:
    return known((wide)(a / b) + (rest != 0));
  case BERTH_OPERATION_MODULO:
    return known(rest);
  default:
    return known((wide)a + (rest != 0 ? b - rest : 0));
  }
}

static struct worth worth_of(
    const struct berth_symbols *symbols, const struct berth_expression *it, const struct worth *earlier) {
  if (it->operation == BERTH_OPERATION_CONSTANT) {
    return known(it->value);
  }
  if (it->operation == BERTH_OPERATION_SYMBOL) {
    const struct berth_binding *range = &symbols->ranges[it->left];
    return (struct worth){.is_known = range->lower == range->upper, .number = range->lower};
  }
  if (it->operation == BERTH_OPERATION_UNKNOWN || !earlier[it->left].is_known ||
      !earlier[it->right].is_known) {
    return (struct worth){.is_known = false};
  }
  uint64_t a = earlier[it->left].number;
  uint64_t b = earlier[it->right].number;
  switch (it->operation) {
  case BERTH_OPERATION_ADD:
    return known((wide)a + b);
  case BERTH_OPERATION_SUBTRACT:
    return (struct worth){.is_known = a >= b, .number = a - b};
  case BERTH_OPERATION_MULTIPLY:
    return known((wide)a * b);
  case BERTH_OPERATION_MAXIMUM:
    return known(a > b ? a : b);
  case BERTH_OPERATION_MINIMUM:
    return known(a < b ? a : b);
  default:
    return divide(it->operation, a, b);
  }
}

static struct worth
bytes_of(const struct berth_symbols *symbols, const struct berth_sized *sized, const struct worth *worths) {
  wide product = 1;
  for (uint32_t i = 0; i < sized->n; i++) {
    struct worth one = worths[symbols->dimensions[sized->begin + i]];
    if (!one.is_known) {
      return one;
    }
    product = one.number == 0 ? 0 : product > UINT64_MAX ? product : product * one.number;
  }
  return product > UINT64_MAX ? (struct worth){.is_known = false}
                              : known((product * sized->element_bits + 7) / 8);
}

/* The number that the problem has for it; false if it has none. */
static bool
stated(const struct berth_problem *problem, enum berth_sized_field field, uint32_t item, uint64_t *out) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  if (field == BERTH_SIZED_WORKSPACE) {
    uint32_t buffer = graph->operator_workspace[item];
    *out = buffer != BERTH_NO_INDEX ? buffers->size_bytes[buffer] : 0;
    return buffer != BERTH_NO_INDEX;
  }
  if (graph == NULL) {
    *out = buffers->size_bytes[item];
    return true;
  }
  uint32_t root = graph->value_root != NULL ? graph->value_root[item] : item;
  *out = field == BERTH_SIZED_SIZE ? graph->value_size_bytes[item] : graph->value_view_offset[item];
  return (graph->value_flags[root] & BERTH_VALUE_DYNAMIC) == 0;
}

static enum berth_code compare(
    const struct berth_problem *problem, enum berth_sized_field field, const struct worth *worths,
    struct berth_error *err) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  for (uint32_t i = 0; i < symbols->n_sized[field]; i++) {
    const struct berth_sized *sized = &symbols->sized[field][i];
    struct worth bytes = bytes_of(symbols, sized, worths);
    uint64_t number;
    if (bytes.is_known && stated(problem, field, sized->item, &number) && number != bytes.number) {
      return berth_fail(
          err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, sized->item, NULL,
          "the size of item %u is %llu bytes, but its shape says %llu", sized->item,
          (unsigned long long)number, (unsigned long long)bytes.number);
    }
  }
  return BERTH_OK;
}

enum berth_code
berth_verify_sizes(const struct berth_problem *problem, struct berth_arena *arena, struct berth_error *err) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  for (uint32_t i = 0; symbols != NULL && i < symbols->n_symbols; i++) {
    if (symbols->ranges[i].lower != symbols->ranges[i].upper) {
      return BERTH_OK; /* views are fitted into roots, and results into operands */
    }
  }
  if (symbols == NULL || symbols->n_expressions == 0) {
    return BERTH_OK;
  }
  struct worth *worths = berth_arena_new(arena, struct worth, symbols->n_expressions);
  if (worths == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < symbols->n_expressions; i++) {
    worths[i] = worth_of(symbols, &symbols->expressions[i], worths);
  }
  enum berth_code code = BERTH_OK;
  for (int field = 0; field < BERTH_N_SIZED_FIELDS && code == BERTH_OK; field++) {
    code = compare(problem, (enum berth_sized_field)field, worths, err);
  }
  return code;
}
