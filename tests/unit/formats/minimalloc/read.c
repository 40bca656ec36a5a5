#include "minimalloc/minimalloc.h"

#include "support.h"

static void expect_row(
    const struct berth_problem *problem, uint32_t i, const char *id, int64_t lower, int64_t upper,
    uint64_t size) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  struct berth_text text = berth_problem_buffer_id(problem, i);
  ck_assert_uint_lt(i, buffers->n);
  ck_assert_msg(
      text.size == strlen(id) && (text.size == 0 || memcmp(text.data, id, text.size) == 0), "%.*s is not %s",
      (int)text.size, text.data, id);
  ck_assert_int_eq(buffers->lower[i], lower);
  ck_assert_int_eq(buffers->upper[i], upper);
  ck_assert_uint_eq(buffers->size_bytes[i], size);
}

START_TEST(every_header_in_any_order) {
  static const char *const HEADERS[] = {
      "id,lower,upper,size", "buffer,begin,upper,size", "buffer_id,start,upper,size"};
  for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
    char text[100];
    snprintf(text, sizeof text, "%s\nb1,0,3,4\n", HEADERS[i]);
    struct berth_problem *problem = read_text(text);
    expect_row(problem, 0, "b1", 0, 3, 4);
    berth_problem_unref(problem);
  }
  struct berth_problem *problem = read_text("size,hint,upper,alignment,offset,id,gaps,lower\n"
                                            "64,-1,9,16,128,x,2-3 4-6@8:16,1\n"
                                            "7,,4,1,,y,,2\n");
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  expect_row(problem, 0, "x", 1, 9, 64);
  expect_row(problem, 1, "y", 2, 4, 7);
  ck_assert_uint_eq(buffers->alignment[0], 16);
  ck_assert_uint_eq(buffers->pinned_offset[0], 128);
  ck_assert_uint_eq(buffers->pinned_offset[1], BERTH_UNPINNED);
  ck_assert_uint_eq(buffers->gap_begin[1], 2);
  ck_assert_uint_eq(buffers->gap_begin[2], 2);
  ck_assert_int_eq(buffers->gaps[0].lower, 2);
  ck_assert_int_eq(buffers->gaps[0].upper, 3);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 0);
  ck_assert_uint_eq(buffers->gaps[1].window_lower, 8);
  ck_assert_uint_eq(buffers->gaps[1].window_upper, 16);
  berth_problem_unref(problem);
}
END_TEST

/* Two conventions met in one tool: `upper` is exclusive, `end` inclusive, and gaps follow the header. */
START_TEST(end_is_inclusive_for_lives_and_gaps) {
  struct berth_problem *half_open = read_text("id,lower,upper,size\na,1,3,100\nb,3,5,100\n");
  expect_row(half_open, 0, "a", 1, 3, 100);
  expect_row(half_open, 1, "b", 3, 5, 100);
  berth_problem_unref(half_open);
  struct berth_problem *closed = read_text("id,start,end,size,gaps\na,1,3,100,2-2\nb,3,5,100,\n");
  expect_row(closed, 0, "a", 1, 4, 100);
  expect_row(closed, 1, "b", 3, 6, 100);
  ck_assert_int_eq(berth_problem_buffers(closed)->gaps[0].upper, 3);
  berth_problem_unref(closed);
}
END_TEST

START_TEST(line_ends_blank_lines_and_byte_order_mark) {
  struct berth_problem *problem =
      read_text("\xef\xbb\xbfid,lower,upper,size\r\n\r\na,0,1,2\r\n\n  \t\nb, 1 ,\t+3,4"); /* no line end */
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 2);
  expect_row(problem, 0, "a", 0, 1, 2);
  expect_row(problem, 1, "b", 1, 3, 4);
  berth_problem_unref(problem);
  problem = read_text("lower,upper,size,id\r\n0,1,2,a\r\n0,1,2,b\r");
  expect_row(problem, 1, "b", 0, 1, 2);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(what_minimalloc_cannot) {
  struct berth_problem *problem = read_text("id,lower,upper,size\nz,2,2,0\na,-5,-5,64\n");
  expect_row(problem, 0, "z", 2, 3, 0);
  expect_row(problem, 1, "a", -5, -4, 64);
  berth_problem_unref(problem);
  problem = read_text("id,lower,upper,size\n");
  ck_assert_uint_eq(berth_problem_buffers(problem)->n, 0);
  berth_problem_unref(problem);
  problem = read_text("id,lower,upper,size,gaps\nn,-9,0,8,-8--6 -3-0\n");
  ck_assert_int_eq(berth_problem_buffers(problem)->gaps[0].lower, -8);
  ck_assert_int_eq(berth_problem_buffers(problem)->gaps[0].upper, -6);
  ck_assert_int_eq(berth_problem_buffers(problem)->gaps[1].lower, -3);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(numbers_are_exact_to_64_bits) {
  struct berth_problem *problem = read_text("id,lower,upper,size,offset\n"
                                            "p,1,3,2147483648,2147483648\n"
                                            "q,-9223372036854775808,9223372036854775807,3611680000000000001,"
                                            "4294967296\n");
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  expect_row(problem, 0, "p", 1, 3, UINT64_C(2147483648));
  expect_row(problem, 1, "q", INT64_MIN, INT64_MAX, UINT64_C(3611680000000000001));
  ck_assert_uint_eq(buffers->pinned_offset[0], UINT64_C(2147483648));
  ck_assert_uint_eq(buffers->pinned_offset[1], UINT64_C(4294967296));
  berth_problem_unref(problem);
  REFUSED("id,lower,upper,size\na,0,1,18446744073709551616\n", 2, 7, BAD_NUMBER, "from 0 to 2^63 - 1");
  REFUSED("id,lower,upper,size\na,0,9223372036854775808,1\n", 2, 5, BAD_NUMBER, "upper");
  REFUSED("id,lower,end,size\na,0,9223372036854775807,1\n", 2, 5, BAD_NUMBER, "end");
}
END_TEST

START_TEST(quotes) {
  struct berth_problem *problem = read_text("\"id\",lower,upper,size\n"
                                            "\"a, \"\"b\"\"\n\",\"0\",3,4\n"
                                            "c\"d,0,1,2\n");
  expect_row(problem, 0, "a, \"b\"\n", 0, 3, 4);
  expect_row(problem, 1, "c\"d", 0, 1, 2);
  berth_problem_unref(problem);
  REFUSED("id,lower,upper,size\na,0,1,2\n\"b,0,1,2\nc,0,1,2\n", 3, 1, MALFORMED, "never closed");
  REFUSED("id,lower,upper,size\n\"b\"c,0,1,2\n", 2, 4, MALFORMED, "closing quote");
  REFUSED(
      "id,lower,upper,size\n\"b\n\n\",x,1,2\n", 4, 3, BAD_NUMBER, "lower"); /* the third line of the row */
}
END_TEST

START_TEST(bad_headers) {
  REFUSED("", 1, 1, MISSING_FIELD, "header");
  REFUSED("\n\n\r\n", 1, 1, MISSING_FIELD, "header");
  REFUSED("id,lower,upper,end,size\n", 1, 16, MALFORMED, "'upper'");
  REFUSED("id,buffer,lower,upper,size\n", 1, 4, MALFORMED, "keep one");
  REFUSED("id,lower,upper,size,kind\n", 1, 21, MALFORMED, "unknown column 'kind'");
  REFUSED("\nID,lower,upper,size\n", 2, 1, MALFORMED, "unknown column 'ID'");
  REFUSED("id,lower,upper\n", 1, 1, MISSING_FIELD, "'size'");
  REFUSED("lower,upper,size\n", 1, 1, MISSING_FIELD, "'id'");
  REFUSED("id,lower,upper,size,hint,gaps,offset,alignment,x\n", 1, 48, COLUMN_LENGTH, "more than 8");
  REFUSED("\xff\xfei\1d", 1, 1, BAD_TEXT, "UTF-16");
  REFUSED("# pool_offset=0\n", 1, 1, MALFORMED, "unknown column");
}
END_TEST

START_TEST(bad_cells) {
  REFUSED("id,lower,upper,size\na,0,1,-5\n", 2, 7, BAD_NUMBER, "'-5'");
  REFUSED("id,lower,upper,size\n\na,0,1,\n", 3, 7, MISSING_FIELD, "size is empty");
  REFUSED("id,lower,upper,size\na,0,1.5,2\n", 2, 5, BAD_NUMBER, "upper is '1.5'");
  REFUSED("id,lower,upper,size\na,0,1,2\nb,1:0,1:4,2\n", 3, 3, BAD_LIFETIME, "components");
  REFUSED("id,lower,upper,size\nb,3:0,1:4,2\n", 2, 7, BAD_LIFETIME, "before it begins");
  REFUSED("id,lower,upper,size\nb,3:0,4:1:2,2\n", 2, 7, BAD_LIFETIME, "3 components");
  REFUSED("id,lower,upper,size\nb,3:,4:1,2\n", 2, 3, BAD_NUMBER, "vector clock");
  REFUSED("id,lower,upper,size\nb,3:0,4:-1,2\n", 2, 7, BAD_NUMBER, "vector clock");
  REFUSED("id,lower,upper,size\nb,3:0,4:1073741825,2\n", 2, 7, BAD_NUMBER, "vector clock");
  REFUSED("id,lower,end,size\nb,3:0,4:1,2\n", 2, 7, BAD_LIFETIME, "'upper'");
  REFUSED("id,lower,upper,size,gaps\nb,3:0,4:1,2,3-4\n", 2, 13, BAD_GAP, "total order");
  REFUSED("id,lower,upper,size\na,5,1,2\n", 2, 5, BAD_LIFETIME, "before it begins");
  REFUSED("id,start,end,size\na,5,4,2\n", 2, 5, BAD_LIFETIME, "(end 4)");
  REFUSED("id,lower,upper,size,alignment\na,0,1,2,0\n", 2, 9, BAD_ALIGNMENT, "");
  REFUSED("id,lower,upper,size,alignment\na,0,1,2,3\n", 2, 9, BAD_ALIGNMENT, "");
  REFUSED("id,lower,upper,size,alignment\na,0,1,2,-8\n", 2, 9, BAD_NUMBER, "alignment");
  REFUSED("id,lower,upper,size,hint\na,0,1,2,soon\n", 2, 9, BAD_NUMBER, "hint");
  REFUSED("id,lower,upper,size,offset\na,0,1,2,-1\n", 2, 9, BAD_NUMBER, "offset");
  REFUSED("id,lower,upper,size,offset,alignment\na,0,1,2,5,4\n", 2, 9, BAD_PIN, "multiple");
  REFUSED("id,lower,upper,size\na,0,1,2,3\n", 2, 9, COLUMN_LENGTH, "more than 4");
  REFUSED("id,lower,upper,size\na,0,1\n", 2, 6, COLUMN_LENGTH, "'size' is next");
  expect_refused(
      "id,lower,upper,size\na\0,0,1,2\n", 30, 2, 1, BERTH_REASON_BAD_TEXT, "UTF-8"); /* a NUL in an id */
  REFUSED("id,lower,upper,size\n\x80,0,1,2\n", 2, 1, BAD_TEXT, "UTF-8");
}
END_TEST

START_TEST(bad_gaps) {
#define GAP(cell) "id,lower,upper,size,gaps\na,0,9,64," cell "\n"
  REFUSED(GAP("1"), 2, 10, BAD_GAP, "'1' is not a gap");
  REFUSED(GAP("1-2 3"), 2, 14, BAD_GAP, "'3'");
  REFUSED(GAP("1-2@"), 2, 10, BAD_GAP, "is not a gap");
  REFUSED(GAP("1-2@4"), 2, 10, BAD_GAP, "is not a gap");
  REFUSED(GAP("1-2@4:8x"), 2, 10, BAD_GAP, "is not a gap");
  REFUSED(GAP("1-99999999999999999999"), 2, 10, BAD_GAP, "is not a gap");
  REFUSED(GAP("8-12"), 2, 10, BAD_GAP, "outside the lifetime");
  REFUSED(GAP("2-3@10:65"), 2, 10, BAD_GAP, "window");
  REFUSED(GAP("2-3@20:10"), 2, 10, BAD_GAP, "window");
  REFUSED(GAP("2-5 4-6"), 2, 10, BAD_GAP, "overlap");
#undef GAP
}
END_TEST

/* What only the whole shows is traced to its row, blank lines and quoted line ends counted. */
START_TEST(errors_of_the_whole_have_a_place) {
  REFUSED("id,lower,upper,size\n\na,0,1,2\n\"b\n\",0,1,2\n\na,0,1,2\n", 7, 1, DUPLICATE_ID, "\"a\"");
  REFUSED("lower,upper,size,id\n0,1,2,a\n0,1,2,a\n", 3, 7, DUPLICATE_ID, "a");
  REFUSED("id,lower,upper,size,offset\na,0,5,10,0\nb,1,2,10,5\n", 3, 10, BAD_PIN, "");
  REFUSED("id,lower,upper,size\na,0,1,9223372036854775807\nb,0,1,2\nc,0,1,4\n", 3, 7, SIZE_OVERFLOW, "2^63");
}
END_TEST

static void *refuse_all(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)ctx;
  (void)ptr;
  (void)old_size;
  (void)new_size;
  return NULL;
}

START_TEST(no_memory_is_an_error) {
  const struct berth_allocator refusing = {.resize = refuse_all};
  static const char TEXT[] = "id,lower,upper,size,gaps\n\"a\"\"\",0,9,4,1-2\n";
  struct berth_problem *problem = NULL;
  struct berth_error err;
  ck_assert_int_eq(
      berth_minimalloc_read(TEXT, sizeof TEXT - 1, &refusing, &problem, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_OUT_OF_MEMORY);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "minimalloc/read", (const TTest *const[]){
                             every_header_in_any_order, end_is_inclusive_for_lives_and_gaps,
                             line_ends_blank_lines_and_byte_order_mark, what_minimalloc_cannot,
                             numbers_are_exact_to_64_bits, quotes, bad_headers, bad_cells, bad_gaps,
                             errors_of_the_whole_have_a_place, no_memory_is_an_error, NULL});
}
