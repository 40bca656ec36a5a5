#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conf/address.h"
#include "http/http.h"

#define BACKLOG 64

static int fail(const char *address, const char *why, int fd, struct berth_error *err) {
  if (fd >= 0) {
    close(fd);
  }
  (void)!berth_fail(
      err, BERTH_UNAVAILABLE, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "http-listen", "HTTP at %.80s: %s",
      address, why);
  return -1;
}

static uint16_t port_of(int fd) {
  struct sockaddr_storage bound = {0};
  socklen_t size = sizeof bound;
  if (getsockname(fd, (struct sockaddr *)&bound, &size) != 0) {
    return 0;
  }
  return ntohs(
      bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                  : ((struct sockaddr_in *)&bound)->sin_port);
}

int berthd_http_listen(const char *address, uint16_t *out_port, struct berth_error *err) {
  struct berthd_address parsed;
  if (berthd_address_parse(address, &parsed, err) != BERTH_OK) {
    return -1;
  }
  const struct addrinfo hints = {
      .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
  const char *host = strcmp(parsed.host, "localhost") == 0 ? "127.0.0.1" : parsed.host;
  struct addrinfo *found = NULL;
  int failure = getaddrinfo(host, parsed.port, &hints, &found);
  if (failure != 0) {
    return fail(address, gai_strerror(failure), -1, err);
  }
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int on = 1;
  bool good =
      fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      (found->ai_family != AF_INET6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
      bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
  int reason = errno;
  freeaddrinfo(found);
  if (!good) {
    return fail(address, strerror(reason), fd, err);
  }
  *out_port = port_of(fd);
  return fd;
}
