#include "packing/justify.h"

#include "base/sort.h"
#include "packing/placement.h"
#include "packing/precedence_bound.h"
#include "random_instance.h"
#include "random_order.h"
#include "suite.h"

static struct random_instance random_one;

START_TEST(worth_having_and_sound) {
  struct berth_rng rng = {.state = 4};
  struct random_gain gain = {0};
  for (int round = 0; round < 12; round++) {
    random_instance_init(&random_one, &rng, 600, 300, round % 2 == 0);
    random_instance_improve(&random_one, &berth_packing_justify, 50000000, &gain);
  }
  ck_assert_uint_ge(gain.n_open, 4);
  ck_assert_uint_ge(2 * gain.n_better, gain.n_open);
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

enum { N_OF_STREAMS = 400, N_STREAMS = 6, MOST_LISTED = N_OF_STREAMS * N_OF_STREAMS / 2 };

static struct random_order streams;

static void expect_apart(const uint64_t *size, const uint64_t *offset) {
  for (uint32_t a = 0; a < N_OF_STREAMS; a++) {
    for (uint32_t b = 0; b < a; b++) {
      bool ordered = berth_precedes(&streams.order, a, b) || berth_precedes(&streams.order, b, a);
      bool overlap = offset[a] < offset[b] + size[b] && offset[b] < offset[a] + size[a];
      if (!ordered && overlap) { /* an assertion that holds costs more than the rest */
        ck_abort_msg("buffers %u and %u share bytes", a, b);
      }
    }
  }
}

/* The arena of a strategy alone; by pairs that are listed, or by chains. */
static uint64_t arena_of(
    const struct berth_packing_strategy *strategy, bool by_chains, const uint64_t *size, uint64_t ticks,
    uint64_t *out_bound) {
  static uint64_t offset[N_OF_STREAMS];
  static uint64_t alignment[N_OF_STREAMS];
  struct berth_arena arena;
  struct berth_effort effort;
  struct berth_chains chains;
  bool is_usable;
  uint32_t n_pairs = 0;
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, ticks, NULL, NULL);
  uint32_t(*pairs)[2] = berth_arena_take(&arena, MOST_LISTED, sizeof *pairs);
  for (uint32_t a = 0; a < N_OF_STREAMS; a++) {
    alignment[a] = 1;
    for (uint32_t b = a + 1; !by_chains && b < N_OF_STREAMS; b++) {
      if (!berth_precedes(&streams.order, a, b) && !berth_precedes(&streams.order, b, a)) {
        ck_assert_uint_lt(n_pairs, MOST_LISTED);
        pairs[n_pairs][0] = a;
        pairs[n_pairs++][1] = b;
      }
    }
  }
  struct berth_packing_instance instance = {
      .n_buffers = N_OF_STREAMS,
      .n_steps = 20 * N_OF_STREAMS,
      .lower = streams.life_lower,
      .upper = streams.life_upper,
      .size = size,
      .alignment = alignment,
      .n_conflicts = n_pairs,
      .conflicts = (const uint32_t(*)[2])pairs,
      .order = streams.order,
      .capacity = BERTH_UNLIMITED};
  ck_assert(berth_chains_make(&chains, &streams.order, &arena, &is_usable) && is_usable);
  instance.chains = by_chains ? &chains : NULL;
  struct berth_packing_search search = {
      .instance = &instance,
      .arena = &arena,
      .effort = &effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = offset};
  ck_assert_int_eq(berth_packing_antichain.run(&search), BERTH_OK);
  *out_bound = search.lower_bound;
  ck_assert_int_eq(strategy->run(&search), BERTH_OK);
  expect_apart(size, offset);
  berth_arena_finish(&arena);
  return search.best_arena;
}

/* Closer to the heaviest antichain than all passes by time are; and by chains it is the same. */
START_TEST(partial_orders) {
  struct berth_rng rng = {.state = 3};
  uint64_t size[N_OF_STREAMS];
  uint32_t n_nearer = 0;
  uint32_t n_open = 0;
  for (int round = 0; round < 10; round++) {
    uint64_t bound;
    random_order_of_streams(&streams, &rng, N_OF_STREAMS, N_STREAMS);
    for (uint32_t i = 0; i < N_OF_STREAMS; i++) {
      size[i] = 1 + berth_rng_below(&rng, 1u << berth_rng_below(&rng, 16));
    }
    uint64_t placed = arena_of(&berth_packing_placement, false, size, UINT64_MAX, &bound);
    uint64_t justified = arena_of(&berth_packing_justify, false, size, 20000000, &bound);
    ck_assert_uint_ge(justified, bound);
    ck_assert_uint_eq(arena_of(&berth_packing_justify, true, size, 20000000, &bound), justified);
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
