/* A partial order of buffers, as vector clocks: a comes before b if and only if a's upper clock is at most
 * b's lower one in every component (Fidge 1988, Mattern 1989). */
#ifndef INTERFERENCE_PRECEDENCE_H
#define INTERFERENCE_PRECEDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sort.h"
#include "berth/problem.h"

/* Columns of the chosen buffers, in the arena that they were made in; n_clocks is 0 for a total order. */
struct berth_precedence {
  uint32_t n;
  uint32_t n_clocks;
  const uint32_t *lower; /* n x n_clocks */
  const uint32_t *upper;
};

/* `members` picks buffers in the order wanted; NULL means all. False if memory ran out. */
bool berth_precedence_make(
    const struct berth_buffers *buffers, const uint32_t *members, uint32_t n_members,
    struct berth_arena *arena, struct berth_precedence *out);

static inline bool berth_clock_within(const uint32_t *a, const uint32_t *b, uint32_t n_clocks) {
  for (uint32_t c = 0; c < n_clocks; c++) {
    if (a[c] > b[c]) {
      return false;
    }
  }
  return true;
}

static inline bool berth_precedes(const struct berth_precedence *order, uint32_t a, uint32_t b) {
  return berth_clock_within(
      order->upper + (size_t)a * order->n_clocks, order->lower + (size_t)b * order->n_clocks,
      order->n_clocks);
}

/* The pairs that are not ordered though their lifetimes lie apart; the lifetimes are of a total order that
 * fits. For every component a sweep over them that keeps those that have ended by their clocks: O(components
 * x (n log n + pairs)). Counts them, up to `most` and one; with `out_pairs` writes them as keys a << 32 | b,
 * a < b, in any order. False if memory ran out or the arena's effort was stopped. */
bool berth_precedence_pairs(
    const struct berth_precedence *order, const uint32_t *life_lower, const uint32_t *life_upper,
    uint32_t most, struct berth_arena *arena, struct berth_sort_item *out_pairs, uint32_t *out_n);

#endif
