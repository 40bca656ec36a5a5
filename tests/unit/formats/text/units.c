#include "text/units.h"

#include "suite.h"

START_TEST(bytes_for_people) {
  static const struct {
    uint64_t n;
    const char *text;
  } CASES[] = {
      {0, "0 B"},
      {1, "1 B"},
      {1023, "1023 B"},
      {1024, "1 KiB"},
      {1536, "1.50 KiB"},
      {10240 + 512, "10.5 KiB"},
      {10239, "10.0 KiB"},
      {1023 * 1024 + 1, "1023 KiB"},
      {UINT64_C(1048576) - 1, "1.00 MiB"},
      {UINT64_C(1048576), "1 MiB"},
      {UINT64_C(1520750252), "1.42 GiB"},
      {UINT64_MAX, "16 EiB"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_str_eq(berth_units_bytes(CASES[i].n).text, CASES[i].text);
  }
}
END_TEST

START_TEST(groups_of_three) {
  ck_assert_str_eq(berth_units_grouped(0).text, "0");
  ck_assert_str_eq(berth_units_grouped(999).text, "999");
  ck_assert_str_eq(berth_units_grouped(1000).text, "1,000");
  ck_assert_str_eq(berth_units_grouped(UINT64_MAX).text, "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(bytes_from_people) {
  static const struct {
    const char *text;
    uint64_t n;
  } CASES[] = {
      {"0", 0},
      {"1048576", 1048576},
      {"1MiB", 1048576},
      {"1 MiB", 1048576},
      {"1.5GiB", UINT64_C(1610612736)},
      {"2K", 2048},
      {"2kB", 2000},
      {"0.5kB", 500},
      {"3 GB", UINT64_C(3000000000)},
      {"7B", 7},
      {"9223372036854775807", INT64_MAX},
      {"8191PiB", UINT64_C(8191) << 50},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    uint64_t n = 1;
    ck_assert_msg(berth_units_parse_bytes(CASES[i].text, &n), "%s", CASES[i].text);
    ck_assert_uint_eq(n, CASES[i].n);
  }
  static const char *const WRONG[] = {
      "",
      "-1",
      "B",
      "1.B",
      ".5K",
      "1.5",
      "0.3K",
      "1KB ",
      "1 kib",
      "1e9",
      "0x10",
      " 1",
      "nan",
      "1  K",
      "8192PiB",
      "9223372036854775808",
      "8PiBB",
      "1.00000000000000000001K",
      "99999999999999999999"};
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
    uint64_t n;
    ck_assert_msg(!berth_units_parse_bytes(WRONG[i], &n), "%s", WRONG[i]);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "text/units", (const TTest *const[]){bytes_for_people, groups_of_three, bytes_from_people, NULL});
}
