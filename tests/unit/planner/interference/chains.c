/* Chains say of every two buffers whether they are ordered. */
#include "interference/chains.h"
#include "random_order.h"
#include "suite.h"

static struct random_order random_one;

static bool stands_in(const struct berth_chains *chains, uint32_t a, uint32_t b) {
  for (uint32_t c = 0; c < chains->n_chains; c++) {
    size_t entry = (size_t)b * chains->n_chains + c;
    if (chains->first_met[entry] <= chains->place[a] && chains->place[a] < chains->end_met[entry]) {
      return true;
    }
  }
  return false;
}

static void check(const struct berth_chains *chains, const struct berth_precedence *order) {
  for (uint32_t i = 0; i < order->n; i++) {
    ck_assert_uint_eq(chains->buffer[chains->place[i]], i);
  }
  for (uint32_t a = 0; a < order->n; a++) {
    for (uint32_t b = 0; b < a; b++) {
      bool ordered = berth_precedes(order, a, b) || berth_precedes(order, b, a);
      ck_assert_int_eq(!ordered, stands_in(chains, a, b) || stands_in(chains, b, a));
    }
  }
}

START_TEST(stretches_are_who_is_met) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 7};
  for (int round = 0; round < 300; round++) {
    struct berth_chains chains;
    bool is_usable;
    uint32_t n = 1 + berth_rng_below(&rng, 60);
    uint32_t n_clocks = 1 + berth_rng_below(&rng, 5);
    (round % 2 == 0 ? random_order_of_numbers : random_order_of_streams)(&random_one, &rng, n, n_clocks);
    ck_assert(berth_chains_make(&chains, &random_one.order, &arena, &is_usable));
    ck_assert(is_usable);
    check(&chains, &random_one.order);
    berth_arena_reset(&arena);
  }
  berth_arena_finish(&arena);
}
END_TEST

/* Not many more than there are streams. */
START_TEST(streams_are_chains) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 8};
  struct berth_chains chains;
  bool is_usable;
  random_order_of_streams(&random_one, &rng, 4000, 8);
  ck_assert(berth_chains_make(&chains, &random_one.order, &arena, &is_usable));
  ck_assert(is_usable);
  ck_assert_uint_le(chains.n_chains, 16);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/chains", (const TTest *const[]){stretches_are_who_is_met, streams_are_chains, NULL});
}
