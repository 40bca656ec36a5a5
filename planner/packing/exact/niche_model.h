/* What the niche search sees of an instance: buffers over sections, in whole units.
 *
 * A section is a set of buffers that all meet each other: the steps of time whose live set is not inside a
 * neighbour's, and one more for every extra conflict pair. A buffer occupies runs of sections, one run unless
 * it has gaps, and in each of them a window of its bytes. A unit divides every offset that a pushed-down plan
 * can have: the greatest common divisor of the sizes where that makes all alignments vacuous, else the
 * smallest alignment. Sizes are rounded up to units; a buffer's own ceiling keeps that exact, since only what
 * lies above a buffer needs its padding. Where there are windows, a unit divides them and all sizes, too. */
#ifndef PACKING_EXACT_NICHE_MODEL_H
#define PACKING_EXACT_NICHE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "berth/status.h"
#include "packing/instance.h"

struct berth_niche_run {
  uint32_t lower;
  uint32_t upper;
  int64_t bottom; /* of the window, from the offset on, in units */
  int64_t top;
};

struct berth_niche_model {
  const struct berth_packing_instance *instance;
  uint32_t n_buffers;
  uint32_t n_sections;
  uint32_t n_time_sections; /* the first of them; the rest are conflict pairs */
  uint64_t unit;
  bool is_plain; /* every buffer is one run: niches are intervals and time decomposes */
  bool has_pins;
  bool has_masks;
  bool has_windows;    /* some run is not all of its buffer */
  bool has_holes;      /* some window spans bytes that are not held: no refutation is a proof */
  bool is_ordered;     /* every buffer has a byte that all its runs hold, its reference: of two that meet,
                        * the one with the lower reference is below wherever they do */
  uint32_t *run_begin; /* n_buffers + 1 */
  struct berth_niche_run *runs;
  uint32_t *lower; /* the hull of the runs */
  uint32_t *upper;
  int64_t *size;
  int64_t *mask;          /* alignment - 1, in units */
  int64_t *pin;           /* -1 if free */
  uint32_t *member_begin; /* n_sections + 1 */
  uint32_t *members;      /* of each section, by id */
  int64_t *bottom;        /* of each entry of members: of its window there; NULL if there are no windows */
  int64_t *reference;     /* in units from the offset; NULL if there are no windows, then 0 is */
  int64_t *least_top;     /* of each buffer's runs; NULL if there are no windows, then it is the size */
  int64_t *most_bottom;   /* the same, or 0 */
  uint32_t *meet_begin;   /* n_buffers + 1 */
  uint32_t *meets;        /* the buffers that share a section with it */
};

/* False in out_usable if the search does not apply: too many meetings or pieces to list. Polls the arena's
 * effort; if that is stopped, RESOURCE_EXHAUSTED. */
enum berth_code berth_niche_model_init(
    struct berth_niche_model *model, const struct berth_packing_instance *instance, struct berth_arena *arena,
    bool *out_usable) BERTH_MUST_USE;

/* The largest load of a section in bytes as the sizes are; 0 where there are windows. */
uint64_t berth_niche_model_load(const struct berth_niche_model *model);

/* The next capacity above `capacity` at which some buffer can lie higher. */
uint64_t berth_niche_model_next_capacity(const struct berth_niche_model *model, uint64_t capacity);

#endif
