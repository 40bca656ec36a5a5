#include "verify/placement.h"

#include "judged.h"
#include "suite.h"

static struct sample sample;

static void begin(void) {
  sample_finish(&sample);
}

static void expect_one(const uint32_t *pool, const uint64_t *offset, enum berth_violation_kind kind) {
  struct judged judged = judge_offsets(&sample, pool, offset);
  ck_assert_uint_eq(judged.verdict.n_violations, 1);
  ck_assert_uint_eq(judged.verdict.n_listed, 1);
  ck_assert_str_eq(berth_violation_kind_name(judged.list[0].kind), berth_violation_kind_name(kind));
  ck_assert_uint_eq(judged.list[0].buffer_a, 0);
  ck_assert_uint_gt(strlen(judged.list[0].message), 0);
}

static void expect_good(const uint32_t *pool, const uint64_t *offset) {
  struct judged judged = judge_offsets(&sample, pool, offset);
  judged_expect_good(&judged);
}

START_TEST(a_buffer_without_an_offset) {
  begin();
  sample_add(&sample, 10, 0, 2);
  expect_one(NULL, (const uint64_t[]){BERTH_NO_OFFSET}, BERTH_VIOLATION_UNPLACED);
  expect_good(NULL, (const uint64_t[]){12345});
}
END_TEST

START_TEST(alignment_is_the_greater_of_buffer_and_pool) {
  begin();
  sample_add(&sample, 10, 0, 2)->spec.alignment = 8;
  expect_one(NULL, (const uint64_t[]){12}, BERTH_VIOLATION_ALIGNMENT);
  expect_good(NULL, (const uint64_t[]){16});
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].alignment = 32;
  expect_one(NULL, (const uint64_t[]){16}, BERTH_VIOLATION_ALIGNMENT);
  expect_good(NULL, (const uint64_t[]){64});
}
END_TEST

START_TEST(pins_are_hard) {
  begin();
  sample_add(&sample, 10, 0, 2)->spec.pinned_offset = 50;
  expect_good(NULL, (const uint64_t[]){50});
  expect_one(NULL, (const uint64_t[]){0}, BERTH_VIOLATION_PIN);
  expect_one(NULL, (const uint64_t[]){51}, BERTH_VIOLATION_PIN);
}
END_TEST

static void two_pools(void) {
  begin();
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].name = (struct berth_text){"fast", 4};
  sample.pools[1].name = (struct berth_text){"slow", 4};
}

START_TEST(only_in_a_pool_that_it_names) {
  two_pools();
  struct sample_buffer *buffer = sample_add(&sample, 10, 0, 2);
  expect_good((const uint32_t[]){0}, (const uint64_t[]){0});
  expect_good((const uint32_t[]){1}, (const uint64_t[]){0});
  buffer->spec.n_pools = 1;
  buffer->pools[0] = 1;
  expect_good((const uint32_t[]){1}, (const uint64_t[]){0});
  expect_one((const uint32_t[]){0}, (const uint64_t[]){0}, BERTH_VIOLATION_POOL);
  expect_one((const uint32_t[]){2}, (const uint64_t[]){0}, BERTH_VIOLATION_POOL);
  expect_one((const uint32_t[]){UINT32_MAX}, (const uint64_t[]){0}, BERTH_VIOLATION_POOL);
}
END_TEST

START_TEST(capacity_and_largest_block) {
  two_pools();
  sample.pools[0].capacity_bytes = 100;
  sample.pools[1].max_block_bytes = 9;
  sample_add(&sample, 10, 0, 2);
  expect_good((const uint32_t[]){0}, (const uint64_t[]){90});
  expect_one((const uint32_t[]){0}, (const uint64_t[]){91}, BERTH_VIOLATION_CAPACITY);
  expect_one((const uint32_t[]){1}, (const uint64_t[]){0}, BERTH_VIOLATION_CAPACITY);
}
END_TEST

START_TEST(an_end_that_wraps_is_beyond_every_capacity) {
  begin();
  sample_add(&sample, 10, 0, 2);
  expect_one(NULL, (const uint64_t[]){UINT64_MAX - 1}, BERTH_VIOLATION_CAPACITY);
  expect_one(NULL, (const uint64_t[]){UINT64_MAX - 9}, BERTH_VIOLATION_CAPACITY);
}
END_TEST

START_TEST(ids_are_shown_and_cut_between_characters) {
  begin();
  char id[62];
  for (size_t k = 0; k < sizeof id; k += 2) {
    memcpy(id + k, "\xc3\xa4", 2);
  }
  struct sample_buffer *buffer = sample_add(&sample, 10, 0, 2);
  buffer->spec.id = (struct berth_text){id, sizeof id};
  struct judged judged = judge_offsets(&sample, NULL, (const uint64_t[]){BERTH_NO_OFFSET});
  ck_assert_ptr_nonnull(strstr(judged.list[0].message, "\xc3\xa4...\""));
  buffer->spec.id = (struct berth_text){"conv1", 5};
  judged = judge_offsets(&sample, NULL, (const uint64_t[]){BERTH_NO_OFFSET});
  ck_assert_ptr_nonnull(strstr(judged.list[0].message, "(\"conv1\")"));
  sample_finish(&sample);
}
END_TEST

int main(void) {
  sample_init(&sample);
  return berth_suite_run(
      "verify/placement",
      (const TTest *const[]){
          a_buffer_without_an_offset, alignment_is_the_greater_of_buffer_and_pool, pins_are_hard,
          only_in_a_pool_that_it_names, capacity_and_largest_block,
          an_end_that_wraps_is_beyond_every_capacity, ids_are_shown_and_cut_between_characters, NULL});
}
