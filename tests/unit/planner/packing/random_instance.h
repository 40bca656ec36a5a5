/* Plain random instances for the tests of packing strategies, and the pairwise truth about their plans. */
#ifndef TESTS_RANDOM_INSTANCE_H
#define TESTS_RANDOM_INSTANCE_H

#include "base/arena.h"
#include "base/rng.h"
#include "packing/strategy.h"

enum { RANDOM_MAX = 4000 };

struct random_instance {
  uint32_t lower[RANDOM_MAX];
  uint32_t upper[RANDOM_MAX];
  uint64_t size[RANDOM_MAX];
  uint64_t alignment[RANDOM_MAX];
  uint64_t offset[RANDOM_MAX];
  struct berth_packing_instance instance;
  struct berth_arena arena;
  struct berth_effort effort;
  struct berth_packing_search search;
};

/* Most lives are short, some span much; few sizes occur often. The bound is the load. */
void random_instance_init(
    struct random_instance *random, struct berth_rng *rng, uint32_t n, uint32_t n_steps, bool aligned);
void random_instance_finish(struct random_instance *random);

/* Fails the test unless the incumbent is there, right in every pair, and as large as it says. */
void random_instance_expect_good(const struct random_instance *random);

/* Runs the strategy on an instance that was made, from a placed plan on, and ends the instance: right, and
 * never worse. Counts those that placement leaves open, and those that get better. */
struct random_gain {
  uint32_t n_open;
  uint32_t n_better;
};

void random_instance_improve(
    struct random_instance *random, const struct berth_packing_strategy *strategy, uint64_t limit_ticks,
    struct random_gain *gain);

/* These make instances of their own in `room`. A strategy is right, and gains on half of what placement
 * leaves open; ... */
void random_instance_expect_worth(
    struct random_instance *room, const struct berth_packing_strategy *strategy, uint64_t limit_ticks);
/* ... gives the same arena for the same ticks ... */
void random_instance_expect_same_again(
    struct random_instance *room, const struct berth_packing_strategy *strategy);
/* ... and ends soon after it is told to. */
void random_instance_expect_stop(struct random_instance *room, const struct berth_packing_strategy *strategy);

#endif
