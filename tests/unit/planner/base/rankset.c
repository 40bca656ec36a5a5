#include "base/rankset.h"

#include "base/rng.h"
#include "suite.h"

/* Against a plain array of flags. */
static void compare(uint32_t n, uint64_t seed) {
  struct berth_arena arena;
  struct berth_rankset set;
  struct berth_rng rng = {.state = seed};
  berth_arena_init(&arena, NULL);
  ck_assert(berth_rankset_init(&set, &arena, n));
  bool *in = berth_arena_new_zeroed(&arena, bool, n);
  for (int step = 0; step < 400; step++) {
    uint32_t rank = berth_rng_below(&rng, n);
    in[rank] = berth_rng_below(&rng, 2) == 0;
    if (in[rank]) {
      berth_rankset_insert(&set, rank);
    } else {
      berth_rankset_remove(&set, rank);
    }
    uint32_t at = berth_rng_below(&rng, n);
    uint32_t before = BERTH_NO_RANK;
    uint32_t after = BERTH_NO_RANK;
    for (uint32_t i = 0; i < n; i++) {
      before = in[i] && i < at ? i : before;
      after = in[i] && i > at && after == BERTH_NO_RANK ? i : after;
    }
    ck_assert_uint_eq(berth_rankset_before(&set, at), before);
    ck_assert_uint_eq(berth_rankset_after(&set, at), after);
  }
  berth_arena_finish(&arena);
}

START_TEST(neighbours_are_those_of_a_plain_array) {
  static const uint32_t SIZES[] = {1, 2, 63, 64, 65, 128, 1000, 4095, 4096, 4097, 70000};
  for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
    compare(SIZES[i], i);
  }
}
END_TEST

START_TEST(far_neighbours_are_found_through_every_level) {
  struct berth_arena arena;
  struct berth_rankset set;
  uint32_t n = UINT32_C(1) << 24;
  berth_arena_init(&arena, NULL);
  ck_assert(berth_rankset_init(&set, &arena, n));
  berth_rankset_insert(&set, 0);
  berth_rankset_insert(&set, n - 1);
  ck_assert_uint_eq(berth_rankset_after(&set, 0), n - 1);
  ck_assert_uint_eq(berth_rankset_before(&set, n - 1), 0);
  ck_assert_uint_eq(berth_rankset_before(&set, 0), BERTH_NO_RANK);
  ck_assert_uint_eq(berth_rankset_after(&set, n - 1), BERTH_NO_RANK);
  berth_rankset_remove(&set, 0);
  ck_assert_uint_eq(berth_rankset_before(&set, n - 1), BERTH_NO_RANK);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/rankset",
      (const TTest *const[]){
          neighbours_are_those_of_a_plain_array, far_neighbours_are_found_through_every_level, NULL});
}
