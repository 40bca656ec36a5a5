/* Every inference of the complete search is worth having: an instance each on which it takes several times
 * as long without. That they are sound is shown in exact.c. */
#include <stdio.h>

#include "packing/exact/exact.h"
#include "packing/exact/niche_search.h"
#include "suite.h"

#define DATA SOURCE_DIR "/tests/data/intervals/minimalloc/"

enum { MOST = 600 };

static struct {
  uint32_t lower[MOST];
  uint32_t upper[MOST];
  uint64_t size[MOST];
  uint64_t alignment[MOST];
  uint64_t pin[MOST];
  uint64_t offset[MOST];
} one;

static struct berth_packing_instance instance;

static void begin(uint32_t n_steps, bool has_pins, uint64_t capacity) {
  instance = (struct berth_packing_instance){
      .n_steps = n_steps,
      .lower = one.lower,
      .upper = one.upper,
      .size = one.size,
      .alignment = one.alignment,
      .pin = has_pins ? one.pin : NULL,
      .capacity = capacity};
}

static void add(uint32_t lower, uint32_t upper, uint64_t size, uint64_t pin) {
  uint32_t k = instance.n_buffers++;
  ck_assert_uint_lt(k, MOST);
  one.lower[k] = lower;
  one.upper[k] = upper;
  one.size[k] = size;
  one.alignment[k] = 1;
  one.pin[k] = pin;
}

/* At most the limit. */
static uint64_t ticks_with(uint32_t switches, uint64_t limit) {
  struct berth_arena arena;
  struct berth_effort effort;
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, limit, NULL, NULL);
  struct berth_packing_search search = {
      .instance = &instance,
      .arena = &arena,
      .effort = &effort,
      .switches = switches,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = one.offset,
      .any_fit = instance.capacity != BERTH_UNLIMITED};
  ck_assert_int_eq(berth_packing_exact.run(&search), BERTH_OK);
  bool is_done = berth_packing_done(&search);
  berth_arena_finish(&arena);
  return is_done ? effort.ticks : limit;
}

static void expect_worth(uint32_t bit, double times, uint64_t limit) {
  uint64_t with = ticks_with(UINT32_MAX, limit), without = ticks_with(UINT32_MAX & ~bit, limit);
  ck_assert_uint_lt(with, limit);
  ck_assert_msg(
      (double)without >= times * (double)with, "%llu ticks with it, %llu without", (unsigned long long)with,
      (unsigned long long)without);
}

/* The steps as they are in the file, from the first on. */
static void read_file(const char *path) {
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  static uint64_t lower[MOST], upper[MOST], size[MOST];
  uint32_t n = 0;
  char line[128];
  ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long long from, to, bytes;
    ck_assert_uint_lt(n, MOST);
    ck_assert_int_eq(sscanf(line, "%*[^,],%llu,%llu,%llu", &from, &to, &bytes), 3);
    lower[n] = from;
    upper[n] = to;
    size[n++] = bytes;
  }
  fclose(file);
  begin(0, false, BERTH_UNLIMITED);
  for (uint32_t b = 0; b < n; b++) {
    uint32_t first = 0, end = 0; /* how many buffers start before */
    for (uint32_t k = 0; k < n; k++) {
      first += lower[k] < lower[b];
      end += lower[k] < upper[b];
    }
    add(first, end, size[b], BERTH_UNPINNED);
  }
  instance.n_steps = n;
}

/* Thirteen of 7 bytes in four holes of 27 that have room for three each. */
START_TEST(twins) {
  begin(1, true, 114);
  for (uint64_t k = 0; k < 3; k++) {
    add(0, 1, 2, 27 + 29 * k);
  }
  for (int k = 0; k < 13; k++) {
    add(0, 1, 7, BERTH_UNPINNED);
  }
  expect_worth(BERTH_NICHE_TWINS, 100, 20000000);
}
END_TEST

/* Load 8, optimum 9, and eight that are always live. */
START_TEST(ground) {
  static const uint32_t lower[] = {4, 3, 4, 6, 5, 3, 7}, upper[] = {7, 5, 6, 8, 7, 4, 8};
  static const uint64_t size[] = {3, 2, 3, 4, 1, 4, 4};
  begin(9, false, BERTH_UNLIMITED);
  for (int k = 0; k < 7; k++) {
    add(lower[k], upper[k], size[k], BERTH_UNPINNED);
  }
  for (uint64_t k = 0; k < 8; k++) {
    add(0, 9, 5 + k, BERTH_UNPINNED);
  }
  expect_worth(BERTH_NICHE_GROUND, 20, 20000000);
}
END_TEST

START_TEST(split_and_anywhere) {
  read_file(DATA "K.1048576.csv");
  expect_worth(BERTH_NICHE_SPLIT, 2, 100000000);
  expect_worth(BERTH_NICHE_ANYWHERE, 2, 100000000);
}
END_TEST

START_TEST(restarts) {
  read_file(DATA "D.1048576.csv");
  expect_worth(BERTH_EXACT_RESTARTS, 2, 1500000000);
}
END_TEST

START_TEST(memo) {
  read_file(DATA "I.1048576.csv");
  expect_worth(BERTH_NICHE_MEMO, 5, 60000000);
}
END_TEST

START_TEST(jumps) {
  read_file(DATA "G.1048576.csv");
  expect_worth(BERTH_EXACT_JUMPS, 2, 60000000);
}
END_TEST

START_TEST(nogoods) {
  read_file(DATA "D.1048576.csv");
  instance.capacity = 1000000;
  expect_worth(BERTH_NICHE_NOGOODS, 2, 1000000000);
}
END_TEST

START_TEST(guides) {
  read_file(DATA "J.1048576.csv");
  instance.capacity = 1010000;
  expect_worth(BERTH_EXACT_GUIDES, 2, 600000000);
}
END_TEST

START_TEST(niches) {
  read_file(DATA "A.1048576.csv");
  expect_worth(BERTH_EXACT_NICHES, 20, 20000000);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/switches",
      (const TTest *const[]){
          twins, ground, split_and_anywhere, restarts, memo, jumps, nogoods, guides, niches, NULL});
}
