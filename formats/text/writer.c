#include "text/writer.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DIGITS = 20, MAX_FORMATTED = 512 };

void berth_writer_init(struct berth_writer *writer, struct berth_sink sink) {
  writer->sink = sink;
  writer->failed = false;
  writer->n_buffered = 0;
}

static void flush(struct berth_writer *writer) {
  if (!writer->failed && writer->n_buffered != 0) {
    writer->failed = !writer->sink.write(writer->sink.ctx, writer->buffer, writer->n_buffered);
  }
  writer->n_buffered = 0;
}

void berth_writer_bytes(struct berth_writer *writer, const char *bytes, size_t n_bytes) {
  while (n_bytes > sizeof writer->buffer - writer->n_buffered) {
    size_t n = sizeof writer->buffer - writer->n_buffered;
    memcpy(writer->buffer + writer->n_buffered, bytes, n);
    writer->n_buffered += n;
    bytes += n;
    n_bytes -= n;
    flush(writer);
  }
  if (n_bytes != 0) {
    memcpy(writer->buffer + writer->n_buffered, bytes, n_bytes);
    writer->n_buffered += n_bytes;
  }
}

void berth_writer_text(struct berth_writer *writer, const char *text) {
  berth_writer_bytes(writer, text, strlen(text));
}

void berth_writer_char(struct berth_writer *writer, char c) {
  berth_writer_bytes(writer, &c, 1);
}

void berth_writer_u64(struct berth_writer *writer, uint64_t n) {
  char digits[MAX_DIGITS];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + n % 10);
    n /= 10;
  } while (n != 0);
  berth_writer_bytes(writer, digits + at, sizeof digits - at);
}

void berth_writer_i64(struct berth_writer *writer, int64_t n) {
  if (n < 0) {
    berth_writer_char(writer, '-');
    berth_writer_u64(writer, -(uint64_t)n);
  } else {
    berth_writer_u64(writer, (uint64_t)n);
  }
}

void berth_writer_format(struct berth_writer *writer, const char *format, ...) {
  char text[MAX_FORMATTED];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n > 0) {
    berth_writer_bytes(writer, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
  }
}

enum berth_code berth_writer_finish(struct berth_writer *writer, struct berth_error *err) {
  flush(writer);
  if (writer->failed) {
    return berth_fail(
        err, BERTH_DATA_LOSS, BERTH_REASON_INTERNAL, BERTH_NO_INDEX, NULL, "the output could not be written");
  }
  return BERTH_OK;
}
