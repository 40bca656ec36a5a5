/* A buffer as the rectangles that it really holds: stretches of steps with one byte window each. */
#ifndef PACKING_PIECES_H
#define PACKING_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packing/instance.h"

struct berth_pieces {
  const struct berth_packing_instance *instance;
  uint32_t buffer;
  uint32_t listed; /* the next of the listed pieces */
  uint32_t listed_end;
  uint32_t step; /* the next stretch begins here */
  uint32_t gap;
  uint32_t gap_end;
};

/* Whether the buffer's pieces are listed: several at a step, perhaps. */
static inline bool berth_pieces_listed(const struct berth_packing_instance *instance, uint32_t buffer) {
  return instance->piece_begin != NULL && instance->piece_begin[buffer] < instance->piece_begin[buffer + 1];
}

/* Whether it holds anything but all its bytes in all its steps. */
static inline bool berth_pieces_several(const struct berth_packing_instance *instance, uint32_t buffer) {
  bool has_gaps =
      instance->gap_begin != NULL && instance->gap_begin[buffer] < instance->gap_begin[buffer + 1];
  return has_gaps || berth_pieces_listed(instance, buffer);
}

static inline struct berth_pieces
berth_pieces_of(const struct berth_packing_instance *instance, uint32_t buffer) {
  bool has_gaps = instance->gap_begin != NULL;
  bool is_listed = berth_pieces_listed(instance, buffer);
  return (struct berth_pieces){
      .instance = instance,
      .buffer = buffer,
      .listed = is_listed ? instance->piece_begin[buffer] : 0,
      .listed_end = is_listed ? instance->piece_begin[buffer + 1] : 0,
      .step = is_listed ? instance->upper[buffer] : instance->lower[buffer],
      .gap = has_gaps ? instance->gap_begin[buffer] : 0,
      .gap_end = has_gaps ? instance->gap_begin[buffer + 1] : 0};
}

/* The next stretch, in the order of time unless they are listed; stretches without bytes are left out. False
 * after the last. */
static inline bool berth_pieces_next(struct berth_pieces *pieces, struct berth_piece *out) {
  const struct berth_packing_instance *instance = pieces->instance;
  uint32_t upper = instance->upper[pieces->buffer];
  if (pieces->listed < pieces->listed_end) {
    *out = instance->pieces[pieces->listed++];
    return true;
  }
  while (pieces->step < upper) {
    const struct berth_piece *gap = pieces->gap < pieces->gap_end ? &instance->gaps[pieces->gap] : NULL;
    if (gap == NULL || pieces->step < gap->lower) {
      uint32_t end = gap != NULL && gap->lower < upper ? gap->lower : upper;
      *out = (struct berth_piece){pieces->step, end, 0, instance->size[pieces->buffer]};
      pieces->step = end;
      return true;
    }
    pieces->gap++;
    pieces->step = gap->upper;
    if (gap->window_lower < gap->window_upper && gap->lower < gap->upper) {
      *out = (struct berth_piece){gap->lower, gap->upper, gap->window_lower, gap->window_upper};
      return true;
    }
  }
  return false;
}

#endif
