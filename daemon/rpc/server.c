/* The server: created, served, drained, destroyed.
 *
 * The order of the end: no more requests are posted, health says NOT_SERVING and its watches end, gRPC
 * refuses what is new; when the last call is gone (or was cancelled) the queue is shut down and emptied, and
 * then the server and the queue go. */
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "codec/memory.h"
#include "codec/wire.h"
#include "log/log.h"
#include "rpc/internal.h"
#include "rpc/tls.h"

#define SMALL_MESSAGE_BYTES 16384
#define LOOKAHEAD_BYTES 4000000 /* measured: 1.2 to 1.7 times the calls of the default */

const struct method METHODS[N_METHODS] = {
    {"/berth.v1.PlanService/ComputePlan", BERTHD_METHOD_COMPUTE_PLAN, true, POSTED_PER_METHOD, compute_start},
    {"/berth.v1.PlanService/StreamPlan", BERTHD_METHOD_STREAM_PLAN, true, POSTED_PER_METHOD, stream_start},
    {"/berth.v1.PlanService/GetPlan", BERTHD_METHOD_GET_PLAN, true, POSTED_PER_METHOD, get_start},
    {"/berth.v1.PlanService/VerifyPlan", BERTHD_METHOD_VERIFY_PLAN, true, POSTED_PER_METHOD, verify_start},
    {"/berth.v1.PlanService/ExplainPlan", BERTHD_METHOD_EXPLAIN_PLAN, true, POSTED_REPORT, explain_start},
    {"/berth.v1.PlanService/DiffPlans", BERTHD_METHOD_DIFF_PLANS, true, POSTED_REPORT, diff_start},
    {"/berth.v1.PlanService/ListPlans", BERTHD_METHOD_LIST_PLANS, true, POSTED_REPORT, list_start},
    {"/berth.v1.PlanService/BatchGetPlans", BERTHD_METHOD_BATCH_GET_PLANS, true, POSTED_REPORT, batch_start},
    {"/berth.v1.PlanService/DeletePlan", BERTHD_METHOD_DELETE_PLAN, true, POSTED_REPORT, delete_start},
    {"/berth.v1.PlanService/ReportMeasurement", BERTHD_METHOD_REPORT_MEASUREMENT, true, POSTED_REPORT,
     measure_start},
    {"/berth.v1.PlanService/PlanVariants", BERTHD_METHOD_PLAN_VARIANTS, true, POSTED_REPORT, variants_start},
    {"/berth.v1.PlanService/FindLargestBinding", BERTHD_METHOD_FIND_LARGEST_BINDING, true, POSTED_REPORT,
     largest_start},
    {"/grpc.health.v1.Health/Check", BERTHD_METHOD_HEALTH_CHECK, true, POSTED_UNKNOWN, health_check_start},
    {"/grpc.health.v1.Health/Watch", BERTHD_METHOD_HEALTH_WATCH, true, POSTED_UNKNOWN, health_watch_start},
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", BERTHD_METHOD_REFLECTION, false,
     POSTED_UNKNOWN, reflection_start},
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", BERTHD_METHOD_REFLECTION_ALPHA, false,
     POSTED_UNKNOWN, reflection_start},
    {NULL, BERTHD_METHOD_OTHER, false, POSTED_UNKNOWN, unknown_start},
};

struct berthd_rpc_config berthd_rpc_config_default(void) {
  return (struct berthd_rpc_config){
      .n_threads = 1,
      .limits = berth_codec_limits_default(),
      .default_budget_ticks = BERTH_DEFAULT_BUDGET_TICKS,
      .max_budget_ticks = UINT64_C(1000000000000),
      .reply_cache_bytes = UINT64_C(64) << 20,
      .quota_bytes = UINT64_C(512) << 20,
      .max_streams = 1000,
      .idle_ns = INT64_C(300) * 1000000000,
      .keepalive_ns = INT64_C(60) * 1000000000,
      .handshake_ns = INT64_C(20) * 1000000000,
  };
}

/* ---- Small foreign messages ---- */

enum berth_code unpack_small(
    const ProtobufCMessageDescriptor *descriptor, grpc_byte_buffer *payload,
    struct berth_codec_memory *memory, ProtobufCMessage **out_message, struct berth_error *err) {
  const struct berth_wire_policy policy = {.max_fields = 64, .allow_unknown = true};
  grpc_slice bytes;
  enum berth_code code = payload_bytes(payload, SMALL_MESSAGE_BYTES, &bytes, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = berth_wire_scan(descriptor, &policy, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), err);
  if (code == BERTH_OK) {
    berth_codec_memory_init(memory, NULL, 16 * SMALL_MESSAGE_BYTES);
    *out_message = protobuf_c_message_unpack(
        descriptor, &memory->base, GRPC_SLICE_LENGTH(bytes), GRPC_SLICE_START_PTR(bytes));
    code = *out_message != NULL ? BERTH_OK : berth_fail_memory(err);
  }
  grpc_slice_unref(bytes);
  return code;
}

bool pack_small(const ProtobufCMessage *message, grpc_slice *out_message) {
  struct slice_sink sink;
  slice_sink_init(&sink);
  uint8_t *bytes = sink.base.reserve(sink.base.ctx, protobuf_c_message_get_packed_size(message));
  if (bytes != NULL) {
    protobuf_c_message_pack(message, bytes);
    *out_message = sink.slice;
  }
  return bytes != NULL;
}

/* ---- What must end before the server can go ---- */

void rpc_open(struct berthd_rpc *rpc) {
  atomic_fetch_add(&rpc->n_open, 1);
}

/* The last one counts down under the lock: who waits for it frees the server as soon as it sees none. */
void rpc_close(struct berthd_rpc *rpc) {
  uint_fast64_t n = atomic_load(&rpc->n_open);
  while (n > 1) {
    if (atomic_compare_exchange_weak(&rpc->n_open, &n, n - 1)) {
      return;
    }
  }
  pthread_mutex_lock(&rpc->open_lock);
  if (atomic_fetch_sub(&rpc->n_open, 1) == 1) {
    pthread_cond_signal(&rpc->none_open);
  }
  pthread_mutex_unlock(&rpc->open_lock);
}

/* ---- gRPC's own lines go the way of ours ---- */

static void log_line(gpr_log_func_args *args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    BERTHD_LOG(WARN, "grpc", BERTHD_STR("text", args->message), BERTHD_STR("file", strrchr(args->file, '/')));
  } else {
    BERTHD_LOG(
        DEBUG, "grpc", BERTHD_STR("text", args->message), BERTHD_STR("file", strrchr(args->file, '/')));
  }
}

/* ---- Start ---- */

static int to_int(uint64_t value) {
  return value < INT_MAX ? (int)value : INT_MAX;
}

static int to_ms(int64_t ns) {
  return to_int((uint64_t)(ns / 1000000));
}

static char *key(const char *name) {
  return (char *)(uintptr_t)name;
}

static grpc_arg int_arg(const char *name, int value) {
  return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = key(name), .value.integer = value};
}

static void create_server(struct berthd_rpc *rpc) {
  const struct berthd_rpc_config *config = &rpc->config;
  grpc_resource_quota *quota = grpc_resource_quota_create("berthd");
  grpc_resource_quota_resize(quota, config->quota_bytes);
  grpc_arg args[] = {
      int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, to_int(config->limits.message_bytes)),
      int_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
      int_arg(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0), /* inflate.c does it, under a limit */
      int_arg(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0),
      int_arg(GRPC_ARG_MAX_CONCURRENT_STREAMS, to_int(config->max_streams)),
      int_arg(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, LOOKAHEAD_BYTES),
      int_arg(GRPC_ARG_HTTP2_BDP_PROBE, 0),
      int_arg(GRPC_ARG_MAX_CONNECTION_IDLE_MS, to_ms(config->idle_ns)),
      int_arg(GRPC_ARG_KEEPALIVE_TIME_MS, to_ms(config->keepalive_ns)),
      int_arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000),
      int_arg(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, to_ms(config->handshake_ns)),
      int_arg(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000),
      {.type = GRPC_ARG_POINTER,
       .key = key(GRPC_ARG_RESOURCE_QUOTA),
       .value.pointer = {.p = quota, .vtable = grpc_resource_quota_arg_vtable()}},
      acceptor_arg(&rpc->acceptor),
  };
  const grpc_channel_args list = {.num_args = sizeof args / sizeof args[0], .args = args};
  rpc->server = grpc_server_create(&list, NULL);
  grpc_resource_quota_unref(quota);
}

static void *serve(void *arg) {
  struct berthd_rpc *rpc = arg;
  const gpr_timespec forever = gpr_inf_future(GPR_CLOCK_MONOTONIC);
  for (;;) {
    grpc_event event = grpc_completion_queue_next(rpc->queue, forever, NULL);
    if (event.type == GRPC_QUEUE_SHUTDOWN) {
      return NULL;
    }
    if (event.type == GRPC_OP_COMPLETE) {
      event_fire(event.tag, event.success != 0);
    }
  }
}

static enum berth_code start_threads(struct berthd_rpc *rpc, struct berth_error *err) {
  while (rpc->n_threads < rpc->config.n_threads) {
    if (pthread_create(&rpc->threads[rpc->n_threads], NULL, serve, rpc) != 0) {
      return berth_fail(
          err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_OUT_OF_MEMORY, BERTH_NO_INDEX, NULL,
          "a thread of the gRPC server cannot be started");
    }
    rpc->n_threads++;
  }
  return BERTH_OK;
}

static enum berth_code open_tls(struct berthd_rpc *rpc, struct berth_error *err) {
  if (rpc->config.tls.cert == NULL) {
    return BERTH_OK;
  }
  enum berth_code code = tls_create(&rpc->config.tls, &rpc->tls, err);
  grpc_server_credentials *credentials = code == BERTH_OK ? tls_credentials(rpc->tls) : NULL;
  if (code == BERTH_OK && (credentials == NULL || !acceptor_open(&rpc->acceptor, rpc->server, credentials))) {
    code = berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "listen-tls-key",
        "the certificate and the key of listen-tls do not match, or are not what gRPC takes");
  }
  if (credentials != NULL) {
    grpc_server_credentials_release(credentials);
  }
  return code;
}

static void start_server(struct berthd_rpc *rpc) {
  for (size_t i = 0; i < N_METHODS; i++) {
    if (METHODS[i].path != NULL) {
      rpc->registrations[i] = grpc_server_register_method(
          rpc->server, METHODS[i].path, NULL,
          METHODS[i].has_payload ? GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER : GRPC_SRM_PAYLOAD_NONE, 0);
    }
  }
  grpc_server_start(rpc->server);
  for (size_t i = 0; i < N_METHODS; i++) {
    for (unsigned n = 0; n < METHODS[i].n_posted; n++) {
      call_post(rpc, &METHODS[i]);
    }
  }
}

/* For requests that name an earlier plan. */
static enum berth_code find_plan(
    void *ctx, const char *plan_id, struct berth_problem **problem, const struct berth_allocator *allocator,
    const struct berth_plan **out_plan, struct berth_error *err) {
  struct berth_planid id;
  enum berth_code code = berth_planid_parse(plan_id, strlen(plan_id), &id, err);
  return code == BERTH_OK ? berthd_core_place(ctx, &id, problem, allocator, out_plan, err) : code;
}

enum berth_code berthd_rpc_create(
    const struct berthd_rpc_config *config, struct berthd_core *core, struct berthd_rpc **out_rpc,
    struct berth_error *err) {
  struct berthd_rpc *rpc = calloc(1, sizeof *rpc);
  *out_rpc = NULL;
  if (rpc == NULL) {
    return berth_fail_memory(err);
  }
  rpc->config = *config;
  rpc->config.n_threads = config->n_threads >= 2 ? 2 : 1;
  rpc->codec.limits = config->limits;
  rpc->codec.ctx = core;
  rpc->codec.find_plan = find_plan;
  rpc->core = core;
  rpc->metrics = config->metrics;
  atomic_init(&rpc->n_open, 1);
  pthread_mutex_init(&rpc->open_lock, NULL);
  pthread_cond_init(&rpc->none_open, NULL);
  health_init(&rpc->health);
  acceptor_init(&rpc->acceptor);
  gpr_set_log_function(log_line);
  grpc_init();
  rpc->credentials = grpc_insecure_server_credentials_create();
  rpc->queue = grpc_completion_queue_create_for_next(NULL);
  create_server(rpc);
  grpc_server_register_completion_queue(rpc->server, rpc->queue, NULL);
  rpc->replies = replies_create(config->reply_cache_bytes, config->metrics);
  rpc->lane = lane_create();
  enum berth_code code = rpc->lane != NULL ? open_tls(rpc, err) : berth_fail_memory(err);
  code = code == BERTH_OK ? start_threads(rpc, err) : code;
  rpc->config.tls = (struct berthd_rpc_tls){.cert = NULL}; /* the caller's */
  if (code == BERTH_OK) {
    start_server(rpc);
    *out_rpc = rpc;
  } else {
    berthd_rpc_destroy(rpc);
  }
  return code;
}

void berthd_rpc_add_connection(struct berthd_rpc *rpc, int fd, bool is_tls) {
  if (is_tls) {
    acceptor_take(&rpc->acceptor, fd);
  } else {
    grpc_server_add_channel_from_fd(rpc->server, fd, rpc->credentials);
  }
}

void berthd_rpc_set_serving(struct berthd_rpc *rpc, bool serving) {
  health_set(rpc, serving);
}

/* ---- End ---- */

static void on_drained(struct event *event, bool ok) {
  (void)ok;
  struct berthd_rpc *rpc = CONTAINER(event, struct berthd_rpc, drained);
  if (rpc->on_drained != NULL) {
    rpc->on_drained(rpc->drained_ctx);
  }
  rpc_close(rpc);
}

void berthd_rpc_drain(struct berthd_rpc *rpc, void *ctx, void (*on_drained_)(void *ctx)) {
  if (atomic_exchange(&rpc->draining, true)) {
    return;
  }
  rpc->drained_ctx = ctx;
  rpc->on_drained = on_drained_;
  rpc_open(rpc);
  health_close(rpc);
  acceptor_close(&rpc->acceptor);
  event_arm(&rpc->drained, on_drained);
  grpc_server_shutdown_and_notify(rpc->server, rpc->queue, &rpc->drained);
}

void berthd_rpc_cancel_all(struct berthd_rpc *rpc) {
  grpc_server_cancel_all_calls(rpc->server);
}

void berthd_rpc_destroy(struct berthd_rpc *rpc) {
  if (rpc == NULL) {
    return;
  }
  if (rpc->n_threads > 0) {
    berthd_rpc_drain(rpc, NULL, NULL);
    berthd_rpc_cancel_all(rpc);
    rpc_close(rpc);
    pthread_mutex_lock(&rpc->open_lock);
    while (atomic_load(&rpc->n_open) > 0) {
      pthread_cond_wait(&rpc->none_open, &rpc->open_lock);
    }
    pthread_mutex_unlock(&rpc->open_lock);
  }
  lane_destroy(rpc->lane);
  grpc_completion_queue_shutdown(rpc->queue);
  for (unsigned i = 0; i < rpc->n_threads; i++) {
    pthread_join(rpc->threads[i], NULL);
  }
  replies_destroy(rpc->replies);
  grpc_server_destroy(rpc->server);
  if (rpc->n_threads == 0) {
    while (grpc_completion_queue_next(rpc->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
           GRPC_QUEUE_SHUTDOWN) {
    }
  }
  grpc_completion_queue_destroy(rpc->queue);
  grpc_server_credentials_release(rpc->credentials);
  grpc_shutdown();
  tls_destroy(rpc->tls);
  acceptor_finish(&rpc->acceptor);
  health_finish(&rpc->health);
  pthread_cond_destroy(&rpc->none_open);
  pthread_mutex_destroy(&rpc->open_lock);
  free(rpc);
}
