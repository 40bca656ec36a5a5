/* Compressed time: the steps at which some lifetime begins, and every lifetime over their indices. Two
 * lifetimes overlap if and only if their compressed forms do, and any load is reached at such a step. */
#ifndef INTERFERENCE_TIMELINE_H
#define INTERFERENCE_TIMELINE_H

#include <stdint.h>

#include "base/arena.h"
#include "berth/problem.h"

/* The bytes [window_lower, window_upper) of a buffer, relative to its offset, during the compressed steps
 * [lower, upper): what it holds then, and nothing else (of a gap; equal bounds: nothing at all), or a part of
 * what it holds (of a slice). See berth_gap and berth_slice. */
struct berth_piece {
  uint32_t lower;
  uint32_t upper;
  uint64_t window_lower;
  uint64_t window_upper;
};

/* Columns of the chosen buffers, all in the arena that they were made in. */
struct berth_timeline {
  uint32_t n_buffers;
  uint32_t n_steps;
  int64_t *step_at; /* the original step of each compressed one, ascending */
  uint32_t *lower;  /* [lower, upper), never empty */
  uint32_t *upper;
  uint32_t *gap_begin; /* n_buffers + 1; NULL if none of them has gaps */
  struct berth_piece *gaps;
  uint32_t *slice_begin;      /* n_buffers + 1; NULL if none of them has slices */
  struct berth_piece *slices; /* what is held, in the place of a whole buffer for a whole life */
};

/* `members` picks buffers in the order wanted; NULL means all. O(n log n). */
enum berth_code berth_timeline_make(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members,
    struct berth_arena *arena, struct berth_timeline *out) BERTH_MUST_USE;

/* The bytes live at each compressed step, live windows only but slices whole; sizes as `size[i]` of member i.
 * `out_load` has n_steps entries; *out_peak is the first step of the peak (0 if there are none). False if the
 * effort (or NULL) was stopped. */
bool berth_timeline_load(
    const struct berth_timeline *timeline, const uint64_t *size, struct berth_effort *effort,
    uint64_t *out_load, uint32_t *out_peak);

/* How many others each buffer meets in time, gaps and pairs left out: counted, not listed; O(n). */
enum berth_code berth_timeline_degrees(
    const struct berth_timeline *timeline, struct berth_arena *arena, uint32_t *out_degree) BERTH_MUST_USE;

#endif
