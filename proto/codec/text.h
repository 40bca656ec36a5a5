/* UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef CODEC_TEXT_H
#define CODEC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum berth_text_fault {
  BERTH_TEXT_FINE = 0,
  BERTH_TEXT_NOT_UTF8,
  BERTH_TEXT_NUL,
};

/* The first fault, and where: *out_at is the index of the byte. */
enum berth_text_fault berth_text_check(const uint8_t *bytes, size_t n, size_t *out_at);

#endif
