#include "problem/names.h"

#include <stdio.h>

#include "problems.h"

START_TEST(duplicate_ids_name_both_buffers) {
  struct berth_problem_builder *builder = start();
  static const char *const IDS[] = {"a", "", "b", "", "ab", "b", "a"};
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
    spec.id = text(IDS[i]);
    add(builder, &spec);
  }
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.code, BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_DUPLICATE_ID);
  ck_assert_uint_eq(err.index, 5);
  ck_assert_str_eq(err.field, "id");
  ck_assert_str_eq(err.message, "buffer 5 (\"b\"): buffer 2 has the same id");
}
END_TEST

START_TEST(a_long_id_is_shown_cut_and_clean) {
  struct berth_problem_builder *builder = start();
  char id[1000];
  memset(id, 'x', sizeof id);
  id[3] = '\n';
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.id = (struct berth_text){.data = id, .size = sizeof id};
  add(builder, &spec);
  add(builder, &spec);
  struct berth_error err = finish_fails(builder);
  ck_assert_ptr_nonnull(strstr(err.message, "xxx?xxx"));
  ck_assert_ptr_nonnull(strstr(err.message, "...\"): buffer 0 has the same id"));
}
END_TEST

static struct berth_names make(uint32_t n, uint32_t modulus) {
  struct berth_names names = {0};
  for (uint32_t i = 0; i < n; i++) {
    char id[32];
    snprintf(id, sizeof id, "tensor_%u", i % modulus);
    ck_assert_int_eq(berth_names_add(berth_allocator_libc(), &names, i, text(id)), BERTH_NAMES_OK);
  }
  return names;
}

START_TEST(the_first_duplicate_is_found_among_many) {
  uint32_t first;
  uint32_t second;
  struct berth_names names = make(200000, 200000);
  ck_assert(berth_names_find_duplicate(berth_allocator_libc(), &names, &first, &second));
  ck_assert_uint_eq(first, BERTH_NO_INDEX);
  berth_names_finish(berth_allocator_libc(), &names);
  names = make(200000, 199990);
  ck_assert(berth_names_find_duplicate(berth_allocator_libc(), &names, &first, &second));
  ck_assert_uint_eq(first, 0);
  ck_assert_uint_eq(second, 199990);
  berth_names_finish(berth_allocator_libc(), &names);
}
END_TEST

/* The way that is taken when a table has been made to collide gives the same answers. */
START_TEST(sorting_finds_what_the_table_finds) {
  for (uint32_t modulus = 1; modulus < 60; modulus++) {
    struct berth_names names = make(50, modulus);
    uint32_t first[2] = {BERTH_NO_INDEX, BERTH_NO_INDEX};
    uint32_t second[2] = {BERTH_NO_INDEX, BERTH_NO_INDEX};
    ck_assert(berth_names_find_duplicate(berth_allocator_libc(), &names, &first[0], &second[0]));
    ck_assert(berth_names_find_by_sorting(berth_allocator_libc(), &names, &first[1], &second[1]));
    ck_assert_uint_eq(first[0], first[1]);
    ck_assert_uint_eq(second[0], second[1]);
    ck_assert_uint_eq(first[0], modulus < 50 ? 0 : BERTH_NO_INDEX);
    berth_names_finish(berth_allocator_libc(), &names);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/names",
      (const TTest *const[]){
          duplicate_ids_name_both_buffers, a_long_id_is_shown_cut_and_clean,
          the_first_duplicate_is_found_among_many, sorting_finds_what_the_table_finds, NULL});
}
