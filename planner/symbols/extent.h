/* Interval arithmetic: the smallest and the largest that an expression can be over ranges of its symbols.
 * Sound for every operation (what it can be lies within), exact where the operands are numbers. */
#ifndef SYMBOLS_EXTENT_H
#define SYMBOLS_EXTENT_H

#include "berth/symbols.h"

/* Why there is no largest, or nothing at all. */
enum berth_extent_fault {
  BERTH_EXTENT_OK = 0,
  BERTH_EXTENT_UNBOUNDED,    /* a symbol has no upper bound */
  BERTH_EXTENT_UNKNOWN,      /* a dimension is not known */
  BERTH_EXTENT_OVERFLOW,     /* it passes 2^64 */
  BERTH_EXTENT_NEGATIVE,     /* it falls below 0 */
  BERTH_EXTENT_ZERO_DIVISOR, /* it divides by 0 */
};

/* `upper` is UINT64_MAX where there is no largest, and `fault` says why. With `is_empty` it is nothing, in
 * no case, and `fault` says why. */
struct berth_extent {
  uint64_t lower;
  uint64_t upper;
  bool is_empty;
  enum berth_extent_fault fault;
};

struct berth_extent berth_extent_of_range(uint64_t lower, uint64_t upper);

/* Of one entry of the table; `symbols` are the extents of the symbols, `earlier` those of earlier entries. */
struct berth_extent berth_extent_of(
    const struct berth_expression *expression, const struct berth_extent *symbols,
    const struct berth_extent *earlier);

/* Of a shape in bytes. Every dimension is looked at before a zero among them counts: the first that has a
 * fault of its own is *out_dimension, else that is BERTH_NO_INDEX. */
struct berth_extent berth_extent_of_shape(
    const struct berth_shape *shape, const struct berth_extent *expressions, uint32_t *out_dimension);

#endif
