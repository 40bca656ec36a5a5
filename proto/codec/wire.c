/* One frame a message on the way down; each field is a tag, a checked length and a checked content. */
#include "codec/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/text.h"

#define MAX_FIELDS_OF_A_MESSAGE 160
#define WIRE_TYPE_BITS 3
#define SHORT_VARINT_BYTES 5
#define MAX_FIELD_NUMBER UINT64_C(0x1fffffff)

struct frame {
  const struct frame *parent;
  const ProtobufCMessageDescriptor *descriptor;
  const ProtobufCFieldDescriptor *field; /* the one being looked at */
  uint64_t counts[MAX_FIELDS_OF_A_MESSAGE];
};

struct scan {
  const struct berth_wire_policy *policy;
  struct berth_error *err;
  uint64_t n_fields;
};

struct cursor {
  const uint8_t *at;
  const uint8_t *end;
};

/* "problem.pools[2].name" */
static void write_path(const struct frame *frame, char *out, size_t capacity) {
  const struct frame *chain[BERTH_WIRE_MAX_DEPTH];
  size_t n = 0;
  for (; frame != NULL && n < BERTH_WIRE_MAX_DEPTH; frame = frame->parent) {
    chain[n++] = frame;
  }
  size_t used = 0;
  out[0] = '\0';
  while (n > 0 && used < capacity) {
    const struct frame *f = chain[--n];
    if (f->field == NULL) {
      break;
    }
    used += (size_t)snprintf(out + used, capacity - used, "%s%s", used > 0 ? "." : "", f->field->name);
    bool one_of_many =
        f->field->label == PROTOBUF_C_LABEL_REPEATED && f->field->type == PROTOBUF_C_TYPE_MESSAGE;
    if (one_of_many && used < capacity) {
      uint64_t index = f->counts[f->field - f->descriptor->fields];
      used += (size_t)snprintf(out + used, capacity - used, "[%" PRIu64 "]", index - (index > 0));
    }
  }
}

static enum berth_code fail(
    const struct scan *scan, const struct frame *frame, enum berth_code code, enum berth_reason reason,
    const char *what) {
  char path[BERTH_FIELD_SIZE];
  write_path(frame, path, sizeof path);
  return berth_fail(
      scan->err, code, reason, BERTH_NO_INDEX, path, "%s%s%s", path, path[0] != '\0' ? ": " : "", what);
}

static enum berth_code malformed(const struct scan *scan, const struct frame *frame, const char *what) {
  return fail(scan, frame, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, what);
}

/* False if truncated or longer than 64 bits. */
static bool read_varint(struct cursor *cursor, uint64_t *out) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
    uint8_t byte = *cursor->at++;
    if (shift == 63 && byte > 1) {
      return false;
    }
    value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      *out = value;
      return true;
    }
  }
  return false;
}

/* Of a tag or a length: protobuf-c takes five bytes of them at most. */
static bool read_short_varint(struct cursor *cursor, uint64_t *out) {
  const uint8_t *begin = cursor->at;
  return read_varint(cursor, out) && cursor->at - begin <= SHORT_VARINT_BYTES;
}

static unsigned natural_wire_type(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_FIXED32:
  case PROTOBUF_C_TYPE_SFIXED32:
  case PROTOBUF_C_TYPE_FLOAT:
    return PROTOBUF_C_WIRE_TYPE_32BIT;
  case PROTOBUF_C_TYPE_FIXED64:
  case PROTOBUF_C_TYPE_SFIXED64:
  case PROTOBUF_C_TYPE_DOUBLE:
    return PROTOBUF_C_WIRE_TYPE_64BIT;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_BYTES:
  case PROTOBUF_C_TYPE_MESSAGE:
    return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
  default:
    return PROTOBUF_C_WIRE_TYPE_VARINT;
  }
}

/* protobuf-c would cut these to 32 bits, and an index of 2^32 + 5 would name entry 5. */
static bool fits(const ProtobufCFieldDescriptor *field, uint64_t value) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_UINT32:
    return value <= UINT32_MAX;
  case PROTOBUF_C_TYPE_INT32:
    return value <= INT32_MAX || value >= UINT64_MAX - (uint64_t)INT32_MAX;
  case PROTOBUF_C_TYPE_ENUM:
    return value <= INT32_MAX && protobuf_c_enum_descriptor_get_value(field->descriptor, (int)value) != NULL;
  case PROTOBUF_C_TYPE_BOOL:
    return value <= 1;
  default:
    return true;
  }
}

static enum berth_code bad_value(const struct scan *scan, const struct frame *frame, uint64_t value) {
  char what[96];
  snprintf(
      what, sizeof what, "%" PRIu64 " is not %s", value,
      frame->field->type == PROTOBUF_C_TYPE_ENUM ? "a value of this enumeration" : "in the field's range");
  return fail(scan, frame, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, what);
}

/* Adds entries or bytes to the field's count and holds the sum against its rule. */
static enum berth_code count(const struct scan *scan, struct frame *frame, uint64_t n) {
  uint64_t *counted = &frame->counts[frame->field - frame->descriptor->fields];
  *counted += n; /* bounded by the message's bytes: cannot wrap */
  for (size_t i = 0; i < scan->policy->n_rules; i++) {
    const struct berth_wire_rule *rule = &scan->policy->rules[i];
    if (rule->message == frame->descriptor && rule->field == frame->field->id && *counted > rule->most) {
      char what[96];
      snprintf(what, sizeof what, "more than the limit of %" PRIu64, rule->most);
      return fail(scan, frame, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, what);
    }
  }
  return BERTH_OK;
}

static enum berth_code scan_text(const struct scan *scan, struct frame *frame, struct cursor content) {
  size_t n = (size_t)(content.end - content.at);
  bool repeated = frame->field->label == PROTOBUF_C_LABEL_REPEATED;
  enum berth_code code = count(scan, frame, repeated ? 1 : n);
  if (code != BERTH_OK || frame->field->type == PROTOBUF_C_TYPE_BYTES) {
    return code;
  }
  size_t at;
  enum berth_text_fault fault = berth_text_check(content.at, n, &at);
  if (fault == BERTH_TEXT_FINE) {
    return BERTH_OK;
  }
  char what[96];
  snprintf(
      what, sizeof what, "byte %zu %s", at, fault == BERTH_TEXT_NUL ? "is NUL" : "begins no UTF-8 character");
  return fail(scan, frame, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_TEXT, what);
}

static enum berth_code scan_packed(const struct scan *scan, struct frame *frame, struct cursor content) {
  size_t n_bytes = (size_t)(content.end - content.at);
  unsigned wire_type = natural_wire_type(frame->field->type);
  if (wire_type != PROTOBUF_C_WIRE_TYPE_VARINT) {
    size_t width = wire_type == PROTOBUF_C_WIRE_TYPE_32BIT ? 4 : 8;
    if (n_bytes % width != 0) {
      return malformed(scan, frame, "a packed column ends within an entry");
    }
    return count(scan, frame, n_bytes / width);
  }
  uint64_t n = 0;
  while (content.at < content.end) {
    uint64_t value = *content.at;
    if (value < 0x80) {
      content.at++;
    } else if (!read_varint(&content, &value)) {
      return malformed(scan, frame, "a packed column ends within an entry");
    }
    if (!fits(frame->field, value)) {
      return bad_value(scan, frame, value);
    }
    n++;
  }
  return count(scan, frame, n);
}

static enum berth_code scan_message(
    struct scan *scan, const struct frame *parent, const ProtobufCMessageDescriptor *descriptor,
    struct cursor cursor, unsigned depth);

static enum berth_code
scan_submessage(struct scan *scan, struct frame *frame, struct cursor content, unsigned depth) {
  enum berth_code code = count(scan, frame, 1);
  if (code != BERTH_OK) {
    return code;
  }
  bool singular = frame->field->label != PROTOBUF_C_LABEL_REPEATED;
  if (singular && frame->counts[frame->field - frame->descriptor->fields] > 1) {
    return malformed(scan, frame, "a message that may appear once appears twice");
  }
  return scan_message(scan, frame, frame->field->descriptor, content, depth + 1);
}

/* A field whose descriptor is known. */
static enum berth_code scan_known(
    struct scan *scan, struct frame *frame, unsigned wire_type, struct cursor content, uint64_t value,
    unsigned depth) {
  const ProtobufCFieldDescriptor *field = frame->field;
  unsigned natural = natural_wire_type(field->type);
  if (wire_type == natural) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
      return scan_submessage(scan, frame, content, depth);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
      return scan_text(scan, frame, content);
    default:
      if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT && !fits(field, value)) {
        return bad_value(scan, frame, value);
      }
      return count(scan, frame, 1);
    }
  }
  bool can_be_packed = natural != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
  if (wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED && field->label == PROTOBUF_C_LABEL_REPEATED &&
      can_be_packed) {
    return scan_packed(scan, frame, content);
  }
  return malformed(scan, frame, "the wire type is not the field's");
}

/* Steps over the content of one field: `out_content` for what has a length, `out_value` for a varint. */
static const char *
take_content(struct cursor *cursor, unsigned wire_type, struct cursor *out_content, uint64_t *out_value) {
  size_t left = (size_t)(cursor->end - cursor->at);
  uint64_t n_bytes = 0;
  *out_value = 0;
  switch (wire_type) {
  case PROTOBUF_C_WIRE_TYPE_VARINT:
    return read_varint(cursor, out_value) ? NULL : "a number is cut off or longer than 64 bits";
  case PROTOBUF_C_WIRE_TYPE_64BIT:
    n_bytes = 8;
    break;
  case PROTOBUF_C_WIRE_TYPE_32BIT:
    n_bytes = 4;
    break;
  case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
    if (!read_short_varint(cursor, &n_bytes)) {
      return "a length is cut off or longer than five bytes";
    }
    left = (size_t)(cursor->end - cursor->at);
    break;
  default:
    return "groups and unknown wire types are not accepted";
  }
  if (n_bytes > left) {
    return "the length leads beyond the end of the message";
  }
  *out_content = (struct cursor){.at = cursor->at, .end = cursor->at + n_bytes};
  cursor->at += n_bytes;
  return NULL;
}

static enum berth_code scan_message(
    struct scan *scan, const struct frame *parent, const ProtobufCMessageDescriptor *descriptor,
    struct cursor cursor, unsigned depth) {
  if (depth >= BERTH_WIRE_MAX_DEPTH || descriptor->n_fields > MAX_FIELDS_OF_A_MESSAGE) {
    return malformed(scan, parent, "messages are nested too deeply");
  }
  struct frame frame = {.parent = parent, .descriptor = descriptor};
  while (cursor.at < cursor.end) {
    frame.field = NULL;
    uint64_t tag;
    if (!read_short_varint(&cursor, &tag)) {
      return malformed(scan, parent, "a tag is cut off or longer than five bytes");
    }
    uint64_t number = tag >> WIRE_TYPE_BITS;
    unsigned wire_type = (unsigned)(tag & ((1u << WIRE_TYPE_BITS) - 1));
    if (number == 0 || number > MAX_FIELD_NUMBER) {
      return malformed(scan, parent, "a field number is out of range");
    }
    if (++scan->n_fields > scan->policy->max_fields) {
      return fail(scan, parent, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, "too many fields");
    }
    frame.field = protobuf_c_message_descriptor_get_field(descriptor, (unsigned)number);
    const struct frame *blamed = frame.field != NULL ? &frame : parent;
    struct cursor content = {NULL, NULL};
    uint64_t value = 0;
    const char *wrong = take_content(&cursor, wire_type, &content, &value);
    if (wrong != NULL) {
      return malformed(scan, blamed, wrong);
    }
    if (frame.field == NULL) {
      if (!scan->policy->allow_unknown) {
        char what[96];
        snprintf(what, sizeof what, "field number %" PRIu64 " of %.48s is unknown", number, descriptor->name);
        return fail(scan, parent, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_FIELD, what);
      }
      continue;
    }
    enum berth_code code = scan_known(scan, &frame, wire_type, content, value, depth);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}

enum berth_code berth_wire_scan(
    const ProtobufCMessageDescriptor *descriptor, const struct berth_wire_policy *policy,
    const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct scan scan = {.policy = policy, .err = err};
  return scan_message(&scan, NULL, descriptor, (struct cursor){bytes, bytes + n_bytes}, 0);
}
