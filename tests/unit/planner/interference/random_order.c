#include "random_order.h"

#include <string.h>

static void finish(struct random_order *random, struct berth_rng *rng, uint32_t n, uint32_t n_clocks) {
  random->order =
      (struct berth_precedence){.n = n, .n_clocks = n_clocks, .lower = random->lower, .upper = random->upper};
  for (uint32_t i = 0; i < n; i++) {
    random->weight[i] = berth_rng_below(rng, 20);
    random->life_lower[i] = random->life_upper[i] = 0;
    for (uint32_t c = 0; c < n_clocks; c++) {
      random->life_lower[i] += random->lower[i * n_clocks + c];
      random->life_upper[i] += random->upper[i * n_clocks + c];
    }
  }
}

void random_order_of_numbers(
    struct random_order *random, struct berth_rng *rng, uint32_t n, uint32_t n_clocks) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *lower = &random->lower[i * n_clocks];
    uint32_t *upper = &random->upper[i * n_clocks];
    for (uint32_t c = 0; c < n_clocks; c++) {
      lower[c] = berth_rng_below(rng, 6);
      upper[c] = lower[c] + berth_rng_below(rng, 3);
    }
    upper[berth_rng_below(rng, n_clocks)]++;
  }
  finish(random, rng, n, n_clocks);
}

void random_order_of_streams(
    struct random_order *random, struct berth_rng *rng, uint32_t n, uint32_t n_clocks) {
  uint32_t now[RANDOM_ORDER_CLOCKS][RANDOM_ORDER_CLOCKS] = {{0}}; /* what each stream knows */
  for (uint32_t i = 0; i < n; i++) {
    uint32_t stream = berth_rng_below(rng, n_clocks);
    uint32_t *lower = &random->lower[i * n_clocks];
    uint32_t *upper = &random->upper[i * n_clocks];
    for (uint32_t back = 1; back <= 8 && back <= i;
         back++) { /* it reads some of the last ones, and waits for them */
      const uint32_t *read = &random->upper[(i - back) * n_clocks];
      bool reads = berth_rng_below(rng, 8) == 0;
      for (uint32_t c = 0; c < n_clocks && reads; c++) {
        now[stream][c] = read[c] > now[stream][c] ? read[c] : now[stream][c];
      }
    }
    memcpy(lower, now[stream], n_clocks * sizeof *lower);
    now[stream][stream]++;
    memcpy(upper, now[stream], n_clocks * sizeof *upper);
    if (berth_rng_below(rng, 2) == 0) { /* someone reads it later */
      upper[stream] += berth_rng_below(rng, 5);
    }
  }
  finish(random, rng, n, n_clocks);
}
