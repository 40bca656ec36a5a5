#include "verify/ordered_set.h"

#include "base/rng.h"
#include "suite.h"

static uint32_t slow_next(const uint64_t *ends, uint32_t n, uint32_t rank, uint64_t byte) {
  for (uint32_t r = rank; r < n; r++) {
    if (ends[r] > byte) {
      return r;
    }
  }
  return BERTH_NO_INDEX;
}

static void compare(struct berth_arena *arena, struct berth_rng *rng, uint32_t n) {
  uint64_t ends[70] = {0};
  struct berth_verify_set set;
  ck_assert(berth_verify_set_init(&set, arena, n));
  for (int k = 0; k < 400; k++) {
    uint32_t rank = berth_rng_below(rng, n);
    ends[rank] = berth_rng_below(rng, 3) == 0 ? 0 : 1 + berth_rng_below(rng, 50);
    if (ends[rank] == 0) {
      berth_verify_set_drop(&set, rank);
    } else {
      berth_verify_set_put(&set, rank, ends[rank]);
    }
    uint32_t from = berth_rng_below(rng, n + 2);
    uint64_t byte = berth_rng_below(rng, 55);
    ck_assert_uint_eq(berth_verify_set_next(&set, from, byte), slow_next(ends, n, from, byte));
  }
}

START_TEST(agrees_with_a_list_for_every_count) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  struct berth_rng rng = {7};
  for (uint32_t n = 1; n <= 70; n++) {
    compare(&arena, &rng, n);
  }
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(empty_set_has_nothing) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  struct berth_verify_set set;
  ck_assert(berth_verify_set_init(&set, &arena, 0));
  ck_assert_uint_eq(berth_verify_set_next(&set, 0, 0), BERTH_NO_INDEX);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/ordered_set",
      (const TTest *const[]){agrees_with_a_list_for_every_count, empty_set_has_nothing, NULL});
}
