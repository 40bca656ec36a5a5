/* The way up, in order of need: log, metrics, work, core, rpc, loop with its listeners, http; then READY. The
 * way down begins with SIGTERM: nothing new comes in, open requests go on for the drain time, then they are
 * cut short and answered with what there is, and after a short grace what still hangs is cancelled. The loop
 * ends when the last call has, and everything goes in reverse. */
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "http/http.h"
#include "log/log.h"
#include "loop/loop.h"
#include "metrics/metrics.h"
#include "notify/notify.h"
#include "rpc/rpc.h"
#include "serve/serve.h"
#include "work/work.h"

#define HANG_NS INT64_C(60000000000) /* a worker without a sign of life for this long hangs */
#define GRACE_NS INT64_C(3000000000) /* to send the answers of what was cut short */
#define MOST_HANDED_FDS 16

enum stage { STARTING, SERVING, DRAINING, ABORTING, CANCELLING };

struct server {
  const struct berthd_command_line *line;
  const struct berthd_conf *conf;
  struct berthd_metrics *metrics;
  struct berthd_work *work;
  struct berthd_core *core;
  struct berthd_rpc *rpc;
  struct berthd_loop *loop;
  struct berthd_http *http;
  struct berthd_timer *drain_timer;
  struct berthd_timer *watchdog_timer;
  int64_t watchdog_ns;
  enum stage stage;
  bool is_ready; /* atomic: read by the HTTP thread */
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- What HTTP asks, on its thread ---- */

static bool is_healthy(void *ctx) {
  struct server *server = ctx;
  return berthd_work_is_alive(server->work, HANG_NS);
}

static bool is_ready(void *ctx) {
  struct server *server = ctx;
  return __atomic_load_n(&server->is_ready, __ATOMIC_ACQUIRE);
}

static void before_metrics(void *ctx) {
  struct server *server = ctx;
  berthd_metrics_set(server->metrics, BERTHD_METRIC_LOG_DROPPED, 0, 0, (double)berthd_log_n_dropped());
}

static void set_ready(struct server *server, bool ready) {
  __atomic_store_n(&server->is_ready, ready, __ATOMIC_RELEASE);
  berthd_rpc_set_serving(server->rpc, ready);
}

/* ---- The way down ---- */

static void stop_loop(void *ctx) {
  struct server *server = ctx;
  berthd_loop_stop(server->loop);
}

static void on_drained(void *ctx) {
  struct server *server = ctx;
  if (!berthd_loop_post(server->loop, server, stop_loop)) {
    berthd_loop_stop(server->loop);
  }
}

static void begin_drain(struct server *server) {
  server->stage = DRAINING;
  BERTHD_LOG(
      INFO, "server.draining", BERTHD_U64("n_open", berthd_core_n_open(server->core)),
      BERTHD_F64("seconds", (double)server->conf->server_drain * 1e-9));
  berthd_notify_stopping();
  set_ready(server, false);
  berthd_loop_stop_listening(server->loop);
  berthd_core_drain(server->core);
  berthd_timer_set(server->drain_timer, now_ns() + server->conf->server_drain);
  berthd_rpc_drain(server->rpc, server, on_drained);
}

static void begin_abort(struct server *server) {
  server->stage = ABORTING;
  BERTHD_LOG(WARN, "server.cut_short", BERTHD_U64("n_open", berthd_core_n_open(server->core)));
  berthd_timer_set(server->drain_timer, now_ns() + GRACE_NS);
  berthd_core_abort(server->core);
}

static void advance(struct server *server) {
  switch (server->stage) {
  case STARTING:
  case SERVING:
    begin_drain(server);
    break;
  case DRAINING:
    begin_abort(server);
    break;
  case ABORTING:
    server->stage = CANCELLING;
    berthd_rpc_cancel_all(server->rpc);
    break;
  case CANCELLING:
    break;
  }
}

static void on_terminate(void *ctx) {
  advance(ctx); /* a second signal does not wait for the drain time */
}

static void on_drain_time(void *ctx) {
  advance(ctx);
}

/* ---- While it runs ---- */

static void on_connection(void *ctx, int fd, bool is_tls) {
  struct server *server = ctx;
  berthd_rpc_add_connection(server->rpc, fd, is_tls);
}

static void apply_log(const struct berthd_conf *conf) {
  bool journal = getenv("JOURNAL_STREAM") != NULL && conf->log_format == BERTHD_LOG_TEXT;
  berthd_log_init(STDERR_FILENO, conf->log_level, conf->log_format, journal);
  berthd_log_set_rate((uint32_t)conf->log_rate);
}

static void on_reload(void *ctx) {
  struct server *server = ctx;
  berthd_notify_reloading();
  struct berthd_conf conf;
  struct berth_error err;
  if (berthd_command_line_configure(server->line, environ, &conf, &err) == BERTH_OK) {
    apply_log(&conf);
    BERTHD_LOG(INFO, "server.reloaded", BERTHD_STR("config", server->line->config_path));
  } else {
    BERTHD_LOG(ERROR, "server.reload_failed", BERTHD_STR("message", err.message));
  }
  berthd_conf_finish(&conf);
  if (server->stage == SERVING) {
    berthd_notify_ready();
  }
}

static void on_watchdog_time(void *ctx) {
  struct server *server = ctx;
  if (is_healthy(server)) {
    berthd_notify_watchdog();
  } else {
    BERTHD_LOG(ERROR, "server.hangs", BERTHD_STR("message", "a worker gives no sign of life"));
  }
  berthd_timer_set(server->watchdog_timer, now_ns() + server->watchdog_ns / 3);
}

/* ---- The way up ---- */

static enum berth_code start_core(struct server *server, struct berth_error *err) {
  const struct berthd_conf *conf = server->conf;
  const struct berthd_work_config work_config = {
      .n_workers = (uint32_t)conf->server_workers,
      .n_helpers = (uint32_t)conf->server_helpers,
      .request_memory_bytes = conf->limits_request_memory,
      .metrics = server->metrics};
  enum berth_code code = berthd_work_create(&work_config, &server->work, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct berthd_core_config core_config = berthd_core_config_default();
  core_config.n_workers = berthd_work_n_workers(server->work);
  core_config.max_queue = (uint32_t)conf->server_queue;
  core_config.max_queued_buffers = conf->server_queue_buffers;
  core_config.max_open = (uint32_t)conf->server_open_requests;
  core_config.cache_bytes = conf->cache_memory;
  core_config.default_deadline_ns = conf->plan_default_deadline;
  core_config.max_deadline_ns = conf->plan_max_deadline;
  core_config.failure_ttl_ns = conf->cache_failure_ttl;
  core_config.progress_interval_ns = conf->plan_progress_interval;
  core_config.metrics = server->metrics;
  const struct berthd_core_hooks hooks = berthd_work_hooks(server->work);
  code = berthd_core_create(&core_config, &hooks, &server->core, err);
  return code == BERTH_OK ? berthd_work_start(server->work, server->core, err) : code;
}

static enum berth_code start_rpc(struct server *server, struct berth_error *err) {
  const struct berthd_conf *conf = server->conf;
  struct berthd_rpc_config config = berthd_rpc_config_default();
  config.n_threads = (uint32_t)conf->server_rpc_threads;
  config.limits.message_bytes = conf->limits_message;
  config.limits.decode_bytes = conf->limits_request_memory;
  config.limits.buffers = conf->limits_buffers;
  config.limits.operators = conf->limits_operators;
  config.limits.edges = conf->limits_edges;
  config.limits.pools = conf->limits_pools;
  config.limits.text_bytes = conf->limits_text;
  config.default_budget_ticks = conf->plan_default_budget;
  config.max_budget_ticks = conf->plan_max_budget;
  config.reply_cache_bytes = conf->cache_replies;
  config.max_streams = conf->limits_streams;
  config.idle_ns = conf->limits_idle;
  config.handshake_ns = conf->limits_handshake;
  if (conf->listen_tls.n > 0) {
    config.tls = (struct berthd_rpc_tls){
        .cert = conf->listen_tls_cert, .key = conf->listen_tls_key, .client_ca = conf->listen_tls_client_ca};
  }
  config.metrics = server->metrics;
  return berthd_rpc_create(&config, server->core, &server->rpc, err);
}

static enum berth_code listen_handed(struct server *server, int first, size_t n, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; i < n && code == BERTH_OK; i++) {
    code = berthd_loop_listen_fd(server->loop, first + (int)i, err);
  }
  BERTHD_LOG(INFO, "server.listening", BERTHD_U64("n_handed_over", n));
  return code;
}

static enum berth_code listen_plain(struct server *server, struct berth_error *err) {
  const struct berthd_conf *conf = server->conf;
  enum berth_code code = BERTH_OK;
  if (conf->listen_unix[0] != '\0') {
    code = berthd_loop_listen_unix(server->loop, conf->listen_unix, conf->listen_unix_mode, err);
    if (code == BERTH_OK) {
      BERTHD_LOG(INFO, "server.listening", BERTHD_STR("unix", conf->listen_unix));
    }
  }
  for (size_t i = 0; i < conf->listen_tcp.n && code == BERTH_OK; i++) {
    uint16_t port = 0;
    code = berthd_loop_listen_tcp(server->loop, conf->listen_tcp.items[i], conf->listen_insecure, &port, err);
    if (code == BERTH_OK) {
      BERTHD_LOG(
          INFO, "server.listening", BERTHD_STR("tcp", conf->listen_tcp.items[i]), BERTHD_U64("port", port));
    }
  }
  return code;
}

static enum berth_code listen_tls(struct server *server, struct berth_error *err) {
  const struct berthd_conf *conf = server->conf;
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; i < conf->listen_tls.n && code == BERTH_OK; i++) {
    uint16_t port = 0;
    code = berthd_loop_listen_tls(server->loop, conf->listen_tls.items[i], &port, err);
    if (code == BERTH_OK) {
      BERTHD_LOG(
          INFO, "server.listening", BERTHD_STR("tls", conf->listen_tls.items[i]), BERTHD_U64("port", port));
    }
  }
  return code;
}

static enum berth_code listen_all(struct server *server, struct berth_error *err) {
  const struct berthd_conf *conf = server->conf;
  int first;
  size_t n = berthd_notify_listen_fds(MOST_HANDED_FDS, &first);
  if (n == 0 && conf->listen_unix[0] == '\0' && conf->listen_tcp.n == 0 && conf->listen_tls.n == 0) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "listen-unix",
        "there is nothing to listen on: [listen] unix, tcp and tls are empty");
  }
  enum berth_code code = n > 0 ? listen_handed(server, first, n, err) : listen_plain(server, err);
  return code == BERTH_OK ? listen_tls(server, err) : code;
}

static enum berth_code start_loop(struct server *server, struct berth_error *err) {
  const struct berthd_loop_config config = {
      .max_connections = (uint32_t)server->conf->limits_connections,
      .handshake_ns = server->conf->limits_handshake,
      .metrics = server->metrics,
      .ctx = server,
      .on_connection = on_connection,
      .on_terminate = on_terminate,
      .on_reload = on_reload};
  enum berth_code code = berthd_loop_create(&config, &server->loop, err);
  if (code != BERTH_OK) {
    return code;
  }
  server->drain_timer = berthd_timer_create(server->loop, server, on_drain_time);
  server->watchdog_timer = berthd_timer_create(server->loop, server, on_watchdog_time);
  if (server->drain_timer == NULL || server->watchdog_timer == NULL) {
    return berth_fail_memory(err);
  }
  return listen_all(server, err);
}

static enum berth_code start_http(struct server *server, struct berth_error *err) {
  if (server->conf->http_listen[0] == '\0') {
    return BERTH_OK;
  }
  const struct berthd_http_config config = {
      .address = server->conf->http_listen,
      .max_connections = (uint32_t)server->conf->http_max_connections,
      .metrics = server->metrics,
      .ctx = server,
      .is_healthy = is_healthy,
      .is_ready = is_ready,
      .before_metrics = before_metrics};
  enum berth_code code = berthd_http_start(&config, &server->http, err);
  if (code == BERTH_OK) {
    BERTHD_LOG(
        INFO, "server.listening", BERTHD_STR("http", server->conf->http_listen),
        BERTHD_U64("port", berthd_http_port(server->http)));
  }
  return code;
}

/* One connection, one descriptor: as many as the system lets us have. */
static void raise_descriptors(const struct berthd_conf *conf) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < conf->limits_connections + 64) {
    BERTHD_LOG(
        WARN, "server.few_descriptors", BERTHD_U64("limit", limit.rlim_cur),
        BERTHD_U64("connections", conf->limits_connections));
  }
}

static enum berth_code start(struct server *server, struct berth_error *err) {
  server->metrics = berthd_metrics_create();
  if (server->metrics == NULL) {
    return berth_fail_memory(err);
  }
  raise_descriptors(server->conf);
  enum berth_code code = start_core(server, err);
  if (code == BERTH_OK) {
    code = start_rpc(server, err);
  }
  if (code == BERTH_OK) {
    code = start_loop(server, err);
  }
  return code == BERTH_OK ? start_http(server, err) : code;
}

static void finish(struct server *server) {
  berthd_http_stop(server->http);
  if (server->core != NULL) {
    berthd_core_abort(server->core);
  }
  berthd_rpc_destroy(server->rpc);
  if (server->work != NULL) {
    berthd_work_stop(server->work);
  }
  berthd_core_destroy(server->core);
  berthd_work_destroy(server->work);
  berthd_loop_destroy(server->loop);
  berthd_metrics_destroy(server->metrics);
}

static void run(struct server *server) {
  server->stage = SERVING;
  set_ready(server, true);
  server->watchdog_ns = berthd_notify_watchdog_ns();
  if (server->watchdog_ns > 0) {
    on_watchdog_time(server);
  }
  berthd_notify_ready();
  BERTHD_LOG(
      INFO, "server.ready", BERTHD_STR("version", BERTH_VERSION), BERTHD_I64("pid", getpid()),
      BERTHD_U64("workers", berthd_work_n_workers(server->work)));
  berthd_loop_run(server->loop);
}

int berthd_serve(const struct berthd_command_line *line, const struct berthd_conf *conf) {
  apply_log(conf);
  berthd_loop_block_signals();
  struct server server = {.line = line, .conf = conf};
  struct berth_error err;
  enum berth_code code = start(&server, &err);
  if (code == BERTH_OK) {
    run(&server);
  } else {
    BERTHD_LOG(
        ERROR, "server.start_failed", BERTHD_STR("code", berth_code_name(code)),
        BERTHD_STR("message", err.message));
  }
  finish(&server);
  BERTHD_LOG(INFO, "server.ended", BERTHD_STR("code", berth_code_name(code)));
  return code == BERTH_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
