#include "verify/findings.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_ID_BYTES = 40 };

struct berth_violation berth_verify_violation(enum berth_violation_kind kind) {
  return (struct berth_violation){
      .kind = kind, .buffer_a = BERTH_NO_INDEX, .buffer_b = BERTH_NO_INDEX, .pool = BERTH_NO_INDEX};
}

static uint32_t whole_of(const struct berth_verify_findings *findings, uint32_t buffer) {
  return findings->whole_of != NULL && buffer != BERTH_NO_INDEX ? findings->whole_of[buffer] : buffer;
}

void berth_verify_blame(
    struct berth_verify_findings *findings, const struct berth_violation *violation, const char *format,
    ...) {
  findings->verdict->n_violations++;
  if (!berth_verify_has_room(findings)) {
    return;
  }
  struct berth_violation *listed = &findings->list[findings->verdict->n_listed++];
  *listed = *violation;
  listed->buffer_a = whole_of(findings, violation->buffer_a);
  listed->buffer_b = whole_of(findings, violation->buffer_b);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(listed->message, sizeof listed->message, format, arguments);
  va_end(arguments);
}

/* Ids are UTF-8: never cut within a character. */
static int shown_bytes(struct berth_text id) {
  if (id.size <= SHOWN_ID_BYTES) {
    return (int)id.size;
  }
  int n = SHOWN_ID_BYTES;
  while (n > 0 && ((unsigned char)id.data[n] & 0xc0) == 0x80) {
    n--;
  }
  return n;
}

struct berth_verify_name berth_verify_name(const struct berth_verify_findings *findings, uint32_t buffer) {
  struct berth_verify_name name;
  buffer = whole_of(findings, buffer);
  struct berth_text id = berth_problem_buffer_id(findings->problem, buffer);
  if (id.size == 0) {
    snprintf(name.text, sizeof name.text, "buffer %u", buffer);
  } else {
    int n = shown_bytes(id);
    const char *rest = (uint32_t)n < id.size ? "..." : "";
    snprintf(name.text, sizeof name.text, "buffer %u (\"%.*s%s\")", buffer, n, id.data, rest);
  }
  return name;
}
