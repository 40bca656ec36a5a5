/* The server inside: the queue's events, one call's life, and what the methods share. */
#ifndef RPC_INTERNAL_H
#define RPC_INTERNAL_H

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <protobuf-c/protobuf-c.h>
#include <pthread.h>
#include <stdatomic.h>

#include "codec/codec.h"
#include "core/core.h"
#include "metrics/metrics.h"
#include "rpc/acceptor.h"
#include "rpc/rpc.h"

#define POSTED_PER_METHOD 256
#define POSTED_REPORT 64
#define POSTED_UNKNOWN 32
#define HEAVY_BYTES ((size_t)256 << 10) /* requests from here on are decoded off the queue's threads */

/* ---- Events of the completion queue: the tag is one of these ---- */

struct event;
typedef void (*event_run)(struct event *event, bool ok);

/* The store and the load order what a thread wrote before it started a batch with what the queue's thread
 * reads when the batch is done. gRPC's queue does so too, but in a way that no tool sees. */
struct event {
  _Atomic(event_run) run;
};

static inline void event_arm(struct event *event, event_run run) {
  atomic_store_explicit(&event->run, run, memory_order_release);
}

static inline void event_fire(struct event *event, bool ok) {
  atomic_load_explicit(&event->run, memory_order_acquire)(event, ok);
}

#define CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* ---- Methods ---- */

struct call;

struct method {
  const char *path; /* NULL: every path that is not registered */
  enum berthd_label_METHOD label;
  bool has_payload; /* the first message comes with the call */
  unsigned n_posted;
  void (*start)(struct call *call); /* on the queue's thread */
};

enum { N_METHODS = 17 };
extern const struct method METHODS[N_METHODS]; /* server.c */

/* ---- Calls ---- */

enum { MAX_TRAILERS = 2 };

/* What a call ends with. A response, or an error. Owned by whoever holds it; given to call_finish. */
struct reply {
  enum berth_code code;
  bool has_message;
  grpc_slice message;
  grpc_slice text; /* of the status */
  size_t n_trailers;
  grpc_metadata trailers[MAX_TRAILERS];
};

struct call {
  struct berthd_rpc *rpc;
  const struct method *method;
  atomic_uint n_refs;

  /* Filled by gRPC when the call comes. */
  grpc_call *call;
  gpr_timespec deadline;
  grpc_metadata_array metadata;
  grpc_byte_buffer *payload;
  grpc_call_details details; /* of unknown methods */
  int64_t started_ns;
  uint64_t id; /* in the log */

  struct event came;
  struct event closed;   /* RECV_CLOSE_ON_SERVER */
  struct event written;  /* a message that is not the last */
  struct event finished; /* the status */
  struct event received; /* a message of a stream from the client */

  /* Under the lock: batches of one call must not be started at the same time. */
  pthread_mutex_t lock;
  bool close_started;
  bool metadata_sent;
  bool writing;
  bool ended; /* the status is on its way, or waits for a write to end */
  bool has_reply;
  struct reply reply;
  grpc_byte_buffer *sending; /* the message of the batch under way */
  bool has_next; /* the latest message that could not be written yet; an older one is dropped for it */
  grpc_slice next;
  bool sends_next_last; /* what waits is written before the status, and not dropped for it */
  struct berthd_request *request;
  void (*on_written)(struct call *call); /* may be NULL */
  void (*on_closed)(struct call *call);  /* the client is gone, or all is sent; may be NULL */

  int cancelled;
  bool lacks_payload; /* no message came with it: the client sent none, or was gone before it came */
  bool heavy;         /* the lane has it */
  struct call *next_in_lane;

  /* Of one method each. */
  struct berth_problem *problem; /* for the reply, as the next */
  const struct berth_stable *stable;
  uint64_t capacity_bytes;
  struct variants *variants;
  const grpc_slice *request_bytes; /* the key of the reply cache, while it is decoded and submitted */
  uint64_t request_hash;
  bool stream;
  struct call *watch_next; /* health, reflection */
  struct call *watch_previous;
  bool watching;
  int watched_status;
  unsigned watched_service;
  grpc_byte_buffer *incoming; /* reflection */
};

/* Posts one more request for a method; what cannot be posted now is tried again when the next call comes, to
 * whatever method. */
void call_post(struct berthd_rpc *rpc, const struct method *method);
struct call *call_ref(struct call *call);
void call_unref(struct call *call);

/* Asks to be told when the client leaves. After it, call->on_closed or the cancellation of call->request. */
void call_watch_close(struct call *call);

/* Sends a message that is not the last; while one is under way only the newest waits. Takes the slice. Any
 * thread. */
void call_write(struct call *call, grpc_slice message);

/* Ends the call, once; later replies are dropped. Takes what the reply holds. Any thread. */
void call_finish(struct call *call, struct reply *reply);
void call_fail(struct call *call, const struct berth_error *err);

/* The deadline on CLOCK_MONOTONIC, or BERTHD_NO_DEADLINE. */
int64_t call_deadline_ns(const struct call *call);
int64_t monotonic_ns(void);

/* ---- Replies (status.c) ---- */

void reply_message(struct reply *out, grpc_slice message);
/* With google.rpc.Status in the trailers: ErrorInfo, BadRequest, RetryInfo; `retry_after_ms` 0 leaves out the
 * last. `plan` (or NULL) goes with it for what does not fit. */
void reply_error(
    struct reply *out, const struct berth_error *err, uint32_t retry_after_ms,
    const struct berth_codec_plan *plan, uint64_t capacity_bytes);
void reply_drop(struct reply *reply);

/* A sink that makes a slice and refuses where memory ran out. */
struct slice_sink {
  struct berth_codec_sink base;
  grpc_slice slice;
};
void slice_sink_init(struct slice_sink *sink);

/* ---- Request bytes (inflate.c) ---- */

/* The payload in one piece, inflated under the limit where it is compressed. The caller unrefs *out_bytes. */
enum berth_code payload_bytes(
    grpc_byte_buffer *payload, uint64_t limit_bytes, grpc_slice *out_bytes,
    struct berth_error *err) BERTH_MUST_USE;
bool payload_is_compressed(const grpc_byte_buffer *payload);

/* Foreign messages of a few bytes: scanned and decoded under a small cap. Freed with
 * protobuf_c_message_free_unpacked(message, &memory->base). */
struct berth_codec_memory;
enum berth_code unpack_small(
    const ProtobufCMessageDescriptor *descriptor, grpc_byte_buffer *payload,
    struct berth_codec_memory *memory, ProtobufCMessage **out_message,
    struct berth_error *err) BERTH_MUST_USE;
/* False if memory ran out. */
bool pack_small(const ProtobufCMessage *message, grpc_slice *out_message);

/* ---- The lane: one thread for what is heavy (lane.c) ---- */

struct lane;
struct lane *lane_create(void);
/* Calls `call->method->start` again on the lane's thread, with call->heavy set. */
void lane_push(struct lane *lane, struct call *call);
void lane_destroy(struct lane *lane); /* waits for what is in it */

/* Ends a unary call that is answered where it comes in: `answer` decodes the request's bytes and encodes into
 * the sink. What it refuses as malformed or over a limit is counted. */
typedef enum berth_code answer_fn(
    struct berthd_rpc *rpc, const uint8_t *bytes, size_t n_bytes, const struct berth_codec_sink *sink,
    struct berth_error *err);
void answer_at_once(struct call *call, answer_fn *answer);

/* True: the call has gone to the lane, and `start` runs again there. */
bool to_lane(struct call *call);
void count_refusal(struct berthd_rpc *rpc, const struct berth_error *err);

/* ---- Replies by the bytes of their request (replies.c) ---- */

struct replies;
struct replies *replies_create(uint64_t limit_bytes, struct berthd_metrics *metrics); /* NULL: none */
void replies_destroy(struct replies *replies);
uint64_t replies_hash(const struct replies *replies, const uint8_t *bytes, size_t n_bytes);
/* True, with a reference to the reply, if these bytes were answered with the plan that the core still has. */
bool replies_find(
    struct replies *replies, struct berthd_core *core, uint64_t hash, grpc_slice request,
    grpc_slice *out_reply);
void replies_put(
    struct replies *replies, uint64_t hash, grpc_slice request, const struct berth_planid *id,
    uint64_t serial, grpc_slice reply);

/* Holds a budget against the server's; 0 stands for the server's own. */
enum berth_code settle_budget(
    const struct berthd_rpc *rpc, struct berth_solve_options *options,
    struct berth_error *err) BERTH_MUST_USE;
/* The judge refused what a search found: counts it, and is the error. */
enum berth_code refuse_plan(const struct berthd_rpc *rpc, const char *what, struct berth_error *err);

/* ---- Health (health.c) ---- */

struct health {
  pthread_mutex_t lock;
  bool serving;
  bool closing;
  struct call *watchers;
};
void health_init(struct health *health);
void health_finish(struct health *health);
void health_set(struct berthd_rpc *rpc, bool serving);
/* Tells NOT_SERVING and ends the watches, and whatever else joined. */
void health_close(struct berthd_rpc *rpc);

/* Streams without an end of their own: the drain ends those that joined. False: it has begun, and the call is
 * ended. */
bool endless_join(struct call *call);
/* True the first time, and then the caller unrefs the call once more. */
bool endless_leave(struct call *call);

/* ---- Handlers ---- */

void compute_start(struct call *call);
void stream_start(struct call *call);
void get_start(struct call *call);
void verify_start(struct call *call);
void explain_start(struct call *call);
void diff_start(struct call *call);
void list_start(struct call *call);
void batch_start(struct call *call);
void delete_start(struct call *call);
void measure_start(struct call *call);
void largest_start(struct call *call);
void variants_start(struct call *call);
struct variants;
void variants_destroy(struct variants *variants); /* NULL is fine */
void health_check_start(struct call *call);
void health_watch_start(struct call *call);
void reflection_start(struct call *call);
void unknown_start(struct call *call);

/* ---- The server ---- */

struct berthd_rpc {
  struct berthd_rpc_config config;
  struct berth_codec codec;
  struct berthd_core *core;
  struct berthd_metrics *metrics;
  grpc_server *server;
  grpc_completion_queue *queue;
  grpc_server_credentials *credentials;
  struct tls *tls; /* NULL: none */
  struct acceptor acceptor;
  pthread_t threads[2];
  unsigned n_threads;
  atomic_bool draining;
  struct lane *lane;
  struct replies *replies;
  struct health health;
  void *registrations[N_METHODS]; /* gRPC's */
  atomic_uint n_unposted[N_METHODS];
  struct event drained;
  void *drained_ctx;
  void (*on_drained)(void *ctx);
  atomic_uint_fast64_t n_calls; /* numbers them, for the log */
  atomic_uint_fast64_t n_open;  /* calls that came, the drain, and one for the server itself */
  pthread_mutex_t open_lock;
  pthread_cond_t none_open;
};

/* Keeps count of what must end before the server can be destroyed. */
void rpc_open(struct berthd_rpc *rpc);
void rpc_close(struct berthd_rpc *rpc);

#endif
