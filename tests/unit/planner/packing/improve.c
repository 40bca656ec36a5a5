#include "packing/improve.h"

#include "packing/bound.h"
#include "packing/build.h"
#include "packing/placement.h"
#include "random_instance.h"
#include "sample.h"
#include "suite.h"

static struct random_instance random_one;

START_TEST(worth_having_and_sound) {
  random_instance_expect_worth(&random_one, &berth_packing_improve, 20000000);
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

/* ---- Switches ---- */

struct outcome {
  uint64_t above; /* of the load */
  uint64_t ticks;
};

/* From the first plan of a problem of a family. */
static struct outcome
improve(enum sample_family family, uint32_t n, uint64_t seed, uint32_t switches, uint64_t limit) {
  struct sample sample;
  struct berth_rng rng = {.state = seed};
  sample_init(&sample);
  sample_generate(&sample, &rng, family, n, 0);
  struct berth_problem *problem = sample_build(&sample, NULL);
  sample_finish(&sample);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  struct berth_arena arena;
  struct berth_effort effort;
  struct berth_packing_instance instance;
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, UINT64_MAX, NULL, NULL);
  uint32_t *order = berth_arena_new(&arena, uint32_t, buffers->n);
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_packing_build(buffers, order, buffers->n, 1, BERTH_UNLIMITED, &arena, &instance, NULL), BERTH_OK);
  struct berth_packing_search search = {
      .instance = &instance,
      .arena = &arena,
      .effort = &effort,
      .switches = BERTH_PLACEMENT_FIRST,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = berth_arena_new(&arena, uint64_t, buffers->n)};
  ck_assert_int_eq(berth_packing_bound(&instance, &arena, &search.lower_bound), BERTH_OK);
  ck_assert_int_eq(berth_packing_placement.run(&search), BERTH_OK);
  berth_effort_init(&effort, limit, NULL, NULL);
  search.switches = switches;
  ck_assert_int_eq(berth_packing_improve.run(&search), BERTH_OK);
  struct outcome outcome = {search.best_arena - search.lower_bound, effort.ticks};
  berth_arena_finish(&arena);
  berth_problem_unref(problem);
  return outcome;
}

/* Each order to climb from, and each kind of step: a problem on which it comes nearer to the load, or there
 * sooner. */
START_TEST(every_switch_is_worth_having) {
  static const struct {
    uint32_t bit;
    enum sample_family family;
    uint32_t n;
    uint64_t seed;
    uint64_t limit;
  } CASES[] = {
      {BERTH_IMPROVE_FIRST_LINE, SAMPLE_POWERS, 3000, 2, 60000000},
      {BERTH_IMPROVE_FIRST_LINE << 1, SAMPLE_FORWARD, 150, 2, 30000000},
      {BERTH_IMPROVE_FIRST_LINE << 2, SAMPLE_UNIFORM, 150, 1, 30000000},
      {BERTH_IMPROVE_FIRST_LINE << 3, SAMPLE_UNIFORM, 150, 5, 30000000},
      {BERTH_IMPROVE_SEVERAL, SAMPLE_UNIFORM, 150, 3, 30000000},
      {BERTH_IMPROVE_WORSE, SAMPLE_UNIFORM, 150, 4, 30000000},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
    struct outcome with = improve(CASES[k].family, CASES[k].n, CASES[k].seed, UINT32_MAX, CASES[k].limit);
    struct outcome without =
        improve(CASES[k].family, CASES[k].n, CASES[k].seed, ~CASES[k].bit, CASES[k].limit);
    bool is_nearer = 4 * with.above <= 3 * without.above && with.above < without.above;
    bool is_sooner = with.above == 0 && without.above == 0 && 3 * with.ticks < without.ticks;
    ck_assert_msg(
        is_nearer || is_sooner,
        "case %zu: %llu above the load after %llu ticks with it, %llu after %llu without", k,
        (unsigned long long)with.above, (unsigned long long)with.ticks, (unsigned long long)without.above,
        (unsigned long long)without.ticks);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/improve",
      (const TTest *const[]){
          worth_having_and_sound, the_same_again, stops_when_told, every_switch_is_worth_having, NULL});
}
