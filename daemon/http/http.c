#include "http/http.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"

#define IDLE_SECONDS 15
#define CONNECTION_BYTES 8192 /* for a request's head */

struct berthd_http {
  struct berthd_http_config config;
  struct MHD_Daemon *daemon;
  uint16_t port;
};

#define TEXT "text/plain; charset=utf-8"

static const char INDEX[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>berthd</title></head>\n"
    "<body><h1>berthd</h1>\n<ul>\n"
    "<li><a href=\"/metrics\">/metrics</a>: counters for Prometheus</li>\n"
    "<li><a href=\"/healthz\">/healthz</a>: whether the daemon is alive</li>\n"
    "<li><a href=\"/readyz\">/readyz</a>: whether it takes work</li>\n"
    "</ul></body></html>\n";

static enum MHD_Result reply_with(
    struct MHD_Connection *connection, unsigned status, const char *type, struct MHD_Response *response) {
  if (response == NULL) {
    return MHD_NO;
  }
  static const char *const HEADERS[][2] = {
      {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
      {"Referrer-Policy", "no-referrer"},
  };
  bool good = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;
  for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
    good = good && MHD_add_response_header(response, HEADERS[i][0], HEADERS[i][1]) == MHD_YES;
  }
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
    good = good && MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD") == MHD_YES;
  }
  if (status >= 400 && status < 500) { /* what else may come on it is not read */
    good = good && MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES;
  }
  enum MHD_Result result = good ? MHD_queue_response(connection, status, response) : MHD_NO;
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result
reply_text(struct MHD_Connection *connection, unsigned status, const char *type, const char *text) {
  return reply_with(
      connection, status, type,
      MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result get_metrics(struct berthd_http *http, struct MHD_Connection *connection) {
  if (http->config.before_metrics != NULL) {
    http->config.before_metrics(http->config.ctx);
  }
  size_t size = 0;
  char *text = berthd_metrics_expose(http->config.metrics, &size);
  if (text == NULL) {
    return reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, TEXT, "memory ran out\n");
  }
  struct MHD_Response *response = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
  if (response == NULL) {
    free(text);
  }
  return reply_with(connection, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", response);
}

static enum MHD_Result get_health(struct berthd_http *http, struct MHD_Connection *connection) {
  return http->config.is_healthy(http->config.ctx)
             ? reply_text(connection, MHD_HTTP_OK, TEXT, "ok\n")
             : reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, TEXT, "a worker hangs\n");
}

static enum MHD_Result get_ready(struct berthd_http *http, struct MHD_Connection *connection) {
  return http->config.is_ready(http->config.ctx)
             ? reply_text(connection, MHD_HTTP_OK, TEXT, "ready\n")
             : reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, TEXT, "not ready\n");
}

static enum MHD_Result get_index(struct berthd_http *http, struct MHD_Connection *connection) {
  (void)http;
  return reply_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", INDEX);
}

static const struct {
  const char *path;
  enum MHD_Result (*get)(struct berthd_http *http, struct MHD_Connection *connection);
} PAGES[] = {
    {"/", get_index},
    {"/metrics", get_metrics},
    {"/healthz", get_health},
    {"/readyz", get_ready},
};

static enum MHD_Result answer(
    void *ctx, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *body, size_t *body_size, void **state) {
  (void)version;
  (void)body;
  struct berthd_http *http = ctx;
  bool is_read = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  if (!is_read) {
    return reply_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
  }
  if (*state == NULL) { /* the head is there; the answer comes when the request is complete */
    *state = http;
    return MHD_YES;
  }
  if (*body_size != 0) { /* a body means nothing here */
    *body_size = 0;
    return MHD_YES;
  }
  for (size_t i = 0; i < sizeof PAGES / sizeof PAGES[0]; i++) {
    if (strcmp(path, PAGES[i].path) == 0) {
      return PAGES[i].get(http, connection);
    }
  }
  return reply_text(connection, MHD_HTTP_NOT_FOUND, TEXT, "there is /metrics, /healthz and /readyz\n");
}

enum berth_code berthd_http_start(
    const struct berthd_http_config *config, struct berthd_http **out_http, struct berth_error *err) {
  *out_http = NULL;
  struct berthd_http *http = calloc(1, sizeof *http);
  if (http == NULL) {
    return berth_fail_memory(err);
  }
  http->config = *config;
  int fd = berthd_http_listen(config->address, &http->port, err);
  if (fd < 0) {
    free(http);
    return BERTH_UNAVAILABLE;
  }
  http->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, answer, http, MHD_OPTION_LISTEN_SOCKET,
      fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)config->max_connections, MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_END);
  if (http->daemon == NULL) {
    close(fd);
    free(http);
    return berth_fail(
        err, BERTH_UNAVAILABLE, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "http-listen",
        "the HTTP server for %.80s did not start", config->address);
  }
  *out_http = http;
  return BERTH_OK;
}

uint16_t berthd_http_port(const struct berthd_http *http) {
  return http->port;
}

void berthd_http_stop(struct berthd_http *http) {
  if (http != NULL) {
    MHD_stop_daemon(http->daemon); /* closes the socket */
    free(http);
  }
}
