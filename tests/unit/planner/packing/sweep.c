#include "packing/sweep.h"

#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

static void run(bool reversed, bool aligned) {
  struct berth_rng rng = {.state = 21};
  for (int round = 0; round < 150; round++) {
    uint32_t n = 1 + berth_rng_below(&rng, 300);
    random_instance_init(&random_one, &rng, n, 1 + berth_rng_below(&rng, 100), aligned);
    ck_assert_int_eq(berth_sweep(&random_one.search, 0, reversed), BERTH_OK);
    random_instance_expect_good(&random_one);
    random_instance_finish(&random_one);
  }
}

START_TEST(forward) {
  run(false, false);
  run(false, true);
}
END_TEST

START_TEST(backward) {
  run(true, false);
  run(true, true);
}
END_TEST

START_TEST(nested_lives_leave_no_holes) {
  static const uint32_t lower[] = {0, 1, 2, 3};
  static const uint32_t upper[] = {8, 7, 6, 5};
  static const uint64_t size[] = {5, 1, 7, 3};
  static const uint64_t alignment[] = {1, 1, 1, 1};
  struct berth_rng rng = {.state = 1};
  random_instance_init(&random_one, &rng, 4, 8, false);
  random_one.instance.lower = lower;
  random_one.instance.upper = upper;
  random_one.instance.size = size;
  random_one.instance.alignment = alignment;
  ck_assert_int_eq(berth_sweep(&random_one.search, 0, false), BERTH_OK);
  ck_assert_uint_eq(random_one.search.best_arena, 16);
  random_instance_finish(&random_one);
}
END_TEST

START_TEST(pins_lie_below_and_partners_never_share) {
  static const uint32_t lower[] = {0, 1, 2, 3, 0};
  static const uint32_t upper[] = {1, 2, 3, 4, 4};
  static const uint64_t size[] = {4, 4, 4, 4, 2};
  static const uint64_t alignment[] = {1, 1, 1, 1, 1};
  static const uint64_t pin[] = {BERTH_UNPINNED, BERTH_UNPINNED, BERTH_UNPINNED, BERTH_UNPINNED, 3};
  static const uint32_t pairs[][2] = {{0, 2}};
  struct berth_rng rng = {.state = 1};
  random_instance_init(&random_one, &rng, 5, 4, false);
  random_one.instance.lower = lower;
  random_one.instance.upper = upper;
  random_one.instance.size = size;
  random_one.instance.alignment = alignment;
  random_one.instance.pin = pin;
  random_one.instance.n_conflicts = 1;
  random_one.instance.conflicts = pairs;
  ck_assert_int_eq(berth_sweep(&random_one.search, 5, false), BERTH_OK);
  const uint64_t expected[] = {5, 9, 9, 13, 3}; /* 0 and 2 keep their bytes */
  ck_assert_mem_eq(random_one.offset, expected, sizeof expected);
  ck_assert_uint_eq(random_one.search.best_arena, 17);
  random_instance_finish(&random_one);
}
END_TEST

START_TEST(capacity_and_effort_end_it) {
  struct berth_rng rng = {.state = 2};
  random_instance_init(&random_one, &rng, 300, 50, false);
  random_one.instance.capacity = random_one.search.lower_bound - 1;
  ck_assert_int_eq(berth_sweep(&random_one.search, 0, false), BERTH_OK);
  ck_assert_uint_eq(random_one.search.best_arena, BERTH_UNLIMITED);
  random_one.instance.capacity = BERTH_UNLIMITED;
  berth_effort_init(&random_one.effort, 20, NULL, NULL);
  ck_assert_int_eq(berth_sweep(&random_one.search, 0, false), BERTH_OK);
  ck_assert_uint_eq(random_one.search.best_arena, BERTH_UNLIMITED);
  random_instance_finish(&random_one);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/sweep", (const TTest *const[]){
                           forward, backward, nested_lives_leave_no_holes,
                           pins_lie_below_and_partners_never_share, capacity_and_effort_end_it, NULL});
}
