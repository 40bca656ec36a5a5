#include "notify/notify.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, path, strlen(path));
  if (path[0] == '@') {
    address.sun_path[0] = '\0';
  }
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
  ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, size), 0);
  setenv("NOTIFY_SOCKET", path, 1);
  return fd;
}

static const char *receive(int fd) {
  static char text[256];
  ssize_t n = recv(fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  return text;
}

START_TEST(messages_arrive) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/berth-notify-%d", (int)getpid());
  for (int abstract = 0; abstract < 2; abstract++) {
    char name[66];
    snprintf(name, sizeof name, "%s%s", abstract ? "@" : "", path);
    int fd = listen_at(name);
    ck_assert(berthd_notify_ready());
    ck_assert_int_eq(strncmp(receive(fd), "READY=1", 7), 0);
    ck_assert(berthd_notify_stopping());
    ck_assert_int_eq(strncmp(receive(fd), "STOPPING=1", 10), 0);
    ck_assert(berthd_notify_reloading());
    const char *reloading = receive(fd);
    ck_assert_int_eq(strncmp(reloading, "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
    ck_assert(berthd_notify_watchdog());
    ck_assert_str_eq(receive(fd), "WATCHDOG=1");
    close(fd);
  }
  remove(path);
}
END_TEST

START_TEST(nobody_to_tell_is_no_harm) {
  unsetenv("NOTIFY_SOCKET");
  ck_assert(!berthd_notify_ready());
  setenv("NOTIFY_SOCKET", "relative", 1);
  ck_assert(!berthd_notify_ready());
  setenv("NOTIFY_SOCKET", "/no/such/socket", 1);
  ck_assert(!berthd_notify_ready());
  char path[200] = "/";
  memset(path + 1, 'x', sizeof path - 2);
  setenv("NOTIFY_SOCKET", path, 1);
  ck_assert(!berthd_notify_ready());
  unsetenv("NOTIFY_SOCKET");
}
END_TEST

START_TEST(the_watchdog_is_ours_or_not) {
  unsetenv("WATCHDOG_PID");
  setenv("WATCHDOG_USEC", "10000000", 1);
  ck_assert_int_eq(berthd_notify_watchdog_ns(), INT64_C(10000000000));
  setenv("WATCHDOG_PID", "1", 1);
  ck_assert_int_eq(berthd_notify_watchdog_ns(), 0);
  char pid[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  setenv("WATCHDOG_PID", pid, 1);
  ck_assert_int_eq(berthd_notify_watchdog_ns(), INT64_C(10000000000));
  static const char *const BAD[] = {"", "-1", "1s", "99999999999999999999"};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    setenv("WATCHDOG_USEC", BAD[i], 1);
    ck_assert_int_eq(berthd_notify_watchdog_ns(), 0);
  }
}
END_TEST

/* In a child, where descriptors 3 and on are ours to place. */
static int take_fds(const char *pid, const char *n, size_t most) {
  pid_t child = fork();
  if (child == 0) {
    for (int fd = 3; fd < 5; fd++) {
      dup2(0, fd);
    }
    close(5);
    char own[16];
    snprintf(own, sizeof own, "%d", (int)getpid());
    setenv("LISTEN_PID", pid != NULL ? pid : own, 1);
    setenv("LISTEN_FDS", n, 1);
    int first;
    size_t found = berthd_notify_listen_fds(most, &first);
    bool closed = found == 0 || (fcntl(3, F_GETFD) & FD_CLOEXEC) != 0;
    _exit(closed && getenv("LISTEN_FDS") == NULL && first == 3 ? (int)found : 100);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(sockets_are_taken_over) {
  ck_assert_int_eq(take_fds(NULL, "2", 8), 2);
  ck_assert_int_eq(take_fds(NULL, "2", 1), 1);
  ck_assert_int_eq(take_fds(NULL, "3", 8), 2); /* the third is not open */
  ck_assert_int_eq(take_fds(NULL, "0", 8), 0);
  ck_assert_int_eq(take_fds(NULL, "x", 8), 0);
  ck_assert_int_eq(take_fds("1", "2", 8), 0); /* meant for another process */
}
END_TEST

int main(void) {
  return berth_suite_run(
      "notify/notify", (const TTest *const[]){
                           messages_arrive, nobody_to_tell_is_no_harm, the_watchdog_is_ours_or_not,
                           sockets_are_taken_over, NULL});
}
