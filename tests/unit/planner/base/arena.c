#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

struct counter {
  size_t n_bytes; /* handed out now */
  size_t n_calls; /* that allocate */
  size_t n_allowed;
};

static void *counting(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct counter *counter = ctx;
  if (new_size == 0) {
    counter->n_bytes -= ptr != NULL ? old_size : 0;
    free(ptr);
    return NULL;
  }
  if (counter->n_calls++ >= counter->n_allowed) {
    return NULL;
  }
  counter->n_bytes += new_size - (ptr != NULL ? old_size : 0);
  return realloc(ptr, new_size);
}

START_TEST(takes_are_aligned_apart_and_stay) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  enum { N = 2000 };
  unsigned char *taken[N];
  size_t size[N];
  for (size_t i = 0; i < N; i++) {
    size[i] = i * 37 % 501;
    taken[i] = berth_arena_take(&arena, size[i], 1);
    ck_assert_ptr_nonnull(taken[i]);
    ck_assert_uint_eq((uintptr_t)taken[i] % alignof(max_align_t), 0);
    memset(taken[i], (int)(i % 251), size[i]);
  }
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < size[i]; k++) {
      ck_assert_uint_eq(taken[i][k], i % 251);
    }
  }
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(zeroed_is_zero_also_on_used_memory) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  memset(berth_arena_take(&arena, 1000, 4), 0xff, 4000);
  berth_arena_reset(&arena);
  const uint32_t *numbers = berth_arena_new_zeroed(&arena, uint32_t, 1000);
  for (int i = 0; i < 1000; i++) {
    ck_assert_uint_eq(numbers[i], 0);
  }
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(products_that_overflow_are_refused) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  ck_assert_ptr_null(berth_arena_take(&arena, SIZE_MAX, 2));
  ck_assert_ptr_null(berth_arena_take(&arena, SIZE_MAX, 1));
  ck_assert_ptr_null(berth_arena_take(&arena, SIZE_MAX / 8, 8));
  ck_assert_ptr_nonnull(berth_arena_take(&arena, 0, 8));
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(rewind_gives_back_what_came_after_the_mark) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  char *kept = berth_arena_take(&arena, 100, 1);
  strcpy(kept, "kept");
  struct berth_arena_mark mark = berth_arena_mark(&arena);
  void *first = berth_arena_take(&arena, 50, 1);
  for (int i = 0; i < 100; i++) {
    ck_assert_ptr_nonnull(berth_arena_take(&arena, 10000, 1));
  }
  berth_arena_rewind(&arena, mark);
  ck_assert_ptr_eq(berth_arena_take(&arena, 50, 1), first);
  ck_assert_str_eq(kept, "kept");
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(a_mark_of_the_empty_arena_can_be_rewound_to) {
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  struct berth_arena_mark mark = berth_arena_mark(&arena);
  void *first = berth_arena_take(&arena, 100, 1);
  ck_assert_ptr_nonnull(berth_arena_take(&arena, 1000000, 1));
  berth_arena_rewind(&arena, mark);
  ck_assert_ptr_eq(berth_arena_take(&arena, 100, 1), first);
  berth_arena_finish(&arena);
}
END_TEST

static void use(struct berth_arena *arena) {
  for (size_t i = 0; i < 300; i++) {
    ck_assert_ptr_nonnull(berth_arena_take(arena, i * 131 % 9000, 1));
  }
}

START_TEST(a_repeated_use_does_not_touch_the_heap) {
  struct counter counter = {.n_allowed = SIZE_MAX};
  struct berth_allocator allocator = {.ctx = &counter, .resize = counting};
  struct berth_arena arena;
  berth_arena_init(&arena, &allocator);
  use(&arena);
  size_t n_calls = counter.n_calls;
  for (int i = 0; i < 10; i++) {
    berth_arena_reset(&arena);
    use(&arena);
  }
  ck_assert_uint_eq(counter.n_calls, n_calls);
  berth_arena_finish(&arena);
  ck_assert_uint_eq(counter.n_bytes, 0);
}
END_TEST

START_TEST(without_memory_a_take_is_null_and_the_rest_holds) {
  struct counter counter = {.n_allowed = 1};
  struct berth_allocator allocator = {.ctx = &counter, .resize = counting};
  struct berth_arena arena;
  berth_arena_init(&arena, &allocator);
  char *kept = berth_arena_take(&arena, 10, 1);
  ck_assert_ptr_nonnull(kept);
  strcpy(kept, "kept");
  ck_assert_ptr_null(berth_arena_take(&arena, 10000000, 1));
  ck_assert_ptr_nonnull(berth_arena_take(&arena, 10, 1));
  ck_assert_str_eq(kept, "kept");
  berth_arena_finish(&arena);
  ck_assert_uint_eq(counter.n_bytes, 0);
}
END_TEST

START_TEST(large_blocks_that_hold_nothing_can_be_given_back) {
  struct counter counter = {.n_allowed = SIZE_MAX};
  struct berth_allocator allocator = {.ctx = &counter, .resize = counting};
  struct berth_arena arena;
  berth_arena_init(&arena, &allocator);
  char *kept = berth_arena_take(&arena, 10, 1);
  strcpy(kept, "kept");
  size_t n_before = counter.n_bytes;
  struct berth_arena_mark mark = berth_arena_mark(&arena);
  ck_assert_ptr_nonnull(berth_arena_take(&arena, 10000000, 1));
  berth_arena_trim(&arena); /* in use */
  ck_assert_uint_gt(counter.n_bytes, 10000000);
  berth_arena_rewind(&arena, mark);
  berth_arena_trim(&arena);
  ck_assert_uint_eq(counter.n_bytes, n_before);
  ck_assert_str_eq(kept, "kept");
  ck_assert_ptr_nonnull(berth_arena_take(&arena, 10000000, 1));
  berth_arena_finish(&arena);
  ck_assert_uint_eq(counter.n_bytes, 0);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/arena", (const TTest *const[]){
                        takes_are_aligned_apart_and_stay, zeroed_is_zero_also_on_used_memory,
                        products_that_overflow_are_refused, rewind_gives_back_what_came_after_the_mark,
                        a_mark_of_the_empty_arena_can_be_rewound_to, a_repeated_use_does_not_touch_the_heap,
                        without_memory_a_take_is_null_and_the_rest_holds,
                        large_blocks_that_hold_nothing_can_be_given_back, NULL});
}
