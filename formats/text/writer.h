/* Text output through a callback: buffered, without printf in loops, and with one place where a failed write
 * is remembered. Numbers are exact to 64 bits. */
#ifndef TEXT_WRITER_H
#define TEXT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"

/* Where bytes go. `write` returns false when it cannot take them; nothing is written after that. */
struct berth_sink {
  void *ctx;
  bool (*write)(void *ctx, const char *bytes, size_t n_bytes);
};

struct berth_writer {
  struct berth_sink sink;
  bool failed;
  size_t n_buffered;
  char buffer[16 * 1024];
};

void berth_writer_init(struct berth_writer *writer, struct berth_sink sink);

void berth_writer_bytes(struct berth_writer *writer, const char *bytes, size_t n_bytes);
void berth_writer_text(struct berth_writer *writer, const char *text);
void berth_writer_char(struct berth_writer *writer, char c);
void berth_writer_u64(struct berth_writer *writer, uint64_t n);
void berth_writer_i64(struct berth_writer *writer, int64_t n);
/* For the few places where speed does not matter; the result is cut at 511 bytes. */
void berth_writer_format(struct berth_writer *writer, const char *format, ...) BERTH_PRINTF(2, 3);

/* Hands on what is buffered. BERTH_DATA_LOSS if any write since the start failed. */
enum berth_code berth_writer_finish(struct berth_writer *writer, struct berth_error *err) BERTH_MUST_USE;

#endif
