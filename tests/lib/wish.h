/* Hooks that end a search once its arena is small enough. */
#ifndef TESTS_WISH_H
#define TESTS_WISH_H

#include "berth/solve.h"

struct wish {
  uint64_t arena; /* so much is enough */
  bool is_met;
};

/* They hold the wish. */
struct berth_solve_hooks wish_hooks(struct wish *wish);

#endif
