#include "packing/culprits.h"

#include <string.h>

#include "berth/allocator.h"
#include "failing.h"
#include "packing/refute.h"
#include "small.h"
#include "suite.h"

struct found {
  struct berth_arena arena;
  struct berth_effort effort;
  struct berth_culprits culprits;
};

static void find(const struct small *small, uint64_t capacity, uint64_t ticks, struct found *out) {
  struct berth_packing_instance instance = small->instance;
  instance.capacity = capacity;
  berth_arena_init(&out->arena, NULL);
  berth_effort_init(&out->effort, ticks, NULL, NULL);
  ck_assert_int_eq(berth_culprits_find(&instance, true, &out->arena, &out->effort, &out->culprits), BERTH_OK);
}

static uint32_t bits_of(const struct found *found) {
  uint32_t set = 0;
  for (uint32_t k = 0; k < found->culprits.n; k++) {
    set |= UINT32_C(1) << found->culprits.items[k];
  }
  ck_assert_uint_eq(__builtin_popcount(set), found->culprits.n);
  return set;
}

static uint32_t fewest(const struct small *small, uint64_t capacity) {
  uint32_t n = small->instance.n_buffers, least = n;
  for (uint32_t set = 1; set < UINT32_C(1) << n; set++) {
    uint32_t count = (uint32_t)__builtin_popcount(set);
    if (count < least && !small_fits(small, capacity, set)) {
      least = count;
    }
  }
  return least;
}

/* Whatever the set, it does not fit; with effort it is a smallest one, and says so. */
static void check(const struct small *small, uint64_t capacity) {
  struct found found;
  find(small, capacity, UINT64_C(1) << 28, &found);
  uint32_t set = bits_of(&found);
  ck_assert(!small_fits(small, capacity, set));
  for (uint32_t b = 0; b < small->instance.n_buffers; b++) {
    ck_assert(!(set >> b & 1) || small_fits(small, capacity, set & ~(UINT32_C(1) << b)));
  }
  for (uint32_t k = 1; k < found.culprits.n; k++) {
    ck_assert_uint_ge(small->size[found.culprits.items[k - 1]], small->size[found.culprits.items[k]]);
  }
  ck_assert_int_eq(found.culprits.proof, BERTH_CULPRITS_SMALLEST);
  ck_assert_uint_eq(found.culprits.n, fewest(small, capacity));
  berth_arena_finish(&found.arena);
}

static void check_many(unsigned features, int n_instances, uint64_t seed) {
  struct berth_rng rng = {.state = seed};
  for (int k = 0; k < n_instances; k++) {
    struct small small;
    small_draw(&small, &rng, features);
    uint64_t optimum = small_optimum(&small);
    if (optimum == BERTH_UNLIMITED) {
      check(&small, 24); /* pins that clash */
    } else {
      check(&small, optimum - 1);
      check(&small, optimum / 2);
    }
  }
}

START_TEST(smallest_sets_are_those_of_brute_force) {
  check_many(0, 150, 1);
  check_many(ALIGNMENT, 150, 2);
  check_many(PINS | ALIGNMENT, 150, 3);
  check_many(GAPS | CONFLICTS, 150, 4);
  check_many(WINDOWS | ALIGNMENT, 150, 5);
  check_many(WINDOWS | CONFLICTS | PINS | ALIGNMENT, 150, 6);
}
END_TEST

/* Load 8, optimum 9: no step is to blame. Six of the seven fit, whichever is left out. */
START_TEST(set_that_only_search_refutes) {
  static const uint32_t lower[] = {4, 3, 4, 6, 5, 3, 7}, upper[] = {7, 5, 6, 8, 7, 4, 8};
  static const uint64_t size[] = {3, 2, 3, 4, 1, 4, 4}, alignment[] = {1, 1, 1, 1, 1, 1, 1};
  struct small small = {0};
  memcpy(small.lower, lower, sizeof lower);
  memcpy(small.upper, upper, sizeof upper);
  memcpy(small.size, size, sizeof size);
  memcpy(small.alignment, alignment, sizeof alignment);
  small.instance = (struct berth_packing_instance){
      .n_buffers = 7,
      .n_steps = 8,
      .lower = small.lower,
      .upper = small.upper,
      .size = small.size,
      .alignment = small.alignment};
  check(&small, 8);
  struct found found;
  find(&small, 8, UINT64_C(1) << 28, &found);
  ck_assert_uint_eq(found.culprits.n, 7);
  berth_arena_finish(&found.arena);
}
END_TEST

START_TEST(effort_that_ends_leaves_a_set_that_is_right) {
  struct berth_rng rng = {.state = 7};
  for (int k = 0; k < 60; k++) {
    struct small small;
    small_draw(&small, &rng, ALIGNMENT | GAPS);
    uint64_t capacity = small_optimum(&small) - 1;
    for (uint64_t ticks = 0; ticks < 1 << 20; ticks = 3 * ticks + 50) {
      struct found found;
      find(&small, capacity, ticks, &found);
      uint32_t set = bits_of(&found);
      ck_assert(!small_fits(&small, capacity, set));
      for (uint32_t b = 0; b < small.instance.n_buffers && found.culprits.proof; b++) {
        ck_assert(!(set >> b & 1) || small_fits(&small, capacity, set & ~(UINT32_C(1) << b)));
      }
      if (found.culprits.proof == BERTH_CULPRITS_SMALLEST) {
        ck_assert_uint_eq(found.culprits.n, fewest(&small, capacity));
      }
      berth_arena_finish(&found.arena);
    }
  }
}
END_TEST

/* ---- More than brute force can do: two of our own searches ---- */

enum { N_MANY = 40, N_MANY_STEPS = 30 };

struct many {
  uint32_t lower[N_MANY];
  uint32_t upper[N_MANY];
  uint64_t size[N_MANY];
  uint64_t alignment[N_MANY];
  struct berth_packing_instance instance;
};

static void draw_many(struct many *many, struct berth_rng *rng) {
  for (uint32_t b = 0; b < N_MANY; b++) {
    many->lower[b] = berth_rng_below(rng, N_MANY_STEPS);
    uint32_t most = N_MANY_STEPS - many->lower[b] < 7 ? N_MANY_STEPS - many->lower[b] : 7;
    many->upper[b] = many->lower[b] + 1 + berth_rng_below(rng, most);
    many->size[b] = 3 + berth_rng_below(rng, 40);
    many->alignment[b] = UINT64_C(1) << berth_rng_below(rng, 3);
  }
  many->instance = (struct berth_packing_instance){
      .n_buffers = N_MANY,
      .n_steps = N_MANY_STEPS,
      .lower = many->lower,
      .upper = many->upper,
      .size = many->size,
      .alignment = many->alignment};
}

START_TEST(larger_sets_are_minimal) {
  struct berth_rng rng = {.state = 8};
  uint32_t n_minimal = 0;
  for (int k = 0; k < 12; k++) {
    struct many many;
    draw_many(&many, &rng);
    struct berth_arena arena;
    struct berth_effort effort;
    berth_arena_init(&arena, NULL);
    berth_effort_init(&effort, UINT64_C(1) << 30, NULL, NULL);
    /* Padding makes the load too small a capacity: above it, search alone refutes. */
    struct berth_refuter refuter;
    ck_assert(berth_refuter_init(&refuter, &many.instance, &arena, &effort));
    uint8_t is_in[N_MANY];
    memset(is_in, 1, sizeof is_in);
    enum berth_refutation verdict = BERTH_REFUTED;
    for (many.instance.capacity = 100; verdict == BERTH_REFUTED; many.instance.capacity++) {
      ck_assert_int_eq(berth_refute(&refuter, is_in, &verdict), BERTH_OK);
    }
    many.instance.capacity -= 2; /* the largest that is refuted soon */
    struct berth_culprits culprits;
    ck_assert_int_eq(berth_culprits_find(&many.instance, true, &arena, &effort, &culprits), BERTH_OK);
    memset(is_in, 0, sizeof is_in);
    for (uint32_t c = 0; c < culprits.n; c++) {
      is_in[culprits.items[c]] = 1;
    }
    ck_assert_int_eq(berth_refute(&refuter, is_in, &verdict), BERTH_OK);
    ck_assert_int_eq(verdict, BERTH_REFUTED);
    for (uint32_t c = 0; c < culprits.n && culprits.proof != BERTH_CULPRITS_UNPROVEN; c++) {
      is_in[culprits.items[c]] = 0;
      ck_assert_int_eq(berth_refute(&refuter, is_in, &verdict), BERTH_OK);
      ck_assert_int_eq(verdict, BERTH_REFUTE_FITS);
      is_in[culprits.items[c]] = 1;
    }
    n_minimal += culprits.proof != BERTH_CULPRITS_UNPROVEN;
    berth_arena_finish(&arena);
  }
  ck_assert_uint_eq(n_minimal, 12);
}
END_TEST

START_TEST(same_set_every_time) {
  struct berth_rng rng = {.state = 9};
  for (int k = 0; k < 40; k++) {
    struct small small;
    small_draw(&small, &rng, ALIGNMENT);
    struct found one, two;
    uint64_t capacity = small_optimum(&small) - 1;
    find(&small, capacity, 100000, &one);
    find(&small, capacity, 100000, &two);
    ck_assert_uint_eq(one.culprits.n, two.culprits.n);
    ck_assert_mem_eq(one.culprits.items, two.culprits.items, one.culprits.n * sizeof *one.culprits.items);
    ck_assert_uint_eq(one.effort.ticks, two.effort.ticks);
    berth_arena_finish(&one.arena);
    berth_arena_finish(&two.arena);
  }
}
END_TEST

static bool say_stop(void *ctx) {
  (void)ctx;
  return true;
}

START_TEST(memory_that_runs_out_and_hooks_that_stop_are_answers) {
  struct berth_rng rng = {.state = 10};
  struct small small;
  small_draw(&small, &rng, ALIGNMENT | GAPS | CONFLICTS);
  struct berth_packing_instance instance = small.instance;
  instance.capacity = small_optimum(&small) - 1;
  for (uint64_t fail_at = 1; fail_at < 12; fail_at++) {
    struct failing failing;
    failing_init(&failing, fail_at, true);
    struct berth_arena arena;
    struct berth_effort effort;
    struct berth_culprits culprits;
    berth_arena_init(&arena, &failing.allocator);
    berth_effort_init(&effort, UINT64_C(1) << 22, NULL, NULL);
    enum berth_code code = berth_culprits_find(&instance, true, &arena, &effort, &culprits);
    ck_assert(code == BERTH_OK || (code == BERTH_RESOURCE_EXHAUSTED && failing.n_refused > 0));
    berth_arena_finish(&arena);
    ck_assert_uint_eq(failing.n_blocks, 0);
  }
  struct found found;
  berth_arena_init(&found.arena, NULL);
  berth_effort_init(&found.effort, UINT64_MAX, say_stop, NULL);
  ck_assert(!berth_effort_poll(&found.effort));
  ck_assert_int_eq(
      berth_culprits_find(&instance, true, &found.arena, &found.effort, &found.culprits), BERTH_OK);
  ck_assert(!small_fits(&small, instance.capacity, bits_of(&found)));
  berth_arena_finish(&found.arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/culprits",
      (const TTest *const[]){
          smallest_sets_are_those_of_brute_force, set_that_only_search_refutes,
          effort_that_ends_leaves_a_set_that_is_right, larger_sets_are_minimal, same_set_every_time,
          memory_that_runs_out_and_hooks_that_stop_are_answers, NULL});
}
