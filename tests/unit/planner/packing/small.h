/* Small instances with every constraint, and their truth by exhaustive search over all offsets. */
#ifndef TESTS_SMALL_H
#define TESTS_SMALL_H

#include "base/rng.h"
#include "packing/instance.h"

enum { MOST_BUFFERS = 7, MOST_STEPS = 7, MOST_GAPS = 2, MOST_PIECES = 3 };

/* A small instance with storage of its own. */
struct small {
  struct berth_packing_instance instance;
  uint32_t lower[MOST_BUFFERS];
  uint32_t upper[MOST_BUFFERS];
  uint64_t size[MOST_BUFFERS];
  uint64_t alignment[MOST_BUFFERS];
  uint64_t pin[MOST_BUFFERS];
  uint32_t gap_begin[MOST_BUFFERS + 1];
  struct berth_piece gaps[MOST_BUFFERS * MOST_GAPS];
  uint32_t conflicts[MOST_BUFFERS][2];
  uint32_t piece_begin[MOST_BUFFERS + 1];
  struct berth_piece pieces[MOST_BUFFERS * MOST_PIECES];
};

/* LISTED: some hold several ranges at a step, as groups do. */
enum small_feature {
  ALIGNMENT = 1,
  PINS = 2,
  GAPS = 4,
  WINDOWS = 8,
  CONFLICTS = 16,
  SCALE = 32,
  LISTED = 64
};

void small_draw(struct small *small, struct berth_rng *rng, unsigned features);

/* Without waste: a rectangle, cut at random, and nothing but lives and sizes. */
void small_draw_full(struct small *small, struct berth_rng *rng);

/* Whether two buffers at these offsets share bytes that both hold. */
bool small_clash(const struct small *small, uint32_t a, uint64_t offset_a, uint32_t b, uint64_t offset_b);

/* Whether those of the buffers that are in `set`, a bit each, fit. */
bool small_fits(const struct small *small, uint64_t arena, uint32_t set);

uint64_t small_load(const struct small *small);

/* The smallest arena, or BERTH_UNLIMITED if pins clash. */
uint64_t small_optimum(const struct small *small);

#endif
