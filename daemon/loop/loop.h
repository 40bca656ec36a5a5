/* The event loop of the main thread: listeners, signals, timers, and a way in for other threads.
 *
 * Accepted sockets are handed out non-blocking and close-on-exec, once their peer has sent a first byte: one
 * that never speaks is closed here. Running out of descriptors pauses accepting and sheds one connection at a
 * time, with a descriptor that is held back for that; it never ends a listener.
 *
 * All functions are for the loop's thread, except berthd_loop_post and berthd_loop_stop. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/status.h"

struct berthd_loop;
struct berthd_metrics;

struct berthd_loop_config {
  uint32_t max_connections;
  int64_t handshake_ns;           /* a connection that has sent nothing is closed after this */
  struct berthd_metrics *metrics; /* may be NULL */
  void *ctx;
  void (*on_connection)(void *ctx, int fd, bool is_tls); /* takes over the socket */
  void (*on_terminate)(void *ctx);                       /* SIGTERM or SIGINT; again for each */
  void (*on_reload)(void *ctx);                          /* SIGHUP */
};

/* SIGTERM, SIGINT and SIGHUP, for this thread and those that it starts: call it before any thread is started.
 * The loop opens them for its own thread while it runs. SIGPIPE is ignored from here on. */
void berthd_loop_block_signals(void);

enum berth_code berthd_loop_create(
    const struct berthd_loop_config *config, struct berthd_loop **out_loop,
    struct berth_error *err) BERTH_MUST_USE;
/* Closes the listeners and removes the unix sockets. NULL is fine. */
void berthd_loop_destroy(struct berthd_loop *loop);

/* Until berthd_loop_stop. */
void berthd_loop_run(struct berthd_loop *loop);
void berthd_loop_stop(struct berthd_loop *loop);

/* Runs `run` on the loop's thread, soon; in order. Any thread. False if memory ran out. */
bool berthd_loop_post(struct berthd_loop *loop, void *ctx, void (*run)(void *ctx));

/* ---- Listeners: they accept from the first turn of the loop ---- */

/* A lock file beside the socket ("PATH.lock") keeps a second daemon from taking a socket that is in use; a
 * socket that nobody serves is removed. `mode` is the socket's permissions. FAILED_PRECONDITION if another
 * daemon has it. */
enum berth_code berthd_loop_listen_unix(
    struct berthd_loop *loop, const char *path, uint32_t mode, struct berth_error *err) BERTH_MUST_USE;

/* "127.0.0.1:7110", "[::1]:7110"; numbers only; port 0 takes any. Addresses beyond the loopback are refused
 * unless `insecure`, since the connections are plain text. *out_port may be NULL. */
enum berth_code berthd_loop_listen_tcp(
    struct berthd_loop *loop, const char *address, bool insecure, uint16_t *out_port,
    struct berth_error *err) BERTH_MUST_USE;

/* The same for connections that speak TLS. */
enum berth_code berthd_loop_listen_tls(
    struct berthd_loop *loop, const char *address, uint16_t *out_port,
    struct berth_error *err) BERTH_MUST_USE;

/* A listening stream socket that systemd has handed over; it is closed but not removed. */
enum berth_code
berthd_loop_listen_fd(struct berthd_loop *loop, int fd, struct berth_error *err) BERTH_MUST_USE;

/* No more connections; those that are waiting to be accepted are refused. */
void berthd_loop_stop_listening(struct berthd_loop *loop);

/* Sockets handed out that are still open. */
uint32_t berthd_loop_n_connections(struct berthd_loop *loop);

/* ---- Timers ---- */

struct berthd_timer;
/* Stopped at first. Destroyed with the loop. NULL if memory ran out. */
struct berthd_timer *berthd_timer_create(struct berthd_loop *loop, void *ctx, void (*on_time)(void *ctx));
/* `at_ns` on CLOCK_MONOTONIC; replaces an earlier time. */
void berthd_timer_set(struct berthd_timer *timer, int64_t at_ns);
void berthd_timer_stop(struct berthd_timer *timer);

#endif
