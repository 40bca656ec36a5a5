#include "random_instance.h"

#include <string.h>

#include "packing/bound.h"
#include "packing/placement.h"
#include "suite.h"

static uint32_t random_life(struct berth_rng *rng, uint32_t most) {
  uint32_t life = 1 + berth_rng_below(rng, berth_rng_below(rng, 6) == 0 ? most : 5);
  return life < most ? life : most;
}

void random_instance_init(
    struct random_instance *random, struct berth_rng *rng, uint32_t n, uint32_t n_steps, bool aligned) {
  for (uint32_t i = 0; i < n; i++) {
    random->lower[i] = berth_rng_below(rng, n_steps);
    random->upper[i] = random->lower[i] + random_life(rng, n_steps - random->lower[i]);
    random->size[i] = UINT64_C(1) << berth_rng_below(rng, 8);
    random->size[i] += berth_rng_below(rng, 3) == 0 ? berth_rng_below(rng, 100) : 0;
    random->alignment[i] = aligned ? UINT64_C(1) << berth_rng_below(rng, 5) : 1;
  }
  random->instance = (struct berth_packing_instance){
      .n_buffers = n,
      .n_steps = n_steps,
      .lower = random->lower,
      .upper = random->upper,
      .size = random->size,
      .alignment = random->alignment,
      .capacity = BERTH_UNLIMITED};
  berth_arena_init(&random->arena, NULL);
  berth_effort_init(&random->effort, UINT64_MAX, NULL, NULL);
  random->search = (struct berth_packing_search){
      .instance = &random->instance,
      .arena = &random->arena,
      .effort = &random->effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = random->offset};
  ck_assert_int_eq(
      berth_packing_bound(&random->instance, &random->arena, &random->search.lower_bound), BERTH_OK);
}

void random_instance_finish(struct random_instance *random) {
  berth_arena_finish(&random->arena);
}

void random_instance_expect_good(const struct random_instance *random) {
  uint64_t top = 0;
  for (uint32_t a = 0; a < random->instance.n_buffers; a++) {
    uint64_t end = random->offset[a] + random->size[a];
    top = end > top ? end : top;
    ck_assert_uint_eq(random->offset[a] % random->alignment[a], 0);
    for (uint32_t b = 0; b < a; b++) {
      bool meet = random->lower[a] < random->upper[b] && random->lower[b] < random->upper[a];
      bool overlap = random->offset[a] < random->offset[b] + random->size[b] && random->offset[b] < end;
      if (meet && overlap) { /* an assertion that holds costs a write to a file */
        ck_abort_msg("buffers %u and %u share bytes", a, b);
      }
    }
  }
  ck_assert_uint_eq(top, random->search.best_arena);
  ck_assert_uint_ge(top, random->search.lower_bound);
}

void random_instance_improve(
    struct random_instance *random, const struct berth_packing_strategy *strategy, uint64_t limit_ticks,
    struct random_gain *gain) {
  ck_assert_int_eq(berth_packing_placement.run(&random->search), BERTH_OK);
  uint64_t before = random->search.best_arena;
  gain->n_open += before > random->search.lower_bound;
  berth_effort_init(&random->effort, limit_ticks, NULL, NULL);
  ck_assert_int_eq(strategy->run(&random->search), BERTH_OK);
  random_instance_expect_good(random);
  ck_assert_uint_le(random->search.best_arena, before);
  gain->n_better += random->search.best_arena < before;
  random_instance_finish(random);
}

void random_instance_expect_worth(
    struct random_instance *room, const struct berth_packing_strategy *strategy, uint64_t limit_ticks) {
  struct berth_rng rng = {.state = 4};
  struct random_gain gain = {0};
  for (int round = 0; round < 12; round++) {
    random_instance_init(room, &rng, 600, 300, round % 2 == 0);
    random_instance_improve(room, strategy, limit_ticks, &gain);
  }
  ck_assert_uint_ge(gain.n_open, 4);
  ck_assert_uint_ge(2 * gain.n_better, gain.n_open);
}

void random_instance_expect_same_again(
    struct random_instance *room, const struct berth_packing_strategy *strategy) {
  uint64_t arena[2];
  uint64_t ticks[2];
  for (int k = 0; k < 2; k++) {
    struct berth_rng rng = {.state = 9};
    random_instance_init(room, &rng, 800, 400, true);
    berth_effort_init(&room->effort, 10000000, NULL, NULL);
    ck_assert_int_eq(strategy->run(&room->search), BERTH_OK);
    arena[k] = room->search.best_arena;
    ticks[k] = room->effort.ticks;
    random_instance_finish(room);
  }
  ck_assert_uint_eq(arena[0], arena[1]);
  ck_assert_uint_eq(ticks[0], ticks[1]);
}

static bool stop_later(void *ctx) {
  return ++*(int *)ctx > 3;
}

void random_instance_expect_stop(
    struct random_instance *room, const struct berth_packing_strategy *strategy) {
  struct berth_rng rng = {.state = 6};
  int n_asked = 0;
  random_instance_init(room, &rng, 4000, 3000, true);
  berth_effort_init(&room->effort, UINT64_MAX, stop_later, &n_asked);
  room->search.lower_bound = 1; /* never met */
  ck_assert_int_eq(strategy->run(&room->search), BERTH_OK);
  ck_assert_int_eq(room->effort.state, BERTH_EFFORT_STOPPED);
  ck_assert_uint_le(room->effort.ticks, 6 * BERTH_EFFORT_POLL_TICKS);
  random_instance_finish(room);
}
