#include "packing/separate.h"

#include "packing/justify.h"
#include "packing/placement.h"
#include "partial.h"
#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

START_TEST(worth_having_and_sound) {
  random_instance_expect_worth(&random_one, &berth_packing_separate, 50000000);
}
END_TEST

/* Two of them, and some bytes more than the other arena has: all that is asked is whether it fits. */
START_TEST(from_nothing_into_a_capacity) {
  struct berth_rng rng = {.state = 6};
  for (int round = 0; round < 6; round++) {
    random_instance_init(&random_one, &rng, 300, 150, round % 2 == 0);
    random_one.instance.capacity = random_one.search.lower_bound + random_one.search.lower_bound / 8 + 32;
    random_one.search.any_fit = true;
    berth_effort_init(&random_one.effort, 50000000, NULL, NULL);
    ck_assert_int_eq(berth_packing_separate.run(&random_one.search), BERTH_OK);
    ck_assert_uint_le(random_one.search.best_arena, random_one.instance.capacity);
    random_instance_expect_good(&random_one);
    random_instance_finish(&random_one);
  }
}
END_TEST

/* What is pinned lies where it must, and the others beside it. */
START_TEST(around_pins) {
  struct berth_rng rng = {.state = 5};
  uint64_t pin[400];
  uint32_t n_better = 0;
  for (int round = 0; round < 6; round++) {
    random_instance_init(&random_one, &rng, 400, 200, true);
    ck_assert_int_eq(berth_packing_placement.run(&random_one.search), BERTH_OK);
    for (uint32_t i = 0; i < 400; i++) {
      pin[i] = berth_rng_below(&rng, 20) == 0 ? random_one.offset[i] : BERTH_UNPINNED;
    }
    for (uint32_t i = 0; i < 400; i++) { /* there is a height between, and what is pinned lies below it */
      bool is_high = 4 * (random_one.offset[i] + random_one.size[i]) > 3 * random_one.search.lower_bound;
      pin[i] = is_high ? BERTH_UNPINNED : pin[i];
    }
    random_one.instance.pin = pin;
    uint64_t before = random_one.search.best_arena;
    berth_effort_init(&random_one.effort, 20000000, NULL, NULL);
    ck_assert_int_eq(berth_packing_separate.run(&random_one.search), BERTH_OK);
    n_better += random_one.search.best_arena < before;
    random_instance_expect_good(&random_one);
    for (uint32_t i = 0; i < 400; i++) {
      ck_assert(pin[i] == BERTH_UNPINNED || random_one.offset[i] == pin[i]);
    }
    random_instance_finish(&random_one);
  }
  ck_assert_uint_gt(n_better, 0);
}
END_TEST

/* Half as far from the heaviest antichain as justification is with the same effort, all together. */
START_TEST(partial_orders) {
  struct berth_rng rng = {.state = 3};
  uint64_t justified = 0;
  uint64_t separated = 0;
  for (int round = 0; round < 8; round++) {
    uint64_t bound;
    partial_init(&rng);
    uint64_t alone = partial_arena(&berth_packing_justify, NULL, false, 1000000, &bound);
    uint64_t found = partial_arena(&berth_packing_placement, &berth_packing_separate, false, 1000000, &bound);
    ck_assert_uint_ge(found, bound);
    ck_assert_uint_eq(
        partial_arena(&berth_packing_placement, &berth_packing_separate, true, 1000000, &bound), found);
    justified += alone - bound;
    separated += found - bound;
  }
  ck_assert_uint_gt(justified, 0);
  ck_assert_uint_le(2 * separated, justified);
}
END_TEST

/* Placed first: it goes on from a plan. */
static enum berth_code place_and_separate(struct berth_packing_search *search) {
  enum berth_code code =
      search->best_arena == BERTH_UNLIMITED ? berth_packing_placement.run(search) : BERTH_OK;
  return code == BERTH_OK ? berth_packing_separate.run(search) : code;
}

static const struct berth_packing_strategy placed = {.name = "placed", .run = place_and_separate};

START_TEST(the_same_again) {
  random_instance_expect_same_again(&random_one, &placed);
}
END_TEST

START_TEST(stops_when_told) {
  random_instance_expect_stop(&random_one, &placed);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/separate", (const TTest *const[]){
                              worth_having_and_sound, from_nothing_into_a_capacity, around_pins,
                              partial_orders, the_same_again, stops_when_told, NULL});
}
