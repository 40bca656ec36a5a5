#include "packing/build.h"

#include "suite.h"

START_TEST(members_keep_their_order_and_pairs_follow) {
  const int64_t lower[] = {0, 10, 20, 30};
  const int64_t upper[] = {11, 21, 40, 31};
  const uint64_t size[] = {1, 2, 3, 4};
  const uint64_t alignment[] = {1, 64, 8, 1};
  const uint64_t pin[] = {BERTH_UNPINNED, BERTH_UNPINNED, 16, BERTH_UNPINNED};
  const uint32_t pairs[][2] = {{0, 2}, {0, 3}, {1, 3}};
  struct berth_buffers buffers = {
      .n = 4,
      .lower = lower,
      .upper = upper,
      .size_bytes = size,
      .alignment = alignment,
      .pinned_offset = pin,
      .n_conflicts = 3,
      .conflicts = pairs};
  const uint32_t members[] = {3, 0, 2};
  struct berth_arena arena;
  struct berth_packing_instance instance;
  berth_arena_init(&arena, NULL);
  ck_assert_int_eq(berth_packing_build(&buffers, members, 3, 4, 1000, &arena, &instance, NULL), BERTH_OK);
  ck_assert_uint_eq(instance.n_buffers, 3);
  ck_assert_uint_eq(instance.n_steps, 3); /* 0, 20, 30 */
  ck_assert_uint_eq(instance.capacity, 1000);
  const uint64_t sizes[] = {4, 1, 3};
  const uint64_t alignments[] = {4, 4, 8};
  const uint64_t pins[] = {BERTH_UNPINNED, BERTH_UNPINNED, 16};
  const uint32_t lowers[] = {2, 0, 1};
  const uint32_t uppers[] = {3, 1, 3};
  const uint32_t expected_pairs[][2] = {{0, 1}, {1, 2}};
  ck_assert_mem_eq(instance.size, sizes, sizeof sizes);
  ck_assert_mem_eq(instance.alignment, alignments, sizeof alignments);
  ck_assert_mem_eq(instance.pin, pins, sizeof pins);
  ck_assert_mem_eq(instance.lower, lowers, sizeof lowers);
  ck_assert_mem_eq(instance.upper, uppers, sizeof uppers);
  ck_assert_uint_eq(instance.n_conflicts, 2);
  ck_assert_mem_eq(instance.conflicts, expected_pairs, sizeof expected_pairs);
  ck_assert_int_eq(berth_packing_build(&buffers, members, 2, 4, 1000, &arena, &instance, NULL), BERTH_OK);
  ck_assert_ptr_null(instance.pin); /* nobody here is pinned */
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/build", (const TTest *const[]){members_keep_their_order_and_pairs_follow, NULL});
}
