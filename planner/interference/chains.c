#include "interference/chains.h"

#include "base/effort.h"
#include "base/order.h"

struct making {
  const struct berth_precedence *order;
  uint32_t *by_sum;
  uint32_t *chain_of; /* of each buffer */
  uint32_t *last;     /* of each chain: the last buffer on it */
  uint32_t n_chains;
  uint32_t most;
};

static const uint32_t *lower_of(const struct berth_precedence *order, uint32_t buffer) {
  return order->lower + (size_t)buffer * order->n_clocks;
}

static const uint32_t *upper_of(const struct berth_precedence *order, uint32_t buffer) {
  return order->upper + (size_t)buffer * order->n_clocks;
}

static bool sort_by_sum(struct making *making, struct berth_arena *arena) {
  const struct berth_precedence *order = making->order;
  uint64_t *sum = berth_arena_new_zeroed(arena, uint64_t, order->n);
  if (sum == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < order->n; i++) {
    for (uint32_t c = 0; c < order->n_clocks; c++) {
      sum[i] += lower_of(order, i)[c];
    }
  }
  berth_order_identity(order->n, making->by_sum);
  return berth_order_by_key(arena, order->n, sum, making->by_sum);
}

/* How many components differ, and then by how much; UINT64_MAX if `from` is not below. */
static uint64_t distance(const uint32_t *from, const uint32_t *to, uint32_t n_clocks) {
  uint64_t n_differing = 0;
  uint64_t by = 0;
  for (uint32_t c = 0; c < n_clocks; c++) {
    if (from[c] > to[c]) {
      return UINT64_MAX;
    }
    n_differing += from[c] != to[c];
    by += to[c] - from[c];
  }
  return (n_differing << 44) + by;
}

static bool choose_chains(struct making *making, struct berth_effort *effort) {
  const struct berth_precedence *order = making->order;
  uint64_t n_looks = 0;
  for (uint32_t k = 0; k < order->n; k++) {
    uint32_t buffer = making->by_sum[k];
    uint32_t best = making->n_chains;
    uint64_t best_distance = UINT64_MAX;
    for (uint32_t chain = 0; chain < making->n_chains; chain++) {
      uint64_t found =
          distance(lower_of(order, making->last[chain]), lower_of(order, buffer), order->n_clocks);
      best = found < best_distance ? chain : best;
      best_distance = found < best_distance ? found : best_distance;
    }
    n_looks += making->n_chains;
    if (n_looks > BERTH_EFFORT_POLL_TICKS) {
      n_looks = 0;
      if (!berth_effort_poll(effort)) {
        return false;
      }
    }
    if (best == making->n_chains && making->n_chains++ == making->most) {
      return true;
    }
    making->last[best] = buffer;
    making->chain_of[buffer] = best;
  }
  return true;
}

static void line_up(struct berth_chains *chains, const struct making *making) {
  for (uint32_t i = 0; i < chains->n; i++) {
    chains->begin[making->chain_of[i] + 1]++;
  }
  for (uint32_t chain = 0; chain < chains->n_chains; chain++) {
    chains->begin[chain + 1] += chains->begin[chain];
    making->last[chain] = chains->begin[chain];
  }
  for (uint32_t k = 0; k < chains->n; k++) {
    uint32_t buffer = making->by_sum[k];
    uint32_t place = making->last[making->chain_of[buffer]]++;
    chains->place[buffer] = place;
    chains->buffer[place] = buffer;
  }
}

/* The first place of the chain, from `first` to `end`, that is not before the clock: at or above it in all
 * components
 * (`above`), or else not at or below it but for the clock itself. */
static uint32_t bisect(
    const struct berth_chains *chains, const struct berth_precedence *order, uint32_t first, uint32_t end,
    const uint32_t *clock, bool above) {
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    const uint32_t *there = lower_of(order, chains->buffer[middle]);
    bool before = above ? !berth_clock_within(clock, there, order->n_clocks)
                        : berth_clock_within(there, clock, order->n_clocks) &&
                              !berth_clock_within(clock, there, order->n_clocks);
    if (before) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

static bool find_stretches(
    struct berth_chains *chains, const struct berth_precedence *order, struct berth_effort *effort) {
  for (uint32_t i = 0; i < chains->n; i++) {
    size_t row = (size_t)i * chains->n_chains;
    if (i % 256 == 255 && !berth_effort_poll(effort)) {
      return false;
    }
    for (uint32_t c = 0; c < chains->n_chains; c++) {
      uint32_t end = chains->begin[c + 1];
      uint32_t first = bisect(chains, order, chains->begin[c], end, lower_of(order, i), false);
      chains->first_met[row + c] = first;
      chains->end_met[row + c] = bisect(chains, order, first, end, upper_of(order, i), true);
    }
  }
  return true;
}

bool berth_chains_make(
    struct berth_chains *chains, const struct berth_precedence *order, struct berth_arena *arena,
    bool *out_usable) {
  uint32_t n = order->n;
  uint64_t most = n > 0 ? BERTH_CHAINS_MAX / n : 0;
  struct making making = {.order = order, .most = most < n ? (uint32_t)most : n};
  *out_usable = false;
  *chains = (struct berth_chains){.n = n, .place = berth_arena_new(arena, uint32_t, n)};
  chains->buffer = berth_arena_new(arena, uint32_t, n);
  making.by_sum = berth_arena_new(arena, uint32_t, n);
  making.chain_of = berth_arena_new(arena, uint32_t, n);
  making.last = berth_arena_new(arena, uint32_t, (size_t)making.most + 1);
  if (chains->place == NULL || chains->buffer == NULL || making.by_sum == NULL || making.chain_of == NULL ||
      making.last == NULL || !sort_by_sum(&making, arena) || !choose_chains(&making, arena->effort)) {
    return false;
  }
  if (making.n_chains > making.most) {
    return true;
  }
  chains->n_chains = making.n_chains;
  chains->by_sum = making.by_sum;
  size_t n_entries = (size_t)n * making.n_chains;
  chains->begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)making.n_chains + 1);
  chains->first_met = berth_arena_new(arena, uint32_t, n_entries);
  chains->end_met = berth_arena_new(arena, uint32_t, n_entries);
  if (chains->begin == NULL || chains->first_met == NULL || chains->end_met == NULL) {
    return false;
  }
  line_up(chains, &making);
  *out_usable = true;
  return find_stretches(chains, order, arena->effort);
}
