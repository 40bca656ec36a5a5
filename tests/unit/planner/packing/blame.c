#include "packing/blame.h"

#include "base/rng.h"
#include "packing/pieces.h"
#include "suite.h"

enum { MOST = 40, MOST_STEPS = 33 };

struct random {
  uint32_t lower[MOST];
  uint32_t upper[MOST];
  uint64_t size[MOST];
  uint64_t alignment[MOST];
  struct berth_packing_instance instance;
};

static void draw(struct random *random, struct berth_rng *rng) {
  uint32_t n = 1 + berth_rng_below(rng, MOST), n_steps = 1 + berth_rng_below(rng, MOST_STEPS);
  for (uint32_t b = 0; b < n; b++) {
    random->lower[b] = berth_rng_below(rng, n_steps);
    random->upper[b] = random->lower[b] + 1 + berth_rng_below(rng, n_steps - random->lower[b]);
    random->size[b] = 1 + berth_rng_below(rng, 30);
    random->alignment[b] = berth_rng_below(rng, 8) == 0 ? 2 : 1;
  }
  random->instance = (struct berth_packing_instance){
      .n_buffers = n,
      .n_steps = n_steps,
      .lower = random->lower,
      .upper = random->upper,
      .size = random->size,
      .alignment = random->alignment,
      .capacity = berth_rng_below(rng, 200)};
}

/* How many of the largest live at the step exceed the capacity; UINT32_MAX if all of them do not. */
static uint32_t fewest_at(const struct random *random, uint32_t step) {
  bool taken[MOST] = {false};
  uint64_t sum = 0;
  for (uint32_t count = 1; count <= random->instance.n_buffers; count++) {
    uint32_t largest = UINT32_MAX;
    for (uint32_t b = 0; b < random->instance.n_buffers; b++) {
      bool is_live = random->lower[b] <= step && step < random->upper[b];
      if (is_live && !taken[b] && (largest == UINT32_MAX || random->size[b] > random->size[largest])) {
        largest = b;
      }
    }
    if (largest == UINT32_MAX) {
      return UINT32_MAX;
    }
    taken[largest] = true;
    sum += random->size[largest];
    if (sum > random->instance.capacity) {
      return count;
    }
  }
  return UINT32_MAX;
}

START_TEST(the_fewest_at_any_step) {
  struct berth_rng rng = {.state = 1};
  uint32_t n_blamed = 0, n_minimal = 0;
  for (int k = 0; k < 3000; k++) {
    struct random random;
    draw(&random, &rng);
    uint32_t least = UINT32_MAX;
    for (uint32_t step = 0; step < random.instance.n_steps; step++) {
      uint32_t count = fewest_at(&random, step);
      least = count < least ? count : least;
    }
    struct berth_arena arena;
    berth_arena_init(&arena, NULL);
    uint32_t culprits[MOST], n;
    bool is_minimal;
    ck_assert_int_eq(berth_blame_load(&random.instance, &arena, culprits, &n, &is_minimal), BERTH_OK);
    berth_arena_finish(&arena);
    ck_assert_uint_eq(n, least == UINT32_MAX ? 0 : least);
    uint64_t sum = 0;
    uint32_t first = 0, last = UINT32_MAX;
    bool needs_padding = false;
    for (uint32_t c = 0; c < n; c++) {
      uint32_t b = culprits[c];
      sum += random.size[b];
      first = random.lower[b] > first ? random.lower[b] : first;
      last = random.upper[b] < last ? random.upper[b] : last;
      needs_padding |= random.size[b] % random.alignment[b] != 0;
      ck_assert(c == 0 || random.size[culprits[c - 1]] >= random.size[b]);
    }
    ck_assert(n == 0 || (sum > random.instance.capacity && first < last));
    ck_assert(n == 0 || is_minimal == !needs_padding);
    n_blamed += n > 0;
    n_minimal += n > 0 && is_minimal;
  }
  ck_assert_uint_gt(n_blamed, 1000);
  ck_assert_uint_gt(n_minimal, 500);
  ck_assert_uint_lt(n_minimal, n_blamed);
}
END_TEST

int main(void) {
  return berth_suite_run("packing/blame", (const TTest *const[]){the_fewest_at_any_step, NULL});
}
