#include "packing/neighbours.h"

#include <string.h>

#include "random_instance.h"
#include "suite.h"

enum { N = 300, MOST_PAIRS = N };

static struct random_instance one;

static bool meet(const struct random_instance *random, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < random->instance.n_conflicts; k++) {
    const uint32_t *pair = random->instance.conflicts[k];
    if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
      return true;
    }
  }
  return a != b && random->lower[a] < random->upper[b] && random->lower[b] < random->upper[a];
}

static void expect_all(const struct berth_neighbours *neighbours, uint32_t buffer) {
  uint32_t listed[N];
  bool is_listed[N] = {false};
  uint64_t n_looks = 0;
  uint32_t n = berth_neighbours_list(neighbours, buffer, listed, &n_looks);
  ck_assert_uint_ge(n_looks, n);
  for (uint32_t k = 0; k < n; k++) {
    ck_assert(!is_listed[listed[k]]);
    is_listed[listed[k]] = true;
  }
  for (uint32_t b = 0; b < N; b++) {
    if (is_listed[b] != meet(&one, buffer, b)) {
      ck_abort_msg("buffers %u and %u", buffer, b);
    }
  }
}

/* By lifetimes and pairs, each pair once. */
START_TEST(who_overlaps_and_pairs) {
  struct berth_rng rng = {.state = 8};
  static uint32_t pairs[MOST_PAIRS][2];
  for (int round = 0; round < 20; round++) {
    random_instance_init(&one, &rng, N, 1 + berth_rng_below(&rng, 400), false);
    uint32_t n_pairs = 0;
    for (uint32_t a = 0; a + 7 < N && round % 2 == 0; a += 3) { /* sorted, and of lives that lie apart */
      uint32_t b = a + 1 + berth_rng_below(&rng, 6);
      if (!meet(&one, a, b)) {
        pairs[n_pairs][0] = a;
        pairs[n_pairs++][1] = b;
      }
    }
    one.instance.conflicts = (const uint32_t(*)[2])pairs;
    one.instance.n_conflicts = n_pairs;
    struct berth_neighbours neighbours;
    ck_assert(berth_neighbours_init(&neighbours, &one.instance, &one.arena));
    for (uint32_t i = 0; i < N; i++) {
      expect_all(&neighbours, i);
    }
    random_instance_finish(&one);
  }
}
END_TEST

int main(void) {
  return berth_suite_run("packing/neighbours", (const TTest *const[]){who_overlaps_and_pairs, NULL});
}
