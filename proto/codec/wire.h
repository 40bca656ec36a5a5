/* A look at a message's bytes before protobuf-c sees them, guided by its descriptor.
 *
 * protobuf-c takes what it should refuse: it merges repeated singular submessages in quadratic time, has no
 * limit on fields, lets through text that is not UTF-8 or holds NUL, cuts numbers that are too long for their
 * field, and keeps fields that it does not know. The scan refuses all of that in one linear pass without
 * allocating, so that what follows can trust the shape. Columns are counted here too, and held against
 * limits. */
#ifndef CODEC_WIRE_H
#define CODEC_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "berth/status.h"

#define BERTH_WIRE_MAX_DEPTH 8

/* At most this many entries (repeated fields) or bytes (text). Fields without a rule are bounded by the
 * message. */
struct berth_wire_rule {
  const ProtobufCMessageDescriptor *message;
  uint32_t field;
  uint64_t most;
};

struct berth_wire_policy {
  uint64_t max_fields;
  bool allow_unknown; /* a reader of answers may skip what it does not know; a planner must not ignore a
                         constraint */
  const struct berth_wire_rule *rules;
  size_t n_rules;
};

/* BERTH_OK, INVALID_ARGUMENT, or RESOURCE_EXHAUSTED for what is over a limit; err->field is the path. */
enum berth_code berth_wire_scan(
    const ProtobufCMessageDescriptor *descriptor, const struct berth_wire_policy *policy,
    const uint8_t *bytes, size_t n_bytes, struct berth_error *err) BERTH_MUST_USE;

#endif
