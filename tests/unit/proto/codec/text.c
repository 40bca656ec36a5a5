/* UTF-8: every well-formed sequence passes, everything else and NUL does not. */
#include "codec/text.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h"

static enum berth_text_fault check(const char *bytes, size_t n, size_t *at) {
  /* On the heap, so that a sanitizer sees a byte too far. */
  uint8_t *copy = malloc(n + (n == 0));
  memcpy(copy, bytes, n);
  enum berth_text_fault fault = berth_text_check(copy, n, at);
  free(copy);
  return fault;
}

static size_t encode(uint32_t c, char *out) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xc0 | c >> 6);
    out[1] = (char)(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3f));
    out[2] = (char)(0x80 | (c & 0x3f));
    return 3;
  }
  out[0] = (char)(0xf0 | c >> 18);
  out[1] = (char)(0x80 | (c >> 12 & 0x3f));
  out[2] = (char)(0x80 | (c >> 6 & 0x3f));
  out[3] = (char)(0x80 | (c & 0x3f));
  return 4;
}

START_TEST(test_every_character) {
  for (uint32_t c = 0; c <= 0x110200; c++) {
    char bytes[4];
    size_t at = 99;
    size_t n = encode(c, bytes);
    bool surrogate = c >= 0xd800 && c <= 0xdfff;
    enum berth_text_fault expected = c == 0                      ? BERTH_TEXT_NUL
                                     : surrogate || c > 0x10ffff ? BERTH_TEXT_NOT_UTF8
                                                                 : BERTH_TEXT_FINE;
    enum berth_text_fault fault = check(bytes, n, &at);
    ck_assert_msg(fault == expected, "U+%04X: %d", c, fault);
    ck_assert_uint_eq(at, fault == BERTH_TEXT_FINE ? n : 0);
  }
}
END_TEST

START_TEST(test_malformed) {
  static const struct {
    const char *bytes;
    size_t n;
    size_t at;
  } CASES[] = {
      {"\x80", 1, 0},   /* a continuation alone */
      {"ab\xff", 3, 2}, /* never a byte of UTF-8 */
      {"abcdefg\xfe"
       "hij",
       11, 7},                    /* across a word */
      {"\xc0\x80", 2, 0},         /* NUL, overlong */
      {"\xc1\xbf", 2, 0},         /* overlong */
      {"\xe0\x9f\xbf", 3, 0},     /* overlong */
      {"\xf0\x8f\xbf\xbf", 4, 0}, /* overlong */
      {"\xed\xa0\x80", 3, 0},     /* surrogate */
      {"\xf4\x90\x80\x80", 4, 0}, /* above U+10FFFF */
      {"\xf5\x80\x80\x80", 4, 0},
      {"x\xc3", 2, 1},             /* cut off */
      {"12345678\xe2\x82", 10, 8}, /* cut off after a word */
      {"\xf0\x9f\x98", 3, 0},
      {"\xe2\x28\xa1", 3, 0}, /* broken continuation */
      {"\xc3\xa4\xc3\x28", 4, 2},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    size_t at = 99;
    ck_assert_msg(check(CASES[i].bytes, CASES[i].n, &at) == BERTH_TEXT_NOT_UTF8, "case %zu", i);
    ck_assert_uint_eq(at, CASES[i].at);
  }
}
END_TEST

START_TEST(test_nul_anywhere) {
  for (size_t n = 1; n <= 24; n++) {
    for (size_t zero = 0; zero < n; zero++) {
      char bytes[24];
      size_t at;
      memset(bytes, 'a', n);
      bytes[zero] = '\0';
      ck_assert_int_eq(check(bytes, n, &at), BERTH_TEXT_NUL);
      ck_assert_uint_eq(at, zero);
      bytes[zero] = '\x01'; /* the nearest that is fine */
      ck_assert_int_eq(check(bytes, n, &at), BERTH_TEXT_FINE);
    }
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/text", (const TTest *const[]){test_every_character, test_malformed, test_nul_anywhere, NULL});
}
