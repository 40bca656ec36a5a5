/* The unix socket: not stolen from a living daemon, taken over from a dead one, and nothing else is removed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/internal.h"
#include "suite.h"

static char folder[64];
static char path[96];
static char lock_path[112];

static void drop(void *ctx, int fd, bool is_tls) {
  (void)ctx;
  ck_assert(!is_tls);
  close(fd);
}

static struct berthd_loop *make_loop(void) {
  const struct berthd_loop_config config = {
      .max_connections = 4, .handshake_ns = 1000000000, .on_connection = drop};
  struct berthd_loop *loop;
  struct berth_error err;
  ck_assert_int_eq(berthd_loop_create(&config, &loop, &err), BERTH_OK);
  return loop;
}

static void setup(void) {
  strcpy(folder, "/tmp/berth-test-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/sock", folder);
  snprintf(lock_path, sizeof lock_path, "%s.lock", path);
}

static void finish(void) {
  ck_assert_int_eq(rmdir(folder), 0); /* nothing is left in it */
}

static bool can_connect(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  bool connected = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
  close(fd);
  return connected;
}

START_TEST(test_mode) {
  struct berth_error err;
  struct stat made;
  setup();
  struct berthd_loop *loop = make_loop();
  mode_t before = umask(0);
  ck_assert_int_eq(berthd_loop_listen_unix(loop, path, 0640, &err), BERTH_OK);
  umask(before);
  ck_assert_int_eq(stat(path, &made), 0);
  ck_assert(S_ISSOCK(made.st_mode));
  ck_assert_uint_eq(made.st_mode & 07777, 0640);
  ck_assert(can_connect());
  berthd_loop_destroy(loop);
  ck_assert_int_eq(access(path, F_OK), -1);
  finish();
}
END_TEST

START_TEST(test_a_living_daemon_keeps_its_socket) {
  struct berth_error err;
  setup();
  struct berthd_loop *first = make_loop();
  struct berthd_loop *second = make_loop();
  ck_assert_int_eq(berthd_loop_listen_unix(first, path, 0600, &err), BERTH_OK);
  ck_assert_int_eq(berthd_loop_listen_unix(second, path, 0600, &err), BERTH_FAILED_PRECONDITION);
  ck_assert_ptr_nonnull(strstr(err.message, "another daemon"));
  ck_assert_str_eq(err.field, "listen.unix");
  berthd_loop_destroy(second);
  ck_assert(can_connect()); /* and its end removed nothing */
  berthd_loop_destroy(first);
  struct berthd_loop *third = make_loop();
  ck_assert_int_eq(berthd_loop_listen_unix(third, path, 0600, &err), BERTH_OK);
  berthd_loop_destroy(third);
  finish();
}
END_TEST

START_TEST(test_a_dead_daemons_socket_is_taken_over) {
  struct berth_error err;
  setup();
  pid_t child = fork();
  if (child == 0) {
    struct berthd_loop *loop = make_loop();
    _exit(berthd_loop_listen_unix(loop, path, 0600, &err) == BERTH_OK ? 7 : 1); /* without cleaning up */
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(WEXITSTATUS(status), 7);
  ck_assert_int_eq(access(path, F_OK), 0);
  ck_assert_int_eq(access(lock_path, F_OK), 0);
  ck_assert(!can_connect());
  struct berthd_loop *loop = make_loop();
  ck_assert_int_eq(berthd_loop_listen_unix(loop, path, 0600, &err), BERTH_OK);
  ck_assert(can_connect());
  berthd_loop_destroy(loop);
  finish();
}
END_TEST

START_TEST(test_a_file_is_not_removed) {
  struct berth_error err;
  setup();
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  ck_assert_int_eq(write(fd, "mine", 4), 4);
  close(fd);
  struct berthd_loop *loop = make_loop();
  ck_assert_int_eq(berthd_loop_listen_unix(loop, path, 0600, &err), BERTH_FAILED_PRECONDITION);
  ck_assert_ptr_nonnull(strstr(err.message, "is no socket"));
  berthd_loop_destroy(loop);
  struct stat there;
  ck_assert_int_eq(stat(path, &there), 0);
  ck_assert_int_eq(there.st_size, 4);
  unlink(path);
  finish();
}
END_TEST

/* Somebody has put another socket in the place: it is not ours to remove. */
START_TEST(test_anothers_socket_stays) {
  struct berth_error err;
  setup();
  struct berthd_loop *loop = make_loop();
  ck_assert_int_eq(berthd_loop_listen_unix(loop, path, 0600, &err), BERTH_OK);
  char aside[112];
  snprintf(aside, sizeof aside, "%s.aside", path);
  ck_assert_int_eq(rename(path, aside), 0); /* keeps its inode from being used again */
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  berthd_loop_destroy(loop);
  ck_assert_int_eq(access(path, F_OK), 0);
  close(fd);
  unlink(path);
  unlink(aside);
  finish();
}
END_TEST

START_TEST(test_bad_paths) {
  struct berth_error err;
  char too_long[200];
  memset(too_long, 'x', sizeof too_long - 1);
  too_long[sizeof too_long - 1] = '\0';
  struct berthd_loop *loop = make_loop();
  ck_assert_int_eq(berthd_loop_listen_unix(loop, "", 0600, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(berthd_loop_listen_unix(loop, too_long, 0600, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(
      berthd_loop_listen_unix(loop, "/nowhere/at/all/sock", 0600, &err), BERTH_FAILED_PRECONDITION);
  berthd_loop_destroy(loop);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/loop/unix",
      (const TTest *const[]){
          test_mode, test_a_living_daemon_keeps_its_socket, test_a_dead_daemons_socket_is_taken_over,
          test_a_file_is_not_removed, test_anothers_socket_stays, test_bad_paths, NULL});
}
