#include "conf/address.h"

#include "suite.h"

START_TEST(good_addresses) {
  static const struct {
    const char *text, *host, *port;
    bool is_loopback;
  } GOOD[] = {
      {"127.0.0.1:80", "127.0.0.1", "80", true},
      {"127.9.0.1:0", "127.9.0.1", "0", true},
      {"localhost:65535", "localhost", "65535", true},
      {"0.0.0.0:7110", "0.0.0.0", "7110", false},
      {"[::1]:1", "::1", "1", true},
      {"[::]:1", "::", "1", false},
      {"[fe80::1]:443", "fe80::1", "443", false},
      {"10.0.0.1:00080", "10.0.0.1", "00080", false},
  };
  for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
    struct berthd_address address;
    ck_assert_int_eq(berthd_address_parse(GOOD[i].text, &address, NULL), BERTH_OK);
    ck_assert_str_eq(address.host, GOOD[i].host);
    ck_assert_str_eq(address.port, GOOD[i].port);
    ck_assert_int_eq(address.is_loopback, GOOD[i].is_loopback);
  }
}
END_TEST

START_TEST(bad_addresses) {
  static const char *const BAD[] = {
      "",           ":",          "1.2.3.4",    "1.2.3.4:", "1.2.3.4:65536", ":80",
      "::1:80",     "[::1]",      "[::1]80",    "[::1:80",  "[1.2.3.4]:80",  "a.example:80",
      "1.2.3.4:8x", "1.2.3.4:-1", "1.2.3.4: 1", "1.2.3:80", "1.2.3.4.5:80",  "1.2.3.4:123456"};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berthd_address address;
    struct berth_error err;
    ck_assert_msg(berthd_address_parse(BAD[i], &address, &err) == BERTH_INVALID_ARGUMENT, "%s", BAD[i]);
    ck_assert_int_gt((int)sizeof err.message, 0);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_OPTION);
  }
}
END_TEST

int main(void) {
  return berth_suite_run("conf/address", (const TTest *const[]){good_addresses, bad_addresses, NULL});
}
