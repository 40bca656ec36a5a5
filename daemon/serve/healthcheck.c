/* By HTTP where it is served, else by whether anybody accepts on the socket. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "conf/address.h"
#include "serve/serve.h"

#define PATIENCE_SECONDS 4

static int complain(const char *what, const char *where) {
  fprintf(stderr, "berthd healthcheck: %s: %s\n", where, what);
  return 1;
}

static int open_socket(int family) {
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
                  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* What listens on every address is asked on the loopback. */
static const char *host_to_ask(const struct berthd_address *address) {
  if (strcmp(address->host, "0.0.0.0") == 0 || strcmp(address->host, "localhost") == 0) {
    return "127.0.0.1";
  }
  return strcmp(address->host, "::") == 0 ? "::1" : address->host;
}

static int connect_tcp(const char *text) {
  struct berthd_address address;
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  if (berthd_address_parse(text, &address, NULL) != BERTH_OK ||
      getaddrinfo(host_to_ask(&address), address.port, &hints, &found) != 0) {
    return -1;
  }
  int fd = open_socket(found->ai_family);
  if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
    close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  return fd;
}

static int connect_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    return -1;
  }
  memcpy(address.sun_path, path, strlen(path) + 1);
  int fd = open_socket(AF_UNIX);
  if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

static int ask_http(const char *address) {
  int fd = connect_tcp(address);
  if (fd < 0) {
    return complain(strerror(errno), address);
  }
  static const char REQUEST[] = "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n";
  char answer[64] = "";
  size_t n = 0;
  ssize_t got = send(fd, REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL);
  while (got > 0 && n < 12) {
    got = recv(fd, answer + n, sizeof answer - 1 - n, 0);
    n += got > 0 ? (size_t)got : 0;
  }
  close(fd);
  bool is_healthy = n >= 12 && strncmp(answer, "HTTP/1.", 7) == 0 && strncmp(answer + 8, " 200", 4) == 0;
  return is_healthy ? 0 : complain("not healthy", address);
}

static int ask_socket(int fd, const char *where) {
  if (fd < 0) {
    return complain(strerror(errno), where);
  }
  close(fd);
  return 0;
}

int berthd_healthcheck(const struct berthd_conf *conf) {
  if (conf->http_listen[0] != '\0') {
    return ask_http(conf->http_listen);
  }
  if (conf->listen_unix[0] != '\0') {
    return ask_socket(connect_unix(conf->listen_unix), conf->listen_unix);
  }
  if (conf->listen_tcp.n > 0) {
    return ask_socket(connect_tcp(conf->listen_tcp.items[0]), conf->listen_tcp.items[0]);
  }
  return complain("the configuration has no address to ask at", "none");
}
