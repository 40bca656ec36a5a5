#include "interference/picker.h"

#include "base/rng.h"
#include "suite.h"

enum { N = 3000 };

static uint32_t lower[N];
static uint32_t upper[N];
static uint32_t order[N];
static uint32_t rank[N];
static bool gone[N];

static uint32_t slow_best(uint32_t n, uint32_t from, uint32_t to) {
  for (uint32_t r = 0; r < n; r++) {
    uint32_t i = order[r];
    if (!gone[i] && lower[i] >= from && upper[i] <= to) {
      return i;
    }
  }
  return UINT32_MAX;
}

static void make(struct berth_rng *rng, uint32_t n, uint32_t n_steps) {
  for (uint32_t i = 0; i < n; i++) {
    lower[i] = berth_rng_below(rng, n_steps);
    uint32_t most = berth_rng_below(rng, 4) == 0 ? n_steps : 8;
    upper[i] = lower[i] + 1 + berth_rng_below(rng, most);
    gone[i] = false;
    uint32_t other = berth_rng_below(rng, i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  for (uint32_t r = 0; r < n; r++) {
    rank[order[r]] = r;
  }
}

START_TEST(agrees_with_a_scan_while_everything_is_taken) {
  static const uint32_t COUNTS[] = {1, 2, 16, 17, 255, 257, N};
  struct berth_rng rng = {.state = 7};
  for (unsigned c = 0; c < sizeof COUNTS / sizeof COUNTS[0]; c++) {
    uint32_t n = COUNTS[c];
    struct berth_arena arena;
    struct berth_picker picker;
    berth_arena_init(&arena, NULL);
    make(&rng, n, 500);
    ck_assert(berth_picker_init(&picker, &arena, n, lower, upper, order));
    for (uint32_t n_left = n; n_left > 0;) {
      uint32_t from = berth_rng_below(&rng, 500);
      uint32_t to = from + 1 + berth_rng_below(&rng, 600);
      if (berth_rng_below(&rng, 8) == 0) {
        from = 0;
        to = UINT32_MAX;
      }
      uint32_t found = berth_picker_best(&picker, from, to);
      ck_assert_uint_eq(found, slow_best(n, from, to));
      if (found != UINT32_MAX) {
        berth_picker_remove(&picker, found);
        gone[found] = true;
        n_left--;
      }
    }
    ck_assert_uint_eq(berth_picker_best(&picker, 0, UINT32_MAX), UINT32_MAX);
    berth_arena_finish(&arena);
  }
}
END_TEST

START_TEST(nothing_in_an_empty_one) {
  struct berth_arena arena;
  struct berth_picker picker;
  berth_arena_init(&arena, NULL);
  ck_assert(berth_picker_init(&picker, &arena, 0, lower, upper, order));
  ck_assert_uint_eq(berth_picker_best(&picker, 0, UINT32_MAX), UINT32_MAX);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "interference/picker",
      (const TTest *const[]){agrees_with_a_scan_while_everything_is_taken, nothing_in_an_empty_one, NULL});
}
