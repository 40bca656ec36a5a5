#include "log/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"

static char text[BERTHD_LOG_LINE_SIZE + 16];

static const char *line_of(enum berthd_log_format format, const struct berthd_log_field *fields, size_t n) {
  struct berthd_log_line line;
  berthd_log_line_begin(&line, format);
  for (size_t i = 0; i < n; i++) {
    berthd_log_line_add(&line, &fields[i]);
  }
  berthd_log_line_end(&line);
  ck_assert_uint_le(line.n, BERTHD_LOG_LINE_SIZE);
  ck_assert_ptr_eq(memchr(line.text, '\n', line.n), line.text + line.n - 1); /* one line */
  memcpy(text, line.text, line.n);
  text[line.n] = '\0';
  return text;
}

#define LINE(format, ...)                                                                                    \
  line_of(                                                                                                   \
      format, (const struct berthd_log_field[]){__VA_ARGS__},                                                \
      sizeof((const struct berthd_log_field[]){__VA_ARGS__}) / sizeof(struct berthd_log_field))

START_TEST(values_in_both_formats) {
  ck_assert_str_eq(
      LINE(
          BERTHD_LOG_JSON, BERTHD_STR("a", "x y"), BERTHD_U64("b", UINT64_MAX), BERTHD_I64("c", -5),
          BERTHD_F64("d", 0.5), BERTHD_BOOL("e", true), BERTHD_F64("f", INFINITY), BERTHD_STR("g", NULL)),
      "{\"a\":\"x y\",\"b\":18446744073709551615,\"c\":-5,\"d\":0.5,\"e\":true,\"f\":null}\n");
  ck_assert_str_eq(
      LINE(
          BERTHD_LOG_TEXT, BERTHD_STR("a", "x y"), BERTHD_STR("b", "plain/1.2:3"), BERTHD_STR("c", ""),
          BERTHD_I64("d", 7)),
      "a=\"x y\" b=plain/1.2:3 c=\"\" d=7\n");
}
END_TEST

START_TEST(texts_cannot_forge_lines_or_fields) {
  const char *evil = "x\" level=error\n{\"level\":\"error\"}\r\t\x1b[2J\\ \x7f";
  ck_assert_str_eq(
      LINE(BERTHD_LOG_JSON, BERTHD_STR("a", evil)),
      "{\"a\":\"x\\\" level=error\\u000a{\\\"level\\\":\\\"error\\\"}\\u000d\\u0009\\u001b[2J\\\\ "
      "\\u007f\"}\n");
  ck_assert_str_eq(LINE(BERTHD_LOG_TEXT, BERTHD_STR("a", "x b=1")), "a=\"x b=1\"\n");
  ck_assert_str_eq(LINE(BERTHD_LOG_TEXT, BERTHD_STR("a", "b=1")), "a=\"b=1\"\n");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_replaced) {
  ck_assert_str_eq(
      LINE(BERTHD_LOG_JSON, BERTHD_STR("a", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2")),
      "{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2\"}\n");
  static const char *const BAD[] = {"\xff",     "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                    "\xe2\x82", "\x80"};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    const char *line = LINE(BERTHD_LOG_JSON, BERTHD_STR("a", BAD[i]));
    ck_assert_ptr_nonnull(strstr(line, "\\ufffd"));
    for (const char *c = line; *c != '\0'; c++) {
      ck_assert((unsigned char)*c < 0x80);
    }
  }
}
END_TEST

START_TEST(long_texts_are_cut_and_a_full_line_leaves_fields_out) {
  char big[3000];
  memset(big, '"', sizeof big);
  big[sizeof big - 1] = '\0';
  const char *line = LINE(BERTHD_LOG_JSON, BERTHD_STR("a", big));
  ck_assert_uint_le(strlen(line), BERTHD_LOG_VALUE_SIZE + 32);
  ck_assert_ptr_nonnull(strstr(line, "...\"}\n"));
  struct berthd_log_field many[40];
  for (size_t i = 0; i < 40; i++) {
    many[i] = BERTHD_STR("a", big);
  }
  many[39] = BERTHD_U64("z", 1);
  line = line_of(BERTHD_LOG_JSON, many, 40);
  ck_assert_int_eq(line[strlen(line) - 2], '}');
  ck_assert_ptr_nonnull(strstr(line, ",\"z\":1}\n")); /* a short one still fits */
}
END_TEST

int main(void) {
  return berth_suite_run(
      "log/line",
      (const TTest *const[]){
          values_in_both_formats, texts_cannot_forge_lines_or_fields, bytes_that_are_no_utf8_are_replaced,
          long_texts_are_cut_and_a_full_line_leaves_fields_out, NULL});
}
