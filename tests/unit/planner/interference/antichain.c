/* The heaviest antichain, against all sets. */
#include "interference/antichain.h"
#include "random_order.h"
#include "suite.h"

static struct random_order random_one;

static uint64_t heaviest(const struct berth_precedence *order, uint32_t from, uint32_t chosen) {
  if (from == order->n) {
    return 0;
  }
  uint64_t best = heaviest(order, from + 1, chosen);
  for (uint32_t i = 0; i < from; i++) {
    bool in = (chosen >> i & 1) != 0;
    if (in && (berth_precedes(order, i, from) || berth_precedes(order, from, i))) {
      return best;
    }
  }
  uint64_t with = random_one.weight[from] + heaviest(order, from + 1, chosen | UINT32_C(1) << from);
  return with > best ? with : best;
}

static struct berth_antichain find(struct berth_arena *arena, uint64_t budget) {
  struct berth_effort effort;
  struct berth_chains chains;
  struct berth_antichain antichain;
  bool is_usable;
  berth_effort_init(&effort, budget, NULL, NULL);
  ck_assert(berth_chains_make(&chains, &random_one.order, arena, &is_usable) && is_usable);
  ck_assert_int_eq(berth_antichain_find(&chains, random_one.weight, arena, &effort, &antichain), BERTH_OK);
  return antichain;
}

static void check_set(const struct berth_antichain *antichain) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < antichain->n; k++) {
    sum += random_one.weight[antichain->buffers[k]];
    for (uint32_t j = 0; j < antichain->n; j++) {
      ck_assert(j == k || !berth_precedes(&random_one.order, antichain->buffers[k], antichain->buffers[j]));
    }
  }
  ck_assert_uint_eq(sum, antichain->weight);
}

START_TEST(no_set_is_heavier) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 9};
  for (int round = 0; round < 2000; round++) {
    uint32_t n = 1 + berth_rng_below(&rng, 15);
    uint32_t n_clocks = 1 + berth_rng_below(&rng, 5);
    (round % 2 == 0 ? random_order_of_numbers : random_order_of_streams)(&random_one, &rng, n, n_clocks);
    struct berth_antichain antichain = find(&arena, UINT64_MAX);
    ck_assert(antichain.is_found);
    check_set(&antichain);
    ck_assert_uint_eq(antichain.weight, heaviest(&random_one.order, 0, 0));
    berth_arena_reset(&arena);
  }
  berth_arena_finish(&arena);
}
END_TEST

/* In a total order it is the heaviest instant. */
START_TEST(a_total_order_has_instants) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 10};
  random_order_of_streams(&random_one, &rng, 1000, 1);
  uint64_t most = 0;
  for (uint32_t step = 0; step < 1200; step++) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < 1000; i++) {
      live += random_one.lower[i] <= step && step < random_one.upper[i] ? random_one.weight[i] : 0;
    }
    most = live > most ? live : most;
  }
  struct berth_antichain antichain = find(&arena, UINT64_MAX);
  ck_assert(antichain.is_found);
  ck_assert_uint_eq(antichain.weight, most);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(without_effort_there_is_none) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_rng rng = {.state = 11};
  random_order_of_streams(&random_one, &rng, 4000, 8);
  ck_assert(!find(&arena, 100).is_found);
  struct berth_antichain antichain = find(&arena, UINT64_MAX);
  ck_assert(antichain.is_found);
  check_set(&antichain);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/antichain",
      (const TTest *const[]){
          no_set_is_heavier, a_total_order_has_instants, without_effort_there_is_none, NULL});
}
