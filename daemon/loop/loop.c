/* The loop, its signals, timers and posts. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loop/internal.h"

#define SWEEP_MS 250

int64_t loop_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum berth_code loop_fail_errno(struct berth_error *err, const char *field, const char *what, int error) {
  enum berth_code code =
      error == EACCES || error == EPERM ? BERTH_PERMISSION_DENIED : BERTH_FAILED_PRECONDITION;
  return berth_fail(
      err, code, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, field, "%s: %s", what, strerror(error));
}

/* ---- Signals ---- */

static void make_set(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGHUP);
}

void berthd_loop_block_signals(void) {
  sigset_t set;
  make_set(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static void on_terminate(uv_signal_t *handle, int number) {
  (void)number;
  struct berthd_loop *loop = handle->data;
  if (loop->config.on_terminate != NULL) {
    loop->config.on_terminate(loop->config.ctx);
  }
}

static void on_reload(uv_signal_t *handle, int number) {
  (void)number;
  struct berthd_loop *loop = handle->data;
  if (loop->config.on_reload != NULL) {
    loop->config.on_reload(loop->config.ctx);
  }
}

/* ---- Posts ---- */

static struct post *take_posts(struct berthd_loop *loop) {
  pthread_mutex_lock(&loop->lock);
  struct post *first = loop->first_post;
  loop->first_post = NULL;
  loop->last_post = &loop->first_post;
  pthread_mutex_unlock(&loop->lock);
  return first;
}

static void on_wake(uv_async_t *handle) {
  struct berthd_loop *loop = handle->data;
  for (struct post *post = take_posts(loop); post != NULL;) {
    struct post *next = post->next;
    post->run(post->ctx);
    free(post);
    post = next;
  }
  if (atomic_load(&loop->stopping)) {
    uv_stop(&loop->uv);
  }
}

bool berthd_loop_post(struct berthd_loop *loop, void *ctx, void (*run)(void *ctx)) {
  struct post *post = malloc(sizeof *post);
  if (post == NULL) {
    return false;
  }
  *post = (struct post){.ctx = ctx, .run = run};
  pthread_mutex_lock(&loop->lock);
  *loop->last_post = post;
  loop->last_post = &post->next;
  pthread_mutex_unlock(&loop->lock);
  uv_async_send(&loop->wake);
  return true;
}

void berthd_loop_stop(struct berthd_loop *loop) {
  atomic_store(&loop->stopping, true);
  uv_async_send(&loop->wake);
}

/* ---- Timers ---- */

static void on_time(uv_timer_t *handle) {
  struct berthd_timer *timer = handle->data;
  timer->on_time(timer->ctx);
}

struct berthd_timer *berthd_timer_create(struct berthd_loop *loop, void *ctx, void (*on_time_)(void *ctx)) {
  struct berthd_timer *timer = calloc(1, sizeof *timer);
  if (timer == NULL) {
    return NULL;
  }
  uv_timer_init(&loop->uv, &timer->timer);
  timer->timer.data = timer;
  timer->ctx = ctx;
  timer->on_time = on_time_;
  timer->next = loop->timers;
  loop->timers = timer;
  return timer;
}

void berthd_timer_set(struct berthd_timer *timer, int64_t at_ns) {
  int64_t left_ns = at_ns - loop_now_ns();
  uint64_t left_ms = left_ns > 0 ? (uint64_t)(left_ns + 999999) / 1000000 : 0;
  uv_update_time(timer->timer.loop);
  uv_timer_start(&timer->timer, on_time, left_ms, 0);
}

void berthd_timer_stop(struct berthd_timer *timer) {
  uv_timer_stop(&timer->timer);
}

/* ---- Life ---- */

static void on_sweep(uv_timer_t *handle) {
  accept_sweep(handle->data);
}

static void start_handles(struct berthd_loop *loop) {
  uv_async_init(&loop->uv, &loop->wake, on_wake);
  uv_signal_init(&loop->uv, &loop->terminate[0]);
  uv_signal_init(&loop->uv, &loop->terminate[1]);
  uv_signal_init(&loop->uv, &loop->reload);
  uv_timer_init(&loop->uv, &loop->sweep);
  uv_timer_init(&loop->uv, &loop->resume);
  loop->wake.data = loop;
  loop->terminate[0].data = loop;
  loop->terminate[1].data = loop;
  loop->reload.data = loop;
  loop->sweep.data = loop;
  loop->resume.data = loop;

  uv_signal_start(&loop->terminate[0], on_terminate, SIGTERM);
  uv_signal_start(&loop->terminate[1], on_terminate, SIGINT);
  uv_signal_start(&loop->reload, on_reload, SIGHUP);
  uv_timer_start(&loop->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
}

enum berth_code berthd_loop_create(
    const struct berthd_loop_config *config, struct berthd_loop **out_loop, struct berth_error *err) {
  *out_loop = NULL;
  struct berthd_loop *loop = calloc(1, sizeof *loop);
  if (loop == NULL) {
    return berth_fail_memory(err);
  }
  loop->config = *config;
  loop->last_post = &loop->first_post;
  int result = uv_loop_init(&loop->uv);
  if (result != 0) {
    free(loop);
    return loop_fail_errno(err, NULL, "the event loop cannot be made", -result);
  }
  pthread_mutex_init(&loop->lock, NULL);
  start_handles(loop);
  enum berth_code code = accept_init(loop, err);
  if (code != BERTH_OK) {
    berthd_loop_destroy(loop);
    return code;
  }
  *out_loop = loop;
  return BERTH_OK;
}

void berthd_loop_run(struct berthd_loop *loop) {
  sigset_t set;
  make_set(&set);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  accept_resume(loop);
  if (!atomic_load(&loop->stopping)) {
    uv_run(&loop->uv, UV_RUN_DEFAULT);
  }
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void close_handle(uv_handle_t *handle, void *ctx) {
  (void)ctx;
  if (!uv_is_closing(handle)) {
    uv_close(handle, NULL);
  }
}

void berthd_loop_destroy(struct berthd_loop *loop) {
  if (loop == NULL) {
    return;
  }
  accept_finish(loop);
  uv_walk(&loop->uv, close_handle, NULL);
  uv_run(&loop->uv, UV_RUN_DEFAULT);
  uv_loop_close(&loop->uv);
  for (struct post *post = take_posts(loop); post != NULL;) {
    struct post *next = post->next;
    free(post);
    post = next;
  }
  while (loop->timers != NULL) {
    struct berthd_timer *next = loop->timers->next;
    free(loop->timers);
    loop->timers = next;
  }
  pthread_mutex_destroy(&loop->lock);
  free(loop);
}
