#include "packing/improve.h"

#include "packing/placement.h"
#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

START_TEST(worth_having_and_sound) {
  struct berth_rng rng = {.state = 4};
  uint32_t n_better = 0;
  uint32_t n_open = 0;
  for (int round = 0; round < 12; round++) {
    random_instance_init(&random_one, &rng, 600, 300, round % 2 == 0);
    ck_assert_int_eq(berth_packing_placement.run(&random_one.search), BERTH_OK);
    uint64_t before = random_one.search.best_arena;
    n_open += before > random_one.search.lower_bound;
    berth_effort_init(&random_one.effort, 20000000, NULL, NULL);
    ck_assert_int_eq(berth_packing_improve.run(&random_one.search), BERTH_OK);
    random_instance_expect_good(&random_one);
    ck_assert_uint_le(random_one.search.best_arena, before);
    n_better += random_one.search.best_arena < before;
    random_instance_finish(&random_one);
  }
  ck_assert_uint_ge(n_open, 4);
  ck_assert_uint_ge(2 * n_better, n_open);
}
END_TEST

START_TEST(the_same_again) {
  random_instance_expect_same_again(&random_one, &berth_packing_improve);
}
END_TEST

START_TEST(stops_when_told) {
  random_instance_expect_stop(&random_one, &berth_packing_improve);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/improve",
      (const TTest *const[]){worth_having_and_sound, the_same_again, stops_when_told, NULL});
}
