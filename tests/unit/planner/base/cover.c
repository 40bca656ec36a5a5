#include "base/cover.h"

#include "base/rng.h"
#include "suite.h"

START_TEST(ranges_that_overlap_count_once) {
  struct berth_arena arena;
  struct berth_cover cover;
  berth_arena_init(&arena, NULL);
  ck_assert(berth_cover_init(&cover, &arena, (const uint64_t[]){10, 20, 30}, 3));
  ck_assert_uint_eq(berth_cover_bytes(&cover), 0);
  berth_cover_put(&cover, 0, 2);
  berth_cover_put(&cover, 1, 3);
  ck_assert_uint_eq(berth_cover_bytes(&cover), 60);
  berth_cover_put(&cover, 2, 2); /* nothing */
  berth_cover_drop(&cover, 0, 2);
  ck_assert_uint_eq(berth_cover_bytes(&cover), 50);
  berth_cover_drop(&cover, 1, 3);
  ck_assert_uint_eq(berth_cover_bytes(&cover), 0);
  ck_assert(berth_cover_init(&cover, &arena, NULL, 0));
  ck_assert_uint_eq(berth_cover_bytes(&cover), 0);
  berth_arena_finish(&arena);
}
END_TEST

enum { CELLS = 13, RANGES = 40, TURNS = 4000 };

START_TEST(as_counting_cell_by_cell) {
  struct berth_arena arena;
  struct berth_cover cover;
  struct berth_rng rng = {.state = 3};
  uint64_t cells[CELLS];
  uint32_t begin[RANGES];
  uint32_t end[RANGES] = {0};
  uint32_t count[CELLS] = {0};
  berth_arena_init(&arena, NULL);
  for (int k = 0; k < CELLS; k++) {
    cells[k] = berth_rng_below(&rng, 100);
  }
  ck_assert(berth_cover_init(&cover, &arena, cells, CELLS));
  for (int t = 0; t < TURNS; t++) {
    uint32_t r = berth_rng_below(&rng, RANGES);
    bool is_there = end[r] != 0;
    if (!is_there) {
      begin[r] = berth_rng_below(&rng, CELLS);
      end[r] = begin[r] + 1 + berth_rng_below(&rng, CELLS - begin[r]);
      berth_cover_put(&cover, begin[r], end[r]);
    } else {
      berth_cover_drop(&cover, begin[r], end[r]);
    }
    uint64_t sum = 0;
    for (uint32_t k = 0; k < CELLS; k++) {
      bool in = begin[r] <= k && k < end[r];
      count[k] += in && !is_there;
      count[k] -= in && is_there;
      sum += count[k] > 0 ? cells[k] : 0;
    }
    end[r] = is_there ? 0 : end[r];
    ck_assert_uint_eq(berth_cover_bytes(&cover), sum);
  }
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/cover", (const TTest *const[]){ranges_that_overlap_count_once, as_counting_cell_by_cell, NULL});
}
