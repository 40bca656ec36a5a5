#include "interference/colouring.h"

#include "base/rng.h"
#include "suite.h"

static struct berth_arena arena;
static struct berth_effort effort;

static struct berth_colouring colour(
    const struct berth_buffers *buffers, uint32_t n_conflicts, const uint32_t (*conflicts)[2], bool reuse) {
  struct berth_timeline timeline;
  ck_assert_int_eq(berth_timeline_make(buffers, NULL, buffers->n, &arena, &timeline), BERTH_OK);
  struct berth_colouring_input input = {
      .timeline = &timeline, .size = buffers->size_bytes, .n_conflicts = n_conflicts, .conflicts = conflicts};
  struct berth_colouring colouring;
  berth_effort_init(&effort, UINT64_MAX, NULL, NULL);
  ck_assert_int_eq(berth_colour(&input, &arena, &effort, reuse, &colouring), BERTH_OK);
  return colouring;
}

/* A 1024 [0,2], B 2048 [1,3], C 512 [4,5], D 1536 [4,6], closed. */
static const int64_t LOWER[] = {0, 1, 4, 4};
static const int64_t UPPER[] = {3, 4, 6, 7};
static const uint64_t SIZE[] = {1024, 2048, 512, 1536};
static const struct berth_buffers EXAMPLE = {.n = 4, .lower = LOWER, .upper = UPPER, .size_bytes = SIZE};

START_TEST(the_example_has_its_figures) {
  berth_arena_init(&arena, NULL);
  struct berth_colouring colouring = colour(&EXAMPLE, 0, NULL, true);
  ck_assert_uint_eq(colouring.naive_bytes, 5120);
  ck_assert_uint_eq(colouring.reuse_bytes, 3072);
  ck_assert_uint_eq(colouring.n_slots, 2);
  ck_assert_uint_eq(colouring.n_slots_needed, 2);
  const uint32_t expected[] = {0, 1, 0, 1};
  ck_assert_mem_eq(colouring.slot, expected, sizeof expected);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(without_reuse_everyone_has_a_slot) {
  berth_arena_init(&arena, NULL);
  struct berth_colouring colouring = colour(&EXAMPLE, 0, NULL, false);
  ck_assert_uint_eq(colouring.reuse_bytes, 5120);
  ck_assert_uint_eq(colouring.n_slots, 4);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(pairs_are_kept_apart) {
  static const uint32_t PAIRS[][2] = {{0, 2}, {0, 3}, {1, 2}};
  berth_arena_init(&arena, NULL);
  struct berth_colouring colouring = colour(&EXAMPLE, 3, PAIRS, true);
  ck_assert_uint_eq(colouring.slot[1], colouring.slot[3]);
  ck_assert_uint_eq(colouring.n_slots, 3);
  ck_assert_uint_eq(colouring.reuse_bytes, 1024 + 2048 + 512);
  berth_arena_finish(&arena);
}
END_TEST

enum { N = 80, STEPS = 30 };

struct random {
  int64_t lower[N];
  int64_t upper[N];
  uint64_t size[N];
};

/* No two that meet share a slot, the totals are right, and by start as few slots as can be. */
static void expect_sound(const struct random *random, const struct berth_colouring *colouring) {
  uint64_t slot_size[N] = {0};
  uint64_t naive = 0;
  uint32_t n_live[STEPS * 2] = {0};
  uint64_t live[STEPS * 2] = {0};
  for (int a = 0; a < N; a++) {
    naive += random->size[a];
    ck_assert_uint_lt(colouring->slot[a], N);
    if (slot_size[colouring->slot[a]] < random->size[a]) {
      slot_size[colouring->slot[a]] = random->size[a];
    }
    for (int64_t t = random->lower[a]; t < random->upper[a]; t++) {
      n_live[t] += random->size[a] > 0;
      live[t] += random->size[a];
    }
    for (int b = 0; b < a; b++) {
      bool meet = random->size[a] > 0 && random->size[b] > 0 && random->lower[a] < random->upper[b] &&
                  random->lower[b] < random->upper[a];
      ck_assert(!meet || colouring->slot[a] != colouring->slot[b]);
    }
  }
  uint64_t reuse = 0;
  uint32_t most = 0;
  uint64_t peak = 0;
  for (int k = 0; k < N; k++) {
    reuse += slot_size[k];
  }
  for (int t = 0; t < STEPS * 2; t++) {
    most = n_live[t] > most ? n_live[t] : most;
    peak = live[t] > peak ? live[t] : peak;
  }
  ck_assert_uint_eq(colouring->reuse_bytes, reuse);
  ck_assert_uint_eq(colouring->naive_bytes, naive);
  ck_assert_uint_eq(colouring->n_slots_needed, most);
  ck_assert_uint_ge(colouring->n_slots, most);
  ck_assert(peak <= reuse && reuse <= naive);
}

START_TEST(random_ones_are_sound) {
  struct berth_rng rng = {.state = 3};
  for (int round = 0; round < 500; round++) {
    struct random random;
    for (int i = 0; i < N; i++) {
      random.lower[i] = berth_rng_below(&rng, STEPS);
      random.upper[i] = random.lower[i] + 1 + berth_rng_below(&rng, 1 + berth_rng_below(&rng, STEPS));
      random.size[i] = berth_rng_below(&rng, round % 2 == 0 ? 4 : 1000);
    }
    struct berth_buffers buffers = {
        .n = N, .lower = random.lower, .upper = random.upper, .size_bytes = random.size};
    berth_arena_init(&arena, NULL);
    struct berth_colouring colouring = colour(&buffers, 0, NULL, true);
    expect_sound(&random, &colouring);
    berth_arena_finish(&arena);
  }
}
END_TEST

START_TEST(a_spent_budget_still_colours) {
  struct berth_timeline timeline;
  berth_arena_init(&arena, NULL);
  ck_assert_int_eq(berth_timeline_make(&EXAMPLE, NULL, EXAMPLE.n, &arena, &timeline), BERTH_OK);
  struct berth_colouring_input input = {.timeline = &timeline, .size = SIZE};
  struct berth_colouring colouring;
  berth_effort_init(&effort, 1, NULL, NULL);
  ck_assert_int_eq(berth_colour(&input, &arena, &effort, true, &colouring), BERTH_OK);
  ck_assert_uint_eq(colouring.reuse_bytes, 3072);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/colouring",
      (const TTest *const[]){
          the_example_has_its_figures, without_reuse_everyone_has_a_slot, pairs_are_kept_apart,
          random_ones_are_sound, a_spent_budget_still_colours, NULL});
}
