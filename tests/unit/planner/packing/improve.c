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
  struct berth_rng rng = {.state = 9};
  struct berth_rng same = rng;
  uint64_t arena[2];
  uint64_t ticks[2];
  for (int k = 0; k < 2; k++) {
    random_instance_init(&random_one, k == 0 ? &rng : &same, 800, 400, true);
    berth_effort_init(&random_one.effort, 10000000, NULL, NULL);
    ck_assert_int_eq(berth_packing_improve.run(&random_one.search), BERTH_OK);
    arena[k] = random_one.search.best_arena;
    ticks[k] = random_one.effort.ticks;
    random_instance_finish(&random_one);
  }
  ck_assert_uint_eq(arena[0], arena[1]);
  ck_assert_uint_eq(ticks[0], ticks[1]);
}
END_TEST

static bool stop_later(void *ctx) {
  return ++*(int *)ctx > 3;
}

START_TEST(stops_when_told) {
  struct berth_rng rng = {.state = 6};
  int n_asked = 0;
  random_instance_init(&random_one, &rng, 4000, 3000, true);
  berth_effort_init(&random_one.effort, UINT64_MAX, stop_later, &n_asked);
  random_one.search.lower_bound = 1; /* never met */
  ck_assert_int_eq(berth_packing_improve.run(&random_one.search), BERTH_OK);
  ck_assert_int_eq(random_one.effort.state, BERTH_EFFORT_STOPPED);
  ck_assert_uint_le(random_one.effort.ticks, 6 * BERTH_EFFORT_POLL_TICKS);
  random_instance_finish(&random_one);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/improve",
      (const TTest *const[]){worth_having_and_sound, the_same_again, stops_when_told, NULL});
}
