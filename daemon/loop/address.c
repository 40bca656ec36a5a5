/* "HOST:PORT" and "[IPV6]:PORT", numbers only: a name would ask the network, and might change its meaning. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "loop/internal.h"

static enum berth_code refuse(const struct address *address, struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, address->option,
      "\"%.100s\" is no address; it must be IPV4:PORT or [IPV6]:PORT, in numbers", address->text);
}

static bool parse_port(const char *text, in_port_t *out) {
  char *end;
  unsigned long port = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || port > 65535) {
    return false;
  }
  *out = htons((uint16_t)port);
  return true;
}

static bool is_loopback_v6(const struct in6_addr *address) {
  return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

enum berth_code
address_parse(const char *option, const char *text, struct address *out, struct berth_error *err) {
  char host[INET6_ADDRSTRLEN + 1];
  bool bracketed = text[0] == '[';
  const char *begin = text + bracketed;
  const char *colon = strrchr(text, ':');
  const char *end = bracketed ? strchr(text, ']') : colon;
  *out = (struct address){.option = option, .text = text};
  if (colon == NULL || end == NULL || (bracketed && end + 1 != colon) ||
      (size_t)(end - begin) >= sizeof host) {
    return refuse(out, err);
  }
  memcpy(host, begin, (size_t)(end - begin));
  host[end - begin] = '\0';
  if (bracketed) {
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->where;
    v6->sin6_family = AF_INET6;
    out->size = sizeof *v6;
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) != 1 || !parse_port(colon + 1, &v6->sin6_port)) {
      return refuse(out, err);
    }
    out->is_loopback = is_loopback_v6(&v6->sin6_addr);
    return BERTH_OK;
  }
  struct sockaddr_in *v4 = (struct sockaddr_in *)&out->where;
  v4->sin_family = AF_INET;
  out->size = sizeof *v4;
  if (inet_pton(AF_INET, host, &v4->sin_addr) != 1 || !parse_port(colon + 1, &v4->sin_port)) {
    return refuse(out, err);
  }
  out->is_loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  return BERTH_OK;
}
