/* Slices of buffers under a partial order: see berth_buffers. */
#ifndef PROBLEM_SLICES_H
#define PROBLEM_SLICES_H

#include "liveness/clocks.h"
#include "problem/builder.h"

struct berth_builder_slices_input {
  const struct berth_graph *graph; /* with buffers and offsets of values */
  const struct berth_clocks *clocks;
  const uint8_t *family; /* of roots: set of enum berth_liveness_family */
  const int64_t *lower;  /* of roots: with their views', widened by loops */
  const int64_t *upper;
};

/* Fills in the problem's slices, if a buffer has any. Accesses times streams up to BERTH_CLOCKS_MAX. */
enum berth_code berth_builder_make_slices(
    struct berth_problem_builder *builder, const struct berth_builder_slices_input *input,
    struct berth_arena *arena);

#endif
