#include "notify/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */

bool berthd_notify_send(const char *message) {
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path) {
    return false;
  }
  size_t n = strlen(path);
  memcpy(address.sun_path, path, n);
  if (path[0] == '@') {
    address.sun_path[0] = '\0'; /* the abstract namespace */
  }
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return false;
  }
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (path[0] == '/'));
  ssize_t n_sent =
      sendto(fd, message, strlen(message), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
  close(fd);
  return n_sent == (ssize_t)strlen(message);
}

bool berthd_notify_ready(void) {
  return berthd_notify_send("READY=1\nSTATUS=Ready for requests");
}

bool berthd_notify_stopping(void) {
  return berthd_notify_send("STOPPING=1\nSTATUS=Draining");
}

bool berthd_notify_reloading(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char message[96];
  snprintf(
      message, sizeof message, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
      (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
  return berthd_notify_send(message);
}

bool berthd_notify_watchdog(void) {
  return berthd_notify_send("WATCHDOG=1");
}

/* A whole decimal number from the environment, or -1. */
static int64_t number_of(const char *name) {
  const char *text = getenv(name);
  if (text == NULL || *text == '\0' || strspn(text, "0123456789") != strlen(text)) {
    return -1;
  }
  errno = 0;
  long long value = strtoll(text, NULL, 10);
  return errno == 0 ? value : -1;
}

int64_t berthd_notify_watchdog_ns(void) {
  int64_t usec = number_of("WATCHDOG_USEC");
  int64_t pid = number_of("WATCHDOG_PID");
  bool is_ours = getenv("WATCHDOG_PID") == NULL || pid == getpid();
  return is_ours && usec > 0 && usec <= INT64_MAX / 1000 ? usec * 1000 : 0;
}

size_t berthd_notify_listen_fds(size_t most, int *out_first) {
  int64_t n = number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0;
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_FDNAMES");
  *out_first = FIRST_FD;
  size_t n_given = n < 0 ? 0 : (size_t)n < most ? (size_t)n : most;
  for (size_t i = 0; i < n_given; i++) {
    int fd = FIRST_FD + (int)i;
    int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) != 0) {
      return i;
    }
  }
  return n_given;
}
