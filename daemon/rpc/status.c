/* What a call ends with: a message, or an error with google.rpc.Status in its trailers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "google/rpc/error_details.pb-c.h"
#include "google/rpc/status.pb-c.h"
#include "rpc/internal.h"

#define DOMAIN "berth"
#define TYPE_PREFIX "type.googleapis.com/"
#define DETAILS_KEY "grpc-status-details-bin"
#define PUSHBACK_KEY "grpc-retry-pushback-ms"
#define MAX_METADATA 8
#define MAX_DETAILS 4

/* ---- Slices from malloc: gRPC's own constructor aborts when memory runs out ---- */

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct slice_sink *sink = ctx;
  uint8_t *bytes = malloc(n_bytes > 0 ? n_bytes : 1);
  if (bytes != NULL) {
    grpc_slice_unref(sink->slice);
    sink->slice = grpc_slice_new_with_user_data(bytes, n_bytes, free, bytes);
  }
  return bytes;
}

void slice_sink_init(struct slice_sink *sink) {
  sink->base = (struct berth_codec_sink){.ctx = sink, .reserve = reserve};
  sink->slice = grpc_empty_slice();
}

/* ---- Replies ---- */

void reply_message(struct reply *out, grpc_slice message) {
  *out =
      (struct reply){.code = BERTH_OK, .has_message = true, .message = message, .text = grpc_empty_slice()};
}

void reply_drop(struct reply *reply) {
  if (reply->has_message) {
    grpc_slice_unref(reply->message);
  }
  grpc_slice_unref(reply->text);
  for (size_t i = 0; i < reply->n_trailers; i++) {
    grpc_slice_unref(reply->trailers[i].key);
    grpc_slice_unref(reply->trailers[i].value);
  }
  *reply = (struct reply){.code = reply->code, .text = grpc_empty_slice()};
}

static void add_trailer(struct reply *reply, const char *key, grpc_slice value) {
  grpc_metadata *trailer = &reply->trailers[reply->n_trailers++];
  trailer->key = grpc_slice_from_static_string(key);
  trailer->value = value;
}

/* ---- google.rpc.Status ---- */

struct details {
  Google__Rpc__Status status;
  Google__Protobuf__Any anys[MAX_DETAILS];
  Google__Protobuf__Any *list[MAX_DETAILS];
  uint8_t *packed[MAX_DETAILS];
};

struct info {
  Google__Rpc__ErrorInfo info;
  Google__Rpc__ErrorInfo__MetadataEntry entries[MAX_METADATA];
  Google__Rpc__ErrorInfo__MetadataEntry *list[MAX_METADATA];
  char values[MAX_METADATA][BERTH_FIELD_SIZE];
};

static char *text(const char *literal) { /* protobuf-c only reads it */
  return (char *)(uintptr_t)literal;
}

/* Left out where memory ran out: the code and the text still go. */
static void add_detail(struct details *details, const char *type_url, const ProtobufCMessage *message) {
  size_t n_bytes = protobuf_c_message_get_packed_size(message);
  uint8_t *bytes = malloc(n_bytes > 0 ? n_bytes : 1);
  size_t i = details->status.n_details;
  if (bytes == NULL || i == MAX_DETAILS) {
    free(bytes);
    return;
  }
  protobuf_c_message_pack(message, bytes);
  google__protobuf__any__init(&details->anys[i]);
  details->anys[i].type_url = text(type_url);
  details->anys[i].value = (ProtobufCBinaryData){.len = n_bytes, .data = bytes};
  details->packed[i] = bytes;
  details->list[i] = &details->anys[i];
  details->status.n_details = i + 1;
}

static void add_metadata(struct info *info, const char *key, uint64_t value) {
  size_t i = info->info.n_metadata;
  if (i == MAX_METADATA) {
    return;
  }
  snprintf(info->values[i], sizeof info->values[i], "%" PRIu64, value);
  google__rpc__error_info__metadata_entry__init(&info->entries[i]);
  info->entries[i].key = text(key);
  info->entries[i].value = info->values[i];
  info->list[i] = &info->entries[i];
  info->info.n_metadata = i + 1;
}

static void add_info(
    struct details *details, const struct berth_error *err, const struct berth_codec_plan *plan,
    uint64_t capacity_bytes) {
  struct info info;
  google__rpc__error_info__init(&info.info);
  info.info.reason = text(berth_reason_name(err->reason));
  info.info.domain = text(DOMAIN);
  info.info.metadata = info.list;
  if (err->index != BERTH_NO_INDEX) {
    add_metadata(&info, "index", err->index);
  }
  if (plan != NULL) {
    if (capacity_bytes != BERTH_UNLIMITED) {
      add_metadata(&info, "capacity_bytes", capacity_bytes);
    }
    add_metadata(&info, "lower_bound_bytes", plan->plan->lower_bound_bytes);
    add_metadata(&info, "short_by_bytes", plan->plan->short_by_bytes);
    if (plan->plan->n_culprits > 0) {
      add_metadata(&info, "culprit", plan->plan->culprits[0]);
    }
  }
  add_detail(details, TYPE_PREFIX "google.rpc.ErrorInfo", &info.info.base);
}

static void add_bad_request(struct details *details, const struct berth_error *err) {
  if (err->field[0] == '\0') {
    return;
  }
  Google__Rpc__BadRequest__FieldViolation violation = GOOGLE__RPC__BAD_REQUEST__FIELD_VIOLATION__INIT;
  Google__Rpc__BadRequest__FieldViolation *list = &violation;
  Google__Rpc__BadRequest request = GOOGLE__RPC__BAD_REQUEST__INIT;
  violation.field = text(err->field);
  violation.description = text(err->message);
  request.n_field_violations = 1;
  request.field_violations = &list;
  add_detail(details, TYPE_PREFIX "google.rpc.BadRequest", &request.base);
}

static void add_retry(struct details *details, uint32_t retry_after_ms) {
  Google__Protobuf__Duration delay = GOOGLE__PROTOBUF__DURATION__INIT;
  Google__Rpc__RetryInfo retry = GOOGLE__RPC__RETRY_INFO__INIT;
  delay.seconds = retry_after_ms / 1000;
  delay.nanos = (int32_t)(retry_after_ms % 1000 * 1000000);
  retry.retry_delay = &delay;
  add_detail(details, TYPE_PREFIX "google.rpc.RetryInfo", &retry.base);
}

/* The figures of a plan that does not fit, without its columns: trailers are small. */
static void add_plan(struct details *details, const struct berth_codec_plan *plan) {
  struct berth_plan figures = *plan->plan;
  struct berth_codec_plan bare = *plan;
  struct slice_sink sink;
  figures.n_buffers = 0;
  figures.pool = NULL;
  figures.offset = NULL;
  figures.slot = NULL;
  bare.plan = &figures;
  slice_sink_init(&sink);
  if (berth_codec_encode_plan(&bare, NULL, &sink.base, NULL) == BERTH_OK) {
    size_t i = details->status.n_details;
    size_t n_bytes = GRPC_SLICE_LENGTH(sink.slice);
    uint8_t *bytes = malloc(n_bytes);
    if (bytes != NULL && i < MAX_DETAILS) {
      memcpy(bytes, GRPC_SLICE_START_PTR(sink.slice), n_bytes);
      google__protobuf__any__init(&details->anys[i]);
      details->anys[i].type_url = text(TYPE_PREFIX "berth.v1.Plan");
      details->anys[i].value = (ProtobufCBinaryData){.len = n_bytes, .data = bytes};
      details->packed[i] = bytes;
      details->list[i] = &details->anys[i];
      details->status.n_details = i + 1;
    }
  }
  grpc_slice_unref(sink.slice);
}

static void add_details_trailer(struct reply *out, struct details *details) {
  struct slice_sink sink;
  slice_sink_init(&sink);
  details->status.details = details->list;
  size_t n_bytes = protobuf_c_message_get_packed_size(&details->status.base);
  uint8_t *bytes = sink.base.reserve(sink.base.ctx, n_bytes);
  if (bytes != NULL) {
    protobuf_c_message_pack(&details->status.base, bytes);
    add_trailer(out, DETAILS_KEY, sink.slice);
  }
}

void reply_error(
    struct reply *out, const struct berth_error *err, uint32_t retry_after_ms,
    const struct berth_codec_plan *plan, uint64_t capacity_bytes) {
  struct details details;
  *out = (struct reply){.code = err->code, .text = grpc_slice_from_copied_string(err->message)};
  google__rpc__status__init(&details.status);
  details.status.code = (int32_t)err->code;
  details.status.message = text(err->message);
  add_info(&details, err, plan, capacity_bytes);
  if (err->code == BERTH_INVALID_ARGUMENT || err->reason == BERTH_REASON_LIMIT_EXCEEDED) {
    add_bad_request(&details, err);
  }
  if (plan != NULL) {
    add_plan(&details, plan);
  }
  if (retry_after_ms > 0) {
    add_retry(&details, retry_after_ms);
  }
  add_details_trailer(out, &details);
  for (size_t i = 0; i < details.status.n_details; i++) {
    free(details.packed[i]);
  }
  if (retry_after_ms > 0) {
    char pushback[16];
    snprintf(pushback, sizeof pushback, "%" PRIu32, retry_after_ms);
    add_trailer(out, PUSHBACK_KEY, grpc_slice_from_copied_string(pushback));
  }
}
