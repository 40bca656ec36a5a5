#include "packing/exact/exact.h"

#include <string.h>

#include "base/rng.h"
#include "berth/allocator.h"
#include "failing.h"
#include "packing/exact/niche_search.h"
#include "small.h"
#include "suite.h"

struct answer {
  enum berth_code code;
  struct berth_packing_search search;
  uint64_t offset[MOST_BUFFERS];
};

static void solve_in(
    struct berth_arena *arena, const struct small *small, uint64_t capacity, uint32_t switches,
    struct answer *out) {
  struct berth_packing_instance instance = small->instance;
  instance.capacity = capacity;
  struct berth_effort effort;
  berth_effort_init(&effort, UINT64_C(1) << 28, NULL, NULL);
  out->search = (struct berth_packing_search){
      .instance = &instance,
      .arena = arena,
      .effort = &effort,
      .switches = switches,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = out->offset,
      .any_fit = capacity != BERTH_UNLIMITED};
  out->code = berth_packing_exact.run(&out->search);
}

static void solve(const struct small *small, uint64_t capacity, uint32_t switches, struct answer *out) {
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  solve_in(&arena, small, capacity, switches, out);
  berth_arena_finish(&arena);
}

static void check_plan(const struct small *small, const struct answer *answer) {
  for (uint32_t b = 0; b < small->instance.n_buffers; b++) {
    ck_assert_uint_eq(answer->offset[b] % small->alignment[b], 0);
    ck_assert_uint_le(answer->offset[b] + small->size[b], answer->search.best_arena);
    if (small->instance.pin != NULL && small->pin[b] != BERTH_UNPINNED) {
      ck_assert_uint_eq(answer->offset[b], small->pin[b]);
    }
    for (uint32_t a = 0; a < b; a++) {
      if (small_clash(small, a, answer->offset[a], b, answer->offset[b])) {
        ck_abort_msg("buffers %u and %u clash", a, b);
      }
    }
  }
}

/* Minimise, and fit just at and just below the optimum. */
static void check_all(const struct small *small, uint32_t switches, uint64_t optimum) {
  struct answer answer;
  if (optimum == BERTH_UNLIMITED) {
    solve(small, 1000, switches, &answer);
    ck_assert_int_eq(answer.code, BERTH_OK);
    ck_assert(answer.search.infeasible);
    solve(small, BERTH_UNLIMITED, switches, &answer);
    ck_assert_int_eq(answer.code, BERTH_OK);
    ck_assert(answer.search.infeasible);
    return;
  }
  solve(small, BERTH_UNLIMITED, switches, &answer);
  ck_assert_int_eq(answer.code, BERTH_OK);
  ck_assert_uint_eq(answer.search.best_arena, optimum);
  ck_assert_uint_eq(answer.search.lower_bound, optimum);
  check_plan(small, &answer);
  solve(small, optimum, switches, &answer);
  ck_assert_uint_eq(answer.search.best_arena, optimum);
  check_plan(small, &answer);
  solve(small, optimum - 1, switches, &answer);
  ck_assert(answer.search.infeasible);
  ck_assert_uint_eq(answer.search.best_arena, BERTH_UNLIMITED);
}

static void agree(unsigned features, int n_instances, uint64_t seed) {
  struct berth_rng rng = {.state = seed};
  for (int k = 0; k < n_instances; k++) {
    struct small small;
    small_draw(&small, &rng, features);
    check_all(&small, UINT32_MAX, small_optimum(&small));
  }
}

START_TEST(plain_instances_agree_with_brute_force) {
  agree(0, 300, 1);
  agree(SCALE, 200, 2);
}
END_TEST

START_TEST(constraints_agree_with_brute_force) {
  agree(ALIGNMENT, 300, 3);
  agree(ALIGNMENT | SCALE, 200, 4);
  agree(PINS, 200, 5);
  agree(PINS | ALIGNMENT, 200, 6);
  agree(GAPS, 200, 7);
  agree(CONFLICTS, 200, 8);
  agree(GAPS | CONFLICTS | PINS | ALIGNMENT, 300, 9);
  agree(WINDOWS, 300, 14);
  agree(WINDOWS | CONFLICTS | PINS | ALIGNMENT, 300, 15);
  agree(LISTED, 400, 17);
  agree(LISTED | WINDOWS | CONFLICTS | PINS | ALIGNMENT, 400, 18);
}
END_TEST

/* ---- Switches ---- */

static const uint32_t SWITCHES[] = {BERTH_NICHE_MEMO,     BERTH_NICHE_SPLIT,    BERTH_NICHE_TWINS,
                                    BERTH_NICHE_GROUND,   BERTH_NICHE_ANYWHERE, BERTH_NICHE_NOGOODS,
                                    BERTH_EXACT_GUIDES,   BERTH_EXACT_RESTARTS, BERTH_EXACT_JUMPS,
                                    BERTH_EXACT_CONTRACT, BERTH_EXACT_NICHES};

enum { N_SWITCHES = sizeof SWITCHES / sizeof *SWITCHES };

static uint32_t combination(uint32_t k) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < N_SWITCHES; i++) {
    set |= k >> i & 1 ? SWITCHES[i] : 0;
  }
  return set;
}

/* Every fourth without waste, so that cuts are undone. */
static void draw_for_switches(struct small *small, int k, struct berth_rng *rng) {
  static const unsigned features[] = {
      0, ALIGNMENT | PINS, GAPS | CONFLICTS | ALIGNMENT, WINDOWS | LISTED | CONFLICTS};
  small_draw(small, rng, features[k % 4]);
  if (k % 8 == 4) {
    small_draw_full(small, rng);
  }
}

START_TEST(every_combination_of_switches_agrees) {
  struct berth_rng rng = {.state = 10};
  struct berth_arena arena; /* one for all: most of the time would be its blocks' */
  berth_arena_init(&arena, berth_allocator_libc());
  for (int k = 0; k < 240; k++) {
    struct small small;
    struct answer answer;
    draw_for_switches(&small, k, &rng);
    uint64_t optimum = small_optimum(&small);
    for (uint32_t c = 0; c < UINT32_C(1) << N_SWITCHES && optimum != BERTH_UNLIMITED; c++) {
      berth_arena_reset(&arena);
      solve_in(&arena, &small, BERTH_UNLIMITED, combination(c), &answer);
      ck_assert_uint_eq(answer.search.best_arena, optimum);
      ck_assert_uint_eq(answer.search.lower_bound, optimum);
      check_plan(&small, &answer);
    }
    for (uint32_t c = 0; c < UINT32_C(1) << N_SWITCHES; c += 31) {
      check_all(&small, combination(c), optimum);
    }
  }
  berth_arena_finish(&arena);
}
END_TEST

/* ---- Symmetries ---- */

static uint64_t optimum_of(const struct small *small) {
  struct answer answer;
  solve(small, BERTH_UNLIMITED, UINT32_MAX, &answer);
  ck_assert_uint_eq(answer.search.best_arena, answer.search.lower_bound);
  return answer.search.best_arena;
}

START_TEST(mirrors_permutations_and_scale_keep_the_optimum) {
  struct berth_rng rng = {.state = 11};
  for (int k = 0; k < 200; k++) {
    struct small small;
    small_draw(&small, &rng, 0);
    uint64_t optimum = optimum_of(&small);
    struct small other = small;
    other.instance = small.instance;
    uint32_t n = small.instance.n_buffers;
    for (uint32_t b = 0; b < n; b++) {
      other.lower[b] = small.instance.n_steps - small.upper[n - 1 - b];
      other.upper[b] = small.instance.n_steps - small.lower[n - 1 - b];
      other.size[b] = 1000 * small.size[n - 1 - b];
    }
    other.instance.lower = other.lower;
    other.instance.upper = other.upper;
    other.instance.size = other.size;
    ck_assert_uint_eq(optimum_of(&other), 1000 * optimum);
  }
}
END_TEST

/* ---- Named ---- */

/* Load 8, optimum 9: no bound that looks at one step sees it. */
START_TEST(bound_goes_beyond_the_load) {
  static const uint32_t lower[] = {4, 3, 4, 6, 5, 3, 7}, upper[] = {7, 5, 6, 8, 7, 4, 8};
  static const uint64_t size[] = {3, 2, 3, 4, 1, 4, 4}, alignment[] = {1, 1, 1, 1, 1, 1, 1};
  struct berth_packing_instance instance = {
      .n_buffers = 7,
      .n_steps = 8,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .capacity = BERTH_UNLIMITED};
  struct small small = {.instance = instance};
  ck_assert_uint_eq(optimum_of(&small), 9);
}
END_TEST

START_TEST(same_plan_every_time) {
  struct berth_rng rng = {.state = 13};
  for (int k = 0; k < 50; k++) {
    struct small small;
    small_draw(&small, &rng, ALIGNMENT);
    struct answer one, two;
    solve(&small, BERTH_UNLIMITED, UINT32_MAX, &one);
    solve(&small, BERTH_UNLIMITED, UINT32_MAX, &two);
    ck_assert_mem_eq(one.offset, two.offset, small.instance.n_buffers * sizeof *one.offset);
  }
}
END_TEST

/* ---- Limits ---- */

enum { N_MANY = 120, N_MANY_STEPS = 60 };

struct many {
  struct berth_packing_instance instance;
  uint32_t lower[N_MANY];
  uint32_t upper[N_MANY];
  uint64_t size[N_MANY];
  uint64_t alignment[N_MANY];
  uint64_t offset[N_MANY];
};

/* Too tight to end soon. */
static void draw_many(struct many *many) {
  struct berth_rng rng = {.state = 16};
  for (uint32_t b = 0; b < N_MANY; b++) {
    many->lower[b] = berth_rng_below(&rng, N_MANY_STEPS);
    many->upper[b] = many->lower[b] + 1 + berth_rng_below(&rng, N_MANY_STEPS - many->lower[b]);
    many->size[b] = 1 + berth_rng_below(&rng, 100000);
    many->alignment[b] = UINT64_C(1) << berth_rng_below(&rng, 12);
  }
  many->instance = (struct berth_packing_instance){
      .n_buffers = N_MANY,
      .n_steps = N_MANY_STEPS,
      .lower = many->lower,
      .upper = many->upper,
      .size = many->size,
      .alignment = many->alignment,
      .capacity = BERTH_UNLIMITED};
}

static struct berth_packing_search
search_many(struct many *many, struct berth_arena *arena, struct berth_effort *effort, uint32_t switches) {
  return (struct berth_packing_search){
      .instance = &many->instance,
      .arena = arena,
      .effort = effort,
      .switches = switches,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = many->offset};
}

static enum berth_code solve_many(
    struct many *many, const struct berth_allocator *allocator, struct berth_effort *effort,
    uint32_t switches) {
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  struct berth_packing_search search = search_many(many, &arena, effort, switches);
  enum berth_code code = berth_packing_exact.run(&search);
  ck_assert_uint_le(search.lower_bound, search.best_arena);
  berth_arena_finish(&arena);
  return code;
}

/* Whether it is left now and then or not: the same answer after the same effort. */
START_TEST(what_is_left_is_taken_up_where_it_was) {
  struct many many;
  draw_many(&many);
  struct berth_effort whole;
  berth_effort_init(&whole, UINT64_C(1) << 24, NULL, NULL);
  ck_assert_int_eq(solve_many(&many, berth_allocator_libc(), &whole, UINT32_MAX), BERTH_OK);
  uint64_t offset[N_MANY];
  memcpy(offset, many.offset, sizeof offset);
  for (uint64_t step = 1; step <= UINT64_C(1) << 22; step *= 64) {
    struct berth_effort effort;
    struct berth_arena arena;
    berth_effort_init(&effort, UINT64_C(1) << 24, NULL, NULL);
    berth_arena_init(&arena, berth_allocator_libc());
    struct berth_packing_break pause = {.ticks = step};
    struct berth_packing_search search = search_many(&many, &arena, &effort, UINT32_MAX);
    search.pause = &pause;
    uint32_t n_left = 0;
    do {
      ck_assert_int_eq(berth_packing_exact.run(&search), BERTH_OK);
      pause.ticks = effort.ticks + step;
      n_left += pause.rest != NULL;
    } while (pause.rest != NULL);
    ck_assert_uint_gt(n_left, 0);
    ck_assert_uint_eq(effort.ticks, whole.ticks);
    ck_assert_mem_eq(many.offset, offset, sizeof offset);
    berth_arena_finish(&arena);
  }
}
END_TEST

START_TEST(what_is_left_can_be_dropped) {
  struct many many;
  draw_many(&many);
  struct berth_effort effort;
  struct berth_arena arena;
  berth_effort_init(&effort, UINT64_C(1) << 24, NULL, NULL);
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_packing_break pause = {.ticks = UINT64_C(1) << 23}; /* after the first turn */
  struct berth_packing_search search = search_many(&many, &arena, &effort, UINT32_MAX);
  search.pause = &pause;
  ck_assert_int_eq(berth_packing_exact.run(&search), BERTH_OK);
  ck_assert_ptr_nonnull(pause.rest);
  berth_exact_drop(pause.rest);
  berth_exact_drop(NULL);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(effort_ends_a_search_where_it_says) {
  struct many many;
  draw_many(&many);
  for (uint64_t limit = 1; limit < (UINT64_C(1) << 24); limit *= 8) {
    for (int k = 0; k < 2; k++) {
      struct berth_effort effort;
      berth_effort_init(&effort, limit, NULL, NULL);
      ck_assert_int_eq(solve_many(&many, berth_allocator_libc(), &effort, k ? UINT32_MAX : 0), BERTH_OK);
      ck_assert_uint_le(effort.ticks, limit + 20000);
    }
  }
}
END_TEST

/* A plan that fits is all that is asked for, but no capacity says in what. More bytes than offsets can count
 * refute at once, without a node: such a ladder has no end. */
START_TEST(a_fit_in_no_capacity_is_the_smallest_arena) {
  static const uint32_t lower[] = {0, 0, 1, 2}, upper[] = {1, 1, 2, 3};
  static const uint64_t size[] = {3, 5, 2, 1}, alignment[] = {1, 1, 1, 1};
  const struct berth_packing_instance instance = {
      .n_buffers = 4,
      .n_steps = 3,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .capacity = BERTH_UNLIMITED};
  struct berth_arena arena;
  berth_arena_init(&arena, berth_allocator_libc());
  struct berth_effort effort;
  berth_effort_init(&effort, UINT64_C(1) << 24, NULL, NULL);
  uint64_t offset[4];
  struct berth_packing_search search = {
      .instance = &instance,
      .arena = &arena,
      .effort = &effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = offset,
      .any_fit = true};
  ck_assert_int_eq(berth_packing_exact.run(&search), BERTH_OK);
  ck_assert_uint_eq(search.best_arena, 8);
  ck_assert_uint_lt(effort.ticks, 10000);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(memory_that_runs_out_is_an_answer) {
  struct many many;
  draw_many(&many);
  for (uint64_t fail_at = 1; fail_at < 24; fail_at++) {
    for (int k = 0; k < 2; k++) {
      struct failing failing;
      failing_init(&failing, fail_at, true);
      struct berth_effort effort;
      berth_effort_init(&effort, UINT64_C(1) << 22, NULL, NULL);
      enum berth_code code = solve_many(&many, &failing.allocator, &effort, k ? UINT32_MAX : 0);
      ck_assert(code == BERTH_OK || (code == BERTH_RESOURCE_EXHAUSTED && failing.n_refused > 0));
      ck_assert_uint_eq(failing.n_blocks, 0);
      ck_assert(!failing.wrong_size);
    }
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/exact",
      (const TTest *const[]){
          plain_instances_agree_with_brute_force, constraints_agree_with_brute_force,
          every_combination_of_switches_agrees, mirrors_permutations_and_scale_keep_the_optimum,
          bound_goes_beyond_the_load, same_plan_every_time, effort_ends_a_search_where_it_says,
          what_is_left_is_taken_up_where_it_was, what_is_left_can_be_dropped,
          a_fit_in_no_capacity_is_the_smallest_arena, memory_that_runs_out_is_an_answer, NULL});
}
