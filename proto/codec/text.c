#include "codec/text.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)
#define LOW_BITS UINT64_C(0x0101010101010101)

/* Bytes of the sequence that starts at bytes[0] >= 0x80; 0 if it is not a well-formed one. */
static size_t sequence_length(const uint8_t *bytes, size_t n) {
  uint8_t first = bytes[0];
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  uint8_t least = 0x80;
  uint8_t most = 0xbf;
  if (first < 0xc2 || first > 0xf4 || n < length) {
    return 0;
  }
  switch (first) {
  case 0xe0:
    least = 0xa0; /* overlong */
    break;
  case 0xed:
    most = 0x9f; /* surrogates */
    break;
  case 0xf0:
    least = 0x90; /* overlong */
    break;
  case 0xf4:
    most = 0x8f; /* above U+10FFFF */
    break;
  default:
    break;
  }
  if (bytes[1] < least || bytes[1] > most) {
    return 0;
  }
  for (size_t i = 2; i < length; i++) {
    if ((bytes[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  return length;
}

enum berth_text_fault berth_text_check(const uint8_t *bytes, size_t n, size_t *out_at) {
  size_t i = 0;
  while (i < n) {
    uint64_t word;
    if (n - i >= sizeof word) {
      memcpy(&word, bytes + i, sizeof word);
      if (((word | (word - LOW_BITS)) & HIGH_BITS) == 0) { /* eight ASCII bytes, none of them NUL */
        i += sizeof word;
        continue;
      }
    }
    size_t length = 1;
    if (bytes[i] == 0) {
      *out_at = i;
      return BERTH_TEXT_NUL;
    }
    if (bytes[i] >= 0x80) {
      length = sequence_length(bytes + i, n - i);
      if (length == 0) {
        *out_at = i;
        return BERTH_TEXT_NOT_UTF8;
      }
    }
    i += length;
  }
  *out_at = n;
  return BERTH_TEXT_FINE;
}
