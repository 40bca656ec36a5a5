/* The unix socket. Whoever holds the lock file may remove what lies at the path; a socket alone does not show
 * whether somebody serves it. The lock file goes with the daemon: since another may open it just before that,
 * a lock counts only if the file that was locked still lies at its path. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/internal.h"

#define FIELD "listen.unix"
#define LOCK_SUFFIX ".lock"

static bool is_same_file(int fd, const char *path) {
  struct stat opened;
  struct stat there;
  return fstat(fd, &opened) == 0 && stat(path, &there) == 0 && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

static enum berth_code take_lock(const char *path, int *out_fd, struct berth_error *err) {
  char lock_path[sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof LOCK_SUFFIX];
  snprintf(lock_path, sizeof lock_path, "%s" LOCK_SUFFIX, path);
  for (;;) {
    int fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
      return loop_fail_errno(err, FIELD, lock_path, errno);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      int error = errno;
      close(fd);
      if (error != EWOULDBLOCK) {
        return loop_fail_errno(err, FIELD, lock_path, error);
      }
      return berth_fail(
          err, BERTH_FAILED_PRECONDITION, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, FIELD,
          "another daemon serves %s; it holds %s", path, lock_path);
    }
    if (is_same_file(fd, lock_path)) {
      *out_fd = fd;
      return BERTH_OK;
    }
    close(fd);
  }
}

static void drop_lock(const char *path, int fd) {
  char lock_path[sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof LOCK_SUFFIX];
  snprintf(lock_path, sizeof lock_path, "%s" LOCK_SUFFIX, path);
  unlink(lock_path);
  close(fd);
}

/* Only a socket is removed: a path given by mistake must not cost a file. */
static enum berth_code remove_stale(const char *path, struct berth_error *err) {
  struct stat there;
  if (lstat(path, &there) != 0) {
    return errno == ENOENT ? BERTH_OK : loop_fail_errno(err, FIELD, path, errno);
  }
  if (!S_ISSOCK(there.st_mode)) {
    return berth_fail(
        err, BERTH_FAILED_PRECONDITION, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, FIELD,
        "%s exists and is no socket; it is not removed", path);
  }
  return unlink(path) == 0 ? BERTH_OK : loop_fail_errno(err, FIELD, path, errno);
}

/* Narrow until the mode is set, so that nobody comes in between. */
static enum berth_code
bind_socket(int fd, const struct sockaddr_un *address, uint32_t mode, struct berth_error *err) {
  mode_t before = umask(0177);
  int result = bind(fd, (const struct sockaddr *)address, sizeof *address);
  int error = errno;
  umask(before);
  if (result != 0) {
    return loop_fail_errno(err, FIELD, address->sun_path, error);
  }
  if (chmod(address->sun_path, mode) != 0 || listen(fd, LISTEN_BACKLOG) != 0) {
    return loop_fail_errno(err, FIELD, address->sun_path, errno);
  }
  return BERTH_OK;
}

static enum berth_code open_listener(
    struct berthd_loop *loop, const struct sockaddr_un *address, uint32_t mode, int lock_fd,
    struct berth_error *err) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return loop_fail_errno(err, FIELD, address->sun_path, errno);
  }
  struct listener *listener = NULL;
  struct stat made;
  char *path = strdup(address->sun_path);
  enum berth_code code = path != NULL ? bind_socket(fd, address, mode, err) : berth_fail_memory(err);
  if (code == BERTH_OK) {
    code = listener_add(loop, fd, LISTENER_UNIX, &listener, err);
  }
  if (code != BERTH_OK) {
    free(path);
    close(fd);
    return code;
  }
  listener->path = path;
  listener->lock_fd = lock_fd;
  listener->inode = stat(path, &made) == 0 ? made.st_ino : 0;
  return BERTH_OK;
}

enum berth_code
berthd_loop_listen_unix(struct berthd_loop *loop, const char *path, uint32_t mode, struct berth_error *err) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t n = strlen(path);
  if (n == 0 || n >= sizeof address.sun_path) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, FIELD,
        "a socket's path has 1 to %zu bytes; this one has %zu", sizeof address.sun_path - 1, n);
  }
  memcpy(address.sun_path, path, n + 1);
  int lock_fd = -1;
  enum berth_code code = take_lock(path, &lock_fd, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = remove_stale(path, err);
  if (code == BERTH_OK) {
    code = open_listener(loop, &address, mode, lock_fd, err);
  }
  if (code != BERTH_OK) {
    drop_lock(path, lock_fd);
  }
  return code;
}

void unix_remove(struct listener *listener) {
  if (listener->path == NULL) {
    return;
  }
  struct stat there;
  if (lstat(listener->path, &there) == 0 && there.st_ino == listener->inode) {
    unlink(listener->path);
  }
  drop_lock(listener->path, listener->lock_fd);
  free(listener->path);
  listener->path = NULL;
}
