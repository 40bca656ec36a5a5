#include "base/sort.h"

#include "base/rng.h"
#include "suite.h"

enum { MAX = 5000 };

static struct berth_sort_item items[MAX];
static struct berth_sort_item scratch[MAX];

static void fill(struct berth_rng *rng, size_t n, unsigned key_bits) {
  for (size_t i = 0; i < n; i++) {
    uint64_t key = berth_rng_next(rng);
    items[i] =
        (struct berth_sort_item){.key = key_bits == 0 ? 7 : key >> (64 - key_bits), .index = (uint32_t)i};
  }
}

static void expect_sorted(size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += items[i].index;
    if (i > 0) {
      ck_assert_uint_le(items[i - 1].key, items[i].key);
      ck_assert(items[i - 1].key < items[i].key || items[i - 1].index < items[i].index);
    }
  }
  ck_assert_uint_eq(sum, n == 0 ? 0 : n * (n - 1) / 2);
}

START_TEST(ascending_and_stable_for_every_width_and_count) {
  const size_t counts[] = {0, 1, 2, 47, 48, 49, 500, MAX};
  struct berth_rng rng = {1};
  for (unsigned bits = 0; bits <= 64; bits++) {
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
      fill(&rng, counts[k], bits);
      berth_sort_items(items, scratch, counts[k]);
      expect_sorted(counts[k]);
    }
  }
}
END_TEST

START_TEST(signed_steps_keep_their_order) {
  const int64_t steps[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
  for (size_t i = 1; i < sizeof steps / sizeof steps[0]; i++) {
    ck_assert_uint_lt(berth_sort_key_i64(steps[i - 1]), berth_sort_key_i64(steps[i]));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/sort", (const TTest *const[]){
                       ascending_and_stable_for_every_width_and_count, signed_steps_keep_their_order, NULL});
}
