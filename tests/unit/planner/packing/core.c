#include "packing/core.h"

#include "packing/bound.h"
#include "packing/placement.h"
#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

/* Parameters that live all along or to one of a few steps, beside the others. */
static void add_parameters(struct berth_rng *rng, uint32_t n) {
  uint32_t n_steps = random_one.instance.n_steps;
  for (uint32_t i = 0; i < n; i++) {
    random_one.lower[i] = 0;
    random_one.upper[i] = n_steps - berth_rng_below(rng, 4) * (n_steps / 5);
    random_one.size[i] = 1 + berth_rng_below(rng, 60);
  }
  ck_assert_int_eq(
      berth_packing_bound(&random_one.instance, &random_one.arena, &random_one.search.lower_bound), BERTH_OK);
}

START_TEST(worth_having_and_sound) {
  struct berth_rng rng = {.state = 8};
  struct random_gain gain = {0};
  for (int round = 0; round < 24; round++) {
    random_instance_init(&random_one, &rng, 600, 300, false);
    add_parameters(&rng, 150);
    random_instance_improve(&random_one, &berth_packing_core, 20000000, &gain);
  }
  ck_assert_uint_ge(gain.n_open, 4);
  ck_assert_uint_ge(2 * gain.n_better, gain.n_open);
}
END_TEST

static uint64_t ticks_to_the_bound(uint32_t switches) {
  struct berth_rng rng = {.state = 12};
  uint64_t ticks = 0;
  for (int round = 0; round < 4; round++) {
    random_instance_init(&random_one, &rng, 900, 300, false);
    add_parameters(&rng, 300);
    ck_assert_int_eq(berth_packing_placement.run(&random_one.search), BERTH_OK);
    berth_effort_init(&random_one.effort, 100000000, NULL, NULL);
    random_one.search.switches = switches;
    ck_assert_int_eq(berth_packing_core.run(&random_one.search), BERTH_OK);
    random_instance_expect_good(&random_one);
    ticks += random_one.effort.ticks;
    random_instance_finish(&random_one);
  }
  return ticks;
}

START_TEST(stacks_are_worth_having) {
  ck_assert_uint_lt(2 * ticks_to_the_bound(BERTH_CORE_STACKS), ticks_to_the_bound(0));
}
END_TEST

/* What the core alone proves holds for the whole. */
START_TEST(proves_that_it_does_not_fit) {
  struct berth_rng rng = {.state = 2};
  uint32_t n_proven = 0;
  for (int round = 0; round < 20; round++) {
    random_instance_init(&random_one, &rng, 40, 20, false);
    random_one.instance.capacity = random_one.search.lower_bound - 1;
    random_one.search.any_fit = true;
    random_one.search.lower_bound = 0;
    berth_effort_init(&random_one.effort, 20000000, NULL, NULL);
    random_one.search.switches = 0;
    ck_assert_int_eq(berth_packing_core.run(&random_one.search), BERTH_OK);
    ck_assert_uint_eq(random_one.search.best_arena, BERTH_UNLIMITED);
    n_proven += random_one.search.infeasible;
    random_instance_finish(&random_one);
  }
  ck_assert_uint_eq(n_proven, 20);
}
END_TEST

START_TEST(the_same_again) {
  random_instance_expect_same_again(&random_one, &berth_packing_core);
}
END_TEST

START_TEST(stops_when_told) {
  random_instance_expect_stop(&random_one, &berth_packing_core);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/core", (const TTest *const[]){
                          worth_having_and_sound, stacks_are_worth_having, proves_that_it_does_not_fit,
                          the_same_again, stops_when_told, NULL});
}
