#include "text/utf8.h"

#include "support.h"

static void expect(
    void (*write)(struct berth_writer *writer, const char *bytes, size_t n_bytes), const char *bytes,
    size_t n, const char *expected) {
  struct kept kept;
  struct berth_writer writer;
  berth_writer_init(&writer, keep_sink(&kept));
  write(&writer, bytes, n);
  ck_assert_int_eq(berth_writer_finish(&writer, NULL), BERTH_OK);
  ck_assert_str_eq(kept.bytes, expected);
  free(kept.bytes);
}

#define XML(text, expected) expect(berth_writer_xml, text, sizeof(text) - 1, expected)
#define JSON(text, expected) expect(berth_writer_json_string, text, sizeof(text) - 1, expected)

START_TEST(xml_is_escaped) {
  XML("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
  XML("tab\tline\n\1\x7f", "tab line \xef\xbf\xbd\xef\xbf\xbd");
  XML("\xc3\xa9\xf0\x9f\x9a\xa2", "\xc3\xa9\xf0\x9f\x9a\xa2");
  XML("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");
}
END_TEST

START_TEST(json_is_escaped) {
  JSON("", "\"\"");
  JSON("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f", "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
  JSON("\xc3\xa9 \xe2\x82\xac", "\"\xc3\xa9 \xe2\x82\xac\"");
  JSON("x\xffy\xe2\x82", "\"x\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd\"");
  JSON("a\0b", "\"a\\u0000b\"");
}
END_TEST

START_TEST(only_valid_sequences_decode) {
  static const struct {
    const char *bytes;
    size_t n;
    uint32_t code_point;
  } CASES[] = {
      {"A", 1, 'A'},
      {"\xc2\x80", 2, 0x80},
      {"\xdf\xbf", 2, 0x7ff},
      {"\xe0\xa0\x80", 3, 0x800},
      {"\xed\x9f\xbf", 3, 0xd7ff},
      {"\xef\xbf\xbf", 3, 0xffff},
      {"\xf0\x90\x80\x80", 4, 0x10000},
      {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
      {"\x80", 0, 0},
      {"\xc1\xbf", 0, 0},
      {"\xe0\x9f\xbf", 0, 0}, /* overlong */
      {"\xed\xa0\x80", 0, 0}, /* a surrogate */
      {"\xf4\x90\x80\x80", 0, 0},
      {"\xf5\x80\x80\x80", 0, 0},
      {"\xe2\x28\xa1", 0, 0},
      {"\xe2\x82", 0, 0},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    uint32_t code_point = 0;
    ck_assert_uint_eq(berth_utf8_decode(CASES[i].bytes, strlen(CASES[i].bytes), &code_point), CASES[i].n);
    if (CASES[i].n != 0) {
      ck_assert_uint_eq(code_point, CASES[i].code_point);
    }
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "text/utf8",
      (const TTest *const[]){xml_is_escaped, json_is_escaped, only_valid_sequences_decode, NULL});
}
