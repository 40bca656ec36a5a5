#include "work/memory.h"

#include <string.h>

#include "suite.h"

static void *resize(struct berthd_memory *memory, void *ptr, size_t old_size, size_t new_size) {
  return memory->allocator.resize(memory->allocator.ctx, ptr, old_size, new_size);
}

START_TEST(it_counts_and_refuses_beyond_the_limit) {
  struct berthd_memory memory;
  berthd_memory_init(&memory, 1000);
  char *a = resize(&memory, NULL, 0, 600);
  ck_assert_ptr_nonnull(a);
  memset(a, 7, 600);
  ck_assert_ptr_null(resize(&memory, NULL, 0, 401));
  ck_assert(memory.was_refused);
  ck_assert_uint_eq(memory.n_bytes, 600);
  char *b = resize(&memory, NULL, 0, 400);
  ck_assert_ptr_nonnull(b);
  ck_assert_ptr_null(resize(&memory, a, 600, 601)); /* the old block stays */
  ck_assert_int_eq(a[599], 7);
  resize(&memory, b, 400, 0);
  a = resize(&memory, a, 600, 1000);
  ck_assert_ptr_nonnull(a);
  ck_assert_int_eq(a[599], 7);
  a = resize(&memory, a, 1000, 10);
  ck_assert_uint_eq(memory.n_bytes, 10);
  ck_assert_uint_eq(memory.peak_bytes, 1000);
  ck_assert_ptr_null(resize(&memory, NULL, 0, SIZE_MAX));
  resize(&memory, a, 10, 0);
  ck_assert_uint_eq(memory.n_bytes, 0);
}
END_TEST

START_TEST(without_a_limit_it_only_counts) {
  struct berthd_memory memory;
  berthd_memory_init(&memory, 0);
  void *a = resize(&memory, NULL, 0, 1 << 20);
  ck_assert_ptr_nonnull(a);
  ck_assert(!memory.was_refused);
  resize(&memory, a, 1 << 20, 0);
  ck_assert_uint_eq(memory.peak_bytes, 1 << 20);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "work/memory",
      (const TTest *const[]){it_counts_and_refuses_beyond_the_limit, without_a_limit_it_only_counts, NULL});
}
