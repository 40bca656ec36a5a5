/* Which of two sizes is never the larger, whatever the symbols are: a proof by structure and extents, or
 * "not known". Incomplete, and never wrong. */
#ifndef SYMBOLS_ORDER_H
#define SYMBOLS_ORDER_H

#include "symbols/extent.h"

struct berth_expressions {
  const struct berth_expression *items;
  const struct berth_extent *extents; /* over the symbols' bounds */
};

/* A size: a shape, or (`shape` NULL) so many bytes. */
struct berth_sized_term {
  const struct berth_shape *shape;
  uint64_t bytes;
};

/* True only if a <= b at every binding at which both are numbers. */
bool berth_expression_at_most(const struct berth_expressions *table, uint32_t a, uint32_t b);
bool berth_size_at_most(
    const struct berth_expressions *table, struct berth_sized_term a, struct berth_sized_term b);

#endif
