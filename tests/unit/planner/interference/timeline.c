#include "interference/timeline.h"

#include "base/rng.h"
#include "suite.h"

static struct berth_arena arena;

static struct berth_timeline make(const struct berth_buffers *buffers) {
  struct berth_timeline timeline;
  ck_assert_int_eq(berth_timeline_make(buffers, NULL, buffers->n, &arena, &timeline), BERTH_OK);
  return timeline;
}

START_TEST(only_starts_are_steps) {
  const int64_t lower[] = {-7, 100, 5, 5};
  const int64_t upper[] = {6, INT64_C(1) << 60, 5, 101};
  const uint64_t size[] = {1, 2, 4, 8};
  struct berth_buffers buffers = {.n = 4, .lower = lower, .upper = upper, .size_bytes = size};
  berth_arena_init(&arena, NULL);
  struct berth_timeline timeline = make(&buffers);
  ck_assert_uint_eq(timeline.n_steps, 3);
  const int64_t at[] = {-7, 5, 100};
  ck_assert_mem_eq(timeline.step_at, at, sizeof at);
  const uint32_t expected_lower[] = {0, 2, 1, 1};
  const uint32_t expected_upper[] = {2, 3, 2, 3}; /* [5, 5) is one step */
  ck_assert_mem_eq(timeline.lower, expected_lower, sizeof expected_lower);
  ck_assert_mem_eq(timeline.upper, expected_upper, sizeof expected_upper);
  uint64_t load[3];
  uint32_t peak;
  ck_assert(berth_timeline_load(&timeline, size, NULL, load, &peak));
  ck_assert_uint_eq(peak, 1);
  const uint64_t expected_load[] = {1, 13, 10};
  ck_assert_mem_eq(load, expected_load, sizeof load);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(gaps_cut_the_load_to_their_windows) {
  const int64_t lower[] = {0, 2};
  const int64_t upper[] = {10, 4};
  const uint64_t size[] = {100, 7};
  const uint32_t gap_begin[] = {0, 2, 2};
  const struct berth_gap gaps[] = {{2, 4, 30, 40}, {6, 10, 0, 0}};
  struct berth_buffers buffers = {
      .n = 2, .lower = lower, .upper = upper, .size_bytes = size, .gap_begin = gap_begin, .gaps = gaps};
  berth_arena_init(&arena, NULL);
  struct berth_timeline timeline = make(&buffers);
  ck_assert_uint_eq(timeline.n_steps, 4); /* 0, 2, 4, 6 */
  uint64_t load[4];
  uint32_t peak;
  ck_assert(berth_timeline_load(&timeline, size, NULL, load, &peak));
  ck_assert_uint_eq(peak, 0);
  const uint64_t expected[] = {100, 17, 100, 0};
  ck_assert_mem_eq(load, expected, sizeof load);
  berth_arena_finish(&arena);
}
END_TEST

enum { N = 60 };

struct random {
  int64_t lower[N];
  int64_t upper[N];
  uint64_t size[N];
};

static struct berth_buffers make_random(struct berth_rng *rng, struct random *random, uint32_t span) {
  for (int i = 0; i < N; i++) {
    random->lower[i] = (int64_t)berth_rng_below(rng, span) * 1000 - 5000;
    random->upper[i] = random->lower[i] + 1 + berth_rng_below(rng, span * 300);
    random->size[i] = 1 + berth_rng_below(rng, 50);
  }
  return (struct berth_buffers){
      .n = N, .lower = random->lower, .upper = random->upper, .size_bytes = random->size};
}

static bool meet(const struct random *random, int a, int b) {
  return random->lower[a] < random->upper[b] && random->lower[b] < random->upper[a];
}

START_TEST(overlap_and_degrees_are_those_of_the_original) {
  struct berth_rng rng = {.state = 1};
  for (int round = 0; round < 200; round++) {
    struct random random;
    struct berth_buffers buffers = make_random(&rng, &random, 1 + berth_rng_below(&rng, 40));
    berth_arena_init(&arena, NULL);
    struct berth_timeline timeline = make(&buffers);
    uint32_t degree[N];
    ck_assert_int_eq(berth_timeline_degrees(&timeline, &arena, degree), BERTH_OK);
    for (int a = 0; a < N; a++) {
      uint32_t n_met = 0;
      for (int b = 0; b < N; b++) {
        bool compressed = timeline.lower[a] < timeline.upper[b] && timeline.lower[b] < timeline.upper[a];
        ck_assert_int_eq(compressed, meet(&random, a, b));
        n_met += a != b && compressed;
      }
      ck_assert_uint_eq(degree[a], n_met);
    }
    berth_arena_finish(&arena);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/timeline", (const TTest *const[]){
                                   only_starts_are_steps, gaps_cut_the_load_to_their_windows,
                                   overlap_and_degrees_are_those_of_the_original, NULL});
}
