#include "minimalloc/rows.h"

#include <string.h>

#include "suite.h"

static enum berth_minimalloc_number read_i64(const char *text, int64_t *out, size_t *out_n) {
  const char *at = text;
  enum berth_minimalloc_number result = berth_minimalloc_i64(&at, text + strlen(text), out);
  *out_n = (size_t)(at - text);
  return result;
}

START_TEST(signed_numbers) {
  int64_t n;
  size_t n_read;
  ck_assert_int_eq(read_i64("-9223372036854775808,", &n, &n_read), BERTH_MINIMALLOC_NUMBER_OK);
  ck_assert_int_eq(n, INT64_MIN);
  ck_assert_uint_eq(n_read, 20);
  ck_assert_int_eq(read_i64("+0012x", &n, &n_read), BERTH_MINIMALLOC_NUMBER_OK);
  ck_assert_int_eq(n, 12);
  ck_assert_uint_eq(n_read, 5);
  ck_assert_int_eq(read_i64("9223372036854775807", &n, &n_read), BERTH_MINIMALLOC_NUMBER_OK);
  ck_assert_int_eq(n, INT64_MAX);
  ck_assert_int_eq(read_i64("9223372036854775808", &n, &n_read), BERTH_MINIMALLOC_NUMBER_RANGE);
  ck_assert_int_eq(read_i64("-9223372036854775809", &n, &n_read), BERTH_MINIMALLOC_NUMBER_RANGE);
  ck_assert_int_eq(read_i64("99999999999999999999999", &n, &n_read), BERTH_MINIMALLOC_NUMBER_RANGE);
  ck_assert_int_eq(read_i64("", &n, &n_read), BERTH_MINIMALLOC_NUMBER_MALFORMED);
  ck_assert_int_eq(read_i64("-", &n, &n_read), BERTH_MINIMALLOC_NUMBER_MALFORMED);
  ck_assert_int_eq(read_i64("--1", &n, &n_read), BERTH_MINIMALLOC_NUMBER_MALFORMED);
}
END_TEST

START_TEST(unsigned_numbers) {
  const char text[] = "18446744073709551615 -0 -1 18446744073709551616";
  const char *end = text + sizeof text - 1;
  const char *at = text;
  uint64_t n;
  ck_assert_int_eq(berth_minimalloc_u64(&at, end, &n), BERTH_MINIMALLOC_NUMBER_OK);
  ck_assert_uint_eq(n, UINT64_MAX);
  at++;
  ck_assert_int_eq(berth_minimalloc_u64(&at, end, &n), BERTH_MINIMALLOC_NUMBER_OK);
  ck_assert_uint_eq(n, 0);
  at++;
  ck_assert_int_eq(berth_minimalloc_u64(&at, end, &n), BERTH_MINIMALLOC_NUMBER_RANGE);
  at++;
  ck_assert_int_eq(berth_minimalloc_u64(&at, end, &n), BERTH_MINIMALLOC_NUMBER_RANGE);
  ck_assert_ptr_eq(at, end);
}
END_TEST

START_TEST(excerpts_are_short_and_harmless) {
  const char text[] = "\x1b[31mred\n\xff, and a good deal longer than anybody wants to read";
  struct berth_minimalloc_field field = {.begin = text, .end = text + sizeof text - 1};
  struct berth_minimalloc_excerpt excerpt = berth_minimalloc_excerpt(field);
  ck_assert_uint_lt(strlen(excerpt.text), sizeof excerpt.text);
  ck_assert_str_eq(excerpt.text, "'?[31mred??, and a good deal longer than an...'");
  field.end = field.begin;
  ck_assert_str_eq(berth_minimalloc_excerpt(field).text, "''");
}
END_TEST

int main(void) {
  return berth_suite_run(
      "minimalloc/rows",
      (const TTest *const[]){signed_numbers, unsigned_numbers, excerpts_are_short_and_harmless, NULL});
}
