#include "problems.h"

START_TEST(buffers_come_back_as_given) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  uint32_t index;
  spec.id = text("a");
  spec.size_bytes = 1024;
  spec.upper = 3;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &index, NULL), BERTH_OK);
  ck_assert_uint_eq(index, 0);
  spec = berth_buffer_spec_default();
  spec.size_bytes = 100;
  spec.alignment = 64;
  spec.lower = spec.upper = -5;
  spec.class_ = BERTH_CLASS_STATE;
  spec.pinned_offset = 128;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &index, NULL), BERTH_OK);
  ck_assert_uint_eq(index, 1);
  struct berth_problem *problem = finish(builder);

  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 2);
  ck_assert_uint_eq(buffers->size_bytes[0], 1024);
  ck_assert_uint_eq(buffers->size_bytes[1], 100);
  ck_assert_uint_eq(buffers->alignment[0], 1);
  ck_assert_uint_eq(buffers->alignment[1], 64);
  ck_assert_int_eq(buffers->lower[0], 0);
  ck_assert_int_eq(buffers->upper[0], 3);
  ck_assert_int_eq(buffers->lower[1], -5);
  ck_assert_int_eq(buffers->upper[1], -4); /* lower == upper is one step */
  ck_assert_int_eq(buffers->class_[1], BERTH_CLASS_STATE);
  ck_assert_uint_eq(buffers->pinned_offset[0], BERTH_UNPINNED);
  ck_assert_uint_eq(buffers->pinned_offset[1], 128);
  ck_assert_ptr_null(buffers->pool_begin);
  ck_assert_ptr_null(buffers->gap_begin);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 0).data, "a", 1);
  ck_assert_uint_eq(berth_problem_buffer_id(problem, 0).size, 1);
  ck_assert_uint_eq(berth_problem_buffer_id(problem, 1).size, 0);
  ck_assert_ptr_null(berth_problem_graph(problem));
  ck_assert_ptr_eq(berth_problem_ref(problem), problem);
  berth_problem_unref(problem);
  ck_assert_uint_eq(buffers->size_bytes[0], 1024); /* the second reference holds it */
  berth_problem_unref(problem);
  berth_problem_unref(NULL);
}
END_TEST

START_TEST(an_empty_problem_is_a_problem) {
  struct berth_problem *problem = finish(start());
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 0);
  const struct berth_pools *pools = berth_problem_pools(problem);
  ck_assert_uint_eq(pools->n, 1);
  ck_assert_uint_eq(pools->items[0].name.size, 5);
  ck_assert_mem_eq(pools->items[0].name.data, "arena", 5);
  ck_assert_uint_eq(pools->items[0].capacity_bytes, BERTH_UNLIMITED);
  ck_assert_uint_eq(pools->items[0].alignment, 1);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(everything_is_copied) {
  struct berth_problem_builder *builder = start();
  char id[] = "conv";
  uint32_t pools[] = {1, 0};
  struct berth_gap gap = {.lower = 2, .upper = 4, .window_lower = 1, .window_upper = 5};
  struct berth_pool_spec pool = berth_pool_spec_default();
  pool.name = text("fast");
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  pool.name = text("slow");
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = 8;
  spec.upper = 9;
  add(builder, &spec); /* in every pool, without gaps */
  spec.id = text(id);
  spec.pools = pools;
  spec.n_pools = 2;
  spec.gaps = &gap;
  spec.n_gaps = 1;
  add(builder, &spec);
  memset(id, 'x', 4);
  pools[0] = 77;
  gap.lower = 5;
  spec = berth_buffer_spec_default();
  add(builder, &spec);
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_mem_eq(berth_problem_buffer_id(problem, 1).data, "conv", 4);
  ck_assert_uint_eq(berth_problem_buffer_id(problem, 2).size, 0);
  ck_assert_mem_eq(buffers->pool_begin, ((uint32_t[]){0, 0, 2, 2}), 16);
  ck_assert_mem_eq(buffers->pools, ((uint32_t[]){1, 0}), 8);
  ck_assert_mem_eq(buffers->gap_begin, ((uint32_t[]){0, 0, 1, 1}), 16);
  ck_assert_int_eq(buffers->gaps[0].lower, 2);
  ck_assert_mem_eq(berth_problem_pools(problem)->items[1].name.data, "slow", 4);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(every_pool_in_order_is_the_same_as_no_list) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.pools = (uint32_t[]){0, 1};
  spec.n_pools = 2;
  add(builder, &spec);
  struct berth_problem *problem = finish(builder);
  ck_assert_ptr_null(berth_problem_buffers(problem)->pool_begin);
  berth_problem_unref(problem);
}
END_TEST

/* Each case is one bad buffer after a good one called "first". */
struct bad {
  struct berth_buffer_spec spec;
  enum berth_reason reason;
  const char *field;
  const char *message;
};

#define SPEC(...)                                                                                            \
  { .size_bytes = 8, .alignment = 1, .upper = 4, .pinned_offset = BERTH_UNPINNED, __VA_ARGS__ }
#pragma GCC diagnostic ignored "-Woverride-init"

static const uint32_t POOL_7[] = {7};
static const uint32_t POOL_TWICE[] = {0, 0};

static const struct bad BAD[] = {
    {SPEC(.lower = 5, .id = {"b", 1}), BERTH_REASON_BAD_LIFETIME, "upper",
     "buffer 1 (\"b\"): its lifetime ends at 4, before it begins at 5"},
    {SPEC(.lower = 5), BERTH_REASON_BAD_LIFETIME, "upper",
     "buffer 1: its lifetime ends at 4, before it begins at 5"},
    {SPEC(.lower = INT64_MAX, .upper = INT64_MAX), BERTH_REASON_BAD_LIFETIME, "lower", NULL},
    {SPEC(.alignment = 0), BERTH_REASON_BAD_ALIGNMENT, "alignment",
     "buffer 1: alignment 0 is not a power of two up to 2^62"},
    {SPEC(.alignment = 24), BERTH_REASON_BAD_ALIGNMENT, "alignment", NULL},
    {SPEC(.alignment = UINT64_C(1) << 63), BERTH_REASON_BAD_ALIGNMENT, "alignment", NULL},
    {SPEC(.class_ = BERTH_N_CLASSES), BERTH_REASON_BAD_NUMBER, "class", NULL},
    {SPEC(.size_bytes = UINT64_MAX), BERTH_REASON_SIZE_OVERFLOW, "size", NULL},
    {SPEC(.size_bytes = INT64_MAX), BERTH_REASON_SIZE_OVERFLOW, "size", NULL}, /* with the 8 before it */
    {SPEC(.size_bytes = (UINT64_C(1) << 62) + 1, .alignment = UINT64_C(1) << 62), BERTH_REASON_SIZE_OVERFLOW,
     "size", NULL},
    {SPEC(.pools = POOL_7, .n_pools = 1), BERTH_REASON_UNKNOWN_ID, "pools",
     "buffer 1: pool 7 is unknown; there are 1"},
    {SPEC(.pools = POOL_TWICE, .n_pools = 2), BERTH_REASON_BAD_POOL, "pools",
     "buffer 1: pool 0 is listed twice"},
    {SPEC(.alignment = 8, .pinned_offset = 12), BERTH_REASON_BAD_PIN, "offset",
     "buffer 1: its pinned offset 12 is not a multiple of its alignment 8"},
    {SPEC(.pinned_offset = 12), BERTH_REASON_BAD_PIN, "offset", NULL}, /* the pool's alignment is 16 */
    {SPEC(.pinned_offset = 992, .size_bytes = 33), BERTH_REASON_BAD_PIN, "offset", NULL}, /* its capacity */
    {SPEC(.pinned_offset = 0, .size_bytes = 501), BERTH_REASON_BAD_PIN, "offset",
     NULL}, /* its largest block */
    {SPEC(.pinned_offset = INT64_MAX - 15), BERTH_REASON_BAD_PIN, "offset", NULL},
    {SPEC(.pinned_offset = UINT64_MAX - 15, .size_bytes = 16), BERTH_REASON_SIZE_OVERFLOW, "offset", NULL},
    {SPEC(.id = {"a\0b", 3}), BERTH_REASON_BAD_TEXT, "id", "buffer 1: its id is not UTF-8 without NUL"},
    {SPEC(.id = {"\xff", 1}), BERTH_REASON_BAD_TEXT, "id", NULL},
};

static struct berth_problem_builder *start_bad(void) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  pool.capacity_bytes = 1024;
  pool.max_block_bytes = 500;
  pool.alignment = 16;
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  struct berth_buffer_spec first = SPEC(.id = {"first", 5});
  add(builder, &first);
  return builder;
}

START_TEST(a_bad_buffer_is_blamed_and_the_builder_stays_failed) {
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berth_problem_builder *builder = start_bad();
    struct berth_error err = {0};
    uint32_t index = 99;
    enum berth_code code = berth_problem_builder_add_buffer(builder, &BAD[i].spec, &index, &err);
    ck_assert_msg(code == BERTH_INVALID_ARGUMENT, "case %zu", i);
    ck_assert_msg(err.reason == BAD[i].reason, "case %zu: %s", i, err.message);
    ck_assert_uint_eq(err.index, 1);
    ck_assert_uint_eq(index, 99);
    ck_assert_str_eq(err.field, BAD[i].field);
    if (BAD[i].message != NULL) {
      ck_assert_str_eq(err.message, BAD[i].message);
    }
    struct berth_buffer_spec good = SPEC(.upper = 1);
    struct berth_error again = {0};
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &good, NULL, &again), code);
    ck_assert_str_eq(again.message, err.message);
    again = finish_fails(builder);
    ck_assert_str_eq(again.message, err.message);
  }
}
END_TEST

START_TEST(sums_up_to_2_63_pass) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = SPEC(.size_bytes = INT64_MAX - 8);
  add(builder, &spec);
  spec.size_bytes = 8;
  add(builder, &spec);
  spec.size_bytes = 0; /* nothing to round up */
  spec.alignment = UINT64_C(1) << 62;
  add(builder, &spec);
  spec.size_bytes = 1;
  spec.alignment = 1;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_SIZE_OVERFLOW);
  ck_assert_uint_eq(err.index, 3);
  berth_problem_builder_destroy(builder);
}
END_TEST

START_TEST(conflicts_are_sorted_pairs_without_repeats) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = SPEC(.upper = 1);
  for (int i = 0; i < 5; i++) {
    add(builder, &spec);
  }
  static const uint32_t PAIRS[][2] = {{4, 1}, {0, 3}, {1, 4}, {3, 0}, {2, 0}, {4, 3}};
  for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
    ck_assert_int_eq(berth_problem_builder_add_conflict(builder, PAIRS[i][0], PAIRS[i][1], NULL), BERTH_OK);
  }
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  static const uint32_t RIGHT[][2] = {{0, 2}, {0, 3}, {1, 4}, {3, 4}};
  ck_assert_uint_eq(buffers->n_conflicts, 4);
  ck_assert_mem_eq(buffers->conflicts, RIGHT, sizeof RIGHT);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(bad_conflicts_are_blamed) {
  static const struct {
    uint32_t a;
    uint32_t b;
    enum berth_reason reason;
  } CASES[] = {
      {0, 0, BERTH_REASON_MALFORMED},
      {0, 1, BERTH_REASON_UNKNOWN_ID},
      {1, 0, BERTH_REASON_UNKNOWN_ID},
      {UINT32_MAX, 0, BERTH_REASON_UNKNOWN_ID},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem_builder *builder = start_bad();
    struct berth_error err;
    ck_assert_int_eq(
        berth_problem_builder_add_conflict(builder, CASES[i].a, CASES[i].b, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, CASES[i].reason);
    ck_assert_str_eq(err.field, "conflicts");
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

START_TEST(bad_pools_are_blamed) {
  static const struct {
    struct berth_pool_spec spec;
    enum berth_reason reason;
    const char *field;
  } CASES[] = {
      {{.alignment = 3, .capacity_bytes = 1, .max_block_bytes = 1},
       BERTH_REASON_BAD_ALIGNMENT,
       "pool.alignment"},
      {{.alignment = 1, .max_block_bytes = 1}, BERTH_REASON_BAD_POOL, "pool.capacity"},
      {{.alignment = 1, .capacity_bytes = 1}, BERTH_REASON_BAD_POOL, "pool.max_block"},
      {{.alignment = 1, .capacity_bytes = 1, .max_block_bytes = 1, .kind = 2},
       BERTH_REASON_BAD_POOL,
       "pool.kind"},
      {{.alignment = 1, .capacity_bytes = 1, .max_block_bytes = 1, .name = {"\x80", 1}},
       BERTH_REASON_BAD_TEXT,
       "pool.name"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_problem_builder *builder = start();
    struct berth_error err;
    ck_assert_int_eq(
        berth_problem_builder_add_pool(builder, &CASES[i].spec, NULL, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, CASES[i].reason);
    ck_assert_str_eq(err.field, CASES[i].field);
    ck_assert_uint_eq(err.index, 0);
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

START_TEST(pools_have_names_of_their_own_and_come_first) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  pool.name = text("fast");
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_DUPLICATE_ID);
  ck_assert_str_eq(err.message, "pool 1 (\"fast\"): pool 0 has the same name");

  builder = start_bad();
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_POOL);
  berth_problem_builder_destroy(builder);

  builder = start();
  pool.name = text(NULL);
  for (int i = 0; i < BERTH_MAX_POOLS; i++) {
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_LIMIT_EXCEEDED);
  berth_problem_builder_destroy(builder);
}
END_TEST

START_TEST(the_two_forms_do_not_mix) {
  struct berth_error err;
  struct berth_problem_builder *builder = start_bad();
  struct berth_value_spec value = berth_value_spec_default();
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, &err), BERTH_INVALID_ARGUMENT);
  berth_problem_builder_destroy(builder);
  builder = start();
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
  struct berth_buffer_spec spec = SPEC(.upper = 1);
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, &err), BERTH_INVALID_ARGUMENT);
  berth_problem_builder_destroy(builder);
  builder = start();
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_conflict(builder, 0, 0, &err), BERTH_INVALID_ARGUMENT);
  berth_problem_builder_destroy(builder);
}
END_TEST

START_TEST(a_finished_builder_takes_nothing) {
  struct berth_problem_builder *builder = start_bad();
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_unref(problem);
  struct berth_buffer_spec spec = SPEC(.upper = 1);
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, &err), BERTH_FAILED_PRECONDITION);
  berth_problem_builder_destroy(builder);
  berth_problem_builder_destroy(NULL);
}
END_TEST

START_TEST(reserve_has_a_limit) {
  struct berth_problem_builder *builder = start();
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_reserve(builder, 1000, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_problem_builder_reserve(builder, BERTH_MAX_BUFFERS + 1, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_LIMIT_EXCEEDED);
  berth_problem_builder_destroy(builder);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/builder",
      (const TTest *const[]){
          buffers_come_back_as_given, an_empty_problem_is_a_problem, everything_is_copied,
          every_pool_in_order_is_the_same_as_no_list, a_bad_buffer_is_blamed_and_the_builder_stays_failed,
          sums_up_to_2_63_pass, conflicts_are_sorted_pairs_without_repeats, bad_conflicts_are_blamed,
          bad_pools_are_blamed, pools_have_names_of_their_own_and_come_first, the_two_forms_do_not_mix,
          a_finished_builder_takes_nothing, reserve_has_a_limit, NULL});
}
