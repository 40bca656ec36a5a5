/* The canonical form in sections, to tell in what two problems differ. */
#ifndef BERTH_SECTIONS_H
#define BERTH_SECTIONS_H

#include "berth/problem.h"

/* In the order in which they are encoded. A section that the problem does not need is empty. Append only. */
#define BERTH_SECTIONS(X)                                                                                    \
  X(COUNTS, "counts")                                                                                        \
  X(POOLS, "pools")                                                                                          \
  X(LIFETIMES, "lifetimes")                                                                                  \
  X(SIZES, "sizes")                                                                                          \
  X(ALIGNMENTS, "alignments and classes")                                                                    \
  X(PINS, "pins")                                                                                            \
  X(CHOICES, "choices of pools")                                                                             \
  X(GAPS, "gaps")                                                                                            \
  X(CONFLICTS, "conflicts")                                                                                  \
  X(TERMS, "terms of pools and accesses")                                                                    \
  X(CLOCKS, "order of streams")                                                                              \
  X(GROUPS, "groups")                                                                                        \
  X(SLICES, "slices")                                                                                        \
  X(PARTS, "parts and what else few problems have")

enum berth_section {
#define X(name, word) BERTH_SECTION_##name,
  BERTH_SECTIONS(X)
#undef X
      BERTH_N_SECTIONS
};

/* As berth_problem_canonical_encode; `begin` is called before the first byte of each section, once a section
 * and in their order. */
enum berth_code berth_problem_canonical_sections(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_allocator *allocator,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes),
    void (*begin)(void *ctx, enum berth_section section), struct berth_error *err) BERTH_MUST_USE;

#endif
