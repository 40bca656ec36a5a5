#include "packing/bound.h"

#include "suite.h"

static uint64_t bound_of(const struct berth_packing_instance *instance) {
  struct berth_arena arena;
  uint64_t bound;
  berth_arena_init(&arena, NULL);
  ck_assert_int_eq(berth_packing_bound(instance, &arena, &bound), BERTH_OK);
  berth_arena_finish(&arena);
  return bound;
}

START_TEST(only_offsets_are_aligned) {
  /* Two live together on a grid of 64: 48 + 16 of padding + 48, and not 128. */
  const uint32_t lower[] = {0, 0};
  const uint32_t upper[] = {1, 1};
  const uint64_t size[] = {48, 48};
  uint64_t alignment[] = {64, 64};
  struct berth_packing_instance instance = {
      .n_buffers = 2,
      .n_steps = 1,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .capacity = BERTH_UNLIMITED};
  ck_assert_uint_eq(bound_of(&instance), 112);
  alignment[1] = 1; /* the other can lie right behind it */
  ck_assert_uint_eq(bound_of(&instance), 96);
}
END_TEST

START_TEST(windows_count_as_they_are_live) {
  /* P 400 holds 100 bytes while Q 400 is live: 500, though the optimum is 600. */
  const uint32_t lower[] = {0, 1};
  const uint32_t upper[] = {2, 2};
  const uint64_t size[] = {400, 400};
  const uint64_t alignment[] = {1, 1};
  const uint32_t gap_begin[] = {0, 1, 1};
  const struct berth_piece gaps[] = {{1, 2, 100, 200}};
  struct berth_packing_instance instance = {
      .n_buffers = 2,
      .n_steps = 2,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .gap_begin = gap_begin,
      .gaps = gaps,
      .capacity = BERTH_UNLIMITED};
  ck_assert_uint_eq(bound_of(&instance), 500);
}
END_TEST

START_TEST(pins_reach_up_and_an_absent_buffer_still_ends_somewhere) {
  const uint32_t lower[] = {0, 0};
  const uint32_t upper[] = {1, 1};
  const uint64_t size[] = {10, 70};
  const uint64_t alignment[] = {1, 1};
  const uint64_t pin[] = {55, BERTH_UNPINNED};
  const uint32_t gap_begin[] = {0, 0, 1};
  const struct berth_piece gaps[] = {{0, 1, 0, 0}};
  struct berth_packing_instance instance = {
      .n_buffers = 2,
      .n_steps = 1,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .pin = pin,
      .gap_begin = gap_begin,
      .gaps = gaps,
      .capacity = BERTH_UNLIMITED};
  ck_assert_uint_eq(bound_of(&instance), 70);
  instance.n_buffers = 1;
  ck_assert_uint_eq(bound_of(&instance), 65);
  instance.n_buffers = 0;
  ck_assert_uint_eq(bound_of(&instance), 0);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/bound", (const TTest *const[]){
                           only_offsets_are_aligned, windows_count_as_they_are_live,
                           pins_reach_up_and_an_absent_buffer_still_ends_somewhere, NULL});
}
