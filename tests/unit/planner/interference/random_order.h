/* Random partial orders as vector clocks. */
#ifndef TESTS_RANDOM_ORDER_H
#define TESTS_RANDOM_ORDER_H

#include "base/rng.h"
#include "interference/precedence.h"

enum { RANDOM_ORDER_MOST = 4096, RANDOM_ORDER_CLOCKS = 8 };

struct random_order {
  uint32_t lower[RANDOM_ORDER_MOST * RANDOM_ORDER_CLOCKS];
  uint32_t upper[RANDOM_ORDER_MOST * RANDOM_ORDER_CLOCKS];
  uint64_t weight[RANDOM_ORDER_MOST];
  uint32_t life_lower[RANDOM_ORDER_MOST]; /* sums of the clocks: a total order that fits */
  uint32_t life_upper[RANDOM_ORDER_MOST];
  struct berth_precedence order;
};

/* Any clocks at all: nothing need have made them. */
void random_order_of_numbers(
    struct random_order *random, struct berth_rng *rng, uint32_t n, uint32_t n_clocks);
/* Of streams whose operators wait for others: each buffer is written by one and read by a few later ones. */
void random_order_of_streams(
    struct random_order *random, struct berth_rng *rng, uint32_t n, uint32_t n_clocks);

#endif
