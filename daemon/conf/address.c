#include "conf/address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static enum berth_code fail(const char *text, struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL,
      "\"%.64s\" is no address: HOST:PORT or [IPV6]:PORT, where HOST is numeric or \"localhost\" and PORT is "
      "0 to "
      "65535",
      text);
}

static bool is_port(const char *text) {
  size_t n = strspn(text, "0123456789");
  return n > 0 && n <= 5 && text[n] == '\0' && strtol(text, NULL, 10) <= 65535;
}

static bool check_host(struct berthd_address *address, bool is_bracketed) {
  struct in_addr four;
  struct in6_addr six;
  if (is_bracketed) {
    address->is_loopback = inet_pton(AF_INET6, address->host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
    return inet_pton(AF_INET6, address->host, &six) == 1;
  }
  if (strcmp(address->host, "localhost") == 0) {
    address->is_loopback = true;
    return true;
  }
  if (inet_pton(AF_INET, address->host, &four) != 1) {
    return false;
  }
  address->is_loopback = ntohl(four.s_addr) >> 24 == 127;
  return true;
}

enum berth_code
berthd_address_parse(const char *text, struct berthd_address *out_address, struct berth_error *err) {
  *out_address = (struct berthd_address){0};
  bool is_bracketed = text[0] == '[';
  const char *begin = is_bracketed ? text + 1 : text;
  const char *end = is_bracketed ? strchr(text, ']') : strrchr(text, ':');
  const char *colon = is_bracketed && end != NULL ? end + 1 : end;
  if (end == NULL || *colon != ':' || (size_t)(end - begin) >= sizeof out_address->host ||
      !is_port(colon + 1)) {
    return fail(text, err);
  }
  memcpy(out_address->host, begin, (size_t)(end - begin));
  memcpy(out_address->port, colon + 1, strlen(colon + 1) + 1);
  return check_host(out_address, is_bracketed) ? BERTH_OK : fail(text, err);
}
