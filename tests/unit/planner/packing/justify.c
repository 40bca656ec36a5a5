#include "packing/justify.h"

#include "packing/placement.h"
#include "partial.h"
#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

START_TEST(worth_having_and_sound) {
  random_instance_expect_worth(&random_one, &berth_packing_justify, 50000000);
}
END_TEST

/* What is pinned lies where it must, and the others beside it. */
START_TEST(around_pins) {
  struct berth_rng rng = {.state = 5};
  uint64_t pin[400];
  for (int round = 0; round < 6; round++) {
    random_instance_init(&random_one, &rng, 400, 200, true);
    ck_assert_int_eq(berth_packing_placement.run(&random_one.search), BERTH_OK);
    for (uint32_t i = 0; i < 400; i++) {
      pin[i] = berth_rng_below(&rng, 20) == 0 ? random_one.offset[i] : BERTH_UNPINNED;
    }
    random_one.instance.pin = pin;
    berth_effort_init(&random_one.effort, 20000000, NULL, NULL);
    random_one.search.lower_bound = 1;
    ck_assert_int_eq(berth_packing_justify.run(&random_one.search), BERTH_OK);
    random_instance_expect_good(&random_one);
    for (uint32_t i = 0; i < 400; i++) {
      ck_assert(pin[i] == BERTH_UNPINNED || random_one.offset[i] == pin[i]);
    }
    random_instance_finish(&random_one);
  }
}
END_TEST

/* ---- Partial orders ---- */

/* Closer to the heaviest antichain than all passes by time are; and by chains it is the same. */
START_TEST(partial_orders) {
  struct berth_rng rng = {.state = 3};
  uint32_t n_nearer = 0;
  uint32_t n_open = 0;
  for (int round = 0; round < 10; round++) {
    uint64_t bound;
    partial_init(&rng);
    uint64_t placed = partial_arena(&berth_packing_placement, NULL, false, UINT64_MAX, &bound);
    uint64_t justified = partial_arena(&berth_packing_justify, NULL, false, 20000000, &bound);
    ck_assert_uint_ge(justified, bound);
    ck_assert_uint_eq(partial_arena(&berth_packing_justify, NULL, true, 20000000, &bound), justified);
    ck_assert_uint_le(justified, placed);
    n_open += placed > bound;
    n_nearer += placed > bound && 2 * (justified - bound) <= placed - bound;
  }
  ck_assert_uint_ge(n_open, 3);
  ck_assert_uint_eq(n_nearer, n_open);
}
END_TEST

START_TEST(the_same_again) {
  random_instance_expect_same_again(&random_one, &berth_packing_justify);
}
END_TEST

START_TEST(stops_when_told) {
  random_instance_expect_stop(&random_one, &berth_packing_justify);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/justify",
      (const TTest *const[]){
          worth_having_and_sound, around_pins, partial_orders, the_same_again, stops_when_told, NULL});
}
