/* The client's channel to berthd: blocking calls over gRPC, one at a time, from one thread.
 *
 * Errors have the server's code, and its google.rpc.ErrorInfo.reason and BadRequest field in `err->reason`
 * and `err->field`. A server that cannot be reached is UNAVAILABLE, and the message names the address. */
#ifndef CLIENT_RPC_RPC_H
#define CLIENT_RPC_RPC_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/berth.h"
#include "codec/largest.h"
#include "codec/stored.h"
#include "codec/variants.h"

struct berthctl_rpc;

/* How a call is bounded and watched. All optional. */
struct berthctl_rpc_call {
  int64_t timeout_ns; /* from now; 0: the server's own limit */
  void *ctx;
  /* Polled at least 20 times a second while the call waits; true cancels it: BERTH_CANCELLED. */
  bool (*should_stop)(void *ctx);
  /* Where given, a plan is asked for as a stream. `elapsed_seconds` is since planning began, 0 while the
   * request waits in the server's queue. */
  void (*on_progress)(void *ctx, const struct berth_progress *progress, double elapsed_seconds);
  /* Of berthctl_rpc_plan without progress: why the server's cache had no plan; n and texts empty if it says
   * nothing. NULL: it is not asked. */
  struct berth_codec_miss *out_miss;
  /* Of berthctl_rpc_get: what was measured against the plan. NULL: it is left out. */
  struct berth_measured *out_measured;
};

/* A plan as it came. Finish it. */
struct berthctl_rpc_plan {
  struct berth_plan *plan; /* in the problem's order; of berthctl_rpc_get: in canonical order */
  char plan_id[BERTH_PLANID_HEX_SIZE];
  bool cached;
  double solve_seconds;
};
void berthctl_rpc_plan_finish(struct berthctl_rpc_plan *reply);

/* `address` is gRPC's: "unix:/run/berthd/berthd.sock", "host:port", "dns:///host:port". Does not connect yet;
 * INVALID_ARGUMENT with field "server" if it cannot be one. */
/* Channels that are opened from now on use TLS; texts are PEM and stay the caller's. `ca` NULL: the system's
 * authorities; `cert` and `key` NULL: none. */
void berthctl_rpc_use_tls(const char *ca, const char *cert, const char *key);

enum berth_code
berthctl_rpc_open(const char *address, struct berthctl_rpc **out_rpc, struct berth_error *err) BERTH_MUST_USE;
void berthctl_rpc_close(struct berthctl_rpc *rpc); /* NULL is fine */

enum berth_code berthctl_rpc_plan(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berthctl_rpc_call *call, struct berthctl_rpc_plan *out_reply,
    struct berth_error *err) BERTH_MUST_USE;

enum berth_code berthctl_rpc_get(
    struct berthctl_rpc *rpc, const char *plan_id, const struct berthctl_rpc_call *call,
    struct berthctl_rpc_plan *out_reply, struct berth_error *err) BERTH_MUST_USE;

/* `pool` may be NULL. Writes up to n_capacity violations; their messages are the server's. */
enum berth_code berthctl_rpc_verify(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const uint32_t *pool,
    const uint64_t *offset, const struct berthctl_rpc_call *call, struct berth_violation *out_violations,
    uint32_t n_capacity, struct berth_verdict *out_verdict, struct berth_error *err) BERTH_MUST_USE;

/* A page of the plans that the server has; room for BERTH_PAGE_SIZE_MOST. `token` is "" for the first page,
 * then as it came back, and "" again after the last. */
enum berth_code berthctl_rpc_list(
    struct berthctl_rpc *rpc, uint32_t page_size, const struct berthctl_rpc_call *call,
    struct berth_stored_plan *out_summaries, uint32_t *out_n_summaries, char token[BERTH_PAGE_TOKEN_SIZE],
    struct berth_error *err) BERTH_MUST_USE;

enum berth_code berthctl_rpc_delete(
    struct berthctl_rpc *rpc, const char *plan_id, const struct berthctl_rpc_call *call,
    struct berth_error *err) BERTH_MUST_USE;

/* Reports a measured peak; it comes back held against the plan. */
enum berth_code berthctl_rpc_measure(
    struct berthctl_rpc *rpc, const char *plan_id, const struct berthctl_rpc_call *call,
    struct berth_measurement *measurement, uint64_t *out_n_measurements,
    struct berth_error *err) BERTH_MUST_USE;

/* The largest number of a symbol; UNIMPLEMENTED by a server that does not know the call. */
enum berth_code berthctl_rpc_largest(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, const struct berthctl_rpc_call *call,
    struct berth_largest *out, struct berth_error *err) BERTH_MUST_USE;

/* Several variants in one call; out_results has room for n_variants. Each has a plan to unref, or an error.
 */
enum berth_code berthctl_rpc_variants(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, const struct berthctl_rpc_call *call,
    struct berth_codec_variant_result *out_results, struct berth_codec_variant_result *out_bounds,
    struct berth_error *err) BERTH_MUST_USE;

enum berthctl_health {
  BERTHCTL_HEALTH_UNKNOWN = 0, /* grpc.health.v1's numbers */
  BERTHCTL_HEALTH_SERVING = 1,
  BERTHCTL_HEALTH_NOT_SERVING = 2,
};

/* grpc.health.v1.Health/Check; `service` is "" for the server as a whole. */
enum berth_code berthctl_rpc_health(
    struct berthctl_rpc *rpc, const char *service, const struct berthctl_rpc_call *call,
    enum berthctl_health *out_health, struct berth_error *err) BERTH_MUST_USE;

#endif
