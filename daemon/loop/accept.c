/* Listeners, and connections until they are handed out.
 *
 * Happy path: accept, wait for the first byte, hand out. The failures are those of every server: too many
 * connections (accepted and closed, so that the client knows at once), no descriptors (one connection is shed
 * with the reserve, then a pause), peers that connect and say nothing (closed by the sweep). */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/log.h"
#include "loop/internal.h"

#define ACCEPTS_A_TURN 64
#define PAUSE_MS 50
#define OPEN_RESERVE() open("/dev/null", O_RDONLY | O_CLOEXEC)

/* ---- Connections that were handed out ---- */

static bool is_open(const struct handed *handed) {
  struct stat now;
  return fstat(handed->fd, &now) == 0 && now.st_ino == handed->inode;
}

static void forget_closed(struct berthd_loop *loop) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < loop->n_handed; i++) {
    if (is_open(&loop->handed[i])) {
      loop->handed[n++] = loop->handed[i];
    }
  }
  loop->n_handed = n;
  berthd_metrics_set(loop->config.metrics, BERTHD_METRIC_CONNECTIONS, 0, 0, (double)(n + loop->n_greetings));
}

uint32_t berthd_loop_n_connections(struct berthd_loop *loop) {
  forget_closed(loop);
  return loop->n_handed + loop->n_greetings;
}

/* A descriptor that comes back as a new one was closed. */
static void hand_out(struct berthd_loop *loop, int fd, bool is_tls) {
  struct stat made = {.st_ino = 0};
  fstat(fd, &made);
  if (loop->n_handed == loop->config.max_connections) {
    forget_closed(loop);
  }
  if (loop->n_handed == loop->config.max_connections) { /* cannot be: greetings are counted too */
    close(fd);
    return;
  }
  loop->handed[loop->n_handed++] = (struct handed){.fd = fd, .inode = made.st_ino};
  loop->config.on_connection(loop->config.ctx, fd, is_tls);
}

/* ---- Connections that have not spoken ---- */

static void on_greeting_closed(uv_handle_t *handle) {
  free(handle->data);
}

/* Takes it out of the list; its descriptor is the caller's. */
static int end_greeting(struct greeting *greeting) {
  struct berthd_loop *loop = greeting->loop;
  int fd = greeting->fd;
  *(greeting->previous != NULL ? &greeting->previous->next : &loop->greetings) = greeting->next;
  if (greeting->next != NULL) {
    greeting->next->previous = greeting->previous;
  }
  loop->n_greetings--;
  uv_poll_stop(&greeting->poll);
  uv_close((uv_handle_t *)&greeting->poll, on_greeting_closed);
  return fd;
}

static void on_spoken(uv_poll_t *handle, int status, int events) {
  struct greeting *greeting = handle->data;
  struct berthd_loop *loop = greeting->loop;
  bool is_tls = greeting->is_tls;
  int fd = end_greeting(greeting);
  char first;
  if (status < 0 || (events & UV_READABLE) == 0 || recv(fd, &first, 1, MSG_PEEK) <= 0) {
    close(fd); /* gone without a word */
    return;
  }
  hand_out(loop, fd, is_tls);
}

static void greet(struct listener *listener, int fd) {
  struct berthd_loop *loop = listener->loop;
  struct greeting *greeting = calloc(1, sizeof *greeting);
  if (greeting == NULL || uv_poll_init(&loop->uv, &greeting->poll, fd) != 0) {
    free(greeting);
    close(fd);
    return;
  }
  greeting->loop = loop;
  greeting->fd = fd;
  greeting->is_tls = listener->kind == LISTENER_TLS;
  greeting->until_ns = loop_now_ns() + loop->config.handshake_ns;
  greeting->poll.data = greeting;
  greeting->next = loop->greetings;
  if (loop->greetings != NULL) {
    loop->greetings->previous = greeting;
  }
  loop->greetings = greeting;
  loop->n_greetings++;
  uv_poll_start(&greeting->poll, UV_READABLE, on_spoken);
}

static void close_silent(struct berthd_loop *loop, int64_t now_ns) {
  struct greeting *greeting = loop->greetings;
  while (greeting != NULL) {
    struct greeting *next = greeting->next;
    if (greeting->until_ns <= now_ns) {
      close(end_greeting(greeting));
      BERTHD_LOG(INFO, "connection.silent", BERTHD_I64("after_ms", loop->config.handshake_ns / 1000000));
    }
    greeting = next;
  }
}

void accept_sweep(struct berthd_loop *loop) {
  close_silent(loop, loop_now_ns());
  forget_closed(loop);
}

/* ---- Accepting ---- */

static void on_acceptable(uv_poll_t *handle, int status, int events);

static void pause_accepting(struct berthd_loop *loop) {
  loop->paused = true;
  for (struct listener *listener = loop->listeners; listener != NULL; listener = listener->next) {
    uv_poll_stop(&listener->poll);
  }
}

static void on_pause_over(uv_timer_t *handle) {
  accept_resume(handle->data);
}

void accept_resume(struct berthd_loop *loop) {
  loop->paused = false;
  if (loop->reserve_fd < 0) {
    loop->reserve_fd = OPEN_RESERVE();
  }
  for (struct listener *listener = loop->listeners; listener != NULL; listener = listener->next) {
    uv_poll_start(&listener->poll, UV_READABLE, on_acceptable);
  }
}

/* No descriptors: one client is told by a closed connection, the others wait for the end of the pause. */
static void shed(struct berthd_loop *loop, int listening, int error) {
  if (loop->reserve_fd >= 0) {
    close(loop->reserve_fd);
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      close(fd);
      berthd_metrics_add(loop->config.metrics, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_CONNECTIONS, 0, 1);
    }
    loop->reserve_fd = OPEN_RESERVE();
  }
  BERTHD_LOG(
      WARN, "accept.paused", BERTHD_STR("why", uv_strerror(-error)), BERTHD_U64("pause_ms", PAUSE_MS),
      BERTHD_U64("connections", loop->n_handed));
  pause_accepting(loop);
  uv_timer_start(&loop->resume, on_pause_over, PAUSE_MS, 0);
}

static bool is_full(struct berthd_loop *loop) {
  if (loop->n_handed + loop->n_greetings >= loop->config.max_connections) {
    forget_closed(loop);
  }
  return loop->n_handed + loop->n_greetings >= loop->config.max_connections;
}

static void take(struct listener *listener, int fd) {
  struct berthd_loop *loop = listener->loop;
  if (is_full(loop)) {
    close(fd);
    berthd_metrics_add(loop->config.metrics, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_CONNECTIONS, 0, 1);
    BERTHD_LOG(WARN, "connection.refused", BERTHD_U64("connections", loop->config.max_connections));
    return;
  }
  if (listener->kind != LISTENER_UNIX) { /* gRPC sets it on sockets of its own only */
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  greet(listener, fd);
}

static void on_acceptable(uv_poll_t *handle, int status, int events) {
  (void)status;
  (void)events;
  struct listener *listener = handle->data;
  for (int i = 0; i < ACCEPTS_A_TURN; i++) {
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      take(listener, fd);
      continue;
    }
    switch (errno) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
      continue;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      shed(listener->loop, listener->fd, errno);
      return;
    default: /* EAGAIN: all are taken */
      return;
    }
  }
}

/* ---- Listeners ---- */

enum berth_code listener_add(
    struct berthd_loop *loop, int fd, enum listener_kind kind, struct listener **out,
    struct berth_error *err) {
  struct listener *listener = calloc(1, sizeof *listener);
  if (listener == NULL) {
    return berth_fail_memory(err);
  }
  int result = uv_poll_init(&loop->uv, &listener->poll, fd); /* makes it non-blocking */
  if (result != 0) {
    free(listener);
    return loop_fail_errno(err, NULL, "a listening socket cannot be watched", -result);
  }
  listener->poll.data = listener;
  listener->loop = loop;
  listener->fd = fd;
  listener->kind = kind;
  listener->lock_fd = -1;
  listener->next = loop->listeners;
  loop->listeners = listener;
  if (out != NULL) {
    *out = listener;
  }
  return BERTH_OK;
}

static void on_listener_closed(uv_handle_t *handle) {
  free(handle->data);
}

void berthd_loop_stop_listening(struct berthd_loop *loop) {
  while (loop->listeners != NULL) {
    struct listener *listener = loop->listeners;
    loop->listeners = listener->next;
    uv_poll_stop(&listener->poll);
    unix_remove(listener);
    close(listener->fd);
    uv_close((uv_handle_t *)&listener->poll, on_listener_closed);
  }
}

static uint16_t port_of(int fd) {
  struct sockaddr_storage bound;
  socklen_t size = sizeof bound;
  if (getsockname(fd, (struct sockaddr *)&bound, &size) != 0) {
    return 0;
  }
  return ntohs(
      bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                  : ((struct sockaddr_in *)&bound)->sin_port);
}

static enum berth_code listen_on(
    struct berthd_loop *loop, const struct address *address, enum listener_kind kind, uint16_t *out_port,
    struct berth_error *err) {
  int fd = socket(address->where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return loop_fail_errno(err, address->option, address->text, errno);
  }
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->where.ss_family == AF_INET6) {
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  }
  enum berth_code code;
  if (bind(fd, (const struct sockaddr *)&address->where, address->size) != 0 ||
      listen(fd, LISTEN_BACKLOG) != 0) {
    code = loop_fail_errno(err, address->option, address->text, errno);
  } else {
    code = listener_add(loop, fd, kind, NULL, err);
  }
  if (code != BERTH_OK) {
    close(fd);
  } else if (out_port != NULL) {
    *out_port = port_of(fd);
  }
  return code;
}

enum berth_code berthd_loop_listen_tcp(
    struct berthd_loop *loop, const char *text, bool insecure, uint16_t *out_port, struct berth_error *err) {
  struct address address;
  enum berth_code code = address_parse("listen.tcp", text, &address, err);
  if (code == BERTH_OK && !address.is_loopback && !insecure) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, address.option,
        "%.100s is beyond the loopback, and connections are plain text: set insecure = true if that is meant",
        text);
  }
  return code == BERTH_OK ? listen_on(loop, &address, LISTENER_TCP, out_port, err) : code;
}

enum berth_code berthd_loop_listen_tls(
    struct berthd_loop *loop, const char *text, uint16_t *out_port, struct berth_error *err) {
  struct address address;
  enum berth_code code = address_parse("listen.tls", text, &address, err);
  return code == BERTH_OK ? listen_on(loop, &address, LISTENER_TLS, out_port, err) : code;
}

enum berth_code berthd_loop_listen_fd(struct berthd_loop *loop, int fd, struct berth_error *err) {
  int type = 0;
  int listens = 0;
  struct sockaddr_storage bound = {.ss_family = AF_UNSPEC};
  socklen_t size = sizeof type;
  socklen_t bound_size = sizeof bound;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
      getsockname(fd, (struct sockaddr *)&bound, &bound_size) != 0) {
    return loop_fail_errno(err, NULL, "a socket that was handed over", errno);
  }
  if (type != SOCK_STREAM || !listens) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL,
        "descriptor %d that was handed over is no listening stream socket", fd);
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return listener_add(loop, fd, bound.ss_family == AF_UNIX ? LISTENER_UNIX : LISTENER_TCP, NULL, err);
}

/* ---- Life ---- */

enum berth_code accept_init(struct berthd_loop *loop, struct berth_error *err) {
  loop->reserve_fd = OPEN_RESERVE();
  if (loop->reserve_fd < 0) {
    return loop_fail_errno(err, NULL, "/dev/null", errno);
  }
  loop->handed = calloc(loop->config.max_connections, sizeof *loop->handed);
  return loop->handed != NULL ? BERTH_OK : berth_fail_memory(err);
}

void accept_finish(struct berthd_loop *loop) {
  berthd_loop_stop_listening(loop);
  while (loop->greetings != NULL) {
    close(end_greeting(loop->greetings));
  }
  if (loop->reserve_fd >= 0) {
    close(loop->reserve_fd);
    loop->reserve_fd = -1;
  }
  free(loop->handed);
  loop->handed = NULL;
}
