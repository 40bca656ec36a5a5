#include "packing/exact/contract.h"

#include "failing.h"
#include "packing/exact/exact.h"
#include "perfect.h"
#include "suite.h"

static struct perfect perfect;

/* Not more than the bound, or the arena found within the ticks. */
static uint64_t solve(uint32_t switches, uint64_t ticks) {
  struct berth_arena arena;
  struct berth_effort effort;
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, ticks, NULL, NULL);
  struct berth_packing_search search = {
      .instance = &perfect.instance,
      .arena = &arena,
      .effort = &effort,
      .switches = switches,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = perfect.offset};
  ck_assert_int_eq(berth_packing_exact.run(&search), BERTH_OK);
  berth_arena_finish(&arena);
  if (search.best_arena != BERTH_UNLIMITED) {
    perfect_expect_plan(&perfect, search.best_arena);
  }
  return search.best_arena;
}

static void expect_optimum(uint32_t n, uint32_t n_steps, uint32_t n_wheels, uint64_t seed, uint64_t ticks) {
  struct berth_rng rng = {.state = seed};
  uint64_t bytes = UINT64_C(1) << 34;
  perfect_draw(&perfect, &rng, n, n_steps, bytes, n_wheels);
  ck_assert_uint_ge(perfect.instance.n_buffers + 4, n);
  ck_assert_msg(
      solve(UINT32_MAX, ticks) == bytes, "%u pieces, %u wheels in ten, seed %llu", n, n_wheels,
      (unsigned long long)seed);
}

START_TEST(cuts_are_undone) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    expect_optimum(50, 30, 0, seed, 40000000);
    expect_optimum(50, 30, 3, seed, 40000000);
    expect_optimum(200, 100, 0, seed, 40000000);
    expect_optimum(200, 100, 3, seed, 40000000);
  }
  for (uint64_t seed = 1; seed <= 3; seed++) {
    expect_optimum(500, 250, 0, seed, 100000000);
    expect_optimum(500, 250, 3, seed, 100000000);
    expect_optimum(1500, 750, 0, seed, 100000000);
    expect_optimum(1500, 750, 3, seed, 100000000);
  }
  expect_optimum(5000, 2500, 1, 1, 100000000);
}
END_TEST

/* Where sizes are equal by chance, blocks are joined that are none: then search goes on without them. */
START_TEST(wrong_guesses_do_no_harm) {
  struct berth_rng rng = {.state = 2};
  for (int k = 0; k < 600; k++) {
    uint32_t n = 2 + berth_rng_below(&rng, 14);
    uint64_t bytes = 3 + berth_rng_below(&rng, 12);
    perfect_draw(&perfect, &rng, n, 8, bytes, berth_rng_below(&rng, 6));
    ck_assert_uint_eq(solve(UINT32_MAX, 200000000), bytes);
  }
}
END_TEST

/* The same pieces with room beside them: full steps next to others that are not. */
START_TEST(steps_that_are_not_full_do_no_harm) {
  struct berth_rng rng = {.state = 3};
  for (int k = 0; k < 200; k++) {
    uint64_t bytes = 20 + berth_rng_below(&rng, 12);
    perfect_draw(&perfect, &rng, 12, 10, bytes, 2);
    uint32_t n_left_out = 1 + berth_rng_below(&rng, 3);
    perfect.instance.n_buffers -= n_left_out < perfect.instance.n_buffers ? n_left_out : 0;
    ck_assert_uint_eq(solve(UINT32_MAX, 200000000), solve(UINT32_MAX & ~BERTH_EXACT_CONTRACT, 200000000));
  }
}
END_TEST

START_TEST(search_alone_does_not_get_there) {
  struct berth_rng rng = {.state = 1};
  uint64_t bytes = UINT64_C(1) << 34;
  perfect_draw(&perfect, &rng, 1500, 750, bytes, 0);
  ck_assert_uint_gt(solve(UINT32_MAX & ~BERTH_EXACT_CONTRACT, 200000000), bytes);
  ck_assert_uint_eq(solve(UINT32_MAX, 20000000), bytes);
}
END_TEST

START_TEST(memory_that_runs_out_is_an_answer) {
  struct berth_rng rng = {.state = 4};
  perfect_draw(&perfect, &rng, 60, 30, 1000000, 2);
  for (uint64_t fail_at = 1; fail_at < 12; fail_at++) {
    struct failing failing;
    failing_init(&failing, fail_at, true);
    struct berth_arena arena;
    struct berth_effort effort;
    berth_arena_init(&arena, &failing.allocator);
    berth_effort_init(&effort, 100000000, NULL, NULL);
    struct berth_packing_search search = {
        .instance = &perfect.instance,
        .arena = &arena,
        .effort = &effort,
        .switches = UINT32_MAX,
        .best_arena = BERTH_UNLIMITED,
        .best_offset = perfect.offset};
    enum berth_code code = berth_packing_exact.run(&search);
    ck_assert(code == BERTH_OK || (code == BERTH_RESOURCE_EXHAUSTED && failing.n_refused > 0));
    berth_arena_finish(&arena);
    ck_assert_uint_eq(failing.n_blocks, 0);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/contract", (const TTest *const[]){
                              cuts_are_undone, wrong_guesses_do_no_harm, steps_that_are_not_full_do_no_harm,
                              search_alone_does_not_get_there, memory_that_runs_out_is_an_answer, NULL});
}
