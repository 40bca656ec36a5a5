#include "text/writer.h"

#include "support.h"

START_TEST(numbers) {
  struct kept kept;
  struct berth_writer writer;
  berth_writer_init(&writer, keep_sink(&kept));
  berth_writer_u64(&writer, 0);
  berth_writer_char(&writer, ' ');
  berth_writer_u64(&writer, UINT64_MAX);
  berth_writer_char(&writer, ' ');
  berth_writer_i64(&writer, INT64_MIN);
  berth_writer_char(&writer, ' ');
  berth_writer_i64(&writer, INT64_MAX);
  berth_writer_format(&writer, " %d%s", -7, "x");
  ck_assert_uint_eq(kept.n, 0); /* buffered */
  ck_assert_int_eq(berth_writer_finish(&writer, NULL), BERTH_OK);
  ck_assert_str_eq(kept.bytes, "0 18446744073709551615 -9223372036854775808 9223372036854775807 -7x");
  free(kept.bytes);
}
END_TEST

START_TEST(any_size_goes_through_in_order) {
  struct kept kept;
  struct berth_writer writer;
  berth_writer_init(&writer, keep_sink(&kept));
  char piece[1000];
  size_t n = 0;
  for (unsigned i = 0; i < sizeof piece; i++) {
    piece[i] = (char)('a' + i % 26);
  }
  for (size_t length = 0; length <= sizeof piece; length += 7) {
    berth_writer_bytes(&writer, piece, length);
    n += length;
  }
  ck_assert_int_eq(berth_writer_finish(&writer, NULL), BERTH_OK);
  ck_assert_uint_eq(kept.n, n);
  size_t at = 0;
  for (size_t length = 0; length <= sizeof piece; length += 7) {
    ck_assert(memcmp(kept.bytes + at, piece, length) == 0);
    at += length;
  }
  free(kept.bytes);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "text/writer", (const TTest *const[]){numbers, any_size_goes_through_in_order, NULL});
}
