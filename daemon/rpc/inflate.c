/* Request bytes. gRPC's own decompression has no limit, so it is off, and compressed messages are inflated
 * here, under the same limit as messages that come plain. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "rpc/internal.h"

#define GZIP_WINDOW (15 + 16)
#define ZLIB_WINDOW 15
#define FIRST_OUTPUT ((size_t)64 << 10)

bool payload_is_compressed(const grpc_byte_buffer *payload) {
  return payload->data.raw.compression != GRPC_COMPRESS_NONE;
}

static enum berth_code over_limit(uint64_t limit_bytes, struct berth_error *err) {
  return berth_fail(
      err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, NULL,
      "the message has more than the limit of %llu bytes", (unsigned long long)limit_bytes);
}

struct output {
  uint8_t *bytes;
  size_t n_bytes;
  size_t capacity;
  uint64_t limit;
};

/* One byte more than the limit is taken, to see whether there is one. */
static enum berth_code make_room(struct output *output, struct berth_error *err) {
  if (output->n_bytes < output->capacity) {
    return BERTH_OK;
  }
  if (output->capacity > output->limit) {
    return over_limit(output->limit, err);
  }
  size_t capacity = output->capacity > 0 ? 2 * output->capacity : FIRST_OUTPUT;
  if (capacity > output->limit) {
    capacity = (size_t)output->limit + 1;
  }
  uint8_t *bytes = realloc(output->bytes, capacity);
  if (bytes == NULL) {
    return berth_fail_memory(err);
  }
  output->bytes = bytes;
  output->capacity = capacity;
  return BERTH_OK;
}

static enum berth_code corrupt(struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL,
      "the compressed message cannot be inflated");
}

static enum berth_code
inflate_slice(z_stream *z, grpc_slice slice, struct output *output, bool *ended, struct berth_error *err) {
  z->next_in = GRPC_SLICE_START_PTR(slice);
  z->avail_in = (uInt)GRPC_SLICE_LENGTH(slice);
  while (z->avail_in > 0 || !*ended) {
    if (*ended) {
      return corrupt(err); /* bytes after the end */
    }
    enum berth_code code = make_room(output, err);
    if (code != BERTH_OK) {
      return code;
    }
    size_t room = output->capacity - output->n_bytes;
    uInt asked = room < (1u << 30) ? (uInt)room : 1u << 30;
    z->next_out = output->bytes + output->n_bytes;
    z->avail_out = asked;
    int result = inflate(z, Z_NO_FLUSH);
    output->n_bytes += asked - z->avail_out;
    if (result == Z_STREAM_END) {
      *ended = true;
    } else if (result == Z_BUF_ERROR || (result == Z_OK && z->avail_in == 0 && z->avail_out > 0)) {
      return BERTH_OK; /* wants more input */
    } else if (result != Z_OK) {
      return result == Z_MEM_ERROR ? berth_fail_memory(err) : corrupt(err);
    }
  }
  return BERTH_OK;
}

static enum berth_code inflate_payload(
    grpc_byte_buffer *payload, uint64_t limit_bytes, grpc_slice *out_bytes, struct berth_error *err) {
  z_stream z = {0};
  bool gzip = payload->data.raw.compression == GRPC_COMPRESS_GZIP;
  if (inflateInit2(&z, gzip ? GZIP_WINDOW : ZLIB_WINDOW) != Z_OK) {
    return berth_fail_memory(err);
  }
  struct output output = {.limit = limit_bytes};
  enum berth_code code = BERTH_OK;
  bool ended = false;
  grpc_slice_buffer *slices = &payload->data.raw.slice_buffer;
  for (size_t i = 0; code == BERTH_OK && i < slices->count; i++) {
    if (GRPC_SLICE_LENGTH(slices->slices[i]) > 0) {
      code = inflate_slice(&z, slices->slices[i], &output, &ended, err);
    }
  }
  inflateEnd(&z);
  if (code == BERTH_OK && !ended) {
    code = corrupt(err);
  }
  if (code == BERTH_OK && output.n_bytes > limit_bytes) {
    code = over_limit(limit_bytes, err);
  }
  if (code != BERTH_OK) {
    free(output.bytes);
    return code;
  }
  *out_bytes = grpc_slice_new_with_user_data(output.bytes, output.n_bytes, free, output.bytes);
  return BERTH_OK;
}

static enum berth_code join(grpc_byte_buffer *payload, grpc_slice *out_bytes, struct berth_error *err) {
  grpc_slice_buffer *slices = &payload->data.raw.slice_buffer;
  if (slices->count == 1) {
    *out_bytes = grpc_slice_ref(slices->slices[0]);
    return BERTH_OK;
  }
  uint8_t *bytes = malloc(slices->length > 0 ? slices->length : 1);
  if (bytes == NULL) {
    return berth_fail_memory(err);
  }
  size_t n = 0;
  for (size_t i = 0; i < slices->count; i++) {
    memcpy(bytes + n, GRPC_SLICE_START_PTR(slices->slices[i]), GRPC_SLICE_LENGTH(slices->slices[i]));
    n += GRPC_SLICE_LENGTH(slices->slices[i]);
  }
  *out_bytes = grpc_slice_new_with_user_data(bytes, n, free, bytes);
  return BERTH_OK;
}

enum berth_code payload_bytes(
    grpc_byte_buffer *payload, uint64_t limit_bytes, grpc_slice *out_bytes, struct berth_error *err) {
  if (payload == NULL) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, NULL,
        "the call has no message");
  }
  if (payload_is_compressed(payload)) {
    return inflate_payload(payload, limit_bytes, out_bytes, err);
  }
  return payload->data.raw.slice_buffer.length > limit_bytes ? over_limit(limit_bytes, err)
                                                             : join(payload, out_bytes, err);
}
