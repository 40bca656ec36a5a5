/* Metrics and health over HTTP, on a socket and a thread of their own: /metrics, /healthz, /readyz, and a
 * small index at /. GET and HEAD only; nothing here changes anything. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/status.h"
#include "metrics/metrics.h"

struct berthd_http;

struct berthd_http_config {
  const char *address;      /* HOST:PORT or [IPV6]:PORT */
  uint32_t max_connections; /* at a time */
  const struct berthd_metrics *metrics;
  void *ctx;
  /* Called on the HTTP thread. */
  bool (*is_healthy)(void *ctx);     /* false: restart me */
  bool (*is_ready)(void *ctx);       /* false: send no work */
  void (*before_metrics)(void *ctx); /* may be NULL: set figures that are read and not counted */
};

enum berth_code berthd_http_start(
    const struct berthd_http_config *config, struct berthd_http **out_http,
    struct berth_error *err) BERTH_MUST_USE;
uint16_t berthd_http_port(const struct berthd_http *http);
void berthd_http_stop(struct berthd_http *http); /* NULL is fine */

/* A listening socket for the address; -1 and an error otherwise. */
int berthd_http_listen(const char *address, uint16_t *out_port, struct berth_error *err);

#endif
