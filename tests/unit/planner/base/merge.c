#include "base/merge.h"

#include "base/rng.h"
#include "suite.h"

enum { MAX = 1000 };

static uint32_t items[MAX];
static uint32_t scratch[MAX];
static uint32_t keys[MAX];
static uint64_t n_compared;

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const uint32_t *key = ctx;
  n_compared++;
  return (key[a] > key[b]) - (key[a] < key[b]);
}

static void expect_sorted(uint32_t n) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    sum += items[i];
    if (i > 0) {
      ck_assert_uint_le(keys[items[i - 1]], keys[items[i]]);
      ck_assert(keys[items[i - 1]] < keys[items[i]] || items[i - 1] < items[i]);
    }
  }
  ck_assert_uint_eq(sum, n == 0 ? 0 : (uint64_t)n * (n - 1) / 2);
}

START_TEST(ascending_and_stable_for_every_count) {
  struct berth_rng rng = {3};
  for (uint32_t n = 0; n <= 130; n++) {
    for (uint32_t range = 1; range < 200; range *= 7) {
      for (uint32_t i = 0; i < n; i++) {
        items[i] = i;
        keys[i] = (uint32_t)(berth_rng_next(&rng) % range);
      }
      berth_merge_sort(items, scratch, n, keys, compare);
      expect_sorted(n);
    }
  }
}
END_TEST

START_TEST(comparisons_are_few_for_falling_keys) {
  n_compared = 0;
  for (uint32_t i = 0; i < MAX; i++) {
    items[i] = i;
    keys[i] = MAX - i;
  }
  berth_merge_sort(items, scratch, MAX, keys, compare);
  expect_sorted(MAX);
  ck_assert_uint_le(n_compared, MAX * 10);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/merge", (const TTest *const[]){
                        ascending_and_stable_for_every_count, comparisons_are_few_for_falling_keys, NULL});
}
