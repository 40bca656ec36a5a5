/* The loop inside. */
#ifndef LOOP_INTERNAL_H
#define LOOP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <uv.h>

#include "loop/loop.h"
#include "metrics/metrics.h"

#define LISTEN_BACKLOG 512

enum listener_kind { LISTENER_UNIX, LISTENER_TCP, LISTENER_TLS };

struct listener {
  struct listener *next;
  struct berthd_loop *loop;
  uv_poll_t poll;
  int fd;
  enum listener_kind kind;
  char *path; /* of a unix socket that is ours to remove; else NULL */
  int lock_fd;
  ino_t inode;
};

/* A socket that was accepted and has not spoken yet. */
struct greeting {
  struct greeting *next;
  struct greeting *previous;
  struct berthd_loop *loop;
  uv_poll_t poll;
  int fd;
  bool is_tls;
  int64_t until_ns;
};

/* A socket that was handed out. It is closed elsewhere, and seen here by its inode. */
struct handed {
  int fd;
  ino_t inode;
};

struct post {
  struct post *next;
  void *ctx;
  void (*run)(void *ctx);
};

struct berthd_timer {
  struct berthd_timer *next;
  uv_timer_t timer;
  void *ctx;
  void (*on_time)(void *ctx);
};

struct berthd_loop {
  struct berthd_loop_config config;
  uv_loop_t uv;
  uv_async_t wake;
  uv_signal_t terminate[2];
  uv_signal_t reload;
  uv_timer_t sweep;  /* looks for silent and closed connections */
  uv_timer_t resume; /* after a pause */
  struct listener *listeners;
  bool paused;
  int reserve_fd;
  struct greeting *greetings; /* newest first */
  uint32_t n_greetings;
  struct handed *handed;
  uint32_t n_handed;
  struct berthd_timer *timers;
  pthread_mutex_t lock;
  struct post *first_post;
  struct post **last_post;
  atomic_bool stopping;
};

/* accept.c */
enum berth_code listener_add(
    struct berthd_loop *loop, int fd, enum listener_kind kind, struct listener **out,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code accept_init(struct berthd_loop *loop, struct berth_error *err) BERTH_MUST_USE;
void accept_finish(struct berthd_loop *loop);
void accept_sweep(struct berthd_loop *loop);
void accept_resume(struct berthd_loop *loop);

/* unix.c */
void unix_remove(struct listener *listener);

/* address.c */
struct address {
  const char *option; /* that it was given for: errors are about it */
  const char *text;
  struct sockaddr_storage where;
  socklen_t size;
  bool is_loopback;
};

enum berth_code address_parse(
    const char *option, const char *text, struct address *out, struct berth_error *err) BERTH_MUST_USE;

int64_t loop_now_ns(void);
enum berth_code loop_fail_errno(struct berth_error *err, const char *field, const char *what, int error);

#endif
