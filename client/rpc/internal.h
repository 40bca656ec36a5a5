/* The channel inside. */
#ifndef CLIENT_RPC_INTERNAL_H
#define CLIENT_RPC_INTERNAL_H

#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/slice.h>

#include "codec/codec.h"
#include "rpc/rpc.h"

struct berthctl_rpc {
  grpc_channel *channel;
  grpc_completion_queue *queue;
  struct berth_codec codec;
  char *address;
};

bool uses_tls(void);

/* A sink that makes a slice. */
struct request_sink {
  struct berth_codec_sink base;
  grpc_slice slice;
};
void request_sink_init(struct request_sink *sink);

/* What came with an error. */
struct status_details {
  grpc_slice plan; /* berth.v1.Plan of what does not fit */
  bool has_plan;
};

/* One call: sends `request` (and takes it), hands each message of the answer to `on_message`, and ends with
 * the server's status in `err`. An error of `on_message` cancels the call and is returned. */
struct exchange {
  const char *path;
  grpc_slice request;
  const struct berthctl_rpc_call *call; /* may be NULL */
  void *ctx;
  enum berth_code (*on_message)(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err);
  struct status_details details; /* out; finish it */
};
enum berth_code
exchange_run(struct berthctl_rpc *rpc, struct exchange *exchange, struct berth_error *err) BERTH_MUST_USE;
void exchange_finish(struct exchange *exchange);

/* INTERNAL if a unary call ended well without an answer. */
enum berth_code need_message(bool came, struct berth_error *err) BERTH_MUST_USE;

/* Fills `err` from a status and its trailers; `code` is not OK. */
enum berth_code error_from_status(
    const struct berthctl_rpc *rpc, grpc_status_code code, grpc_slice text,
    const grpc_metadata_array *trailers, struct status_details *out_details, struct berth_error *err);

#endif
