#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

#include "suite.h"

static void *refusing(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)old_size;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  return *(int *)ctx > 0 && (*(int *)ctx)-- > 0 ? realloc(ptr, new_size) : NULL;
}

START_TEST(grows_by_doubling_and_keeps_its_items) {
  BERTH_VEC(uint32_t) vec = {0};
  size_t n_growths = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    size_t before = vec.capacity;
    ck_assert(berth_vec_reserve(berth_allocator_libc(), &vec, vec.n + 1));
    n_growths += vec.capacity != before;
    vec.items[vec.n++] = i;
  }
  ck_assert_uint_lt(n_growths, 20);
  for (uint32_t i = 0; i < 100000; i++) {
    ck_assert_uint_eq(vec.items[i], i);
  }
  berth_vec_trim(berth_allocator_libc(), &vec);
  ck_assert_uint_eq(vec.capacity, 100000);
  ck_assert_uint_eq(vec.items[99999], 99999);
  berth_vec_finish(berth_allocator_libc(), &vec);
  ck_assert_ptr_null(vec.items);
  ck_assert_uint_eq(vec.capacity, 0);
  berth_vec_finish(berth_allocator_libc(), &vec);
}
END_TEST

START_TEST(a_refusal_changes_nothing) {
  int n_allowed = 1;
  struct berth_allocator allocator = {.ctx = &n_allowed, .resize = refusing};
  BERTH_VEC(uint64_t) vec = {0};
  ck_assert(berth_vec_reserve(&allocator, &vec, 3));
  vec.items[vec.n++] = 42;
  size_t capacity = vec.capacity;
  ck_assert(!berth_vec_reserve(&allocator, &vec, 1000));
  ck_assert(!berth_vec_reserve(&allocator, &vec, SIZE_MAX / 2));
  ck_assert_uint_eq(vec.capacity, capacity);
  ck_assert_uint_eq(vec.items[0], 42);
  berth_vec_trim(&allocator, &vec); /* refused too, and then nothing is given back */
  ck_assert_uint_eq(vec.items[0], 42);
  berth_vec_finish(&allocator, &vec);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/vec",
      (const TTest *const[]){grows_by_doubling_and_keeps_its_items, a_refusal_changes_nothing, NULL});
}
