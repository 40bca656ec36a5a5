/* Messages made byte by byte, also such as no encoder makes. */
#ifndef TESTS_MESSAGE_H
#define TESTS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2, WIRE_GROUP = 3, WIRE_32 = 5 };

struct message {
  uint8_t *bytes;
  size_t n;
  size_t capacity;
};

void message_finish(struct message *message);
void put_bytes(struct message *message, const void *bytes, size_t n);
void put_varint(struct message *message, uint64_t value);
void put_tag(struct message *message, uint32_t field, unsigned wire_type);
void put_number(struct message *message, uint32_t field, uint64_t value);
void put_field(struct message *message, uint32_t field, const void *bytes, size_t n);
void put_text(struct message *message, uint32_t field, const char *text);
/* Takes the inner message and empties it. */
void put_message(struct message *message, uint32_t field, struct message *inner);
/* Packed columns; `...64` and `...32` are fixed width, the other is of varints. */
void put_64(struct message *message, uint32_t field, size_t n, const uint64_t *values);
void put_32(struct message *message, uint32_t field, size_t n, const uint32_t *values);
void put_varints(struct message *message, uint32_t field, size_t n, const uint64_t *values);

/* Numbers of fields. */
enum {
  REQUEST_PROBLEM = 1,
  REQUEST_OPTIONS = 2,
  PROBLEM_NAME = 1,
  PROBLEM_POOLS = 2,
  POOL_NAME = 1,
  BUFFER_SIZE = 10,
  BUFFER_LOWER = 11,
  BUFFER_UPPER = 12,
  BUFFER_ALIGNMENT = 13,
  BUFFER_CLASS = 14,
  BUFFER_ID_TEXT = 15,
  BUFFER_ID_END = 16,
  BUFFER_POOL_END = 17,
  BUFFER_POOL = 18,
  PIN_BUFFER = 20,
  PIN_OFFSET = 21,
  GAP_BUFFER = 22,
  GAP_LOWER = 23,
  GAP_UPPER = 24,
  CONFLICT_A = 27,
  CONFLICT_B = 28,
  VALUE_SIZE = 40,
  VALUE_CLASS = 42,
  OPERATOR_INPUT_END = 60,
  OPERATOR_INPUT = 61,
  OPERATOR_OUTPUT_END = 62,
  OPERATOR_OUTPUT = 63,
  INPLACE_OPERATOR = 70,
  INPLACE_INPUT = 71,
  INPLACE_OUTPUT = 72,
};

/* A Problem with `n` buffers of 64 bytes, buffer i during [i, i + 2). */
void put_buffers(struct message *problem, size_t n);

/* Decodes a ComputePlanRequest with this problem (which it takes) under the limits (NULL: the defaults). */
enum berth_code
decode_problem(struct message *problem, const struct berth_codec_limits *limits, struct berth_error *err);
/* The same, and checks what is said. `field` NULL: any. */
void expect_refused(
    struct message *problem, enum berth_code code, enum berth_reason reason, const char *field);

/* With the default limits. */
const struct berth_codec *plain_codec(void);
struct berth_codec_sink sink_of(struct message *message);

#endif
