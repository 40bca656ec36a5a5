#include "message.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

void message_finish(struct message *message) {
  free(message->bytes);
  *message = (struct message){0};
}

void put_bytes(struct message *message, const void *bytes, size_t n) {
  if (message->n + n > message->capacity) {
    message->capacity = 2 * (message->n + n) + 64;
    message->bytes = realloc(message->bytes, message->capacity);
    ck_assert_ptr_nonnull(message->bytes);
  }
  if (n > 0) {
    memcpy(message->bytes + message->n, bytes, n);
  }
  message->n += n;
}

void put_varint(struct message *message, uint64_t value) {
  uint8_t bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (uint8_t)(value | 0x80);
    value >>= 7;
  } while (value != 0);
  bytes[n - 1] &= 0x7f;
  put_bytes(message, bytes, n);
}

void put_tag(struct message *message, uint32_t field, unsigned wire_type) {
  put_varint(message, ((uint64_t)field << 3) | wire_type);
}

void put_number(struct message *message, uint32_t field, uint64_t value) {
  put_tag(message, field, WIRE_VARINT);
  put_varint(message, value);
}

void put_field(struct message *message, uint32_t field, const void *bytes, size_t n) {
  put_tag(message, field, WIRE_LENGTH);
  put_varint(message, n);
  put_bytes(message, bytes, n);
}

void put_text(struct message *message, uint32_t field, const char *text) {
  put_field(message, field, text, strlen(text));
}

void put_message(struct message *message, uint32_t field, struct message *inner) {
  put_field(message, field, inner->bytes, inner->n);
  message_finish(inner);
}

void put_64(struct message *message, uint32_t field, size_t n, const uint64_t *values) {
  put_field(message, field, values, n * sizeof *values);
}

void put_32(struct message *message, uint32_t field, size_t n, const uint32_t *values) {
  put_field(message, field, values, n * sizeof *values);
}

void put_varints(struct message *message, uint32_t field, size_t n, const uint64_t *values) {
  struct message packed = {0};
  for (size_t i = 0; i < n; i++) {
    put_varint(&packed, values[i]);
  }
  put_message(message, field, &packed);
}

void put_buffers(struct message *problem, size_t n) {
  uint64_t *column = calloc(n + 1, sizeof *column);
  ck_assert_ptr_nonnull(column);
  for (size_t i = 0; i < n; i++) {
    column[i] = 64;
  }
  put_64(problem, BUFFER_SIZE, n, column);
  for (size_t i = 0; i < n; i++) {
    column[i] = i;
  }
  put_64(problem, BUFFER_LOWER, n, column);
  for (size_t i = 0; i < n; i++) {
    column[i] = i + 2;
  }
  put_64(problem, BUFFER_UPPER, n, column);
  free(column);
}

enum berth_code
decode_problem(struct message *problem, const struct berth_codec_limits *limits, struct berth_error *err) {
  const struct berth_codec codec = {.limits = limits != NULL ? *limits : berth_codec_limits_default()};
  struct berth_codec_compute request;
  struct message whole = {0};
  put_message(&whole, REQUEST_PROBLEM, problem);
  memset(err, 0, sizeof *err);
  enum berth_code code = berth_codec_decode_compute(&codec, whole.bytes, whole.n, &request, err);
  if (code != BERTH_OK) {
    ck_assert_ptr_null(request.problem);
    ck_assert_int_eq(err->code, code);
    ck_assert_msg(err->message[0] != '\0', "no message");
  }
  berth_codec_compute_finish(&request);
  message_finish(&whole);
  return code;
}

void expect_refused(
    struct message *problem, enum berth_code code, enum berth_reason reason, const char *field) {
  struct berth_error err;
  enum berth_code got = decode_problem(problem, NULL, &err);
  ck_assert_msg(
      got == code && err.reason == reason && (field == NULL || strcmp(field, err.field) == 0),
      "got %s %s \"%s\": %s", berth_code_name(got), berth_reason_name(err.reason), err.field, err.message);
}

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct message *message = ctx;
  ck_assert_uint_eq(message->n, 0); /* asked once */
  message->bytes = malloc(n_bytes > 0 ? n_bytes : 1);
  message->n = message->capacity = n_bytes;
  return message->bytes;
}

const struct berth_codec *plain_codec(void) {
  static struct berth_codec codec;
  codec.limits = berth_codec_limits_default();
  return &codec;
}

struct berth_codec_sink sink_of(struct message *message) {
  return (struct berth_codec_sink){.ctx = message, .reserve = reserve};
}
