#include "base/text.h"

#include <string.h>

#include "suite.h"

#define T(s, valid)                                                                                          \
  { s, sizeof(s) - 1, valid }

START_TEST(utf8_without_nul_is_valid) {
  static const struct {
    const char *text;
    size_t n;
    bool valid;
  } CASES[] = {
      T("", true),
      T("conv2d_1/weights:0", true),
      T("\x01\x7f", true),
      T("\0", false),
      T("abcdefgh\0", false),
      T("abc\0defghijk", false),
      T("\xc2\x80", true),
      T("\xc1\xbf", false), /* overlong */
      T("\xc0\x80", false),
      T("\xdf\xbf", true),
      T("\xe0\x9f\xbf", false), /* overlong */
      T("\xe0\xa0\x80", true),
      T("\xed\x9f\xbf", true),
      T("\xed\xa0\x80", false), /* surrogate */
      T("\xee\x80\x80", true),
      T("\xf0\x8f\xbf\xbf", false), /* overlong */
      T("\xf0\x90\x80\x80", true),
      T("\xf4\x8f\xbf\xbf", true),
      T("\xf4\x90\x80\x80", false), /* above U+10FFFF */
      T("\xf5\x80\x80\x80", false),
      T("\xff", false),
      T("\x80", false),     /* continues nothing */
      T("\xe2\x82", false), /* cut short */
      T("\xe2\x82x", false),
      T("\xf0\x9f\x98", false),
      T("12345678\xe2\x82\xac"
        "12345678",
        true),
      T("1234567\xe2\x82\xac", true),
      T("12345678\xe2\x82", false),
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_msg(berth_text_valid(CASES[i].text, CASES[i].n) == CASES[i].valid, "case %zu", i);
  }
}
END_TEST

START_TEST(a_fault_is_found_at_every_place) {
  for (size_t n = 1; n < 40; n++) {
    char text[40];
    memset(text, 'a', sizeof text);
    ck_assert(berth_text_valid(text, n));
    for (size_t at = 0; at < n; at++) {
      text[at] = '\0';
      ck_assert(!berth_text_valid(text, n));
      text[at] = (char)0xff;
      ck_assert(!berth_text_valid(text, n));
      text[at] = 'a';
    }
  }
}
END_TEST

START_TEST(display_fits_and_says_when_cut) {
  static const struct {
    const char *text;
    size_t capacity;
    const char *shown;
  } CASES[] = {
      {"abc", 10, "abc"},
      {"abcdefghi", 10, "abcdefghi"},
      {"abcdefghij", 10, "abcdef..."},
      {"a\tb\n\x7f", 10, "a?b??"},
      {"12345\xe2\x82\xac"
       "6789",
       10, "12345..."},
      {"abc", 3, ""},
      {"abc", 1, ""},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    char shown[16] = "untouched";
    berth_text_display(shown, CASES[i].capacity, CASES[i].text, strlen(CASES[i].text));
    ck_assert_str_eq(shown, CASES[i].shown);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "base/text",
      (const TTest *const[]){
          utf8_without_nul_is_valid, a_fault_is_found_at_every_place, display_fits_and_says_when_cut, NULL});
}
