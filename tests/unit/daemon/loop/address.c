/* Addresses: numbers only, and what counts as the loopback. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "loop/internal.h"
#include "suite.h"

START_TEST(test_good) {
  static const struct {
    const char *text;
    int family;
    bool loopback;
    uint16_t port;
  } CASES[] = {
      {"127.0.0.1:7110", AF_INET, true, 7110},
      {"127.255.255.254:1", AF_INET, true, 1},
      {"0.0.0.0:80", AF_INET, false, 80},
      {"192.168.1.7:65535", AF_INET, false, 65535},
      {"128.0.0.1:5", AF_INET, false, 5},
      {"[::1]:9", AF_INET6, true, 9},
      {"[::]:9", AF_INET6, false, 9},
      {"[::ffff:127.0.0.1]:9", AF_INET6, true, 9},
      {"[::ffff:10.0.0.1]:9", AF_INET6, false, 9},
      {"127.0.0.1:0", AF_INET, true, 0},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct address address;
    struct berth_error err;
    ck_assert_int_eq(address_parse("listen.tcp", CASES[i].text, &address, &err), BERTH_OK);
    ck_assert_int_eq(address.where.ss_family, CASES[i].family);
    ck_assert_msg(address.is_loopback == CASES[i].loopback, "%s", CASES[i].text);
    in_port_t port = CASES[i].family == AF_INET ? ((struct sockaddr_in *)&address.where)->sin_port
                                                : ((struct sockaddr_in6 *)&address.where)->sin6_port;
    ck_assert_uint_eq(ntohs(port), CASES[i].port);
  }
}
END_TEST

START_TEST(test_bad) {
  static const char *const CASES[] = {
      "",
      ":",
      "localhost:80",
      "127.0.0.1",
      "127.0.0.1:",
      "127.0.0.1:65536",
      "127.0.0.1:-1",
      "127.0.0.1:+1",
      "127.0.0.1: 1",
      "127.0.0.1:1x",
      "127.1:80",
      "::1:80",
      "[::1]",
      "[::1]80",
      "[::1:80",
      "::1]:80",
      "[]:80",
      "[127.0.0.1]:1",
      "256.0.0.1:80",
      "1.2.3.4.5:80",
      "[::1%lo]:80",
      "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80"};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct address address;
    struct berth_error err;
    ck_assert_msg(
        address_parse("listen.tls", CASES[i], &address, &err) == BERTH_INVALID_ARGUMENT, "%s", CASES[i]);
    ck_assert_str_eq(err.field, "listen.tls");
  }
}
END_TEST

int main(void) {
  return berth_suite_run("daemon/loop/address", (const TTest *const[]){test_good, test_bad, NULL});
}
