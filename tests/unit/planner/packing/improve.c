#include "packing/improve.h"

#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

START_TEST(worth_having_and_sound) {
  struct berth_rng rng = {.state = 4};
  struct random_gain gain = {0};
  for (int round = 0; round < 12; round++) {
    random_instance_init(&random_one, &rng, 600, 300, round % 2 == 0);
    random_instance_improve(&random_one, &berth_packing_improve, 20000000, &gain);
  }
  ck_assert_uint_ge(gain.n_open, 4);
  ck_assert_uint_ge(2 * gain.n_better, gain.n_open);
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
