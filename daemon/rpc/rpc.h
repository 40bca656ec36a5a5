/* The gRPC server: berth.v1.PlanService, health and reflection on top of the core.
 *
 * One or two threads serve one completion queue: they decode requests, answer what the cache or a look at the
 * request answers, and hand the rest to the core, whose workers start the replies. Requests that are large or
 * compressed are decoded on a thread of their own, so that they do not hold up the others.
 *
 * Connections come from outside (daemon/loop accepts them), so that one limit holds for all of them, and
 * running out of descriptors cannot kill a listener for good. */
#ifndef RPC_RPC_H
#define RPC_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"
#include "codec/limits.h"

struct berthd_core;
struct berthd_metrics;
struct berthd_rpc;

/* For connections with TLS; clients must show a certificate. Files are PEM; a name without a slash is one of
 * systemd's credentials. */
struct berthd_rpc_tls {
  const char *cert; /* NULL: no TLS */
  const char *key;
  const char *client_ca;
};

struct berthd_rpc_config {
  uint32_t n_threads; /* of the completion queue: 1 or 2 */
  struct berth_codec_limits limits;
  uint64_t default_budget_ticks;
  uint64_t max_budget_ticks;
  uint64_t reply_cache_bytes;     /* for replies in wire form, found by the bytes of their request; 0: none */
  uint64_t quota_bytes;           /* soft bound on what gRPC holds for uploads */
  uint64_t max_streams;           /* calls at a time on one connection */
  int64_t idle_ns;                /* a connection without calls is closed after this */
  int64_t keepalive_ns;           /* a silent peer is asked for a sign of life after this */
  int64_t handshake_ns;           /* a connection that has not agreed on TLS is closed after this */
  struct berthd_rpc_tls tls;      /* used while the server is created */
  struct berthd_metrics *metrics; /* may be NULL */
};

struct berthd_rpc_config berthd_rpc_config_default(void);

/* Starts gRPC and the threads: block signals first, they inherit the mask. Health says NOT_SERVING until
 * told. */
enum berth_code berthd_rpc_create(
    const struct berthd_rpc_config *config, struct berthd_core *core, struct berthd_rpc **out_rpc,
    struct berth_error *err) BERTH_MUST_USE;

/* Takes over a connected socket, of which nothing was read. Any thread. */
void berthd_rpc_add_connection(struct berthd_rpc *rpc, int fd, bool is_tls);

/* What health says; watchers are told. Any thread. */
void berthd_rpc_set_serving(struct berthd_rpc *rpc, bool serving);

/* No new calls or connections from now on; open ones may end. `on_drained` is called from a thread of the
 * server when none is left. Once. */
void berthd_rpc_drain(struct berthd_rpc *rpc, void *ctx, void (*on_drained)(void *ctx));
/* Ends what a drain still waits for. */
void berthd_rpc_cancel_all(struct berthd_rpc *rpc);

/* Drains and cancels what was not, waits for every call and thread, and frees. The core must still be there.
 * NULL is fine. Not from a thread of the server. */
void berthd_rpc_destroy(struct berthd_rpc *rpc);

#endif
