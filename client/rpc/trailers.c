/* A status with its details -> struct berth_error. */
#include <stdlib.h>
#include <string.h>

#include "codec/memory.h"
#include "codec/wire.h"
#include "google/rpc/error_details.pb-c.h"
#include "google/rpc/status.pb-c.h"
#include "rpc/internal.h"

#define DETAILS_KEY "grpc-status-details-bin"
#define DOMAIN "berth"
#define MAX_MEMORY ((size_t)1 << 20)

static ProtobufCMessage *unpack(
    const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t n,
    struct berth_codec_memory *memory) {
  const struct berth_wire_policy policy = {.max_fields = 1024, .allow_unknown = true};
  berth_codec_memory_init(memory, NULL, MAX_MEMORY);
  if (berth_wire_scan(descriptor, &policy, bytes, n, NULL) != BERTH_OK) {
    return NULL;
  }
  return protobuf_c_message_unpack(descriptor, &memory->base, n, bytes);
}

static bool is_type(const Google__Protobuf__Any *any, const char *name) {
  const char *slash = strrchr(any->type_url, '/');
  return strcmp(slash != NULL ? slash + 1 : any->type_url, name) == 0;
}

static void read_info(const Google__Protobuf__Any *any, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message =
      unpack(&google__rpc__error_info__descriptor, any->value.data, any->value.len, &memory);
  if (message == NULL) {
    return;
  }
  const Google__Rpc__ErrorInfo *info = (const Google__Rpc__ErrorInfo *)message;
  if (strcmp(info->domain, DOMAIN) == 0) {
    err->reason = berth_reason_parse(info->reason);
    for (size_t i = 0; i < info->n_metadata; i++) {
      if (strcmp(info->metadata[i]->key, "index") == 0) {
        err->index = (uint32_t)strtoul(info->metadata[i]->value, NULL, 10);
      }
    }
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
}

static void read_bad_request(const Google__Protobuf__Any *any, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message =
      unpack(&google__rpc__bad_request__descriptor, any->value.data, any->value.len, &memory);
  if (message == NULL) {
    return;
  }
  const Google__Rpc__BadRequest *request = (const Google__Rpc__BadRequest *)message;
  if (request->n_field_violations > 0) {
    const char *field = request->field_violations[0]->field;
    size_t n = strnlen(field, sizeof err->field - 1);
    memcpy(err->field, field, n);
    err->field[n] = '\0';
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
}

static void read_details(grpc_slice bytes, struct status_details *out, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message = unpack(
      &google__rpc__status__descriptor, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), &memory);
  if (message == NULL) {
    return;
  }
  const Google__Rpc__Status *status = (const Google__Rpc__Status *)message;
  for (size_t i = 0; i < status->n_details; i++) {
    const Google__Protobuf__Any *any = status->details[i];
    if (is_type(any, "google.rpc.ErrorInfo")) {
      read_info(any, err);
    } else if (is_type(any, "google.rpc.BadRequest")) {
      read_bad_request(any, err);
    } else if (is_type(any, "berth.v1.Plan") && !out->has_plan) {
      out->plan = grpc_slice_from_copied_buffer((const char *)any->value.data, any->value.len);
      out->has_plan = true;
    }
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
}

/* With TLS 1.3 a server that does not want the client's certificate hangs up after the handshake, before it
 * has said a word of HTTP/2: that is no connection yet, and no port that is closed either. */
static bool is_refusal(const char *text) {
  bool was_cut = strstr(text, "failed to connect") != NULL &&
                 (strstr(text, "Socket closed") != NULL || strstr(text, "reset by peer") != NULL ||
                  strstr(text, "Broken pipe") != NULL);
  return was_cut || strstr(text, "andshake") != NULL || strstr(text, "ertificate") != NULL;
}

/* Without details the status is not our server's but the transport's. */
static void explain_transport(
    const struct berthctl_rpc *rpc, enum berth_code code, const char *text, struct berth_error *err) {
  switch (code) {
  case BERTH_UNAVAILABLE:
    if (uses_tls() && is_refusal(text)) {
      berth_fail(
          err, BERTH_UNAUTHENTICATED, BERTH_REASON_NONE, BERTH_NO_INDEX, NULL,
          "the server at %.80s and this client do not accept each other's certificates: %s", rpc->address,
          text);
      break;
    }
    berth_fail(
        err, code, BERTH_REASON_NONE, BERTH_NO_INDEX, NULL, "the server at %.80s cannot be reached: %s",
        rpc->address, text);
    break;
  case BERTH_DEADLINE_EXCEEDED:
    berth_fail(
        err, code, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
        "the deadline passed before the server at %.80s answered", rpc->address);
    break;
  case BERTH_UNIMPLEMENTED:
    berth_fail(
        err, code, BERTH_REASON_UNKNOWN_METHOD, BERTH_NO_INDEX, NULL,
        "the server at %.80s is no berthd of this kind: %s", rpc->address, text);
    break;
  default:
    break;
  }
}

enum berth_code error_from_status(
    const struct berthctl_rpc *rpc, grpc_status_code status, grpc_slice text,
    const grpc_metadata_array *trailers, struct status_details *out_details, struct berth_error *err) {
  struct berth_error unused;
  struct berth_error *to = err != NULL ? err : &unused;
  char words[BERTH_MESSAGE_SIZE];
  size_t n = GRPC_SLICE_LENGTH(text);
  n = n < sizeof words ? n : sizeof words - 1;
  memcpy(words, GRPC_SLICE_START_PTR(text), n);
  words[n] = '\0';
  enum berth_code code = (unsigned)status <= BERTH_UNAUTHENTICATED ? (enum berth_code)status : BERTH_UNKNOWN;
  berth_fail(to, code, BERTH_REASON_NONE, BERTH_NO_INDEX, NULL, "%s", words);
  bool has_details = false;
  for (size_t i = 0; i < trailers->count; i++) {
    if (grpc_slice_str_cmp(trailers->metadata[i].key, DETAILS_KEY) == 0) {
      read_details(trailers->metadata[i].value, out_details, to);
      has_details = true;
    }
  }
  if (!has_details) {
    explain_transport(rpc, code, words, to);
  }
  return to->code;
}
