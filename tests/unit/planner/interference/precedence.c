/* The pairs that only a partial order makes, against all pairs. */
#include "random_order.h"
#include "suite.h"

static struct random_order random_one;

static uint32_t check_pairs(struct berth_arena *arena) {
  const struct berth_precedence *order = &random_one.order;
  uint32_t n;
  struct berth_sort_item *pairs = berth_arena_new(arena, struct berth_sort_item, (size_t)order->n * order->n);
  bool(*found)[64] = berth_arena_take_zeroed(arena, 64, sizeof *found);
  ck_assert(berth_precedence_pairs(
      order, random_one.life_lower, random_one.life_upper, UINT32_MAX, arena, pairs, &n));
  for (uint32_t k = 0; k < n; k++) {
    uint32_t a = (uint32_t)(pairs[k].key >> 32);
    uint32_t b = (uint32_t)pairs[k].key;
    ck_assert(a < b && !found[a][b]);
    found[a][b] = true;
  }
  for (uint32_t a = 0; a < order->n; a++) {
    for (uint32_t b = a + 1; b < order->n; b++) {
      bool ordered = berth_precedes(order, a, b) || berth_precedes(order, b, a);
      bool apart = random_one.life_upper[a] <= random_one.life_lower[b] ||
                   random_one.life_upper[b] <= random_one.life_lower[a];
      ck_assert(apart || !ordered);
      ck_assert_int_eq(found[a][b], apart && !ordered);
    }
  }
  uint32_t counted;
  ck_assert(berth_precedence_pairs(
      order, random_one.life_lower, random_one.life_upper, UINT32_MAX, arena, NULL, &counted));
  ck_assert_uint_eq(counted, n);
  return n;
}

START_TEST(pairs_are_those_that_lie_apart_by_chance) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 5};
  uint32_t n_pairs = 0;
  for (int round = 0; round < 400; round++) {
    uint32_t n = 1 + berth_rng_below(&rng, 60);
    uint32_t n_clocks = 2 + berth_rng_below(&rng, 4);
    (round % 2 == 0 ? random_order_of_numbers : random_order_of_streams)(&random_one, &rng, n, n_clocks);
    n_pairs += check_pairs(&arena);
    berth_arena_reset(&arena);
  }
  ck_assert_uint_gt(n_pairs, 10000);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(counting_ends_above_the_most) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 6};
  uint32_t n;
  random_order_of_streams(&random_one, &rng, 2000, 8);
  ck_assert(berth_precedence_pairs(
      &random_one.order, random_one.life_lower, random_one.life_upper, 10, &arena, NULL, &n));
  ck_assert_uint_eq(n, 11);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/precedence",
      (const TTest *const[]){pairs_are_those_that_lie_apart_by_chance, counting_ends_above_the_most, NULL});
}
