/* A graph whose sizes are expressions over bounded symbols, as a test holds it, and what they are worth at a
 * binding: by plain recursion over wide numbers. */
#ifndef TESTS_SYMBOLIC_H
#define TESTS_SYMBOLIC_H

#include "graph.h"

enum { SYMBOLIC_MAX_SYMBOLS = 3, SYMBOLIC_MAX_EXPRESSIONS = 48, SYMBOLIC_MAX_DIMENSIONS = 3 };

struct symbolic_shape {
  bool is_plain; /* the graph's number counts */
  uint32_t n_dimensions;
  uint32_t dimensions[SYMBOLIC_MAX_DIMENSIONS];
  uint32_t element_bits;
};

struct symbolic {
  struct graph graph; /* without views and pins */
  uint32_t n_symbols;
  struct berth_symbol symbols[SYMBOLIC_MAX_SYMBOLS];
  uint32_t n_expressions;
  struct berth_expression expressions[SYMBOLIC_MAX_EXPRESSIONS];
  struct symbolic_shape values[GRAPH_MAX_VALUES];
  struct symbolic_shape workspaces[GRAPH_MAX_OPERATORS];
};

void symbolic_generate(struct symbolic *symbolic, struct berth_rng *rng, uint32_t n_operators);
enum berth_code symbolic_try_build(
    const struct symbolic *symbolic, const struct berth_bindings *bindings,
    const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;
/* Fails the test if the builder refuses. */
struct berth_problem *symbolic_build(const struct symbolic *symbolic, const struct berth_bindings *bindings);
/* Always the same one, of six operators. */
struct berth_problem *symbolic_some(void);
/* A number for every symbol within its bounds; `out` has room for all. */
struct berth_bindings
symbolic_bind(const struct symbolic *symbolic, struct berth_rng *rng, struct berth_binding *out);

/* What an expression is worth where symbol i is at[i]. False if it is nothing: below 0, or divided by 0. */
bool symbolic_value(
    const struct berth_expression *expressions, uint32_t index, const uint64_t *at, uint64_t *out);
/* A shape, or the graph's number, in bytes. */
bool symbolic_bytes(
    const struct symbolic *symbolic, const struct symbolic_shape *shape, uint64_t plain, const uint64_t *at,
    uint64_t *out);
/* A random one over the symbols, put behind the others; its numbers stay small. */
void symbolic_add_expression(
    struct berth_expression *expressions, uint32_t *n, uint32_t n_symbols, struct berth_rng *rng,
    bool is_monotone);

#endif
