#include "berth/status.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const CODE_NAMES[] = {
    "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED",
};

static const char *const REASON_NAMES[] = {
#define X(name, text) #name,
    BERTH_REASONS(X)
#undef X
};

static const char *const REASON_TEXTS[] = {
#define X(name, text) text,
    BERTH_REASONS(X)
#undef X
};

#define LOOK_UP(table, i) ((size_t)(i) < sizeof(table) / sizeof((table)[0]) ? (table)[i] : "?")

const char *berth_code_name(enum berth_code code) {
  return LOOK_UP(CODE_NAMES, code);
}

const char *berth_reason_name(enum berth_reason reason) {
  return LOOK_UP(REASON_NAMES, reason);
}

const char *berth_reason_text(enum berth_reason reason) {
  return LOOK_UP(REASON_TEXTS, reason);
}

enum berth_reason berth_reason_parse(const char *name) {
  for (size_t i = 0; i < sizeof REASON_NAMES / sizeof REASON_NAMES[0]; i++) {
    if (strcmp(name, REASON_NAMES[i]) == 0) {
      return (enum berth_reason)i;
    }
  }
  return BERTH_REASON_NONE;
}

/* Copies what fits, and never half a UTF-8 sequence. */
static void copy_cut(char *to, size_t capacity, const char *from) {
  size_t n = strlen(from);
  if (n >= capacity) {
    n = capacity - 1;
    while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80) {
      n--;
    }
  }
  memcpy(to, from, n);
  to[n] = '\0';
}

enum berth_code berth_fail(
    struct berth_error *err, enum berth_code code, enum berth_reason reason, uint32_t index,
    const char *field, const char *format, ...) {
  if (err == NULL) {
    return code;
  }
  char message[4 * BERTH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  *err = (struct berth_error){.code = code, .reason = reason, .index = index};
  copy_cut(err->message, sizeof err->message, message);
  copy_cut(err->field, sizeof err->field, field != NULL ? field : "");
  return code;
}

enum berth_code berth_fail_memory(struct berth_error *err) {
  return berth_fail(
      err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_OUT_OF_MEMORY, BERTH_NO_INDEX, NULL,
      "memory for this request ran out");
}
