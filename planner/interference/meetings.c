#include "interference/meetings.h"

#include <string.h>

#include "base/effort.h"
#include "base/order.h"

static void set(struct berth_meetings *meetings, uint32_t a, uint32_t b) {
  if (a != b) {
    meetings->rows[(size_t)a * meetings->n_words + b / 64] |= UINT64_C(1) << (b % 64);
    meetings->rows[(size_t)b * meetings->n_words + a / 64] |= UINT64_C(1) << (a % 64);
  }
}

/* By start: whoever begins before this one ends. */
static bool set_overlaps(
    struct berth_meetings *meetings, const uint32_t *lower, const uint32_t *upper,
    struct berth_arena *arena) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t n = meetings->n;
  uint32_t *order = berth_arena_new(arena, uint32_t, n);
  bool ok = order != NULL && berth_order_all(arena, n, lower, order);
  for (uint32_t k = 0; ok && k < n; k++) {
    ok = k % 64 != 63 || berth_effort_poll(arena->effort);
    for (uint32_t next = k + 1; next < n && lower[order[next]] < upper[order[k]]; next++) {
      set(meetings, order[k], order[next]);
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

static bool set_unordered(
    struct berth_meetings *meetings, const struct berth_chains *chains, struct berth_effort *effort) {
  for (uint32_t i = 0; i < meetings->n; i++) {
    if (i % 64 == 63 && !berth_effort_poll(effort)) {
      return false;
    }
    for (uint32_t c = 0; c < chains->n_chains; c++) {
      size_t entry = (size_t)i * chains->n_chains + c;
      for (uint32_t place = chains->first_met[entry]; place < chains->end_met[entry]; place++) {
        set(meetings, i, chains->buffer[place]);
      }
    }
  }
  return true;
}

bool berth_meetings_make(
    struct berth_meetings *meetings, uint32_t n, const uint32_t *lower, const uint32_t *upper,
    uint32_t n_pairs, const uint32_t (*pairs)[2], const struct berth_chains *chains,
    struct berth_arena *arena) {
  uint32_t n_words = (n + 63) / 64;
  *meetings = (struct berth_meetings){
      .n = n, .n_words = n_words, .rows = berth_arena_new_zeroed(arena, uint64_t, (size_t)n * n_words)};
  if (meetings->rows == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n_pairs; k++) {
    set(meetings, pairs[k][0], pairs[k][1]);
  }
  return chains != NULL ? set_unordered(meetings, chains, arena->effort)
                        : set_overlaps(meetings, lower, upper, arena);
}

uint64_t berth_meetings_weight(
    const struct berth_meetings *meetings, const uint64_t *weight, uint32_t buffer, uint32_t *out_n) {
  const uint64_t *row = berth_meetings_row(meetings, buffer);
  *out_n = 0;
  uint64_t sum = weight[buffer];
  for (uint32_t w = 0; w < meetings->n_words; w++) {
    for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
      sum += weight[w * 64 + (uint32_t)__builtin_ctzll(bits)];
      ++*out_n;
    }
  }
  return sum;
}

static uint32_t highest(const uint64_t *words, uint32_t n_words, const double *rank, uint64_t *n_looks) {
  uint32_t best = UINT32_MAX;
  for (uint32_t w = 0; w < n_words; w++) {
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      uint32_t found = w * 64 + (uint32_t)__builtin_ctzll(bits);
      ++*n_looks;
      best = best == UINT32_MAX || rank[found] > rank[best] ? found : best;
    }
  }
  return best;
}

uint64_t berth_meetings_peak(
    const struct berth_meetings *meetings, const uint64_t *weight, const double *rank, uint32_t buffer,
    struct berth_effort *effort, uint64_t *scratch, uint64_t *n_looks) {
  uint64_t sum = 0, next_poll = *n_looks + BERTH_EFFORT_POLL_TICKS;
  memset(scratch, 0xff, meetings->n_words * sizeof *scratch);
  while (buffer != UINT32_MAX) {
    const uint64_t *row = berth_meetings_row(meetings, buffer);
    sum += weight[buffer];
    for (uint32_t w = 0; w < meetings->n_words; w++) {
      scratch[w] &= row[w];
    }
    buffer = highest(scratch, meetings->n_words, rank, n_looks);
    *n_looks += 2 * (uint64_t)meetings->n_words;
    if (*n_looks >= next_poll && !berth_effort_poll(effort)) {
      break;
    }
    next_poll = *n_looks >= next_poll ? *n_looks + BERTH_EFFORT_POLL_TICKS : next_poll;
  }
  return sum;
}
