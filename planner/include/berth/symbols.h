/* Sizes that are not plain numbers: expressions over symbols (batch, sequence length, ...), and shapes.
 *
 * A problem may have symbols, each a whole number between bounds, and a table of expressions over them. A
 * size is then a *shape*: the product of its dimensions, each an expression, in elements of so many bits; in
 * bytes it is the product times the bits, divided by 8 and rounded up once, on the total. A plain size in
 * bytes is the shape of one dimension with elements of 8 bits.
 *
 * A finished problem is concrete. Which numbers its sizes are is decided by the *bindings* given before the
 * first symbol: of each symbol a number, or a range. What is not bound ranges over its bounds. Over ranges
 * every size is the largest that it can be (BERTH_SIZES_LARGEST): a plan of that problem holds, at the same
 * offsets, for every binding in the ranges. With BERTH_SIZES_SMALLEST every size is the smallest: where that
 * problem does not fit, no binding in the ranges does. Both are by interval arithmetic, so exact for each
 * operation, and exact on the whole where no symbol occurs twice in opposite senses (n - n / 2); else the
 * largest may be too large and the smallest too small, never the other way.
 *
 * What else depends on sizes is the same for every binding: a result lies in its operand's place only where
 * it is proven to be no larger at every binding within the bounds, and a workspace given by a shape is always
 * a buffer.
 *
 * A value or workspace that has no largest size, because of a symbol without an upper bound that is not
 * bound, or of a dimension that is unknown, cannot be planned for. It is left to the *dynamic arena*, which
 * the program allocates at run time: it has no buffer, and is listed (berth_problem_dynamic). A buffer stated
 * with a lifetime must have a largest size; so must pinned values. With `strict` every size must.
 *
 * Limits: BERTH_MAX_SYMBOLS, BERTH_MAX_EXPRESSIONS, BERTH_MAX_DIMENSIONS of one shape. All arithmetic is that
 * of numbers below 2^64; what passes that, or falls below 0, or divides by 0, is an error at the size that
 * needs it. */
#ifndef BERTH_SYMBOLS_H
#define BERTH_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/buffer.h"

#define BERTH_UNBOUNDED UINT64_MAX /* a symbol without an upper bound */
#define BERTH_MAX_SYMBOLS 4096
#define BERTH_MAX_EXPRESSIONS (UINT32_C(1) << 24)
#define BERTH_MAX_DIMENSIONS 64
#define BERTH_MAX_ELEMENT_BITS 4096
#define BERTH_DYNAMIC_ARENA "dynamic" /* its name in reports */

struct berth_symbol {
  struct berth_text
      name; /* [A-Za-z_][A-Za-z0-9_.]*, unique, at most 255 bytes, and no word of an operation */
  uint64_t lower;
  uint64_t upper; /* inclusive; BERTH_UNBOUNDED for none */
};

/* One table gives the enum and the words of the text form (formats/json). Division is of whole numbers:
 * rounded up, or down. */
#define BERTH_OPERATIONS(X)                                                                                  \
  X(CONSTANT, "constant", 0)                                                                                 \
  X(SYMBOL, "symbol", 0)                                                                                     \
  X(UNKNOWN, "?", 0)                                                                                         \
  X(ADD, "+", 2)                                                                                             \
  X(SUBTRACT, "-", 2)                                                                                        \
  X(MULTIPLY, "*", 2)                                                                                        \
  X(FLOOR_DIVIDE, "floordiv", 2)                                                                             \
  X(CEIL_DIVIDE, "ceildiv", 2)                                                                               \
  X(MODULO, "mod", 2)                                                                                        \
  X(MAXIMUM, "max", 2)                                                                                       \
  X(MINIMUM, "min", 2)                                                                                       \
  X(ALIGN_UP, "align", 2)

enum berth_operation {
#define X(name, word, n_operands) BERTH_OPERATION_##name,
  BERTH_OPERATIONS(X)
#undef X
      BERTH_N_OPERATIONS
};

/* One entry of the table; operands are earlier entries. */
struct berth_expression {
  enum berth_operation operation;
  uint32_t left;  /* the symbol's index, of a SYMBOL */
  uint32_t right; /* ALIGN_UP: the multiple that `left` is rounded up to */
  uint64_t value; /* of a CONSTANT */
};

struct berth_shape {
  const uint32_t *dimensions; /* expressions; none is a scalar */
  uint32_t n_dimensions;
  uint32_t element_bits; /* 1 to BERTH_MAX_ELEMENT_BITS */
};

/* A symbol's number, or range: lower == upper for a number. It must lie within the symbol's bounds. */
struct berth_binding {
  struct berth_text symbol;
  uint64_t lower;
  uint64_t upper;
};

enum berth_sizes { BERTH_SIZES_LARGEST = 0, BERTH_SIZES_SMALLEST };

struct berth_bindings {
  uint32_t n;
  const struct berth_binding *items;
  enum berth_sizes sizes;
  bool strict; /* a size without a largest is an error */
};

/* What a shape may be of. */
enum berth_sized_field {
  BERTH_SIZED_SIZE = 0,    /* a buffer, or a value */
  BERTH_SIZED_VIEW_OFFSET, /* a value */
  BERTH_SIZED_WORKSPACE,   /* an operator */
  BERTH_N_SIZED_FIELDS
};

/* An item with a shape; its dimensions are dimensions[begin .. begin + n). */
struct berth_sized {
  uint32_t item;
  uint32_t begin;
  uint32_t n;
  uint32_t element_bits;
};

/* What was stated, and with what bindings. Items with shapes rise. */
struct berth_symbols {
  uint32_t n_symbols;
  const struct berth_symbol *symbols;
  const struct berth_binding *ranges; /* of each symbol: as bound, or its bounds */
  uint32_t n_expressions;
  const struct berth_expression *expressions;
  const uint32_t *dimensions;
  uint32_t n_dimensions;
  uint32_t n_sized[BERTH_N_SIZED_FIELDS];
  const struct berth_sized *sized[BERTH_N_SIZED_FIELDS];
  enum berth_sizes sizes;
  bool strict;
};

/* Left to the dynamic arena: a value, or the workspace of an operator. */
struct berth_dynamic_item {
  bool is_workspace;
  uint32_t item; /* value, or operator */
  uint32_t
      symbol; /* the first without a bound that it depends on, BERTH_NO_INDEX if a dimension is unknown */
  uint64_t alignment;
  uint32_t n_pools;      /* as given: 0 for every pool, in order */
  const uint32_t *pools; /* where it goes once its size is known */
};

struct berth_dynamic {
  uint32_t n;
  const struct berth_dynamic_item *items;
};

#endif
