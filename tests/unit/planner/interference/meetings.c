/* The bits say of every two buffers whether they meet, and what is summed over them is. */
#include "interference/meetings.h"

#include "random_order.h"
#include <string.h>

#include "suite.h"

enum { MOST = 150 };

static struct random_order random_one;
static bool expected[MOST][MOST];

static void check(const struct berth_meetings *meetings, const uint64_t *weight, struct berth_arena *arena) {
  double rank[MOST];
  uint64_t *scratch = berth_arena_new(arena, uint64_t, meetings->n_words);
  for (uint32_t a = 0; a < meetings->n; a++) {
    uint64_t sum = weight[a];
    uint32_t n_expected = 0;
    for (uint32_t b = 0; b < meetings->n; b++) {
      ck_assert_int_eq(berth_meetings_has(berth_meetings_row(meetings, a), b), expected[a][b]);
      sum += expected[a][b] ? weight[b] : 0;
      n_expected += expected[a][b];
    }
    uint32_t n_met;
    ck_assert_uint_eq(berth_meetings_weight(meetings, weight, a, &n_met), sum);
    ck_assert_uint_eq(n_met, n_expected);
    rank[a] = (double)weight[a];
  }
  for (uint32_t a = 0; a < meetings->n; a++) { /* the same antichain, the slow way */
    bool left[MOST];
    uint64_t sum = 0;
    memset(left, true, sizeof left);
    for (uint32_t next = a; next < MOST;) {
      sum += weight[next];
      uint32_t best = MOST;
      for (uint32_t b = 0; b < meetings->n; b++) {
        left[b] = left[b] && expected[next][b];
        best = left[b] && (best == MOST || weight[b] > weight[best]) ? b : best;
      }
      next = best;
    }
    uint64_t n_looks = 0;
    ck_assert_uint_eq(berth_meetings_peak(meetings, weight, rank, a, NULL, scratch, &n_looks), sum);
    ck_assert_uint_gt(n_looks, 0);
  }
}

static void random_weights(struct berth_rng *rng, uint64_t *weight) {
  for (uint32_t i = 0; i < MOST; i++) {
    weight[i] = 1 + berth_rng_below(rng, 1000);
  }
}

START_TEST(of_lifetimes_and_pairs) {
  struct berth_rng rng = {.state = 2};
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  for (int round = 0; round < 60; round++) {
    uint32_t n = 1 + berth_rng_below(&rng, MOST);
    uint32_t lower[MOST], upper[MOST], pairs[40][2], n_pairs = 0;
    uint64_t weight[MOST];
    random_weights(&rng, weight);
    for (uint32_t i = 0; i < n; i++) {
      lower[i] = berth_rng_below(&rng, 100);
      upper[i] = lower[i] + 1 + berth_rng_below(&rng, 20);
    }
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t b = 0; b < n; b++) {
        expected[a][b] = a != b && lower[a] < upper[b] && lower[b] < upper[a];
      }
    }
    for (; n > 1 && n_pairs < 40; n_pairs++) {
      uint32_t a = berth_rng_below(&rng, n - 1), b = a + 1 + berth_rng_below(&rng, n - a - 1);
      pairs[n_pairs][0] = a;
      pairs[n_pairs][1] = b;
      expected[a][b] = expected[b][a] = true;
    }
    struct berth_meetings meetings;
    ck_assert(
        berth_meetings_make(&meetings, n, lower, upper, n_pairs, (const uint32_t(*)[2])pairs, NULL, &arena));
    check(&meetings, weight, &arena);
    berth_arena_reset(&arena);
  }
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(of_a_partial_order) {
  struct berth_rng rng = {.state = 3};
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  for (int round = 0; round < 60; round++) {
    uint32_t n = 1 + berth_rng_below(&rng, MOST);
    uint64_t weight[MOST];
    struct berth_chains chains;
    struct berth_meetings meetings;
    bool is_usable;
    random_weights(&rng, weight);
    random_order_of_streams(&random_one, &rng, n, 4);
    ck_assert(berth_chains_make(&chains, &random_one.order, &arena, &is_usable) && is_usable);
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t b = 0; b < n; b++) {
        expected[a][b] =
            a != b && !berth_precedes(&random_one.order, a, b) && !berth_precedes(&random_one.order, b, a);
      }
    }
    ck_assert(berth_meetings_make(
        &meetings, n, random_one.life_lower, random_one.life_upper, 0, NULL, &chains, &arena));
    check(&meetings, weight, &arena);
    berth_arena_reset(&arena);
  }
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/meetings", (const TTest *const[]){of_lifetimes_and_pairs, of_a_partial_order, NULL});
}
